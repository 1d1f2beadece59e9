//! Numbers, names and bits behind a prefix: `row_mask:0xf`, `dst_sel:BYTE_0`, `op_sel:[0,1]`.

use isa::amdgpu::words::Immediate;

use super::cursor::Cursor;
use super::digits::{push_decimal, push_hexadecimal};
use super::names::{Choices, print_spelling};
use super::{Form, Problem};

/// So many ones.
pub(super) fn ones(bits: u32) -> u32 {
    1u32.checked_shl(bits).map_or(u32::MAX, |bit| bit - 1)
}

/// Whether a value may be written as a number.
pub(super) fn readable(record: &Immediate, value: u32) -> bool {
    value & !ones(record.bits) == 0 && record.range.as_ref().is_none_or(|range| range.contains(&i64::from(value)))
}

impl Form {
    /// The prefix with its colon.
    fn print_prefix(&self, out: &mut String) {
        if !self.record.prefix.is_empty() {
            out.push_str(self.record.prefix);
            out.push(':');
        }
    }

    pub(super) fn print_number(&self, value: u32, out: &mut String) -> bool {
        self.print_prefix(out);
        let low = value & self.mask();
        match self.record.hex {
            Some(least) if low >= least => push_hexadecimal(out, low),
            _ => push_decimal(out, low),
        }
        readable(self.record, value) && self.read_as.is_none_or(|(from, _)| from != low)
    }

    pub(super) fn print_choice(&self, choices: &Choices, value: u32, out: &mut String) -> bool {
        self.print_prefix(out);
        let low = value & self.mask();
        match choices.name(low) {
            Some(name) => print_spelling(name, low, out),
            None => push_decimal(out, low),
        }
        low == value && choices.name(low).is_some()
    }

    /// Prints so many of the bits of a list, the lowest first, with the prefix. False if there are more.
    pub fn print_list(&self, bits: u32, count: u32, out: &mut String) -> bool {
        self.print_prefix(out);
        out.push('[');
        for i in 0..count {
            if i > 0 {
                out.push(',');
            }
            push_decimal(out, bits >> i & 1);
        }
        out.push(']');
        bits & !ones(count) == 0
    }

    /// Takes the prefix and its colon, if there is a prefix. False if something else stands here.
    pub(super) fn take_prefix(&self, cursor: &mut Cursor) -> bool {
        self.record.prefix.is_empty() || cursor.take_named(self.record.prefix, ':')
    }

    pub(super) fn parse_number(&self, cursor: &mut Cursor) -> Result<Option<u32>, Problem> {
        if !self.take_prefix(cursor) {
            return Ok(None);
        }
        self.plain(cursor).map(Some)
    }

    /// A number without a prefix that may be written for the immediate.
    pub(super) fn plain(&self, cursor: &mut Cursor) -> Result<u32, Problem> {
        let start = cursor.position();
        let written = if self.takes_literals() { cursor.literal()? } else { cursor.expression()? };
        if let Some(range) = self.record.range.as_ref().filter(|range| !range.contains(&written)) {
            let name = if self.record.prefix.is_empty() { "the operand" } else { self.record.prefix };
            let message = format!("{name} is {} to {}", range.start(), range.end());
            return Err(Problem { span: cursor.span_from(start), message });
        }
        if self.record.allow.contains(&"nonzero") {
            return Ok(u32::from(written as u32 != 0));
        }
        let value = written as u32 & self.mask();
        Ok(self.read_as.filter(|(from, _)| *from == value).map_or(value, |(_, to)| to))
    }

    pub(super) fn parse_choice(&self, choices: &Choices, cursor: &mut Cursor) -> Result<Option<u32>, Problem> {
        if !self.take_prefix(cursor) {
            return Ok(None);
        }
        let start = cursor.position();
        let numbers = self.record.allow.contains(&"number");
        let wrong = |cursor: &Cursor, message| Problem { span: cursor.span_from(start), message };
        if numbers && cursor.identifier().is_none() {
            let value = cursor.expression()?;
            let known = u32::try_from(value).ok().filter(|v| choices.name(*v).is_some());
            return match known {
                Some(value) => Ok(Some(value)),
                None => Err(wrong(cursor, format!("{value} is none of {}: {}", self.record.prefix, choices.title()))),
            };
        }
        let Some(word) = cursor.take_word() else {
            return cursor.problem(format!("a value of {} is missing", self.record.prefix));
        };
        match choices.named(word) {
            Some(name) => Ok(Some(*name.values.start())),
            None => Err(wrong(cursor, choices.explain(word))),
        }
    }

    pub(super) fn parse_list(&self, most: u32, cursor: &mut Cursor) -> Result<Option<u32>, Problem> {
        if !self.take_prefix(cursor) {
            return Ok(None);
        }
        cursor.expect('[')?;
        let begin = cursor.position();
        let mut bits = 0;
        for i in 0.. {
            let start = cursor.position();
            match cursor.expression()? {
                bit @ (0 | 1) => bits |= (bit as u32) << i,
                _ => return Err(Problem { span: cursor.span_from(start), message: "a bit is 0 or 1".into() }),
            }
            if cursor.take(']') {
                break;
            }
            if i + 1 == most {
                return cursor.problem(format!("{} takes at most {most} bits", self.record.prefix));
            }
            cursor.expect(',')?;
        }
        if let Some(range) = self.record.range.as_ref().filter(|range| !range.contains(&i64::from(bits))) {
            let message = format!("{} takes {} bits", self.record.prefix, range.end().count_ones());
            return Err(Problem { span: cursor.span_from(begin), message });
        }
        Ok(Some(bits))
    }
}
