#!/usr/bin/env python3
"""Makes the code objects of this folder from its own sources with LLVM 22, and writes down what LLVM's tools say of them.

  NAME.co NAME.o      code objects, bundles NAME.bundle
  NAME.facts          what llvm-readelf and llvm-objdump read in them
  descriptors.txt     directives of .amdhsa_kernel, drawn at random, with llvm-mc's 64 bytes or `refused`
  metadata.txt        texts of .amdgpu_metadata with llvm-mc's bytes or `refused`
"""
import json, os, random, re, struct, subprocess, sys, tempfile, zlib

os.chdir(os.path.dirname(os.path.abspath(__file__)))
TRIPLE = "amdgcn-amd-amdhsa"


def run(*command, text=None):
    return subprocess.run(command, input=text, text=True, capture_output=True)


def must(*command):
    done = run(*command)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


COMPILED = [("gfx906", 4), ("gfx90a", 5), ("gfx942", 6), ("gfx1030", 4), ("gfx1100", 5), ("gfx1201", 6), ("gfx1250", 6), ("gfx9-4-generic", 6)]


def compile_all():
    for target, version in COMPILED:
        must("clang-22", "-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header", "-target", TRIPLE, f"-mcpu={target}",
             f"-mcode-object-version={version}", "-nogpulib", "-O2", "-w", "kernels.cl", "-o", f"{target}-v{version}.co")
    for name, target in [("linked", "gfx942"), ("reloc", "gfx906"), ("small", "gfx1100"), ("order", "gfx90a"), ("order-gfx1030", "gfx1030")]:
        must("llvm-mc-22", f"-triple={TRIPLE}", f"-mcpu={target}", "-filetype=obj", f"{name}.s", "-o", f"{name}.o")
    for target in ("gfx942", "gfx1100"):
        must("clang-22", "-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header", "-target", TRIPLE, f"-mcpu={target}", "-nogpulib",
             "-O1", "-w", "-fno-verbose-asm", "-fno-ident", "-S", "varied.cl", "-o", f"varied-{target}.s")
        must("llvm-mc-22", f"-triple={TRIPLE}", f"-mcpu={target}", "-filetype=obj", f"varied-{target}.s", "-o", f"varied-{target}.o")
    must("ld.lld-22", "-shared", "--no-undefined", "linked.o", "-o", "linked.co")
    for name in os.listdir("."):
        if name.endswith(".co"):
            os.chmod(name, 0o644)


def bundle_all():
    ids = ["host-x86_64-unknown-linux--", f"hipv4-{TRIPLE}--gfx1030", f"hipv4-{TRIPLE}--gfx942"]
    inputs = ["-input=/dev/null", "-input=gfx1030-v4.co", "-input=gfx942-v6.co"]
    bundle = ["clang-offload-bundler-22", "-type=o", "-targets=" + ",".join(ids), *inputs]
    must(*bundle, "-output=plain.bundle")
    for version in ("2", "3"):
        os.environ["COMPRESSED_BUNDLE_FORMAT_VERSION"] = version
        must(*bundle, "-compress", f"-output=zstd{version}.bundle")
    plain = open("plain.bundle", "rb").read()
    # No bundler writes version 1 any more, and this one no zlib.
    open("zlib1.bundle", "wb").write(b"CCOB" + struct.pack("<HHIQ", 1, 0, len(plain), 0) + zlib.compress(plain, 9))


def only(value):
    return value["Value"] if isinstance(value, dict) and "Value" in value else value


def facts(name, out):
    data = json.loads(must("llvm-readelf-22", "--elf-output-style=JSON", "-hSlsr", "--expand-relocs", name))[0]
    header = data["ElfHeader"]
    kind, = re.findall(r"0x(\d)", str(header["Type"]))
    lines = [f"header {kind} {header['Ident']['ABIVersion']} {only(header['Flags'])}"]
    for section in (s["Section"] for s in data["Sections"]):
        words = [section["Name"]["Name"] or "-", section["Type"]["Value"], section["Flags"]["Value"], section["Address"], section["Offset"],
                 section["Size"], section["AddressAlignment"], section["EntrySize"], section["Link"], section["Info"]]
        lines.append("section " + " ".join(map(str, words)))
    for segment in (s["ProgramHeader"] for s in data["ProgramHeaders"]):
        words = [only(segment["Type"]), only(segment["Flags"]), segment["Offset"], segment["VirtualAddress"], segment["FileSize"], segment["MemSize"],
                 segment["Alignment"]]
        lines.append("segment " + " ".join(map(str, words)))
    for symbol in (s["Symbol"] for s in data["Symbols"]):
        section = only(symbol["Section"])
        words = [symbol["Name"]["Name"] or "-", symbol["Value"], symbol["Size"], only(symbol["Binding"]), only(symbol["Type"]), only(symbol["Other"]), section]
        lines.append("symbol " + " ".join(map(str, words)))
    for group in data["Relocations"]:
        for relocation in (r["Relocation"] for r in group["Relocs"]):
            words = [relocation["Offset"], only(relocation["Type"]), only(relocation["Symbol"]), relocation.get("Addend", 0)]
            lines.append("relocation " + " ".join(map(str, words)))
    for section in (".text", ".rodata", ".data", ".got"):
        dump = run("llvm-readelf-22", "-x", section, name).stdout
        bytes_ = "".join("".join(l[11:46].split()) for l in dump.splitlines() if l.startswith("0x"))
        if bytes_:
            lines.append(f"bytes {section} {bytes_}")
    text = run("llvm-objdump-22", "-D", "-j", ".rodata", name).stdout
    for kernel, body in re.findall(r"\.amdhsa_kernel (\S+)\n(.*?)\.end_amdhsa_kernel", text, re.S):
        lines += [f"directive {kernel} {line.strip()}" for line in body.splitlines() if line.strip().startswith(".amdhsa_")]
    notes = must("llvm-readelf-22", "--notes", name)
    start = notes.find("        ---\n")
    if start >= 0:
        lines.append("metadata")
        lines += notes[start + len("        ---\n"):notes.rindex("...\n")].rstrip().splitlines()
    open(out, "w").write("\n".join(lines) + "\n")


def section_of_kind(data, kind, size=None, name=None):
    offset, = struct.unpack_from("<Q", data, 40)
    count, = struct.unpack_from("<H", data, 60)
    for index in range(count):
        _, its_kind, _, _, at, length = struct.unpack_from("<IIQQQQ", data, offset + 64 * index)
        if its_kind == kind and (size is None or length == size):
            return data[at:at + length]


def assemble(target, text, *options):
    with tempfile.TemporaryDirectory() as folder:
        out = folder + "/out.o"
        done = run("llvm-mc-22", f"-triple={TRIPLE}", f"-mcpu={target}", "-filetype=obj", "-o", out, *options, text=text)
        return None if done.returncode else open(out, "rb").read()


TARGETS = ("gfx900 gfx906 gfx908 gfx90a gfx90c gfx942 gfx950 gfx1010 gfx1013 gfx1030 gfx1036 gfx1100 gfx1103 gfx1151 gfx1200 gfx1201 gfx1250 gfx1251 "
           "gfx9-generic gfx9-4-generic gfx10-1-generic gfx10-3-generic gfx11-generic gfx12-generic").split()
UNIFIED = ("gfx90a", "gfx942", "gfx950", "gfx9-4-generic")


def draw(target, directives):
    odd = random.random() < 0.4
    pick = random.choice
    lines = {".amdhsa_next_free_vgpr": pick([0, 1, 5, 24, 96, 128, 129, 255, 256] + odd * [257, 512, 513, 1024, 1025]),
             ".amdhsa_next_free_sgpr": pick([0, 1, 7, 8, 31, 33, 96, 97, 102] + odd * [103, 104, 106, 112])}
    if target in UNIFIED:
        lines[".amdhsa_accum_offset"] = pick([4, 4, 4, 8] + odd * [0, 3, 5, 12, 256, 260])
    if odd and random.random() < 0.2:
        del lines[pick(list(lines))]
    for directive in random.sample(directives, random.randint(1, 5)):
        large = [1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 33, 63, 64, 255, 256, 511, 512, -1, 70000]
        lines.setdefault(directive, pick(large) if odd and random.random() < 0.4 else pick([0, 1]))
    return lines


def descriptors():
    random.seed(22)
    table = open("../../isa/amdgpu/descriptor.isa").read()
    directives = re.findall(r"^directive (\S+)", table, re.M)
    out = ["# TARGET LANES LINE... = BYTES: `LANES` is what -mattr=+wavefrontsize64 says, - without it. Made by make.py with llvm-mc 22."]
    for target in TARGETS:
        for _ in range(12):
            lines = draw(target, directives)
            wave = random.choice(["-", "-", "64"]) if re.match("gfx1", target) and "gfx125" not in target else "-"
            setting = random.choice(["", ":xnack+", ":xnack-"]) if re.match("gfx9|gfx101|gfx10-1", target) else ""
            options = ([setting[-1] + "xnack"] if setting else []) + (["+wavefrontsize64"] if wave == "64" else [])
            text = '.section .rodata,"a"\n.amdhsa_kernel k\n' + "".join(f"{n} {v}\n" for n, v in lines.items()) + ".end_amdhsa_kernel\n"
            data = assemble(target, text, "-mattr=" + ",".join(options))
            bytes_ = section_of_kind(data, 1, 64).hex() if data else "refused"
            words = " ".join(f"{n.removeprefix('.amdhsa_')}={v}" for n, v in lines.items())
            out.append(f"{target}{setting} {wave} {words} = {bytes_}")
    open("descriptors.txt", "w").write("\n".join(out) + "\n")


KERNEL = """amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: NAME
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 40
    .vgpr_count: 17
    .max_flat_workgroup_size: 1024
"""
EMPTY = "amdhsa.version: [1, 2]\namdhsa.kernels: []\n"
NAMES = ["k", "'quoted'", '"a\\tb\\u00e9"', "12", "'12'", "!str 12", "true", "yes", "~", "null", "''", "1.5", "1e3", "nan", "inf", "0x", "08",
         "k # comment", "a b c", "'it''s'", "-", "a:b", "\u00e4"]
MORE = ["    .zzz: 0x10\n    .aaa: -5\n    .b: -100\n    .c: -40000\n    .d: -3000000000\n    .e: 3000000000\n    .f: 10000000000\n    .g: 1.5\n"
        "    .h: 1e300\n    .i: 1e-300\n    .j: false\n    .k: 0b101\n    .l: 017\n    .m: 0o17\n    .n: [1,2,[3,{x: 1}]]\n    .o: {}\n    .p: []\n",
        "    5: a\n    -3: b\n    true: c\n    1.5: d\n    z: e\n", "    .name: again\n", "    .args: []\n", "    .args:\n", "    .args: {}\n",
        "    .args:\n      - .size: 8\n        .offset: 0\n        .value_kind: by_value\n",
        "    .args:\n      - .size: '8'\n        .offset: !str 16\n        .value_kind: by_value\n",
        "    .args:\n      - .size: 8\n        .offset: 0\n        .value_kind: by_valu\n",
        "    .args:\n      - .size: 8\n        .value_kind: by_value\n",
        "    .args:\n    - .size: 8\n      .offset: 0\n      .value_kind: global_buffer\n      .is_const: true\n      .address_space: global\n",
        "    .args:\n      - .size: 8\n        .offset: 0\n        .value_kind: by_value\n        .is_const: 1\n",
        "    .args:\n      - .size: 8\n        .offset: 0\n        .value_kind: by_value\n        .is_const: !str true\n",
        "    .language: OpenCL C\n    .language_version: [2, 0]\n", "    .language: C\n", "    .language_version: [2]\n",
        "    .reqd_workgroup_size:\n      - 1\n      - 2\n      - 3\n", "    .uses_dynamic_stack: 1\n", "    .uses_dynamic_stack: True\n"]
WHOLE = ["", "---\n...\n", "- a\n", "x\n", "amdhsa.version: [1, 2]\n", "amdhsa.kernels: []\n", EMPTY, "---\n" + EMPTY + "...\n", EMPTY + "---\n" + EMPTY,
         "amdhsa.version:\n  - 1\n  - 0\namdhsa.printf:\n  - '1:1:4:%d\\n'\n  - \"2:1:8:%s\\72\\n\"\namdhsa.kernels: []\n",
         "amdhsa.version: [1, 2]\namdhsa.printf: [5]\namdhsa.kernels: []\n", "amdhsa.version: [1, 2, 3]\namdhsa.kernels: []\n",
         "amdhsa.version: 1\namdhsa.kernels: []\n", "amdhsa.version: &a [1, 2]\namdhsa.kernels: []\n", "amdhsa.version: [1, 2]\namdhsa.kernels: *a\n",
         "amdhsa.version: [1, 2\namdhsa.kernels: []\n", "amdhsa.version: [1, 2]\n amdhsa.kernels: []\n", "{amdhsa.version: [1, 2], amdhsa.kernels: []}\n",
         EMPTY + "big: |\n  line one\n  line two\nfold: >\n  a\n  b\n\n  c\n", EMPTY + "long: " + "a" * 300 + "\n", EMPTY + "? complex\n: v\n",
         EMPTY + "empty:\n", EMPTY + "t: !bool true\nf: !float 3\ni: !int 7\nq: !foo x\n",
         EMPTY + "hex: 0x1.8p3\nn: -0\nm: +5\nl: 99999999999999999999\no: -9223372036854775808\np: -9223372036854775809\nr: 18446744073709551615\n"
         "q: 1_000\ns: .5\nt: 5.\nu: 1e\nv: -.inf\nw: infinity\nx: NaN\ny: 0x1p3\n",
         EMPTY + "list:\n- 1\n- - 2\n  - 3\n- a: b\n  c: d\n", EMPTY + "plain: multi\n  line text\n", EMPTY + "\ttab: 1\n"]


def metadata():
    texts = [KERNEL.replace("NAME", name) for name in NAMES] + [KERNEL.replace("NAME", "k") + more for more in MORE] + WHOLE
    texts += [KERNEL.replace("NAME", "k").replace("64", "sixty"), KERNEL.replace("NAME", "k").replace("    .sgpr_count: 40\n", "")]
    out = []
    for text in texts:
        data = assemble("gfx942", f".amdgpu_metadata\n{text}\n.end_amdgpu_metadata\n")
        note = section_of_kind(data, 7) if data else None
        verdict = note[20:20 + struct.unpack_from("<I", note, 4)[0]].hex() if note else "refused"
        out.append(f"{text}==> {verdict}\n")
    open("metadata.txt", "w").write("".join(out))


compile_all()
bundle_all()
for name in sorted(os.listdir(".")):
    if name.endswith((".co", ".o")):
        facts(name, os.path.splitext(name)[0] + (".o.facts" if name.endswith(".o") else ".facts"))
descriptors()
metadata()
