"""What control.ptx must give, computed in Python."""

from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
M = 0xFFFFFFFF


def jump(i):
    value = 1000
    if i >= 60:
        value = 7
    else:
        value = {0: value + 11, 1: value + 10, 2: i * 2, 3: value + 10, 4: value * 2}[i % 5]
    return value + M & M  # the full ballot


def pointers(i):
    functions = [lambda a: 2 * a, lambda a: a * a, lambda a: 333 if a == 3 else -a]
    first = functions[i % 3](i) & M
    second = functions[0 if i % 3 == 0 else 1](first) & M
    return [first, second, second + 33 + 3 * i & M, i | 0x80000000 if i % 3 else 0]


def stack(i):
    return sum(k + k * i for k in range(i + 1))


save = lambda name, values: np.save(HERE / f"{name}.npy", np.array(values, np.uint32))
save("jumps", [jump(i) for i in range(64)])
save("called", [pointers(i) for i in range(50)])
save("allocated", [stack(i) for i in range(40)])
# global, shared, local, const, parameter (which lies in global memory too); then what the generic addresses hold.
save("spaces", [1, 2, 4, 8, 17, 4711, 4711, 77, 5])
