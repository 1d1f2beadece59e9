//! Is a PTX text right? Judged as ptxas 13.5 does (`-arch=compute_N`, without generating code), by the table and by the rules of the
//! language beyond single instructions.
//!
//! [`check`] gives everything that is wrong with a text; [`requirements`] tells the lowest version and target on which it is right.
//! What this does not judge: whether functions that other modules define fit, limits of one GPU (shared memory, registers), and
//! everything that shows only when a kernel runs.
//!
//! Follows PTX ISA 9.4, chapters 4 to 7, 9 and 11, and ptxas 13.5 where they differ; `tests/verdicts/modules` has ptxas' verdicts on
//! every rule.

mod calls;
mod codes;
mod declarations;
mod directives;
mod functions;
mod initialisers;
mod instructions;
mod later;
mod names;
mod operands;
mod remedies;
mod report;
mod requirements;
pub mod snippet;
mod targets;
mod vectors;

pub use requirements::{Forced, Requirements, requirements};

use diagnostics::{Diagnostic, Span};
use instructions::Known;
use isa::{Table, Target, TextureMode, Version};
use names::Names;
use ptx::ast::{Module, Symbol};
use report::Report;
use requirements::Required;
use std::collections::HashSet;
use std::rc::Rc;

/// Everything that is wrong with a text, in its order, up to a limit; a note without a place says how much more there is. `target` is
/// judged instead of the one that the text names.
pub fn check(table: &'static Table, text: &str, target: Option<Target>) -> Vec<Diagnostic> {
    let (tree, mut found) = ptx::parse(text);
    let mut checker = Checker::new(table, &tree, target);
    checker.text = text;
    checker.syntax_errors = found.iter().filter_map(|d| Some(d.labels.first()?.span.start)).collect();
    checker.module();
    found.extend(checker.report.finish());
    found.sort_by_key(|d| d.labels.first().map_or(u32::MAX, |l| l.span.start));
    found
}

/// Whether a diagnostic says that the module's version or target is not the right one.
pub fn about_header(diagnostic: &Diagnostic) -> bool {
    [codes::NEEDS, codes::HEADER].contains(&diagnostic.code)
}

/// A walk over a module.
struct Checker<'t> {
    table: &'static Table,
    tree: &'t Module,
    /// The text of the module, which suggestions quote; empty where none are made.
    text: &'t str,
    /// The version and the target that the module names, or the one that is judged instead; none where they are missing or wrong.
    version: Option<Version>,
    target: Option<Target>,
    /// Whether the target is not the module's own.
    overridden: bool,
    /// Whether textures and samplers are declared together or apart.
    texmode: TextureMode,
    /// Whether the function at hand is a kernel.
    in_kernel: bool,
    names: Names<'t>,
    /// The directives of the kernel at hand; none in a device function.
    kernel: Option<&'t [ptx::ast::Directive]>,
    /// What each opcode of the module stands for, once it has been asked for.
    opcodes: Vec<Option<Rc<Known>>>,
    /// Signatures of instructions that are right, see [`instructions`].
    right: HashSet<u64, std::hash::BuildHasherDefault<instructions::Identity>>,
    /// Functions that are aliases, the numbers of files, and the places that `.loc` named.
    aliased: HashSet<Symbol>,
    files: HashSet<u64>,
    places: HashSet<(u64, u64, u64)>,
    report: Report,
    /// Where syntax is wrong, and whether that is in the function at hand: a label of it may have been lost then.
    syntax_errors: Vec<u32>,
    lost_labels: bool,
    /// What the module needs, each once, where it is first needed.
    required: Vec<Required>,
    /// Where each name is first declared, once that has been asked for.
    declared: Option<later::Declared<'t>>,
}

impl<'t> Checker<'t> {
    fn new(table: &'static Table, tree: &'t Module, target: Option<Target>) -> Self {
        Checker {
            table,
            tree,
            text: "",
            version: None,
            target,
            overridden: target.is_some(),
            texmode: TextureMode::default(),
            in_kernel: false,
            names: Names::new(tree),
            kernel: None,
            opcodes: vec![None; tree.opcodes.len()],
            right: HashSet::default(),
            aliased: HashSet::new(),
            files: HashSet::new(),
            places: HashSet::new(),
            report: Report::default(),
            syntax_errors: Vec::new(),
            lost_labels: false,
            required: Vec::new(),
            declared: None,
        }
    }

    fn module(&mut self) {
        self.header();
        for item in &self.tree.items {
            self.item(item);
        }
    }

    /// Reports an error.
    fn error(&mut self, code: &'static str, span: Span, message: impl FnOnce() -> String, help: &str) {
        self.report.push(|| Diagnostic::error(code, span, message()).help(help));
    }

    /// Reports that a name is declared a second time.
    /// At module scope the names of special registers are taken, in every version.
    fn reserved(&mut self, name: ptx::ast::Name) {
        let text = self.tree.name(name.symbol);
        if text.starts_with('%') && self.table.special(text).is_some() {
            let message = || format!("`{text}` is a special register");
            self.error(codes::TWICE, name.span, message, "give it another name, or declare it in the body of a function");
        }
    }

    fn declared_twice(&mut self, name: ptx::ast::Name, first: Span) {
        let tree = self.tree;
        self.report.push(|| {
            Diagnostic::error(
                codes::TWICE,
                name.span,
                format!("`{}` is declared a second time in this scope", tree.name(name.symbol)),
            )
            .also(first, "declared here first")
            .help("give it another name, or declare it in a scope `{ }` of its own")
        });
    }
}
