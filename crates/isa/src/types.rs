//! Types: those of `types.isa`, and the type expressions of operands.

use std::fmt;

use crate::condition::{Condition, Cursor, Modifiers};
use crate::text::{Place, Text};

/// What the bits of a type are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Signed or unsigned integers.
    Integer,
    /// Bits without interpretation.
    Bits,
    /// Floating-point numbers, scalar or packed.
    Float,
    /// Predicates.
    Pred,
    /// Textures, samplers, surfaces.
    Opaque,
}

impl Class {
    pub(crate) fn parse(text: &str) -> Option<Class> {
        Some(match text {
            "integer" => Class::Integer,
            "bits" => Class::Bits,
            "float" => Class::Float,
            "pred" => Class::Pred,
            "opaque" => Class::Opaque,
            _ => return None,
        })
    }
}

/// A register, element or instruction type.
#[derive(Clone, Debug)]
pub struct Type {
    /// `f16x2`.
    pub name: Text,
    /// One line.
    pub title: Text,
    /// Width.
    pub bits: u32,
    /// What the bits are.
    pub class: Class,
    /// Number and type of the lanes of a packed type.
    pub lanes: Option<(u32, Text)>,
    /// Names of the register types that hold it; empty for the rule of [`Type::held_by`].
    pub registers: Vec<Text>,
    /// Where ptxas takes it as a modifier of any instruction, which makes nothing of it: the group of words of which it takes one.
    pub ignored: Option<Text>,
    /// Where the facts come from.
    pub src: Text,
    /// Where it stands in the table.
    pub place: Place,
}

impl Type {
    /// Whether it is a signed integer type.
    pub fn signed(&self) -> bool {
        self.class == Class::Integer && self.name.starts_with('s')
    }

    /// Whether an operand of this type may be an integer constant: not if it is packed or a floating-point number (verdicts of
    /// ptxas 13.5; the manual, 4.5, converts only between integers and between floating-point numbers).
    pub fn takes_integer(&self) -> bool {
        self.lanes.is_none() && matches!(self.class, Class::Integer | Class::Bits | Class::Pred)
    }

    /// Whether an operand of this type may be a floating-point constant: f32 and f64, or as many bits.
    pub fn takes_float(&self) -> bool {
        self.lanes.is_none() && [32, 64].contains(&self.bits) && (self.class == Class::Bits || self.number())
    }

    /// Whether it is a floating-point number that a register of its own type holds.
    fn number(&self) -> bool {
        self.class == Class::Float && self.lanes.is_none() && (self.registers.is_empty() || self.registers.contains(&self.name))
    }

    /// Whether an element of a vector of this type may be such a register: there ptxas 13.5 lets integers hold f16, f32 and f64, too.
    pub fn held_in_vector(&self, register: &Type, wider: bool) -> bool {
        let integer = register.class == Class::Integer && register.lanes.is_none();
        self.held_by(register, wider) || (self.number() && integer && register.bits == self.bits)
    }

    /// Whether registers of the two types may stand in one vector (verdicts of ptxas 13.5).
    pub fn beside(&self, other: &Type) -> bool {
        let bits = self.class == Class::Bits || other.class == Class::Bits;
        let same = self.class == other.class && self.lanes.is_some() == other.lanes.is_some();
        self.element_bits() == other.element_bits() && (bits || same)
    }

    /// The width as an element of a vector, where ptxas 13.5 counts a predicate as 32 bits.
    pub fn element_bits(&self) -> u32 {
        if self.class == Class::Pred { 32 } else { self.bits }
    }

    /// Whether an operand of this type may be a register declared as `register`: one that `types.isa` lists or,
    /// where it lists none, one of the same width and class, or with bits on either side (PTX ISA 9.4, 9.2, table
    /// 26). `wider` admits wider registers (9.4.1, tables 27 and 28), floating-point ones excepted.
    pub fn held_by(&self, register: &Type, wider: bool) -> bool {
        if self.registers.contains(&register.name) {
            return true;
        }
        // A register of packed numbers is one of bits, except where a single number or other packed ones are needed.
        if register.lanes.is_some() && !matches!(self.class, Class::Float | Class::Pred) {
            return register.bits == self.bits || (wider && register.bits > self.bits);
        }
        if register.lanes.is_some() {
            return false;
        }
        if !self.registers.is_empty() {
            let bits_of = |name: &str| name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u32>();
            return wider
                && register.class == Class::Bits
                && self.registers.iter().any(|r| bits_of(r).is_ok_and(|b| b < register.bits));
        }
        let bits = self.class == Class::Bits || register.class == Class::Bits;
        let same = self.class == register.class;
        match (self.class, register.class) {
            (Class::Pred, _) | (_, Class::Pred) => same,
            _ if register.bits == self.bits => bits || same,
            (Class::Float, _) => wider && register.bits > self.bits && register.class == Class::Bits,
            (_, Class::Float) => wider && register.bits > self.bits && self.class == Class::Bits,
            _ => wider && register.bits > self.bits,
        }
    }
}

/// Constants from `first` to `last`, in steps of `step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The smallest.
    pub first: i64,
    /// The largest.
    pub last: i64,
    /// From one to the next.
    pub step: i64,
}

impl Range {
    /// `16`, `0..15` or `0..1048560/16`.
    fn parse(text: &str) -> Result<Range, String> {
        let number = |t: &str| t.parse::<i64>().map_err(|_| format!("`{t}` is not an integer"));
        let (range, step) = text.split_once('/').unwrap_or((text, "1"));
        let (first, last) = range.split_once("..").unwrap_or((range, range));
        let range = Range { first: number(first)?, last: number(last)?, step: number(step)? };
        let whole = range.step > 0 && range.first <= range.last && (range.last - range.first) % range.step == 0;
        if whole { Ok(range) } else { Err(format!("`{text}` is no range such as 0..15 or 0..32/8")) }
    }

    fn contains(self, value: i128) -> bool {
        (self.first.into()..=self.last.into()).contains(&value) && (value - i128::from(self.first)) % i128::from(self.step) == 0
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Range { first, last, .. } if first == last => write!(f, "{first}"),
            Range { first, last, step: 1 } => write!(f, "from {first} to {last}"),
            Range { first, last, step } => write!(f, "from {first} to {last} in steps of {step}"),
        }
    }
}

/// What limits an operand beyond its type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// A register only.
    pub register: bool,
    /// A constant only.
    pub immediate: bool,
    /// The constants allowed; any that the type can hold if there is none.
    pub ranges: &'static [Range],
    /// The constants allowed as elements of a vector behind the first; as the first if there is none.
    pub then: &'static [Range],
    /// Of a constant only the lowest 32 bits count; where they are zero and others are not, it is 2^32.
    pub cut: bool,
    /// A floating-point constant, rounded to the type, is greater than 0 and at most 1.
    pub fraction: bool,
    /// A floating-point constant is one of 32 bits; such a one may stand for a register, too.
    pub single: bool,
    /// The register may be wider than the type.
    pub wider: bool,
    /// `_` may stand for the operand.
    pub sink: bool,
    /// A vector may have 2 or 4 elements where fewer are needed; a scalar may be a vector of 1, 2 or 4.
    pub padded: bool,
    /// A vector of 4 may have 1 or 2 elements.
    pub shorter: bool,
    /// A register or constant without braces may stand for the vector.
    pub bare: bool,
    /// A predicate may stand for the operand, negated, too.
    pub predicate: bool,
    /// The register may stand in braces.
    pub braced: bool,
    /// A register of any type may stand for the address, without brackets, too, and so may a floating-point constant.
    pub untyped: bool,
    /// The type is in a modifier, and so one of the instruction.
    pub own: bool,
    /// `_` may stand for all of a vector.
    pub whole: bool,
    /// A vector may stand for a scalar if all of it has the scalar's width, or more where registers may be wider.
    pub packs: bool,
    /// ptxas makes other instructions of the operand: registers of an address have 32 or 64 bits, elements of a vector are no
    /// predicates and, if they are written, no special registers.
    pub expanded: bool,
    /// No element of a vector is a special register.
    pub plain: bool,
    /// ptxas calls a function of its own with the elements of the vector: none is a special register or a component of a vector.
    pub called: bool,
    /// Each element of a vector is as strict as a single register.
    pub exact: bool,
    /// The register of an address has 64 bits.
    pub long: bool,
    /// An integer constant may stand for an address or a destination, though it means nothing there.
    pub number: bool,
    /// The state space in which a variable must be where an address is generic; a special register is no address then.
    pub within: Option<Text>,
    /// Of what stands for the operand only the width counts; any address will do.
    pub loose: bool,
    /// The first element of a vector is an index, an integer or bits; the others may be of any type of that width.
    pub indexed: bool,
    /// The index is the second element of the vector, behind the number of a sample.
    pub sampled: bool,
    /// What a register may be declared as: `Integer` for integers and bits, `Float` for floating-point numbers and bits, `Bits` for bits
    /// alone; none of them admits packed numbers.
    pub declared: Option<Class>,
    /// One number: a register of no packed ones, or a floating-point constant of whatever width.
    pub unpacked: bool,
    /// Nothing but `_` may stand for the operand.
    pub discarded: bool,
    /// A special register may stand for the operand.
    pub special: bool,
    /// The name of a variable or function may stand for the operand: its address.
    pub symbol: bool,
    /// An element of an array may stand for an address in brackets.
    pub element: bool,
}

impl Limits {
    fn or(self, other: Limits) -> Limits {
        Limits {
            register: self.register || other.register,
            immediate: self.immediate || other.immediate,
            ranges: if self.ranges.is_empty() { other.ranges } else { self.ranges },
            then: if self.then.is_empty() { other.then } else { self.then },
            cut: self.cut || other.cut,
            fraction: self.fraction || other.fraction,
            single: self.single || other.single,
            wider: self.wider || other.wider,
            sink: self.sink || other.sink,
            own: self.own || other.own,
            whole: self.whole || other.whole,
            padded: self.padded || other.padded,
            shorter: self.shorter || other.shorter,
            bare: self.bare || other.bare,
            untyped: self.untyped || other.untyped,
            braced: self.braced || other.braced,
            predicate: self.predicate || other.predicate,
            packs: self.packs || other.packs,
            loose: self.loose || other.loose,
            within: self.within.or(other.within),
            expanded: self.expanded || other.expanded,
            plain: self.plain || other.plain,
            called: self.called || other.called,
            exact: self.exact || other.exact,
            long: self.long || other.long,
            number: self.number || other.number,
            indexed: self.indexed || other.indexed,
            sampled: self.sampled || other.sampled,
            declared: self.declared.or(other.declared),
            unpacked: self.unpacked || other.unpacked,
            discarded: self.discarded || other.discarded,
            special: self.special || other.special,
            symbol: self.symbol || other.symbol,
            element: self.element || other.element,
        }
    }

    /// Which element of a vector is an index.
    pub fn index(&self) -> Option<usize> {
        self.indexed.then_some(usize::from(self.sampled))
    }

    /// Whether ptxas 13.5 looks at the kind of a source alone: then a function may stand for it, if for nothing's sake.
    pub fn takes_functions(&self, ty: &Type) -> bool {
        self.own || (self.declared.is_none() && !self.loose && !self.immediate && ty.class != Class::Pred && ty.bits < 64)
    }

    /// Whether vectors of several lengths may stand for a scalar.
    pub fn takes_vectors(&self) -> bool {
        self.padded || self.packs || (self.loose && !self.expanded)
    }

    /// Whether a register that is declared so may stand for the operand, as far as its type allows.
    pub fn admit_declared(&self, register: &Type) -> bool {
        match self.declared.filter(|_| !self.loose) {
            None => !(self.unpacked && register.lanes.is_some()),
            Some(Class::Bits) => register.class == Class::Bits,
            Some(class) => [class, Class::Bits].contains(&register.class) && register.lanes.is_none(),
        }
    }

    /// Whether a vector of `written` elements may stand where `needed` are needed.
    pub(crate) fn padded_to(&self, needed: u32, written: usize) -> bool {
        let padded = self.padded && matches!(written, 2 | 4) && written > needed as usize;
        padded || (self.shorter && needed == 4 && matches!(written, 1 | 2))
    }

    /// A constant that is allowed.
    pub fn example(&self) -> i64 {
        self.ranges.first().map_or(1, |r| r.first)
    }

    /// Whether a constant is allowed; what is, otherwise.
    pub(crate) fn admit(&self, value: i128) -> Result<(), String> {
        let value = match value & i128::from(u32::MAX) {
            0 if self.cut && value != 0 && self.ranges.iter().any(|r| r.contains(1 << 32)) => 1 << 32,
            low if self.cut => low,
            _ => value,
        };
        if self.ranges.is_empty() || self.ranges.iter().any(|r| r.contains(value)) {
            return Ok(());
        }
        let ranges: Vec<String> = self.ranges.iter().map(Range::to_string).collect();
        match ranges.split_last() {
            Some((last, rest)) if !rest.is_empty() => Err(format!("{} or {last}", rest.join(", "))),
            _ => Err(ranges.concat()),
        }
    }
}

/// How long a vector is: a product and quotient of numbers and of numbers in the words of slots, rounded up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Length {
    factors: Vec<(Factor, bool)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Factor {
    Number(u32),
    /// The last number in the word in a slot.
    Last(Text),
    /// The number behind these letters in the word in a slot.
    Behind(Text, Text),
}

impl Length {
    /// From `4`, `.vec`, `.shape:n/2`, `.num*.idxsize/.elemsize`.
    fn parse(text: Text) -> Result<Length, String> {
        let mut factors = Vec::new();
        let mut start = 0;
        let ends = text.match_indices(['*', '/']).map(|m| m.0).chain([text.len()]);
        for end in ends {
            let divides = start > 0 && text.as_bytes()[start - 1] == b'/';
            factors.push((Factor::parse(&text[start..end])?, divides));
            start = end + 1;
        }
        Ok(Length { factors })
    }

    /// The slot that alone gives the length.
    fn slot(&self) -> Option<Text> {
        match self.factors[..] {
            [(Factor::Last(slot), _)] => Some(slot),
            _ => None,
        }
    }

    fn slots(&self) -> impl Iterator<Item = Text> {
        self.factors.iter().filter_map(|(factor, _)| match factor {
            Factor::Number(_) => None,
            Factor::Last(slot) | Factor::Behind(slot, _) => Some(*slot),
        })
    }

    fn evaluate(&self, modifiers: &impl Modifiers) -> Result<u32, String> {
        let (mut product, mut divisor) = (1u64, 1u64);
        for (factor, divides) in &self.factors {
            let number = u64::from(factor.evaluate(modifiers)?);
            let place = if *divides { &mut divisor } else { &mut product };
            *place = place.saturating_mul(number);
        }
        if product == 0 || divisor == 0 {
            return Err("a vector of no element".into());
        }
        u32::try_from(product.div_ceil(divisor)).map_err(|_| "a vector of too many elements".into())
    }
}

impl Factor {
    fn parse(text: Text) -> Result<Factor, String> {
        match text.split_once(':') {
            Some((slot, letters)) if slot.len() > 1 && slot.starts_with('.') => Ok(Factor::Behind(slot, letters)),
            None if text.len() > 1 && text.starts_with('.') => Ok(Factor::Last(text)),
            _ => match text.parse() {
                Ok(n) if n > 0 => Ok(Factor::Number(n)),
                _ => Err(format!("`{text}` where the length of a vector is expected")),
            },
        }
    }

    fn evaluate(&self, modifiers: &impl Modifiers) -> Result<u32, String> {
        let word = |slot: Text| match modifiers.slot(slot).flatten() {
            Some(word) => Ok(word),
            None => Err(format!("the slot `{slot}` that gives a vector its length is empty")),
        };
        let (word, digits) = match self {
            Factor::Number(n) => return Ok(*n),
            Factor::Last(slot) => {
                let word = word(slot)?;
                let number = word.trim_end_matches(|c: char| !c.is_ascii_digit());
                (word, &number[number.trim_end_matches(|c: char| c.is_ascii_digit()).len()..])
            }
            Factor::Behind(slot, letters) => {
                let word = word(slot)?;
                let behind = word.split_once(letters).map_or("", |(_, behind)| behind);
                let end = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
                (word, &behind[..end])
            }
        };
        digits.parse().map_err(|_| format!("`{word}` does not say how long a vector is"))
    }
}

/// What an operand is, with its type where it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OperandType {
    /// One register or constant.
    Scalar(&'static Type),
    /// `{...}` of so many registers.
    Vector(u32, &'static Type),
    /// `[...]`, with the word of the state space; generic without one.
    Address(Option<Text>),
    /// A label.
    Label,
    /// A function, by name or in a register.
    Function,
    /// A `.callprototype`.
    Prototype,
    /// A `.branchtargets` or `.calltargets`.
    List,
    /// A variable.
    Variable,
    /// `(...)` of a call: parameters or results.
    Arguments,
}

impl OperandType {
    /// The register or element type, if the operand has one.
    pub fn element(self) -> Option<&'static Type> {
        match self {
            OperandType::Scalar(t) | OperandType::Vector(_, t) => Some(t),
            _ => None,
        }
    }
}

impl Eq for OperandType {}

impl PartialEq for Type {
    fn eq(&self, other: &Type) -> bool {
        self.name == other.name
    }
}

/// Types that are no values: names of such things.
const NAMES: &[(&str, OperandType)] = &[
    ("label", OperandType::Label),
    ("function", OperandType::Function),
    ("prototype", OperandType::Prototype),
    ("list", OperandType::List),
    ("var", OperandType::Variable),
    ("arguments", OperandType::Arguments),
];

/// A type expression, before the modifiers are known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TypeExpression {
    Named(Text),
    Slot(Text),
    Wide(Text),
    Vector(Length, Box<TypeExpression>),
    Packed(Text, Box<TypeExpression>),
    Address(Option<Text>),
    Name(OperandType),
    If(Box<TypeExpression>, Condition, Box<TypeExpression>),
    Limited(Box<TypeExpression>, Limits),
}

/// A type expression's value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evaluated {
    pub ty: OperandType,
    pub limits: Limits,
    pub packing: Option<Text>,
}

impl TypeExpression {
    /// Reads one from all of `text`.
    pub fn parse(text: Text) -> Result<TypeExpression, String> {
        let mut cursor = Cursor::new(text);
        let expression = expression(&mut cursor)?;
        cursor.end()?;
        Ok(expression)
    }

    /// The same, where `_` is allowed.
    pub fn with_sinks(self) -> TypeExpression {
        TypeExpression::Limited(Box::new(self), Limits { sink: true, ..Limits::default() })
    }

    /// The same, where an element of an array is allowed.
    pub fn with_elements(self) -> TypeExpression {
        TypeExpression::Limited(Box::new(self), Limits { element: true, ..Limits::default() })
    }

    /// Calls `visit` with every type name, and every slot or word (with a dot) it speaks of.
    pub fn names(&self, visit: &mut impl FnMut(Text, Option<Text>)) {
        match self {
            TypeExpression::Named(n) | TypeExpression::Slot(n) | TypeExpression::Wide(n) => visit(n, None),
            TypeExpression::Address(space) => space.iter().for_each(|n| visit(n, None)),
            TypeExpression::Vector(length, inner) => {
                length.slots().for_each(|slot| visit(slot, None));
                inner.names(visit);
            }
            TypeExpression::Packed(_, inner) | TypeExpression::Limited(inner, _) => inner.names(visit),
            TypeExpression::Name(_) => {}
            TypeExpression::If(then, condition, otherwise) => {
                then.names(visit);
                condition.names(visit);
                otherwise.names(visit);
            }
        }
    }

    /// The type for some modifiers; `find` looks a type up by name. Fails only where the record is wrong.
    pub fn evaluate(
        &self,
        modifiers: &impl Modifiers,
        find: &impl Fn(&str) -> Option<&'static Type>,
    ) -> Result<Evaluated, String> {
        let named = |name: &str| find(name).ok_or_else(|| format!("there is no type `{name}`"));
        let plain = |ty| Evaluated { ty, limits: Limits::default(), packing: None };
        let own = |ty| Evaluated { limits: Limits { own: true, ..Limits::default() }, ..plain(ty) };
        let in_slot = |slot: &Text| match modifiers.slot(slot).flatten() {
            Some(word) => Ok(&word[1..]),
            None => Err(format!("the slot `{slot}` that gives an operand its type is empty")),
        };
        Ok(match self {
            TypeExpression::Named(name) => plain(OperandType::Scalar(named(name)?)),
            TypeExpression::Slot(slot) => own(OperandType::Scalar(named(in_slot(slot)?)?)),
            TypeExpression::Wide(slot) => {
                let narrow = named(in_slot(slot)?)?;
                let letters = narrow.name.trim_end_matches(|c: char| c.is_ascii_digit());
                own(OperandType::Scalar(named(&format!("{letters}{}", 2 * narrow.bits))?))
            }
            TypeExpression::Vector(length, inner) => {
                let inner = inner.evaluate(modifiers, find)?;
                match length.slot() {
                    Some(slot) if modifiers.slot(slot).flatten().is_none() => inner,
                    _ => vector(length.evaluate(modifiers)?, inner)?,
                }
            }
            TypeExpression::Packed(packing, inner) => Evaluated { packing: Some(packing), ..inner.evaluate(modifiers, find)? },
            TypeExpression::Address(None) => plain(OperandType::Address(None)),
            TypeExpression::Address(Some(space)) => plain(OperandType::Address(match modifiers.slot(space) {
                Some(filled) => filled,
                None => Some(space),
            })),
            TypeExpression::Name(ty) => plain(*ty),
            TypeExpression::If(then, condition, otherwise) => {
                let branch = if condition.holds(modifiers) { then } else { otherwise };
                branch.evaluate(modifiers, find)?
            }
            TypeExpression::Limited(inner, limits) => {
                let inner = inner.evaluate(modifiers, find)?;
                Evaluated { limits: inner.limits.or(*limits), ..inner }
            }
        })
    }
}

/// `A{ if C else B}`: limits before `if` hold for A, those at the end for every branch.
fn expression(cursor: &mut Cursor) -> Result<TypeExpression, String> {
    let then = simple(cursor)?;
    let limits = limits(cursor)?;
    let then = TypeExpression::Limited(Box::new(then), limits);
    if !cursor.eat("if") {
        return Ok(then);
    }
    let condition = cursor.condition()?;
    if !cursor.eat("else") {
        return Err("`else` is missing: an operand has a type in every spelling".into());
    }
    let (otherwise, all) = match expression(cursor)? {
        TypeExpression::Limited(inner, limits) => (inner, limits),
        other => (Box::new(other), Limits::default()),
    };
    Ok(TypeExpression::Limited(Box::new(TypeExpression::If(Box::new(then), condition, otherwise)), all))
}

/// A type without limits and without `if`.
fn simple(cursor: &mut Cursor) -> Result<TypeExpression, String> {
    let Some(token) = cursor.next() else { return Err("a type is missing".into()) };
    if cursor.eat("x") {
        return Ok(TypeExpression::Vector(Length::parse(token)?, Box::new(simple(cursor)?)));
    }
    if cursor.eat("of") {
        return Ok(TypeExpression::Packed(token, Box::new(simple(cursor)?)));
    }
    if let Some((_, ty)) = NAMES.iter().find(|(name, _)| *name == token) {
        return Ok(TypeExpression::Name(*ty));
    }
    match token {
        "wide" => Ok(TypeExpression::Wide(cursor.dotted()?)),
        "address" => {
            let space = cursor.peek().is_some_and(|t| t.starts_with('.'));
            Ok(TypeExpression::Address(if space { cursor.next() } else { None }))
        }
        _ if token.starts_with('.') => Ok(TypeExpression::Slot(token)),
        _ if token.starts_with(|c: char| c.is_ascii_alphabetic()) => Ok(TypeExpression::Named(token)),
        _ => Err(format!("`{token}` where a type is expected")),
    }
}

/// Any of `reg`, `imm`, ranges, `then` and ranges, `_`, and the words of [`Limits`].
fn limits(cursor: &mut Cursor) -> Result<Limits, String> {
    let mut limits = Limits::default();
    loop {
        if cursor.eat("reg") {
            limits.register = true;
        } else if cursor.eat("cut") {
            limits.cut = true;
        } else if cursor.eat("fraction") {
            limits.fraction = true;
        } else if cursor.eat("single") {
            limits.single = true;
        } else if cursor.eat("wider") {
            limits.wider = true;
        } else if cursor.eat("sink") {
            limits.sink = true;
        } else if cursor.eat("integer") {
            limits.declared = Some(Class::Integer);
        } else if cursor.eat("unpacked") {
            limits.unpacked = true;
        } else if cursor.eat("bits") {
            limits.declared = Some(Class::Bits);
        } else if cursor.eat("float") {
            limits.declared = Some(Class::Float);
        } else if cursor.eat("padded") {
            limits.padded = true;
        } else if cursor.eat("bare") {
            limits.bare = true;
        } else if cursor.eat("predicate") {
            limits.predicate = true;
        } else if cursor.eat("braced") {
            limits.braced = true;
        } else if cursor.eat("untyped") {
            limits.untyped = true;
        } else if cursor.eat("whole") {
            limits.whole = true;
        } else if cursor.eat("packs") {
            limits.packs = true;
        } else if cursor.eat("shorter") {
            limits.shorter = true;
        } else if cursor.eat("shared") {
            limits.within = Some(".shared");
        } else if cursor.eat("global") {
            limits.within = Some(".global");
        } else if cursor.eat("expanded") {
            limits.expanded = true;
        } else if cursor.eat("plain") {
            limits.plain = true;
        } else if cursor.eat("called") {
            limits.called = true;
        } else if cursor.eat("exact") {
            limits.exact = true;
        } else if cursor.eat("long") {
            limits.long = true;
        } else if cursor.eat("number") {
            limits.number = true;
        } else if cursor.eat("loose") {
            limits.loose = true;
        } else if cursor.eat("indexed") {
            limits.indexed = true;
        } else if cursor.eat("sampled") {
            limits.sampled = true;
        } else if cursor.eat("special") {
            limits.special = true;
        } else if cursor.eat("symbol") {
            limits.symbol = true;
        } else if cursor.eat("imm") {
            limits.immediate = true;
        } else if cursor.eat("then") {
            limits.then = ranges(cursor.next().ok_or("`then` reads `then LO..HI`")?)?;
        } else if cursor.eat("_") {
            limits.discarded = true;
        } else if let Some(text) = cursor.peek().filter(|t| t.starts_with(|c: char| c.is_ascii_digit() || c == '-')) {
            limits.ranges = ranges(text)?;
            cursor.next();
        } else {
            return Ok(limits);
        }
    }
}

/// `16`, `0..15`, `0..1048560/16`, or several with commas.
fn ranges(text: Text) -> Result<&'static [Range], String> {
    let ranges: Result<Vec<Range>, String> = text.split(',').map(Range::parse).collect();
    Ok(ranges?.leak())
}

fn vector(n: u32, element: Evaluated) -> Result<Evaluated, String> {
    match element.ty {
        OperandType::Scalar(t) => Ok(Evaluated { ty: OperandType::Vector(n, t), ..element }),
        _ => Err("a vector has elements of a scalar type".into()),
    }
}
