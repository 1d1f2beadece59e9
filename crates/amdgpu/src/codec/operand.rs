//! The text of one operand: a register, a number, and the signs around it.

use diagnostics::Span;
use isa::amdgpu::Type;

use super::Codec;
use super::assemble::truncated;
use super::register::{Meaning, VECTOR};
use crate::immediate::Problem;
use crate::immediate::cursor::{Cursor, real};

/// An operand as it is written.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// What it is.
    pub value: Value,
    /// `-x` or `neg(x)`.
    pub neg: bool,
    /// `|x|` or `abs(x)`.
    pub abs: bool,
    /// `sext(x)`.
    pub sext: bool,
    /// `lit(x)`: a literal even where a constant would do.
    pub literal: bool,
    /// `lit64(x)`: a literal of 64 bits.
    pub wide: bool,
    /// Where it stands.
    pub span: Span,
}

/// What is written as an operand.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// A register, or several: number, words of 32 bits, and which half.
    Register { number: u16, words: u16, half: Option<bool> },
    /// A register that is as wide as is asked for: `null`, `src_scc`.
    Named(&'static str),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Real(f64),
    /// `off`
    Off,
}

impl Written {
    /// Without signs.
    pub(super) fn plain(value: Value, span: Span) -> Written {
        Written { value, neg: false, abs: false, sext: false, literal: false, wide: false, span }
    }

    /// Makes signs those of the number, or of the bits that a whole number stands for.
    pub(super) fn take_signs(&mut self, ty: Type) {
        let sign = |value: u64, bit: u64| {
            let value = if self.abs { value & !bit } else { value };
            if self.neg { value ^ bit } else { value }
        };
        self.value = match self.value {
            Value::Real(value) => Value::Real(f64::from_bits(sign(value.to_bits(), 1 << 63))),
            Value::Integer(value) if ty.bits < 64 && truncated(value, ty.bits.into()).is_some() => {
                let bits = u32::from(ty.bits).max(1);
                let signed = sign(value as u64, 1 << (bits - 1));
                Value::Integer((signed << (64 - bits)) as i64 >> (64 - bits))
            }
            _ => return,
        };
        (self.neg, self.abs) = (false, false);
    }
}

impl Codec {
    /// Reads one operand; `is_real` says whether some form of the mnemonic takes signs of real numbers here.
    pub(super) fn written(&self, is_real: bool, cursor: &mut Cursor) -> Result<Written, Problem> {
        let start = cursor.position();
        let mut written = Written::plain(Value::Off, Span::default());
        let behind = (cursor.byte() == Some(b'-')).then(|| cursor.rest()[1..].trim_start_matches([' ', '\t']));
        if is_real && behind.is_some_and(|rest| rest.starts_with('-')) {
            return cursor.problem("two signs: `neg(-1)` is meant");
        }
        // One of each, in this order: `-`, `neg(`, `abs(`, `lit(`, `|`; or `sext(` and `lit(`. A minus before a number is a part of that.
        let minus = behind.is_some_and(|rest| self.is_negated(rest));
        if minus {
            cursor.take('-');
        }
        let mut parentheses = 0;
        let mut call = |cursor: &mut Cursor, name: &str| {
            // Most names are those of registers, which have no second letter.
            let is_word = cursor.rest().as_bytes().get(1).is_some_and(u8::is_ascii_alphabetic);
            let found = is_word && cursor.take_named(name, '(');
            parentheses += u32::from(found);
            found
        };
        written.sext = !minus && call(cursor, "sext");
        let plain = !written.sext;
        written.neg = minus || plain && call(cursor, "neg");
        let abs = plain && call(cursor, "abs");
        written.wide = call(cursor, "lit64");
        written.literal = written.wide || call(cursor, "lit");
        let bar = plain && !abs && cursor.take('|');
        written.abs = abs || bar;
        // What is asked for within bars is forgotten.
        let idle = bar && !written.literal && (call(cursor, "lit64") || call(cursor, "lit"));
        let inner = cursor.position();
        written.value = self.value(bar, cursor)?;
        if idle {
            cursor.expect(')')?;
            parentheses -= 1;
        }
        if (written.literal || idle) && !matches!(written.value, Value::Integer(_) | Value::Real(_)) {
            return Err(Problem { span: cursor.span_from(inner), message: "a number is wanted in lit()".into() });
        }
        if bar {
            cursor.expect('|')?;
        }
        for _ in 0..parentheses {
            cursor.expect(')')?;
        }
        written.span = cursor.span_from(start);
        Ok(written)
    }

    /// Whether a minus sign negates what stands behind it, and is no part of a number or expression.
    fn is_negated(&self, rest: &str) -> bool {
        if rest.starts_with(['[', '|']) {
            return true;
        }
        let name = Cursor::new(rest, &|_| None).identifier().unwrap_or("");
        name == "abs" || self.registers.is_name(name, rest[name.len()..].trim_start().starts_with('['))
    }

    fn value(&self, bars: bool, cursor: &mut Cursor) -> Result<Value, Problem> {
        if let Some(value) = self.register(cursor)? {
            return Ok(value);
        }
        let negative = cursor.byte() == Some(b'-');
        let digits = if negative { cursor.rest()[1..].trim_start_matches([' ', '\t']) } else { cursor.rest() };
        if let Some((value, length)) = real(digits) {
            if negative {
                cursor.take('-');
            }
            cursor.advance(length);
            return Ok(Value::Real(if negative { -value } else { value }));
        }
        if let Some((value, length)) = integer(cursor.rest(), bars) {
            cursor.advance(length);
            return Ok(Value::Integer(value));
        }
        if bars { cursor.term() } else { cursor.expression() }.map(Value::Integer)
    }

    /// A register, if one stands here.
    pub(super) fn register(&self, cursor: &mut Cursor) -> Result<Option<Value>, Problem> {
        if cursor.byte() == Some(b'[') {
            return self.listed(cursor).map(Some);
        }
        let Some(name) = cursor.identifier() else { return Ok(None) };
        if name == "off" {
            cursor.advance(3);
            return Ok(Some(Value::Off));
        }
        let (bare, half) = match name.as_bytes() {
            [.., b'.', b'l'] => (&name[..name.len() - 2], Some(false)),
            [.., b'.', b'h'] => (&name[..name.len() - 2], Some(true)),
            _ => (name, None),
        };
        let letters = letters_of(bare);
        let range = if letters == "acc" { "a" } else { letters };
        if let Some((first, count)) = self.registers.numbered(range) {
            let digits = &bare[letters.len()..];
            if let Ok(index) = digits.parse::<u16>() {
                if index >= count {
                    return cursor.problem(format!("there is no register `{bare}` on this target"));
                }
                cursor.advance(name.len());
                return Ok(Some(Value::Register { number: first + index, words: 1, half }));
            }
            if digits.is_empty() && half.is_none() && cursor.rest()[name.len()..].trim_start().starts_with('[') {
                cursor.advance(name.len());
                let reach = self.registers.reach(range).unwrap_or(count);
                return self.tuple(range, first, (count, reach), cursor).map(Some);
            }
        }
        if let Some((number, words, any, own)) = self.registers.by_name(name) {
            cursor.advance(name.len());
            return Ok(Some(if any { Value::Named(own) } else { Value::Register { number, words, half: None } }));
        }
        Ok(None)
    }

    /// `[2:5]` behind the letter of a range.
    fn tuple(&self, range: &str, first: u16, (count, reach): (u16, u16), cursor: &mut Cursor) -> Result<Value, Problem> {
        cursor.expect('[')?;
        let start = cursor.position();
        let low = self.index(cursor)?;
        let high = if cursor.take(':') { self.index(cursor)? } else { low };
        if low < 0 || low >= i64::from(count) || high < low || high >= i64::from(reach) || high - low >= 32 {
            let span = cursor.span_from(start);
            return Err(Problem { span, message: format!("registers go from 0 to {}, the lower number first", count - 1) });
        }
        cursor.expect(']')?;
        let words = (high - low) as u16 + 1;
        if !self.registers.is_width(range, words) {
            return Err(Problem { span: cursor.span_from(start), message: format!("no tuple has {words} registers of these") });
        }
        // `v[1].h` is `v1.h`.
        let half = match cursor.identifier() {
            Some(".l") if low == high => Some(false),
            Some(".h") if low == high => Some(true),
            _ => None,
        };
        cursor.advance(if half.is_some() { 2 } else { 0 });
        Ok(Value::Register { number: first + low as u16, words, half })
    }

    /// The number of a register: mostly a few digits, else any expression.
    fn index(&self, cursor: &mut Cursor) -> Result<i64, Problem> {
        let digits = cursor.rest().bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = cursor.rest().split_at(digits);
        let is_alone = matches!(rest.as_bytes().first(), Some(b':' | b']'));
        if digits == 0 || digits > 3 || number.starts_with('0') && digits > 1 || !is_alone {
            return cursor.expression();
        }
        cursor.advance(digits);
        Ok(number.bytes().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
    }

    /// `[v0, v1]`: registers one by one that follow each other, of one kind; their halves mean nothing.
    fn listed(&self, cursor: &mut Cursor) -> Result<Value, Problem> {
        let start = cursor.position();
        cursor.expect('[')?;
        let kind = |number| match self.registers.meaning(number, 1) {
            Meaning::Numbered(name, _) => name,
            _ => "",
        };
        let (mut first, mut count) = (None, 0);
        let mut ahead = cursor.clone();
        // A register with a name alone, however wide, is itself.
        if let Some(value @ (Value::Named(_) | Value::Register { words: 2, .. })) = self.register(&mut ahead)?
            && ahead.take(']')
            && !matches!(value, Value::Register { number, words, .. } if matches!(self.registers.meaning(number, words), Meaning::Numbered(..)))
        {
            *cursor = ahead;
            return Ok(value);
        }
        loop {
            match self.register(cursor)? {
                Some(Value::Register { number, words: 1, .. })
                    if number == *first.get_or_insert(number) + count && first.is_some_and(|f| kind(f) == kind(number)) =>
                {
                    count += 1;
                }
                _ => {
                    let span = cursor.span_from(start);
                    return Err(Problem { span, message: "registers in a list follow each other".into() });
                }
            }
            if !cursor.take(',') {
                break;
            }
        }
        cursor.expect(']')?;
        if first.is_some_and(|first| !self.registers.is_width(kind(first), count)) {
            let span = cursor.span_from(start);
            return Err(Problem { span, message: format!("no tuple has {count} registers of these") });
        }
        Ok(Value::Register { number: first.unwrap_or(VECTOR), words: count, half: None })
    }
}

fn letters_of(name: &str) -> &str {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    &name[..name.len() - digits]
}

/// A whole number that stands alone at the start of a text, and its length; behind it may be the bar of an absolute value.
fn integer(text: &str, bars: bool) -> Option<(i64, usize)> {
    let (digits, negative) = text.strip_prefix('-').map_or((text, false), |rest| (rest, true));
    let length = digits.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let word = &digits[..length];
    let alone =
        digits[length..].trim_start_matches([' ', '\t']).bytes().next().is_none_or(|b| b",)]".contains(&b) || bars && b == b'|');
    let value = match word.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None if word.len() > 1 && word.starts_with('0') => return None,
        None => word.parse().ok()?,
    };
    let value = if negative { (value as i64).wrapping_neg() } else { value as i64 };
    alone.then_some((value, length + usize::from(negative)))
}
