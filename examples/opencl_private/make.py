"""Inputs for the kernels with private memory, and what they give, in Python's integers."""

import numpy as np
from reference import save

generator = np.random.default_rng(46)
numbers, others = (generator.integers(-(2**31), 2**31 - 1, 512).astype(np.int32) for _ in range(2))
values = generator.integers(0, 2**29, 256).astype(np.uint32)


def words(list_of_integers):
    return np.array([number % 2**32 for number in list_of_integers], np.uint32)


def digits(ordered):
    number = 0
    for value in ordered:
        number = number * 31 + value
    return number


sorted_ones = [sorted(int(numbers[(item * 7 + i * 13) % 512]) for i in range(19)) for item in range(256)]
functions = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a ^ (b << 3)]
called = [functions[i // 64 % 4](functions[int(a) % 4](int(a), int(b)), int(b)) for i, (a, b) in enumerate(zip(numbers[:256], others[:256]))]


def generic(item, value):
    """What an item leaves in global memory, and its result."""
    memory = {"shared": [item], "own": [value, 1, 2, 3], "places": [item * 5]}
    space, index = [("shared", 0), ("own", value % 4), ("places", 0)][value % 3]
    old = memory[space][index]
    memory[space][index] = old * 3 + value
    result = (old + memory[space][index]) * 7
    counter = "shared" if value & 64 else "places"
    result += memory[counter][0]
    memory[counter][0] += 9
    result += memory[counter][0]
    own = memory["own"]
    return memory["places"][0], result + memory["shared"][0] * 11 + own[0] * 13 + own[1] + own[2] * 17 + own[3] * 19 + memory["places"][0] * 23


left = [generic(item, int(value)) for item, value in enumerate(values)]
save(
    numbers=numbers, others=others[:256], values=values,
    sorted=words([digits(ordered) for ordered in sorted_ones] + [ordered[item % 19] for item, ordered in enumerate(sorted_ones)]).view(np.int32),
    called=words(called).view(np.int32), places=words(place for place, _ in left), results=words(result for _, result in left),
)
