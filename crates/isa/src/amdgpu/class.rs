//! What an operand can be, and its type.

/// What an operand can be: a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Class(pub u16);

impl Class {
    /// A vector register.
    pub const V: Class = Class(1);
    /// An accumulation register.
    pub const A: Class = Class(2);
    /// A scalar register.
    pub const S: Class = Class(4);
    /// An inline constant.
    pub const CONSTANT: Class = Class(8);
    /// A literal that follows the instruction.
    pub const LITERAL: Class = Class(16);
    /// LDS through M0.
    pub const LDS: Class = Class(32);
    /// A number in a field of its own.
    pub const IMMEDIATE: Class = Class(64);
    /// A constant of 16, 32 or 64 bits that always follows the instruction.
    pub const K: Class = Class(128);
    /// Not M0.
    pub const NOT_M0: Class = Class(256);
    /// Not EXEC.
    pub const NOT_EXEC: Class = Class(512);
    /// Not NULL.
    pub const NOT_NULL: Class = Class(1024);
    /// A register of 16 bits is a whole one, not a half.
    pub const NOT_HALF: Class = Class(2048);
    /// Always the same text.
    pub const TEXT: Class = Class(4096);
    /// An even register for more than one.
    pub const ALIGNED: Class = Class(8192);
    /// Only the lower half of the vector registers.
    pub const NOT_HIGH: Class = Class(16384);

    /// Not the upper half of EXEC.
    pub const NOT_EXEC_HI: Class = Class(32768);

    const NAMES: [(&str, Class); 19] = [
        ("v", Class(1)),
        ("a", Class(2)),
        ("va", Class(3)),
        ("s", Class(4)),
        ("vs", Class(5)),
        ("vl", Class(33)),
        ("src", Class(29)),
        ("srcc", Class(13)),
        ("srcl", Class(21)),
        ("vc", Class(9)),
        ("ac", Class(10)),
        ("vac", Class(11)),
        ("ssrc", Class(28)),
        ("ssrcc", Class(12)),
        ("ssrcl", Class(60)),
        ("c", Class(8)),
        ("i", Class(64)),
        ("k", Class(128)),
        ("text", Class(4096)),
    ];

    const LIMITS: [(&str, Class); 7] = [
        ("-m0", Class::NOT_M0),
        ("-exec", Class::NOT_EXEC),
        ("-exechi", Class::NOT_EXEC_HI),
        ("-null", Class::NOT_NULL),
        ("-half", Class::NOT_HALF),
        ("-high", Class::NOT_HIGH),
        ("-odd", Class::ALIGNED),
    ];

    /// Whether it has all of another.
    #[inline]
    pub fn has(self, other: Class) -> bool {
        self.0 & other.0 == other.0
    }

    /// This without another's.
    pub fn without(self, other: Class) -> Class {
        Class(self.0 & !other.0)
    }

    /// Both.
    pub const fn or(self, other: Class) -> Class {
        Class(self.0 | other.0)
    }

    /// Reads `src` or `s-m0-exec`.
    pub fn parse(text: &str) -> Option<Class> {
        let (base, limits) = text.split_at(text.find('-').unwrap_or(text.len()));
        let mut class = Class::NAMES.iter().find(|n| n.0 == base)?.1;
        for limit in limits.split_inclusive(|_| false).flat_map(|l| l.split('-').skip(1)) {
            class = class.or(Class::LIMITS.iter().find(|l| &l.0[1..] == limit)?.1);
        }
        Some(class)
    }
}

impl std::fmt::Display for Class {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let limits = Class::LIMITS.iter().fold(0, |all, l| all | l.1.0);
        let base = Class::NAMES.iter().find(|n| n.1.0 == self.0 & !limits).map_or("?", |n| n.0);
        f.write_str(base)?;
        Class::LIMITS.iter().filter(|l| self.has(l.1)).try_for_each(|l| f.write_str(l.0))
    }
}

/// The type of an operand: `f32`, `b128`, `i8x4`, `mask`, or the name of a special immediate (`waitcnt`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// As the record writes it.
    pub name: &'static str,
    /// What its elements are.
    pub number: Number,
    /// Bits of one element; 0 for `mask` and special immediates.
    pub bits: u16,
    /// How many elements.
    pub lanes: u16,
}

/// What the elements of a type are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// IEEE numbers of 16, 32 and 64 bits, and smaller ones.
    Float,
    /// bfloat16.
    BFloat,
    /// Signed or unsigned integers and mere bits.
    Bits,
    /// One bit a lane: as wide as the wavefront.
    Mask,
    /// An immediate that is written in its own way.
    Special,
}

impl Type {
    /// Reads a type. Every name is one: what is not a number is a special immediate.
    pub fn parse(name: &'static str) -> Type {
        let number = |text: &str| {
            let split = text.find(|c: char| c.is_ascii_digit())?;
            let number = match &text[..split] {
                "f" | "fp" => Number::Float,
                "bf" => Number::BFloat,
                "b" | "u" | "i" => Number::Bits,
                _ => return None,
            };
            let (bits, lanes) = text[split..].split_once('x').unwrap_or((&text[split..], "1"));
            Some((number, bits.parse().ok()?, lanes.parse().ok()?))
        };
        let (number, bits, lanes) = match name {
            "mask" => (Number::Mask, 0, 1),
            _ => number(name).unwrap_or((Number::Special, 0, 1)),
        };
        Type { name, number, bits, lanes }
    }

    /// All its bits; 0 for `mask` and special immediates.
    #[inline]
    pub fn total(self) -> u32 {
        u32::from(self.bits) * u32::from(self.lanes)
    }
}
