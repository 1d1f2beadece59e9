//! Image instructions: from their operands and bits to what the functions of `semantics::image` take.
//!
//! An address is a list of registers, which instructions of gfx10 and later name one by one or begin to; on gfx9 the resource decides how many they are, so
//! that all which may be are listed. How descriptors are laid out is looked up for the target once a kernel.

use super::code::Code;
use super::frame::{EXEC, Frame, ROW};
use super::lower::Instruction;
use super::memory::put_late;
use ::amdgpu::codec::Codec;
use ::amdgpu::codec::access::Register;
use amdgpu::codec::value::What;
use isa::amdgpu::Run;
use isa::amdgpu::words::Words;
use machine::state::Images;
use machine::wave::Counters;
use machine::{Handler, Op, Type};
use semantics::image::{RESOURCE, Settings};
use semantics::operand;
use semantics::sample::SAMPLER;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most words of an address.
const LONGEST: u32 = 13;

/// Words of records' settings `image=` and the bits that they stand for.
const WORDS: [(&str, u32); 7] = [
    ("raw", Settings::RAW),
    ("signed", Settings::SIGNED),
    ("offsets", Settings::OFFSETS),
    ("bias", Settings::BIAS),
    ("compare", Settings::COMPARE),
    ("clamp", Settings::CLAMP),
    ("zero", Settings::ZERO),
];

/// How a target's descriptors are laid out.
pub fn images(codec: &Codec) -> Result<Images, String> {
    let words = Words::get().map_err(|problems| problems.to_string())?;
    let runs = |record: &str, name: &&str| {
        let fields = words.fields(record).map_or(&[][..], |fields| &fields.list[..]);
        fields.iter().find(|f| f.name == *name && f.targets.has(codec.target)).map_or(Vec::new(), |f| f.runs.clone())
    };
    static MADE: AtomicU64 = AtomicU64::new(0);
    Ok(Images {
        serial: 1 + MADE.fetch_add(1, Ordering::Relaxed),
        resource: RESOURCE.iter().map(|name| runs("image_resource", name)).collect(),
        sampler: SAMPLER.iter().map(|name| runs("sampler", name)).collect(),
        formats: super::formats::images(words, codec),
        layout: u8::from(codec.has("oob_select")) + u8::from(codec.has("short_image_rows")),
        blocks: super::formats::blocks(words, codec),
    })
}

/// How the descriptors of a target are laid out by its name; nothing where it has no instructions for images.
///
/// # Errors
/// There is no such target, or what is wrong with the table.
pub fn images_of(target: &str) -> Result<Option<Images>, String> {
    let codec = Codec::of(target, None)?;
    let has_images = codec.entries().iter().any(|entry| entry.instruction.image.is_some());
    has_images.then(|| images(&codec)).transpose()
}

/// A field of the instruction, zero where it has none.
fn field(instruction: &Instruction, name: &str) -> u32 {
    instruction.codec.field_of(&instruction.decoded, name).unwrap_or(0) as u32
}

/// What the instruction says besides its operands.
fn settings(instruction: &Instruction, run: &Run) -> Result<u32, String> {
    let image = instruction.decoded.entry.instruction.image.as_ref().ok_or("its record does not say that it is of an image")?;
    let mut bits = field(instruction, "dmask") & 15 | (field(instruction, "dim") & 7) << 4;
    if instruction.codec.field_of(&instruction.decoded, "dim").is_some() {
        bits |= Settings::HAS_DIM;
    }
    let fields = [
        ("unorm", Settings::UNORM),
        ("a16", Settings::A16),
        ("d16", Settings::D16),
        ("da", Settings::DA),
        ("r128", Settings::R128),
    ];
    for (name, bit) in fields {
        bits |= if field(instruction, name) == 1 { bit } else { 0 };
    }
    for (is, bit) in [(image.lod, Settings::LEVEL), (image.gradients, Settings::GRADIENTS), (image.g16, Settings::G16)] {
        bits |= if is { bit } else { 0 };
    }
    for word in run.setting("image").unwrap_or_default().split('+').filter(|word| !word.is_empty()) {
        let found = WORDS.iter().find(|known| known.0 == word);
        bits |= found.ok_or_else(|| format!("its record says `image={word}`, which means nothing"))?.1;
    }
    Ok(bits)
}

/// The registers of an address, word by word.
fn address(code: &Code, instruction: &Instruction) -> Result<Vec<u32>, String> {
    let (codec, decoded) = (instruction.codec, &instruction.decoded);
    let mut registers: Vec<u32> = Vec::new();
    for access in codec.accesses(decoded).filter(|access| access.operand.is_some_and(|name| name.starts_with("vaddr"))) {
        if let Register::Numbered { first, words, .. } = access.register {
            registers.extend((first..first + words).map(u32::from));
        }
    }
    if codec.field_of(decoded, "dim").is_none() {
        let first = *registers.first().ok_or("it has no address")?;
        registers = (first..(first + LONGEST).min(code.frame.vectors)).collect();
    }
    match registers.iter().find(|register| **register >= code.frame.vectors) {
        Some(register) => Err(format!("its address names v{register}, which the kernel does not have")),
        None => Ok(registers),
    }
}

/// Words of the operand for data that components need: of 16 bits two to a word.
fn data_words(bits: u32, gathers: bool) -> u32 {
    let components = if gathers { 4 } else { (bits & 15).count_ones() };
    if bits & Settings::D16 != 0 { components.div_ceil(2) } else { components }
}

/// An op with what functions of images take, for 32 lanes; not yet where data go.
pub fn sources(code: &mut Code, instruction: &Instruction, run: &Run, half: u32) -> Result<Op, String> {
    let (codec, decoded) = (instruction.codec, &instruction.decoded);
    if code.tables.images.resource.is_empty() {
        code.tables.images = images(codec)?;
    }
    let cell = |name: &str| {
        let slot = decoded.entry.operands.iter().find(|slot| slot.operand.name == name)?;
        match codec.value_of(slot, decoded).what {
            What::Scalar(number) => Some(Frame::scalar(number)),
            _ => None,
        }
    };
    let bits = settings(instruction, run)?;
    if bits & 15 == 0 {
        return Err("with a dmask of 0 is not executable: AMD's documents do not tell what it moves; name a component".into());
    }
    let rows: Vec<u32> =
        address(code, instruction)?.into_iter().map(|register| code.frame.vector(register) + half * ROW).collect();
    let mut op = Op { guard: Frame::scalar(EXEC) + 4 * half, imm: bits as i32, ..Op::new(operand::copy_row) };
    op.src[0] = cell("srsrc").ok_or("its descriptor is not in scalar registers")?;
    op.src[2] = cell("ssamp").unwrap_or(machine::op::NONE);
    (op.src[1], op.src[3]) = (code.list(&rows), rows.len() as u32);
    Ok(op)
}

/// Adds the ops of an instruction that loads, stores or asks.
pub fn lower(
    code: &mut Code,
    instruction: &Instruction,
    run: &Run,
    choose: fn(&Op) -> Option<Handler>,
    counters: Counters,
) -> Result<(), String> {
    let (codec, decoded) = (instruction.codec, &instruction.decoded);
    let is_store = run.function == "image::store";
    let slot = decoded.entry.operands.iter().find(|slot| slot.operand.name == "vdata");
    let what = slot.map(|slot| codec.value_of(slot, decoded).what).ok_or("it has no data")?;
    let (register, first) = match what {
        What::Vector(first) => (code.frame.row_of(what), u32::from(first)),
        What::Accumulation(first) => (code.frame.row_of(what), u32::from(first)),
        _ => (None, 0),
    };
    let register = register.ok_or("its data is in no vector registers")?;
    let gathers = decoded.entry.instruction.image.as_ref().is_some_and(|image| image.gather4);
    let words = data_words(settings(instruction, run)?, gathers);
    // The register behind, by `tfe` or `lwe`, is written only where something was not there, which does not happen here.
    let told = !is_store && ["tfe", "lwe"].iter().any(|name| field(instruction, name) == 1);
    let has = if matches!(what, What::Vector(_)) { code.frame.vectors } else { code.frame.accumulators };
    let named = words + u32::from(told);
    if first + named > has {
        return Err(format!("its data needs {named} registers, of which the kernel does not have the last"));
    }
    let halves = code.frame.halves;
    // Of what is loaded rows of its own wait until the program has waited; what lanes that are switched off have there is not looked at.
    let staged = if is_store { register } else { code.row(32, words * halves)? };
    for half in 0..halves {
        let mut op = sources(code, instruction, run, half)?;
        let rows: Vec<u32> = (0..words).map(|word| staged + (word * halves + half) * ROW).collect();
        (op.dst[0], op.arity, op.ty) = (code.list(&rows), words as u8, Type::U32);
        super::lower::push(code, run, choose, op)?;
    }
    let words = if is_store { 0 } else { words };
    put_late(code, (staged, register), (words, Frame::scalar(EXEC)), counters, 0);
    Ok(())
}
