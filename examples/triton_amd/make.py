"""Rows of normal numbers and small integers; softmax and layernorm in double precision, the rest is exact."""

import numpy as np
from reference import save

generator = np.random.default_rng(41)
x, y = (generator.normal(size=1000).astype(np.float32) for _ in range(2))
rows = generator.normal(size=(4, 500)).astype(np.float32)
weight, bias = (generator.normal(size=500).astype(np.float32) for _ in range(2))
values = generator.integers(-1000, 1000, 256).astype(np.int32)
marks = generator.integers(0, 2000, 256).astype(np.int32)

table = generator.normal(size=(4, 64)).astype(np.float32)
places = generator.integers(0, 64, (4, 64)).astype(np.int32)


def philox(key, counter):
    """Ten rounds of Philox 4x32 (Salmon and others, Parallel random numbers: as easy as 1, 2, 3)."""
    words, keys = [counter, 0, 0, 0], [key, 0]
    for _ in range(10):
        first, second = 0xD2511F53 * words[0], 0xCD9E8D57 * words[2]
        words = [second >> 32 ^ words[1] ^ keys[0], second % 2**32, first >> 32 ^ words[3] ^ keys[1], first % 2**32]
        keys = [(keys[0] + 0x9E3779B9) % 2**32, (keys[1] + 0xBB67AE85) % 2**32]
    return words


bits = np.array([philox(1234567, counter) for counter in range(512)], np.uint32).T.copy().view(np.int32)
folded = np.zeros(256, np.int64)
for _ in range(6):
    folded = folded * 3 + values

wide = rows.astype(np.float64)
powers = np.exp(wide - wide.max(axis=1, keepdims=True))
normal = (wide - wide.mean(axis=1, keepdims=True)) / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5) * weight + bias
save(
    x=x, y=y, sum=x + y, rows=rows, softmax=(powers / powers.sum(axis=1, keepdims=True)).astype(np.float32),
    weight=weight, bias=bias, normal=normal.astype(np.float32), values=values,
    marks=marks, counts=np.bincount(marks & 15, minlength=16).astype(np.int32),
    extremes=np.array([marks.max(), 2000 - marks.min()], np.int32), total=np.array([marks.sum()], np.float32),
    table=table, places=places, taken=np.take_along_axis(table, places, 1), greatest=table.argmax(axis=1).astype(np.int32),
    bits=bits, held=np.zeros(1, np.int32), folded=folded.astype(np.int32),
    prefix=values.cumsum(dtype=np.int32), sorted=np.sort(values),
)
