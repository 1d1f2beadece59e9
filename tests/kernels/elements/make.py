"""Computes what elements.ptx must write, with Python's own integers."""
import numpy
from pathlib import Path

LIST = bytes(range(100, 164))
TABLE = [3 * t for t in range(32)]


def row(t):
    k = t & 7
    own = t if k == 0 else 3 * t
    given = b"".join(n.to_bytes(4, "little") for n in (t, 3 * t, t, 3 * t))
    word = int.from_bytes(LIST[4 * k : 4 * k + 4], "little")
    memory = [TABLE[31], TABLE[t ^ 1], TABLE[t ^ 1], TABLE[t], TABLE[t & 30], TABLE[t & 30 | 1], 3 * t, 3 * (31 - t), t ^ 1]
    kernel = [own, t, (k + 1) ** 2, word, LIST[2], TABLE[t ^ 1], 3 * t, own if t < 8 else 99, given[k], TABLE[2], LIST[k]]
    return memory + kernel


numpy.save(Path(__file__).parent / "elements.npy", numpy.array([row(t) for t in range(32)], numpy.uint32))
