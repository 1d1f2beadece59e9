//! Parts of a number, as one target has them.

use isa::amdgpu::Target;
use isa::amdgpu::words::{Field, Fields, Words};

use super::names::Choices;

/// The fields of a number that exist on a target, in the order in which they are printed.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) list: Vec<Part>,
}

/// One field.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    /// Lowest bit and number of bits of each run, the lowest bits of the value first.
    runs: &'static [(u32, u32)],
    /// The largest value.
    pub(crate) most: u32,
    /// The names of its values.
    pub(crate) of: Option<Choices>,
    /// How much less than what is meant it holds.
    pub(crate) less: u32,
    /// Whether it can only be denied.
    pub(crate) off: bool,
    /// Whether the target has it.
    pub(crate) exists: bool,
}

impl Part {
    /// Its value in a number.
    pub(crate) fn get(&self, number: u32) -> u32 {
        let mut value = 0;
        let mut below = 0;
        for &(low, width) in self.runs {
            value |= (number >> low & ones(width)) << below;
            below += width;
        }
        value
    }

    /// The number with its value changed.
    pub(crate) fn put(&self, number: u32, value: u32) -> u32 {
        let mut number = number & !self.mask();
        let mut rest = value;
        for &(low, width) in self.runs {
            number |= (rest & ones(width)) << low;
            rest = rest.checked_shr(width).unwrap_or(0);
        }
        number
    }

    /// Its bits.
    pub(crate) fn mask(&self) -> u32 {
        self.runs.iter().fold(0, |mask, &(low, width)| mask | ones(width) << low)
    }
}

fn ones(width: u32) -> u32 {
    1u32.checked_shl(width).map_or(u32::MAX, |bit| bit - 1)
}

impl Parts {
    pub(crate) fn new(fields: &'static Fields, words: &'static Words, target: Target) -> Parts {
        let part = |field: &'static Field| Part {
            name: field.name,
            runs: &field.runs,
            most: ones(field.runs.iter().map(|run| run.1).sum()),
            of: field.of.and_then(|name| words.names(name)).map(|names| Choices::new(names, target)),
            less: field.less,
            off: field.off,
            exists: field.targets.has(target),
        };
        // A field of other targets stays in the list only to be named in a message; one of this target hides its namesakes.
        let mut list: Vec<Part> = fields.list.iter().map(part).collect();
        let here: Vec<&str> = list.iter().filter(|p| p.exists).map(|p| p.name).collect();
        list.retain(|p| p.exists || !here.contains(&p.name));
        Parts { list }
    }

    /// The fields that the target has.
    pub(crate) fn here(&self) -> impl Iterator<Item = &Part> + Clone {
        self.list.iter().filter(|p| p.exists)
    }

    /// The field of that name, on whatever target.
    pub(crate) fn named(&self, name: &str) -> Option<&Part> {
        self.list.iter().find(|p| p.name == name)
    }

    /// The bits of all fields that the target has.
    pub(crate) fn mask(&self) -> u32 {
        self.here().fold(0, |mask, part| mask | part.mask())
    }

    /// The names of the fields, for a remedy.
    pub(crate) fn names(&self) -> String {
        self.here().map(|p| p.name).collect::<Vec<_>>().join(", ")
    }
}
