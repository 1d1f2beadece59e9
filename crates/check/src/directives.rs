//! Directives between a function's parameters and its body: where each may stand, with which values, and together with which others
//! (PTX ISA 9.4, 11.4 and 11.6; ptxas 13.5).

use crate::{Checker, codes, targets::Floor};
use diagnostics::{Diagnostic, Span};
use isa::Version;
use ptx::ast::{Directive, Function};

/// Where a directive may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Kernel,
    Function,
    /// Both, where they are defined.
    Definition,
}

/// What a pragma stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Around {
    Module,
    /// Between a kernel's parameters and its body.
    Header,
    Kernel,
    Function,
}

struct Rule {
    name: &'static str,
    on: On,
    /// Whether its arguments must not be 0.
    positive: bool,
    /// The greatest argument.
    most: u64,
    /// Whether it stands once at most.
    once: bool,
    floor: Floor,
    /// The first version that has it no more.
    until: Option<Version>,
}

const fn rule(name: &'static str, on: On, positive: bool, floor: Floor) -> Rule {
    Rule { name, on, positive, most: u32::MAX as u64, once: false, floor, until: None }
}

static RULES: &[Rule] = &[
    rule("maxntid", On::Kernel, true, Floor::new(1, 3, 0)),
    rule("reqntid", On::Kernel, true, Floor::new(2, 1, 0)),
    rule("minnctapersm", On::Kernel, true, Floor::new(2, 0, 0)),
    Rule { until: Some(Version(2, 1)), ..rule("maxnctapersm", On::Kernel, true, Floor::new(1, 3, 0)) },
    rule("maxnreg", On::Kernel, true, Floor::new(1, 3, 0)),
    rule("reqnctapercluster", On::Kernel, false, Floor::new(7, 8, 90)),
    rule("explicitcluster", On::Kernel, false, Floor::new(7, 8, 90)),
    rule("maxclusterrank", On::Kernel, false, Floor::new(7, 8, 90)),
    rule("blocksareclusters", On::Kernel, false, Floor::new(9, 0, 90)),
    rule("local_maxnreg", On::Definition, true, Floor::new(8, 8, 0)),
    // The manual introduces it in 9.3.
    Rule { most: 10, ..rule("language", On::Definition, false, Floor::new(9, 2, 0)) },
    Rule { most: u32::MAX as u64, ..rule("minperctamemory", On::Kernel, false, Floor::new(9, 4, 80)) },
    Rule { once: true, ..rule("noreturn", On::Function, false, Floor::new(6, 4, 30)) },
    Rule { once: true, ..rule("abi_preserve", On::Function, false, Floor::new(9, 0, 80)) },
    Rule { once: true, most: 11, ..rule("abi_preserve_control", On::Function, false, Floor::new(9, 0, 80)) },
];

/// Pairs that exclude each other.
const EXCLUDED: &[(&str, &str)] = &[("maxntid", "reqntid"), ("reqnctapercluster", "maxclusterrank")];

/// Directives of functions that stand before all others; the last two in any order (ptxas 13.5).
const ORDER: &[&str] = &["noreturn", "abi_preserve", "abi_preserve_control"];

/// What a directive needs beside it.
const COMPANIONS: &[(&str, &[&str])] = &[("blocksareclusters", &["reqntid", "reqnctapercluster"])];

/// The languages that `.language` takes, in any case of letters.
const LANGUAGES: &[&str] =
    &["unknown", "ptx", "nvvm", "cuda c++", "cuda c++ tile", "tile ir", "python-cutile", "fortran", "optix"];

/// How a pragma begins that stands in bodies only; all others stand anywhere, and ptxas passes over those that it does not know.
struct BodyPragma {
    name: &'static str,
    /// Whether it stands in kernels only.
    kernel: bool,
    /// Whether a number that is not negative follows.
    number: bool,
    floor: Floor,
}

static BODY_PRAGMAS: &[BodyPragma] = &[
    BodyPragma { name: "used_bytes_mask", kernel: false, number: false, floor: Floor::new(8, 3, 50) },
    // The manual introduces it in 9.0.
    BodyPragma { name: "enable_smem_spilling", kernel: true, number: false, floor: Floor::new(8, 7, 75) },
    BodyPragma { name: "frequency", kernel: false, number: true, floor: Floor::new(9, 0, 0) },
    BodyPragma { name: "mma_throughput", kernel: false, number: false, floor: Floor::new(9, 3, 0) },
];

static PRAGMA: Floor = Floor::new(2, 0, 0);

impl<'t> Checker<'t> {
    /// Checks the directives of a function's header or of a prototype.
    pub fn directives(&mut self, directives: &'t [Directive], kernel: bool, has_results: bool, defined: bool) {
        // Each name once, where it first stands: there are few.
        let mut first: Vec<(&str, Span)> = Vec::new();
        for directive in directives {
            self.directive(directive, kernel, has_results);
            self.directive_beside(directive, &first);
            let name = self.tree.name(directive.name.symbol);
            if !defined && RULES.iter().any(|r| r.name == name && r.on == On::Definition) {
                let help = "put it at the definition";
                self.error(codes::DIRECTIVE, directive.name.span, || format!("`.{name}` stands where the body is"), help);
            }
            if find(&first, name).is_none() {
                first.push((name, directive.name.span));
            }
        }
        self.companions(&first);
    }

    /// What the directive's own name and arguments break.
    fn directive(&mut self, directive: &Directive, kernel: bool, has_results: bool) {
        let name = self.tree.name(directive.name.symbol);
        let span = directive.name.span;
        if name == "pragma" {
            return self.pragma(&directive.strings, span, Around::Header);
        }
        let Some(rule) = RULES.iter().find(|r| r.name == name) else { return };
        if rule.on != On::Definition && (rule.on == On::Kernel) != kernel {
            let (here, there) = if kernel { ("a kernel", ".func") } else { ("a device function", ".entry") };
            let help = format!("it belongs to {there}");
            return self.error(codes::DIRECTIVE, span, || format!("`.{name}` cannot stand at {here}"), &help);
        }
        self.floor(&rule.floor, &format!("`.{name}`"), span);
        if rule.positive && directive.arguments.contains(&0) {
            self.error(codes::DIRECTIVE, span, || format!("the values of `.{name}` are at least 1"), "write a positive number");
        }
        if directive.arguments.iter().any(|value| *value > rule.most) {
            let help = format!("write at most {}", rule.most);
            self.error(codes::DIRECTIVE, span, || format!("the value of `.{name}` is too great"), &help);
        }
        if let Some(language) = directive.strings.iter().find(|s| !LANGUAGES.iter().any(|l| l.eq_ignore_ascii_case(s))) {
            let help = format!("name one of these: {}", LANGUAGES.join(", "));
            self.error(codes::DIRECTIVE, span, || format!("`.{name}` knows no language \"{language}\""), &help);
        }
        if let Some(until) = rule.until.filter(|until| self.version.is_some_and(|v| v >= *until)) {
            let help = "use `.minnctapersm`";
            self.error(codes::DIRECTIVE, span, || format!("`.{name}` does not exist any more from PTX {until} on"), help);
        }
        if name == "noreturn" && has_results {
            let help = "remove the results, or the directive";
            self.error(codes::DIRECTIVE, span, || "a function that does not return has no results".to_owned(), help);
        }
    }

    /// What the directives before it forbid.
    fn directive_beside(&mut self, directive: &Directive, before: &[(&str, Span)]) {
        let name = self.tree.name(directive.name.symbol);
        let late = before.iter().filter(|_| ORDER.contains(&name)).find(|(other, _)| rank(other) > rank(name));
        if let Some((other, first)) = late {
            self.report.push(|| {
                Diagnostic::error(codes::DIRECTIVE, directive.name.span, format!("`.{name}` stands before `.{other}`"))
                    .also(*first, format!("`.{other}` is here"))
                    .help(format!("the order is `.{}`, then the others", ORDER.join("`, `.")))
            });
        }
        let once = RULES.iter().any(|r| r.name == name && r.once);
        if let Some(first) = find(before, name).filter(|_| once) {
            self.report.push(|| {
                Diagnostic::error(codes::DIRECTIVE, directive.name.span, format!("`.{name}` stands twice"))
                    .also(first, "here first")
                    .help("remove one of them")
            });
        }
        let others = EXCLUDED.iter().filter_map(|&(a, b)| if a == name { Some(b) } else { (b == name).then_some(a) });
        for (other, first) in others.filter_map(|other| Some((other, find(before, other)?))) {
            self.report.push(|| {
                Diagnostic::error(codes::DIRECTIVE, directive.name.span, format!("`.{name}` excludes `.{other}`"))
                    .also(first, format!("`.{other}` is here"))
                    .help("keep one of the two")
            });
        }
    }

    /// What some directives need beside them.
    fn companions(&mut self, all: &[(&str, Span)]) {
        for &(name, needed) in COMPANIONS {
            let Some(span) = find(all, name) else { continue };
            for missing in needed.iter().filter(|n| find(all, n).is_none()) {
                let help = format!("add `.{missing}`");
                self.error(codes::DIRECTIVE, span, || format!("`.{name}` needs `.{missing}` beside it"), &help);
            }
        }
    }

    pub fn pragma(&mut self, strings: &[Box<str>], span: Span, around: Around) {
        self.floor(&PRAGMA, "`.pragma`", span);
        for text in strings {
            let known = BODY_PRAGMAS.iter().find_map(|p| Some((p, text.strip_prefix(p.name)?)));
            let Some((pragma, rest)) = known else { continue };
            let what = format!("the pragma \"{}\"", pragma.name);
            match around {
                Around::Module | Around::Header => {
                    self.error(codes::DIRECTIVE, span, || format!("{what} belongs to a body"), "put it into the body");
                    continue;
                }
                Around::Function if pragma.kernel => {
                    let help = "put it into the body of a kernel";
                    self.error(codes::DIRECTIVE, span, || format!("{what} belongs to kernels"), help);
                }
                Around::Kernel | Around::Function => {}
            }
            self.floor(&pragma.floor, &what, span);
            let digits = |word: &str| word.strip_prefix("0x").unwrap_or(word).bytes().all(|b| b.is_ascii_hexdigit());
            if pragma.number && !rest.split_ascii_whitespace().next().is_some_and(digits) {
                let help = format!("write \"{} 32\"", pragma.name);
                self.error(codes::DIRECTIVE, span, || format!("{what} has a number that is not negative"), &help);
            }
        }
    }

    /// Checks those of a function.
    pub fn function_directives(&mut self, function: &'t Function) {
        if let Some(first) = function.directives.first().filter(|_| function.entry && function.body.is_none()) {
            let help = "put it at the definition";
            self.error(codes::DIRECTIVE, first.name.span, || "a kernel that is only declared has no directives".to_owned(), help);
        }
        self.directives(&function.directives, function.entry, !function.returns.is_empty(), function.body.is_some());
    }
}

/// The place in the order of directives.
fn rank(name: &str) -> usize {
    match name {
        "noreturn" => 0,
        "abi_preserve" | "abi_preserve_control" => 1,
        _ => 2,
    }
}

fn find(list: &[(&str, Span)], wanted: &str) -> Option<Span> {
    list.iter().find(|(name, _)| *name == wanted).map(|(_, span)| *span)
}
