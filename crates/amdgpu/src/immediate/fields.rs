//! Numbers that are written part by part: wait counters, delays, index modes, versions, attributes.

use diagnostics::Span;
use isa::amdgpu::words::Immediate;

use super::cursor::Cursor;
use super::digits::{push_decimal, push_hexadecimal};
use super::number::readable;
use super::parts::{Part, Parts};
use super::{Form, Problem};

/// `vmcnt(0) lgkmcnt(0)`: what is not all ones, or everything if all is. A number with bits outside all fields is printed as
/// such where the record says how; elsewhere these bits are lost.
pub(super) fn print_counters(record: &Immediate, parts: &Parts, value: u32, out: &mut String) -> bool {
    let stray = value & !parts.mask() != 0;
    if stray && record.hex.is_some() {
        push_hexadecimal(out, value);
        return readable(record, value);
    }
    let all = parts.here().all(|p| p.get(value) == p.most);
    let mut first = true;
    for part in parts.here().filter(|p| all || p.get(value) != p.most) {
        if !first {
            out.push(' ');
        }
        first = false;
        out.push_str(part.name);
        out.push('(');
        push_decimal(out, part.get(value));
        out.push(')');
    }
    !stray
}

/// `instid0(VALU_DEP_1) | instskip(NEXT)`: what is not 0.
pub(super) fn print_choices(parts: &Parts, value: u32, out: &mut String) -> bool {
    let mut whole = value & !parts.mask() == 0;
    let mut first = true;
    for part in parts.here().filter(|p| p.get(value) != 0) {
        if !first {
            out.push_str(" | ");
        }
        first = false;
        out.push_str(part.name);
        out.push('(');
        let named = part.of.as_ref().is_some_and(|of| of.print(part.get(value), out));
        if !named {
            push_decimal(out, part.get(value));
        }
        whole &= named;
        out.push(')');
    }
    if first {
        out.push('0');
    }
    whole
}

/// `gpr_idx(SRC0,DST)`, or a number if there are other bits.
pub(super) fn print_flags(record: &Immediate, parts: &Parts, value: u32, out: &mut String) -> bool {
    if value & !parts.mask() != 0 {
        push_hexadecimal(out, value);
        return false;
    }
    out.push_str(record.call);
    out.push('(');
    let mut first = true;
    for part in parts.here().filter(|p| p.get(value) != 0) {
        if !first {
            out.push(',');
        }
        first = false;
        out.push_str(part.name);
    }
    out.push(')');
    true
}

/// `(UC_VERSION_GFX11|UC_VERSION_W64_BIT)|UC_VERSION_W32_BIT`, or a number if there are other bits.
pub(super) fn print_symbols(record: &Immediate, parts: &Parts, value: u32, out: &mut String) -> bool {
    if value & !parts.mask() != 0 {
        push_hexadecimal(out, value);
        return readable(record, value);
    }
    let flags = parts.here().filter(|p| p.of.is_none() && p.get(value) != 0);
    for _ in 1..flags.clone().count() {
        out.push('(');
    }
    for part in parts.here().filter(|p| p.of.is_some()) {
        let named = part.of.as_ref().is_some_and(|of| of.print(part.get(value), out));
        if !named {
            push_decimal(out, part.get(value));
        }
    }
    for (i, part) in flags.enumerate() {
        if i > 0 {
            out.push(')');
        }
        out.push('|');
        out.push_str(part.name);
    }
    true
}

/// The symbols that such a number is made of, with their values.
pub(super) fn symbols(parts: &Parts) -> Vec<(&'static str, u32)> {
    let values = parts.here().filter_map(|p| p.of.as_ref().map(|of| (p, of)));
    let named = values.flat_map(|(p, of)| of.list().iter().map(|n| (n.spelling.stem(), p.put(0, *n.values.start()))));
    named.chain(parts.here().filter(|p| p.of.is_none()).map(|p| (p.name, p.put(0, p.most)))).collect()
}

/// `attr3.x`.
pub(super) fn print_attribute(record: &Immediate, parts: &Parts, value: u32, out: &mut String) -> bool {
    out.push_str(record.prefix);
    let mut whole = value & !parts.mask() == 0;
    for part in parts.here() {
        let value = part.get(value);
        match &part.of {
            Some(of) => {
                out.push('.');
                of.print(value, out);
            }
            None => {
                push_decimal(out, value);
                whole &= record.range.as_ref().is_none_or(|range| range.contains(&i64::from(value)));
            }
        }
    }
    whole
}

impl Form {
    pub(super) fn parse_counters(&self, parts: &Parts, cursor: &mut Cursor) -> Result<u32, Problem> {
        if !cursor.after_identifier('(') {
            return self.plain(cursor);
        }
        let mut value = parts.here().fold(0, |value, part| part.put(value, part.most));
        let mut seen: Vec<&str> = Vec::new();
        while !cursor.at_end() {
            let start = cursor.position();
            let word = cursor.take_identifier("the name of a counter")?;
            let (part, saturates) = self.counter(parts, word, cursor.span_from(start))?;
            if seen.contains(&part.name) && !self.record.allow.contains(&"repetition") {
                return Err(Problem { span: cursor.span_from(start), message: format!("`{word}` is given twice") });
            }
            seen.push(part.name);
            cursor.expect('(')?;
            let start = cursor.position();
            let written = cursor.expression()?;
            match u32::try_from(written).ok().filter(|n| *n <= part.most) {
                Some(number) => value = part.put(value, number),
                None if saturates => value = part.put(value, part.most),
                None => {
                    let message = format!("`{word}` takes 0 to {}", part.most);
                    return Err(Problem { span: cursor.span_from(start), message });
                }
            }
            cursor.expect(')')?;
            if (cursor.take('&') || cursor.take(',')) && cursor.at_end() {
                return cursor.problem("the name of a counter is missing");
            }
        }
        Ok(value)
    }

    /// The counter of that name, and whether a number that is too large stands for the largest.
    fn counter<'p>(&self, parts: &'p Parts, word: &str, span: Span) -> Result<(&'p Part, bool), Problem> {
        let saturating = word.strip_suffix("_sat").filter(|_| self.record.allow.contains(&"saturation"));
        let saturated = saturating.and_then(|bare| parts.named(bare)).map(|part| (part, true));
        match parts.named(word).map(|part| (part, false)).or(saturated) {
            Some((part, saturates)) if part.exists => Ok((part, saturates)),
            Some(_) => Err(Problem { span, message: format!("`{word}` exists on other targets only") }),
            None => Err(Problem { span, message: format!("`{word}` is no counter; there are {}", parts.names()) }),
        }
    }

    pub(super) fn parse_choices(&self, parts: &Parts, cursor: &mut Cursor) -> Result<u32, Problem> {
        if !cursor.after_identifier('(') {
            return self.plain(cursor);
        }
        let mut value = 0;
        loop {
            let start = cursor.position();
            let word = cursor.take_identifier("the name of a field")?;
            let Some(part) = parts.named(word).filter(|part| part.exists) else {
                let message = format!("`{word}` is no field; there are {}", parts.names());
                return Err(Problem { span: cursor.span_from(start), message });
            };
            cursor.expect('(')?;
            let start = cursor.position();
            let word = cursor.take_identifier("the name of a value")?;
            let name = part.of.as_ref().and_then(|of| of.named(word));
            let Some(name) = name else {
                let message = part.of.as_ref().map_or_else(String::new, |of| of.explain(word));
                return Err(Problem { span: cursor.span_from(start), message });
            };
            cursor.expect(')')?;
            // What is given twice is united, as LLVM does.
            value |= part.put(0, *name.values.start());
            if !cursor.take('|') {
                return Ok(value);
            }
        }
    }

    pub(super) fn parse_flags(&self, parts: &Parts, cursor: &mut Cursor) -> Result<u32, Problem> {
        if !cursor.take_named(self.record.call, '(') {
            return self.plain(cursor);
        }
        let mut value = 0;
        if cursor.take(')') {
            return Ok(value);
        }
        loop {
            let start = cursor.position();
            let word = cursor.take_identifier("a mode or a closing parenthesis")?;
            let Some(part) = parts.named(word).filter(|part| part.exists) else {
                let message = format!("`{word}` is none of {}", parts.names());
                return Err(Problem { span: cursor.span_from(start), message });
            };
            if part.get(value) != 0 {
                return Err(Problem { span: cursor.span_from(start), message: format!("`{word}` is given twice") });
            }
            value = part.put(value, part.most);
            if cursor.take(')') {
                return Ok(value);
            }
            cursor.expect(',')?;
        }
    }

    /// `attr3.x` is one token.
    pub(super) fn parse_attribute(&self, parts: &Parts, cursor: &mut Cursor) -> Result<Option<u32>, Problem> {
        let Some(word) = cursor.identifier().filter(|word| word.starts_with(self.record.prefix)) else { return Ok(None) };
        let inside = word[self.record.prefix.len()..].rsplit_once('.');
        let (digits, channel) = inside.unwrap_or((&word[self.record.prefix.len()..], ""));
        let mut value = 0;
        for part in parts.here() {
            let number = match &part.of {
                Some(of) => of.named(channel).map(|name| *name.values.start()),
                None => {
                    attribute_number(digits).filter(|n| self.record.range.as_ref().is_none_or(|r| r.contains(&i64::from(*n))))
                }
            };
            let Some(number) = number else {
                let last = self.record.range.as_ref().map_or(i64::from(part.most), |range| *range.end());
                return cursor.problem(format!(
                    "an attribute reads `{}0.x`, with a number up to {last} and x, y, z or w",
                    self.record.prefix
                ));
            };
            value = part.put(value, number);
        }
        cursor.take_identifier("")?;
        Ok(Some(value))
    }
}

fn attribute_number(digits: &str) -> Option<u32> {
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
}
