"""cp.async: `forms.ptx` with every form, size and way to complete, and what it and `cp_async.ptx` must give, by numpy's copies
(PTX ISA 9.4, 9.7.10.28.3)."""

from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
rng = np.random.default_rng(5)

source = rng.integers(1, 256, 32 * 16 * 16, np.uint8)
np.save(HERE / "source.npy", source.view(np.uint32))

# Each case: 32 lanes copy 16 bytes of room each in pieces of `size`, with `filled` bytes or ignored where a lane's bit says so.
cases = []
for space in (".shared", ".shared::cta"):
    for size, cache in ((4, "ca"), (8, "ca"), (16, "ca"), (16, "cg")):
        for prefetch in ("", ".L2::64B", ".L2::128B", ".L2::256B"):
            cases.append((f"cp.async.{cache}{space}.global{prefetch}", size, None))
        for filled in {0, 1, 3, size // 2, size - 1, size}:
            cases.append((f"cp.async.{cache}{space}.global", size, filled))
        cases.append((f"cp.async.{cache}{space}.global.L2::cache_hint", size, "policy"))
        cases.append((f"cp.async.{cache}{space}.global", size, "ignore"))
        cases.append((f"cp.async.{cache}{space}.global", size, "not"))
        cases.append((f"cp.async.{cache}{space}.global", size, "lanes"))

body, results = [], []
for n, (opcode, size, extra) in enumerate(cases):
    shift = 16 * int(rng.integers(0, 200))
    body.append(f"    // {n}")
    body.append("    st.shared.v4.b32 [%slot], {%ones, %ones, %ones, %ones};")
    body.append("    bar.warp.sync 0xffffffff;")
    row = np.full((32, 16), 0xFF, np.uint8)
    for lane in range(32):
        from_ = shift + 16 * lane
        copied = source[from_ : from_ + size].copy()
        if isinstance(extra, int):
            copied[extra:] = 0
        if extra == "lanes":
            copied[min(lane % (size + 1), size) :] = 0
        if extra == "ignore" and lane % 3 == 0 or extra == "not" and lane % 3 != 0:
            copied[:] = 0
        row[lane, :size] = copied
    tail = {None: "", "policy": ", %policy", "ignore": ", %p", "not": ", !%p", "lanes": f", %part{size}"}.get(extra, f", {extra}")
    body.append(f"    {opcode} [%to], [%from+{shift}], {size}{tail};")
    complete = n % 5
    if complete == 0:
        body.append("    cp.async.wait_all;")
    elif complete == 1:
        body += ["    cp.async.commit_group;", "    cp.async.wait_group 0;"]
    elif complete == 2:
        body += ["    cp.async.commit_group;"] + ["    cp.async.commit_group;"] * 2 + ["    cp.async.wait_group 2;"]
    else:
        how = "" if complete == 3 else ".noinc"
        where = [".shared", ".shared::cta", ""][n % 3]
        bar = "%generic" if where == "" else "bar"
        # With .noinc the arrivals of the copies are those that the object expects; without it the threads arrive as well.
        body.append(f"    cp.async.mbarrier.arrive{how}{where}.b64 [{bar}];")
        if complete == 3:
            body.append("    mbarrier.arrive.shared.b64 %state, [bar];")
        body += [f"wait{n}:", "    mbarrier.try_wait.parity.shared.b64 %q, [bar], %parity;", f"    @!%q bra wait{n};"]
        body.append("    xor.b32 %parity, %parity, 1;")
    body.append("    ld.shared.v4.b32 {%a, %b, %c, %d}, [%slot];")
    body.append(f"    st.global.v4.b32 [%out+{512 * n}], {{%a, %b, %c, %d}};")
    body.append("    bar.warp.sync 0xffffffff;")
    results.append(row.reshape(-1))

text = """// Written by make.py: every form of cp.async, by a warp.
.version 8.0
.target sm_90
.address_size 64

.visible .entry forms(.param .u64 source, .param .u64 out)
{
    .reg .b64 %from, %out, %to, %generic, %state, %policy, %wide;
    .reg .b32 %slot, %lane, %a, %b, %c, %d, %ones, %parity, %part4, %part8, %part16;
    .reg .pred %p, %q;
    .shared .align 16 .b8 slots[512];
    .shared .align 8 .b64 bar;
    ld.param.u64 %from, [source];
    ld.param.u64 %out, [out];
    mov.u32 %lane, %tid.x;
    mad.wide.u32 %from, %lane, 16, %from;
    mad.wide.u32 %out, %lane, 16, %out;
    mov.u32 %slot, slots;
    mad.lo.u32 %slot, %lane, 16, %slot;
    cvt.u64.u32 %to, %slot;
    mov.u32 %a, bar;
    cvt.u64.u32 %generic, %a;
    cvta.shared.u64 %generic, %generic;
    mov.u32 %ones, 0xffffffff;
    mov.u32 %parity, 0;
    rem.u32 %part4, %lane, 5;
    rem.u32 %part8, %lane, 9;
    rem.u32 %part16, %lane, 17;
    rem.u32 %a, %lane, 3;
    setp.eq.u32 %p, %a, 0;
    createpolicy.fractional.L2::evict_first.b64 %policy, 1.0;
    setp.eq.u32 %q, %lane, 0;
    @%q mbarrier.init.shared.b64 [bar], 32;
    bar.sync 0;
""" + "\n".join(body) + "\n    ret;\n}\n"
(HERE / "forms.ptx").write_text(text)
np.save(HERE / "forms.npy", np.concatenate(results).view(np.uint32).reshape(len(cases), 128))

# pipeline: sums of tiles that are fetched three ahead: 2 blocks, 20 tiles of 64 words each.
tiles = rng.integers(0, 1 << 32, (2, 20, 64), np.uint32)
np.save(HERE / "tiles.npy", tiles)
factors = np.arange(1, 21, dtype=np.uint32)
np.save(HERE / "sums.npy", (tiles[:, :, ::-1] * factors[None, :, None]).sum(axis=1, dtype=np.uint32))

# groups: odd and even lanes commit and wait on their own.
np.save(HERE / "apart.npy", source.view(np.uint32)[:64].reshape(2, 32) + np.arange(32, dtype=np.uint32) % 2)
