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
    each_entry(source, text, 0, problems, |entry| {
        roots.push(Entry { children: std::mem::take(&mut entry.children), ..*entry });
    });
    roots
}

/// Shows the entries of a file at column 0 one after the other, each with its children. The text may be a part of the file that begins at the
/// byte `start`.
pub(crate) fn each_entry(source: usize, text: Text, start: usize, problems: &mut Problems, mut found: impl FnMut(&mut Entry)) {
    let mut root: Vec<Entry> = Vec::new();
    lines(source, text, start, problems, |indent, entry, problems| {
        if let (0, Some(last)) = (indent, root.first_mut()) {
            found(last);
            last.children.clear();
            let children = std::mem::take(&mut last.children);
            *last = Entry { children, ..entry };
            return;
        }
        match siblings(&mut root, indent) {
            Some(list) => list.push(entry),
            None => {
                let message = format!("an indentation of {indent} belongs to nothing above");
                problems.push(entry.place, message).help =
                    Some("records stand at column 0, their keys at 2, the keys of a form at 4".into());
            }
        }
    });
    root.iter_mut().for_each(found);
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

/// Gives indentation and content of every line that has some, continuation lines joined.
fn lines(
    source: usize,
    text: Text,
    mut start: usize,
    problems: &mut Problems,
    mut found: impl FnMut(usize, Entry, &mut Problems),
) {
    let mut joined: Option<(usize, u32, String)> = None;
    let has_tabs = text.contains('\t');
    for raw in text.split_inclusive('\n') {
        let place = |from: usize, to: usize| Place { source, span: Span::new(from as u32, to as u32) };
        let end = start + raw.trim_ascii_end().len();
        if let Some(tab) = has_tabs.then(|| raw.find('\t')).flatten() {
            problems.push(place(start + tab, start + tab + 1), "a tab; the table is indented by blanks");
        }
        let line = without_comment(raw).trim_ascii_end();
        let (line, continues) = match line.strip_suffix('\\') {
            Some(head) => (head.trim_ascii_end(), true),
            None => (line, false),
        };
        let content = line.trim_ascii_start();
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
                    found(indent, entry(head.leak(), place(first as usize, end)), problems);
                    None
                }
            }
            None if continues => Some((indent, first as u32, content.to_owned())),
            None if content.is_empty() => None,
            None => {
                found(indent, entry(content, place(first, end)), problems);
                None
            }
        };
    }
    if let Some((_, first, _)) = joined {
        let span = Span::new(first, start as u32);
        problems.push(Place { source, span }, "the file ends where a line should go on");
    }
}

fn entry(content: Text, place: Place) -> Entry {
    let blank = content.bytes().position(|b| b.is_ascii_whitespace()).unwrap_or(content.len());
    let (key, value) = content.split_at(blank);
    Entry { key, value: value.trim_ascii(), place, children: Vec::new() }
}

/// A `#` at the start of a line or after a blank begins a comment.
fn without_comment(line: Text) -> Text {
    if !line.as_bytes().contains(&b'#') {
        return line;
    }
    let begins = |at: &usize| *at == 0 || line.as_bytes()[at - 1].is_ascii_whitespace();
    let comment = line.match_indices('#').map(|found| found.0).find(begins);
    &line[..comment.unwrap_or(line.len())]
}
