"""Lines for prmt in all its modes, from the tables of PTX ISA 9.4, 9.7.10.7."""

import random
from pathlib import Path

# Mode: for each value of bits 0 and 1 of c the source bytes of b3, b2, b1, b0, as the manual prints them.
TABLES = {
    "f4e": ["3210", "4321", "5432", "6543"],
    "b4e": ["5670", "6701", "7012", "0123"],
    "rc8": ["0000", "1111", "2222", "3333"],
    "ecl": ["3210", "3211", "3222", "3333"],
    "ecr": ["0000", "1110", "2210", "3210"],
    "rc16": ["1010", "3232", "1010", "3232"],
}
dice = random.Random(5)
lines = ["# Byte permutation, chapter 9.7.10.7.", "# Made by make_permute.py."]
for mode in [*TABLES, None]:
    for n in range(4 if mode else 24):
        a, b, c = (dice.getrandbits(32) for _ in range(3))
        data = (b << 32 | a).to_bytes(8, "little")
        if mode:
            c = c & ~3 | n
            result = [data[int(digit)] for digit in TABLES[mode][n]]
        else:
            picks = [c >> 4 * k & 15 for k in (3, 2, 1, 0)]
            result = [data[p & 7] if p < 8 else 255 * (data[p & 7] >> 7) for p in picks]
        suffix = f".{mode}" if mode else ""
        lines.append(f"prmt.b32{suffix}  a={a:#010x} b={b:#010x} c={c:#010x} -> 0x{bytes(result).hex()}")
(Path(__file__).resolve().parent / "permute.txt").write_text("\n".join(lines) + "\n")
