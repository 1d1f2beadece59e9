//! Streams of machine code: one instruction after the other, the fields of each, and the targets of branches.
//!
//! [`Instructions`] walks over bytes and allocates nothing. What is no instruction comes as a word of 32 bits with the reason, and the
//! walk goes on behind it, as llvm-objdump does. What a code object holds besides instructions is the business of
//! [`object`](crate::object).

use std::fmt;

use isa::amdgpu::{Class, Content};

use crate::codec::register::{Meaning, VECTOR};
use crate::codec::{Bits, Codec, Decoded, Entry, Modifier, SlotKind, Undefined};
use crate::immediate::digits::{Aligned, upper};
use crate::recent::{Recent, mix};

/// The instructions in some bytes.
///
/// ```
/// use amdgpu::{codec::Codec, disasm::Instructions};
///
/// let codec = Codec::of("gfx90a", None)?;
/// let code = [0x05, 0x40, 0xaa, 0xd3, 0x01, 0x05, 0x0e, 0x1c, 0x00, 0x00, 0x81, 0xbf];
/// let mut text = String::new();
/// for item in Instructions::new(&codec, &code) {
///     match item.what {
///         Ok(decoded) => codec.print(&decoded, &mut text),
///         Err(why) => text += &format!(".long 0x{:08x} // {why}", item.word(&code)),
///     }
///     text.push('\n');
/// }
/// assert_eq!(text, "v_dot8_i32_i4 v5, v1, v2, v3\ns_endpgm\n");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug)]
pub struct Instructions<'c, 'd> {
    codec: &'c Codec,
    bytes: &'d [u8],
    at: usize,
}

/// An instruction at a place, or bytes that are none.
#[derive(Clone, Copy, Debug)]
pub struct Item<'c> {
    /// Its first byte.
    pub offset: usize,
    /// Bytes: those of the instruction; 4 where there is none, fewer at the end.
    pub size: usize,
    /// The instruction, or why there is none.
    pub what: Result<Decoded<'c>, Undefined>,
}

impl<'c, 'd> Instructions<'c, 'd> {
    /// From the first byte on.
    pub fn new(codec: &'c Codec, bytes: &'d [u8]) -> Self {
        Instructions { codec, bytes, at: 0 }
    }
}

impl<'c> Iterator for Instructions<'c, '_> {
    type Item = Item<'c>;

    fn next(&mut self) -> Option<Item<'c>> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let what = self.codec.decode(rest);
        let size = what.as_ref().map_or(4, |decoded| usize::from(decoded.size)).min(rest.len());
        let item = Item { offset: self.at, size, what };
        self.at += size;
        Some(item)
    }
}

impl Item<'_> {
    /// Its bytes.
    pub fn bytes<'d>(&self, code: &'d [u8]) -> &'d [u8] {
        code.get(self.offset..self.offset + self.size).unwrap_or(&[])
    }

    /// Its first 32 bits.
    pub fn word(&self, code: &[u8]) -> u32 {
        self.bytes(code).iter().take(4).rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
    }

    /// The byte that it may branch to, where it is a branch to a fixed place; before the first byte if negative.
    pub fn branch(&self) -> Option<i64> {
        let decoded = self.what.as_ref().ok()?;
        if decoded.entry.branch.is_empty() {
            return None;
        }
        let words = i64::from(decoded.entry.branch.get(decoded.word) as i16);
        Some((self.offset + self.size) as i64 + words * 4)
    }
}

/// Writes address and words of some bytes behind the text of a line, as llvm-objdump does: the text, which begins at the byte
/// `start` of `out`, is filled up with blanks to a column.
///
/// ```
/// let mut out = String::from("\ts_endpgm");
/// amdgpu::disasm::comment(0x1900, &[0x00, 0x00, 0x81, 0xbf], 0, &mut out);
/// assert_eq!(out, format!("\t{:<59} // 000000001900: BF810000", "s_endpgm"));
/// ```
pub fn comment(address: u64, bytes: &[u8], start: usize, out: &mut String) {
    let text = &out[start..];
    let columns = if text.is_ascii() { text.len() } else { text.chars().count() };
    // Put together before it is written: one copy, and one look whether it is text.
    let mut line = Comment { bytes: Aligned([b' '; 160]), length: COLUMN.saturating_sub(columns) + 1 };
    line.push(b"// ");
    let [highest, lowest] = [(address >> 32) as u32, address as u32].map(upper);
    match address >> 48 {
        0 => line.push(&[highest[4], highest[5], highest[6], highest[7]]),
        _ => line.push(&highest),
    }
    line.push(&lowest);
    line.push(b":");
    let (words, rest) = bytes.as_chunks();
    for word in words.iter().take(6) {
        line.length += 1;
        line.push(&upper(u32::from_le_bytes(*word)));
    }
    line.length += usize::from(!rest.is_empty());
    for byte in rest.iter().rev() {
        let [.., high, low] = upper((*byte).into());
        line.push(&[high, low]);
    }
    out.push_str(line.bytes.text(line.length));
}

/// Where comments begin, in columns from the start of the line.
const COLUMN: usize = 60;

/// Blanks, address and at most six words and some bytes.
struct Comment {
    bytes: Aligned<160>,
    length: usize,
}

impl Comment {
    #[inline]
    fn push<const N: usize>(&mut self, text: &[u8; N]) {
        if let Some(place) = self.bytes.0.get_mut(self.length..).and_then(|rest| rest.first_chunk_mut()) {
            *place = *text;
            self.length += N;
        }
    }
}

/// The bits of a piece that no other has taken: first bit and count of each run.
fn free_runs(piece: &isa::amdgpu::Piece, taken: u128) -> Vec<(u8, u8)> {
    let mut runs: Vec<(u8, u8)> = Vec::new();
    for bit in (piece.low..piece.low + piece.width).filter(|bit| taken >> bit & 1 == 0) {
        match runs.last_mut() {
            Some((low, width)) if *low + *width == bit => *width += 1,
            _ => runs.push((bit, 1)),
        }
    }
    runs
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Undefined::Truncated => "the bytes end within an instruction",
            Undefined::Opcode => "no instruction of this target has these bits",
            Undefined::Operand => "an operand that the instruction cannot have",
            Undefined::Unused => "bits are set that the instruction does not use",
        })
    }
}

/// Some neighbouring bits of an instruction, and what they say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldValue {
    /// The highest bit.
    pub high: u8,
    /// The lowest bit.
    pub low: u8,
    /// The field, with its bits where only some stand here: `op_sel_hi[1:0]`; `encoding` for bits that are always the same, `unused` for
    /// those that nobody reads.
    pub name: String,
    /// What the bits are.
    pub value: u64,
    /// What they mean: a register, a modifier, the mnemonic of an opcode; empty where a modifier is not written.
    pub meaning: String,
}

/// What an assembler makes of the text that was printed for an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Again {
    /// The same bits.
    Same,
    /// The same, but for bits that nobody reads and that LLVM 24 writes so.
    Spare,
    /// Other bits.
    Other,
    /// An error: hardware may do it, but LLVM takes no such text.
    Refused(String),
}

/// What was printed of instructions before, and what an assembler made of it: code says the same again and again.
///
/// Only the last are kept, so that no code makes it slow.
///
/// ```
/// use amdgpu::{codec::Codec, disasm::{Again, Recall}};
///
/// let codec = Codec::of("gfx942", None)?;
/// let mut recall = Recall::new(&codec);
/// let decoded = codec.decode(&[0xf2, 0x04, 0x00, 0x02]).map_err(|undefined| undefined.to_string())?;
/// let mut text = String::new();
/// assert_eq!(recall.print_and_judge(&decoded, &mut text), Again::Same);
/// assert_eq!(text, "v_add_f32_e32 v0, 1.0, v2");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct Recall<'c> {
    codec: &'c Codec,
    texts: Recent<Known, Text, { 1 << 12 }>,
    judged: Recent<Known, Again, { 1 << 12 }>,
    /// How far branches go, in words.
    steps: ByBytes<Option<i16>, { 1 << 12 }>,
    lines: ByBytes<(String, Again), { 1 << 14 }>,
}

/// What is remembered of instructions by their bytes.
type ByBytes<V, const SIZE: usize> = Recent<Start, Kept<V>, SIZE>;

/// The first bytes of an instruction: 4 of one that has no more, 8 of others.
type Start = (u64, bool);

/// What is remembered of an instruction.
#[derive(Debug)]
struct Kept<V> {
    size: u8,
    /// The bytes behind the first eight.
    rest: u64,
    value: V,
}

/// What is remembered of the instruction at the start of some bytes: by its first four if it has no more, by all of them otherwise.
fn remembered<'r, V, const SIZE: usize>(recent: &'r ByBytes<V, SIZE>, bytes: &[u8]) -> Option<&'r Kept<V>> {
    let words = u64::from_le_bytes(*bytes.first_chunk()?);
    let short = start(words, 4);
    recent.get(&short, mixed(short)).or_else(|| {
        let long = start(words, 8);
        let is_whole = |kept: &&Kept<V>| kept.size <= 8 || rest(bytes, kept.size) == Some(kept.rest);
        recent.get(&long, mixed(long)).filter(is_whole)
    })
}

/// Remembers something of the instruction of `size` bytes at the start of some.
fn remember<V, const SIZE: usize>(recent: &mut ByBytes<V, SIZE>, bytes: &[u8], size: u8, value: V) {
    if let (Some(words), Some(rest)) = (bytes.first_chunk(), rest(bytes, size)) {
        let start = start(u64::from_le_bytes(*words), size);
        recent.put(start, mixed(start), Kept { size, rest, value });
    }
}

/// The start of an instruction of so many bytes.
fn start(words: u64, size: u8) -> Start {
    if size == 4 { (words & 0xffff_ffff, true) } else { (words, false) }
}

fn mixed((words, short): Start) -> u64 {
    mix(u64::from(short), words)
}

/// The bytes of an instruction behind its first eight, if they are there.
fn rest(bytes: &[u8], size: u8) -> Option<u64> {
    let rest = bytes.get(8..usize::from(size).max(8))?;
    Some(rest.iter().rev().fold(0, |rest, byte| rest << 8 | u64::from(*byte)))
}

/// An instruction: its forms, literal, word.
type Known = (usize, usize, Option<u64>, u128);

/// What was printed of an instruction, and what an assembler makes of it, if it was asked for.
type Text = (String, Option<Again>);

/// An instruction with some bits of its word, and a number made of them.
fn known(decoded: &Decoded, word: u128) -> (Known, u64) {
    let entry = std::ptr::from_ref(decoded.entry).addr();
    let second = decoded.second.map_or(0, |second| std::ptr::from_ref(second).addr());
    let parts = [(entry ^ second.rotate_left(32)) as u64, word as u64, (word >> 64) as u64, decoded.literal.unwrap_or(0)];
    ((entry, second, decoded.literal, word), parts.into_iter().fold(0, mix))
}

impl<'c> Recall<'c> {
    /// Knows nothing yet.
    pub fn new(codec: &'c Codec) -> Recall<'c> {
        Recall { codec, texts: Recent::default(), judged: Recent::default(), steps: Recent::default(), lines: Recent::default() }
    }

    /// The instructions that it knows.
    pub fn codec(&self) -> &'c Codec {
        self.codec
    }

    /// Writes an instruction as [`Codec::print`] does.
    pub fn print(&mut self, decoded: &Decoded, out: &mut String) {
        let (key, mixed) = known(decoded, decoded.word);
        if let Some((text, _)) = self.texts.get(&key, mixed) {
            return out.push_str(text);
        }
        let start = out.len();
        self.codec.print(decoded, out);
        self.texts.put(key, mixed, (out[start..].to_owned(), None));
    }

    /// Writes an instruction as [`Codec::print`] does, and says what an assembler makes of that text, as [`Codec::again`] does.
    pub fn print_and_judge(&mut self, decoded: &Decoded, out: &mut String) -> Again {
        let (key, mixed) = known(decoded, decoded.word);
        if let Some((text, Some(again))) = self.texts.get(&key, mixed) {
            out.push_str(text);
            return again.clone();
        }
        let start = out.len();
        self.codec.print(decoded, out);
        let again = self.judge(decoded, &out[start..]);
        self.texts.put(key, mixed, (out[start..].to_owned(), Some(again.clone())));
        again
    }

    /// How many bytes the instruction at the start of some has, or what is none there; and if it branches to a fixed place, how many bytes behind its end
    /// that lies.
    pub fn step(&mut self, bytes: &[u8]) -> (usize, Option<i64>) {
        let distance = |words: i16| i64::from(words) * 4;
        if let Some(kept) = remembered(&self.steps, bytes) {
            return (kept.size.into(), kept.value.map(distance));
        }
        let Ok(decoded) = self.codec.decode(bytes) else { return (bytes.len().min(4), None) };
        let branch = Some(decoded.entry.branch).filter(|branch| !branch.is_empty());
        let words = branch.map(|branch| branch.get(decoded.word) as i16);
        remember(&mut self.steps, bytes, decoded.size, words);
        (decoded.size.into(), words.map(distance))
    }

    /// Writes the instruction at the start of some bytes as [`Codec::print`] does; gives how many they are, and what an assembler makes of that text.
    ///
    /// # Errors
    ///
    /// The bytes are none.
    pub fn line(&mut self, bytes: &[u8], out: &mut String) -> Result<(usize, Again), Undefined> {
        if let Some(Kept { size, value: (text, again), .. }) = remembered(&self.lines, bytes) {
            out.push_str(text);
            return Ok(((*size).into(), again.clone()));
        }
        let decoded = self.codec.decode(bytes)?;
        let begin = out.len();
        self.codec.print(&decoded, out);
        let again = self.judge(&decoded, &out[begin..]);
        remember(&mut self.lines, bytes, decoded.size, (out[begin..].to_owned(), again.clone()));
        Ok((decoded.size.into(), again))
    }

    /// What an assembler makes of a text. Which vector register an operand is makes no difference to that, but whether its number is even: so one answer
    /// serves for many instructions.
    fn judge(&mut self, decoded: &Decoded, text: &str) -> Again {
        let (key, mixed) = known(decoded, decoded.word & !self.codec.register_bits(decoded));
        if let Some(again) = self.judged.get(&key, mixed) {
            return again.clone();
        }
        let again = self.codec.again(decoded, text);
        // A refusal names registers.
        if !matches!(again, Again::Refused(_)) {
            self.judged.put(key, mixed, again.clone());
        }
        again
    }
}

impl Codec {
    /// The bits that say which vector registers an instruction has, but for the last of each number, where no rule asks for more of them.
    fn register_bits(&self, decoded: &Decoded) -> u128 {
        let entry = decoded.entry;
        if decoded.second.is_some() || entry.image.is_some() || entry.form.limits.apart {
            return 0;
        }
        let mut bits = 0;
        for slot in &*entry.operands {
            let is_plain = slot.kind == SlotKind::Register && !slot.half && !slot.operand.class.has(Class::NOT_HIGH);
            if is_plain && self.number(slot, decoded) & VECTOR != 0 {
                bits |= slot.bits.set(0, 0xfe);
            }
        }
        bits
    }

    /// Whether a text that was printed for an instruction is assembled to the same bytes again.
    pub fn canonical(&self, decoded: &Decoded, text: &str) -> bool {
        self.again(decoded, text) == Again::Same
    }

    /// What an assembler makes of a text that was printed for an instruction.
    pub fn again(&self, decoded: &Decoded, text: &str) -> Again {
        let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
        let assembled = match self.assemble(mnemonic, operands, &|_| None) {
            Ok(assembled) => assembled,
            Err(problem) => return Again::Refused(problem.message),
        };
        // A constant that always follows is told as a literal too.
        let literal = assembled.literal.map(|l| l.0) == decoded.literal || decoded.size == decoded.entry.size;
        match assembled.word ^ decoded.word {
            0 if literal => Again::Same,
            bits if literal && bits == decoded.entry.spare => Again::Spare,
            _ => Again::Other,
        }
    }

    /// An instruction's text with the name of a place where its branch goes.
    pub fn print_branch(&self, decoded: &Decoded, label: &str, out: &mut String) {
        let start = out.len();
        self.print(decoded, out);
        if !decoded.entry.branch.is_empty() {
            let blank = out[start..].rfind(' ').map_or(out.len(), |at| start + at + 1);
            out.truncate(blank);
            out.push_str(label);
        }
    }

    /// How many vector and scalar registers it takes to have all that an instruction names.
    pub fn registers_used(&self, decoded: &Decoded) -> (u32, u32) {
        let (mut vector, mut scalar) = (0, 0);
        let other = Class(Class::TEXT.0 | Class::IMMEDIATE.0 | Class::K.0);
        let second = decoded.other();
        for half in std::iter::once(decoded).chain(&second) {
            for slot in half.entry.operands.iter().filter(|s| s.operand.class.0 & other.0 == 0) {
                let words = slot.words;
                let number = if slot.half { self.half(slot, half).0 } else { self.number(slot, half) };
                match self.registers().meaning(number, words) {
                    Meaning::Numbered("v", first) => vector = vector.max(u32::from(first + words)),
                    Meaning::Numbered("s", first) => scalar = scalar.max(u32::from(first + words)),
                    _ => {}
                }
            }
        }
        (vector, scalar)
    }

    /// Every bit of an instruction, the highest first, without a literal.
    pub fn fields(&self, decoded: &Decoded) -> Vec<FieldValue> {
        let mut all: Vec<FieldValue> = self.pieces(decoded.entry).iter().map(|piece| self.field(piece, decoded)).collect();
        if let Some(other) = decoded.other() {
            // What one half leaves alone is the other's.
            all.retain(|field| field.name != "unused");
            let second: Vec<FieldValue> = self.pieces(other.entry).iter().map(|piece| self.field(piece, &other)).collect();
            let is_taken = |field: &FieldValue| all.iter().any(|f| f.low <= field.high && field.low <= f.high);
            let second: Vec<FieldValue> = second.into_iter().filter(|f| f.name != "unused" && !is_taken(f)).collect();
            all.extend(second.into_iter().map(|f| FieldValue { name: format!("second {}", f.name), ..f }));
        }
        all.sort_by_key(|field| std::cmp::Reverse(field.low));
        all
    }

    /// The pieces of a layout that count in a form: some bits have several names, of which a form uses one.
    fn pieces(&self, entry: &Entry) -> Vec<isa::amdgpu::Piece> {
        let Some(layout) = entry.encoding.layout(self.target) else { return Vec::new() };
        let used = |piece: &&isa::amdgpu::Piece| match piece.content {
            Content::Field(field, _) => {
                let bits = Bits::of(layout, field);
                entry.operands.iter().any(|s| s.operand.field == Some(field)) || entry.modifiers.iter().any(|m| m.bits == bits)
            }
            _ => false,
        };
        let (mut kept, mut taken) = (Vec::new(), 0u128);
        for piece in layout.pieces.iter().filter(used).chain(layout.pieces.iter().filter(|p| !used(p))) {
            for (low, width) in free_runs(piece, taken) {
                let skipped = low - piece.low;
                let content = match piece.content {
                    Content::Field(field, from) => Content::Field(field, from + skipped),
                    Content::Fixed(bits) => Content::Fixed(bits >> skipped),
                    Content::Ignored => Content::Ignored,
                };
                kept.push(isa::amdgpu::Piece { low, width, content });
                taken |= crate::codec::ones_wide(width.into()) << low;
            }
        }
        kept
    }

    fn field(&self, piece: &isa::amdgpu::Piece, decoded: &Decoded) -> FieldValue {
        let entry = decoded.entry;
        let mask = if piece.width >= 64 { u64::MAX } else { (1 << piece.width) - 1 };
        let value = (decoded.word >> piece.low) as u64 & mask;
        let (name, meaning) = match piece.content {
            Content::Fixed(_) => ("encoding".to_owned(), entry.encoding.name.to_owned()),
            Content::Ignored => ("unused".to_owned(), String::new()),
            Content::Field(field, from) => {
                let name = self.field_name(field);
                let whole = entry.encoding.layout(self.target).map(|l| Bits::of(l, field)).unwrap_or_default();
                let part = match (piece.width, whole.width()) {
                    (width, all) if width == all => String::new(),
                    (1, _) => format!("[{from}]"),
                    (width, _) => format!("[{}:{from}]", from + width - 1),
                };
                (format!("{name}{part}"), self.meaning(name, field, whole, decoded))
            }
        };
        FieldValue { high: piece.low + piece.width - 1, low: piece.low, name, value, meaning }
    }

    fn meaning(&self, name: &str, field: isa::amdgpu::Field, bits: Bits, decoded: &Decoded) -> String {
        let entry = decoded.entry;
        let mut text = String::new();
        if name == "op" {
            return entry.instruction.name.to_owned();
        }
        if let Some(slot) = entry.operands.iter().find(|s| s.operand.field == Some(field)) {
            self.print_operand(slot, decoded, &mut text);
        }
        let same = |m: &&Modifier| !m.bits.is_empty() && m.bits.mask() & bits.mask() == m.bits.mask();
        for modifier in entry.modifiers.iter().filter(same) {
            let before = text.len();
            self.print_modifier(modifier, decoded, &mut text);
            if before > 0 && text.len() > before {
                text.insert(before, ' ');
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instructions that differ in such bits alone come back alike.
    #[test]
    fn registers_make_no_difference() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u128::from(state >> 32)
        };
        let mut wide = || random() | random() << 32 | random() << 64 | random() << 96;
        let (mut compared, mut text) = (0, String::new());
        for target in ["gfx906", "gfx90a", "gfx950", "gfx1030", "gfx1100", "gfx1201", "gfx1250"] {
            let codec = Codec::of(target, None).expect("a target");
            for entry in codec.entries().iter().chain(codec.entries()) {
                let word = wide() & !entry.mask & !entry.unused | entry.value | entry.unused_value;
                let Ok(one) = codec.decode(&word.to_le_bytes()) else { continue };
                let bits = codec.register_bits(&one);
                let Ok(other) = codec.decode(&(word & !bits | wide() & bits).to_le_bytes()) else { continue };
                if !std::ptr::eq(one.entry, other.entry) || codec.register_bits(&other) != bits {
                    continue;
                }
                let [first, second] = [one, other].map(|decoded| {
                    text.clear();
                    codec.print(&decoded, &mut text);
                    codec.again(&decoded, &text)
                });
                let is_refused = |again: &Again| matches!(again, Again::Refused(_));
                assert!(first == second || is_refused(&first) && is_refused(&second), "{target} {text}: {first:?} {second:?}");
                compared += 1;
            }
        }
        assert!(compared > 10_000, "{compared}");
    }

    /// What was seen before is told again only of the same instruction: whatever stands behind it, where only its last bytes differ, where it is cut off.
    #[test]
    fn what_is_remembered_is_what_is_read() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u128::from(state >> 32)
        };
        let mut wide = || random() | random() << 32 | random() << 64 | random() << 96;
        let targets = ["gfx900", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1201", "gfx1250"];
        let (mut short, mut long) = (0, 0);
        for target in targets {
            let codec = Codec::of(target, None).expect("a target");
            let mut recall = Recall::new(&codec);
            for entry in codec.entries() {
                let word = wide() & !entry.mask & !entry.unused | entry.value | entry.unused_value;
                let Ok(decoded) = codec.decode(&word.to_le_bytes()) else { continue };
                let bits = u32::from(decoded.size) * 8;
                (short, long) = (short + usize::from(bits == 32), long + usize::from(bits > 64));
                for changed in [bits, bits.min(96), 64.min(bits), 32] {
                    let other = word ^ wide().checked_shl(changed).unwrap_or(0);
                    for bytes in [&other.to_le_bytes()[..], &word.to_le_bytes()[..bits as usize / 8 - 4], &word.to_le_bytes()] {
                        if !bytes.is_empty() {
                            hold(&codec, &mut recall, bytes);
                        }
                    }
                }
            }
        }
        assert!(short > 2_000 && long > 500, "{short} {long}");
    }

    fn hold(codec: &Codec, recall: &mut Recall, bytes: &[u8]) {
        let read = codec.decode(bytes);
        let size = read.as_ref().map_or(bytes.len().min(4), |decoded| decoded.size.into());
        let branch = read.as_ref().ok().filter(|decoded| !decoded.entry.branch.is_empty());
        let distance = branch.map(|decoded| i64::from(decoded.word as i16) * 4);
        assert_eq!(recall.step(bytes), (size, distance), "{:?} {bytes:02x?}", codec.target);
        let (mut text, mut again) = (String::new(), String::new());
        let said = recall.line(bytes, &mut text);
        let expected = read.map(|decoded| {
            codec.print(&decoded, &mut again);
            (size, codec.again(&decoded, &again))
        });
        assert_eq!((said, &text), (expected, &again), "{:?} {bytes:02x?}", codec.target);
    }
}
