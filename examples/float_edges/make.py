"""All pairs of fourteen edge values, then random ones; the third operand is near minus the product."""

import numpy as np
from reference import library, save

generator = np.random.default_rng(26)


def operands(dtype, bits):
    info = np.finfo(dtype)
    edges = [0.0, 1.0, 1.5, info.smallest_subnormal, info.tiny - info.smallest_subnormal, info.tiny, info.max, np.inf]
    edges += [1 + info.eps, 2.5, 12345.678]
    edges = np.array(edges, dtype)
    edges = np.concatenate([edges, -edges[:9], [np.nan]]).astype(dtype)
    a, b = np.repeat(edges, len(edges)), np.tile(edges, len(edges))
    top = np.iinfo(bits).max
    random = generator.integers(0, top, (2, 100), bits, endpoint=True).view(dtype)
    near = generator.normal(size=(2, 50)).astype(dtype)
    a, b = np.concatenate([a, random[0], near[0]]), np.concatenate([b, random[1], near[1]])
    with np.errstate(all="ignore"):
        c = -(a * b)
    c = np.where(generator.integers(0, 3, len(c)) == 0, generator.permutation(a), c).astype(dtype)
    return a.astype(dtype), b.astype(dtype), c


reference = library()
singles, doubles = operands(np.float32, np.uint32), operands(np.float64, np.uint64)
n = len(singles[0])
single_out, double_out = np.zeros((50, n), np.float32), np.zeros((49, n), np.float64)
reference.singles(*singles, single_out, n)
reference.doubles(*doubles, double_out, n)
save(a=singles[0], b=singles[1], c=singles[2], singles=single_out)
save(wide_a=doubles[0], wide_b=doubles[1], wide_c=doubles[2], doubles=double_out)
