//! From one decoded instruction to ops: its function, with what its encoding does to operands around it.
//!
//! An instruction for lanes becomes an op of its function for each 32 lanes, guarded by EXEC, between adapters (`semantics::operand`) that make rows of
//! the function's types. A scalar instruction is the function's op for one value. Instructions that move values between lanes, change the
//! flow of control or access memory are ops of functions that know wavefronts.

use super::code::Code;
use super::frame::{EXEC, Frame, MODE, NULL, ROW, SCALAR_REGISTERS, SCC, SINK, WRITTEN};
use super::memory;
use super::modes::Modes;
use super::operands::{self, Argument, Arguments, cell};
use amdgpu::codec::value::What;
use amdgpu::codec::{Codec, Decoded};
use isa::amdgpu::Run;
use machine::op::NONE;
use machine::row::Instance;
use machine::wave::Counters;
use machine::{Mods, Op, Type};
use semantics::{Shape, operand};

/// The settings of a `run` that are for lowering alone; the others are settings of the function.
const OWN: [&str; 35] = [
    "mode",
    "place",
    "lane",
    "mix",
    "scc",
    "order",
    "sources",
    "with",
    "also",
    "next",
    "as",
    "part",
    "m0",
    "ieee",
    "two",
    "addtid",
    "scale",
    "fours",
    "lds",
    "words",
    "components",
    "rows",
    "format",
    "relative",
    "imm",
    "target",
    "takes",
    "second",
    "returns",
    "image",
    "inline",
    "transpose",
    "source",
    "source64",
    "block",
];

/// An instruction that is to be lowered.
pub struct Instruction<'c> {
    /// The target's codec.
    pub codec: &'c Codec,
    /// The instruction.
    pub decoded: Decoded<'c>,
    /// Its address.
    pub address: u64,
}

impl Instruction<'_> {
    /// The address of the next instruction.
    pub fn next(&self) -> u64 {
        self.address + u64::from(self.decoded.size)
    }
}

/// Adds the ops of an instruction.
///
/// # Errors
/// Why it cannot be executed, in words.
pub fn instruction(code: &mut Code, modes: Modes, instruction: &Instruction) -> Result<(), String> {
    if !operands::is_vector(&instruction.decoded) {
        return executed(code, modes, instruction);
    }
    if modes.doubtful_numbers() != 0 {
        let mut look = Op { imm: modes.doubtful_numbers() as i32, ..Op::new(operand::expect_numbers) };
        (look.src[0], look.src[1]) = (MODE, code.constant(modes.bits.into(), 32));
        code.push(look);
    }
    match modes.skips() {
        Some(false) => executed(code, modes, instruction),
        Some(true) => {
            code.push_nothing();
            Ok(())
        }
        None => {
            let skip = code.ops.len();
            let mut op = Op::new(operand::skip_if_mode);
            (op.src[0], op.src[1]) = (MODE, code.constant(1 << semantics::scalar::SKIPS, 32));
            code.push(op);
            executed(code, modes, instruction)?;
            code.ops[skip].imm = code.ops.len() as i32;
            Ok(())
        }
    }
}

/// Rows with the value that M0 names in LDS, for all lanes.
fn direct(code: &mut Code) -> Result<u32, String> {
    let halves = code.frame.halves;
    let at = code.row(32, halves)?;
    let mut op = Op { guard: Frame::scalar(EXEC), arity: halves as u8, ..Op::new(semantics::memory::load_direct) };
    (op.dst[0], op.src[0]) = (at, Frame::scalar(code.frame.m0));
    code.push(op);
    Ok(at)
}

/// Adds the ops of an instruction that is not skipped.
fn executed(code: &mut Code, modes: Modes, instruction: &Instruction) -> Result<(), String> {
    if let Some(second) = instruction.decoded.halves().1 {
        return pair(code, modes, instruction, second);
    }
    exist(code.frame, instruction)?;
    let record = instruction.decoded.entry.instruction;
    let Some(run) = record.run_on(instruction.codec.target) else {
        let reason = record.doubt.iter().find_map(|doubt| doubt.strip_prefix("not executable: "));
        return Err(reason.map_or("is not executable yet".into(), |reason| format!("is not executable: {reason}")));
    };
    let function =
        semantics::find(run.function).ok_or_else(|| format!("its record names `{}`, which does not exist", run.function))?;
    match &function.shape {
        Shape::Lane(instances) => lane(code, modes, instruction, run, instances),
        Shape::Group(choose) if memory::is_access(&instruction.decoded) && accesses(&instruction.decoded, run) => {
            memory::access(code, instruction, run, *choose)
        }
        Shape::Group(choose) => group(code, modes, instruction, run, *choose),
        Shape::Named(..) => Err(format!("its record names `{}`, which takes operands by name", run.function)),
    }
}

/// Scalar registers below this one are those that a descriptor counts, where it counts them.
const COUNTED: u32 = 102;

/// Looks whether the kernel has the registers that an instruction names: handlers rely on it that they lie in the frame.
fn exist(frame: Frame, instruction: &Instruction) -> Result<(), String> {
    let (codec, decoded) = (instruction.codec, &instruction.decoded);
    for slot in decoded.entry.operands.iter() {
        let (range, first, has) = match codec.value_of(slot, decoded).what {
            What::Vector(index) => ("v", u32::from(index), frame.vectors),
            What::Accumulation(index) => ("a", u32::from(index), frame.accumulators),
            // VCC and what follows it are there, however many a descriptor counts.
            What::Scalar(number) if u32::from(number) < COUNTED => ("s", u32::from(number), frame.scalars),
            What::Scalar(number) => ("s", u32::from(number), SCALAR_REGISTERS),
            _ => continue,
        };
        let last = first + u32::from(slot.words.max(1)) - 1;
        if last >= has {
            return Err(format!(
                "uses {range}{last}, of which there are {has} here: {range}0 to {range}{}",
                has.saturating_sub(1)
            ));
        }
    }
    Ok(())
}

/// Whether an instruction does more than to hint: those of caches do nothing here, and those of clocks have no operands but a result. Global wave
/// synchronisation has the encoding of LDS, and no memory.
pub(super) fn accesses(decoded: &Decoded, run: &Run) -> bool {
    run.function != semantics::wave::NOTHING
        && !run.function.starts_with("gws::")
        && decoded.entry.operands.iter().any(|slot| slot.operand.name != "sdst")
}

/// Both halves of a pair: they read before either writes.
fn pair(code: &mut Code, modes: Modes, whole: &Instruction, second: Decoded) -> Result<(), String> {
    let first = Instruction { codec: whole.codec, decoded: whole.decoded.halves().0, address: whole.address };
    let second = Instruction { codec: whole.codec, decoded: second, address: whole.address };
    let [wrote, writes] = [&first, &second].map(written);
    let named = |half: &Instruction, why: String| format!("with `{}`, which {why}", half.decoded.entry.instruction.name);
    let lower = |code: &mut Code, half: &Instruction| self::instruction(code, modes, half).map_err(|why| named(half, why));
    if !reads(&second, wrote) {
        lower(code, &first)?;
        return lower(code, &second);
    }
    if !reads(&first, writes) {
        lower(code, &second)?;
        return lower(code, &first);
    }
    // Each reads what the other writes: the first destination is written last, its old value is saved for the second half.
    let Some((What::Vector(register), words)) = wrote else {
        return Err("the first half of the pair writes no vector register".into());
    };
    let (row, rows) = (code.frame.vector(register.into()), code.frame.halves * words);
    let [old, new] = [code.row(32, rows)?, code.row(32, rows)?];
    let copy_rows = |code: &mut Code, dst: u32, src: u32| {
        for i in 0..rows {
            code.adapt(operand::copy_row, dst + i * ROW, src + i * ROW, 0);
        }
    };
    copy_rows(code, old, row);
    lower(code, &first)?;
    copy_rows(code, new, row);
    copy_rows(code, row, old);
    lower(code, &second)?;
    copy_rows(code, row, new);
    Ok(())
}

/// What a half of a pair writes, and how many registers.
fn written(half: &Instruction) -> Option<(What, u32)> {
    let slot = half.decoded.entry.operands.first()?;
    Some((half.codec.value_of(slot, &half.decoded).what, u32::from(slot.words.max(1))))
}

/// Whether a half of a pair reads what the other writes: of tuples, and of what is no vector register, it is taken to.
fn reads(half: &Instruction, written: Option<(What, u32)>) -> bool {
    let Some((What::Vector(register), 1)) = written else { return true };
    let (codec, decoded) = (half.codec, &half.decoded);
    decoded.entry.operands.iter().enumerate().any(|(at, slot)| {
        slot.words > 1 || codec.role(decoded, at).0 && codec.value_of(slot, decoded).what == What::Vector(register)
    })
}

/// The settings that a function sees.
pub(super) fn mods(run: &Run) -> Result<Mods, String> {
    crate::bind::mods(run.settings.iter().filter(|setting| !OWN.contains(&setting.0) && !setting.0.starts_with("wait.")))
}

fn lane(
    code: &mut Code,
    modes: Modes,
    instruction: &Instruction,
    run: &Run,
    instances: &'static [Instance],
) -> Result<(), String> {
    let decoded = &instruction.decoded;
    let mut arguments = operands::arguments(instruction.codec, decoded, run, instruction.next())?;
    let indexed = Indexed::take(code, modes, instruction, &mut arguments)?;
    let Some(instance) = operands::instance(instances, &arguments) else {
        let kinds = |list: &[Argument]| list.iter().map(|a| format!("{:?}", a.kind.ty)).collect::<Vec<_>>().join(", ");
        let (results, sources) = (kinds(&arguments.results), kinds(&arguments.sources));
        return Err(format!("`{}` has no instance of ({sources}) to ({results})", run.function));
    };
    let clamp = instruction.codec.modifier_of(decoded, "clamp").unwrap_or(0) != 0;
    let scale = instruction.codec.modifier_of(decoded, "omod").unwrap_or(0) != 0;
    let lowering = Lane { instruction, run, arguments: &arguments, instance, clamp };
    for_each_mode(code, modes, relevant(run, instance, clamp, scale), |code, modes| lowering.lower(code, modes))?;
    indexed.into_iter().for_each(|indexed| indexed.put(code));
    Ok(())
}

/// An instruction for lanes, or a scalar one, whose function is one of lanes.
struct Lane<'a, 'c> {
    instruction: &'a Instruction<'c>,
    run: &'a Run,
    arguments: &'a Arguments<'c>,
    instance: &'static Instance,
    clamp: bool,
}

impl Lane<'_, '_> {
    /// Adds its ops for what MODE says.
    fn lower(&self, code: &mut Code, modes: Modes) -> Result<(), String> {
        let Lane { instruction, run, arguments, instance, mut clamp } = *self;
        let mut mods = mods(run)?;
        let chooses_format = run.setting("format").is_some();
        if clamp && (chooses_format || instance.results.first().is_some_and(|ty| !is_float(*ty))) {
            mods.set("sat", None)?;
        }
        clamp &= !chooses_format;
        let scales = is_arithmetic(instance) && for_modes(&mut mods, modes, run, instance)? && !modes.ieee();
        if !operands::is_vector(&instruction.decoded) {
            return scalar(code, run, arguments, instance, mods);
        }
        let mixed = run.setting("mix").map(|format| if format == "bf16" { Type::Bf16 } else { Type::F16 });
        let (clamps_nan, part, doubles) = (modes.clamps_nan(), run.setting("part"), run.setting("inline").is_some());
        let fours = run.setting("fours");
        let copies = run.function == semantics::moves::COPY;
        let vector = Vector {
            instruction,
            arguments,
            instance,
            mods,
            clamp,
            clamps_nan,
            scales,
            mixed,
            part,
            doubles,
            fours,
            copies,
            apart: None,
        };
        let apart = instance.apart(mods, code.frame.halves * ROW).filter(|_| vector.takes_pairs());
        Vector { apart, ..vector }.lower(code)
    }
}

/// Adds the ops of an instruction once for each of the modes that it may be executed in, where the bits of MODE that matter to it are not known, with what looks at
/// MODE before each.
fn for_each_mode(
    code: &mut Code,
    modes: Modes,
    relevant: u32,
    mut lower: impl FnMut(&mut Code, Modes) -> Result<(), String>,
) -> Result<(), String> {
    let doubtful = modes.doubtful(relevant);
    if doubtful == 0 {
        return lower(code, modes);
    }
    let (used, mask) = (code.used(), code.constant(doubtful.into(), 32));
    let mut ends = Vec::new();
    let mut possible = modes.possible(doubtful).peekable();
    while let Some(modes) = possible.next() {
        code.reuse(used);
        let test = code.ops.len();
        if possible.peek().is_none() {
            // What is none of the others is this one.
            lower(code, modes)?;
            break;
        }
        let mut op = Op::new(operand::skip_unless_mode);
        (op.src[0], op.src[1], op.src[2]) = (MODE, code.constant((modes.bits & doubtful).into(), 32), mask);
        code.push(op);
        lower(code, modes)?;
        ends.push(code.ops.len());
        code.push(Op::new(semantics::wave::branch));
        code.ops[test].imm = code.ops.len() as i32;
    }
    let end = code.ops.len() as i32;
    ends.into_iter().for_each(|op| code.ops[op].imm = end);
    Ok(())
}

/// A vector register whose number has an index added to it where the program runs: rows that stand for it while an instruction is executed.
struct Indexed {
    /// The register without the index.
    row: u32,
    /// The rows.
    at: u32,
    /// How many they are.
    rows: u32,
    /// The place of the operand.
    place: u32,
}

impl Indexed {
    /// Replaces the vector registers of an instruction; gives those that it writes.
    fn take(code: &mut Code, modes: Modes, instruction: &Instruction, arguments: &mut Arguments) -> Result<Vec<Indexed>, String> {
        let decoded = &instruction.decoded;
        if !modes.indexed() || !operands::is_vector(decoded) {
            return Ok(Vec::new());
        }
        let reads_result =
            arguments.sources.iter().any(|source| arguments.results.iter().any(|r| r.value.what == source.value.what));
        let preserves = instruction.codec.modifier_of(decoded, "dst_unused") == Some(2);
        let same = |argument: &Argument| argument.slot.is_some_and(|slot| slot.operand.name == "vdst");
        // One lane of a register is written, the others stay: nothing else of it is read.
        let run = decoded.entry.instruction.run_on(instruction.codec.target);
        let keeps = run.is_some_and(|run| run.function == semantics::wave::WRITE_LANE);
        let accumulates = reads_result && arguments.sources.iter().any(same) && !keeps;
        if decoded.entry.instruction.unindexed || preserves || accumulates {
            return Err("with an index on the numbers of registers (S_SET_GPR_IDX) is not executable: of which operand it counts for this one is a special \
                        case that is not known"
                .into());
        }
        let mut written = Vec::new();
        for argument in &mut arguments.sources {
            Indexed::replace(code, decoded, argument)?;
        }
        for argument in &mut arguments.results {
            written.extend(Indexed::replace(code, decoded, argument)?);
        }
        Ok(written)
    }

    fn replace(code: &mut Code, decoded: &Decoded, argument: &mut Argument) -> Result<Option<Indexed>, String> {
        let (Some(slot), What::Vector(register)) = (argument.slot, argument.value.what) else { return Ok(None) };
        let Some(place) = decoded.place(slot.operand.name) else { return Ok(None) };
        let (row, rows) = (code.frame.vector(register.into()), code.frame.halves * u32::from(slot.words.max(1)));
        // Rows that have the number of a register, though there is none of it.
        let each = code.frame.halves * ROW;
        let room = code.row(32, rows + code.frame.halves)?;
        let number = (room - code.frame.vector(0)).div_ceil(each);
        let indexed = Indexed { row, at: code.frame.vector(number), rows, place: place as u32 };
        argument.value.what = What::Vector(number as u16);
        let mut op = indexed.op(code, operand::take_indexed);
        (op.src[0], op.dst[0]) = (indexed.row, indexed.at);
        code.push(op);
        Ok(Some(indexed))
    }

    fn put(self, code: &mut Code) {
        let mut op = self.op(code, operand::put_indexed);
        (op.src[0], op.dst[0]) = (self.at, self.row);
        code.push(op);
    }

    fn op(&self, code: &Code, run: machine::Handler) -> Op {
        let end = code.frame.vector(code.frame.vectors) as i32;
        let mut op = Op { imm: end, arity: self.rows as u8, wide: code.frame.halves == 2, ..Op::new(run) };
        (op.src[1], op.dst[1]) = (Frame::scalar(code.frame.m0), self.place);
        op
    }
}

/// Whether a function's arithmetic may depend on MODE.
fn is_arithmetic(instance: &Instance) -> bool {
    instance.sources.iter().chain(instance.results).any(|ty| is_float(*ty))
}

/// Which parts of MODE speak of a function's numbers.
struct Parts {
    /// Of sources: whether they are of single precision, if they are such numbers.
    sources: Option<bool>,
    /// Of results.
    results: Option<bool>,
    /// Whether single precision alone is rounded to.
    single: bool,
    /// Whether overflow of half precision matters.
    halves: bool,
}

impl Parts {
    fn of(run: &Run, instance: &Instance) -> Parts {
        let any = |list: &[Type], among: &[Type]| list.iter().any(|ty| among.contains(ty));
        let precision = |list: &[Type]| list.iter().any(|ty| is_float(*ty)).then(|| any(list, &[Type::F32, Type::F32x2]));
        let others = [Type::F16, Type::F16x2, Type::Bf16, Type::Bf16x2, Type::F64];
        Parts {
            sources: precision(instance.sources),
            results: precision(instance.results),
            single: !any(instance.sources, &others) && !any(instance.results, &others),
            halves: run.setting("to").is_some() || any(instance.results, &[Type::F16, Type::F16x2]),
        }
    }
}

/// The bits of MODE on which an instruction depends.
fn relevant(run: &Run, instance: &Instance, clamp: bool, scale: bool) -> u32 {
    if !is_arithmetic(instance) {
        return 0;
    }
    let parts = Parts::of(run, instance);
    let bit = |matters: bool, bits: u32| if matters { bits } else { 0 };
    let subnormals = |single: Option<bool>, bits: u32| single.map_or(0, |single| if single { bits << 4 } else { bits << 6 });
    subnormals(parts.sources, 1)
        | subnormals(parts.results, 2)
        | bit(run.setting("round").is_none(), if parts.single { 3 } else { 12 })
        | bit(run.setting("ieee").is_some() || scale, 1 << 9)
        | bit(clamp, 1 << 8)
        | bit(parts.halves, 1 << 23)
}

/// Sets a function's settings as MODE asks for; gives whether subnormal results are zero.
fn for_modes(mods: &mut Mods, modes: Modes, run: &Run, instance: &Instance) -> Result<bool, String> {
    let parts = Parts::of(run, instance);
    let flushes = |single: Option<bool>, bit: u32| single.is_some_and(|single| modes.subnormals(single) & bit == 0);
    let results = flushes(parts.results, 2);
    match (flushes(parts.sources, 1), results) {
        (true, true) => mods.set("ftz", None)?,
        (true, false) => mods.set("ftz_sources", None)?,
        (false, true) => mods.set("ftz_results", None)?,
        (false, false) => {}
    }
    if run.setting("round").is_none() {
        mods.set("round", Some(modes.rounding(parts.single)))?;
    }
    if modes.ieee() && run.setting("ieee").is_some() {
        mods.set("signalling", None)?;
    }
    if modes.limits_halves() && parts.halves {
        mods.set("satfinite", None)?;
    }
    Ok(results)
}

fn is_float(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::Bf16 | Type::F32 | Type::F64 | Type::F16x2 | Type::Bf16x2 | Type::F32x2)
}

/// An instruction of scalar registers.
fn scalar(code: &mut Code, run: &Run, arguments: &Arguments, instance: &'static Instance, mods: Mods) -> Result<(), String> {
    let mut op = Op { mods, ..Op::new(instance.cell) };
    for (i, (argument, ty)) in arguments.sources.iter().zip(instance.sources).enumerate() {
        op.src[i] = cell(code, argument, *ty, false)?;
    }
    let mut narrow = None;
    for (i, (argument, ty)) in arguments.results.iter().zip(instance.results).enumerate() {
        op.dst[i] = cell(code, argument, *ty, true)?;
        // A result of 16 bits has zeros above it.
        if ty.bits() == 16 {
            let at = code.cell(1)?;
            code.adapt(operand::copy_cells, at, NULL, 0);
            narrow = Some((op.dst[i], at));
            op.dst[i] = at;
        }
    }
    code.push(op);
    if let Some((dst, src)) = narrow {
        code.adapt(operand::copy_cells, dst, src, 0);
    }
    if let Some(rule) = run.setting("scc").filter(|_| code.scc_matters) {
        // The last result is what the flag speaks of: EXEC of instructions that change it.
        let last = arguments.results.len().min(instance.results.len()) - 1;
        let words = instance.results[last].bits().div_ceil(32).max(1);
        let mut flag = Op { arity: words as u8, ..Op::new(if rule == "zero" { operand::zero } else { operand::nonzero }) };
        (flag.dst[0], flag.src[0]) = (SCC, op.dst[last]);
        code.push(flag);
    }
    Ok(())
}

/// Lowers an instruction for lanes.
struct Vector<'a, 'c> {
    instruction: &'a Instruction<'c>,
    arguments: &'a Arguments<'c>,
    instance: &'static Instance,
    mods: Mods,
    clamp: bool,
    /// Whether a limited result is zero for NaN.
    clamps_nan: bool,
    /// Whether output scales count: they do not in IEEE mode or where results may be subnormal.
    scales: bool,
    /// If each source may be a half or single precision: what halves are.
    mixed: Option<Type>,
    /// The half of its register that a result of 16 bits is always written to.
    part: Option<&'a str>,
    /// What takes and gives pairs of registers as they are, if the function has such a handler.
    apart: Option<machine::Handler>,
    /// Whether an inline constant is both halves of a pair.
    doubles: bool,
    /// Which lane of its four each source comes from, a digit each; a minus sign for the own one.
    fours: Option<&'a str>,
    /// Whether the function copies, no more.
    copies: bool,
}

impl Vector<'_, '_> {
    fn lower(&self, code: &mut Code) -> Result<(), String> {
        let is_scalar = |result: &Argument| matches!(result.value.what, What::Scalar(_) | What::Null);
        if self.instance.results[0] != Type::Pred && self.arguments.results.first().is_some_and(is_scalar) {
            return self.uniform(code);
        }
        if self.spreads(code) {
            return self.spread(code);
        }
        let moved = self.moved(code)?;
        // All is read before anything is written: a mask may be written to a scalar register that is a source.
        let ops = (0..code.frame.halves).map(|half| self.read(code, half, moved)).collect::<Result<Vec<Op>, String>>()?;
        for (half, op) in ops.into_iter().enumerate() {
            self.write(code, half as u32, op)?;
        }
        Ok(())
    }

    /// An instruction with the operands of a scalar one and the modifiers of one for lanes: executed once, whatever EXEC is.
    fn uniform(&self, code: &mut Code) -> Result<(), String> {
        let (result, ty) = (&self.arguments.results[0], self.instance.results[0]);
        let (at, dst) = (code.row(ty.bits(), 1)?, cell(code, result, ty, true)?);
        let mut op = Op { guard: NONE, ..self.read(code, 0, None)? };
        op.dst[0] = at;
        code.push(op);
        self.output(code, ty, at, NONE);
        code.adapt(operand::uniform, dst, at, i32::from(ty.bits() == 16));
        Ok(())
    }

    /// Whether the instruction only copies a scalar register to lanes, and there is no row with its value.
    fn spreads(&self, code: &Code) -> bool {
        let [source] = &self.arguments.sources[..] else { return false };
        let ty = self.instance.results[0];
        let selects = ["src0_sel", "dst_sel"].iter().any(|name| self.modifier(name).is_some());
        self.copies
            && ty.bits() == 32
            && !is_float(ty)
            && !selects
            && matches!(source.value.what, What::Scalar(number) if !code.mirrors.contains_key(&number))
    }

    fn spread(&self, code: &mut Code) -> Result<(), String> {
        let (source, result, ty) = (&self.arguments.sources[0], &self.arguments.results[0], self.instance.results[0]);
        let from = cell(code, source, ty, false)?;
        for half in 0..code.frame.halves {
            let mut op = Op { guard: Frame::scalar(EXEC) + 4 * half, ..Op::new(operand::spread) };
            (op.dst[0], op.src[0]) = (self.result(code, result, ty, half)?.0, from);
            code.push(op);
        }
        Ok(())
    }

    /// Whether nothing comes between pairs of registers and the function: no sign, scale or limit.
    fn takes_pairs(&self) -> bool {
        let sources = self.arguments.sources.iter().zip(self.instance.sources).enumerate();
        let signed = sources
            .filter(|(_, (_, ty))| ty.bits() == 64)
            .any(|(i, (argument, ty))| self.signs_of(i, argument, *ty) != (false, false));
        let scaled = self.clamp || self.modifier("omod").is_some_and(|n| n != 0);
        let first = self.arguments.results.first().map(|result| result.value.what);
        !signed && !scaled && matches!(first, Some(What::Vector(_) | What::Accumulation(_)))
    }

    fn modifier(&self, name: &str) -> Option<u64> {
        self.instruction.codec.modifier_of(&self.instruction.decoded, name)
    }

    /// The first source as DPP moves it: its rows. The lanes that are written are the cells [`WRITTEN`] then.
    fn moved(&self, code: &mut Code) -> Result<Option<u32>, String> {
        let (control, eight) = (self.modifier("dpp_ctrl"), self.modifier("dpp8"));
        if control.is_none() && eight.is_none() {
            return Ok(None);
        }
        let mut sources = self.arguments.sources.iter().zip(self.instance.sources);
        let Some((argument, ty)) = sources.find(|(argument, _)| is_first(argument)) else { return Ok(None) };
        let words = ty.bits().div_ceil(32).max(1);
        let src = match argument.value.what {
            What::Vector(index) => code.frame.vector(index.into()),
            _ => return Err("DPP moves vector registers alone".into()),
        };
        let halves = code.frame.halves;
        let dst = code.row(32, halves * words)?;
        for word in 0..words {
            let mut op = Op { arity: halves as u8, ..Op::new(if eight.is_some() { operand::dpp8 } else { operand::dpp }) };
            op.dst = [dst + word * halves * ROW, WRITTEN];
            (op.src[0], op.src[1]) = (src + word * halves * ROW, Frame::scalar(EXEC));
            let get = |name: &str| self.modifier(name).unwrap_or(0) as i32;
            op.imm = match (eight, control) {
                (Some(lanes), _) => lanes as i32 | i32::from(self.modifier("fi8") == Some(0xea)) << 31,
                (None, Some(control)) => {
                    control as i32
                        | (get("bound_ctrl") & 1) << 12
                        | (get("fi") & 1) << 13
                        | get("bank_mask") << 16
                        | get("row_mask") << 20
                }
                (None, None) => 0,
            };
            code.push(op);
        }
        Ok(Some(dst))
    }

    /// The op of 32 lanes, with its sources.
    fn read(&self, code: &mut Code, half: u32, moved: Option<u32>) -> Result<Op, String> {
        let guard = 4 * half + if moved.is_some() { WRITTEN } else { Frame::scalar(EXEC) };
        let run = self.apart.unwrap_or_else(|| self.instance.row(self.mods));
        let mut op = Op { mods: self.mods, guard, ..Op::new(run) };
        for (i, (argument, ty)) in self.arguments.sources.iter().zip(self.instance.sources).enumerate() {
            op.src[i] = self.source(code, i, argument, *ty, half, moved.filter(|_| is_first(argument)))?;
        }
        Ok(op)
    }

    /// Adds the op and what puts its results into registers.
    fn write(&self, code: &mut Code, half: u32, mut op: Op) -> Result<(), String> {
        let guard = op.guard;
        let mut after: Vec<(Argument, Type, u32)> = Vec::new();
        // Of a comparison only the mask is wanted, not its complement.
        let wanted = if self.instance.results[0] == Type::Pred { 1 } else { self.instance.results.len() };
        for (i, ty) in self.instance.results.iter().enumerate().take(wanted) {
            let Some(argument) = self.arguments.results.get(i) else { continue };
            let (at, place) = self.result(code, argument, *ty, half)?;
            op.wide |= *ty == Type::Pred;
            op.dst[i] = if i > 0 && at == SINK { NONE } else { at };
            if place {
                after.push((*argument, *ty, at));
            }
        }
        code.push(op);
        for (i, ty) in self.instance.results.iter().enumerate().take(self.arguments.results.len().min(wanted)) {
            self.output(code, *ty, op.dst[i], guard);
        }
        for (argument, ty, at) in after {
            self.put(code, &argument, ty, at, half, guard)?;
        }
        // A second mask is the same.
        if self.instance.results[0] == Type::Pred {
            for argument in self.arguments.results.iter().skip(1) {
                let at = cell(code, argument, Type::Pred, true)? + 4 * half;
                code.adapt(operand::copy_cells, at, op.dst[0], 0);
            }
        }
        Ok(())
    }

    /// The row of a source.
    fn source(
        &self,
        code: &mut Code,
        i: usize,
        argument: &Argument,
        ty: Type,
        half: u32,
        moved: Option<u32>,
    ) -> Result<u32, String> {
        let value = argument.value;
        if value.what == What::Text(operands::LANE) {
            let at = code.row(32, 1)?;
            code.adapt(operand::lane_numbers, at, NULL, 32 * half as i32);
            return Ok(at);
        }
        if let Some(narrow) = self.mixed.filter(|_| self.is_mixed(i, argument) && ty == Type::F32) {
            return self.single(code, i, argument, narrow, half, moved);
        }
        if self.mixed.is_some() && ty == Type::F32 && matches!(value.what, What::Constant(bits) if bits != 0) {
            return Err("with a constant in single precision is not executable yet".into());
        }
        if ty == Type::Pred {
            return Ok(cell(code, argument, ty, false)? + if is_wide_mask(value.what) { 4 * half } else { 0 });
        }
        let bits = ty.bits();
        let halves = code.frame.halves;
        let register = match value.what {
            What::Named("src_lds_direct") => Some(direct(code)?),
            what => moved.or_else(|| code.frame.row_of(what)),
        };
        let selected = match argument.slot.and_then(|slot| slot.source) {
            Some(0) => self.modifier("src0_sel"),
            Some(1) => self.modifier("src1_sel"),
            _ => None,
        };
        let at = match register {
            Some(rows) => {
                let row = self.of_four(code, i, rows + half * ROW, half)?;
                let row = match selected {
                    Some(6) | None => row,
                    Some(select) => {
                        let at = code.row(32, 1)?;
                        code.adapt(operand::select, at, row, select as i32 | i32::from(value.sext) << 3);
                        at
                    }
                };
                match bits {
                    64 if self.apart.is_some() => row,
                    64 => {
                        let at = code.row(64, 1)?;
                        let mut op = Op::new(operand::join());
                        (op.dst[0], op.src[0], op.src[1]) = (at, row, row + halves * ROW);
                        code.push(op);
                        at
                    }
                    16 => {
                        let at = code.row(16, 1)?;
                        code.adapt(operand::half, at, row, i32::from(self.upper(i, argument)));
                        at
                    }
                    _ => row,
                }
            }
            None => match value.what {
                What::Constant(_) | What::Null => {
                    let constant = self.constant(argument, i, ty)?;
                    return Ok(if bits == 64 && self.apart.is_some() {
                        code.constant_pair(constant as u64)
                    } else {
                        code.constant(constant, bits)
                    });
                }
                What::Scalar(number) if bits == 64 && self.apart.is_some() && code.mirrored_pair(number).is_some() => {
                    return Ok(code.mirrors[&number]);
                }
                _ if bits == 64 && self.apart.is_some() => {
                    let from = cell(code, argument, ty, false)?;
                    let at = code.row(32, 1 + halves)?;
                    code.adapt(operand::broadcast::<u32>, at, from, 0);
                    code.adapt(operand::broadcast::<u32>, at + halves * ROW, from + 4, 0);
                    return Ok(at);
                }
                What::Scalar(number) if bits == 32 && code.mirrors.contains_key(&number) => code.mirrors[&number],
                _ => {
                    let from = cell(code, argument, ty, false)?;
                    let at = code.row(bits, 1)?;
                    let run = match bits {
                        16 if self.upper(i, argument) => operand::broadcast_upper,
                        16 => operand::broadcast::<u16>,
                        64 => operand::broadcast::<u64>,
                        _ => operand::broadcast::<u32>,
                    };
                    code.adapt(run, at, from, 0);
                    at
                }
            },
        };
        self.signed(code, i, argument, ty, at)
    }

    /// Whether a source of an instruction of mixed precision is a half: its modifier says so, or its type, where it has none.
    fn is_mixed(&self, i: usize, argument: &Argument) -> bool {
        let said = self.modifier("op_sel_hi").or_else(|| self.modifier("op_sel_hi=0")).map(|bits| bits >> i & 1 == 1);
        let is_half = || argument.slot.is_some_and(|slot| slot.operand.ty.bits == 16);
        self.mixed.is_some() && said.unwrap_or_else(is_half)
    }

    /// The row of a source, or one with what a lane of each four has there, active or not.
    fn of_four(&self, code: &mut Code, i: usize, row: u32, half: u32) -> Result<u32, String> {
        let Some(digit @ b'0'..=b'3') = self.fours.and_then(|fours| fours.as_bytes().get(i)) else { return Ok(row) };
        let lane = u32::from(digit - b'0');
        let select = (0..8).fold(1 << 31, |select, to| select | (lane + (to & 4)) << (3 * to));
        let mut op = Op { imm: select as i32, ..Op::new(operand::dpp8) };
        (op.dst, op.src[0], op.src[1]) = ([code.row(32, 1)?, code.cell(1)?], row, Frame::scalar(EXEC) + 4 * half);
        code.push(op);
        Ok(op.dst[0])
    }

    /// The row of a half, widened to single precision; its signs are those of the encoding.
    fn single(
        &self,
        code: &mut Code,
        i: usize,
        argument: &Argument,
        narrow: Type,
        half: u32,
        moved: Option<u32>,
    ) -> Result<u32, String> {
        let plain = Vector { mixed: None, ..*self };
        let from = plain.source(code, i, argument, narrow, half, moved)?;
        let at = code.row(32, 1)?;
        code.adapt(if narrow == Type::Bf16 { operand::single_of_bfloat } else { operand::single }, at, from, 0);
        Ok(at)
    }

    /// Whether the upper half of a register is meant by a source of 16 bits.
    fn upper(&self, i: usize, argument: &Argument) -> bool {
        let chosen = self.modifier("op_sel").is_some_and(|bits| bits >> place(argument, i) & 1 == 1);
        argument.value.upper || chosen && argument.slot.is_some_and(|slot| !slot.half)
    }

    /// A constant source with its signs.
    fn constant(&self, argument: &Argument, i: usize, ty: Type) -> Result<u128, String> {
        let What::Constant(bits) = argument.value.what else { return Ok(0) };
        let mut bits = operands::extended(argument, bits, ty);
        let sign = 1u64 << (ty.bits().min(64) - 1);
        if ty == Type::F32x2 {
            // A constant is one word: the other half of it is zero.
            let packed = self.packed(i, argument);
            let word = |upper: u32, sign: u32| (if upper == 0 { bits & 0xffff_ffff } else { bits >> 32 }) ^ u64::from(sign) << 31;
            return Ok(u128::from(word(packed & 1, packed >> 2 & 1) | word(packed >> 1 & 1, packed >> 3 & 1) << 32));
        }
        if is_pair(ty) {
            let is_literal = self.instruction.decoded.literal == Some(bits);
            let bits = if self.doubles && !is_literal { bits & 0xffff | bits << 16 } else { bits };
            return Ok(self.halves_of(i, argument, bits as u32).into());
        }
        let (neg, abs) = self.signs_of(i, argument, ty);
        if abs {
            bits &= !sign;
        }
        if neg {
            bits ^= sign;
        }
        let mask = if ty.bits() >= 64 { u64::MAX } else { (1 << ty.bits()) - 1 };
        Ok((bits & mask).into())
    }

    /// The choice of halves and signs of a packed source: as [`operand::halves`] takes it, and what it is usually. In encodings that are not packed a sign is
    /// the lower half's, and the bit of an absolute value is the sign of the upper half.
    fn packed(&self, i: usize, argument: &Argument) -> u32 {
        let place = place(argument, i);
        let bit = |name: &str, usual: u64| (self.modifier(name).unwrap_or(usual) >> place & 1) as u32;
        let (low, high) = (u64::from(argument.value.neg) << place, u64::from(argument.value.abs) << place);
        bit("op_sel", 0) | bit("op_sel_hi", 7) << 1 | bit("neg_lo", low) << 2 | bit("neg_hi", high) << 3
    }

    fn halves_of(&self, i: usize, argument: &Argument, bits: u32) -> u32 {
        let packed = self.packed(i, argument);
        let pick = |upper: u32| bits >> (16 * upper) & 0xffff;
        (pick(packed & 1) | pick(packed >> 1 & 1) << 16) ^ ((packed >> 2 & 1) << 15 | (packed >> 3 & 1) << 31)
    }

    /// The signs of a source that is no pair: in packed encodings `neg_lo` negates it and `neg_hi` takes its absolute value.
    fn signs_of(&self, i: usize, argument: &Argument, ty: Type) -> (bool, bool) {
        let bit = |name: &str| is_float(ty) && self.modifier(name).is_some_and(|bits| bits >> place(argument, i) & 1 == 1);
        (argument.value.neg || bit("neg_lo"), argument.value.abs || bit("neg_hi"))
    }

    /// A source with its signs and halves.
    fn signed(&self, code: &mut Code, i: usize, argument: &Argument, ty: Type, at: u32) -> Result<u32, String> {
        let (neg, abs) = self.signs_of(i, argument, ty);
        if is_pair(ty) && (self.modifier("op_sel_hi").is_some() || neg || abs) {
            let packed = self.packed(i, argument);
            if packed == 2 {
                return Ok(at);
            }
            let to = code.row(ty.bits(), 1)?;
            code.adapt(if ty.bits() == 64 { operand::words } else { operand::halves }, to, at, packed as i32);
            return Ok(to);
        }
        if !neg && !abs {
            return Ok(at);
        }
        let to = code.row(ty.bits(), 1)?;
        let run = match ty.bits() {
            16 => operand::signs::<u16>,
            64 => operand::signs::<u64>,
            _ => operand::signs::<u32>,
        };
        code.adapt(run, to, at, i32::from(abs) | i32::from(neg) << 1);
        Ok(to)
    }

    /// Where the function writes a result, and whether it must be put into the register afterwards.
    fn result(&self, code: &mut Code, argument: &Argument, ty: Type, half: u32) -> Result<(u32, bool), String> {
        if ty == Type::Pred {
            let at = cell(code, argument, ty, true)?;
            return Ok((if at == SINK { at } else { at + 4 * half }, false));
        }
        let row = code.frame.row_of(argument.value.what);
        let row = row.ok_or("a vector instruction writes something that is no vector register")?;
        let selected = self.modifier("dst_sel").is_some_and(|select| select != 6);
        if ty.bits() == 32 && !selected || ty.bits() == 64 && self.apart.is_some() {
            return Ok((row + half * ROW, false));
        }
        Ok((code.row(ty.bits(), 1)?, true))
    }

    /// What output modifiers do to a result: scales it, then limits it.
    fn output(&self, code: &mut Code, ty: Type, at: u32, guard: u32) {
        let mut apply = |run, imm| {
            let mut op = Op { guard, imm, mods: self.mods, ..Op::new(run) };
            (op.dst[0], op.src[0]) = (at, at);
            code.push(op);
        };
        if let (Some(scale), Some(run)) = (self.modifier("omod").filter(|n| *n != 0 && self.scales), operand::scaling(ty)) {
            apply(run, scale as i32);
        }
        if let (true, Some(run)) = (self.clamp, operand::clamping(ty, self.clamps_nan)) {
            apply(run, 0);
        }
    }

    /// Puts a result into its register.
    fn put(&self, code: &mut Code, argument: &Argument, ty: Type, at: u32, half: u32, guard: u32) -> Result<(), String> {
        let halves = code.frame.halves;
        let Some(row) = code.frame.row_of(argument.value.what).map(|row| row + half * ROW) else { return Ok(()) };
        let mut op = Op { guard, ..Op::new(operand::split()) };
        (op.dst[0], op.src[0]) = (row, at);
        if let Some(select) = self.modifier("dst_sel").filter(|select| *select != 6) {
            let unused = self.modifier("dst_unused").unwrap_or(0);
            if ty.bits() == 16 {
                let wide = code.row(32, 1)?;
                code.adapt(operand::widen, wide, at, 0);
                op.src[0] = wide;
            }
            (op.run, op.imm) = (operand::put_selected, select as i32 | (unused as i32) << 3);
        } else if ty.bits() == 16 {
            op.run = operand::put_half;
            op.imm = self.half_written(argument);
        } else {
            op.dst[1] = row + halves * ROW;
        }
        code.push(op);
        Ok(())
    }

    /// How a result of 16 bits is written, as [`operand::put_half`] takes it.
    fn half_written(&self, argument: &Argument) -> i32 {
        let codec = self.instruction.codec;
        let chosen = |bits: u64| bits >> 3 & 1 == 1;
        match self.modifier("op_sel") {
            _ if self.part == Some("upper") || argument.value.upper => 2,
            Some(bits) if chosen(bits) && argument.slot.is_some_and(|slot| !slot.half) => 2,
            _ if codec.has("keeps_upper_halves") => 1,
            Some(_) if self.instruction.decoded.entry.modifiers.iter().any(|m| m.name == "op_sel") => 1,
            _ => 0,
        }
    }
}

fn is_pair(ty: Type) -> bool {
    matches!(ty, Type::F16x2 | Type::Bf16x2 | Type::U16x2 | Type::S16x2 | Type::F32x2)
}

/// The place of a source among those of its instruction.
fn place(argument: &Argument, i: usize) -> usize {
    argument.slot.and_then(|slot| slot.source).map_or(i, usize::from)
}

/// Whether an operand is the one that DPP moves.
fn is_first(argument: &Argument) -> bool {
    argument.slot.is_some_and(|slot| slot.operand.name == "src0")
}

/// Whether a mask has a word for each 32 lanes: SCC has one bit.
fn is_wide_mask(what: What) -> bool {
    !matches!(what, What::Text("scc") | What::Named("src_scc") | What::Constant(_))
}

/// An instruction whose function knows wavefronts: sources and results are cells, or the first rows of vector registers.
fn group(
    code: &mut Code,
    modes: Modes,
    instruction: &Instruction,
    run: &Run,
    choose: fn(&Op) -> Option<machine::Handler>,
) -> Result<(), String> {
    let (codec, decoded) = (instruction.codec, &instruction.decoded);
    let mut arguments = operands::arguments(codec, decoded, run, instruction.next())?;
    let indexed = Indexed::take(code, modes, instruction, &mut arguments)?;
    let words = run.setting("words").and_then(|words| words.parse().ok());
    let mut op = Op { mods: mods(run)?, arity: words.unwrap_or(code.frame.halves as u8), ..Op::new(semantics::wave::nothing) };
    if operands::is_vector(decoded) {
        op.guard = Frame::scalar(EXEC);
    }
    if run.setting("relative").is_some() {
        if ["dpp_ctrl", "dpp8", "src0_sel"].iter().any(|name| codec.modifier_of(decoded, name).is_some()) {
            return Err("of relative registers with DPP or SDWA is not executable yet".into());
        }
        op.imm = code.frame.vector(code.frame.vectors) as i32;
    }
    if let Some(taken) = run.setting("takes") {
        only(&arguments, taken)?;
    }
    if returns(codec, decoded, run) || does_nothing(code, run) {
        code.push_nothing();
        return Ok(());
    }
    if let Some(what) = run.setting("imm") {
        op.imm = immediate(code, codec, what)?;
    }
    let rows = run.setting("rows").is_some();
    let mut next = 0;
    for argument in &arguments.sources {
        let special = argument.slot.map(|slot| slot.operand.ty.name);
        if let (Some("branch"), What::Constant(distance)) = (special, argument.value.what) {
            // The target's op is filled in when all have their place.
            let target = instruction.next().wrapping_add_signed(i64::from(distance as u16 as i16) * 4);
            if run.setting("target").is_none() {
                op.imm = code.jump_to(target);
                continue;
            }
            *op.src.get_mut(next).ok_or("its function has more sources than an op")? = code.constant(target.into(), 64);
            next += 1;
            continue;
        }
        // Barriers that M0 names.
        op.wide |= argument.slot.is_some() && argument.value.what == What::Text("m0");
        if matches!(argument.value.what, What::Text("scc") | What::Named("src_scc")) {
            op.arity = 1;
        }
        let at = if rows && argument.slot.is_some() { rows_of(code, argument)? } else { place_of(code, argument, false)? };
        *op.src.get_mut(next).ok_or("its function has more sources than an op")? = at;
        next += 1;
    }
    for (i, argument) in arguments.results.iter().enumerate() {
        let at = place_of(code, argument, true)?;
        *op.dst.get_mut(i).ok_or("its function has more results than an op")? = at;
    }
    if let Some(waits) = waits(instruction, run)? {
        op.imm = code.tables.waits.len() as i32;
        code.tables.waits.push(waits);
    }
    push(code, run, choose, op)?;
    indexed.into_iter().for_each(|indexed| indexed.put(code));
    Ok(())
}

/// Whether an instruction's function is one of lanes: it writes all its results, whatever they were.
pub(super) fn is_of_lanes(codec: &Codec, decoded: &Decoded) -> bool {
    let function = decoded.entry.instruction.run_on(codec.target).and_then(|run| semantics::find(run.function));
    function.is_some_and(|function| matches!(function.shape, Shape::Lane(_)))
}

/// Whether an instruction uses registers whose numbers are known only where it is executed.
pub(super) fn has_hidden_registers(codec: &Codec, decoded: &Decoded) -> bool {
    decoded.entry.instruction.run_on(codec.target).is_some_and(|run| {
        run.setting("relative").is_some() || run.setting("imm").is_some_and(|what| what.starts_with("scalars"))
    })
}

/// Whether a function does nothing in this kernel: a hint, or a wait where all is written at once. A wait for everything is one for copies in the
/// background, too.
fn does_nothing(code: &Code, run: &Run) -> bool {
    let waits = semantics::wave::waits(run.function) && run.function != semantics::wave::WAIT_IDLE;
    run.function == semantics::wave::NOTHING || code.tables.waited && waits
}

/// Whether an instruction that does not go on usually has the number with which it does.
pub(super) fn returns(codec: &Codec, decoded: &Decoded, run: &Run) -> bool {
    let number = decoded.entry.operands.first().map(|slot| codec.value_of(slot, decoded).what);
    let said = run.setting("returns").and_then(|number| number.parse().ok());
    said.is_some_and(|said| number == Some(What::Constant(said)))
}

/// Looks whether the constant among the sources is one of those that the function takes: `0x83+0x85`.
fn only(arguments: &Arguments, taken: &str) -> Result<(), String> {
    let constant = arguments.sources.iter().find_map(|source| match source.value.what {
        What::Constant(bits) => Some(bits),
        _ => None,
    });
    let is = |word: &str, bits: u64| u64::from_str_radix(word.trim_start_matches("0x"), 16) == Ok(bits);
    match constant {
        Some(bits) if taken.split('+').any(|word| is(word, bits)) => Ok(()),
        Some(bits) => Err(format!("of {bits:#x} is not executable: nothing public says what it gives")),
        None => Err("has no constant to choose by".into()),
    }
}

/// A number that a function gets of the kernel or its target.
fn immediate(code: &Code, codec: &Codec, what: &str) -> Result<i32, String> {
    Ok(match what {
        "scalars" => Frame::scalar(0) as i32,
        "scalars-end" => Frame::scalar(codec.registers().numbered("s").map_or(0, |range| range.1)) as i32,
        "grows" => i32::from(code.grows),
        "barriers" => code.named_barriers as i32,
        _ => return Err(format!("its record asks for `{what}`, which is nothing that a kernel has")),
    })
}

/// Where an operand of a function that knows wavefronts lies: its first row, or its cells.
fn place_of(code: &mut Code, argument: &Argument, writes: bool) -> Result<u32, String> {
    match code.frame.row_of(argument.value.what) {
        Some(row) => Ok(row),
        None => cell(code, argument, argument.kind.ty.unwrap_or(Type::U32), writes),
    }
}

/// The rows of an operand, whatever stands there: a row of each word, as a tuple of vector registers has them.
fn rows_of(code: &mut Code, argument: &Argument) -> Result<u32, String> {
    if let Some(row) = code.frame.row_of(argument.value.what) {
        return Ok(row);
    }
    let (words, halves) = (argument.slot.map_or(1, |slot| u32::from(slot.words.max(1))), code.frame.halves);
    let at = code.row(32, words * halves)?;
    let from = cell(code, argument, if words > 1 { Type::U64 } else { Type::U32 }, false)?;
    for row in 0..words * halves {
        code.adapt(operand::broadcast::<u32>, at + row * ROW, from + 4 * (row / halves), 0);
    }
    Ok(at)
}

/// Adds an op of a function that chooses its handler by the op.
pub(super) fn push(code: &mut Code, run: &Run, choose: fn(&Op) -> Option<machine::Handler>, op: Op) -> Result<(), String> {
    let handler = choose(&op).ok_or_else(|| format!("`{}` does not take these operands", run.function))?;
    code.watched |= semantics::is_asynchronous(run.function);
    code.push(Op { run: handler, ..op });
    Ok(())
}

/// What a wait waits for: the record gives the counters of each part of its number, by the part's name or by its bits (`0-5`).
pub(super) fn waits(instruction: &Instruction, run: &Run) -> Result<Option<Vec<(Counters, u32)>>, String> {
    let (codec, decoded) = (instruction.codec, &instruction.decoded);
    let said: Vec<_> = run.settings.iter().filter_map(|(key, value)| Some((key.strip_prefix("wait.")?, *value))).collect();
    if said.is_empty() {
        return Ok(None);
    }
    fn number<'s>(codec: &Codec, slot: &'s amdgpu::codec::Slot, decoded: &Decoded) -> Option<(&'s amdgpu::codec::Slot, u32)> {
        match codec.value_of(slot, decoded).what {
            What::Constant(bits) => Some((slot, bits as u32)),
            _ => None,
        }
    }
    let found = decoded.entry.operands.iter().filter_map(|slot| number(codec, slot, decoded)).next_back();
    let (slot, value) = found.ok_or("its record waits by a number that it does not have")?;
    let form = slot.immediate.and_then(|i| codec.immediates().forms().get(usize::from(i)));
    let parts = form.map(|form| form.parts_of(value)).unwrap_or_default();
    let mut waits = Vec::new();
    for (part, names) in said {
        let left = match part.split_once('-') {
            Some((low, high)) => {
                let [low, high] = [low, high].map(|n| n.parse::<u32>().unwrap_or(0));
                value >> low & ((1 << (high - low + 1)) - 1)
            }
            None => match parts.iter().find(|p| p.0 == part) {
                Some(part) => part.1,
                None => continue,
            },
        };
        let mut counters = Counters::default();
        for name in names.split('+') {
            counters =
                counters.or(Counters::parse(name).ok_or_else(|| format!("its record waits for `{name}`, which is no counter"))?);
        }
        waits.push((counters, left));
    }
    Ok(Some(waits))
}
