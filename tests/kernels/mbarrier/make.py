"""Memory barrier objects: `sequence.ptx`, random operations of one thread, and what they and `mbarrier.ptx` must give, by a model that is
written from PTX ISA 9.4, 9.7.15.16, and counts with Python's integers."""

from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
rng = np.random.default_rng(7)


def save(name, array):
    np.save(HERE / f"{name}.npy", np.ascontiguousarray(array))


class Model:
    """9.7.15.16.5 to 9.7.15.16.9: what is pending, what is expected, transactions, phases."""

    def __init__(self, count):
        self.expected = self.pending = count
        self.transactions = 0
        self.phase = 0

    def end_if_complete(self):
        if self.pending == 0 and self.transactions == 0:
            self.phase += 1
            self.pending = self.expected

    def arrive(self, count=1, drop=False):
        self.pending -= count
        if drop:
            self.expected -= count
        self.end_if_complete()

    def work(self, change):
        self.transactions += change
        self.end_if_complete()


def orders():
    return rng.choice(["", ".release.cta", ".release.cluster", ".relaxed.cta", ".relaxed.cluster"])


def acquires():
    return rng.choice(["", ".acquire.cta", ".acquire.cluster", ".relaxed.cta", ".relaxed.cluster"])


def space():
    return rng.choice([".shared", ".shared::cta", ""])


lines, expected = [], []
model = Model(40)
states = []  # register number, phase


def keep(register):
    lines.append(f"    st.global.u32 [%out+{4 * len(expected)}], {register};")


def emit(text):
    lines.append("    " + text)


def address(where):
    return "%generic" if where == "" else rng.choice(["%bar", "bar"])


for step in range(400):
    kind = rng.integers(0, 10)
    where = space()
    at = address(where)
    if kind in (0, 1, 2) and model.pending:
        count = int(rng.integers(1, max(2, min(model.pending, 12))))
        count = min(count, model.pending)
        drop = kind == 2 and model.expected - count >= 20 and model.pending >= count
        noncompleting = model.pending > count and rng.random() < 0.3
        name = "mbarrier.arrive_drop" if drop else "mbarrier.arrive"
        emit(f"mov.u32 %c, {count};")
        if noncompleting:
            emit(f"{name}.noComplete{rng.choice(['', '.release.cta'])}{where}.b64 %s{len(states)}, [{at}], {rng.choice(['%c', str(count)])};")
        else:
            with_count = "" if count == 1 and rng.random() < 0.5 else f", {rng.choice(['%c', str(count)])}"
            emit(f"{name}{orders()}{where}.b64 %s{len(states)}, [{at}]{with_count};")
        emit(f"mbarrier.pending_count.b64 %r, %s{len(states)};")
        keep("%r")
        expected.append(model.pending)
        states.append(model.phase)
        model.arrive(count, drop)
    elif kind in (3, 4):
        bytes_ = int(rng.integers(1, 5000))
        emit(f"mov.u32 %c, {bytes_};")
        emit(f"mbarrier.expect_tx{rng.choice(['', '.relaxed.cta', '.relaxed.cluster'])}{where}.b64 [{at}], {rng.choice(['%c', str(bytes_)])};")
        model.work(bytes_)
    elif kind == 5 and model.pending > 1:
        bytes_ = int(rng.integers(1, 5000))
        drop = model.expected > 30 and rng.random() < 0.3
        name = "mbarrier.arrive_drop" if drop else "mbarrier.arrive"
        emit(f"{name}.expect_tx{orders()}{where}.b64 %s{len(states)}, [{at}], {bytes_};")
        emit(f"mbarrier.pending_count.b64 %r, %s{len(states)};")
        keep("%r")
        expected.append(model.pending)
        states.append(model.phase)
        model.transactions += bytes_
        model.arrive(1, drop)
    elif kind in (6, 7) and model.transactions:
        # Now and then more than is expected so far: the count is then below zero.
        bytes_ = model.transactions if rng.random() < 0.6 else int(rng.integers(1, 6000))
        if bytes_ > 0:
            emit(f"mbarrier.complete_tx{rng.choice(['', '.relaxed.cta', '.relaxed.cluster'])}{where}.b64 [{at}], {bytes_};")
            model.work(-bytes_)
        else:
            emit(f"mbarrier.expect_tx{where}.b64 [{at}], {-bytes_};")
            model.work(-bytes_)
    if model.pending == 0 and rng.random() < 0.7 and model.transactions != 0:
        bytes_ = abs(model.transactions)
        if model.transactions > 0:
            emit(f"mbarrier.complete_tx.shared.b64 [bar], {bytes_};")
            model.work(-bytes_)
        else:
            emit(f"mbarrier.expect_tx.shared.b64 [bar], {bytes_};")
            model.work(bytes_)
    elif kind in (8, 9):
        where = space()
        at = address(where)
        recent = [i for i, phase in enumerate(states) if phase >= model.phase - 1][-6:]
        wait = rng.choice(["test_wait", "test_wait"])
        if recent and rng.random() < 0.6:
            which = int(rng.choice(recent))
            emit(f"mbarrier.{wait}{acquires()}{where}.b64 %p, [{at}], %s{which};")
            done = states[which] < model.phase
        else:
            parity = int(rng.integers(0, 2))
            emit(f"mov.u32 %c, {parity};")
            emit(f"mbarrier.{wait}.parity{acquires()}{where}.b64 %p, [{at}], {rng.choice(['%c', str(parity)])};")
            done = (model.phase & 1) != parity
        emit("selp.u32 %r, 1, 0, %p;")
        keep("%r")
        expected.append(int(done))

text = f"""// Written by make.py: random operations on a memory barrier object, of one thread.
.version 8.6
.target sm_90
.address_size 64

.visible .entry sequence(.param .u64 out)
{{
    .reg .b64 %out, %generic, %s<{len(states) + 1}>;
    .reg .b32 %bar, %r, %c;
    .reg .pred %p;
    .shared .align 8 .b64 bar;
    ld.param.u64 %out, [out];
    mov.u32 %bar, bar;
    cvt.u64.u32 %generic, %bar;
    cvta.shared.u64 %generic, %generic;
    mbarrier.init.shared.b64 [bar], 40;
""" + "\n".join(lines) + "\n    mbarrier.inval.shared.b64 [bar];\n    ret;\n}\n"
(HERE / "sequence.ptx").write_text(text)
save("sequence", np.array(expected, np.uint32))

# ring: what passes through four slots, 12 rounds of 32 values, each taken by three warps.
given = rng.integers(0, 1 << 32, (12, 32), np.uint32)
save("given", given)
weights = np.array([pow(5, r, 1 << 32) for r in range(12)], np.uint64)
taken = (given.astype(np.uint64) * weights[:, None]).sum(axis=0).astype(np.uint32)
save("taken", np.stack([taken + np.uint32(warp) for warp in range(3)]))

# remote: block r of a cluster of 4 hands its values to block r + 1 three times over.
start = rng.integers(0, 1 << 32, (4, 32), np.uint32)
save("start", start)
passed = start
for _ in range(3):
    passed = np.roll(passed, 1, axis=0) * np.uint32(3)
save("passed", passed)

# limits: nobody arrives in time, then somebody does; again; an object in memory that was another's.
save("limits", np.array([0, 0, 1, 0, 1, 1, 0, 1, 0x1234], np.uint32))
