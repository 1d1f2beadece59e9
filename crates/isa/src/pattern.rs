//! Selectors that stand for many: `.b[0-7][0-7]` is each of the 64 words of two such digits.

use crate::text::Text;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// The selector among `words`, some of them patterns, that is written so.
pub(crate) fn find(words: &'static [Text], written: &str) -> Option<Text> {
    let word = words.iter().find(|word| matches(word, written))?;
    Some(if *word == written { word } else { kept(written) })
}

/// The first word that a pattern stands for; any other word itself.
pub fn first_of(word: &str) -> String {
    places(word).map(|(low, _)| low).collect()
}

fn matches(pattern: &str, written: &str) -> bool {
    let mut letters = written.chars();
    places(pattern).all(|(low, high)| letters.next().is_some_and(|c| (low..=high).contains(&c))) && letters.next().is_none()
}

/// The least and greatest character of each place: `[0-7]` is one place, any other character a place of its own.
fn places(pattern: &str) -> impl Iterator<Item = (char, char)> {
    let mut rest = pattern.chars();
    std::iter::from_fn(move || {
        let c = rest.next()?;
        let mut ahead = rest.clone();
        if let ('[', Some(low), Some('-'), Some(high), Some(']')) = (c, ahead.next(), ahead.next(), ahead.next(), ahead.next()) {
            rest = ahead;
            return Some((low, high));
        }
        Some((c, c))
    })
}

/// The text of a word that a pattern stands for, kept once: a match holds on to it, and there are few.
fn kept(word: &str) -> Text {
    static KEPT: Mutex<Option<HashSet<Text>>> = Mutex::new(None);
    let mut guard = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = guard.get_or_insert_default();
    if let Some(text) = kept.get(word) {
        return text;
    }
    let text: Text = word.to_owned().leak();
    kept.insert(text);
    text
}

#[test]
fn a_pattern_stands_for_its_words_and_no_others() {
    let words: &[Text] = &[".b0", ".b[0-7][0-3]"];
    assert_eq!(find(words, ".b0"), Some(".b0"));
    assert_eq!(find(words, ".b73"), Some(".b73"));
    for other in [".b74", ".b83", ".b7", ".b733", ".h73", ".b[0-7][0-3]x", ""] {
        assert_eq!(find(words, other), None, "{other}");
    }
    assert_eq!(first_of(".b[0-7][2-3]"), ".b02");
}
