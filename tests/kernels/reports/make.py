"""Copies that report on their data: `reports.ptx`, what it copies, and what its waits must tell (PTX ISA 9.4, 9.7.10.28.1.3, 9.7.15.16.5,
9.7.15.16.19). Of each 16 bytes the first element is the one that is sampled, which the manual leaves open."""

from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
rng = np.random.default_rng(31)
SIZE = 128
PATTERNS = {
    "per_16bytes::80000000": lambda row: any(row[i : i + 4].tobytes() == b"\0\0\0\x80" for i in range(0, SIZE, 16)),
    "per_16bytes::8000": lambda row: any(row[i : i + 2].tobytes() == b"\0\x80" for i in range(0, SIZE, 16)),
    "per_16bytes::80": lambda row: any(row[i] == 0x80 for i in range(0, SIZE, 16)),
    "per_16bytes::8": lambda row: any(row[i] & 15 == 8 for i in range(0, SIZE, 16)),
    "per_element::ff": lambda row: 0xFF in row,
}
PLANTED = {"per_16bytes::80000000": b"\0\0\0\x80", "per_16bytes::8000": b"\0\x80", "per_16bytes::80": b"\x80", "per_16bytes::8": b"\x38",
           "per_element::ff": b"\xff"}  # fmt: skip

text, given, told = [], [], []


def line(*lines):
    text.extend(f"    {one}" for one in lines)


def harmless():
    """Bytes that no pattern matches."""
    return rng.integers(0x11, 0x17, SIZE).astype(np.uint8)


def wait(kind, parity, value):
    """Waits for a phase, asks for the conditional one, and stores complete, reported, value, conditional."""
    n = len(text)
    q = {"pq": "%p|%q", "value": "%p|%q, %v"}[value]
    if value == "pq":
        line("ld.global.b8 %v, [%told+7];")
    state = {"try_wait": f"[bar], {parity}", "test_wait": f"[bar], {parity}", "state": "[bar], %state"}[kind]
    word = "mbarrier.test_wait" if kind == "test_wait" else "mbarrier.try_wait"
    form = f"{word}.phase_type::primary" if kind == "state" else f"{word}.parity.phase_type::primary"
    text.append(f"wait{n}:")
    line(f"{form}.shared::cta.b64 {q}, {state};", f"@!%p bra wait{n};")


def case(report, found, kind, value):
    """One object, two phases: the first with the report, the second without data."""
    row = harmless()
    if found is not None:
        planted = np.frombuffer(PLANTED[report], np.uint8)
        row[found : found + len(planted)] = planted
    at, out = SIZE * len(given), 8 * len(told)
    given.append(row)
    reported = report != "disabled" and bool(PATTERNS[report](row))
    full = "disabled" if report == "disabled" else f"validity::{report}"
    line("mbarrier.init.layout::v1.shared.b64 [bar], 1;", f"mbarrier.arrive.expect_tx.shared.b64 %state, [bar], {SIZE};")
    line(f"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::{full} [to], [%given+{at}], {SIZE}, [bar];")
    wait(kind, 0, value)
    # The conditional phase has ended with the primary one unless something was reported.
    line("mbarrier.test_wait.parity.phase_type::conditional.shared::cta.b64 %c, [bar], 0;")
    line("selp.b32 %r0, 1, 0, %q;", "cvt.u32.u8 %r1, %v;", "selp.b32 %r2, 1, 0, %c;")
    line(f"st.global.b8 [%told+{out}], %r0;")
    line(f"st.global.b8 [%told+{out + 1}], %r1;", f"st.global.b8 [%told+{out + 2}], %r2;")
    # Another phase, of which nothing is reported.
    line("mbarrier.arrive.shared.b64 %state, [bar];")
    wait(kind, 1, value)
    line(f"mbarrier.test_wait.parity.phase_type::conditional.shared::cta.b64 %c, [bar], {int(not reported)};")
    line("selp.b32 %r0, 1, 0, %q;", "selp.b32 %r2, 1, 0, %c;")
    line(f"st.global.b8 [%told+{out + 3}], %r0;", f"st.global.b8 [%told+{out + 4}], %r2;")
    line("mbarrier.inval.shared.b64 [bar];")
    told.append([reported, 0, not reported, 0, 1, 0, 0, 0])


kinds = [(kind, value) for kind in ("try_wait", "test_wait", "state") for value in ("pq", "value")]
n = 0
for report in PATTERNS:
    # Nothing; where a sample is; where none is, and the last.
    for found in (None, 0, 64, 112, 5, 127 if report == "per_element::ff" else 100):
        case(report, found, *kinds[n % len(kinds)])
        n += 1
case("disabled", None, "try_wait", "value")

HEAD = """// Written by make.py: copies with each report, by one thread.
.version 9.4
.target sm_107a
.address_size 64

.visible .entry reports(.param .u64 given, .param .u64 told)
{
    .reg .b64 %given, %told, %state;
    .reg .b32 %r<3>;
    .reg .b8 %v;
    .reg .pred %p, %q, %c;
    .shared .align 128 .b8 to[128];
    .shared .align 8 .b64 bar;
    ld.param.u64 %given, [given];
    ld.param.u64 %told, [told];
"""
(HERE / "reports.ptx").write_text(HEAD + "\n".join(text) + "\n    ret;\n}\n")
np.save(HERE / "given.npy", np.stack(given))
np.save(HERE / "told.npy", np.array(told, np.uint8))
