"""Which targets have an instruction, by the records of isa/amdgpu: what makers of test lines ask before they write one.

Only names, forms and targets are read here, and lines written; what instructions do is the makers' own business.
"""

import functools
import os
import re

ISA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../isa/amdgpu")


def text(file):
    with open(os.path.join(ISA, file)) as f:
        return [line.rstrip("\n") for line in f]


def groups():
    out, targets = {}, []
    for line in text("targets.isa"):
        words = line.split()
        if words and words[0] == "target" and "generic" not in words[1]:
            targets.append(words[1])
            out[words[1]] = {words[1]}
        elif words and words[0] == "target":
            out[words[1]] = set()
        elif words and words[0] in ("group", "feature"):
            out[words[1]] = resolve(words[2:], out, targets)
    out["all"] = set(targets)
    return out, targets


def resolve(words, known, targets):
    have = set()
    minus = [w for w in words if w.startswith("-")]
    plus = [w for w in words if not w.startswith("-")]
    for word in plus or ["all"]:
        have |= set(targets) if word == "all" else known[word]
    for word in minus:
        have -= known[word[1:]]
    return have


GROUPS, TARGETS = groups()


def targets(words):
    """The targets that some names of targets and groups mean."""
    return resolve(words.split(), GROUPS, TARGETS)


class Record:
    def __init__(self, name, lines):
        self.name, self.lines = name, lines
        self.forms = []
        self.runs = []
        for line in lines:
            key, rest = (line.split(None, 1) + [""])[:2]
            if key == "run":
                head, bar, _ = rest.partition(" | ")
                self.runs.append(targets(head) if bar else set(TARGETS))
            elif key in ENCODINGS:
                head, _, tail = rest.partition("|")
                for part in head.split(","):
                    names = [w for w in part.split() if not w.startswith("0x")]
                    self.forms.append((key, targets(" ".join(names)), tail.strip()))

    def has(self, *encodings):
        """The targets with a form in one of these encodings, or in any, for which there is a function."""
        out = set()
        for encoding, where, _ in self.forms:
            if not encodings or encoding in encodings:
                out |= where
        runs = set().union(*self.runs) if self.runs else set()
        return out & runs


ENCODINGS = {line.split()[1] for line in text("encodings.isa") if line.startswith("encoding ")}


@functools.cache
def records():
    out = {}
    for file in sorted(os.listdir(ISA)):
        if not file.endswith(".isa") or file in ("targets.isa", "encodings.isa", "words.isa", "registers.isa", "descriptor.isa", "groups.isa"):
            continue
        name, lines = None, []
        for line in [*text(file), "instr "]:
            if line.startswith("instr "):
                if name:
                    out.setdefault(name, []).append(Record(name, lines))
                name, lines = line[6:].strip(), []
            elif line.startswith("  "):
                lines.append(line.strip())
    return out


def has(name, *encodings):
    """The targets on which an instruction of this name is executable, in one of these encodings or in any."""
    out = set()
    for record in records().get(name, []):
        out |= record.has(*encodings)
    return out


# Groups that lines may name, the largest first.
NAMED = ["gfx9", "gfx10", "gfx11", "gfx12", "gfx940", "gfx90a+", "vega", "gfx101", "gfx103", "gfx110", "gfx115", "gfx120", "gfx125"]


def named(where):
    """A set of targets in as few words as these groups allow."""
    left, words = set(where), []
    for group in sorted(NAMED, key=lambda g: -len(GROUPS[g])):
        if GROUPS[group] and GROUPS[group] <= left:
            words.append(group)
            left -= GROUPS[group]
    return " ".join(words + sorted(left))


def split(where, *parts):
    """The parts of a set of targets that lie in each of some groups, those that are not empty."""
    for part in parts:
        both = where & targets(part)
        if both:
            yield part, both


def on(name, group="all", *encodings):
    """The targets of a group that have an instruction."""
    return has(name, *encodings) & targets(group)


def hexes(values):
    """Values of lanes; words such as `nan` stay as they are."""
    return ",".join(v if isinstance(v, str) else f"{v:#x}" for v in values)


def lanes_line(where, text, given, expected, exec_=None, word=""):
    """A test line on registers for lanes. With `exec_` only these lanes are written: the others keep what `given` has."""
    regs = " ".join(f"{r}={hexes(v) if isinstance(v, list) else f'{v:#x}'}" for r, v in given.items())
    if exec_ is not None:
        expected = {r: [v if exec_ >> i & 1 else given.get(r, [0] * 32)[i] for i, v in enumerate(vs)] for r, vs in expected.items()}
        regs = f"exec={exec_:#x} {regs}"
    if word:
        regs = f"{word} {regs}"
    return f"{named(where)}: {text} | {regs} -> " + " ".join(f"{r}={hexes(v)}" for r, v in expected.items())
