//! Words that stand for many: the selector `.b[0-7][0-7]` is each of the 64 words of two such digits, and stays a pattern; the
//! modifier `.m64n[8..256/8]k16` is each of 32 words, taken apart when it is read.

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

/// The words that `.m64n[8..256/8]k16` stands for: every eighth number from 8 to 256, and its end `k16`; any other word itself.
pub(crate) fn spread(word: Text) -> Vec<Text> {
    let range = word.split_once('[').and_then(|(head, rest)| {
        let (range, tail) = rest.split_once(']')?;
        let (low, rest) = range.split_once("..")?;
        let (high, step) = rest.split_once('/').unwrap_or((rest, "1"));
        let numbers = [low, high, step].map(|n| n.parse::<usize>().ok().filter(|n| (1..=1000).contains(n)));
        let [Some(low), Some(high), Some(step)] = numbers else { return None };
        Some((low..=high).step_by(step).map(|n| kept(&format!("{head}{n}{tail}"))).collect())
    });
    range.unwrap_or_else(|| vec![word])
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

#[test]
fn a_range_is_spread() {
    assert_eq!(spread(".m64n[8..32/8]k16"), [".m64n8k16", ".m64n16k16", ".m64n24k16", ".m64n32k16"]);
    assert_eq!(spread(".x[1..2]"), [".x1", ".x2"]);
    for word in [".x1", ".b[0-7][0-7]", ".x[1..]", ".x[1..2/0]", ".x[1..2000000]", ".x[1..2"] {
        assert_eq!(spread(word), [word]);
    }
}
