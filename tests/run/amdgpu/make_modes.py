#!/usr/bin/env python3
"""Makes modes.txt: arithmetic after MODE was changed, rounded by Python's fractions.

The fields of MODE are those of AMD's ISA guides ("Mode register"): rounding of single precision in bits 1:0 and of half and double in bits 3:2 (0 to nearest
even, 1 up, 2 down, 3 toward zero), subnormal numbers in bits 5:4 and 7:6, DX10_CLAMP 8, IEEE 9, FP16_OVFL 23. Conversions between precisions round as half
and double do (LLVM 22, SIModeRegister). `python3 make_modes.py` rewrites the file.
"""

import random
import struct
from fractions import Fraction

R = random.Random(15)
FORMATS = {16: (11, 5, "e"), 32: (24, 8, "f"), 64: (53, 11, "d")}


def value(bits, width):
    precision, exponent, _ = FORMATS[width]
    fraction, e, sign = bits & (1 << precision - 1) - 1, bits >> precision - 1 & (1 << exponent) - 1, bits >> width - 1
    bias = (1 << exponent - 1) - 1
    number = Fraction(fraction | (e > 0) << precision - 1) * Fraction(2) ** (max(e, 1) - bias - precision + 1)
    return -number if sign else number


def rounded(x, width, direction, zero_sign=0):
    """The bits of an exact number in a format, rounded to nearest even (0), up (1), down (2) or toward zero (3)."""
    precision, exponent, _ = FORMATS[width]
    bias, sign = (1 << exponent - 1) - 1, int(x < 0) if x else zero_sign
    m, least = abs(x), 1 - bias
    if m == 0:
        return sign << width - 1
    e = least
    while m >= Fraction(2) ** (e + 1):
        e += 1
    scaled = m / Fraction(2) ** (e - precision + 1)
    whole, rest = int(scaled), scaled - int(scaled)
    away = {0: rest > Fraction(1, 2) or rest == Fraction(1, 2) and whole & 1, 1: rest > 0 and not sign, 2: rest > 0 and sign, 3: False}[direction]
    whole += bool(away)
    if whole >> precision:
        whole, e = whole >> 1, e + 1
    if e > bias:
        finite = direction == 3 or direction == 1 and sign or direction == 2 and not sign
        infinity = (1 << exponent) - 1 << precision - 1
        return sign << width - 1 | (infinity - 1 if finite else infinity)
    if whole >> precision - 1 == 0:
        return sign << width - 1 | whole
    return sign << width - 1 | (e + bias << precision - 1) + (whole - (1 << precision - 1))


def some(width):
    """Bits of a number that is not NaN or infinite: of any size, or near another."""
    precision, exponent, _ = FORMATS[width]
    e = R.choice([0, 1, (1 << exponent) - 2, R.randrange(1, (1 << exponent) - 1), (1 << exponent - 1) + R.randrange(-3, 3)])
    return R.getrandbits(1) << width - 1 | e << precision - 1 | R.getrandbits(precision - 1)


def operand(register, width):
    return f"v[{register}:{register + 1}]" if width == 64 else f"v{register}"


def given(register, bits, width):
    return f"v{register}={hex(bits)}" if width < 64 else f"v{register}={hex(bits & 0xFFFFFFFF)} v{register + 1}={hex(bits >> 32)}"


def set_rounding(targets, single, others):
    if targets == "gfx9" or R.random() < 0.5:
        return f"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), {single | others << 2}"
    return f"s_round_mode {hex(single | others << 2)}"


def arithmetic():
    for targets in ("gfx9", "gfx10", "gfx11", "gfx12"):
        for width in (16, 32, 64):
            for name, f in [("add", lambda a, b: a + b), ("mul", lambda a, b: a * b)]:
                for direction in range(4):
                    for _ in range(3):
                        a, b = some(width), some(width)
                        exact = f(value(a, width), value(b, width))
                        # A sum of zero is negative where it is rounded down, unless both are positive; a product's sign is that of its factors.
                        signs = a >> width - 1, b >> width - 1
                        zero = signs[0] ^ signs[1] if name == "mul" else (signs[0] & signs[1] if signs[0] == signs[1] else int(direction == 2))
                        result = rounded(exact, width, direction, zero)
                        other = R.randrange(4)
                        mode = set_rounding(targets, direction if width == 32 else other, other if width == 32 else direction)
                        suffix = "_e64" if width == 64 or R.random() < 0.5 else "_e32"
                        if targets == "gfx12" and width == 64:
                            suffix = ""
                        opcode = f"v_{name}_f{width}" + (suffix if width < 64 else "")
                        destination, x, y = (operand(r, width) for r in (4, 0, 2))
                        if width == 16 and targets in ("gfx11", "gfx12"):
                            destination, x, y, opcode = "v4.l", "v0.l", "v2.l", f"v_{name}_f16"
                        # The upper half of the register is zero on gfx9 and stays elsewhere: it was zero.
                        yield f"{targets}: {mode}; {opcode} {destination}, {x}, {y} | wave=wave {given(0, a, width)} {given(2, b, width)} -> {given(4, result, width)}"


def fused():
    for targets in ("gfx9", "gfx10", "gfx11", "gfx12"):
        for width in (32, 64):
            for direction in range(4):
                for _ in range(3):
                    a, b, c = some(width), some(width), some(width)
                    product = value(a, width) * value(b, width)
                    result = rounded(product + value(c, width), width, direction, 0)
                    if product + value(c, width) == 0:
                        continue
                    mode = set_rounding(targets, direction, direction)
                    registers = ", ".join(operand(r, width) for r in (6, 0, 2, 4))
                    yield f"{targets}: {mode}; v_fma_f{width} {registers} | wave=wave {given(0, a, width)} {given(2, b, width)} {given(4, c, width)} -> {given(6, result, width)}"


def conversions():
    for targets in ("gfx9", "gfx10", "gfx11", "gfx12"):
        for direction in range(4):
            for _ in range(4):
                a = some(32)
                mode = set_rounding(targets, (direction + 1) % 4, direction)
                destination = "v4.l" if targets in ("gfx11", "gfx12") else "v4"
                yield f"{targets}: {mode}; v_cvt_f16_f32 {destination}, v0 | wave=wave v0={hex(a)} -> v4={hex(rounded(value(a, 32), 16, direction, a >> 31))}"
                a = some(64)
                yield f"{targets}: {mode}; v_cvt_f32_f64 v4, v[0:1] | wave=wave {given(0, a, 64)} -> v4={hex(rounded(value(a, 64), 32, direction, a >> 63))}"
                # Integers become single precision, which rounds by its own field.
                n = R.getrandbits(32)
                mode = set_rounding(targets, direction, (direction + 1) % 4)
                yield f"{targets}: {mode}; v_cvt_f32_u32 v4, v0 | wave=wave v0={hex(n)} -> v4={hex(rounded(Fraction(n), 32, direction))}"
                # What rounds in a direction of its own stays.
                yield f"{targets}: {mode}; v_rndne_f32 v4, v0; v_cvt_i32_f32 v5, v0 | wave=wave v0=2.5 -> v4=2.0 v5=2"


def subnormals():
    tiny, half_tiny = 0x00000003, 0x0003
    for targets in ("gfx9", "gfx10", "gfx11", "gfx12"):
        off = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0" if targets == "gfx9" else "s_denorm_mode 0xc"
        on = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3" if targets == "gfx9" else "s_denorm_mode 0xf"
        code = f"v_add_f32_e32 v4, v0, v1; {off}; v_add_f32_e32 v5, v0, v1; v_add_f64 v[8:9], v[2:3], v[2:3]; {on}; v_add_f32_e32 v6, v0, v1"
        if targets == "gfx12":
            code = code.replace("v_add_f64 ", "v_add_f64_e64 ")
        yield f"{targets}: {code} | wave=wave v0={tiny} v1={tiny} v2=5 -> v4={2 * tiny} v5=0 v6={2 * tiny} v8=10 v9=0"


def limits():
    nan = 0x7FC00000
    for targets in ("gfx9", "gfx10", "gfx11"):
        for clamp, result in [(1, 0), (0, nan)]:
            yield f"{targets}: s_setreg_imm32_b32 hwreg(HW_REG_MODE, 8, 1), {clamp}; v_add_f32_e64 v4, v0, v1 clamp; v_add_f32_e64 v5, v1, v1 clamp | wave=wave v0={hex(nan)} v1=2.0 -> v4={hex(result)} v5=1.0"
    # gfx12 has no such bit: NaN is limited to zero.
    yield f"gfx12: v_add_f32_e64 v4, v0, v1 clamp | wave=wave v0={hex(nan)} v1=2.0 -> v4=0"
    for targets in ("gfx9", "gfx10"):
        for limit, result in [(0, 0x7C00), (1, 0x7BFF)]:
            code = f"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), {limit}; v_mul_f16_e32 v4, v0, v0; v_add_f16_e32 v5, v1, v0; v_mul_f16_e64 v6, -v0, v0; v_cvt_f16_f32_e32 v7, v2"
            yield f"{targets}: {code} | wave=wave v0=0x7800 v1=0x7c00 v2=1e6 -> v4={hex(result)} v5=0x7c00 v6={hex(result | 0x8000)} v7={hex(result)}"


def flow():
    """What is set to a constant is known behind a branch on whose both ways it is the same; reading gives what was set."""
    yield "gfx9 gfx10 gfx11 gfx12: s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5; s_getreg_b32 s4, hwreg(HW_REG_MODE, 0, 4); s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s5; s_getreg_b32 s6, hwreg(HW_REG_MODE, 0, 4) | wave=wave s5=2 -> s4=5 s6=6"
    # Put back from a register as it was at the begin: known to be so at run time.
    yield "gfx9: s_getreg_b32 s4, hwreg(HW_REG_MODE, 0, 4); s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5; v_add_f32_e32 v4, v0, v1; s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s4; v_add_f32_e32 v5, v0, v1 | wave=wave v0=1.0 v1=0x33800001 -> v4=0x3f800001 v5=0x3f800001"
    yield "gfx9: s_getreg_b32 s4, hwreg(HW_REG_MODE, 0, 4); s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5; v_add_f32_e32 v4, v0, v1; s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s4; v_add_f32_e32 v5, v0, v1 | wave=wave v0=1.0 v1=0x33000000 -> v4=0x3f800001 v5=0x3f800000"


def flushed(bits, width, flushes):
    """Zero with its sign in place of a subnormal number, if there are none."""
    precision, exponent, _ = FORMATS[width]
    tiny = bits >> precision - 1 & (1 << exponent) - 1 == 0
    return bits & 1 << width - 1 if flushes and tiny else bits


def near_subnormal(width):
    """Bits of a subnormal number, or of one of the least normal ones."""
    precision, exponent, _ = FORMATS[width]
    return R.getrandbits(1) << width - 1 | R.choice([0, 0, 1, 2]) << precision - 1 | R.choice([0, 1, (1 << precision - 1) - 1, R.getrandbits(precision - 1)])


def set_mode(targets, mode):
    """Sets rounding and subnormal numbers: eight bits, from a constant or from a register."""
    if R.random() < 0.5:
        return f"s_mov_b32 s5, {hex(mode)}; s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s5"
    return f"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), {hex(mode)}"


def one_direction():
    """Subnormal numbers as sources alone (1), as results alone (2), both, or none, in each direction of rounding."""
    for targets in ("gfx9", "gfx10", "gfx11", "gfx12"):
        halves = targets in ("gfx11", "gfx12")
        for width in (16, 32, 64):
            for there in range(4):
                sources, results = not there & 1, not there & 2
                for _ in range(4):
                    direction, other, elsewhere = R.randrange(4), R.randrange(4), R.randrange(4)
                    mode = (direction | other << 2 | there << 4 | elsewhere << 6) if width == 32 else (other | direction << 2 | elsewhere << 4 | there << 6)
                    a, b, c = [near_subnormal(width) for _ in range(3)]
                    x, y, z = [flushed(v, width, sources) for v in (a, b, c)]
                    big = (1 << FORMATS[width][1] - 1) - 1 << FORMATS[width][0] - 1
                    if R.random() < 0.5:
                        x = b = y = a = big | R.getrandbits(FORMATS[width][0] - 1)
                        b, y = near_subnormal(width), None
                        y = flushed(b, width, sources)
                    v = lambda bits: value(bits, width)
                    signs = [bits >> width - 1 for bits in (x, y, z)]
                    zero = signs[0] if signs[0] == signs[1] else int(direction == 2)
                    names = [("v4.l", "v0.l", "v2.l", "v6.l") if width == 16 and halves else tuple(operand(r, width) for r in (4, 0, 2, 6))][0]
                    registers = f"{given(0, a, width)} {given(2, b, width)} {given(6, c, width)}"
                    suffix = "" if width == 64 and targets == "gfx12" else "_e64"
                    end = lambda bits: given(4, flushed(bits, width, results), width)
                    yield f"{targets}: {set_mode(targets, mode)}; v_add_f{width}{suffix} {names[0]}, {names[1]}, {names[2]} | wave=wave {registers} -> {end(rounded(v(x) + v(y), width, direction, zero))}"
                    yield f"{targets}: {set_mode(targets, mode)}; v_mul_f{width}{suffix} {names[0]}, {names[1]}, {names[2]} | wave=wave {registers} -> {end(rounded(v(x) * v(y), width, direction, signs[0] ^ signs[1]))}"
                    exact = v(x) * v(y) + v(z)
                    if exact:
                        yield f"{targets}: {set_mode(targets, mode)}; v_fma_f{width} {names[0]}, {names[1]}, {names[2]}, {names[3]} | wave=wave {registers} -> {end(rounded(exact, width, direction))}"
                    if width == 32:
                        yield f"{targets}: {set_mode(targets, mode)}; v_cmp_lt_f32_e64 s[8:9], v0, v2 | wave=64 exec=1 {registers} -> s[8:9]={int(v(x) < v(y))}" if targets != "gfx12" else f"gfx12: {set_mode(targets, mode)}; v_cmp_lt_f32_e64 s8, v0, v2 | wave=32 exec=1 {registers} -> s8={int(v(x) < v(y))}"
        # Of conversions the source's precision counts for the source, the result's for the result.
        for single in range(4):
            for others in range(4):
                for _ in range(2):
                    direction = R.randrange(4)
                    mode = direction << 2 | single << 4 | others << 6
                    a = R.getrandbits(1) << 31 | (112 - R.randrange(0, 12)) << 23 | R.getrandbits(23)
                    half = rounded(value(a, 32), 16, direction, a >> 31)
                    names = ("v4.l", "v0.l") if halves else ("v4", "v0")
                    yield f"{targets}: {set_mode(targets, mode)}; v_cvt_f16_f32 {names[0]}, v0 | wave=wave v0={hex(a)} -> v4={hex(flushed(half, 16, not others & 2))}"
                    a = near_subnormal(16)
                    yield f"{targets}: {set_mode(targets, mode)}; v_cvt_f32_f16 v4, {names[1]} | wave=wave v0={hex(a)} -> v4={hex(rounded(value(flushed(a, 16, not others & 1), 16), 32, direction, a >> 15))}"


def unknown():
    """MODE from a register: what it says where the program runs counts, for each of its parts."""
    nan = 0x7FC00000
    for targets in ("gfx9", "gfx10", "gfx11"):
        for clamp, result in [(1, 0), (0, nan)]:
            yield f"{targets}: s_setreg_b32 hwreg(HW_REG_MODE, 8, 1), s5; v_add_f32_e64 v4, v0, v1 clamp; v_add_f32_e64 v5, v1, v1 clamp | wave=wave s5={clamp} v0={hex(nan)} v1=2.0 -> v4={hex(result)} v5=1.0"
        # Signalling NaNs count in IEEE mode, output scales do not.
        for ieee, result, scaled in [(1, 0x7FC00001, "2.0"), (0, 0x3F800000, "4.0")]:
            yield f"{targets}: s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0; s_setreg_b32 hwreg(HW_REG_MODE, 9, 1), s5; v_max_f32_e32 v4, v0, v1; v_mul_f32_e64 v5, v1, v2 mul:2 | wave=wave s5={ieee} v0=0x7f800001 v1=1.0 v2=2.0 -> v4={hex(result)} v5={scaled}"
    for targets in ("gfx9", "gfx10"):
        for limit, result in [(0, 0x7C00), (1, 0x7BFF)]:
            yield f"{targets}: s_setreg_b32 hwreg(HW_REG_MODE, 23, 1), s5; v_mul_f16_e32 v4, v0, v0 | wave=wave s5={limit} v0=0x7800 -> v4={hex(result)}"
    # Scalar arithmetic, too.
    for direction in range(4):
        for sign in (0, 1 << 31):
            a, b = 0x3F800000 | sign, 0x33000000 | sign
            yield f"gfx115 gfx12: s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s5; s_add_f32 s4, s6, s7 | wave=32 s5={direction} s6={hex(a)} s7={hex(b)} -> s4={hex(rounded(value(a, 32) + value(b, 32), 32, direction))}"


def main():
    text = ["# Arithmetic in other modes. Made by make_modes.py; expected values are Python's."]
    for part in (arithmetic, fused, conversions, subnormals, limits, flow, one_direction, unknown):
        for line in part():
            head = line.split(":", 1)[0]
            text.append(line.replace("wave=wave", "wave=64" if "gfx9" in head else f"wave={R.choice([32, 64])}" if head != "gfx12" else "wave=32"))
    with open(__file__.replace("make_modes.py", "modes.txt"), "w") as file:
        file.write("\n".join(text) + "\n")


main()
