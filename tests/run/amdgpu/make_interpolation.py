#!/usr/bin/env python3
"""Makes interpolation.txt: sums of products whose sources come from one lane of each four, by fractions rounded once.

AMD RDNA4 ISA 12.3 (VALU Parameter Interpolation): fixed lanes 1 and 0 (P10), and 2 (P2), of each four, active or not; OPSEL chooses halves; RTZ forms round
toward zero, others as MODE says. `python3 make_interpolation.py` rewrites the file.
"""

import os
import random
from fractions import Fraction

import numpy as np

R = random.Random(12)
LANES = 32
OUT = [f"# Made by {os.path.basename(__file__)}: sums of products with sources from one lane of each four."]


def single(bits):
    return Fraction(float(np.uint32(bits).view(np.float32)))


def half(bits):
    return Fraction(float(np.uint16(bits).view(np.float16)))


def rounded(value, kind, toward_zero):
    """The bits of a fraction as a number of single or half precision: the nearest one, of two the even one, or that before it."""
    word = np.uint32 if kind is np.float32 else np.uint16
    near = min(neighbours(value, kind), key=lambda n: (abs(Fraction(float(n)) - value), int(n.view(word)) & 1))
    if toward_zero and abs(Fraction(float(near))) > abs(value):
        near = np.nextafter(near, kind(0))
    return int(near.view(word))


def neighbours(value, kind):
    near = kind(float(value))
    return [np.nextafter(near, kind(-np.inf)), near, np.nextafter(near, kind(np.inf))]


def listed(values):
    return ",".join(hex(v) for v in values)


def numbers(kind):
    """Random numbers of moderate size, zeros and one among them."""
    word = np.uint32 if kind is np.float32 else np.uint16
    values = [kind(R.uniform(-8, 8)) for _ in range(LANES)]
    values[3], values[8] = kind(0), kind(1)
    return [int(v.view(word)) for v in values]


def packed(low, high):
    return [a | b << 16 for a, b in zip(low, high)]


FOUR = lambda values, lane: [values[i & ~3 | lane] for i in range(LANES)]
EXECS = [0xFFFFFFFF, 0x5A3C0FF1]
for target in ("gfx11", "gfx120"):
    for exec_ in EXECS:
        a, b, c, old = numbers(np.float32), numbers(np.float32), numbers(np.float32), [R.getrandbits(32) for _ in range(LANES)]
        for name, first, last in [("v_interp_p10_f32", FOUR(a, 1), FOUR(c, 0)), ("v_interp_p2_f32", FOUR(a, 2), c)]:
            for sign in ("", "-"):
                made = [rounded(single(x) * single(y) + (-single(z) if sign else single(z)), np.float32, False) for x, y, z in zip(first, b, last)]
                gives = [v if exec_ >> i & 1 else old[i] for i, v in enumerate(made)]
                OUT.append(f"{target}: {name} v0, v1, v2, {sign}v3 | wave=32 exec={exec_:#x} v0={listed(old)} v1={listed(a)} v2={listed(b)} v3={listed(c)} -> v0={listed(gives)}")
        halves = [[numbers(np.float16) for _ in range(2)] for _ in range(2)]
        x, z = (packed(*pair) for pair in halves)
        for rtz in ("", "rtz_"):
            for op_sel in ((0, 0), (1, 0), (0, 1), (1, 1)):
                first, last = FOUR(halves[0][op_sel[0]], 1), FOUR(halves[1][op_sel[1]], 0)
                made = [rounded(half(p) * single(y) + half(q), np.float32, rtz) for p, y, q in zip(first, b, last)]
                gives = [v if exec_ >> i & 1 else old[i] for i, v in enumerate(made)]
                registers = f"v0, v1.{'lh'[op_sel[0]]}, v2, v3.{'lh'[op_sel[1]]}"
                OUT.append(f"{target}: v_interp_p10_{rtz}f16_f32 {registers} | wave=32 exec={exec_:#x} v0={listed(old)} v1={listed(x)} v2={listed(b)} v3={listed(z)} -> v0={listed(gives)}")
                # What is added to is single precision, and the result a half of a register, whose other half stays.
                first, upper = FOUR(halves[0][op_sel[0]], 2), op_sel[1]
                sums = [rounded(half(p) * single(y) + single(q), np.float32, rtz) for p, y, q in zip(first, b, c)]
                made = [rounded(single(s), np.float16, rtz) for s in sums]
                made = [old[i] & (0xFFFF if upper else 0xFFFF0000) | v << (16 if upper else 0) for i, v in enumerate(made)]
                gives = [v if exec_ >> i & 1 else old[i] for i, v in enumerate(made)]
                registers = f"v0.{'lh'[upper]}, v1.{'lh'[op_sel[0]]}, v2, v3"
                OUT.append(f"{target}: v_interp_p2_{rtz}f16_f32 {registers} | wave=32 exec={exec_:#x} v0={listed(old)} v1={listed(x)} v2={listed(b)} v3={listed(c)} -> v0={listed(gives)}")

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "interpolation.txt"), "w", encoding="utf-8") as file:
    file.write("\n".join(OUT) + "\n")
