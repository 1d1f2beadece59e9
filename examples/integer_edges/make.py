"""All pairs of thirteen edge values, then random ones."""

import numpy as np
from reference import library, save

generator = np.random.default_rng(25)


def operands(bits, dtype):
    """All pairs of the edges, and 60 random pairs, many of them short."""
    top = 2**bits - 1
    edges = [0, 1, 2, 7, 31, 32, 33, 255, 2 ** (bits - 1) - 1, 2 ** (bits - 1), 2 ** (bits - 1) + 1, top - 1, top]
    pairs = np.array([(x, y) for x in edges for y in edges], dtype)
    short = generator.integers(0, top, (60, 2), dtype, endpoint=True) >> generator.integers(0, bits, (60, 2), dtype)
    return map(np.ascontiguousarray, np.concatenate([pairs, short]).T)


a, b = operands(32, np.uint32)
c = generator.integers(0, 2**32, len(a), np.uint32) >> generator.integers(0, 32, len(a), np.uint32)
wide_a, wide_b = operands(64, np.uint64)
words, longs = np.zeros((61, len(a)), np.uint32), np.zeros((30, len(a)), np.uint64)
reference = library()
reference.words(a, b, c, words, len(a))
reference.longs(wide_a, wide_b, longs, len(a))
save(a=a, b=b, c=c, words=words, wide_a=wide_a, wide_b=wide_b, longs=longs)
