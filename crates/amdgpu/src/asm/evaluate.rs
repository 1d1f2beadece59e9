//! Values of expressions: a number, or the address of a symbol less that of another, plus a number.
//!
//! Before everything is laid out, the distance of two labels is known only where nothing between them waits for the layout.

use super::expression::{Binary, Expression, Function, Machine, Pool, Specifier, Step, Unary};
use super::section::Sections;
use super::symbol::{State, SymbolId};

/// What is known of sections.
#[derive(Clone, Copy)]
pub(crate) enum View<'a> {
    /// Nothing.
    Nothing,
    /// What has been emitted so far.
    Fixed(&'a Sections),
    /// The offset of everything.
    Final(&'a Sections),
}

/// What an expression is: `add - subtract + constant`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// The symbol whose address is added.
    pub add: Option<SymbolId>,
    /// The symbol whose address is subtracted.
    pub subtract: Option<SymbolId>,
    /// The number.
    pub constant: i64,
    /// What `@` behind the symbol asked for.
    pub specifier: Option<Specifier>,
}

impl Value {
    fn of(constant: i64) -> Self {
        Value { constant, ..Value::default() }
    }

    fn is_number(&self) -> bool {
        self.add.is_none() && self.subtract.is_none()
    }

    /// The value, if it is a number and nothing else.
    pub fn number(&self) -> Option<i64> {
        (self.is_number() && self.specifier.is_none()).then_some(self.constant)
    }
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It computes something with addresses that has no form.
    Addresses,
    /// It divides by zero.
    Zero,
    /// A symbol's value depends on itself.
    Cycle(SymbolId),
    /// Computing it takes too long.
    TooLong,
}

/// So many steps may be computed for one file, not counting what is known from before.
const WORK: u64 = 1 << 24;

/// Steps that are being computed, for the whole or for a symbol.
struct Frame {
    next: u32,
    end: u32,
    in_set: bool,
    symbol: Option<(SymbolId, Option<Specifier>)>,
}

impl Pool {
    /// Computes an expression. `in_set`: variables are replaced by what they stand for even if that is an address.
    pub(crate) fn evaluate(&self, expression: Expression, view: View, in_set: bool) -> Result<Value, Failure> {
        match expression {
            Expression::Constant(value) => return Ok(Value::of(value)),
            // The commonest expression of all needs no stack.
            Expression::Steps(start, end) if end == start + 1 => {
                if let Some(Step::Symbol(id, specifier)) = self.steps.get(start as usize)
                    && !matches!(self.symbols.get(*id).state, State::Variable(_))
                {
                    return Ok(Value { add: Some(*id), specifier: *specifier, ..Value::default() });
                }
            }
            Expression::Steps(..) => {}
        }
        let mut frames = Vec::new();
        let result = self.run(expression, view, in_set, &mut frames);
        for frame in &frames {
            if let Some((id, _)) = frame.symbol {
                self.symbols.get(id).resolving.set(false);
                if let (true, Err(failure)) = (self.is_settled, result) {
                    self.settled.borrow_mut().insert((id, frame.in_set), Err(failure));
                }
            }
        }
        result
    }

    fn run(&self, expression: Expression, view: View, in_set: bool, frames: &mut Vec<Frame>) -> Result<Value, Failure> {
        let mut values: Vec<Value> = Vec::new();
        let frame = |expression, in_set, symbol| match expression {
            Expression::Steps(next, end) => Some(Frame { next, end, in_set, symbol }),
            Expression::Constant(_) => None,
        };
        frames.extend(frame(expression, in_set, None));
        while let Some(frame_here) = frames.last_mut() {
            if frame_here.next == frame_here.end {
                let value = values.pop().ok_or(Failure::Addresses)?;
                let done = frame_here.symbol.map(|(id, specifier)| (id, specifier, frame_here.in_set));
                frames.pop();
                let Some((id, specifier, in_set)) = done else { return Ok(value) };
                self.symbols.get(id).resolving.set(false);
                if self.is_settled {
                    self.settled.borrow_mut().insert((id, in_set), Ok(value));
                }
                values.push(self.variable(id, specifier, in_set, value)?);
                continue;
            }
            self.work.set(self.work.get() + 1);
            if self.work.get() > WORK {
                return Err(Failure::TooLong);
            }
            let step = self.steps[frame_here.next as usize];
            frame_here.next += 1;
            let in_set = frame_here.in_set;
            let value = match step {
                Step::Constant(value) => Value::of(value),
                Step::Symbol(id, specifier) => {
                    let symbol = self.symbols.get(id);
                    if symbol.resolving.get() {
                        return Err(Failure::Cycle(id));
                    }
                    let has_layout = matches!(view, View::Final(_));
                    match symbol.state {
                        State::Variable(Expression::Constant(value)) if specifier.is_none() => Value::of(value),
                        State::Variable(inner @ Expression::Steps(..)) if specifier.is_none() || has_layout => {
                            if let Some(known) = self.settled.borrow().get(&(id, in_set)) {
                                values.push(self.variable(id, specifier, in_set, (*known)?)?);
                                continue;
                            }
                            symbol.resolving.set(true);
                            frames.extend(frame(inner, in_set, Some((id, specifier))));
                            continue;
                        }
                        _ => Value { add: Some(id), specifier, ..Value::default() },
                    }
                }
                Step::Unary(operator) => unary(operator, values.pop().ok_or(Failure::Addresses)?)?,
                Step::Binary(operator) => {
                    let b = values.pop().ok_or(Failure::Addresses)?;
                    let a = values.pop().ok_or(Failure::Addresses)?;
                    self.binary(operator, a, b, view)?
                }
                Step::Call(function, count) => {
                    let first = values.len().checked_sub(count as usize).ok_or(Failure::Addresses)?;
                    let arguments = &values[first..];
                    if !arguments.iter().all(Value::is_number) {
                        return Err(Failure::Addresses);
                    }
                    let value = call(function, arguments, &self.machine);
                    values.truncate(first);
                    value
                }
            };
            values.push(value);
        }
        Err(Failure::Addresses)
    }

    /// What a variable whose expression is `value` means where it is named: the value, or, if that is an address, the symbol itself,
    /// for relocations name it.
    fn variable(&self, id: SymbolId, specifier: Option<Specifier>, in_set: bool, value: Value) -> Result<Value, Failure> {
        let itself = Value { add: Some(id), specifier, ..Value::default() };
        let is_address = value.subtract.is_none() && value.add.is_some_and(|add| self.is_in_section(add));
        if is_address && !in_set {
            return Ok(itself);
        }
        if specifier.is_none() {
            return Ok(value);
        }
        if value.is_number() {
            return Ok(itself);
        }
        let is_plain = value.specifier.is_none() && value.subtract.is_none() && value.constant == 0;
        if is_plain { Ok(Value { specifier, ..value }) } else { Err(Failure::Addresses) }
    }

    /// Whether a symbol that a value names is a place of this file; a variable is named only if it stands for one.
    fn is_in_section(&self, id: SymbolId) -> bool {
        matches!(self.symbols.get(id).state, State::Label(_) | State::Variable(_))
    }

    fn binary(&self, operator: Binary, a: Value, b: Value, view: View) -> Result<Value, Failure> {
        if a.is_number() && b.is_number() {
            return arithmetic(operator, a.constant, b.constant).map(Value::of);
        }
        let b = match operator {
            Binary::Add => b,
            Binary::Subtract => {
                Value { add: b.subtract, subtract: b.add, constant: b.constant.wrapping_neg(), specifier: b.specifier }
            }
            _ => return Err(Failure::Addresses),
        };
        if b.is_number() {
            return Ok(Value { constant: a.constant.wrapping_add(b.constant), ..a });
        }
        if a.is_number() {
            return Ok(Value { constant: b.constant.wrapping_add(a.constant), ..b });
        }
        if [a, b].iter().any(|value| value.subtract.is_some() && value.specifier.is_some()) && operator == Binary::Add {
            return Err(Failure::Addresses);
        }
        self.sum(a, b, view)
    }

    fn sum(&self, mut a: Value, mut b: Value, view: View) -> Result<Value, Failure> {
        let mut constant = a.constant.wrapping_add(b.constant);
        if a.specifier.is_none() && b.specifier.is_none() {
            for (add, subtract) in [(&mut a.add, &mut b.subtract), (&mut b.add, &mut a.subtract)] {
                if let (Some(plus), Some(minus)) = (*add, *subtract)
                    && let Some(distance) = self.distance(plus, minus, view)
                {
                    constant = constant.wrapping_add(distance);
                    (*add, *subtract) = (None, None);
                }
            }
        }
        if (a.add.is_some() && b.add.is_some()) || (a.subtract.is_some() && b.subtract.is_some()) {
            return Err(Failure::Addresses);
        }
        let specifier = a.specifier.or(b.specifier);
        Ok(Value { add: a.add.or(b.add), subtract: a.subtract.or(b.subtract), constant, specifier })
    }

    /// How far one symbol lies behind another, if that is known.
    fn distance(&self, a: SymbolId, b: SymbolId, view: View) -> Option<i64> {
        match view {
            View::Nothing => None,
            View::Fixed(sections) => match (self.symbols.get(a).state, self.symbols.get(b).state) {
                (State::Label(a), State::Label(b)) => sections.fixed_distance(a, b),
                _ => None,
            },
            View::Final(sections) => {
                let (section_a, a) = self.address(a, sections)?;
                let (section_b, b) = self.address(b, sections)?;
                (section_a.is_some() && section_a == section_b).then(|| a.wrapping_sub(b) as i64)
            }
        }
    }

    /// The section and the offset of a defined symbol once everything is laid out; no section if it is a number.
    pub(crate) fn address(&self, id: SymbolId, sections: &Sections) -> Option<(Option<u32>, u64)> {
        match self.symbols.get(id).state {
            State::Label(label) => Some((Some(sections.section_of(label)), sections.offset_of(label))),
            State::Variable(expression) => {
                let value = self.evaluate(expression, View::Final(sections), true).ok()?;
                let place = |id: Option<SymbolId>| match self.symbols.get(id?).state {
                    State::Label(label) => Some((sections.section_of(label), sections.offset_of(label))),
                    _ => None,
                };
                let constant = value.constant as u64;
                match (value.add, value.subtract) {
                    (None, None) => Some((None, constant)),
                    (Some(_), None) => place(value.add).map(|(section, offset)| (Some(section), offset.wrapping_add(constant))),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn unary(operator: Unary, value: Value) -> Result<Value, Failure> {
    match operator {
        Unary::Plus => Ok(value),
        Unary::Minus if value.add.is_some() && value.subtract.is_none() => Err(Failure::Addresses),
        Unary::Minus => {
            Ok(Value { add: value.subtract, subtract: value.add, constant: value.constant.wrapping_neg(), specifier: None })
        }
        _ if !value.is_number() => Err(Failure::Addresses),
        Unary::Not => Ok(Value::of(!value.constant)),
        Unary::LogicalNot => Ok(Value::of(i64::from(value.constant == 0))),
    }
}

/// Two's complement arithmetic of 64 bits; comparisons give -1 or 0.
fn arithmetic(operator: Binary, a: i64, b: i64) -> Result<i64, Failure> {
    let flag = |is_true: bool| -i64::from(is_true);
    Ok(match operator {
        Binary::LogicalOr => i64::from(a != 0 || b != 0),
        Binary::LogicalAnd => i64::from(a != 0 && b != 0),
        Binary::Equal => flag(a == b),
        Binary::NotEqual => flag(a != b),
        Binary::Less => flag(a < b),
        Binary::LessEqual => flag(a <= b),
        Binary::Greater => flag(a > b),
        Binary::GreaterEqual => flag(a >= b),
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Or => a | b,
        Binary::OrNot => a | !b,
        Binary::Xor => a ^ b,
        Binary::And => a & b,
        Binary::Multiply => a.wrapping_mul(b),
        Binary::Divide | Binary::Remainder if b == 0 => return Err(Failure::Zero),
        Binary::Divide => a.wrapping_div(b),
        Binary::Remainder => a.wrapping_rem(b),
        // LLVM leaves shifts by 64 and more to the host, x86 in practice: the count is taken modulo 64.
        Binary::ShiftLeft => a.wrapping_shl(b as u32),
        Binary::ShiftRight => (a as u64).wrapping_shr(b as u32) as i64,
    })
}

fn call(function: Function, arguments: &[Value], machine: &Machine) -> Value {
    let argument = |at: usize| arguments.get(at).map_or(0, |value| value.constant as u64);
    let numbers = arguments.iter().map(|value| value.constant);
    Value::of(match function {
        Function::Max => numbers.max().unwrap_or(0),
        Function::Or => numbers.fold(0, |a, b| a | b),
        Function::AlignTo => align_to(argument(0), argument(1)) as i64,
        Function::TotalNumVgprs => {
            let (agprs, vgprs) = (argument(0), argument(1));
            let is_joined = machine.has_unified_registers && agprs > 0;
            (if is_joined { align_to(vgprs, 4).wrapping_add(agprs) } else { vgprs.max(agprs) }) as i64
        }
        Function::ExtraSgprs => extra_sgprs(argument(0) != 0, argument(1) != 0, argument(2) != 0, machine),
        Function::Occupancy => occupancy(&std::array::from_fn(argument)),
    })
}

/// The next multiple of `granule`; the value itself for 0.
fn align_to(value: u64, granule: u64) -> u64 {
    value.wrapping_add(granule.wrapping_sub(1)).checked_div(granule).map_or(value, |count| count * granule)
}

/// SGPRs beyond those that a kernel names (LLVM, IsaInfo::getNumExtraSGPRs).
fn extra_sgprs(vcc: bool, flat_scratch: bool, xnack: bool, machine: &Machine) -> i64 {
    let vcc = if vcc { 2 } else { 0 };
    match machine.major {
        10.. => vcc,
        8..=9 if flat_scratch || machine.has_architected_flat_scratch => 6,
        8..=9 if xnack => 4,
        ..=7 if flat_scratch => 4,
        _ => vcc,
    }
}

/// Waves on a SIMD (LLVM, getOccupancyWithNumSGPRs and getNumWavesPerEUWithNumVGPRs); generations count as LLVM does: 7 is gfx8, 9 is
/// gfx10.
fn occupancy(&[limit, granule, registers, generation, initial, sgprs, vgprs]: &[u64; 7]) -> i64 {
    let mut waves = initial;
    if sgprs > 0 {
        let steps: &[(u64, u64)] = match generation {
            9.. => &[(u64::MAX, limit)],
            7..=8 => &[(80, 10), (88, 9), (100, 8), (u64::MAX, 7)],
            _ => &[(48, 10), (56, 9), (64, 8), (72, 7), (80, 6), (u64::MAX, 5)],
        };
        waves = waves.min(steps.iter().find(|(most, _)| sgprs <= *most).map_or(limit, |(_, waves)| *waves));
    }
    if vgprs > 0 && vgprs >= granule {
        let rounded = align_to(vgprs, granule).max(1);
        waves = waves.min((registers / rounded).max(1).min(limit));
    } else if vgprs > 0 {
        waves = waves.min(limit);
    }
    waves as i64
}
