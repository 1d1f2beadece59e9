//! `.version`, `.target` and `.address_size`, and what needs which of them (PTX ISA 9.4, 11.1).

use crate::instructions::unshown;
use crate::remedies::strange_version;
use crate::{Checker, codes, requirements::Required};
use diagnostics::{Diagnostic, Span};
use isa::{Features, Need, Requirement, Table, Target, TextureMode, VERSIONS, Version};
use ptx::ast::{Item, Name};

/// What a rule of the language needs: a PTX version, and a target or a later one.
pub(crate) struct Floor {
    pub version: Version,
    /// The number of the target; 0 for every one.
    pub target: u32,
}

impl Floor {
    pub const fn new(major: u32, minor: u32, target: u32) -> Floor {
        Floor { version: Version(major, minor), target }
    }

    pub fn requirement(&self) -> Requirement {
        let targets = if self.target == 0 { Vec::new() } else { vec![Target::baseline(self.target)] };
        Requirement { version: self.version, targets, alternative: None }
    }
}

static ADDRESS_SIZE: Floor = Floor::new(2, 3, 0);
static INDEPENDENT_TEXTURES: Floor = Floor::new(1, 5, 0);
static DEBUG: Floor = Floor::new(3, 0, 0);

/// Targets that ptxas takes and the manual does not list, with the version that introduced each.
const UNLISTED: &[(&str, Version)] = &[("sm_21", Version(2, 0))];

/// What may stand in `.target` behind the architecture, and what it excludes.
const OPTIONS: &[(&str, Option<&str>)] = &[
    ("texmode_unified", Some("texmode_independent")),
    ("texmode_independent", Some("texmode_unified")),
    ("debug", None),
    ("map_f64_to_f32", None),
];

impl<'t> Checker<'t> {
    /// Checks the header, and takes version and target from it.
    pub fn header(&mut self) {
        self.version_directive();
        self.target_directive();
        self.targets_in_bodies();
        if let Some((_, span)) = self.tree.address_size {
            self.floor(&ADDRESS_SIZE, "`.address_size`", span);
        }
    }

    fn version_directive(&mut self) {
        let Some((major, minor, span)) = self.tree.version else { return };
        let version = Version(major, minor);
        if VERSIONS.contains(&version) {
            self.version = Some(version);
            return;
        }
        // ptxas 13.5 looks for 10 * major + minor, but compares the two numbers as they are written.
        let value = major.saturating_mul(10).saturating_add(minor);
        if VERSIONS.contains(&Version(value / 10, value % 10)) {
            self.version = Some(version);
            let message = format!("there is no PTX {version}; ptxas takes it for an earlier one than {}.0", major + 1);
            let note = "features of later versions are refused all the same";
            return self.report.push(|| Diagnostic::warning(codes::HEADER, span, message).note(note));
        }
        let newest = VERSIONS.last().copied().unwrap_or_default();
        let below = VERSIONS.iter().rfind(|v| **v < version).copied().unwrap_or(newest);
        let message = format!("there is no PTX {version}");
        let before = if below == newest { String::new() } else { format!("; the one before this is {below}") };
        self.report.push(|| {
            let error = Diagnostic::error(codes::HEADER, span, message).help(format!("the newest version is {newest}{before}"));
            Diagnostic { notes: strange_version(version).map(str::to_owned).into_iter().collect(), ..error }
        });
    }

    fn target_directive(&mut self) {
        let tree = self.tree;
        let mut options: Vec<&str> = Vec::new();
        let mut named = None;
        for (at, name) in tree.targets.iter().enumerate() {
            let text = tree.name(name.symbol);
            let architecture = text.starts_with("sm_") || text.starts_with("compute_");
            if architecture {
                // Of several the last one counts.
                named = self.architecture(*name).or(named);
            } else {
                self.target_option(*name, &mut options);
            }
            if at == 0 && !architecture && OPTIONS.iter().any(|(option, _)| *option == text) {
                let help = "write `.target sm_90, ...`";
                self.error(codes::HEADER, name.span, || "`.target` begins with an architecture".to_owned(), help);
            }
        }
        self.target = self.target.or(named);
        let mut modes = options.iter().filter_map(|option| TextureMode::parse(option.strip_prefix("texmode_")?));
        self.texmode = modes.next_back().unwrap_or_default();
        self.target_options(&options);
    }

    /// A `.target` in a body names an architecture. ptxas 13.5 judges what follows it for that one if it is older, which is not asked here.
    fn targets_in_bodies(&mut self) {
        for name in &self.tree.targets_in_bodies {
            let text = self.tree.name(name.symbol);
            if text.starts_with("sm_") || text.starts_with("compute_") {
                self.architecture(*name);
            } else {
                let help = "write it in the `.target` at the start of the module";
                self.error(codes::HEADER, name.span, || format!("`{text}` stands in a body"), help);
            }
        }
    }

    /// Adds an option to those before it, each once.
    fn target_option(&mut self, name: Name, options: &mut Vec<&'t str>) {
        let text = self.tree.name(name.symbol);
        let Some((_, excluded)) = OPTIONS.iter().find(|(option, _)| *option == text) else {
            let near = Table::nearest(text, OPTIONS.iter().map(|o| o.0));
            let help = match (near.first(), self.table.target_meant(text)) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, Some(target)) => format!("write `{target}`"),
                (None, None) => "name an architecture such as `sm_90`".to_owned(),
            };
            return self.error(codes::HEADER, name.span, || format!("`.target` takes no `{text}`"), &help);
        };
        if let Some(other) = excluded.filter(|other| options.contains(other)) {
            let help = "textures are unified or independent in the whole module";
            self.error(codes::HEADER, name.span, || format!("`{text}` contradicts `{other}`"), help);
        }
        if !options.contains(&text) {
            options.push(text);
        }
    }

    fn target_options(&mut self, options: &[&str]) {
        let span_of = |option: &str| {
            self.tree.targets.iter().find(|n| self.tree.name(n.symbol) == option).map_or(Span::default(), |n| n.span)
        };
        for (option, floor) in [("texmode_independent", &INDEPENDENT_TEXTURES), ("debug", &DEBUG)] {
            if options.contains(&option) {
                self.floor(floor, &format!("`{option}`"), span_of(option));
            }
        }
        if options.contains(&"map_f64_to_f32") && self.target.is_some_and(|t| t.number >= 13) {
            let span = span_of("map_f64_to_f32");
            let help = "remove it: these targets have arithmetic in f64";
            self.error(codes::HEADER, span, || "`map_f64_to_f32` is for targets before sm_13".to_owned(), help);
        }
        let has_sections = self.tree.items.iter().any(|item| matches!(item, Item::Section(..)));
        if options.contains(&"debug") && !has_sections && self.version >= Some(Version(3, 0)) {
            let span = span_of("debug");
            let help = "remove `debug`, or compile with debugging information";
            self.error(codes::HEADER, span, || "`.target ... debug` needs sections with debugging information".to_owned(), help);
        }
    }

    /// The architecture that a word of `.target` names.
    fn architecture(&mut self, name: Name) -> Option<Target> {
        let text = self.tree.name(name.symbol);
        let target = Target::parse(text);
        let unlisted = UNLISTED.iter().find(|(known, _)| *known == text).map(|u| u.1);
        if let (Some(target), Some(introduced)) = (target, target.and_then(Target::introduced).or(unlisted)) {
            if self.target.is_none() && self.version.is_some_and(|v| v < introduced) && self.has_code() {
                let version = self.version.unwrap_or_default();
                self.report.push(|| {
                    Diagnostic::error(codes::HEADER, name.span, format!("PTX {version} has no target {text}"))
                        .note(format!("{text} exists since PTX {introduced}"))
                        .help(format!("write `.version {introduced}` or a later one"))
                });
            }
            self.required.push(Required::floor(introduced, target, name.span));
            return Some(target);
        }
        let near = Target::nearest(text);
        let help = near.map_or("name an architecture such as `sm_90`".to_owned(), |n| format!("did you mean `{n}`?"));
        let message = match target {
            Some(Target { features: Features::Baseline, .. }) | None => format!("there is no target `{text}`"),
            Some(target) => {
                let suffix = if target.features == Features::Family { "f" } else { "a" };
                format!("there is no target `{text}`: sm_{} has no features of its own under `{suffix}`", target.number)
            }
        };
        self.error(codes::HEADER, name.span, || message, &help);
        None
    }

    /// ptxas holds version and target against each other only where there is something to compile.
    fn has_code(&self) -> bool {
        self.tree.items.iter().any(|item| matches!(item, Item::Function(_) | Item::Variable(_)))
    }

    /// Whether the module is of this version or a later one.
    pub fn since(&self, major: u32, minor: u32) -> bool {
        self.version.is_none_or(|v| v >= Version(major, minor))
    }

    /// Notes what a rule of the language needs, and says so if the module has it not.
    pub fn floor(&mut self, floor: &'static Floor, what: &str, span: Span) {
        self.require(std::ptr::from_ref(floor).addr(), &floor.requirement(), what, span);
    }

    /// The same for what a record needs.
    pub fn need(&mut self, need: &'static Need, what: &str, span: Span) {
        self.require(std::ptr::from_ref(need).addr(), &need.requirement, what, span);
    }

    fn require(&mut self, key: usize, requirement: &Requirement, what: &str, span: Span) {
        self.note_required(key, requirement, what, span, false);
        let (Some(version), Some(target)) = (self.version, self.target) else { return };
        if !requirement.met_by(version, target) {
            let note = self.point();
            self.report.push(|| unmet(requirement, version, target, what, span).note(note));
        }
    }

    /// Notes where an opcode does not exist any more, and says so if the module is there.
    pub fn removed(&mut self, need: &'static Need, opcode: &str, span: Span) {
        let what = format!("`{opcode}`");
        self.note_required(std::ptr::from_ref(need).addr(), &need.requirement, &what, span, true);
        let (Some(version), Some(target)) = (self.version, self.target) else { return };
        if need.requirement.met_by(version, target) && !self.report.has_room() {
            self.report.push(|| unshown(span));
        } else if need.requirement.met_by(version, target) {
            let (note, successors) = (self.point(), self.successors(opcode));
            self.report.push(|| {
                Diagnostic::error(codes::NEEDS, span, format!("{what} does not exist any more from {} on", need.requirement))
                    .note(note)
                    .help(successors)
            });
        }
    }

    /// For which version and target is judged.
    fn point(&self) -> String {
        let (Some(version), Some(target)) = (self.version, self.target) else { return String::new() };
        match self.overridden {
            false => format!("the module is PTX {version} for {target}"),
            true => format!("judged for {target}, as was asked; the module is PTX {version}"),
        }
    }

    fn note_required(&mut self, key: usize, requirement: &Requirement, what: &str, span: Span, removed: bool) {
        if self.required.iter().all(|r| r.key != key) {
            self.required.push(Required { key, requirement: requirement.clone(), what: what.to_owned(), span, removed });
        }
    }
}

/// Says what is missing, and what would do.
fn unmet(requirement: &Requirement, version: Version, target: Target, what: &str, span: Span) -> Diagnostic {
    if requirement.alternative.is_some() {
        let (version, target) = nearest_point(requirement, version, target);
        let help = format!("write `.version {version}` or a later one, and `.target {target}`");
        return Diagnostic::error(codes::NEEDS, span, format!("{what} needs {requirement}")).help(help);
    }
    let old = version < requirement.version;
    let elsewhere = !requirement.targets.is_empty() && !requirement.targets.iter().any(|&n| target.satisfies(n));
    let targets: Vec<String> = requirement.targets.iter().map(Target::to_string).collect();
    let targets = targets.join(" or ");
    let (said, help) = match (old, elsewhere) {
        (true, false) => {
            (format!("PTX {}", requirement.version), format!("write `.version {}` or a later one", requirement.version))
        }
        (false, true) => (targets.clone(), target_help(requirement, target)),
        _ => {
            (requirement.to_string(), format!("write `.version {}` and `.target {targets}`, or later ones", requirement.version))
        }
    };
    Diagnostic::error(codes::NEEDS, span, format!("{what} needs {said}")).help(help)
}

/// Of several versions with targets that will do, the one nearest to the module: with its version if there is one, then on its
/// architecture, then the lowest.
fn nearest_point(requirement: &Requirement, version: Version, target: Target) -> (Version, Target) {
    let all = std::iter::successors(Some(requirement), |r| r.alternative.as_deref());
    let points = all.flat_map(|r| r.targets.iter().map(|t| (r.version, *t)));
    points.min_by_key(|(v, t)| (*v > version, t.number != target.number, t.number)).unwrap_or((requirement.version, target))
}

fn target_help(requirement: &Requirement, target: Target) -> String {
    let needed = requirement.targets[0];
    match needed.features {
        Features::Baseline => format!("write `.target {needed}` or a later one"),
        _ if requirement.targets.iter().any(|n| n.number == target.number) => {
            let same = requirement.targets.iter().find(|n| n.number == target.number).unwrap_or(&needed);
            format!("write `.target {same}`, which has the features of that architecture")
        }
        _ => format!("write `.target {needed}`{}", if requirement.targets.len() > 1 { ", or another of these" } else { "" }),
    }
}
