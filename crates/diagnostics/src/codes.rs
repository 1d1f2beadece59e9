//! What every diagnostic code means: `codes.txt`, read when first asked for.
//!
//! E00xx is syntax, E01xx checking, E02xx loading, lowering and running, E03xx the library, E04xx AMD assembly. The crates that report a code give it a
//! name of their own; title, rule and examples have their one home here.

use std::sync::OnceLock;

/// What a code means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Such as `E0006`.
    pub code: &'static str,
    /// The rule in a few words.
    pub title: &'static str,
    /// The rule in paragraphs of lines, with code indented further.
    pub text: String,
    /// PTX, or AMD assembly for gfx942 (E04xx), that breaks this rule and no other; none for what shows only when something is loaded or
    /// run. In PTX statements between braces stand for a kernel's body, and the module's header may be left out.
    pub wrong: Option<String>,
    /// The same made right.
    pub right: Option<String>,
}

const FILE: &str = include_str!("../codes.txt");

/// The explanation of a code, upper or lower case.
pub fn explanation(code: &str) -> Option<&'static Explanation> {
    all().iter().find(|e| e.code.eq_ignore_ascii_case(code))
}

/// Every code, in order.
pub fn all() -> &'static [Explanation] {
    static READ: OnceLock<Vec<Explanation>> = OnceLock::new();
    READ.get_or_init(|| read(FILE))
}

/// Reads the notation that the head of `codes.txt` describes.
fn read(text: &'static str) -> Vec<Explanation> {
    let mut explanations: Vec<Explanation> = Vec::new();
    let mut part = Part::Text;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some((code, title)) = line.split_once("  ").filter(|_| !line.starts_with(' ')) {
            explanations.push(Explanation { code, title, text: String::new(), wrong: None, right: None });
            part = Part::Text;
        } else if let Some(last) = explanations.last_mut() {
            match line {
                "  wrong" => part = Part::Wrong,
                "  right" => part = Part::Right,
                _ => last.push(part, line),
            }
        }
    }
    explanations.iter_mut().for_each(Explanation::trim);
    explanations
}

/// What the lines of an entry belong to.
#[derive(Clone, Copy)]
enum Part {
    Text,
    Wrong,
    Right,
}

impl Explanation {
    fn push(&mut self, part: Part, line: &str) {
        let (text, indentation) = match part {
            Part::Text => (&mut self.text, 2),
            Part::Wrong => (self.wrong.get_or_insert_default(), 4),
            Part::Right => (self.right.get_or_insert_default(), 4),
        };
        text.push_str(line.get(indentation..).unwrap_or(""));
        text.push('\n');
    }

    fn trim(&mut self) {
        for text in [Some(&mut self.text), self.wrong.as_mut(), self.right.as_mut()].into_iter().flatten() {
            text.truncate(text.trim_end().len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_in_parts() {
        let read = read(
            "# head\nE0001  a title\n  One\n  two.\n  wrong\n    { x; }\n  right\n    { y;\n      z; }\n\nE0002  b\n  Three.\n",
        );
        assert_eq!(read[0].text, "One\ntwo.");
        assert_eq!(read[0].wrong.as_deref(), Some("{ x; }"));
        assert_eq!(read[0].right.as_deref(), Some("{ y;\n  z; }"));
        assert_eq!((read[1].code, read[1].title, &*read[1].text, &read[1].wrong), ("E0002", "b", "Three.", &None));
    }

    #[test]
    fn codes_are_in_order_and_complete() {
        assert!(all().len() > 50);
        assert!(all().is_sorted_by(|a, b| a.code < b.code), "codes.txt is not in order, or a code stands twice");
        for e in all() {
            assert!(e.code.len() == 5 && !e.title.is_empty() && !e.text.is_empty(), "{} lacks something", e.code);
            assert_eq!(e.wrong.is_some(), e.right.is_some(), "{} has one example without the other", e.code);
        }
    }
}
