//! Image instructions: how many registers their data and address have, and where the registers of an address lie.
//!
//! The widths follow from modifiers: `dmask`, `d16` and `tfe` say how many words of data there are; `dim` and `a16` how many words of
//! address. From gfx10 on an address may be a list of registers, the rest of which lie in words behind the instruction (NSA) or, on gfx12, in
//! fields. Where the bits ask for widths that no instruction has, the narrowest is printed, as LLVM's disassembler does.
//! Follows LLVM 22: validateMIMG* of the assembler, convertMIMGInst of the disassembler.

use isa::amdgpu::Class;
use isa::amdgpu::image::{Dimension, Image};

use super::assemble::Attempt;
use super::decode::{Decoded, Undefined};
use super::entry::Entry;
use super::operand::Value;
use super::register::{ACCUMULATION, RegisterFile, VECTOR};
use super::{Bits, Codec};
use crate::immediate::Problem;
use crate::immediate::cursor::Cursor;

/// The longest list of registers of an address.
const LONGEST: usize = 13;

/// What an image instruction's widths depend on, and where its address lies.
#[derive(Debug)]
pub struct Places {
    image: &'static Image,
    dimensions: &'static [Dimension],
    /// Fields of the address in the word; the first alone where others lie behind it.
    address: [Bits; 5],
    fields: usize,
    nsa: Bits,
    dim: Bits,
    dmask: Bits,
    a16: Bits,
    d16: Bits,
    tfe: Bits,
    /// Everything above but the first field of the address.
    pub used: u128,
}

/// The registers of one instruction.
struct Shape {
    data: u8,
    /// Words of each part of the address.
    parts: [u8; LONGEST],
    count: usize,
}

impl Shape {
    fn new(data: u8, parts: &[u8]) -> Shape {
        let mut shape = Shape { data, parts: [0; LONGEST], count: parts.len().min(LONGEST) };
        shape.parts[..shape.count].copy_from_slice(&parts[..shape.count]);
        shape
    }

    fn parts(&self) -> &[u8] {
        &self.parts[..self.count]
    }
}

impl Places {
    /// The places in a layout.
    pub fn new(image: &'static Image, dimensions: &'static [Dimension], bits: impl Fn(&str) -> Bits) -> Places {
        let address = ["vaddr0", "vaddr1", "vaddr2", "vaddr3", "vaddr4"].map(&bits);
        let fields = address.iter().filter(|b| !b.is_empty()).count();
        let nsa = bits("nsa");
        let used = address.iter().fold(nsa.mask(), |all, b| all | b.mask());
        let [dim, dmask, a16, d16, tfe] = ["dim", "dmask", "a16", "d16", "tfe"].map(&bits);
        Places { image, dimensions, address, fields, nsa, dim, dmask, a16, d16, tfe, used }
    }

    /// How many parts an address may have.
    fn most(&self) -> usize {
        match (self.fields, self.nsa.width()) {
            (2.., _) => self.fields,
            (_, 0) => 1,
            // A bit for one more word, or a count of up to three.
            (_, 1) => 5,
            _ => LONGEST,
        }
    }

    fn dimension(&self, word: u128) -> Option<&Dimension> {
        let number = self.dim.get(word);
        self.dimensions.iter().find(|d| u64::from(d.number) == number)
    }

    fn is_a16(&self, word: u128) -> bool {
        self.a16.get(word) == 1
    }

    /// Words of address that the modifiers ask for, on targets with dimensions.
    fn address_words(&self, word: u128) -> u8 {
        let image = self.image;
        let Some(dimension) = self.dimension(word) else { return 0 };
        let components = if image.coordinates { dimension.coordinates } else { 0 } + u8::from(image.lod);
        let coordinates = if self.is_a16(word) { components.div_ceil(2) } else { components };
        let gradients = match (image.gradients, image.g16) {
            (false, _) => 0,
            (true, false) => dimension.gradients,
            // Two in a word, those by x and those by y apart.
            (true, true) => (dimension.gradients / 2).next_multiple_of(2),
        };
        image.extra + coordinates + gradients
    }

    /// Words of data that the modifiers ask for.
    fn data_words(&self, word: u128) -> u8 {
        let count = if self.image.gather4 { 4 } else { (self.dmask.get(word).count_ones() as u8).max(1) };
        let count = if self.d16.get(word) == 1 { count.div_ceil(2) } else { count };
        count + self.tfe.get(word) as u8
    }

    /// A list of so many words: the last part has what is left.
    fn listed(&self, data: u8, words: u8) -> Shape {
        let count = usize::from(words).min(self.most()).max(1);
        let mut parts = [1; LONGEST];
        parts[count - 1] = words.saturating_sub(count as u8 - 1).max(1);
        Shape::new(data, &parts[..count])
    }

    fn whole(data: u8, words: u8) -> Shape {
        Shape::new(data, &[words])
    }

    /// The parts of a ray's address.
    fn ray(&self, data: u8, listed: bool, word: u128) -> Shape {
        let rays = if self.is_a16(word) { &self.image.rays16 } else { &self.image.rays };
        let total: u8 = rays.iter().sum();
        match listed {
            false => Places::whole(data, total),
            true if self.most() == LONGEST => self.listed(data, total),
            true => Shape::new(data, rays),
        }
    }

    /// The words of address that a disassembler begins with.
    fn least(&self, nsa: u64) -> Option<u8> {
        let (low, high) = self.image.range();
        let (from, to) = match (self.fields > 1, nsa, self.most() == LONGEST) {
            // The last field of those without samplers belongs to rays.
            (true, ..) => (1, 4),
            (false, 0, _) => return Some(low),
            (false, 1, _) => (2, 5),
            (false, 2, true) => (6, 9),
            (false, 3, true) => (10, 12),
            _ => return None,
        };
        let best = to.min(high);
        (best >= from.max(low)).then_some(best)
    }

    /// What a disassembler makes of a word.
    fn shape(&self, word: u128, fits: impl Fn(u8, u8, bool) -> bool) -> Option<Shape> {
        let usual = *self.image.data.first()?;
        let nsa = self.nsa.get(word);
        let listed = self.fields > 1 || nsa > 0;
        if self.image.bvh {
            let shape = self.ray(usual, listed, word);
            return (self.fields > 1 || nsa as usize == shape.count.saturating_sub(1).div_ceil(4)).then_some(shape);
        }
        let least = self.least(nsa)?;
        let make = |data: u8, words: u8| if listed { self.listed(data, words) } else { Places::whole(data, words) };
        let words = if self.dim.is_empty() { least } else { self.address_words(word) };
        let data = self.data_words(word);
        let partial = listed && words > least;
        let exists = self.image.data.contains(&data)
            && if listed {
                (self.image.range().0..=self.image.range().1.min(12)).contains(&words) && (self.fields > 1 || words > 1)
            } else {
                self.image.is_width(words)
            };
        let last = if partial { words.saturating_sub(self.most() as u8 - 1) } else { words };
        let wide = !self.dim.is_empty() && (!listed || partial) && words != least;
        let possible = exists
            && !(partial && self.most() == LONGEST)
            && (data == usual || fits(0, data, false))
            && (!wide || fits(least, last, listed));
        Some(if possible { make(data, words) } else { make(usual, least) })
    }

    /// A register of the address: its field, or its byte behind the word.
    fn register(&self, index: usize, decoded: &Decoded) -> u8 {
        match index {
            0 => self.address[0].get(decoded.word) as u8,
            _ if self.fields > 1 => self.address.get(index).map_or(0, |b| b.get(decoded.word) as u8),
            1..=8 => (decoded.word >> (56 + 8 * index)) as u8,
            _ => decoded.literal.map_or(0, |l| (l >> (8 * (index - 9))) as u8),
        }
    }
}

impl Codec {
    /// The words behind the first two, and whether every operand is as it may be.
    pub(super) fn finish_image<'c>(
        &self,
        entry: &'c Entry,
        places: &Places,
        word: u128,
        bytes: &[u8],
    ) -> Result<Decoded<'c>, Undefined> {
        let first = word & super::bits::ones_wide(u32::from(entry.size) * 8);
        if (first ^ entry.unused_value) & entry.unused != 0 {
            return Err(Undefined::Unused);
        }
        let more = places.nsa.get(word) as usize;
        let size = usize::from(entry.size) + 4 * more;
        if bytes.len() < size {
            return Err(Undefined::Truncated);
        }
        let literal = match more {
            3 => Some(bytes[16..20].iter().rev().fold(0, |value, b| value << 8 | u64::from(*b))),
            _ => None,
        };
        let word = word & super::bits::ones_wide((size * 8).min(128) as u32);
        let decoded = Decoded { entry, word, literal, size: size as u8, second: None, banks: 0 };
        let shape = self.image_shape(places, &decoded).ok_or(Undefined::Operand)?;
        // What is printed as several registers ends within the registers; what no part uses is zero.
        let ends = |register: u8, words: u8| u16::from(register) + u16::from(words) <= 256;
        let data = entry.operands.first().map_or(0, |s| s.bits.get(word) as u8);
        let unused = places.fields > 1
            && (places.least(0).map_or(shape.count, usize::from)..places.fields)
                .any(|i| i >= shape.count && places.register(i, &decoded) != 0);
        let parts = shape.parts().iter().enumerate().all(|(i, words)| ends(places.register(i, &decoded), *words));
        let allowed = entry.operands.iter().skip(2).all(|slot| self.is_allowed(slot, &decoded));
        if ends(data, shape.data) && parts && !unused && allowed { Ok(decoded) } else { Err(Undefined::Operand) }
    }

    fn image_shape(&self, places: &Places, decoded: &Decoded) -> Option<Shape> {
        let data = decoded.entry.operands.first().map_or(0, |s| s.bits.get(decoded.word) as u16);
        let aligned = self.has("aligned_vgprs");
        places.shape(decoded.word, |least, words, listed| {
            let first = match (least, listed) {
                (0, _) => data,
                (_, false) => u16::from(places.register(0, decoded)),
                (_, true) => u16::from(places.register(places.most().saturating_sub(1), decoded)),
            };
            first + u16::from(words) <= 256 && !(aligned && words > 1 && first % 2 == 1)
        })
    }

    /// Tells the registers of an image instruction: nothing and the words of the data, then each part of the address with its first
    /// register and its words.
    pub(super) fn image_registers(&self, places: &Places, decoded: &Decoded, tell: &mut dyn FnMut(Option<usize>, u16, u16)) {
        let Some(shape) = self.image_shape(places, decoded) else { return };
        tell(None, 0, shape.data.into());
        for (i, words) in shape.parts().iter().enumerate() {
            tell(Some(i), places.register(i, decoded).into(), (*words).into());
        }
    }

    /// Writes the operands of an image instruction.
    pub(super) fn print_image(&self, places: &Places, decoded: &Decoded, out: &mut String) {
        let Some(shape) = self.image_shape(places, decoded) else { return };
        let entry = decoded.entry;
        let data = entry.operands.first().map_or(0, |s| s.bits.get(decoded.word) as u16);
        // LLVM's text of samples with a list behind the word has two blanks.
        out.push_str(if shape.count > 1 && places.image.sampler && places.fields == 1 { "  " } else { " " });
        let kind = if entry.acc.get(decoded.word) == 1 { "a" } else { "v" };
        RegisterFile::print_numbered(kind, data, shape.data.into(), out);
        out.push_str(", ");
        let list = shape.count > 1;
        out.push_str(if list { "[" } else { "" });
        for (i, words) in shape.parts().iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            RegisterFile::print_numbered("v", places.register(i, decoded).into(), (*words).into(), out);
        }
        out.push_str(if list { "]" } else { "" });
    }
}

/// The registers of an address as they are written.
#[derive(Default)]
struct Address {
    registers: [u8; LONGEST],
    words: [u8; LONGEST],
    count: usize,
}

impl Attempt<'_> {
    /// Takes the operands and modifiers of an image instruction.
    pub(super) fn image(&mut self, places: &Places, cursor: &mut Cursor) -> Result<(), Problem> {
        let entry = self.entry;
        let start = cursor.position();
        let silent = places.image.noreturn && !places.dim.is_empty() && cursor.identifier() == Some("off");
        let mut data = 0;
        if silent {
            cursor.advance("off".len());
        } else {
            let (register, words, accumulation) = self.vector(cursor, !entry.acc.is_empty())?;
            data = words;
            self.word = entry.operands.first().map_or(self.word, |s| s.bits.set(self.word, register.into()));
            self.word = entry.acc.set(self.word, accumulation.into());
        }
        cursor.take(',');
        let address = self.address(places, cursor)?;
        for slot in entry.operands.iter().skip(2) {
            cursor.take(',');
            self.operand(slot, 2, cursor)?;
        }
        self.modifiers(cursor)?;
        let wrong = |message: String| Err(Problem { span: cursor.span_from(start), message });
        if let Err(message) = self.widths(places, (!silent).then_some(data), &address) {
            return wrong(message);
        }
        self.put(places, &address);
        Ok(())
    }

    /// A vector register or several: number, words, whether it is an accumulation register.
    fn vector(&self, cursor: &mut Cursor, accumulation: bool) -> Result<(u8, u8, bool), Problem> {
        let start = cursor.position();
        let written = self.codec.written(false, cursor)?;
        let wrong = |message: &str| Err(Problem { span: cursor.span_from(start), message: message.into() });
        match written.value {
            _ if written.neg || written.abs || written.sext => wrong("no sign and no absolute value can be taken here"),
            Value::Register { number, words, half: None } if number & VECTOR != 0 => {
                let is = number & ACCUMULATION != 0;
                if is && !accumulation {
                    return wrong("an accumulation register cannot stand here");
                }
                if words > 1 && !self.codec.aligned(Class::V, number & 0xff) {
                    return wrong("several vector registers begin at an even one on this target");
                }
                Ok((number as u8, words.min(255) as u8, is))
            }
            _ => wrong("a vector register is wanted here"),
        }
    }

    fn address(&self, places: &Places, cursor: &mut Cursor) -> Result<Address, Problem> {
        let mut address = Address::default();
        let listed = !places.dim.is_empty() && cursor.take('[');
        loop {
            if address.count == LONGEST {
                return cursor.problem("no address has so many registers");
            }
            let (register, words, _) = self.vector(cursor, false)?;
            address.registers[address.count] = register;
            address.words[address.count] = words;
            address.count += 1;
            if !listed || !cursor.take(',') {
                break;
            }
        }
        if listed {
            cursor.expect(']')?;
        }
        Ok(address)
    }

    /// Whether data and address are as wide as the modifiers say.
    fn widths(&self, places: &Places, data: Option<u8>, address: &Address) -> Result<(), String> {
        let (image, word) = (places.image, self.word);
        let said = |name: &str| self.entry.modifiers.iter().position(|m| m.name == name).is_some_and(|i| self.seen >> i & 1 == 1);
        let written = &address.words[..address.count];
        let wanted = |shape: &Shape| {
            let list: Vec<String> = shape.parts().iter().map(u8::to_string).collect();
            format!("the address has {} registers here", list.join(" + "))
        };
        if image.bvh {
            let shape = places.ray(0, address.count > 1 || places.fields > 1, word);
            if shape.count == 0 || written != shape.parts() {
                return Err(format!("{}, by a16", wanted(&shape)));
            }
            let usual = image.data.first().copied();
            return if data == usual { Ok(()) } else { Err(format!("the result has {} registers", usual.unwrap_or(0))) };
        }
        let mask = places.dmask.get(word);
        if !places.dim.is_empty() && !said("dim") {
            return Err("`dim` is missing".into());
        }
        if image.msaa && places.dimension(word).is_some_and(|d| !d.msaa) {
            return Err("the dimension must be one with several samples: 2D_MSAA or 2D_MSAA_ARRAY".into());
        }
        if (image.atomic || data.is_none()) && !matches!(mask, 0x1 | 0x3 | 0xf) {
            return Err("dmask must be 0x1, 0x3 or 0xf here".into());
        }
        if image.gather4 && mask.count_ones() != 1 {
            return Err("dmask must have one bit here, of the component that is gathered".into());
        }
        if let Some(data) = data {
            let words = places.data_words(word);
            if data != words || !image.data.contains(&data) {
                return Err(format!("the data has {words} registers here, by dmask, d16 and tfe"));
            }
        }
        if places.dim.is_empty() {
            let is = |words: &u8| places.image.is_width(*words);
            return if written.iter().all(is) { Ok(()) } else { Err("there is no address of so many registers".into()) };
        }
        let words = places.address_words(word);
        let (low, high) = places.image.range();
        let total = written.iter().fold(0u8, |all, w| all.saturating_add(*w));
        let list = address.count > 1 || places.fields > 1;
        if !(if list { (low..=high.min(12)).contains(&total) } else { places.image.is_width(total) }) {
            return Err("the instruction has no address of so many registers".into());
        }
        let shape = if list { places.listed(0, words) } else { Places::whole(0, words) };
        // What was written before there were five, six and seven registers.
        let old = places.fields == 1 && written == [8] && (5..=7).contains(&words);
        // Where each part is one register but the last could be more, LLVM takes any width of it.
        let any = match written {
            [ones @ .., _] if written.len() == places.most() && usize::from(words) == written.len() => {
                ones.iter().all(|w| *w == 1) && places.image.sampler
            }
            _ => false,
        };
        if written == shape.parts() || old || any { Ok(()) } else { Err(format!("{}, by dim and a16", wanted(&shape))) }
    }

    /// Puts the registers of the address into their fields and behind the word.
    fn put(&mut self, places: &Places, address: &Address) {
        for (i, register) in address.registers[..address.count].iter().enumerate() {
            let value = u128::from(*register);
            match i {
                0 => self.word = places.address[0].set(self.word, value as u64),
                _ if places.fields > 1 => self.word = places.address.get(i).map_or(self.word, |b| b.set(self.word, value as u64)),
                1..=8 => self.word |= value << (56 + 8 * i),
                _ => self.literal = Some((self.literal.map_or(0, |l| l.0) | (value as u64) << (8 * (i - 9)), 4)),
            }
        }
        if places.fields == 1 {
            let more = (address.count - 1).div_ceil(4);
            self.word = places.nsa.set(self.word, more as u64);
            // Three words more: the last is told apart from the sixteen bytes before it.
            self.size += 4 * more.min(2) as u8;
            if more == 3 && self.literal.is_none() {
                self.literal = Some((0, 4));
            }
        }
    }
}
