"""Random programs for 130 threads, interpreted in Python."""

import numpy as np
from reference import save


def wrap(x):
    return (x + 2**31) % 2**32 - 2**31


def interpret(program, thread, limit):
    length = len(program)
    stack, memory = [0] * 16, [thread, 1, 2, 3]
    top = at = count = 0

    def pop():
        nonlocal top
        top -= 1
        return stack[(top + 1) % 16]

    def put(value):
        nonlocal top
        top += 1
        stack[top % 16] = wrap(value)

    while count < limit:
        code, operand = int(program[at]), int(program[at + 1])
        at = (at + 2) % length
        count += 1
        match code:
            case 0:
                put(operand - 100)
            case 1:
                put(stack[top % 16])
            case 2 | 3 | 4 | 5 | 6:
                a, b = pop(), pop()
                if code == 2:
                    put(a)
                    put(b)
                else:
                    put([a + b, b - a, a * b, int(b < a)][code - 3])
            case 7:
                a, b, c = pop(), pop(), pop()
                put(b if a else c)
            case 8:
                at = (at + length - operand % length // 2 * 2) % length
            case 9:
                if pop() == 0:
                    at = (at + 2) % length
            case 10:
                memory[operand & 3] = wrap(memory[operand & 3] + 1)
            case 11:
                put(memory[operand & 3])
            case 12:
                memory[operand & 3] = pop()
            case 13:
                put(-pop())
            case _:
                break
    return wrap(stack[top % 16] + memory[1] * 7 + memory[2]), count


generator = np.random.default_rng(35)
n, length, limit = 130, 48, 500
programs = generator.integers(0, 256, (n, length), np.uint8)
programs[:, ::2] = generator.integers(0, 14, (n, length // 2))
programs[::2, generator.integers(10, 23, n // 2) * 2] = 14
results = [interpret(program, i, limit) for i, program in enumerate(programs)]
save(
    programs=programs,
    results=np.array([r for r, _ in results], np.int32),
    steps=np.array([s for _, s in results], np.uint32),
)
