//! Diagnostics as text, in the manner of rustc: message, places in the source, notes, help.

use crate::{Diagnostic, Label, Severity, Source, Span};
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use std::ops::Range;

/// Longest part of a line that is shown; of a longer one, so much before and behind the place.
const SHOWN_LINE: usize = 200;
const SHOWN_BEFORE: usize = 60;
/// A label over more lines than this marks only its first line.
const SHOWN_LINES: u32 = 6;

/// Labels within so many bytes share an excerpt, in which the lines between them are folded.
const JOINED: u32 = 32_768;

/// Renders a diagnostic about `source` for people, with a line's end after it; with ANSI colours if `colour` is set.
pub fn render_text(diagnostic: &Diagnostic, source: &Source, colour: bool) -> String {
    let title = level(diagnostic.severity).primary_title(&diagnostic.message);
    let title = if diagnostic.code.is_empty() { title } else { title.id(diagnostic.code) };
    let group = Group::with_title(title).elements(places(diagnostic, source));
    let group = group.elements(diagnostic.notes.iter().map(|note| Level::NOTE.message(note)));
    let group = group.elements(diagnostic.help.iter().map(|help| Level::HELP.message(help)));
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    renderer.term_width(SHOWN_LINE + 20).render(&[group]) + "\n"
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

/// The lines that labels touch, each run of lines as one excerpt with its labels, in the order of the labels' first lines.
fn places<'a>(diagnostic: &'a Diagnostic, source: &'a Source) -> Vec<Element<'a>> {
    let Some(first) = diagnostic.labels.first() else {
        return if source.name().is_empty() { Vec::new() } else { vec![Origin::path(source.name()).into()] };
    };
    let excerpts = excerpts(diagnostic, source);
    let mut snippets: Vec<_> = excerpts.iter().map(|excerpt| snippet(excerpt, source)).collect();
    // The renderer counts columns in what it is given, so a cut line needs its position said.
    let is_cut = excerpts.iter().any(|excerpt| source.line(excerpt.line).start < excerpt.shown.start);
    if let (false, 1, Some(snippet)) = (is_cut, snippets.len(), snippets.pop()) {
        return vec![snippet.path(source.name()).into()];
    }
    let position = source.position(first.span.start);
    let origin = Origin::path(source.name()).line(position.line as usize).char_column(position.column as usize);
    let snippets = excerpts.iter().map(|excerpt| snippet(excerpt, source).into());
    std::iter::once(origin.into()).chain(snippets).collect()
}

/// Part of the source, the number of its first line, and the labels in it with their places among all.
struct Excerpt<'a> {
    line: u32,
    shown: Span,
    labels: Vec<(usize, &'a Label)>,
}

fn excerpts<'a>(diagnostic: &'a Diagnostic, source: &Source) -> Vec<Excerpt<'a>> {
    let mut excerpts: Vec<Excerpt> = Vec::new();
    let mut labels: Vec<(usize, &Label)> = diagnostic.labels.iter().enumerate().collect();
    labels.sort_by_key(|(_, label)| label.span);
    for (index, label) in labels {
        let shown = shown(label.span, source);
        match excerpts.last_mut() {
            Some(last) if join(last.shown, shown, source) => {
                last.shown = last.shown.to(shown);
                last.labels.push((index, label));
            }
            _ => excerpts.push(Excerpt { line: source.position(shown.start).line, shown, labels: vec![(index, label)] }),
        }
    }
    excerpts
}

/// Whether two parts of the source become one excerpt: they are the same, or whole lines not too far apart.
fn join(a: Span, b: Span, source: &Source) -> bool {
    let both = a.to(b);
    if a == b || both.end - both.start > JOINED {
        return a == b;
    }
    let (first, last) = (source.position(both.start).line, source.position(both.end).line);
    source.line(first).to(source.line(last)) == both && longest(first..last + 1, source) <= SHOWN_LINE
}

/// The part of the source that is shown for a label: its lines, or the surroundings in a long line.
fn shown(span: Span, source: &Source) -> Span {
    let (first, last) = (source.position(span.start).line, source.position(span.end).line);
    let last = if last - first < SHOWN_LINES { last } else { first };
    let lines = source.line(first).to(source.line(last));
    if (lines.end - lines.start) as usize <= SHOWN_LINE * SHOWN_LINES as usize && longest(first..last + 1, source) <= SHOWN_LINE {
        return lines;
    }
    let line = source.line(first);
    let start = source.clamp(span.start.saturating_sub(SHOWN_BEFORE as u32)).max(line.start as usize);
    let end = source.clamp(span.start.saturating_add((SHOWN_LINE - SHOWN_BEFORE) as u32)).min(line.end as usize);
    Span::new(start as u32, end.max(start) as u32)
}

fn longest(lines: Range<u32>, source: &Source) -> usize {
    let lengths = lines.map(|line| source.line(line)).map(|line| (line.end - line.start) as usize);
    lengths.max().unwrap_or(0)
}

fn snippet<'a>(excerpt: &Excerpt<'a>, source: &'a Source) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let text = excerpt.shown.text(source.text());
    let annotations = excerpt.labels.iter().map(|(index, label)| {
        let kind = if *index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let annotation = kind.span(within(label.span, excerpt.shown, source));
        if label.text.is_empty() { annotation } else { annotation.label(&label.text) }
    });
    Snippet::source(text).line_start(excerpt.line as usize).annotations(annotations)
}

/// A label's span in the excerpt: cut where it goes on beyond.
fn within(span: Span, shown: Span, source: &Source) -> Range<usize> {
    let bound = |offset: u32| source.clamp(offset.clamp(shown.start, shown.end)) - shown.start as usize;
    bound(span.start)..bound(span.end)
}
