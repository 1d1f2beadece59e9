"""Shuffles, votes, matches and reductions with all kinds of masks: writes warp.ptx, launch.toml and the arrays.

A case is a warp: the lanes of its mask execute the instruction, the others leave. Some lanes take a detour first, so that they arrive
apart. Expected values are computed lane by lane from PTX ISA 9.4, 9.7.10.6 and 9.7.15.10 to 9.7.15.15. What a lane gets from one that
does not take part is undefined; such results are set to a mark, by kernel and reference alike.
"""

import random
import struct
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
CASES = 24
LANES = range(32)
UNDEFINED = 0xDEADBEEF
dice = random.Random(11)


def masks():
    """Full, single lanes, halves, alternating, random; never empty."""
    fixed = [0xFFFFFFFF, 1, 1 << 31, 0xFFFF, 0xFFFF0000, 0x55555555, 0x80000001, 0x7FFFFFFF]
    return fixed + [dice.getrandbits(32) | 1 << dice.randrange(32) for _ in range(CASES - len(fixed))]


def lanes_of(mask):
    return [i for i in LANES if mask >> i & 1]


def source_lane(mode, lane, b, c):
    """The manual's formula; None outside the segment."""
    b, clamp, segment = b & 31, c & 31, c >> 8 & 31
    first = lane & segment
    limit = first | clamp & ~segment & 31
    j = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": first | b & ~segment & 31}[mode]
    return j if (j >= limit if mode == "up" else j <= limit) else None


def shuffle(mode):
    def reference(case):
        result, valid = [0] * 32, [0] * 32
        for i in lanes_of(case["mask"]):
            j = source_lane(mode, i, case["b"][i], case["c"][i])
            valid[i] = int(j is not None)
            taking = j is None or case["mask"] >> j & 1
            result[i] = case["a"][i if j is None else j] if taking else UNDEFINED
        return result, valid
    return reference


def everywhere(f):
    """The same result in every lane of the mask."""
    def reference(case):
        taking = lanes_of(case["mask"])
        first, second = f(case, taking)
        spread = lambda x: [x if i in taking else 0 for i in LANES]
        return spread(first), spread(second)
    return reference


def ballot(case, taking):
    return sum((case["a"][i] & 1) << i for i in taking), 0


def vote(case, taking):
    bits = [case["a"][i] & 1 for i in taking]
    return all(bits) | any(bits) << 1 | (len(set(bits)) == 1) << 2, 0


def match_any(width):
    def reference(case):
        taking, result = lanes_of(case["mask"]), [0] * 32
        for i in taking:
            result[i] = sum(1 << j for j in taking if case["few"][j] == case["few"][i])
        return result, [0] * 32
    return reference


def match_all(case, taking):
    same = len({case["few"][i] >> 1 if case["number"] % 2 else case["few"][i] for i in taking}) == 1
    return case["mask"] if same else 0, int(same)


def reduce(op, ty):
    def f(case, taking):
        values = [case["a"][i] for i in taking]
        if ty == "s32":
            values = [v - 2**32 if v >> 31 else v for v in values]
        if op in ("add", "min", "max"):
            return {"add": sum, "min": min, "max": max}[op](values) & 0xFFFFFFFF, 0
        total = values[0]
        for v in values[1:]:
            total = {"and": total & v, "or": total | v, "xor": total ^ v}[op]
        return total, 0
    return f


def reduce_float(op, absolute, nan):
    def f(case, taking):
        values = [case["floats"][i] for i in taking]
        is_nan = lambda v: v & 0x7FFFFFFF > 0x7F800000
        if nan and any(map(is_nan, values)) or all(map(is_nan, values)):
            return 0x7FFFFFFF, 0
        values = [v & 0x7FFFFFFF if absolute else v for v in values if not is_nan(v)]
        order = lambda v: -(v & 0x7FFFFFFF) - 1 if v >> 31 else v
        return (min if op == "min" else max)(values, key=order), 0
    return f


# Name: instruction with %x (first result), %p (predicate result), and the reference.
KERNELS = {
    **{f"shuffle_{m}": (f"shfl.sync.{m}.b32 %x|%p, %a, %b, %c, %mask;", shuffle(m)) for m in ("up", "down", "bfly", "idx")},
    "ballot": ("vote.sync.ballot.b32 %x, %odd, %mask;", everywhere(ballot)),
    "ballot_not": ("vote.ballot.sync.b32 %x, !%odd, %mask;", everywhere(lambda c, t: (c["mask"] & ~ballot(c, t)[0], 0))),
    "vote": (
        "vote.sync.all.pred %q, %odd, %mask; selp.b32 %x, 1, 0, %q; vote.sync.any.pred %q, %odd, %mask; @%q or.b32 %x, %x, 2;"
        " vote.sync.uni.pred %q, %odd, %mask; @%q or.b32 %x, %x, 4;",
        everywhere(vote),
    ),
    "match_any": ("match.any.sync.b32 %x, %few, %mask;", match_any(32)),
    "match_any_wide": ("mov.b64 %wide, {%mask, %few}; match.any.sync.b64 %x, %wide, %mask;", match_any(64)),
    "match_all": ("match.all.sync.b32 %x|%p, %fewer, %mask;", everywhere(match_all)),
    "match_all_wide": ("mov.b64 %wide, {%mask, %fewer}; match.all.sync.b64 %x|%p, %wide, %mask;", everywhere(match_all)),
    **{f"reduce_{o}_{t}": (f"redux.sync.{o}.{t} %x, %a, %mask;", everywhere(reduce(o, t))) for o in ("add", "min", "max") for t in ("u32", "s32")},
    **{f"reduce_{o}": (f"redux.sync.{o}.b32 %x, %a, %mask;", everywhere(reduce(o, "b32"))) for o in ("and", "or", "xor")},
    **{
        f"reduce_{o}{'_abs' if a else ''}{'_nan' if n else ''}": (
            f"redux.sync.{o}{'.abs' if a else ''}{'.NaN' if n else ''}.f32 %x, %float, %mask;", everywhere(reduce_float(o, a, n)),
        )
        for o in ("min", "max") for a in (0, 1) for n in (0, 1)
    },
    "elect": (
        "elect.sync %x|%p, %mask;",
        lambda case: everywhere(lambda c, t: (t[0], 0))(case)[:1] + ([int(i == lanes_of(case["mask"])[0]) for i in LANES],),
    ),
    "active": ("activemask.b32 %x; bar.warp.sync %mask;", everywhere(lambda c, t: (c["mask"], 0))),
}


def kernel(name, instruction):
    # Without a detour all lanes of the mask are together, which is what activemask tells.
    detour = "" if name == "active" else """
    and.b32 %t, %lane, 3;
    setp.ne.u32 %q, %t, 0;
    @%q bra TOGETHER;
    mul.lo.u32 %t, %lane, %lane;
    add.u32 %a, %a, %t;
    sub.u32 %a, %a, %t;
TOGETHER:"""
    undefined = "" if not name.startswith("shuffle") else f"""
    // The lane that a result comes from, by the same instruction on lane numbers; then whether it takes part.
    {instruction.replace("%x|%p", "%t").replace("%a,", "%lane,")}
    shl.b32 %t, 1, %t;
    and.b32 %t, %t, %mask;
    setp.eq.u32 %q, %t, 0;
    @%q mov.b32 %x, {UNDEFINED:#x};"""
    return f"""
.visible .entry {name}(.param .u64 input, .param .u64 result)
{{
    .reg .b64 %in, %out, %pout, %at, %wide;
    .reg .b32 %lane, %block, %t, %mask, %a, %b, %c, %few, %fewer, %float, %x;
    .reg .pred %p, %q, %odd;
    ld.param.u64 %in, [input];
    ld.param.u64 %out, [result];
    mov.u32 %lane, %laneid;
    mov.u32 %block, %ctaid.x;
    // Each case has 7 rows of 32.
    mul.lo.u32 %t, %block, 224;
    add.u32 %t, %t, %lane;
    mul.wide.u32 %at, %t, 4;
    add.u64 %in, %in, %at;
    mad.lo.u32 %t, %block, 32, %lane;
    mul.wide.u32 %at, %t, 4;
    add.u64 %out, %out, %at;
    // Predicate results stand behind the others.
    add.u64 %pout, %out, {CASES * 128};
    ld.global.b32 %mask, [%in];
    ld.global.b32 %a, [%in+128];
    ld.global.b32 %b, [%in+256];
    ld.global.b32 %c, [%in+384];
    ld.global.b32 %few, [%in+512];
    ld.global.b32 %fewer, [%in+640];
    ld.global.b32 %float, [%in+768];
    and.b32 %t, %a, 1;
    setp.ne.u32 %odd, %t, 0;
    setp.ne.u32 %p, 0, 0;
    shr.u32 %t, %mask, %lane;
    and.b32 %t, %t, 1;
    setp.eq.u32 %q, %t, 0;
    @%q ret;{detour}
    {instruction}{undefined}
    st.global.b32 [%out], %x;
    selp.b32 %t, 1, 0, %p;
    st.global.b32 [%pout], %t;
    ret;
}}
"""


def main():
    cases = []
    for number, mask in enumerate(masks()):
        segment = dice.choice([0, 0, 0x10, 0x18, 0x1C, 0x1E, 0x1F, dice.getrandbits(5)])
        word = lambda: dice.choice([dice.getrandbits(32), dice.getrandbits(3), 2**32 - 1 - dice.getrandbits(2)])
        specials = [0, 1 << 31, 0x7F800000, 0xFF800000, 0x7FC00001, 0xFFC12345, 1, 0x80000001, 0x3F800000, 0xBF800000]
        few = dice.choice([[5], [5, 4], [1, 2, 3]])
        cases.append({
            "number": number,
            "mask": mask,
            "a": [word() for _ in LANES],
            "b": [dice.choice([dice.randrange(32), dice.randrange(5), dice.getrandbits(32)]) for _ in LANES],
            "c": [segment << 8 | (dice.choice([0, 31, dice.randrange(32)])) | dice.getrandbits(3) << 13 for _ in LANES],
            "few": [dice.choice(few) for _ in LANES],
            "floats": [dice.choice(specials if number % 3 else specials[4:6]) if dice.random() < 0.7
                       else struct.unpack("<I", struct.pack("<f", dice.uniform(-9, 9)))[0] for _ in LANES],
        })
    rows = []
    for case in cases:
        fewer = [f >> 1 if case["number"] % 2 else f for f in case["few"]]
        rows += [[case["mask"]] * 32, case["a"], case["b"], case["c"], case["few"], fewer, case["floats"]]
    np.save(HERE / "input.npy", np.array(rows, np.uint32))
    toml = ['title = "Shuffles, votes, matches and reductions with partial masks"', 'module = ["warp.ptx"]', 'gpu = "sm_100a"', ""]
    toml += ["[[buffer]]", 'name = "input"', 'type = "u32"', 'file = "input.npy"', ""]
    launches = []
    for name, (_, reference) in KERNELS.items():
        results, predicates = zip(*(reference(case) for case in cases))
        np.save(HERE / f"{name}.npy", np.array([results, predicates], np.uint32))
        toml += ["[[buffer]]", f'name = "{name}"', 'type = "u32"', f"shape = [2, {CASES}, 32]", f'expect = "{name}.npy"', ""]
        launches += ["[[launch]]", f'kernel = "{name}"', f"grid = [{CASES}, 1, 1]", "block = [32, 1, 1]",
                     f'args = ["input", "{name}"]', ""]
    (HERE / "launch.toml").write_text("\n".join(toml + launches))
    head = "// Made by make.py.\n.version 9.4\n.target sm_100a\n.address_size 64\n"
    (HERE / "warp.ptx").write_text(head + "".join(kernel(name, instruction) for name, (instruction, _) in KERNELS.items()))


main()
