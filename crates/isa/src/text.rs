//! From text to entries: `key value` lines, nested by indentation.
//!
//! The same for every file of the table; what a key means is not known here. See `isa/README.md`.

use diagnostics::{Diagnostic, Span};

/// Text of the table. It lives as long as the process, as the table does.
pub type Text = &'static str;

/// One file of the table.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its path below the table's folder, such as `ptx/integer.isa`.
    pub name: String,
    /// Its contents.
    pub text: Text,
}

impl Source {
    /// The line, counted from 1, in which a byte stands.
    pub fn line(&self, byte: u32) -> usize {
        1 + self.text.as_bytes().iter().take(byte as usize).filter(|&&b| b == b'\n').count()
    }
}

/// Where something stands in the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Index of the file in `Table::sources`.
    pub source: usize,
    /// The bytes.
    pub span: Span,
}

/// What is wrong with a table, each with the file where it is.
#[derive(Clone, Debug, Default)]
pub struct Problems {
    /// The files that were read.
    pub sources: Vec<Source>,
    /// File index and message.
    pub list: Vec<(usize, Diagnostic)>,
}

impl Problems {
    pub(crate) fn push(&mut self, place: Place, message: impl Into<String>) -> &mut Diagnostic {
        self.list.push((place.source, Diagnostic::error("", place.span, message)));
        &mut self.list.last_mut().expect("just pushed").1
    }
}

impl std::fmt::Display for Problems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (source, diagnostic) in &self.list {
            match (self.sources.get(*source), diagnostic.labels.first()) {
                (Some(s), Some(label)) => write!(f, "isa/{}:{}: {}", s.name, s.line(label.span.start), diagnostic.message)?,
                _ => write!(f, "{}", diagnostic.message)?,
            }
            if let Some(help) = &diagnostic.help {
                write!(f, " ({help})")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// A line with what is indented below it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: Text,
    /// What follows the key, continuation lines joined, comments and outer blanks removed.
    pub value: Text,
    /// The line, or lines.
    pub place: Place,
    pub children: Vec<Entry>,
}

impl Entry {
    /// From the entry's first byte to the end of the last one below it.
    pub fn extent(&self) -> Place {
        let end = self.children.last().map_or(self.place.span, |c| c.extent().span);
        Place { source: self.place.source, span: self.place.span.to(end) }
    }
}

/// The entries of a file at column 0, each with its children.
pub(crate) fn entries(source: usize, text: Text, problems: &mut Problems) -> Vec<Entry> {
    let mut roots: Vec<Entry> = Vec::new();
    for (indent, entry) in lines(source, text, problems) {
        match siblings(&mut roots, indent) {
            Some(list) => list.push(entry),
            None => {
                let message = format!("an indentation of {indent} belongs to nothing above");
                problems.push(entry.place, message).help =
                    Some("records stand at column 0, their keys at 2, the keys of a form at 4".into());
            }
        }
    }
    roots
}

/// The list to which a line of that indentation is added.
fn siblings(roots: &mut Vec<Entry>, indent: usize) -> Option<&mut Vec<Entry>> {
    if !indent.is_multiple_of(2) {
        return None;
    }
    let mut list = roots;
    for _ in 0..indent / 2 {
        list = &mut list.last_mut()?.children;
    }
    Some(list)
}

/// Indentation and content of every line that has some, continuation lines joined.
fn lines(source: usize, text: Text, problems: &mut Problems) -> Vec<(usize, Entry)> {
    let mut result = Vec::new();
    let mut joined: Option<(usize, u32, String)> = None;
    let mut start = 0;
    for raw in text.split_inclusive('\n') {
        let place = |from: usize, to: usize| Place { source, span: Span::new(from as u32, to as u32) };
        let end = start + raw.trim_end().len();
        if let Some(tab) = raw.find('\t') {
            problems.push(place(start + tab, start + tab + 1), "a tab; the table is indented by blanks");
        }
        let line = without_comment(raw).trim_end();
        let (line, continues) = match line.strip_suffix('\\') {
            Some(head) => (head.trim_end(), true),
            None => (line, false),
        };
        let content = line.trim_start();
        let indent = line.len() - content.len();
        let first = start + indent;
        start += raw.len();
        joined = match joined.take() {
            Some((indent, first, mut head)) => {
                head.push(' ');
                head.push_str(content);
                if continues {
                    Some((indent, first, head))
                } else {
                    result.push((indent, entry(head.leak(), place(first as usize, end))));
                    None
                }
            }
            None if continues => Some((indent, first as u32, content.to_owned())),
            None if content.is_empty() => None,
            None => {
                result.push((indent, entry(content, place(first, end))));
                None
            }
        };
    }
    if let Some((_, first, _)) = joined {
        let span = Span::new(first, text.len() as u32);
        problems.push(Place { source, span }, "the file ends where a line should go on");
    }
    result
}

fn entry(content: Text, place: Place) -> Entry {
    let (key, value) = content.split_once(char::is_whitespace).unwrap_or((content, ""));
    Entry { key, value: value.trim(), place, children: Vec::new() }
}

/// A `#` at the start of a line or after a blank begins a comment.
fn without_comment(line: Text) -> Text {
    let bytes = line.as_bytes();
    let comment = (0..bytes.len()).find(|&i| bytes[i] == b'#' && (i == 0 || bytes[i - 1].is_ascii_whitespace()));
    &line[..comment.unwrap_or(line.len())]
}
