//! The format of a typed buffer: `format:[BUF_FMT_32_FLOAT]`, or `dfmt:4, nfmt:7` in front of soffset.
//!
//! Before gfx10 a format has two parts, data and numbers; from gfx10 on it is one number, which the names of the two parts
//! still spell.

use isa::amdgpu::words::Immediate;

use super::cursor::Cursor;
use super::digits::push_decimal;
use super::names::Choices;
use super::parts::{Part, Parts};
use super::{Builder, Form, Kind, Problem};

#[derive(Clone, Debug)]
pub(super) struct Format {
    parts: Parts,
    /// Empty where a format has two parts.
    unified: Choices,
}

/// Data of one 8-bit component; what is not printed.
const DEFAULT_DATA: u32 = 1;
/// Unsigned numbers normalized to 0..1.
const DEFAULT_NUMBERS: u32 = 0;
/// The same as one number, and packed from its two parts.
pub(super) const DEFAULT: u32 = 1;

impl Format {
    pub(super) fn new(builder: &Builder) -> Result<Format, String> {
        Ok(Format { parts: builder.parts_with("", &["dfmt", "nfmt"])?, unified: builder.choices("of")? })
    }

    fn part(&self, name: &str) -> &Part {
        self.parts.named(name).expect("checked when it was built")
    }

    pub(super) fn print(&self, record: &Immediate, value: u32, out: &mut String) -> bool {
        let whole = record.range.as_ref().is_none_or(|range| range.contains(&i64::from(value)));
        out.push_str(record.prefix);
        out.push(':');
        if !self.unified.is_empty() {
            match self.unified.word(value) {
                Some(word) => {
                    out.push('[');
                    out.push_str(word);
                    out.push(']');
                }
                None => push_decimal(out, value),
            }
            return whole;
        }
        out.push('[');
        let (data, numbers) = (self.part("dfmt"), self.part("nfmt"));
        let shown = [(data, DEFAULT_DATA), (numbers, DEFAULT_NUMBERS)];
        let mut first = true;
        for (part, _) in shown.into_iter().filter(|(part, default)| part.get(value) != *default) {
            if !first {
                out.push(',');
            }
            first = false;
            if let Some(of) = &part.of {
                of.print(part.get(value), out);
            }
        }
        out.push(']');
        whole
    }

    /// The value that two parts make.
    fn pack(&self, data: Option<u32>, numbers: Option<u32>) -> Option<u32> {
        let (data, numbers) = (data.unwrap_or(DEFAULT_DATA), numbers.unwrap_or(DEFAULT_NUMBERS));
        if self.unified.is_empty() {
            return Some(self.part("nfmt").put(self.part("dfmt").put(0, data), numbers));
        }
        let data = tail(self.part("dfmt").of.as_ref()?.word(data)?);
        let kind = tail(self.part("nfmt").of.as_ref()?.word(numbers)?);
        let both = |word: &str| word.strip_prefix(data).and_then(|rest| rest.strip_prefix('_')) == Some(kind);
        // A format without components is spelled without numbers.
        let alone = |word: &str| word == data && numbers == DEFAULT_NUMBERS;
        let found = self.unified.list().iter().find(|name| {
            let word = unified_tail(name.spelling.stem());
            both(word) || alone(word)
        });
        found.map(|name| *name.values.start())
    }
}

/// What the name of a part says, without the common beginning of all.
fn tail(word: &str) -> &str {
    word.split_once("_FORMAT_").map_or(word, |(_, tail)| tail)
}

fn unified_tail(word: &str) -> &str {
    word.split_once("_FMT_").map_or(word, |(_, tail)| tail)
}

impl Form {
    /// Reads the format of a typed buffer where it stands behind soffset.
    pub(super) fn parse_format(&self, format: &Format, cursor: &mut Cursor) -> Result<Option<u32>, Problem> {
        if !self.take_prefix(cursor) {
            return Ok(None);
        }
        if !cursor.take('[') {
            return self.plain(cursor).map(Some);
        }
        let start = cursor.position();
        let word = cursor.take_identifier("the name of a format")?;
        let value = match format.unified.named(word) {
            Some(name) => *name.values.start(),
            None => parse_split(format, word, start, cursor)?,
        };
        cursor.expect(']')?;
        Ok(Some(value))
    }

    /// Reads the format of a typed buffer where it stands in front of soffset, in numbers: `dfmt:4, nfmt:7`, or `format:22` where
    /// formats are one number. Nothing if something else stands here.
    ///
    /// # Errors
    ///
    /// A number is missing or too large.
    pub fn parse_legacy_format(&self, cursor: &mut Cursor) -> Result<Option<u32>, Problem> {
        let Kind::Format(format) = &self.kind else { return Ok(None) };
        if !format.unified.is_empty() {
            return self.parse_number(cursor);
        }
        let parts = [format.part("dfmt"), format.part("nfmt")];
        let mut values = [None; 2];
        for _ in 0..2 {
            for (part, value) in parts.iter().zip(&mut values).filter(|(_, value)| value.is_none()) {
                *value = parse_legacy_part(part, cursor)?;
            }
            // One comma between the two may be left out; two in a row are none of ours.
            if values[0].is_some() != values[1].is_some()
                && !cursor.rest().get(1..).is_some_and(|r| r.trim_start().starts_with(','))
            {
                cursor.take(',');
            }
        }
        match values {
            [None, None] => Ok(None),
            [data, numbers] => Ok(format.pack(data, numbers)),
        }
    }
}

fn parse_legacy_part(part: &Part, cursor: &mut Cursor) -> Result<Option<u32>, Problem> {
    if !cursor.take_named(part.name, ':') {
        return Ok(None);
    }
    let start = cursor.position();
    let written = cursor.expression()?;
    match u32::try_from(written).ok().filter(|v| *v <= part.most) {
        Some(value) => Ok(Some(value)),
        None => Err(Problem { span: cursor.span_from(start), message: format!("{} is 0 to {}", part.name, part.most) }),
    }
}

/// The names of data and numbers, in either order, the second of which may be left out.
fn parse_split(format: &Format, word: &str, start: usize, cursor: &mut Cursor) -> Result<u32, Problem> {
    let mut values = [None; 2];
    let mut at = start;
    let mut word = word;
    loop {
        let parts = [format.part("dfmt"), format.part("nfmt")];
        let named = |part: &Part| part.of.as_ref().and_then(|of| of.named(word)).map(|name| *name.values.start());
        let found = parts.iter().zip(&mut values).find_map(|(part, value)| Some((value, named(part)?)));
        let wrong = |cursor: &Cursor, message| Err(Problem { span: cursor.span_from(at), message });
        match found {
            None if format.unified.is_empty() && format.unified.elsewhere(word) => {
                return wrong(cursor, format!("`{word}` exists on other targets only"));
            }
            None => return wrong(cursor, format!("`{word}` is no format")),
            Some((Some(_), _)) => return wrong(cursor, format!("`{word}`: the format has this part already")),
            Some((value, number)) => *value = Some(number),
        }
        if values.iter().all(Option::is_some) || !cursor.take(',') {
            break;
        }
        at = cursor.position();
        word = cursor.take_identifier("the name of a format")?;
    }
    let packed = format.pack(values[0], values[1]);
    packed.ok_or_else(|| Problem { span: cursor.span_from(start), message: "no format of this target has these parts".into() })
}
