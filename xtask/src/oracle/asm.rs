//! The assembler's language against llvm-mc: the cases of `tests/asm`, each assembled for gfx942, and what its object holds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Asks llvm-mc about every case and writes its answers. Cases with `-- ours: reason` stay as they are.
pub fn run() -> Result<(), String> {
    let folder = crate::root().join("tests/asm");
    let failed = |e: std::io::Error| format!("cannot read {}: {e}", folder.display());
    let mut paths: Vec<PathBuf> =
        fs::read_dir(&folder).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?.iter().map(|e| e.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "txt"));
    paths.sort();
    let (mut count, mut refused) = (0, 0);
    for path in paths {
        let text = fs::read_to_string(&path).map_err(failed)?;
        let mut out = String::new();
        for (at, case) in format!("\n{text}").split("\n== ").enumerate() {
            if at == 0 {
                out.push_str(case.trim_start());
                out.push('\n');
                continue;
            }
            let (title, rest) = case.split_once('\n').unwrap_or((case, ""));
            let (source, answer) = match rest.split_once("\n-- ours: ") {
                Some((source, reason)) => (source, format!(" ours: {}", reason.trim_end())),
                None => (rest.split_once("\n--\n").map_or(rest.trim_end(), |(source, _)| source), String::new()),
            };
            let source = format!("{source}\n");
            let answer = if !answer.is_empty() {
                answer
            } else {
                let answer = judge(&source).unwrap_or_else(|e| {
                    println!("{}: {title}: {e}", path.display());
                    "no answer".into()
                });
                format!("\n{answer}")
            };
            count += 1;
            refused += usize::from(answer.contains("\nrefused"));
            out.push_str(&format!("== {title}\n{source}--{answer}\n\n"));
        }
        fs::write(&path, out.trim_end().to_string() + "\n").map_err(|e| format!("cannot write {}: {e}", path.display()))?;
    }
    println!("{count} cases judged, {refused} refused");
    Ok(())
}

/// What llvm-mc makes of a text, in the words of the cases.
fn judge(source: &str) -> Result<String, String> {
    let folder = std::env::temp_dir().join(format!("lockstep-asm-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let answer = assemble(source, &folder);
    fs::remove_dir_all(&folder).map_err(|e| format!("cannot remove {}: {e}", folder.display()))?;
    answer
}

fn assemble(source: &str, folder: &Path) -> Result<String, String> {
    let (input, object, messages) = (folder.join("case.s"), folder.join("case.o"), folder.join("messages"));
    fs::write(&input, source).map_err(|e| e.to_string())?;
    let errors = fs::File::create(&messages).map_err(|e| e.to_string())?;
    let program = std::env::var("LLVM_MC").unwrap_or_else(|_| "llvm-mc-22".into());
    let mut child = Command::new(&program)
        .args(["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj", "case.s", "-o", "case.o"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors)
        .spawn()
        .map_err(|e| format!("cannot run {program}: {e} (set LLVM_MC to llvm-mc of LLVM 22)"))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        if start.elapsed() > Duration::from_secs(10) {
            let _ = child.kill();
            let _ = child.wait();
            return Err("llvm-mc does not end: write what is right by hand, with `-- ours: reason`".into());
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let messages = fs::read_to_string(&messages).map_err(|e| e.to_string())?;
    if !status.success() {
        return refusal(&messages);
    }
    dump(&fs::read(&object).map_err(|e| e.to_string())?).ok_or_else(|| "cannot read llvm-mc's object".into())
}

/// The lines with errors; of one in an expansion, the line that asked for it.
fn refusal(messages: &str) -> Result<String, String> {
    let mut lines: Vec<u32> = Vec::new();
    let mut is_inside = false;
    for message in messages.lines() {
        let number = |text: &str| text.split(':').next().and_then(|number| number.parse::<u32>().ok());
        if message.starts_with("<instantiation>:") {
            is_inside |= message.contains(": error:");
        } else if let Some(line) = message.strip_prefix("case.s:").and_then(number) {
            // Of an error in an expansion the first call that is a line of the file is told by a note.
            if message.contains(": error:") || is_inside && message.contains("while in macro instantiation") {
                is_inside = false;
                lines.push(line);
            }
        }
    }
    lines.sort_unstable();
    lines.dedup();
    if lines.is_empty() {
        return Err(format!("llvm-mc fails without a line: {messages}"));
    }
    Ok(format!("refused at {}", lines.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")))
}

/// A section header of an ELF file: name, type, flags, offset, size, link, info, alignment, entry size.
struct Header {
    name: String,
    kind: u64,
    flags: u64,
    offset: usize,
    size: usize,
    info: usize,
    align: u64,
    entry: u64,
}

/// Sections, relocations and symbols of a 64-bit little-endian object file.
fn dump(file: &[u8]) -> Option<String> {
    let number = |at: usize, bytes: usize| {
        file.get(at..at + bytes).map(|bytes| bytes.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte)))
    };
    let table = number(0x28, 8)? as usize;
    let (count, strings) = (number(0x3c, 2)? as usize, number(0x3e, 2)? as usize);
    let strings = number(table + strings * 64 + 24, 8)? as usize;
    let string = |at: usize| {
        let bytes = file.get(at..)?;
        Some(String::from_utf8_lossy(&bytes[..bytes.iter().position(|byte| *byte == 0)?]).into_owned())
    };
    let mut headers = Vec::new();
    for at in (0..count).map(|section| table + section * 64) {
        headers.push(Header {
            name: string(strings + number(at, 4)? as usize)?,
            kind: number(at + 4, 4)?,
            flags: number(at + 8, 8)?,
            offset: number(at + 24, 8)? as usize,
            size: number(at + 32, 8)? as usize,
            info: number(at + 44, 4)? as usize,
            align: number(at + 48, 8)?,
            entry: number(at + 56, 8)?,
        });
    }
    let place = |index: u64| match index {
        0 => "undefined".to_string(),
        0xfff1 => "absolute".to_string(),
        0xfff2 => "common".to_string(),
        0xff00 => "lds".to_string(),
        index => headers.get(index as usize).map_or("?".to_string(), |header| header.name.clone()),
    };
    let (mut names, mut symbols, mut descriptors) = (Vec::new(), Vec::new(), Vec::new());
    for table in headers.iter().filter(|header| header.kind == 2) {
        for at in (table.offset..table.offset + table.size).step_by(24) {
            let name = string(strings + number(at, 4)? as usize)?;
            let (info, other, section) = (number(at + 4, 1)?, number(at + 5, 1)?, number(at + 6, 2)?);
            let (value, size) = (number(at + 8, 8)?, number(at + 16, 8)?);
            names.push(if info & 15 == 3 { place(section) } else { name.clone() });
            // A group's signature is the group's own business.
            if info & 15 != 3 && !name.is_empty() && place(section) != ".group" {
                symbols.push(format!(
                    "symbol {name} {} {value} {size} {} {} {}",
                    place(section),
                    info >> 4,
                    info & 15,
                    other & 3
                ));
            }
            if name.ends_with(".kd") && size == 64 {
                descriptors.push((section as usize, value as usize));
            }
        }
    }
    let mut lines = Vec::new();
    let is_table = |header: &Header| matches!(header.kind, 0 | 2 | 3 | 4 | 17);
    for (at, header) in headers.iter().enumerate().filter(|(_, header)| !is_table(header)) {
        let mut bytes = file.get(header.offset..header.offset + if header.kind == 8 { 0 } else { header.size })?.to_vec();
        for (_, offset) in descriptors.iter().filter(|(section, _)| *section == at) {
            bytes[*offset..offset + 64].fill(0);
        }
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let hex = if header.kind == 8 { format!("{} bytes", header.size) } else { hex };
        lines.push(
            format!("section {} {} {:x} {} {} {hex}", header.name, header.kind, header.flags, header.entry, header.align)
                .trim_end()
                .to_string(),
        );
    }
    let mut relocations = Vec::new();
    for table in headers.iter().filter(|header| header.kind == 4) {
        let section = &headers.get(table.info)?.name;
        for at in (table.offset..table.offset + table.size).step_by(24) {
            let (offset, info, addend) = (number(at, 8)?, number(at + 8, 8)?, number(at + 16, 8)? as i64);
            let symbol = (info >> 32) as usize;
            let target = if symbol == 0 { "0" } else { names.get(symbol)? };
            relocations.push(format!("relocation {section} {offset} {} {target} {addend}", info & 0xffff_ffff));
        }
    }
    relocations.sort();
    lines.extend(relocations);
    symbols.sort();
    lines.extend(symbols);
    Some(lines.join("\n"))
}
