//! Accesses to memory: from address operands to the rows that the functions of loads, stores and atomics take.
//!
//! The same functions serve both vendors: they take an address row, an offset, and rows of values. Results of loads go to rows of their own first and
//! to their registers when the program has waited for them. AMDGPUUsage and AMD's ISA guides say how addresses are made.

use super::code::Code;
use super::frame::{EXEC, Frame, NULL, ROW, SCRATCH, SINK};
use super::lower::Instruction;
use amdgpu::codec::value::{Value, What};
use amdgpu::codec::{Codec, Decoded};
use isa::amdgpu::Run;
use machine::mods::Space;
use machine::op::NONE;
use machine::wave::{Counters, ranges_meet};
use machine::{Handler, Mods, Op, Type};
use semantics::{buffer, image, operand, transpose};

/// How the encodings of accesses make addresses.
const ACCESSES: [(&str, Addressing); 13] = [
    ("flat", Addressing::Flat),
    ("global", Addressing::Global),
    ("scratch", Addressing::Scratch),
    ("ds", Addressing::Lds),
    ("ldsdir", Addressing::Direct),
    ("smem", Addressing::Scalar),
    ("smemr", Addressing::Scalar),
    ("mubuf", Addressing::Buffer),
    ("mtbuf", Addressing::Buffer),
    ("mimg", Addressing::Image),
    ("vimage", Addressing::Image),
    ("vsample", Addressing::Image),
    ("tensor", Addressing::Tile),
];

/// The bit of a cache policy that asks for offsets counted in what is accessed (`scale_offset`).
const SCALE_OFFSET: u32 = 11;

/// How an address is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Addressing {
    Flat,
    Global,
    Scratch,
    Lds,
    /// M0 has the address.
    Direct,
    Scalar,
    Buffer,
    Image,
    Tile,
}

fn addressing(decoded: &Decoded) -> Option<Addressing> {
    ACCESSES.iter().find(|a| a.0 == decoded.entry.encoding.name).map(|a| a.1)
}

/// Whether an instruction accesses memory by its encoding.
pub fn is_access(decoded: &Decoded) -> bool {
    addressing(decoded).is_some()
}

/// What counts the loads that have written their registers when an instruction that loads to the same ones does: they come in order. LLVM 22,
/// SIInsertWaitcnts.cpp and the feature vmem-write-vgpr-in-order.
pub fn behind(codec: &Codec, decoded: &Decoded) -> Counters {
    match addressing(decoded) {
        None | Some(Addressing::Scalar | Addressing::Direct) => Counters::default(),
        Some(Addressing::Lds) => Counters::LDS,
        Some(_) if codec.has("ordered_loads") => Counters::LOAD,
        Some(_) => Counters::default(),
    }
}

/// Whether a load writes one half of its register and has no need of the other.
pub fn keeps_a_half(codec: &Codec, decoded: &Decoded) -> bool {
    is_access(decoded) && decoded.entry.instruction.run_on(codec.target).is_some_and(|run| run.setting("part").is_some())
}

/// One of the places that an instruction accesses.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Bytes added to the address.
    offset: i32,
    /// The first word of the result that comes from there, and how many do.
    words: (u32, u32),
    /// The operands with what goes there.
    data: &'static [&'static str],
}

/// An access in the making.
struct Access<'a, 'c> {
    instruction: &'a Instruction<'c>,
    addressing: Addressing,
    /// What the record says of it.
    run: &'a Run,
    choose: fn(&Op) -> Option<Handler>,
    /// The settings of the function.
    mods: Mods,
    /// Bytes added to the address.
    offset: i32,
    /// The type of an element in memory.
    element: Type,
}

/// Adds the ops of an access.
pub fn access(code: &mut Code, instruction: &Instruction, run: &Run, choose: fn(&Op) -> Option<Handler>) -> Result<(), String> {
    let decoded = &instruction.decoded;
    let addressing = addressing(decoded).ok_or("its encoding makes no address")?;
    let mut mods = super::lower::mods(run)?;
    mods.set("unaligned", None)?;
    mods.space = match addressing {
        Addressing::Flat => Space::Generic,
        Addressing::Lds | Addressing::Direct => Space::Shared,
        _ => Space::Global,
    };
    let element = element(run)?;
    let mut access = Access { instruction, addressing, run, choose, mods, offset: offset(instruction), element };
    if addressing == Addressing::Image {
        if !access.is_atomic() {
            return super::image::lower(code, instruction, run, choose, access.counters());
        }
        access.element = access.combined()?;
    }
    let written = |name: &&str| access.is_written(name);
    if written(&"gds") {
        return Err("with `gds` is not executable yet".into());
    }
    let scales = match addressing {
        Addressing::Scalar => true,
        Addressing::Global => access.scalar_base().is_some(),
        Addressing::Scratch => access.operand("vaddr").is_some_and(|value| matches!(value.what, What::Vector(_))),
        _ => false,
    };
    if access.scales_offset() && !scales {
        return Err("with `scale_offset` is not executable yet without a vector offset from scalar registers".into());
    }
    if addressing == Addressing::Lds && (run.function.starts_with("wave::") || run.function == "atomic::count") {
        return access.lanes(code);
    }
    match addressing {
        _ if run.setting("second").is_some() => access.with_second(code),
        Addressing::Scalar => access.scalar(code),
        Addressing::Direct => access.direct(code),
        Addressing::Tile => access.tile(code),
        _ if run.function.starts_with("lds_copy::") => access.copy(code),
        _ if run.setting("block").is_some() => access.block(code),
        _ if run.function.starts_with("format::") => access.formatted(code),
        _ => access.vector(code),
    }
}

/// Whether an instruction copies to LDS in the background.
pub fn copies_to_lds(codec: &Codec, decoded: &Decoded) -> bool {
    decoded.entry.instruction.run_on(codec.target).is_some_and(|run| run.function.starts_with("lds_copy::load"))
}

/// What counts an access until its result is in registers; nothing of one whose result goes to LDS.
pub fn counters(instruction: &Instruction, run: &Run) -> Option<Counters> {
    let (addressing, element) = (addressing(&instruction.decoded)?, element(run).ok()?);
    let access = Access { instruction, addressing, run, choose: |_| None, mods: Mods::default(), offset: 0, element };
    (!access.goes_to_lds()).then(|| access.counters())
}

/// The type of an element in memory.
fn element(run: &Run) -> Result<Type, String> {
    let Some(name) = run.setting("as") else { return Ok(Type::U32) };
    Type::parse(name).ok_or_else(|| format!("its record accesses elements of type `{name}`"))
}

/// The constant that is added to the address.
fn offset(instruction: &Instruction) -> i32 {
    let (codec, decoded) = (instruction.codec, &instruction.decoded);
    let is_offset = |name: &str| matches!(name, "offset" | "flat_offset" | "smem_offset" | "swizzle");
    let Some(modifier) = decoded.entry.modifiers.iter().find(|m| is_offset(m.name)) else { return 0 };
    let bits = modifier.bits.get(decoded.word);
    let unused = 64 - u32::from(modifier.bits.width());
    if decoded.entry.encoding.signed.has(codec.target) { ((bits << unused) as i64 >> unused) as i32 } else { bits as i32 }
}

/// Adds what lets the words in the rows `from` wait until they go to the registers `to`, or copies them there at once, where nobody could see that they wait:
/// so many of the lanes that a mask has.
pub fn put_late(code: &mut Code, rows: (u32, u32), size: (u32, u32), counters: Counters, part: i32) {
    put_late_read(code, rows, size, counters, part, None);
}

/// The same of what was read in LDS, elements of a type at the addresses of a row and an offset.
fn put_late_read(
    code: &mut Code,
    (from, to): (u32, u32),
    (words, lanes): (u32, u32),
    counters: Counters,
    part: i32,
    read: Option<(Type, u32, i32)>,
) {
    let waited = code.tables.waited;
    if waited && (words == 0 || from == to) {
        return;
    }
    let mut late = Op {
        guard: lanes,
        wide: code.frame.halves == 2,
        arity: words as u8,
        imm: i32::from(counters.0) | part << 8,
        ..Op::new(if waited { operand::write_loaded } else { operand::write_late })
    };
    (late.dst[0], late.src[0]) = (to, from);
    if let Some((ty, row, offset)) = read {
        (late.ty, late.src[2], late.imm) = (ty, row, late.imm | offset << 16);
    }
    code.push(late);
}

impl Access<'_, '_> {
    fn operand(&self, name: &str) -> Option<Value> {
        let (codec, decoded) = (self.instruction.codec, &self.instruction.decoded);
        let slot = decoded.entry.operands.iter().find(|slot| slot.operand.name == name)?;
        Some(codec.value_of(slot, decoded))
    }

    /// What an atomic of an image combines: numbers twice as wide where `dmask` names twice as many registers.
    fn combined(&self) -> Result<Type, String> {
        let operands = if self.run.function.starts_with("atomic::compare") { 2 } else { 1 };
        let words = self.words("vdata");
        match (words.checked_div(operands), self.element) {
            (Some(1), element) if words == operands => Ok(element),
            (Some(2), Type::U32) if words == 2 * operands => Ok(Type::U64),
            (Some(2), Type::S32) if words == 2 * operands => Ok(Type::S64),
            (Some(2), Type::F32) if words == 2 * operands => Ok(Type::F64),
            _ => Err(format!("with a dmask of {words} registers is not executable: it takes {operands}, or twice as many")),
        }
    }

    /// Words of an operand.
    fn words(&self, name: &str) -> u32 {
        if self.addressing == Addressing::Image && name == "vdata" {
            let mask = self.instruction.codec.field_of(&self.instruction.decoded, "dmask");
            return mask.unwrap_or(0).count_ones();
        }
        let slot = self.instruction.decoded.entry.operands.iter().find(|slot| slot.operand.name == name);
        // What has no register, since it goes to LDS, is as long as the record says.
        let said = || self.number("words").unwrap_or(1);
        // The last register with `tfe` is written only where memory was not there, which is a fault here.
        let told = u32::from(name == "vdata" && self.is_written("tfe"));
        slot.map_or_else(said, |slot| u32::from(slot.words).saturating_sub(told))
    }

    fn setting(&self, name: &str) -> Option<&'static str> {
        self.run.setting(name)
    }

    fn number(&self, name: &str) -> Option<u32> {
        self.setting(name)?.parse().ok()
    }

    /// Whether it gives a result that waits.
    fn gives_result(&self) -> bool {
        let function = self.run.function;
        match () {
            _ if self.goes_to_lds() => true,
            _ if self.setting("second").is_some() => false,
            _ if self.addressing == Addressing::Image && !self.is_atomic() => function != "image::store",
            _ if function.starts_with("format::") => function != "format::store",
            _ => self.operand(self.result()).is_some(),
        }
    }

    /// What counts the access until it is done.
    fn counters(&self) -> Counters {
        let returns = self.gives_result();
        let stores = if self.instruction.codec.has("store_counter") { Counters::STORE } else { Counters::LOAD };
        // Loads of samples, and what else has their encoding, are counted apart where the encoding is.
        let loads = if self.instruction.decoded.entry.encoding.name == "vsample" { Counters::SAMPLE } else { Counters::LOAD };
        let vector = if returns { loads } else { stores };
        match self.addressing {
            Addressing::Scalar => Counters::SCALAR,
            Addressing::Lds => Counters::LDS,
            Addressing::Direct => Counters::EXPORT,
            Addressing::Flat => vector.or(Counters::LDS),
            _ => vector,
        }
    }

    fn scalar(&self, code: &mut Code) -> Result<(), String> {
        let cell = |value: Option<Value>| match value.map(|v| v.what) {
            Some(What::Scalar(number)) => Some(Frame::scalar(number)),
            Some(What::Null) => Some(NULL),
            _ => None,
        };
        let mut op = Op { ty: self.element, mods: self.mods, imm: self.offset, ..Op::new(operand::copy_row) };
        op.src[0] = cell(self.operand("sbase")).ok_or("its base is no scalar register")?;
        op.src[1] = cell(self.operand("soffset")).unwrap_or(NONE);
        if let Some(What::Constant(bits)) = self.operand("offset").map(|v| v.what) {
            op.imm = bits as i32;
        }
        let scale = self.number("scale").or_else(|| self.scales_offset().then(|| self.bytes("sdst")));
        if let Some(scale) = scale {
            op.src[3] = code.constant(scale.into(), 32);
        }
        // A base of four registers is a buffer's descriptor.
        if self.words("sbase") == 4 {
            op.src[2] = code.constant(self.layout().into(), 32);
        }
        op.wide = self.returns();
        op.dst[0] = match self.operand("sdst").map(|v| v.what) {
            Some(What::Null) => SINK,
            _ => cell(self.operand("sdst")).unwrap_or(NONE),
        };
        op.arity = self.words("sdst") as u8;
        self.push(code, op)
    }

    fn vector(&self, code: &mut Code) -> Result<(), String> {
        let halves = code.frame.halves;
        let result = self.operand(self.result());
        let to_lds = self.goes_to_lds();
        let words = match self.addressing {
            _ if to_lds => self.words("vdata"),
            Addressing::Buffer | Addressing::Image if self.is_atomic() => self.element.bits() / 32,
            _ if self.setting("transpose").is_some() => self.words_loaded(code.frame.halves),
            _ => self.words(self.result()),
        };
        // A result has rows of its own until it is written. What takes two operands always gives one.
        let staged = match result {
            None if !to_lds && !self.is_atomic() || matches!(self.run.function, "atomic::atom" | "atomic::red") => None,
            _ => {
                let register = result.and_then(|value| code.frame.row_of(value.what));
                Some(self.landing(code, register, words.max(self.element.bits() / 32))?)
            }
        };
        // Of what a buffer does not have, zero is loaded.
        if let (Addressing::Buffer | Addressing::Image, Some(staged)) = (self.addressing, staged) {
            let mut clear = Op { arity: (words * halves) as u8, ..Op::new(operand::clear) };
            clear.dst[0] = staged;
            code.push(clear);
        }
        let places = self.places(words);
        // What is transposed for 64 lanes and loaded for 32 is told apart by its words.
        let loading = if self.setting("transpose").is_some() && words > self.words("vdst") { 1 } else { halves };
        for (half, place) in (0..loading).flat_map(|half| places.iter().map(move |place| (half, *place))) {
            let mut op = Op {
                mods: self.mods,
                arity: 1,
                ty: self.element,
                reg: if self.element.signed() { Type::S32 } else { Type::U32 },
                guard: Frame::scalar(EXEC) + 4 * half,
                imm: place.offset,
                ..Op::new(operand::copy_row)
            };
            let parts = self.address(code, &mut op, half)?;
            let stored = self.data(code, &mut op, half, place.data)?;
            let loaded = staged.map(|staged| self.staging(code, &mut op, half, staged, place.words)).transpose()?;
            self.push(code, op)?;
            if let Some(make) = parts {
                self.word_by_word(code, op, make, &stored, &loaded.unwrap_or_default())?;
            }
            if let Some(staged) = staged.filter(|_| self.element.bits() == 64 && self.is_atomic()) {
                let mut split = Op { guard: op.guard, ..Op::new(operand::split()) };
                let row = |word: u32| staged + (word * halves + half) * ROW;
                (split.src[0], split.dst) = (op.dst[0], [row(place.words.0), row(place.words.0 + 1)]);
                code.push(split);
            }
        }
        match staged {
            Some(staged) if to_lds => self.copy_to_lds(code, staged, words),
            Some(staged) if self.setting("transpose").is_some() => self.transposed(code, staged, words)?,
            _ => self.late(code, staged.filter(|_| result.is_some()), words),
        }
        Ok(())
    }

    /// Combines what is at an address of LDS with what is at another, which the offset makes of it.
    fn with_second(&self, code: &mut Code) -> Result<(), String> {
        let load = semantics::find("memory::load").map(|function| &function.shape);
        let Some(semantics::Shape::Group(load)) = load else { return Err("needs loads, which do not exist".into()) };
        let lane = self.operand("addr").and_then(|value| code.frame.row_of(value.what));
        let lane = lane.ok_or("its address is no vector register")?;
        for half in 0..code.frame.halves {
            let [first, second] = [code.row(32, 1)?, code.row(32, 1)?];
            let mut make = Op { imm: self.offset, ..Op::new(operand::second_address) };
            (make.dst, make.src[0]) = ([first, second], lane + half * ROW);
            code.push(make);
            let words = self.element.bits() / 32;
            let rows = (0..words).map(|_| code.row(32, 1)).collect::<Result<Vec<u32>, String>>()?;
            let mut op = Op {
                mods: self.mods,
                arity: words as u8,
                ty: Type::U32,
                guard: Frame::scalar(EXEC) + 4 * half,
                ..Op::new(operand::copy_row)
            };
            (op.src[0], op.dst[0]) = (second, code.elements(&rows));
            let handler = load(&op).ok_or("its second operand cannot be loaded")?;
            code.push(Op { run: handler, ..op });
            (op.src[0], op.dst[0]) = (first, NONE);
            op.src[1] = match rows[..] {
                [low, high] if self.is_atomic() => {
                    let at = code.row(64, 1)?;
                    let mut join = Op::new(operand::join());
                    (join.dst[0], join.src[0], join.src[1]) = (at, low, high);
                    code.push(join);
                    at
                }
                _ => code.elements(&rows),
            };
            if self.is_atomic() {
                let reg = if self.element.signed() { Type::S32 } else { Type::U32 };
                (op.ty, op.reg, op.arity) = (self.element, reg, 1);
            }
            self.push(code, op)?;
        }
        self.late(code, None, 0);
        Ok(())
    }

    /// Starts to move a tile that a descriptor in scalar registers describes.
    fn tile(&self, code: &mut Code) -> Result<(), String> {
        let mut op = Op::new(operand::copy_row);
        for (src, name) in op.src.iter_mut().zip(["vaddr0", "vaddr1", "vaddr2", "vaddr3"]) {
            *src = match self.operand(name).map(|v| v.what) {
                Some(What::Scalar(number)) => Frame::scalar(number),
                None => NONE,
                _ => return Err("its descriptor is not in scalar registers".into()),
            };
        }
        self.push(code, op)
    }

    /// Starts to copy between LDS and global memory, or to arrive behind such copies.
    fn copy(&self, code: &mut Code) -> Result<(), String> {
        if code.frame.halves != 1 {
            return Err("in wavefronts of 64 lanes is nothing that a target has".into());
        }
        let row = |name: &str| self.operand(name).and_then(|value| code.frame.row_of(value.what));
        let lds = row("vdst").or_else(|| row("vdata"));
        let mut op =
            Op { guard: Frame::scalar(EXEC), imm: self.offset, arity: self.copied() as u8, ..Op::new(operand::copy_row) };
        self.address(code, &mut op, 0)?;
        op.src[1] = lds.unwrap_or(NONE);
        op.src[2] = Frame::scalar(code.frame.m0);
        self.push(code, op)
    }

    /// Bytes of LDS that each lane copies.
    fn copied(&self) -> u32 {
        match self.setting("as") {
            Some(_) => self.element.bits() / 8,
            None => 4 * self.number("words").unwrap_or(1),
        }
    }

    /// Loads or stores the registers behind the first one whose bits are set in M0, each at its own place.
    fn block(&self, code: &mut Code) -> Result<(), String> {
        let halves = code.frame.halves;
        let loads = self.run.function == "memory::load";
        let name = if loads { "vdst" } else { "vdata" };
        let (words, value) = (self.words(name), self.operand(name));
        let first = value.and_then(|value| code.frame.row_of(value.what)).ok_or("its data is in no vector registers")?;
        let staged = if loads { code.row(32, words * halves)? } else { first };
        let m0 = Frame::scalar(code.frame.m0);
        for half in 0..halves {
            let exec = Frame::scalar(EXEC) + 4 * half;
            let mut access = Op { mods: self.mods, reg: Type::U32, guard: exec, ..Op::new(operand::copy_row) };
            access.imm = self.offset;
            self.address(code, &mut access, half)?;
            let guard = code.cell(1)?;
            for word in 0..words {
                let mut choose = Op { imm: word as i32, ..Op::new(operand::lanes_if_bit) };
                (choose.dst[0], choose.src[0], choose.src[1]) = (guard, exec, m0);
                code.push(choose);
                let row = staged + (word * halves + half) * ROW;
                let mut op = Op { guard, imm: self.offset + 4 * word as i32, ..access };
                if loads {
                    op.dst[0] = row
                } else {
                    op.src[1] = row
                }
                self.push(code, op)?;
            }
        }
        if !loads {
            self.late(code, None, 0);
            return Ok(());
        }
        let late = code.ops.len();
        self.late(code, Some(staged), words);
        code.ops[late].src[1] = m0;
        Ok(())
    }

    /// Exchanges the elements of what was loaded between the lanes, and lets the result wait.
    fn transposed(&self, code: &mut Code, loaded: u32, words: u32) -> Result<(), String> {
        let said = |key: &str| self.setting(key).ok_or_else(|| format!("its record says no `{key}`"));
        let own = self.setting("source64").filter(|_| code.frame.halves == 2);
        let lanes: Vec<&str> = own.map_or_else(|| said("source"), Ok)?.split('+').collect();
        let elements: u32 = said("transpose")?.parse().map_err(|_| "its record has elements of no size")?;
        let result = self.words("vdst");
        let pattern = transpose::Pattern::parse(&lanes, elements, (32 * words, 32 * result), code.frame.halves)
            .ok_or("its record moves elements in a way that fits neither the wavefront nor its registers")?;
        let halves = code.frame.halves;
        let made = code.row(32, result * halves)?;
        let mut op = Op { guard: Frame::scalar(EXEC), wide: halves == 2, ..Op::new(transpose::exchange) };
        (op.dst[0], op.src[0], op.src[1]) = (made, loaded, code.list(&pattern.numbers()));
        code.push(op);
        self.late(code, Some(made), result);
        Ok(())
    }

    /// The words that each lane loads for a result that is transposed: as many as the record says where they are not those of the result.
    fn words_loaded(&self, halves: u32) -> u32 {
        match self.number("words") {
            Some(words) if halves == 2 => words,
            _ => self.words("vdst"),
        }
    }

    /// Whether what is loaded goes to LDS.
    fn goes_to_lds(&self) -> bool {
        self.run.function != "memory::store" && (self.setting("lds").is_some() || self.is_written("lds"))
    }

    /// Whether a modifier is written, that is: not a bit of another meaning, as gfx940 has it for that of `lds` in accesses to scratch memory.
    fn is_written(&self, name: &str) -> bool {
        self.field(name) && self.instruction.decoded.entry.modifiers.iter().any(|m| m.name == name)
    }

    /// The bits of M0 that say where in LDS words go.
    fn lds_bits(&self) -> u32 {
        if self.instruction.codec.has("lds_160k") { 0x3ffff } else { 0xffff }
    }

    /// Lets the words that were loaded wait until they go to LDS, at M0 and the offset of the address.
    fn copy_to_lds(&self, code: &mut Code, staged: u32, words: u32) {
        let bits = self.lds_bits();
        let mut copy = Op {
            guard: Frame::scalar(EXEC),
            wide: code.frame.halves == 2,
            arity: words as u8,
            imm: self.counters().0.into(),
            ..Op::new(operand::copy_to_lds)
        };
        (copy.src[0], copy.src[1], copy.src[2]) = (staged, Frame::scalar(code.frame.m0), bits);
        copy.dst[0] = self.offset as u32;
        code.push(copy);
    }

    /// Accesses the words of a buffer one by one, for lanes that do not have all of them next to one another: `make` makes their addresses.
    fn word_by_word(&self, code: &mut Code, whole: Op, make: Op, stored: &[u32], loaded: &[u32]) -> Result<(), String> {
        for word in 0..stored.len().max(loaded.len()) {
            let exist = code.cell(1)?;
            let mut make = Op { imm: make.imm + 4 * word as i32, arity: 4, ..make };
            (make.run, make.guard, make.dst[1]) = (buffer::word, whole.guard + 4, exist);
            code.push(make);
            let mut op = Op { guard: exist, arity: 1, ..whole };
            if let Some(row) = stored.get(word) {
                op.src[1] = *row;
            }
            if let Some(row) = loaded.get(word) {
                op.dst[0] = *row;
            }
            self.push(code, op)?;
        }
        Ok(())
    }

    /// Moves values between lanes, by the unit for LDS.
    fn lanes(&self, code: &mut Code) -> Result<(), String> {
        let halves = code.frame.halves;
        let staged = code.row(32, halves)?;
        let mut op = Op {
            mods: self.mods,
            arity: halves as u8,
            guard: Frame::scalar(EXEC),
            imm: self.offset,
            ..Op::new(operand::copy_row)
        };
        op.dst[0] = staged;
        for (src, name) in op.src.iter_mut().zip(["addr", "data0"]) {
            *src = self
                .operand(name)
                .map_or(Some(NONE), |value| code.frame.row_of(value.what))
                .ok_or("its operand is no vector register")?;
        }
        if self.setting("m0").is_some() {
            op.src[2] = Frame::scalar(code.frame.m0);
        }
        self.push(code, op)?;
        self.late(code, Some(staged), 1);
        Ok(())
    }

    /// Loads one value of LDS for all lanes of each four of which one is active.
    fn direct(&self, code: &mut Code) -> Result<(), String> {
        let halves = code.frame.halves;
        let register =
            self.operand("vdst").and_then(|value| code.frame.row_of(value.what)).ok_or("its result has no register")?;
        let (staged, fours) = (code.row(32, halves)?, code.cell(halves)?);
        let mut op = Op { mods: self.mods, arity: halves as u8, guard: Frame::scalar(EXEC), ..Op::new(operand::copy_row) };
        (op.dst, op.src[0]) = ([staged, fours], Frame::scalar(code.frame.m0));
        self.push(code, op)?;
        put_late(code, (staged, register), (1, fours), self.counters(), 0);
        Ok(())
    }

    /// Adds the op of the function.
    fn push(&self, code: &mut Code, op: Op) -> Result<(), String> {
        super::lower::push(code, self.run, self.choose, op)
    }

    /// The operand that is written: buffer instructions have one operand for what is loaded and for what is stored.
    fn result(&self) -> &'static str {
        let loads = matches!(self.run.function, "memory::load" | "format::load") || self.is_atomic() && self.returns();
        if matches!(self.addressing, Addressing::Buffer | Addressing::Image) && loads { "vdata" } else { "vdst" }
    }

    /// Whether the cache policy asks an atomic for what was in memory before.
    fn returns(&self) -> bool {
        self.policy().is_some_and(|bits| bits & 1 == 1)
    }

    /// The cache policy.
    fn policy(&self) -> Option<u64> {
        let decoded = &self.instruction.decoded;
        let fixed = || self.instruction.codec.field_of(decoded, "cpol");
        decoded.entry.modifiers.iter().find(|m| m.name.starts_with("cpol")).map(|m| m.bits.get(decoded.word)).or_else(fixed)
    }

    /// How many features lay buffer descriptors out, as `semantics::buffer` counts them.
    fn layout(&self) -> u32 {
        let features = ["oob_select", "swizzle_modes", "wide_records"];
        features.iter().filter(|feature| self.instruction.codec.has(feature)).count() as u32
    }

    /// Bytes that are accessed: of an operand's words, or of an element.
    fn bytes(&self, operand: &str) -> u32 {
        match self.setting("as") {
            Some(_) => self.element.bits() / 8,
            None => 4 * self.words(operand),
        }
    }

    /// Whether a field of the encoding that is one bit is set.
    fn field(&self, name: &str) -> bool {
        self.instruction.codec.field_of(&self.instruction.decoded, name) == Some(1)
    }

    fn is_atomic(&self) -> bool {
        self.run.function.starts_with("atomic::")
    }

    /// What the instruction accesses: one place, or two with an offset each, counted in elements (`two=1`) or in 64 of them.
    fn places(&self, words: u32) -> Vec<Place> {
        let Some(step) = self.setting("two") else {
            let data: &[&str] = if self.run.function == "memory::load" { &[] } else { &["vdata", "data0", "data1"] };
            return vec![Place { offset: self.offset, words: (0, words), data }];
        };
        let each = match self.operand("data0") {
            Some(_) => self.words("data0"),
            None => words / 2,
        };
        let scale = 4 * each * step.parse().unwrap_or(1);
        let modifier = |name| self.instruction.codec.modifier_of(&self.instruction.decoded, name).unwrap_or(0) as u32;
        let at = |name| (modifier(name) * scale) as i32;
        if self.run.function == "memory::store"
            && at("offset0") == at("offset1")
            && self.instruction.codec.has("one_of_equal_places")
        {
            return vec![Place { offset: at("offset0"), words: (0, each), data: &["data0"] }];
        }
        vec![
            Place { offset: at("offset0"), words: (0, each), data: &["data0"] },
            Place { offset: at("offset1"), words: (each, each), data: &["data1"] },
        ]
    }

    /// Lets the result wait in its rows until the program has waited for it; counts an access that has none. Where nobody could see that it waits, it goes to its
    /// registers at once, if it is not there already.
    fn late(&self, code: &mut Code, staged: Option<u32>, words: u32) {
        let result = self.operand(self.result()).filter(|_| staged.is_some());
        let register = result.and_then(|value| code.frame.row_of(value.what)).unwrap_or(0);
        let part = match self.setting("part") {
            Some("lower") if result.is_some() => 1,
            Some("upper") if result.is_some() => 2,
            _ => 0,
        };
        let words = if result.is_some() { words } else { 0 };
        let read = self.operand("addr").and_then(|value| code.frame.row_of(value.what)).zip(self.places(words).first().copied());
        let read = read.filter(|_| code.copies && self.addressing == Addressing::Lds && self.places(words).len() == 1);
        let read = read.map(|(row, place)| (self.element, row, place.offset));
        put_late_read(code, (staged.unwrap_or(register), register), (words, Frame::scalar(EXEC)), self.counters(), part, read);
    }

    /// Where the words that are loaded go: to rows of their own until they may be written, or to the registers, if they may be at once.
    fn landing(&self, code: &mut Code, register: Option<u32>, words: u32) -> Result<u32, String> {
        let own = code.tables.waited
            && !matches!(self.addressing, Addressing::Buffer | Addressing::Image)
            && self.setting("part").is_none();
        let (size, sources) = (words * code.frame.halves * ROW, ["vaddr", "addr", "vdata", "data", "data0", "data1"]);
        // What is loaded from one place may replace the address; otherwise all is read before anything is written.
        let alone = self.run.function == "memory::load" && self.setting("two").is_none();
        let source =
            |name: &&str| Some((code.frame.row_of(self.operand(name)?.what)?, self.words(name) * code.frame.halves * ROW));
        match register {
            Some(register)
                if own && (alone || !sources.iter().filter_map(source).any(|one| ranges_meet(one, (register, size)))) =>
            {
                Ok(register)
            }
            _ => code.row(32, words * code.frame.halves),
        }
    }

    /// The cells of the part of an address that is in scalar registers.
    fn scalar_base(&self) -> Option<u32> {
        match self.operand("saddr").map(|v| v.what) {
            Some(What::Scalar(number)) => Some(Frame::scalar(number)),
            _ => None,
        }
    }

    /// Whether the instruction asks for an offset that counts what is accessed.
    fn scales_offset(&self) -> bool {
        self.policy().is_some_and(|bits| bits >> SCALE_OFFSET & 1 == 1) && self.instruction.codec.has("signed_lane_offsets")
    }

    /// What a lane's offset from a base in scalar registers is multiplied by: the bytes that are accessed, where the instruction asks for it.
    fn scale(&self) -> i32 {
        match self.scales_offset() {
            false => 1,
            true if self.run.function.starts_with("lds_copy::") => self.copied() as i32,
            true if self.operand("vdst").is_some() => self.bytes("vdst") as i32,
            true => self.bytes("vdata") as i32,
        }
    }

    /// Bytes that an access reads or writes.
    fn reach(&self) -> u8 {
        if self.is_atomic() || self.setting("as").is_some() {
            return (self.element.bits() / 8) as u8;
        }
        let words = [self.result(), "vdata", "data"].map(|name| self.operand(name).map_or(0, |_| self.words(name)));
        4 * words.into_iter().max().unwrap_or(1).max(1) as u8
    }

    /// Makes the row of addresses. Of a vector in a buffer, gives the op that made it.
    fn address(&self, code: &mut Code, op: &mut Op, half: u32) -> Result<Option<Op>, String> {
        let lane = self.operand("vaddr").or_else(|| self.operand("addr"));
        let mut lane = lane.and_then(|value| code.frame.row_of(value.what)).map(|row| row + half * ROW);
        if self.setting("addtid").is_some() {
            let at = code.row(32, 1)?;
            let base = if self.addressing == Addressing::Lds { Frame::scalar(code.frame.m0) } else { NULL };
            code.adapt(operand::lane_offsets, at, base, 32 * half as i32);
            lane = Some(at);
        }
        let (begin, guard) = (SCRATCH + half * 2 * ROW, Frame::scalar(EXEC) + 4 * half);
        if self.addressing == Addressing::Lds {
            op.src[0] = lane.ok_or("its address is no vector register")?;
            return Ok(None);
        }
        op.wide = true;
        op.src[0] = code.row(64, 1)?;
        match self.addressing {
            Addressing::Buffer => return self.buffer(code, op, half),
            Addressing::Image => return self.texel(code, op, half),
            _ => {}
        }
        let mut make = Op::new(operand::base_and_lane);
        make.dst[0] = op.src[0];
        match (self.addressing, self.scalar_base()) {
            (Addressing::Scratch, scalar) => {
                make.run = operand::scratch_address;
                (make.guard, make.imm, make.arity, make.src[3]) = (guard, op.imm, self.reach(), self.scale() as u32);
                (make.src[0], make.src[1], make.src[2]) = (begin, lane.unwrap_or(NONE), scalar.unwrap_or(NONE));
            }
            (_, Some(base)) => {
                (make.src[0], make.src[1], make.imm) = (base, lane.unwrap_or(NONE), self.scale());
                make.ty = if self.instruction.codec.has("signed_lane_offsets") { Type::S32 } else { Type::U32 };
            }
            (_, None) => {
                let low = lane.ok_or("it has no address")?;
                make.run = operand::join();
                (make.src[0], make.src[1]) = (low, low + code.frame.halves * ROW);
            }
        }
        code.push(make);
        if self.addressing == Addressing::Flat {
            let wide = self.instruction.codec.has("wide_records");
            let mut flat = Op { guard, wide, imm: self.offset, arity: self.reach(), ..Op::new(operand::flat_address) };
            (flat.dst[0], flat.src[0], flat.src[1]) = (op.src[0], op.src[0], begin);
            code.push(flat);
        }
        Ok(None)
    }

    /// Makes the row of addresses of texels; lanes without one are guarded against.
    fn texel(&self, code: &mut Code, op: &mut Op, half: u32) -> Result<Option<Op>, String> {
        let exist = code.cell(2)?;
        let mut make = super::image::sources(code, self.instruction, self.run, half)?;
        make.run = image::address;
        make.arity = (self.element.bits() / 8) as u8;
        make.dst = [op.src[0], exist];
        code.push(make);
        (op.guard, op.imm) = (exist, 0);
        Ok(None)
    }

    /// Makes the row of addresses in a buffer; lanes that are out of its range are guarded against.
    fn buffer(&self, code: &mut Code, op: &mut Op, half: u32) -> Result<Option<Op>, String> {
        let exist = code.cell(2)?;
        let mut make = self.in_buffer(code, half)?;
        make.run = buffer::address;
        make.imm = op.imm;
        make.arity = if self.is_atomic() { self.element.bits() / 8 } else { self.bytes("vdata") } as u8;
        make.wide = self.is_atomic();
        make.dst = [op.src[0], exist];
        code.push(make);
        (op.guard, op.imm) = (exist, 0);
        Ok((make.arity > 4 && !make.wide).then_some(make))
    }

    /// An op with the sources that `semantics::buffer` takes, for 32 lanes.
    fn in_buffer(&self, code: &mut Code, half: u32) -> Result<Op, String> {
        let guard = Frame::scalar(EXEC) + 4 * half;
        let mut op = Op { guard, ..Op::new(operand::copy_row) };
        op.src[0] = match self.operand("srsrc").map(|v| v.what) {
            Some(What::Scalar(number)) => Frame::scalar(number),
            _ => return Err("its descriptor is not in scalar registers".into()),
        };
        let lane = self.operand("vaddr").and_then(|value| code.frame.row_of(value.what)).map(|row| row + half * ROW);
        let lanes = [("idxen", 1), ("offen", 2)].into_iter().filter(|(name, _)| self.field(name));
        for (word, (_, src)) in lanes.enumerate() {
            op.src[src] = lane.ok_or("its address is no vector register")? + word as u32 * code.frame.halves * ROW;
        }
        op.src[3] = match self.operand("soffset").map(|v| v.what) {
            Some(What::Scalar(number)) => Frame::scalar(number),
            Some(What::Constant(bits)) => code.constant(bits.into(), 32),
            Some(What::Null) | None => NONE,
            _ => return Err("with this scalar offset is not executable yet".into()),
        };
        op.src[4] = (32 * half) | (self.layout() << 8);
        Ok(op)
    }

    /// Loads or stores components of formatted elements.
    fn formatted(&self, code: &mut Code) -> Result<(), String> {
        if self.goes_to_lds() {
            return Err("with `lds` is not executable yet".into());
        }
        if code.tables.formats.is_empty() {
            code.tables.formats = super::formats::buffers(self.instruction.codec)?;
        }
        let (codec, decoded) = (self.instruction.codec, &self.instruction.decoded);
        // From gfx12 on both kinds of instructions have the field.
        let format = codec.field_of(decoded, "format").filter(|_| decoded.entry.encoding.name == "mtbuf");
        let format = format.map(|number| code.tables.formats.get(number as usize).copied().unwrap_or(0));
        let halves = code.frame.halves;
        let components = self.number("components").unwrap_or(1);
        let words = if self.element.bits() == 16 { components.div_ceil(2) } else { components };
        let loads = self.run.function == "format::load";
        let value = self.operand("vdata").and_then(|value| code.frame.row_of(value.what));
        let value = value.ok_or("its data is in no vector registers")?;
        let staged = code.row(32, words * halves)?;
        for half in 0..halves {
            let mut op = self.in_buffer(code, half)?;
            op.imm = self.offset;
            (op.arity, op.ty) = (components as u8, self.element);
            if let Some(format) = format {
                op.dst[1] = code.constant(format.into(), 32);
            }
            let row = |first: u32, word: u32| first + (word * halves + half) * ROW;
            let upper = !loads && self.setting("part") == Some("upper");
            if upper {
                code.adapt(operand::select, row(staged, 0), row(value, 0), 5);
            }
            let rows: Vec<u32> = (0..words).map(|word| row(if loads || upper { staged } else { value }, word)).collect();
            op.dst[0] = code.list(&rows);
            self.push(code, op)?;
        }
        self.late(code, loads.then_some(staged), words);
        Ok(())
    }

    /// The rows of what is stored, or combined with memory.
    fn data(&self, code: &mut Code, op: &mut Op, half: u32, names: &[&str]) -> Result<Vec<u32>, String> {
        let given: Vec<(u32, u32)> =
            names.iter().filter_map(|name| Some((code.frame.row_of(self.operand(name)?.what)?, self.words(name)))).collect();
        let halves = code.frame.halves;
        let mut rows = Vec::new();
        for (first, words) in given {
            rows.extend((0..words).map(|word| first + (word * halves + half) * ROW));
        }
        if self.run.function == "memory::store" && self.setting("lds").is_some() {
            let at = code.row(32, 1)?;
            let mut copy = Op { guard: op.guard, imm: self.offset, ..Op::new(operand::copy_from_lds) };
            (copy.dst[0], copy.src[0], copy.src[1], copy.src[2]) = (at, Frame::scalar(code.frame.m0), self.lds_bits(), 32 * half);
            code.push(copy);
            rows.push(at);
        }
        if rows.is_empty() {
            op.arity = 1;
            return Ok(rows);
        }
        if self.setting("part") == Some("upper") {
            let at = code.row(32, 1)?;
            code.adapt(operand::select, at, rows[0], 5);
            rows = vec![at];
        }
        if self.is_atomic() {
            let mut values = Vec::new();
            let step = if self.element.bits() == 64 { 2 } else { 1 };
            for pair in rows.chunks(step) {
                if let [low, high] = pair {
                    let at = code.row(64, 1)?;
                    let mut join = Op::new(operand::join());
                    (join.dst[0], join.src[0], join.src[1]) = (at, *low, *high);
                    code.push(join);
                    values.push(at);
                } else {
                    values.extend(pair);
                }
            }
            // Of a comparison the new value comes first, then what it compares with.
            let swapped = values.len() == 2 && self.setting("order") != Some("10");
            let order: &[usize] = if values.len() < 2 {
                &[0]
            } else if swapped {
                &[1, 0]
            } else {
                &[0, 1]
            };
            for (i, at) in order.iter().enumerate() {
                op.src[1 + i] = values[*at];
            }
            op.arity = 1;
            return Ok(values);
        }
        (op.arity, op.src[1]) = (rows.len() as u8, code.elements(&rows));
        Ok(rows)
    }

    /// The rows that a load's result goes to.
    fn staging(&self, code: &mut Code, op: &mut Op, half: u32, staged: u32, words: (u32, u32)) -> Result<Vec<u32>, String> {
        let halves = code.frame.halves;
        let (first, count) = words;
        let rows: Vec<u32> = (first..first + count).map(|word| staged + (word * halves + half) * ROW).collect();
        if self.is_atomic() {
            op.dst[0] = if self.element.bits() == 64 { code.row(64, 1)? } else { rows[0] };
            return Ok(rows);
        }
        (op.arity, op.dst[0]) = (count as u8, code.elements(&rows));
        Ok(rows)
    }
}
