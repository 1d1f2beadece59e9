//! The operands of an instruction: which values its function gets, of which types, and where they lie.
//!
//! The record says what an operand holds, by its type or by `formats`; the function's instance must have the same types, where the
//! record says types at all: of mere bits only the width counts.

use super::code::Code;
use super::frame::{EXEC, Frame, MODE, NULL, SCC, SINK, VCC};
use amdgpu::codec::value::{Value, What};
use amdgpu::codec::{Codec, Decoded, Slot};
use isa::amdgpu::{Number, Run, Type as Written};
use machine::Type;
use machine::row::Instance;
use semantics::operand;

/// What an operand holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its type; of bits that the record says no more of, unsigned.
    pub ty: Option<Type>,
    /// Its width; 0 if any will do.
    pub bits: u32,
    /// Whether only the width counts.
    pub loose: bool,
}

impl Kind {
    const FLAG: Kind = Kind { ty: Some(Type::Pred), bits: 1, loose: false };
    const ANY: Kind = Kind { ty: None, bits: 0, loose: true };

    /// As many bits as a type has: what it holds besides does not matter.
    fn bits(ty: Type) -> Kind {
        Kind { ty: Some(ty), bits: ty.bits(), loose: true }
    }

    /// What an operand of a type holds, and what the record says of it besides.
    fn of(written: Written, format: Option<&str>) -> Kind {
        let name = format.unwrap_or(written.name);
        match written.number {
            Number::Mask => return Kind::FLAG,
            Number::Special => return Kind::ANY,
            _ => {}
        }
        let digits = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
        let bits = written.total();
        // `f16x`: as many as there is room for.
        let filled = name.strip_suffix('x').and_then(|one| Some(format!("{name}{}", bits / one[digits..].parse::<u32>().ok()?)));
        let name = filled.as_deref().unwrap_or(name);
        let spelled = match &name[..digits] {
            "i" => format!("s{}", &name[digits..]),
            "bf" if !name[digits..].starts_with("16") => String::new(),
            _ => name.to_owned(),
        };
        // A format may be narrower than its register.
        let ty = Type::parse(&spelled).filter(|ty| ty.bits() == bits || format.is_some() && ty.bits() < bits);
        let bits = ty.map_or(bits, Type::bits);
        let loose = name.starts_with('b') && !name.starts_with("bf") || ty.is_none() || filled.is_some();
        Kind { ty, bits, loose }
    }

    /// Whether both are integers of one width: of results the sign does not matter.
    fn is_integer_like(self, ty: Type) -> bool {
        let is_integer = |ty: Type| {
            matches!(ty, Type::U16 | Type::S16 | Type::U32 | Type::S32 | Type::U64 | Type::S64 | Type::U16x2 | Type::S16x2)
        };
        self.bits == ty.bits() && is_integer(ty) && self.ty.is_some_and(is_integer)
    }

    /// How well an instance's type fits: nothing if not at all.
    fn fits(self, ty: Type) -> Option<u32> {
        match self.ty {
            Some(own) if own == ty => Some(2),
            _ if self.bits == 0 && ty != Type::Pred => Some(1),
            _ if self.loose && self.bits == ty.bits() => Some(1),
            _ => None,
        }
    }
}

/// One operand of a function.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'c> {
    /// Its place in the instruction's word, if it has one.
    pub slot: Option<&'c Slot>,
    /// What it is.
    pub value: Value,
    /// What it holds.
    pub kind: Kind,
}

impl Argument<'_> {
    /// One that has no place in the instruction's word.
    fn without_slot(what: What, kind: Kind) -> Self {
        Argument { slot: None, value: Value { what, upper: false, neg: false, abs: false, sext: false }, kind }
    }
}

/// The operands of a function, in its order.
#[derive(Clone, Debug, Default)]
pub struct Arguments<'c> {
    /// What it writes.
    pub results: Vec<Argument<'c>>,
    /// What it reads.
    pub sources: Vec<Argument<'c>>,
}

/// What stands for the number of the lane.
pub const LANE: &str = "lane number";

/// What stands for the register MODE.
const MODE_REGISTER: &str = "mode";

/// The operands of an instruction: written ones in the order of the text, then registers without an operand that it writes; of those that it
/// reads, first those that it only reads. `order=201` gives the sources another order; `scc=...` takes the flag out of the results, and
/// `next` adds the address of the next instruction to the sources.
pub fn arguments<'c>(codec: &'c Codec, decoded: &Decoded<'c>, run: &Run, next: u64) -> Result<Arguments<'c>, String> {
    let formats = &decoded.entry.instruction.formats;
    let mut all = Arguments::default();
    let mut read_again = Vec::new();
    for (at, slot) in decoded.entry.operands.iter().enumerate() {
        let value = codec.value_of(slot, decoded);
        let format = formats.iter().find(|f| f.0 == slot.operand.name).map(|f| f.1);
        let kind = match value.what {
            What::Text("off") => continue,
            What::Text("vcc" | "exec") => Kind::FLAG,
            What::Text("m0") => Kind::bits(Type::U32),
            _ => Kind::of(slot.operand.ty, format),
        };
        let argument = Argument { slot: Some(slot), value, kind };
        // What an encoding leaves of a destination is no business of the function.
        let said = decoded.entry.instruction.reads.iter().any(|effect| effect.name == slot.operand.name && !effect.is_absent);
        match codec.role(decoded, at) {
            (true, true) if said => {
                all.results.push(argument);
                read_again.push(argument);
            }
            (_, true) => all.results.push(argument),
            _ => all.sources.push(argument),
        }
    }
    all.sources.extend(read_again);
    let settled = run.setting("scc").is_some();
    for (name, reads, writes) in codec.own_states(decoded) {
        if matches!(name, "mode" | "flat_scratch") || name == "m0" && run.setting("m0").is_none() {
            continue;
        }
        let kind = if name == "scc" || is_vector(decoded) { Kind::FLAG } else { Kind::ANY };
        let argument = Argument::without_slot(What::Text(name), kind);
        if reads {
            all.sources.push(argument);
        }
        if writes && !(name == "scc" && settled) {
            all.results.push(argument);
        }
    }
    if decoded.entry.form.limits.reads_vcc {
        all.sources.push(Argument::without_slot(What::Text("vcc"), Kind::FLAG));
    }
    for (key, value) in &run.settings {
        match *key {
            "next" => all.sources.push(Argument::without_slot(What::Constant(next), Kind::bits(Type::U64))),
            "order" => all.sources = reordered(&all.sources, value)?,
            "sources" => all.sources.truncate(value.parse().unwrap_or(0)),
            "mix" => all.sources.iter_mut().for_each(|source| source.kind = Kind::bits(Type::F32)),
            "mode" => all.sources.push(Argument::without_slot(What::Text(MODE_REGISTER), Kind::bits(Type::U32))),
            "place" => {
                let number = Argument::without_slot(What::Constant(place(codec, decoded)?), Kind::bits(Type::U32));
                all.sources.push(number);
            }
            "lane" => all.sources.push(Argument::without_slot(What::Text(LANE), Kind::bits(Type::U32))),
            "also" => {
                let bits = codec.modifier_of(decoded, value).or_else(|| codec.field_of(decoded, value)).unwrap_or(0);
                all.sources.push(Argument::without_slot(What::Constant(bits), Kind::bits(Type::U32)));
            }
            "with" => {
                let bits = codec.modifier_of(decoded, value).or_else(|| codec.field_of(decoded, value));
                let bits = bits.ok_or_else(|| format!("its record speaks of a modifier `{value}` that it does not have"))?;
                all.sources.push(Argument::without_slot(What::Constant(bits), Kind::bits(Type::U32)));
            }
            _ => {}
        }
    }
    Ok(all)
}

/// Sources in another order: their numbers, one digit each.
fn reordered<'c>(sources: &[Argument<'c>], order: &str) -> Result<Vec<Argument<'c>>, String> {
    let pick = |digit: char| sources.get(digit.to_digit(10)? as usize).copied();
    order
        .chars()
        .map(|digit| pick(digit).ok_or_else(|| format!("its record orders sources {order}, of {}", sources.len())))
        .collect()
}

/// Whether an instruction is executed for lanes: what reads EXEC by its encoding.
pub fn is_vector(decoded: &Decoded) -> bool {
    decoded.entry.encoding.reads.iter().any(|effect| effect.name == "exec")
}

/// The instance of a function for some operands: the one whose types fit best.
pub fn instance(instances: &'static [Instance], arguments: &Arguments) -> Option<&'static Instance> {
    let score = |list: &[Argument], types: &[Type], sign: bool| {
        let fits = |argument: &Argument, ty: Type| {
            argument.kind.fits(ty).or_else(|| (!sign && argument.kind.is_integer_like(ty)).then_some(1))
        };
        list.iter().zip(types).try_fold(0, |sum, (argument, ty)| fits(argument, *ty).map(|n| sum + n))
    };
    let fits = |instance: &&'static Instance| {
        let whole = instance.sources.len() == arguments.sources.len();
        let sources = score(&arguments.sources, instance.sources, true).filter(|_| whole)?;
        score(&arguments.results, instance.results, false).map(|results| results + sources)
    };
    instances
        .iter()
        .filter_map(|instance| Some((fits(&instance)?, instance)))
        .rev()
        .max_by_key(|found| found.0)
        .map(|found| found.1)
}

/// The cell of a scalar operand.
pub fn cell(code: &mut Code, argument: &Argument, ty: Type, writes: bool) -> Result<u32, String> {
    Ok(match argument.value.what {
        What::Scalar(number) => Frame::scalar(number),
        What::Null if writes => SINK,
        What::Null => NULL,
        What::Text("scc") | What::Named("src_scc") => SCC,
        What::Text(MODE_REGISTER) => MODE,
        What::Text("vcc") => Frame::scalar(VCC),
        What::Text("exec") => Frame::scalar(EXEC),
        What::Text("m0") => Frame::scalar(code.frame.m0),
        What::Constant(bits) => {
            let bits = extended(argument, bits, ty);
            code.constant(bits.into(), ty.bits().max(32))
        }
        What::Named(name) => named(code, name)?,
        What::Vector(_) | What::Accumulation(_) => return Err("a vector register stands where a scalar one is meant".into()),
        What::Text(text) => return Err(format!("`{text}` is not modelled as an operand yet")),
    })
}

/// A constant at the width of a type: numbers of the instruction's word, and words of what holds a signed number of 64 bits, have the sign that the type
/// has; real numbers of mere bits that hold a half are halves.
pub fn extended(argument: &Argument, bits: u64, ty: Type) -> u64 {
    let written = argument.slot.map(|slot| slot.operand.ty.number);
    if written == Some(Number::Bits) {
        return match ty {
            Type::S64 if bits <= u64::from(u32::MAX) => bits as i32 as i64 as u64,
            Type::F16 => half(bits),
            _ => bits,
        };
    }
    let immediate = written == Some(Number::Special);
    match immediate && ty.signed() {
        true => bits as u16 as i16 as i64 as u64,
        false => bits,
    }
}

/// The bits of a half where they are those of an inline real number of single precision: powers of two with a sign, and 1/(2 pi).
fn half(bits: u64) -> u64 {
    let (sign, exponent, fraction) = (bits >> 16 & 0x8000, bits >> 23 & 0xff, bits & 0x7f_ffff);
    match (exponent, fraction) {
        (126..=129, 0) => sign | (exponent - 112) << 10,
        _ if bits == 0x3e22_f983 => 0x3118,
        _ => bits,
    }
}

/// What a hardware register tells of where a wavefront is: its position among [`semantics::wave::PLACES`] and 1, or 0.
fn place(codec: &Codec, decoded: &Decoded) -> Result<u64, String> {
    let words = isa::amdgpu::words::Words::get().map_err(|problems| problems.to_string())?;
    let slot = decoded.entry.operands.iter().find(|slot| slot.operand.ty.name == "hwreg");
    let Some(What::Constant(code)) = slot.map(|slot| codec.value_of(slot, decoded).what) else { return Ok(0) };
    let (number, ..) = semantics::wave::part(code as u32);
    let names = words.names("hardware_registers").map_or(&[][..], |names| &names.list[..]);
    let name = names.iter().find(|name| name.values.contains(&number) && name.targets.has(codec.target));
    let role = name.and_then(|name| name.role);
    Ok(role.and_then(|role| semantics::wave::PLACES.iter().position(|place| *place == role)).map_or(0, |at| at as u64 + 1))
}

/// The cell of a value that is no register of its own.
fn named(code: &mut Code, name: &str) -> Result<u32, String> {
    use machine::memory::{LOCAL_WINDOW, SHARED_WINDOW, SHARED_WINDOW_SIZE, WINDOW};
    let value = match name {
        "src_scc" => return Ok(SCC),
        "src_shared_base" => SHARED_WINDOW,
        "src_shared_limit" => SHARED_WINDOW + SHARED_WINDOW_SIZE - 1,
        "src_private_base" | "src_flat_scratch_base_lo" => LOCAL_WINDOW,
        "src_flat_scratch_base_hi" => LOCAL_WINDOW >> 32,
        "src_private_limit" => LOCAL_WINDOW + WINDOW - 1,
        "src_vccz" | "src_execz" => {
            let at = code.cell(2)?;
            let mask = Frame::scalar(if name == "src_vccz" { VCC } else { EXEC });
            let mut op = machine::Op { arity: code.frame.halves as u8, ..machine::Op::new(operand::zero) };
            (op.dst[0], op.src[0]) = (at, mask);
            code.push(op);
            return Ok(at);
        }
        _ => return Err(format!("`{name}` is not modelled yet")),
    };
    Ok(code.constant(value.into(), 64))
}
