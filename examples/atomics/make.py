"""The same operations one after another on Python's integers."""

from functools import reduce
from operator import and_, or_, xor

import numpy as np
from reference import save

generator = np.random.default_rng(9)
n = 999
values = generator.integers(0, 2**32, n, np.uint32)
v = [int(x) for x in values]
wide = [x * 0x123456789ABCDEF % 2**64 for x in v]
signed = lambda x, bits: x - 2**bits if x >> bits - 1 else x
inc, dec = 0, 7
for _ in v:
    inc = 0 if inc >= 100 else inc + 1
    dec = 300 if dec == 0 or dec > 300 else dec - 1

start = [0, 1000, 2**32 - 1, 0, 2**32 - 1, 0, 0x55555555, 0, 7, 0, 3, 4, 0, 0]
words = [n, 1000 - sum(v), min(v), max(v), reduce(and_, (x | 0x00FF00FF for x in v)), reduce(or_, (x & 0x10101010 for x in v))]
words += [reduce(xor, v, 0x55555555), inc, dec, max(v), 3 + sum(v), 4 + sum(v)]
words += [min(0, *(signed(x, 32) for x in v)), max(0, *(signed(x, 32) for x in v))]
long_start = [5, 2**64 - 1, 0, 2**64 - 1, 0, 0, 9, 0, 0]
longs = [5 + sum(wide), min(wide), max(wide), reduce(and_, (x | 0x0F0F0F0F0F0F0F0F for x in wide))]
longs += [reduce(or_, (x & 0x8000100020004000 for x in wide)), reduce(xor, wide), 9 + sum(wide)]
longs += [min(0, *(signed(x, 64) for x in wide)), max(0, *(signed(x, 64) for x in wide))]

numbers = generator.integers(-50, 60, n).astype(np.float32)
save(
    values=values,
    words_start=np.array(start, np.uint32),
    words=np.array([x % 2**32 for x in words], np.uint32),
    longs_start=np.array(long_start, np.uint64),
    longs=np.array([x % 2**64 for x in longs], np.uint64),
    tickets=np.arange(1, n + 1, dtype=np.uint32),
    numbers=numbers,
    sums=np.array([numbers.sum(), numbers.max(), 42.5], np.float32),
    double_sum=np.array([sum(int(x) * 1048577 for x in numbers)], np.float64),
    half_sum=np.array([n, 2 * ((n + 1) // 2) - n // 2], np.float16),
)
