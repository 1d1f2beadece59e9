//! Short examples made whole modules: what tests, verdicts and explanations of codes are written in.

use isa::{Target, Version};

/// The registers that a body may use.
const REGISTERS: &str =
    ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .f32 %f<8>; .reg .f64 %g<8>; .reg .b128 %q<4>;";

/// Where an example is judged unless it says otherwise.
pub const NEWEST: (Version, &str) = (Version(9, 4), "sm_100a");

/// The module that an example stands for: itself if it begins with `.version`; with a header before it, unless it begins with `{`; then
/// it is the body of a kernel that has registers %p0-7 (.pred), %h0-7 (.b16), %r0-15 (.b32), %d0-15 (.b64), %f0-7 (.f32), %g0-7 (.f64) and
/// %q0-3 (.b128), in a module with the variables gv (.global) and sv (.shared).
pub fn module(example: &str, version: Version, target: &str) -> String {
    let text = example.trim_start();
    // What has no `.version` by intention says so.
    if let Some(rest) = text.strip_prefix("#whole\n") {
        return rest.to_owned();
    }
    if text.starts_with(".version") {
        return text.to_owned();
    }
    let size = if version >= Version(2, 3) { ".address_size 64\n" } else { "" };
    let header = format!(".version {version}\n.target {target}\n{size}");
    match text.strip_prefix('{') {
        None => format!("{header}{text}\n"),
        Some(body) => {
            // 128 bits came late.
            let registers =
                if has_128_bits(version, target) { REGISTERS } else { &REGISTERS[..REGISTERS.len() - ".reg .b128 %q<4>;".len()] };
            format!("{header}.global .align 16 .b8 gv[64];\n.shared .align 16 .b8 sv[64];\n.entry k() {{\n{registers}\n{body}\n")
        }
    }
}

fn has_128_bits(version: Version, target: &str) -> bool {
    version >= Version(8, 3) && Target::parse(target).is_some_and(|t| t.number >= 70)
}

/// A question about a module and the answer of ptxas, as the files of `tests/verdicts/modules` hold them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What ptxas says; `None` if it has not been asked.
    pub accepts: Option<bool>,
    /// Whether the checker is known to say otherwise.
    pub differs: bool,
    /// What is asked.
    pub title: String,
    /// Where: version and target.
    pub version: Version,
    /// The target.
    pub target: String,
    /// What [`module`] makes a module of.
    pub example: String,
    /// The number of its heading's line, from 0.
    pub line: usize,
}

impl Case {
    /// The whole module.
    pub fn module(&self) -> String {
        module(&self.example, self.version, &self.target)
    }

    /// Its heading.
    pub fn heading(&self) -> String {
        let verdict = match self.accepts {
            None => "?",
            Some(true) => "accepts",
            Some(false) => "refuses",
        };
        let differs = if self.differs { ", the checker differs" } else { "" };
        let place =
            if (self.version, &*self.target) == NEWEST { String::new() } else { format!(" @ {} {}", self.version, self.target) };
        format!("{verdict}{differs}: {}{place}", self.title)
    }
}

/// Reads a file of cases: a heading `accepts: TITLE`, `refuses: TITLE` or `?: TITLE`, perhaps with `, the checker differs` before the
/// colon and ` @ VERSION TARGET` at the end, then the example indented by 2. `#` at the start of a line begins a comment.
///
/// # Errors
/// A line that is none of these, with its number.
pub fn cases(text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.starts_with('#') {
            continue;
        }
        match (line.strip_prefix("  "), cases.last_mut()) {
            (Some(code), Some(case)) => case.example += &format!("{code}\n"),
            (None, Some(case)) if line.is_empty() => case.example.push('\n'),
            (None, None) if line.is_empty() => {}
            _ => cases.push(heading(line, number).ok_or_else(|| format!("line {}: `{line}` is no heading", number + 1))?),
        }
    }
    for case in &mut cases {
        case.example.truncate(case.example.trim_end().len());
    }
    Ok(cases)
}

fn heading(line: &str, number: usize) -> Option<Case> {
    let (verdict, rest) = line.split_once(": ")?;
    let (word, differs) = verdict.split_once(", ").map_or((verdict, ""), |(word, differs)| (word, differs));
    let accepts = match word {
        "accepts" => Some(true),
        "refuses" => Some(false),
        "?" => None,
        _ => return None,
    };
    let (title, place) = rest.rsplit_once(" @ ").map_or((rest, None), |(title, place)| (title, Some(place)));
    let (version, target) = match place {
        None => NEWEST,
        Some(place) => place.split_once(' ').and_then(|(version, target)| Some((Version::parse(version)?, target)))?,
    };
    let differs = match differs {
        "" => false,
        "the checker differs" => true,
        _ => return None,
    };
    Some(Case { accepts, differs, title: title.into(), version, target: target.into(), example: String::new(), line: number })
}
