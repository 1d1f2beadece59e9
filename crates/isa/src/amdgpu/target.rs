//! Targets and sets of them.

/// One target: an index into `Table::targets`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target(pub u8);

/// A set of targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Targets(pub u64);

impl Targets {
    /// The empty set.
    pub const NONE: Targets = Targets(0);
    /// Every target.
    pub const ALL: Targets = Targets(u64::MAX);

    /// The set of one target.
    pub fn one(target: Target) -> Targets {
        Targets(1 << target.0)
    }

    /// Whether a target is in it.
    #[inline]
    pub fn has(self, target: Target) -> bool {
        self.0 >> target.0 & 1 == 1
    }

    /// Both sets together.
    pub fn or(self, other: Targets) -> Targets {
        Targets(self.0 | other.0)
    }

    /// What is in both.
    pub fn and(self, other: Targets) -> Targets {
        Targets(self.0 & other.0)
    }

    /// What is in this one and not in the other.
    pub fn without(self, other: Targets) -> Targets {
        Targets(self.0 & !other.0)
    }

    /// Whether it has no target.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its targets in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = Target> {
        (0..64).map(Target).filter(move |t| self.has(*t))
    }
}
