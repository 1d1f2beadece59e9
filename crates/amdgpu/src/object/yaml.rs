//! YAML as metadata is written in assembly, to MessagePack values.
//!
//! What a scalar means follows LLVM's reader of metadata, not YAML's schemas: quotes do not matter, a number is one in C's
//! notations, only `true` and `false` are booleans, nothing at all is an empty list, and maps are sorted by key. Aliases are
//! refused, documents behind the first one are not read. See LLVM, lib/BinaryFormat/MsgPackDocumentYAML.cpp.

use super::error::{Error, Result};
use rmpv::Value;
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use std::cmp::Ordering;

/// How deep maps and lists may nest.
const DEPTH: usize = 64;

/// A value from the text of a YAML document; places of errors are bytes of it.
pub(crate) fn read(text: &str) -> Result<Value> {
    document(text).map_err(|e| Error { at: e.at.map(|character| byte(text, character)), ..e })
}

/// The first document; places of errors are characters.
fn document(text: &str) -> Result<Value> {
    let mut reader = Reader { parser: Parser::new_from_str(text), length: text.len() as u64 };
    loop {
        let (event, at) = reader.next()?;
        match event {
            Event::StreamEnd => {
                return Err(Error::new("the metadata is empty").at(0).help("it needs amdhsa.version and amdhsa.kernels"));
            }
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            event => return reader.node(event, at, DEPTH),
        }
    }
}

struct Reader<'t> {
    parser: Parser<'t, saphyr_parser::StrInput<'t>>,
    length: u64,
}

/// Where a character begins.
fn byte(text: &str, character: u64) -> u64 {
    text.char_indices().nth(character as usize).map_or(text.len(), |c| c.0) as u64
}

impl<'t> Reader<'t> {
    /// The next event and the character at which it begins.
    fn next(&mut self) -> Result<(Event<'t>, u64)> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, span.start.index() as u64)),
            Some(Err(error)) => {
                let at = error.marker().index() as u64;
                Err(Error::new(format!("the metadata is no YAML: {}", error.info())).at(at).help("check indentation and quotes"))
            }
            None => Ok((Event::StreamEnd, self.length)),
        }
    }

    fn node(&mut self, event: Event<'t>, at: u64, depth: usize) -> Result<Value> {
        if depth == 0 {
            return Err(Error::new(format!("the metadata nests more than {DEPTH} deep")).at(at));
        }
        match event {
            Event::Scalar(text, ScalarStyle::Plain, _, None) if text.is_empty() => Ok(Value::Array(Vec::new())),
            Event::Scalar(text, _, _, tag) => tagged(&text, tag.as_deref()).map_err(|e| e.at(at)),
            Event::SequenceStart(..) => self.list(depth),
            Event::MappingStart(..) => self.map(depth),
            Event::Alias(_) => Err(Error::new("the metadata has an alias").at(at).help("write the value out")),
            _ => Err(Error::new("a value is missing in the metadata").at(at)),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value> {
        let mut items = Vec::new();
        loop {
            let (event, at) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok(Value::Array(items));
            }
            items.push(self.node(event, at, depth - 1)?);
        }
    }

    fn map(&mut self, depth: usize) -> Result<Value> {
        let mut pairs: Vec<(Value, Value, u64)> = Vec::new();
        loop {
            let (event, at) = self.next()?;
            let key = match event {
                Event::MappingEnd => break,
                Event::Scalar(text, ..) => scalar(&text),
                _ => return Err(Error::new("a key of a map is no plain word").at(at)),
            };
            let (event, value_at) = self.next()?;
            pairs.push((key, self.node(event, value_at, depth - 1)?, at));
        }
        pairs.sort_by(|a, b| order(&a.0, &b.0));
        if let Some(twice) = pairs.windows(2).find(|w| order(&w[0].0, &w[1].0) == Ordering::Equal) {
            return Err(Error::new(format!("the key {} is there twice", twice[1].0)).at(twice[0].2.max(twice[1].2)));
        }
        Ok(Value::Map(pairs.into_iter().map(|(key, value, _)| (key, value)).collect()))
    }
}

/// The order of keys: signed numbers, others, nothing, booleans, fractions, texts; then by value.
fn order(a: &Value, b: &Value) -> Ordering {
    let rank = |v: &Value| match v {
        Value::Integer(n) if !n.is_u64() => 0,
        Value::Integer(_) => 1,
        Value::Nil => 2,
        Value::Boolean(_) => 3,
        Value::F32(_) | Value::F64(_) => 4,
        _ => 5,
    };
    rank(a).cmp(&rank(b)).then_with(|| match (a, b) {
        (Value::Integer(x), Value::Integer(y)) => x.as_u64().cmp(&y.as_u64()).then(x.as_i64().cmp(&y.as_i64())),
        (Value::Boolean(x), Value::Boolean(y)) => x.cmp(y),
        _ if rank(a) == 4 => a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Equal),
        _ => a.as_str().cmp(&b.as_str()),
    })
}

/// A scalar with a tag: `!int`, `!bool`, `!float`, `!nil`; with any other it is a text.
fn tagged(text: &str, tag: Option<&Tag>) -> Result<Value> {
    let Some(tag) = tag.filter(|t| !t.is_yaml_core_schema()) else { return Ok(scalar(text)) };
    let value = match tag.suffix.as_str() {
        "nil" => Some(Value::Nil),
        "int" => integer(text),
        "bool" => boolean(text),
        "float" => float(text),
        _ => Some(Value::from(text)),
    };
    value.ok_or_else(|| Error::new(format!("`{text}` is no !{}", tag.suffix)))
}

/// What a scalar without a tag is.
pub(crate) fn scalar(text: &str) -> Value {
    integer(text).or_else(|| boolean(text)).or_else(|| float(text)).unwrap_or_else(|| Value::from(text))
}

fn boolean(text: &str) -> Option<Value> {
    match text {
        "true" => Some(Value::Boolean(true)),
        "false" => Some(Value::Boolean(false)),
        _ => None,
    }
}

/// In base 16 behind `0x`, 2 behind `0b`, 8 behind `0o` or `0`, else 10.
fn integer(text: &str) -> Option<Value> {
    let unsigned = |digits: &str| {
        let lower = digits.get(..2).map(str::to_ascii_lowercase);
        let (base, digits) = match lower.as_deref() {
            Some("0x") => (16, &digits[2..]),
            Some("0b") => (2, &digits[2..]),
            Some("0o") => (8, &digits[2..]),
            Some(two) if two.starts_with('0') && two.as_bytes()[1].is_ascii_digit() => (8, &digits[1..]),
            _ => (10, digits),
        };
        if digits.starts_with(['+', '-']) { None } else { u64::from_str_radix(digits, base).ok() }
    };
    match text.strip_prefix('-') {
        Some(digits) => unsigned(digits).and_then(|n| 0i64.checked_sub_unsigned(n)).map(Value::from),
        None => unsigned(text).map(Value::from),
    }
}

/// As C's strtod reads it: an empty text is zero. Written with 32 bits where the size of the number allows it.
fn float(text: &str) -> Option<Value> {
    let trimmed = text.trim_start();
    let number = if text.is_empty() { 0.0 } else { hexadecimal(trimmed).or_else(|| trimmed.parse::<f64>().ok())? };
    let fits = (f64::from(f32::MIN_POSITIVE)..=f64::from(f32::MAX)).contains(&number.abs());
    Some(if fits { Value::F32(number as f32) } else { Value::F64(number) })
}

/// `0x1.8p3`
fn hexadecimal(text: &str) -> Option<f64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"))?;
    let (digits, exponent) = digits.split_once(['p', 'P']).map_or((digits, Some(0)), |(d, e)| (d, e.parse::<i32>().ok()));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() + fraction.len() == 0 || whole.len() + fraction.len() > 13 {
        return None;
    }
    let number = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let exponent = exponent?.checked_sub(4 * fraction.len() as i32)?;
    Some(sign * number as f64 * 2f64.powi(exponent))
}
