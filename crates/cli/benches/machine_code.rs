//! How fast machine code becomes text and text machine code, side by side with llvm-objdump and llvm-mc where those are found
//! (`LLVM_OBJDUMP` and `LLVM_MC` name them; otherwise they are looked for under their names with and without `-22`).
//!
//! The code is what the code objects below the folder `LOCKSTEP_AMD_OBJECTS` hold in `.text`, of the target that most of them are for, at most 8 MB;
//! without the variable, the instructions of `tests/verdicts/amdgpu/lines/gfx942.txt` over and over. Prints
//!
//! - rates within the process, the best of several runs in the core's own time: decoding alone; decoding and the text; a listing with
//!   addresses and words, as llvm-objdump writes it; the same where each text is assembled again and compared, as `lockstep disasm` does; assembling the
//!   text of 20,000 instructions to a relocatable file, those that follow one another in the code and others of which no two are the same;
//! - the best of several whole processes, `lockstep disasm` and `lockstep asm` against LLVM's on the same file, in turn: the whole code as one object
//!   file, its text thrown away and to a file, and both lots of 20,000 lines. Where Linux tells, it is the core's own time, in the program and for it.
//!
//!     LOCKSTEP_AMD_OBJECTS=FOLDER cargo bench -p cli --bench machine_code

#[path = "../../ptx/benches/support/mod.rs"]
#[allow(dead_code)]
mod clock;

use amdgpu::assembler;
use amdgpu::codec::Codec;
use amdgpu::disasm::{Again, Instructions, Recall, comment};
use amdgpu::object::write::Builder;
use amdgpu::object::{CodeObject, TargetId, Version};
use std::collections::{BTreeMap, HashSet};
use std::hint::black_box;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const RUNS: usize = 10;
const PROCESSES: usize = 7;
const LINES: usize = 20_000;
const BYTES: usize = 8_000_000;
/// Bytes of text that are written at once.
const PART: usize = 1 << 16;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let (target, code) = match std::env::var_os("LOCKSTEP_AMD_OBJECTS") {
        Some(folder) => code_of_objects(Path::new(&folder))?,
        None => ("gfx942".to_owned(), code_of_verdicts()?),
    };
    let codec = Codec::of(&target, None)?;
    let lines = [false, true].map(|once| lines_of(&codec, &code, once));
    in_process(&target, &codec, &code, &lines)?;
    whole_processes(&target, &code, &lines)
}

/// What the two lots of lines are.
const LOTS: [&str; 2] = ["lines as they follow one another", "lines of which no two are the same"];

/// Rates within this process.
fn in_process(target: &str, codec: &Codec, code: &[u8], lots: &[String; 2]) -> Result<(), Failure> {
    let instructions = Instructions::new(codec, code).count();
    let size = code.len() as f64 / 1e6;
    println!("{size:.1} MB of code, {instructions} instructions, best of {RUNS}:");
    let rate = |what: &str, run: &dyn Fn()| {
        let seconds = clock::best(RUNS, run);
        println!("{what}: {:.1} MB/s, {:.1} million instructions/s", size / seconds, instructions as f64 / 1e6 / seconds);
    };
    let sink = |text: &str| {
        black_box(text);
    };
    rate("decode", &|| {
        black_box(Instructions::new(codec, code).filter(|i| i.what.is_ok()).count());
    });
    rate("decode and print", &|| text_of(codec, code, sink));
    rate("listing with addresses and words", &|| listing(codec, code, false, sink));
    rate("listing, each text assembled again", &|| listing(codec, code, true, sink));
    let identifier = TargetId::of(target)?;
    for (text, what) in lots.iter().zip(LOTS) {
        let lines = text.lines().count();
        let seconds = clock::best(RUNS, || drop(black_box(assemble(text, codec, identifier))));
        let rate = lines as f64 / 1e6 / seconds;
        println!("assemble {lines} {what} to a file: {:.2} ms, {rate:.2} million lines/s", seconds * 1e3);
    }
    Ok(())
}

/// `lockstep`'s processes and LLVM's in turn.
fn whole_processes(target: &str, code: &[u8], lots: &[String; 2]) -> Result<(), Failure> {
    let folder = std::env::temp_dir().join(format!("lockstep-machine-code-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = |name: &str| folder.join(name).display().to_string();
    let (object, source, out) = (file("code.o"), file("lines.s"), file("out"));
    std::fs::write(&object, object_of(target, code)?)?;
    let machine = format!("--mcpu={target}");
    let disassembling: [Vec<&str>; 2] = [vec!["disasm", &object], vec!["-d", &machine, &object]];
    let instructions = Instructions::new(&Codec::of(target, None)?, code).count();
    let rate = |seconds: f64| {
        let (bytes, instructions) = (code.len() as f64 / 1e6 / seconds, instructions as f64 / 1e6 / seconds);
        format!("{bytes:.1} MB/s, {instructions:.2} million instructions/s")
    };
    compare("disassemble the code as one file", "llvm-objdump", &disassembling, None, &rate)?;
    compare("the same, the text to a file", "llvm-objdump", &disassembling, Some(&out), &rate)?;
    let triple = "--triple=amdgcn-amd-amdhsa";
    let assembling: [Vec<&str>; 2] =
        [vec!["asm", "--target", target, &source, "-o", &out], vec![triple, &machine, "--filetype=obj", "-o", &out, &source]];
    for (text, what) in lots.iter().zip(LOTS) {
        std::fs::write(&source, text)?;
        let lines = text.lines().count();
        let rate = |seconds: f64| format!("{:.2} million instructions/s", lines as f64 / 1e6 / seconds);
        compare(&format!("assemble {lines} {what}"), "llvm-mc", &assembling, None, &rate)?;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// The best time of `lockstep` and that of a tool of LLVM's, whose standard output goes to a file or nowhere.
fn compare(
    what: &str,
    name: &str,
    arguments: &[Vec<&str>; 2],
    out: Option<&str>,
    rate: &dyn Fn(f64) -> String,
) -> Result<(), Failure> {
    let (own, theirs) = (env!("CARGO_BIN_EXE_lockstep"), tool(name));
    let [mut ours, mut others] = [f64::INFINITY; 2];
    for _ in 0..PROCESSES {
        ours = ours.min(seconds(own, &arguments[0], out)?);
        if let Some(theirs) = &theirs {
            others = others.min(seconds(theirs, &arguments[1], out)?);
        }
    }
    println!("{what}, whole process, best of {PROCESSES}:");
    println!("  lockstep: {:.1} ms, {}", ours * 1e3, rate(ours));
    match theirs {
        Some(theirs) => println!("  {theirs}: {:.1} ms, {}; {:.1} times as long", others * 1e3, rate(others), others / ours),
        None => println!("  there is no {name} to compare with"),
    }
    Ok(())
}

/// A tool of LLVM's that answers.
fn tool(name: &str) -> Option<String> {
    let variable = std::env::var(name.to_uppercase().replace('-', "_")).ok();
    let names = variable.into_iter().chain([format!("{name}-22"), name.to_owned()]);
    let answers = |name: &String| {
        Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
    };
    names.into_iter().find(answers)
}

fn seconds(program: &str, arguments: &[&str], out: Option<&str>) -> Result<f64, Failure> {
    let sink = out.map_or(Ok(Stdio::null()), |out| std::fs::File::create(out).map(Stdio::from))?;
    let start = Instant::now();
    let mut child = Command::new(program).args(arguments).stdout(sink).stderr(Stdio::piped()).spawn()?;
    let mut messages = String::new();
    child.stderr.take().map_or(Ok(0), |mut errors| errors.read_to_string(&mut messages))?;
    // It has closed everything: it is over, and known until it is waited for.
    let spent = core_seconds(child.id());
    let status = child.wait()?;
    if !status.success() {
        return Err(format!("{program} {arguments:?}: {status}\n{messages}").into());
    }
    Ok(spent.unwrap_or(start.elapsed().as_secs_f64()))
}

/// What a process has taken of a core, for itself and in the system.
fn core_seconds(process: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/schedstat")).ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

fn assemble(text: &str, codec: &Codec, target: TargetId) -> Result<Vec<u8>, Failure> {
    let assembly = assembler::assemble(text, codec, &target, None);
    if !assembly.is_right() {
        return Err(format!("{:?}", assembly.diagnostics).into());
    }
    let builder = assembler::object(&assembly, target, None).map_err(|problems| format!("{problems:?}"))?;
    Ok(builder.relocatable()?)
}

/// The instructions with addresses and words, in parts.
fn listing(codec: &Codec, code: &[u8], checked: bool, mut part: impl FnMut(&str)) {
    let (mut out, mut recall) = (String::new(), Recall::new(codec));
    for item in Instructions::new(codec, code) {
        let start = out.len();
        out.push('\t');
        match &item.what {
            Ok(decoded) => {
                if !checked {
                    recall.print(decoded, &mut out);
                } else if recall.print_and_judge(decoded, &mut out) != Again::Same {
                    out.push_str(" (other bits)");
                }
            }
            Err(_) => out.push_str(".long"),
        }
        comment(item.offset as u64, item.bytes(code), start, &mut out);
        out.push('\n');
        if out.len() > PART {
            part(&out);
            out.clear();
        }
    }
    part(&out);
}

/// The text of the first instructions that an assembler writes so; of the same only the first, if wanted.
fn lines_of(codec: &Codec, code: &[u8], once: bool) -> String {
    let (mut out, mut count, mut seen) = (String::new(), 0, HashSet::new());
    for decoded in Instructions::new(codec, code).filter_map(|item| item.what.ok()) {
        let start = out.len();
        codec.print(&decoded, &mut out);
        let is_new = !once || seen.insert(out[start..].to_owned());
        if is_new && codec.canonical(&decoded, &out[start..]) {
            out.push('\n');
            count += 1;
        } else {
            out.truncate(start);
        }
        if count == LINES {
            break;
        }
    }
    out
}

/// The text of all instructions, in parts.
fn text_of(codec: &Codec, code: &[u8], mut part: impl FnMut(&str)) {
    let mut out = String::new();
    for decoded in Instructions::new(codec, code).filter_map(|item| item.what.ok()) {
        codec.print(&decoded, &mut out);
        out.push('\n');
        if out.len() > PART {
            part(&out);
            out.clear();
        }
    }
    part(&out);
}

/// The code as an object file.
fn object_of(target: &str, code: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut builder = Builder::new(TargetId::of(target)?, Version::V5);
    let text = builder.section(".text");
    builder.sections[text].data = code.to_vec();
    Ok(builder.relocatable()?)
}

/// The code of the target that most objects are for.
fn code_of_objects(folder: &Path) -> Result<(String, Vec<u8>), Failure> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    let mut by_target: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for file in files {
        let data = std::fs::read(file)?;
        let Ok(object) = CodeObject::read(&data) else { continue };
        let (Some(target), Some(section)) = (object.target, object.section(".text")) else { continue };
        let code = by_target.entry(target.object.name.to_owned()).or_default();
        if code.len() < BYTES {
            code.extend_from_slice(section.data);
        }
    }
    let most = by_target.into_iter().max_by_key(|(_, code)| code.len());
    most.ok_or_else(|| format!("no code objects below {}", folder.display()).into())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}

/// The instructions of the verdicts, over and over.
fn code_of_verdicts() -> Result<Vec<u8>, Failure> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/verdicts/amdgpu/lines/gfx942.txt");
    let text = std::fs::read_to_string(path)?;
    let words = text.lines().filter_map(|line| line.split_once(' ')).map(|line| line.0);
    let digits = |word: &str| -> Option<Vec<u8>> {
        word.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
    };
    let once: Vec<u8> = words.filter_map(digits).flatten().collect();
    Ok(once.repeat(1_000_000 / once.len().max(1)))
}
