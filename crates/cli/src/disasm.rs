//! `lockstep disasm`: AMD machine code to LLVM's assembly.

use crate::machine::{self, Order};
use crate::{Format, output, plan};
use amdgpu::codec::access::Access;
use amdgpu::codec::{Codec, Decoded};
use amdgpu::disasm::{Again, Instructions, Recall};
use amdgpu::disassembler;
use amdgpu::object::bundle;
use amdgpu::object::{CodeObject, Kind, Section, Symbol, TargetId, relocation_name};
use clap::Args;
use lockstep::Error;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// Disassemble AMD machine code: hexadecimal digits, a binary file, or code objects
///
/// The syntax is LLVM's, so that the text can be assembled again. What is no instruction of the target, or would be assembled to other
/// bits, becomes `.long` with the reason and is counted; bits that nobody reads and that LLVM 24 sets are told. Of code objects, bundles of them and programs that hold such, every section of
/// code is shown, with symbols, kernels and labels; with --assembly everything, so that `lockstep asm` and llvm-mc make the same file again.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lockstep disasm 05 40 aa d3 01 05 0e 1c --target gfx90a
  lockstep disasm 0xd3aa4005 0x1c0e0501 --target gfx90a --fields
  lockstep disasm kernel.co
  lockstep disasm kernel.co --assembly > kernel.s; head -1 kernel.s tells how to assemble it
Pairs of digits are bytes as they lie in memory; more digits behind 0x are a number of 32 or 64 bits.")]
pub struct Arguments {
    /// A file, - for standard input, or hexadecimal digits
    #[arg(required = true, value_name = "FILE|HEX", value_parser = crate::unmarked)]
    input: Vec<String>,
    /// Such as gfx942; of code objects, those that run there (default: all)
    #[arg(long, value_parser = machine::parse_target)]
    target: Option<TargetId>,
    /// Lanes of a wave: 32 or 64 (default: as is usual on the target, of kernels as they say)
    #[arg(long, value_parser = machine::parse_wave)]
    wave: Option<u8>,
    /// Show the bits of each instruction: every field, its value and what it means; and which registers it reads and writes
    #[arg(long)]
    fields: bool,
    /// Print a code object as assembly that makes it again: all its sections, symbols, relocations, kernels and metadata
    #[arg(long, conflicts_with_all = ["fields", "wave", "format"])]
    assembly: bool,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::fail(&error, arguments.format),
    }
}

fn run(arguments: &Arguments) -> Result<(), Error> {
    let first = Path::new(&arguments.input[0]);
    let is_file = arguments.input.len() == 1 && (arguments.input[0] == "-" || first.exists());
    if !is_file {
        let joined = arguments.input.join(" ");
        let code = machine::bytes(&joined, Order::Memory).map_err(|why| match joined.contains(['.', '/']) {
            true => Error::plain("", format!("there is no file `{joined}`"), "check the path"),
            false => Error::plain("", why, "write bytes as in 05 40 aa d3, words as in 0xd3aa4005, or name a file"),
        })?;
        return raw(&code, arguments);
    }
    let data = plan::read_bytes(first)?;
    let wrong = |e: amdgpu::object::Error| Error::plain("", format!("{}: {e}", first.display()), e.help.clone());
    if let Some(found) = bundle::code_objects(&data).map_err(wrong)? {
        return objects(&first.display().to_string(), &found, arguments);
    }
    let is_text = std::str::from_utf8(&data).ok().filter(|t| t.is_ascii() && !t.contains('\0'));
    match is_text.map(|text| machine::bytes(text, Order::Memory)) {
        Some(Ok(code)) => raw(&code, arguments),
        Some(Err(why)) => Err(Error::plain(
            "",
            format!("{}: {why}", first.display()),
            "a text holds pairs of digits; to assemble, see lockstep asm",
        )),
        None => raw(&data, arguments),
    }
}

/// Code without anything around it.
fn raw(code: &[u8], arguments: &Arguments) -> Result<(), Error> {
    if arguments.assembly {
        return Err(Error::plain(
            "",
            "this is code without a code object around it",
            "leave --assembly away: the text is assembly already",
        ));
    }
    let Some(target) = &arguments.target else {
        return Err(Error::plain("", "which target the code is for is not known", "say --target gfx942, or another"));
    };
    let codec = machine::codec(target, arguments.wave)?;
    let mut listing = Listing { fields: arguments.fields, json: arguments.format == Format::Json, ..Listing::default() };
    let mut recall = Recall::new(&codec);
    for item in Instructions::new(&codec, code) {
        listing.item(&mut recall, &code[item.offset..], item.offset, None, None);
    }
    match arguments.format {
        Format::Text => listing.write(0),
        Format::Json => output::print(&format!("{}\n", json!({ "target": target.to_string(), "instructions": listing.items }))),
    }
    if listing.undefined + listing.spare > 0 {
        listing.count();
    }
    Ok(())
}

/// What is printed, and how much of it is no instruction.
#[derive(Default)]
struct Listing {
    text: String,
    items: Vec<Value>,
    fields: bool,
    json: bool,
    instructions: usize,
    undefined: usize,
    spare: usize,
}

/// Bytes of text that are written at once.
const PART: usize = 1 << 16;

impl Listing {
    /// Writes what there is, if it is more than so much.
    fn write(&mut self, least: usize) {
        if self.text.len() > least {
            output::print_part(&self.text);
            self.text.clear();
        }
    }

    /// The instruction at the start of some code, `offset` bytes from its beginning, or what is none; `address` is shown behind it, `label` stands for the
    /// target of a branch.
    fn item(&mut self, recall: &mut Recall, code: &[u8], offset: usize, address: Option<u64>, label: Option<&str>) {
        let (mut why, mut spare) = (String::new(), false);
        let codec = recall.codec();
        let line = self.text.len();
        if address.is_some() {
            self.text.push('\t');
        }
        let start = self.text.len();
        let size = match recall.line(code, &mut self.text) {
            Ok((size, again)) => {
                let printed = &self.text[start..];
                match again {
                    Again::Same => {}
                    Again::Spare => spare = true,
                    Again::Other => why = format!("an assembler writes `{printed}` with other bits"),
                    Again::Refused(reason) => why = format!("an assembler refuses `{printed}`: {reason}"),
                }
                size
            }
            Err(undefined) => {
                why = undefined.to_string();
                code.len().min(4)
            }
        };
        let bytes = &code[..size];
        let wanted = self.json || self.fields || label.is_some();
        let decoded = if wanted { codec.decode(code).ok() } else { None };
        if let (Some(label), Some(decoded)) = (label, decoded.filter(|_| why.is_empty())) {
            self.text.truncate(start);
            codec.print_branch(&decoded, label, &mut self.text);
        }
        if why.is_empty() {
            self.instructions += 1;
        } else {
            self.undefined += 1;
            self.text.truncate(start);
            self.text += &data(bytes);
        }
        self.spare += usize::from(spare);
        let remark = if spare { SPARE } else { &why };
        if self.json {
            let printed = self.text.split_off(start);
            self.text.truncate(line);
            let mut value = json!({ "offset": offset, "bytes": machine::hex(bytes), "text": printed });
            (!why.is_empty()).then(|| value["reason"] = json!(why));
            spare.then(|| value["remark"] = json!(SPARE));
            if let Some(decoded) = decoded.filter(|_| why.is_empty()) {
                value["reads"] = json!(registers(codec, &decoded, |access| access.reads));
                value["writes"] = json!(registers(codec, &decoded, |access| access.writes));
            }
            decoded.filter(|_| self.fields).iter().for_each(|d| value["fields"] = machine::fields_json(&codec.fields(d)));
            self.items.push(value);
            return;
        }
        self.remark(remark, line, address, bytes);
        if let Some(decoded) = decoded.filter(|_| self.fields) {
            self.text += &machine::fields_text(&codec.fields(&decoded), decoded.literal, "    ");
            let line = |name: &str, all: Vec<String>| match &all[..] {
                [] => String::new(),
                all => format!("    {name} {}\n", all.join(", ")),
            };
            self.text += &line("reads ", registers(codec, &decoded, |access| access.reads));
            self.text += &line("writes", registers(codec, &decoded, |access| access.writes));
        }
        self.write(PART);
    }

    /// Ends the line that begins at a byte of the text.
    fn remark(&mut self, remark: &str, line: usize, address: Option<u64>, bytes: &[u8]) {
        if let Some(address) = address {
            amdgpu::disasm::comment(address, bytes, line, &mut self.text);
        }
        if !remark.is_empty() {
            self.text += if address.is_some() { " " } else { " // " };
            self.text += remark;
        }
        self.text.push('\n');
    }

    /// Tells how many instructions there are, and how many words are none.
    fn count(&self) {
        let what = if self.undefined == 1 { "word is none" } else { "words are none" };
        let spare = match self.spare {
            0 => String::new(),
            count => format!("; {count} with {SPARE}"),
        };
        output::note(&format!("{} instructions; {} {what}{spare}\n", self.instructions, self.undefined));
    }
}

/// What is said of an instruction that is assembled again to the same bits but for such.
const SPARE: &str = "unread bits as LLVM 24 writes them";

/// The registers of the uses that are wanted, each once, in the order of the text.
fn registers(codec: &Codec, decoded: &Decoded, wanted: impl Fn(&Access) -> bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for access in codec.accesses(decoded).filter(wanted) {
        let name = access.register.to_string();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Bytes as directives that bring them back.
fn data(bytes: &[u8]) -> String {
    let words: Vec<String> =
        bytes.chunks_exact(4).map(|w| format!("0x{:08x}", w.iter().rev().fold(0u32, |n, b| n << 8 | u32::from(*b)))).collect();
    if words.len() * 4 == bytes.len() {
        return format!(".long {}", words.join(", "));
    }
    format!(".byte {}", bytes.iter().map(|b| format!("0x{b:02x}")).collect::<Vec<_>>().join(", "))
}

/// The code of code objects.
fn objects(name: &str, found: &[bundle::Found], arguments: &Arguments) -> Result<(), Error> {
    let wrong = |e: amdgpu::object::Error| Error::plain("", format!("{name}: {e}"), e.help.clone());
    let mut listing = Listing { fields: arguments.fields, json: arguments.format == Format::Json, ..Listing::default() };
    let (mut all, mut read) = (Vec::new(), Vec::new());
    for found in found {
        let object = CodeObject::read(&found.data).map_err(wrong)?;
        let Some(target) = object.target else {
            let message = format!("{name}: the processor {:#x} of a code object is unknown", object.flags & 0xff);
            return Err(Error::plain("", message, "it is newer than the table"));
        };
        read.push((found, object, target));
    }
    let seen: Vec<String> = read.iter().map(|r| r.2.to_string()).collect();
    read.retain(|r| arguments.target.is_none_or(|wanted| r.2.runs_on(&wanted)));
    if arguments.assembly && !read.is_empty() {
        let [(_, object, target)] = &read[..] else {
            let help = format!("choose one with --target: {}", seen.join(", "));
            return Err(Error::plain("", format!("{name} holds {} code objects", read.len()), help));
        };
        return assembly(object, *target).map_err(wrong);
    }
    let mut shown = Vec::new();
    for (found, object, target) in &read {
        let object = Object::new(object, *target, arguments.wave).map_err(|e| match e {
            Failure::Object(e) => wrong(e),
            Failure::Other(e) => e,
        })?;
        shown.push((found, object));
    }
    for (index, (found, shown)) in shown.iter().enumerate() {
        let (object, target) = (shown.object, shown.target);
        let _ = write!(listing.text, "{}", if index == 0 { "" } else { "\n" });
        let _ = writeln!(listing.text, "// {name}: code object V{}", object.version.number());
        found.id.iter().for_each(|id| listing.text += &format!("// bundle entry {id}\n"));
        let sections = shown.list(&mut listing)?;
        all.push(json!({ "target": target.to_string(), "bundle_entry": found.id, "sections": sections }));
    }
    if let (true, Some(target)) = (all.is_empty(), &arguments.target) {
        let help =
            if seen.is_empty() { "it holds none at all".to_owned() } else { format!("it holds some for {}", seen.join(", ")) };
        return Err(Error::plain("", format!("{name} holds no code object for {target}"), help));
    }
    match arguments.format {
        Format::Text => listing.write(0),
        Format::Json => output::print(&format!("{}\n", json!({ "code_objects": all }))),
    }
    listing.count();
    Ok(())
}

/// A code object as assembly.
fn assembly(object: &CodeObject, target: TargetId) -> Result<(), amdgpu::object::Error> {
    let made = disassembler::disassemble(object)?;
    let wave = made.wave.map_or(String::new(), |wave| format!(" --wave {wave}"));
    let link = if object.kind == Kind::Shared { " --link" } else { "" };
    output::print(&format!("// lockstep asm FILE --target {target}{wave}{link} -o FILE.o\n{}", made.text));
    for lost in &made.lost {
        output::note(&format!("the text does not say: {lost}\n"));
    }
    if made.undefined > 0 {
        output::note(&format!("{} words of code are data, with the reason behind them\n", made.undefined));
    }
    Ok(())
}

enum Failure {
    Object(amdgpu::object::Error),
    Other(Error),
}

/// A code object, with what its instructions need.
struct Object<'o, 'd> {
    object: &'o CodeObject<'d>,
    target: TargetId,
    /// By waves of 32 and 64 lanes; the first is the usual one.
    codecs: Vec<Codec>,
    /// Kernels: section, first byte, lanes.
    kernels: Vec<(usize, u64, u8)>,
}

impl<'o, 'd> Object<'o, 'd> {
    fn new(object: &'o CodeObject<'d>, target: TargetId, wave: Option<u8>) -> Result<Self, Failure> {
        let lanes = |k: &amdgpu::object::Kernel| wave.unwrap_or(k.descriptor.wave_size(target.object) as u8);
        let found = object.kernels().map_err(Failure::Object)?;
        let kernels: Vec<(usize, u64, u8)> =
            found.iter().filter_map(|k| k.entry.map(|e| (e.section, e.offset, lanes(k)))).collect();
        let usual = wave.or(kernels.first().map(|k| k.2));
        let mut codecs = vec![machine::codec(&target, usual).map_err(Failure::Other)?];
        if let Some(other) = kernels.iter().find(|k| k.2 != codecs[0].wave) {
            codecs.push(machine::codec(&target, Some(other.2)).map_err(Failure::Other)?);
        }
        Ok(Object { object, target, codecs, kernels })
    }

    fn list(&self, listing: &mut Listing) -> Result<Vec<Value>, Error> {
        let executable = |s: &&(usize, &Section)| s.1.flags & 4 != 0 && !s.1.data.is_empty();
        let _ = writeln!(listing.text, "\t.amdgcn_target \"{}\"", self.target.triple());
        let all: Vec<(usize, &Section)> = self.object.sections.iter().enumerate().collect();
        Ok(all.iter().filter(executable).map(|(index, section)| self.section(*index, section, listing)).collect())
    }

    fn section(&self, index: usize, section: &Section, listing: &mut Listing) -> Value {
        let base = if self.object.kind == Kind::Relocatable { 0 } else { section.address };
        let mut symbols: Vec<(u64, &Symbol)> = self.object.symbols.iter().filter_map(|s| place(s, index, base)).collect();
        symbols.sort_by_key(|s| s.0);
        symbols.dedup_by(|a, b| a.0 == b.0 && a.1.name == b.1.name);
        let mut recalls: Vec<Recall> = self.codecs.iter().map(Recall::new).collect();
        let mut ahead = Ahead::new(self.pieces(index, section.data.len()), section.data);
        let _ = match &*section.name {
            ".text" => writeln!(listing.text, "\t.text"),
            name => writeln!(listing.text, "\t.section {name},\"ax\",@progbits"),
        };
        let _ = writeln!(listing.text, "\t.p2align {}", section.alignment.max(1).trailing_zeros());
        let mut relocations: Vec<_> = self.object.relocations.iter().filter(|r| r.section == Some(index)).collect();
        relocations.sort_by_key(|r| r.offset);
        let (mut next, mut moved) = (0, 0);
        while let Some(here) = ahead.next(&mut recalls) {
            let offset = here.offset as u64;
            let end = offset + here.size as u64;
            while symbols.get(next).is_some_and(|s| s.0 < end) {
                self.symbol(index, symbols[next], symbols[next].0 == offset, listing);
                next += 1;
            }
            if !listing.json && ahead.targets.has(here.offset) {
                let _ = writeln!(listing.text, "{}:", self.label(offset));
            }
            let target = here.target.filter(|target| ahead.begins.has(*target)).map(|target| self.label(target as u64));
            let code = &section.data[here.offset..here.end];
            listing.item(&mut recalls[here.codec], code, here.offset, Some(base + offset), target.as_deref());
            while relocations.get(moved).is_some_and(|r| r.offset < end) {
                self.relocation(relocations[moved], listing);
                moved += 1;
            }
        }
        let names: Vec<Value> = symbols.iter().map(|(at, s)| json!({ "name": s.name, "offset": at, "size": s.size })).collect();
        json!({ "name": section.name, "address": section.address, "symbols": names, "instructions": std::mem::take(&mut listing.items) })
    }

    /// The pieces of a section of so many bytes that have the same kind of waves.
    fn pieces(&self, section: usize, size: usize) -> Vec<Piece> {
        let mut starts: Vec<(u64, u8)> = self.kernels.iter().filter(|k| k.0 == section).map(|k| (k.1, k.2)).collect();
        starts.sort_unstable();
        starts.insert(0, (0, starts.first().map_or(self.codecs[0].wave, |s| s.1)));
        starts.dedup_by(|next, previous| next.1 == previous.1);
        let ends: Vec<usize> = starts.iter().skip(1).map(|s| s.0 as usize).chain([size]).collect();
        let codec = |wave: u8| self.codecs.iter().position(|c| c.wave == wave).unwrap_or(0);
        let piece = |(&(start, wave), end): (&(u64, u8), usize)| Piece {
            place: (start as usize).min(size),
            end: end.min(size),
            codec: codec(wave),
        };
        starts.iter().zip(ends).map(piece).collect()
    }

    /// A symbol's lines; one within an instruction is only told.
    fn symbol(&self, section: usize, (offset, symbol): (u64, &Symbol), begins: bool, listing: &mut Listing) {
        let lanes = self.kernels.iter().find(|k| (k.0, k.1) == (section, offset)).map(|k| k.2);
        let name = quoted(&symbol.name);
        if !begins {
            let _ = writeln!(listing.text, "// {name} lies within what follows");
            return;
        }
        if let Some(lanes) = lanes {
            let _ = writeln!(listing.text, "\n// kernel {name}: waves of {lanes}, {} bytes", symbol.size);
        }
        if symbol.binding == 1 {
            let _ = writeln!(listing.text, "\t.globl {name}");
        }
        if symbol.kind == 2 {
            let _ = writeln!(listing.text, "\t.type {name},@function");
        }
        let _ = writeln!(listing.text, "{name}:");
    }

    fn relocation(&self, relocation: &amdgpu::object::Relocation, listing: &mut Listing) {
        let symbol = self.object.symbols.get(relocation.symbol);
        let name = symbol.map_or("", |s| &*s.name);
        let kind = relocation_name(relocation.kind).map_or_else(|| relocation.kind.to_string(), str::to_owned);
        let _ = writeln!(listing.text, "\t// {:012X}: {kind} {name}{:+#x}", relocation.offset, relocation.addend);
    }

    /// The label of a place, which no symbol has as its name.
    fn label(&self, offset: u64) -> String {
        let mut label = format!("L{offset:04x}");
        while self.object.symbol(&label).is_some() {
            label.push('_');
        }
        label
    }
}

/// Where in a section a symbol is, if it is there and has a name.
fn place<'s, 'd>(symbol: &'s Symbol<'d>, section: usize, base: u64) -> Option<(u64, &'s Symbol<'d>)> {
    let is_here = usize::from(symbol.section) == section && !symbol.name.is_empty() && symbol.kind <= 2;
    is_here.then(|| symbol.value.checked_sub(base)).flatten().map(|offset| (offset, symbol))
}

/// Bytes between a branch and what it goes to, at most, with those of the branch.
const REACH: usize = (1 << 17) + 16;

/// Code that is read with one codec.
#[derive(Clone, Copy)]
struct Piece {
    /// What of it comes next.
    place: usize,
    end: usize,
    /// The index of the codec.
    codec: usize,
}

/// Where an instruction is, or what is none.
#[derive(Clone, Copy)]
struct Here {
    offset: usize,
    size: usize,
    /// Where it branches to.
    target: Option<usize>,
    /// Where its piece of the code ends.
    end: usize,
    /// The index of its codec.
    codec: usize,
}

/// The instructions of a section, found so far ahead that all branches to the next one are known.
struct Ahead<'d> {
    code: &'d [u8],
    /// What is not found yet.
    pieces: VecDeque<Piece>,
    found: VecDeque<Here>,
    /// Where instructions begin.
    begins: Places,
    /// To which places branches go.
    targets: Places,
}

impl<'d> Ahead<'d> {
    /// Nothing found yet.
    fn new(pieces: Vec<Piece>, code: &'d [u8]) -> Self {
        let size = code.len();
        Ahead { code, pieces: pieces.into(), found: VecDeque::new(), begins: Places::new(size), targets: Places::new(size) }
    }

    /// The next one.
    fn next(&mut self, recalls: &mut [Recall]) -> Option<Here> {
        let is_near = |found: &VecDeque<Here>| match (found.front(), found.back()) {
            (Some(first), Some(last)) => last.offset < first.offset + REACH,
            _ => true,
        };
        while is_near(&self.found)
            && let Some(here) = self.find(recalls)
        {
            self.begins.add(here.offset);
            here.target.into_iter().for_each(|target| self.targets.add(target));
            self.found.push_back(here);
        }
        self.found.pop_front()
    }

    fn find(&mut self, recalls: &mut [Recall]) -> Option<Here> {
        while self.pieces.front()?.place >= self.pieces.front()?.end {
            self.pieces.pop_front();
        }
        let Piece { place: offset, end, codec } = *self.pieces.front()?;
        let (size, branch) = recalls[codec].step(&self.code[offset..end]);
        self.pieces.front_mut()?.place += size;
        let target = branch.and_then(|bytes| usize::try_from((offset + size) as i64 + bytes).ok());
        Some(Here { offset, size, target, end, codec })
    }
}

/// Some of the words of code, by their first bytes.
struct Places(Vec<u64>);

impl Places {
    /// None of them; `size` is that of the code.
    fn new(size: usize) -> Places {
        Places(vec![0; size / 256 + 1])
    }

    /// Adds one, if it lies in the code.
    fn add(&mut self, at: usize) {
        if let Some(bits) = self.0.get_mut(at / 256).filter(|_| at.is_multiple_of(4)) {
            *bits |= 1 << (at / 4 % 64);
        }
    }

    fn has(&self, at: usize) -> bool {
        at.is_multiple_of(4) && self.0.get(at / 256).is_some_and(|bits| bits >> (at / 4 % 64) & 1 == 1)
    }
}

/// A name as a symbol is written.
fn quoted(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '@'));
    if plain && !name.starts_with(|c: char| c.is_ascii_digit()) { name.to_owned() } else { format!("{name:?}") }
}
