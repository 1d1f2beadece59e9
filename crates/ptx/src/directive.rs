//! The directives of PTX: their names and what each one is, as data (PTX ISA 9.4, chapters 5 and 11).

use crate::ast::{Linkage, Space};

/// What a directive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Directive {
    /// Begins a declaration of variables.
    Space(Space),
    /// Precedes a declaration or function.
    Linkage(Linkage),
    /// Begins a kernel (true) or a device function.
    Function(bool),
    /// Gives a source location; true for one in an intermediate language.
    Loc(bool),
    /// Stands between a function's parameters and its body.
    Tuning(Takes),
    Pragma,
    Prototype,
    BranchTargets,
    CallTargets,
    Alias,
    File,
    Section,
    /// Source text of an intermediate language, carried along.
    IntermediateSource,
    Attribute,
    Version,
    Target,
    AddressSize,
    /// Part of a declaration: begins nothing.
    Align,
    /// Part of a parameter: begins nothing.
    Pointer,
}

/// The arguments of a directive between a function's parameters and its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// None.
    Nothing,
    /// Up to so many integers, at least one.
    Integers(u8),
    /// Any number of strings and integers, at least one.
    Mixed,
}

use Directive::*;

/// Frequent ones first: looked up from top to bottom.
const DIRECTIVES: &[(&str, Directive)] = &[
    ("loc", Loc(false)),
    ("reg", Space(Space::Reg)),
    ("param", Space(Space::Param)),
    ("local", Space(Space::Local)),
    ("shared", Space(Space::Shared)),
    ("global", Space(Space::Global)),
    ("const", Space(Space::Const(None))),
    ("visible", Linkage(Linkage::Visible)),
    ("extern", Linkage(Linkage::Extern)),
    ("weak", Linkage(Linkage::Weak)),
    ("common", Linkage(Linkage::Common)),
    ("entry", Function(true)),
    ("func", Function(false)),
    ("pragma", Pragma),
    ("align", Align),
    ("ptr", Pointer),
    ("callprototype", Prototype),
    ("branchtargets", BranchTargets),
    ("calltargets", CallTargets),
    ("tex", Space(Space::Tex)),
    ("sreg", Space(Space::Sreg)),
    ("maxntid", Tuning(Takes::Integers(3))),
    ("reqntid", Tuning(Takes::Integers(3))),
    ("minnctapersm", Tuning(Takes::Integers(1))),
    ("maxnctapersm", Tuning(Takes::Integers(1))),
    ("maxnreg", Tuning(Takes::Integers(1))),
    ("minperctamemory", Tuning(Takes::Integers(1))),
    ("local_maxnreg", Tuning(Takes::Integers(1))),
    ("noreturn", Tuning(Takes::Nothing)),
    ("abi_preserve", Tuning(Takes::Integers(1))),
    ("abi_preserve_control", Tuning(Takes::Integers(1))),
    ("reqnctapercluster", Tuning(Takes::Integers(3))),
    ("explicitcluster", Tuning(Takes::Nothing)),
    ("maxclusterrank", Tuning(Takes::Integers(1))),
    ("blocksareclusters", Tuning(Takes::Nothing)),
    ("language", Tuning(Takes::Mixed)),
    ("alias", Alias),
    ("attribute", Attribute),
    ("file", File),
    ("section", Section),
    ("nv_intermediate_source_section", IntermediateSource),
    ("loc_intermediate", Loc(true)),
    ("version", Version),
    ("target", Target),
    ("address_size", AddressSize),
];

/// Types that a declaration may name, without their dots (PTX ISA 5.2).
const TYPES: &[&str] = &[
    "b64", "b32", "b8", "f32", "pred", "u32", "u64", "b16", "s32", "s64", "f64", "u8", "u16", "s16", "s8", "f16", "f16x2", "b128",
];

/// Types of handles (PTX ISA 5.3): they may also stand for the space behind `.ptr`.
const OPAQUE: &[&str] = &["texref", "samplerref", "surfref"];

/// The directive called `name`, written without its dot.
pub(crate) fn directive(name: &[u8]) -> Option<Directive> {
    DIRECTIVES.iter().find(|(known, _)| known.as_bytes() == name).map(|(_, directive)| *directive)
}

/// The declarable type called `name`, written without its dot.
pub(crate) fn type_name(name: &[u8]) -> Option<&'static str> {
    TYPES.iter().find(|known| known.as_bytes() == name).copied().or_else(|| opaque(name))
}

/// The type of handles called `name`, written without its dot.
pub(crate) fn opaque(name: &[u8]) -> Option<&'static str> {
    OPAQUE.iter().find(|known| known.as_bytes() == name).copied()
}

/// The known directive whose spelling is nearest to `name`, if one is near.
pub(crate) fn nearest_directive(name: &str) -> Option<&'static str> {
    nearest(name, DIRECTIVES.iter().map(|(known, _)| *known))
}

/// The declarable type whose spelling is nearest to `name`, if one is near.
pub(crate) fn nearest_type(name: &str) -> Option<&'static str> {
    nearest(name, TYPES.iter().chain(OPAQUE).copied())
}

fn nearest(name: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    if name.len() > 40 {
        return None;
    }
    let limit = name.len().div_ceil(3).max(1);
    let distances = known.map(|candidate| (edit_distance(&name.to_ascii_lowercase(), candidate), candidate));
    distances.filter(|(distance, _)| *distance <= limit).min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// How many bytes must be changed, added, removed or swapped with their neighbour to make one text of the other.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let substituted = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = substituted.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
