//! The text of one operand: a register, a number, and the signs around it.

use diagnostics::Span;

use super::Codec;
use super::register::VECTOR;
use crate::immediate::Problem;
use crate::immediate::cursor::Cursor;

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

impl Codec {
    /// Reads one operand.
    pub(super) fn written(&self, cursor: &mut Cursor) -> Result<Written, Problem> {
        let start = cursor.position();
        let mut written = Written {
            value: Value::Off,
            neg: false,
            abs: false,
            sext: false,
            literal: false,
            wide: false,
            span: Span::default(),
        };
        let is_minus = cursor.byte() == Some(b'-');
        if is_minus && cursor.rest()[1..].trim_start_matches([' ', '\t']).starts_with('-') {
            return cursor.problem("two signs: `neg(-1)` is meant");
        }
        // One of each, in this order: `-`, `neg(`, `abs(`, `lit(`, `|`; or `sext(` alone.
        let minus = is_minus && !self.number_follows(&cursor.rest()[1..]);
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
        written.wide = plain && call(cursor, "lit64");
        written.literal = written.wide || plain && call(cursor, "lit");
        let bar = plain && !abs && cursor.take('|');
        written.abs = abs || bar;
        let inner = cursor.position();
        written.value = self.value(bar, cursor)?;
        if written.literal && !matches!(written.value, Value::Integer(_) | Value::Real(_)) {
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

    /// Whether a number goes on behind a minus sign, which is then part of it.
    fn number_follows(&self, rest: &str) -> bool {
        rest.trim_start_matches([' ', '\t']).starts_with(|c: char| c.is_ascii_digit() || c == '.')
    }

    fn value(&self, bars: bool, cursor: &mut Cursor) -> Result<Value, Problem> {
        if let Some(value) = self.register(cursor)? {
            return Ok(value);
        }
        let negative = cursor.byte() == Some(b'-');
        let digits = cursor.rest().trim_start_matches(['-', ' ']);
        if let Some(length) = real(digits) {
            let value: f64 = digits[..length].parse().unwrap_or(0.0);
            if negative {
                cursor.take('-');
            }
            cursor.advance(length);
            return Ok(Value::Real(if negative { -value } else { value }));
        }
        if let Some((value, length)) = integer(cursor.rest()) {
            cursor.advance(length);
            return Ok(Value::Integer(value));
        }
        if bars { cursor.term() } else { cursor.expression() }.map(Value::Integer)
    }

    /// A register, if one stands here.
    fn register(&self, cursor: &mut Cursor) -> Result<Option<Value>, Problem> {
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
        if let Some((first, count)) = self.registers.numbered(letters) {
            let digits = &bare[letters.len()..];
            if let Ok(index) = digits.parse::<u16>() {
                if index >= count || digits.len() > 1 && digits.starts_with('0') {
                    return cursor.problem(format!("there is no register `{bare}` on this target"));
                }
                cursor.advance(name.len());
                return Ok(Some(Value::Register { number: first + index, words: 1, half }));
            }
            if digits.is_empty() && half.is_none() && cursor.rest()[name.len()..].trim_start().starts_with('[') {
                cursor.advance(name.len());
                let reach = self.registers.reach(letters).unwrap_or(count);
                return self.tuple(first, (count, reach), cursor).map(Some);
            }
        }
        if let Some((number, words, any, own)) = self.registers.by_name(name) {
            cursor.advance(name.len());
            return Ok(Some(if any { Value::Named(own) } else { Value::Register { number, words, half: None } }));
        }
        Ok(None)
    }

    /// `[2:5]` behind the letter of a range.
    fn tuple(&self, first: u16, (count, reach): (u16, u16), cursor: &mut Cursor) -> Result<Value, Problem> {
        cursor.expect('[')?;
        let start = cursor.position();
        let low = self.index(cursor)?;
        let high = if cursor.take(':') { self.index(cursor)? } else { low };
        if low < 0 || low >= i64::from(count) || high < low || high >= i64::from(reach) || high - low >= 32 {
            let span = cursor.span_from(start);
            return Err(Problem { span, message: format!("registers go from 0 to {}, the lower number first", count - 1) });
        }
        cursor.expect(']')?;
        Ok(Value::Register { number: first + low as u16, words: (high - low) as u16 + 1, half: None })
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

    /// `[v0, v1]`: registers one by one that follow each other.
    fn listed(&self, cursor: &mut Cursor) -> Result<Value, Problem> {
        let start = cursor.position();
        cursor.expect('[')?;
        let (mut first, mut count) = (None, 0);
        loop {
            match self.register(cursor)? {
                Some(Value::Register { number, words: 1, half: None }) if number == *first.get_or_insert(number) + count => {
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
        Ok(Value::Register { number: first.unwrap_or(VECTOR), words: count, half: None })
    }
}

fn letters_of(name: &str) -> &str {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    &name[..name.len() - digits]
}

/// A whole number that stands alone at the start of a text, and its length. A bar behind it is that of an absolute value.
fn integer(text: &str) -> Option<(i64, usize)> {
    let (digits, negative) = text.strip_prefix('-').map_or((text, false), |rest| (rest, true));
    let length = digits.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let word = &digits[..length];
    let alone = digits[length..].trim_start_matches([' ', '\t']).bytes().next().is_none_or(|b| b",|)]".contains(&b));
    let value = match word.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None if word.len() > 1 && word.starts_with('0') => return None,
        None => word.parse().ok()?,
    };
    let value = if negative { (value as i64).wrapping_neg() } else { value as i64 };
    alone.then_some((value, length + usize::from(negative)))
}

/// The length of a number with a fraction or an exponent at the start of a text.
fn real(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.len() > 1 && bytes[0] == b'0' && (bytes[1] | 32 == b'x' || bytes[1] | 32 == b'b') {
        return None;
    }
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(0);
    let mut at = whole;
    let mut fraction = false;
    if bytes.get(at) == Some(&b'.') {
        let count = digits(at + 1);
        if whole == 0 && count == 0 {
            return None;
        }
        at += 1 + count;
        fraction = true;
    }
    if whole == 0 && !fraction {
        return None;
    }
    if bytes.get(at).is_some_and(|b| b | 32 == b'e') {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let count = digits((at + 1 + sign).min(bytes.len()));
        if count > 0 {
            at += 1 + sign + count;
            fraction = true;
        }
    }
    fraction.then_some(at)
}
