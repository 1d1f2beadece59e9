//! A text with a name, and where its lines begin.

use crate::Span;
use std::sync::OnceLock;

/// A named text that spans point into.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    /// Looked up when somebody asks for a place: of a text without mistakes nobody does.
    lines: OnceLock<Lines>,
}

#[derive(Clone, Debug)]
struct Lines {
    /// Where each line begins.
    starts: Vec<u32>,
    /// Whether columns are bytes.
    ascii: bool,
}

/// A place in a text as people count: lines and characters from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The character in its line, from 1.
    pub column: u32,
}

impl Source {
    /// A text under the name that diagnostics show, usually a path.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Source { name: name.into(), text: text.into(), lines: OnceLock::new() }
    }

    /// The same of bytes, by [`text_of`].
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Source::new(name, text_of(bytes))
    }

    fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            let starts = std::iter::once(0).chain(ends.map(|(end, _)| end as u32 + 1)).collect();
            Lines { starts, ascii: self.text.is_ascii() }
        })
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of lines; an empty text has one.
    pub fn line_count(&self) -> u32 {
        self.lines().starts.len() as u32
    }

    /// The line and column of a byte; of one past the end, those of the end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = self.clamp(offset);
        let Lines { starts, ascii } = self.lines();
        let line = starts.partition_point(|start| *start as usize <= offset);
        let start = starts[line - 1] as usize;
        let column = if *ascii { offset - start } else { self.text[start..offset].chars().count() };
        Position { line: line as u32, column: column as u32 + 1 }
    }

    /// The bytes of a line, counted from 1, without its end; empty at the end of the text for a line that isn't there.
    pub fn line(&self, line: u32) -> Span {
        let (end, starts) = (self.text.len(), &self.lines().starts);
        let Some(index) = (line as usize).checked_sub(1).filter(|index| *index < starts.len()) else {
            return Span::new(end as u32, end as u32);
        };
        let start = starts[index] as usize;
        let next = starts.get(index + 1).map_or(end, |next| *next as usize);
        let len = self.text[start..next].trim_end_matches(['\n', '\r']).len();
        Span::new(start as u32, (start + len) as u32)
    }

    /// The nearest byte at or before `offset` where a character begins.
    pub(crate) fn clamp(&self, offset: u32) -> usize {
        self.text.floor_char_boundary(offset as usize)
    }
}

/// The text of bytes: each one that belongs to no UTF-8 character becomes `?`, so that spans of the bytes are spans of the text.
pub fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| replace_bad_bytes(error.as_bytes()))
}

fn replace_bad_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(std::iter::repeat_n('?', chunk.invalid().len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        let source = Source::new("x", "ab\nçd\r\n\ne");
        let position = |offset| (source.position(offset).line, source.position(offset).column);
        assert_eq!(position(0), (1, 1));
        assert_eq!(position(2), (1, 3));
        assert_eq!(position(3), (2, 1));
        assert_eq!(position(4), (2, 1), "the middle of a character is its start");
        assert_eq!(position(5), (2, 2));
        assert_eq!(position(8), (3, 1));
        assert_eq!(position(9), (4, 1));
        assert_eq!(position(4_000_000_000), (4, 2));
        assert_eq!(source.line(2).text(source.text()), "çd");
        assert_eq!(source.line(3).text(source.text()), "");
        assert_eq!(source.line(0), source.line(9));
    }

    #[test]
    fn bad_bytes_keep_their_place() {
        let source = Source::from_bytes("x", b"a\xff\xe2\x82 b\xc3".to_vec());
        assert_eq!(source.text(), "a??? b?");
    }
}
