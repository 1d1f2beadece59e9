//! On which versions and targets is a module right, and which of its lines say so?

use crate::Checker;
use diagnostics::Span;
use isa::{Requirement, Table, Target, VERSIONS, Version};
use ptx::ast::Module;

/// Something that needs a version and targets, or is gone from some on, where the module first has it.
pub(crate) struct Required {
    /// Tells requirements apart.
    pub key: usize,
    pub requirement: Requirement,
    /// What needs it, such as an opcode in backquotes.
    pub what: String,
    pub span: Span,
    /// Whether it is gone where the requirement is met.
    pub removed: bool,
}

impl Required {
    /// That the module's own target exists.
    pub fn floor(introduced: Version, target: Target, span: Span) -> Required {
        let requirement = Requirement { version: introduced, targets: Vec::new(), alternative: None };
        Required { key: 0, requirement, what: format!("`.target {target}`"), span, removed: false }
    }

    fn holds(&self, version: Version, target: Target) -> bool {
        self.requirement.met_by(version, target) != self.removed
    }

    fn forced(&self) -> Forced {
        let requirement =
            if self.removed { format!("something before {}", self.requirement) } else { self.requirement.to_string() };
        Forced { what: self.what.clone(), requirement, span: self.span }
    }
}

/// A place of the module and what it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forced {
    /// What asks, such as an opcode in backquotes.
    pub what: String,
    /// For which version and targets.
    pub requirement: String,
    /// Where it first stands.
    pub span: Span,
}

/// Where a module is right.
#[derive(Clone, Debug, Default)]
pub struct Requirements {
    /// Every target on which it is, with the lowest version there.
    pub targets: Vec<(Target, Version)>,
    /// The lowest of these: the first version that will do, on the first target that has it.
    pub lowest: Option<(Version, Target)>,
    /// What makes it wrong on the next lower version or target; where there is no target at all, what contradicts something else.
    pub forced: Vec<Forced>,
}

/// Tells where a module would be right if its header said so, by what its lines need; other errors do not matter.
pub fn requirements(table: &'static Table, tree: &Module) -> Requirements {
    let mut checker = Checker::new(table, tree, None);
    checker.module();
    // The module's own target is what is asked for.
    let required: Vec<Required> = checker.required.into_iter().filter(|r| r.key != 0).collect();
    let right = |version, target| required.iter().all(|r| r.holds(version, target));
    let lowest_on = |target: Target| {
        let introduced = target.introduced()?;
        VERSIONS.iter().find(|&&v| v >= introduced && right(v, target)).map(|&v| (target, v))
    };
    let targets: Vec<(Target, Version)> = Target::all().filter_map(lowest_on).collect();
    // The plainest target first: its number, then fewer features.
    let lowest =
        targets.iter().min_by_key(|(target, _)| (target.number, target.features)).map(|&(target, version)| (version, target));
    let forced = match lowest {
        None => required.iter().filter(|r| Target::all().any(|t| !r.holds(VERSIONS[VERSIONS.len() - 1], t))).collect(),
        Some((version, target)) => forcing(&required, version, target),
    };
    Requirements { targets, lowest, forced: forced.into_iter().map(Required::forced).collect() }
}

/// What does not hold on the next lower version of the target, or on any lower target at the newest version.
fn forcing(required: &[Required], version: Version, target: Target) -> Vec<&Required> {
    let below = VERSIONS.iter().rfind(|v| **v < version).copied();
    let newest = VERSIONS[VERSIONS.len() - 1];
    let lower: Vec<Target> = Target::all().filter(|t| (t.number, t.features) < (target.number, target.features)).collect();
    let by_version = |r: &&Required| below.is_some_and(|v| !r.holds(v, target));
    let by_target = |r: &&Required| lower.last().is_some_and(|&t| !r.holds(newest, t));
    required.iter().filter(|r| by_version(r) || by_target(r)).collect()
}
