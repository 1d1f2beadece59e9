"""Two blocks of 96 threads, lane by lane in Python."""

import numpy as np
from reference import save

n = 192
values = np.random.default_rng(24).integers(1, 999, n, np.uint32)
warps = [[int(v) for v in values[i : i + 32]] for i in range(0, n, 32)]
lanes = range(32)


def rows(functions):
    """A row a function; each gives the values of a warp's lanes."""
    return np.array([[x % 2**32 for warp in warps for x in f(warp)] for f in functions], np.uint32)


def shuffle(source):
    """A shuffle that reads from lane source(lane), its own where that is None."""
    return lambda v: [v[lane if source(lane) is None else source(lane)] for lane in lanes]


def same(f):
    """A result that is the same in every lane."""
    return lambda v: [f(v)] * 32


def ballot(bits):
    return sum(bool(bit) << lane for lane, bit in enumerate(bits))


def xor_all(values):
    result = 0
    for value in values:
        result ^= value
    return result


def wide(v):
    w = [v[lane ^ 1] * 0x100000001 + 1 for lane in lanes]
    return [(x >> 32 ^ x) for x in w]


def some(v):
    taking = [lane for lane in lanes if v[lane] % 3 == 0]
    sums = sum(v[lane] for lane in taking) + len(taking)
    return [(sums ^ v[taking[0]]) + (taking.index(lane) << 24) if lane in taking else 0 for lane in lanes]


def match_all(v):
    equal = len({x // 1000 for x in v}) == 1
    return (2**32 - 1 if equal else 0) ^ equal


def bits(v):
    everywhere, anywhere = 2**32 - 1, 0
    for x in v:
        everywhere &= x | 0xF0
        anywhere |= x << 8
    return xor_all(v) ^ everywhere ^ anywhere


def coalesced(v):
    now = [lane for lane in lanes if v[lane] % 4 == 1]
    return [len(now) * 64 + now.index(lane) + v[now[0]] * 4096 if lane in now else 0 for lane in lanes]


def eights(v):
    ballots = [ballot(x & 1 for x in v[lane // 8 * 8 : lane // 8 * 8 + 8]) for lane in lanes]
    return [lane // 8 * 100 + lane % 8 + ballots[lane] * 1000 for lane in lanes]


save(
    values=values,
    shuffles=rows([
        shuffle(lambda lane: (lane * 5 + 3) % 32),
        shuffle(lambda lane: lane // 8 * 8 + (lane + 3) % 8),
        shuffle(lambda lane: lane - 5 if lane >= 5 else None),
        shuffle(lambda lane: lane - 3 if lane % 16 >= 3 else None),
        shuffle(lambda lane: lane + 7 if lane + 7 < 32 else None),
        shuffle(lambda lane: lane + 2 if lane % 4 < 2 else None),
        shuffle(lambda lane: lane ^ 21),
        shuffle(lambda lane: lane ^ 9 if (lane ^ 9) // 8 <= lane // 8 else None),
        wide,
        shuffle(lambda lane: 8),
    ]),
    votes=rows([
        same(lambda v: ballot(x & 1 for x in v)),
        same(lambda v: all(v) | any(x % 50 == 0 for x in v) << 1 | any(x > 1000 for x in v) << 2),
        lambda v: [ballot(y % 5 == x % 5 for y in v) for x in v],
        same(match_all),
        same(sum),
        same(lambda v: min(v) - 500),
        same(lambda v: max(x * 0x9E3779B9 % 2**32 for x in v)),
        same(bits),
        some,
    ]),
    cooperative=rows([
        lambda v: [sum(v[lane // 8 * 8 : lane // 8 * 8 + 8]) for lane in lanes],
        eights,
        same(lambda v: any(x == 77 for x in v) + v[31]),
        coalesced,
    ]),
)
# Ranks of groups of eight count over the block of three warps, not the warp.
eight_rows = np.load("cooperative.npy")
eight_rows[1] += np.tile(np.arange(3, dtype=np.uint32).repeat(32) * 400, 2)
save(cooperative=eight_rows)
