//! Targets and versions: which architecture can do what, since which PTX version.
//!
//! Follows PTX ISA 9.4, 11.1.2 (`.target`): plain targets are layers, each includes the ones before; an `a`
//! target has what exactly that architecture has; an `f` target has what its family has from that member on.

use std::fmt;

/// A PTX version, major and minor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u32, pub u32);

impl Version {
    /// From `8.6`.
    pub fn parse(text: &str) -> Option<Version> {
        let (major, minor) = text.split_once('.')?;
        Some(Version(number(major)?, number(minor)?))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// The versions of PTX that exist (PTX ISA 9.4, chapter 13; 5.1 and 9.5 by ptxas 13.5).
pub const VERSIONS: &[Version] = &[
    Version(1, 0),
    Version(1, 1),
    Version(1, 2),
    Version(1, 3),
    Version(1, 4),
    Version(1, 5),
    Version(2, 0),
    Version(2, 1),
    Version(2, 2),
    Version(2, 3),
    Version(3, 0),
    Version(3, 1),
    Version(3, 2),
    Version(4, 0),
    Version(4, 1),
    Version(4, 2),
    Version(4, 3),
    Version(5, 0),
    Version(5, 1),
    Version(6, 0),
    Version(6, 1),
    Version(6, 2),
    Version(6, 3),
    Version(6, 4),
    Version(6, 5),
    Version(7, 0),
    Version(7, 1),
    Version(7, 2),
    Version(7, 3),
    Version(7, 4),
    Version(7, 5),
    Version(7, 6),
    Version(7, 7),
    Version(7, 8),
    Version(8, 0),
    Version(8, 1),
    Version(8, 2),
    Version(8, 3),
    Version(8, 4),
    Version(8, 5),
    Version(8, 6),
    Version(8, 7),
    Version(8, 8),
    Version(9, 0),
    Version(9, 1),
    Version(9, 2),
    Version(9, 3),
    Version(9, 4),
    Version(9, 5),
];

/// Digits only, as a number: `parse` alone would take `+1`.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Which features a target has beyond its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Features {
    /// `sm_90`: none.
    Baseline,
    /// `sm_100f`: those of its family.
    Family,
    /// `sm_90a`: those of its family and of exactly this architecture.
    Architecture,
}

/// An architecture that a module names in `.target`, or that a form needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// 90 for `sm_90a`.
    pub number: u32,
    /// What the suffix says.
    pub features: Features,
}

/// Number, first PTX version of the plain target, of the `a` one, of the `f` one (PTX ISA 9.4, 11.1.2; sm_21 by ptxas 13.5).
type Introduced = (u32, Version, Option<Version>, Option<Version>);

const TARGETS: &[Introduced] = &[
    (10, Version(1, 0), None, None),
    (11, Version(1, 0), None, None),
    (12, Version(1, 2), None, None),
    (13, Version(1, 2), None, None),
    (20, Version(2, 0), None, None),
    (21, Version(2, 0), None, None),
    (30, Version(3, 0), None, None),
    (32, Version(4, 0), None, None),
    (35, Version(3, 1), None, None),
    (37, Version(4, 1), None, None),
    (50, Version(4, 0), None, None),
    (52, Version(4, 1), None, None),
    (53, Version(4, 2), None, None),
    (60, Version(5, 0), None, None),
    (61, Version(5, 0), None, None),
    (62, Version(5, 0), None, None),
    (70, Version(6, 0), None, None),
    (72, Version(6, 1), None, None),
    (75, Version(6, 3), None, None),
    (80, Version(7, 0), None, None),
    (86, Version(7, 1), None, None),
    (87, Version(7, 4), None, None),
    (88, Version(9, 0), None, None),
    (89, Version(7, 8), None, None),
    (90, Version(7, 8), Some(Version(8, 0)), None),
    (100, Version(8, 6), Some(Version(8, 6)), Some(Version(8, 8))),
    (101, Version(8, 6), Some(Version(8, 6)), Some(Version(8, 8))),
    (103, Version(8, 8), Some(Version(8, 8)), Some(Version(8, 8))),
    (107, Version(9, 4), Some(Version(9, 4)), Some(Version(9, 4))),
    (110, Version(9, 0), Some(Version(9, 0)), Some(Version(9, 0))),
    (120, Version(8, 7), Some(Version(8, 7)), Some(Version(8, 8))),
    (121, Version(8, 8), Some(Version(8, 8)), Some(Version(8, 8))),
];

impl Target {
    /// A plain target such as `sm_90`.
    pub const fn baseline(number: u32) -> Target {
        Target { number, features: Features::Baseline }
    }

    /// From `sm_90`, `sm_90a`, `sm_100f`, or the same with `compute_`. Numbers that no vendor document names
    /// parse too; [`Target::introduced`] tells.
    pub fn parse(text: &str) -> Option<Target> {
        let rest = text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_"))?;
        let (digits, features) = match rest.as_bytes().last()? {
            b'a' => (&rest[..rest.len() - 1], Features::Architecture),
            b'f' => (&rest[..rest.len() - 1], Features::Family),
            _ => (rest, Features::Baseline),
        };
        Some(Target { number: number(digits)?, features })
    }

    /// The target that was likely meant by a text that names none: of the nearest number, with the same suffix if there is one.
    pub fn nearest(text: &str) -> Option<Target> {
        let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        let number = number(digits.trim_end_matches(|c: char| !c.is_ascii_digit()))?;
        let features = Target::parse(text).map_or(Features::Baseline, |t| t.features);
        Target::all().min_by_key(|t| (t.number.abs_diff(number), t.features != features, t.number))
    }

    /// Every target of the manual, by number.
    pub fn all() -> impl Iterator<Item = Target> {
        TARGETS.iter().flat_map(|&(number, _, a, f)| {
            [
                Some(Target::baseline(number)),
                f.map(|_| Target { number, features: Features::Family }),
                a.map(|_| Target { number, features: Features::Architecture }),
            ]
            .into_iter()
            .flatten()
        })
    }

    /// The PTX version that introduced it; `None` if the manual does not know it.
    pub fn introduced(self) -> Option<Version> {
        let &(_, baseline, a, f) = TARGETS.iter().find(|t| t.0 == self.number)?;
        match self.features {
            Features::Baseline => Some(baseline),
            Features::Family => f,
            Features::Architecture => a,
        }
    }

    /// Whether a module for this target may use what needs `need`.
    pub fn satisfies(self, need: Target) -> bool {
        match need.features {
            Features::Baseline => self.layer() >= need.layer(),
            Features::Family => {
                self.features != Features::Baseline && self.family() == need.family() && self.layer() >= need.layer()
            }
            Features::Architecture => self.features == Features::Architecture && self.layer() == need.layer(),
        }
    }

    /// Its number; `sm_101` was renamed to `sm_110` in PTX 9.0.
    fn layer(self) -> u32 {
        if self.number == 101 { 110 } else { self.number }
    }

    /// The architectures `sm_10x` are one family, and so on.
    fn family(self) -> u32 {
        self.layer() / 10
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.features {
            Features::Baseline => "",
            Features::Family => "f",
            Features::Architecture => "a",
        };
        write!(f, "sm_{}{suffix}", self.number)
    }
}

/// A PTX version and any one of some targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirement {
    /// At least this version.
    pub version: Version,
    /// Any of these; empty for every target.
    pub targets: Vec<Target>,
    /// What serves as well: an older version may do where the architecture is newer.
    pub alternative: Option<Box<Requirement>>,
}

impl Requirement {
    /// Whether a module with that `.version` and `.target` meets it.
    pub fn met_by(&self, version: Version, target: Target) -> bool {
        let met = version >= self.version && (self.targets.is_empty() || self.targets.iter().any(|&n| target.satisfies(n)));
        met || self.alternative.as_ref().is_some_and(|other| other.met_by(version, target))
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PTX {}", self.version)?;
        for (i, target) in self.targets.iter().enumerate() {
            write!(f, "{}{target}", if i == 0 { " and " } else { " or " })?;
        }
        self.alternative.iter().try_for_each(|other| write!(f, ", or {other}"))
    }
}
