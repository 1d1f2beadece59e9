//! Registers, their values, and random numbers.

/// A class of registers: its letter, type, width and number.
pub struct Class {
    pub letter: char,
    pub ty: &'static str,
    pub bits: u32,
    pub first: usize,
    pub count: usize,
}

const fn class(letter: char, ty: &'static str, bits: u32, first: usize, count: usize) -> Class {
    Class { letter, ty, bits, first, count }
}

/// Registers are numbered through; few of each, so that they are often written again.
pub const CLASSES: [Class; 5] = [
    class('p', "pred", 1, 0, 6),
    class('h', "b16", 16, 6, 8),
    class('w', "b32", 32, 14, 12),
    class('l', "b64", 64, 26, 8),
    class('q', "b128", 128, 34, 3),
];
pub const PREDICATES: &Class = &CLASSES[0];
pub const WORDS: &Class = &CLASSES[2];
/// The carry flag, as a register.
pub const CARRY: usize = 37;
pub const REGISTERS: usize = 38;
/// Inputs of a thread: what registers hold at first, and as many fresh values of the same classes.
pub const ROWS: usize = 2 * REGISTERS;
/// Bytes of a value in memory.
pub const SLOT: usize = 16;

pub fn class_of(register: usize) -> &'static Class {
    CLASSES.iter().find(|c| register < c.first + c.count).unwrap_or(PREDICATES)
}

pub fn name(register: usize) -> String {
    let class = class_of(register);
    format!("%{}{}", class.letter, register - class.first)
}

/// Bits below `width`.
pub fn low(bits: u128, width: u32) -> u128 {
    bits & (u128::MAX >> (128 - width))
}

/// The low `from` bits, sign- or zero-extended, cut to `to`.
pub fn resize(bits: u128, from: u32, to: u32, signed: bool) -> u128 {
    let bits = low(bits, from);
    let extended = if signed { ((bits << (128 - from)) as i128 >> (128 - from)) as u128 } else { bits };
    low(extended, to)
}

/// SplitMix64 (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub fn register(&mut self, class: &Class) -> usize {
        class.first + self.below(class.count)
    }

    /// A value of so many bits: any, small, or at an edge of an integer or floating-point format; wide ones also in parts.
    pub fn value(&mut self, bits: u32) -> u128 {
        let wide = u128::from(self.next()) << 64 | u128::from(self.next());
        let value = match self.below(6) {
            0 => wide,
            1 => (wide & 0x3f).wrapping_sub(16),
            2 if bits > 16 => self.value(bits / 2) << (bits / 2) | self.value(bits / 2),
            3 => 1 << (wide % u128::from(bits)),
            _ => edge(bits, wide),
        };
        low(value, bits)
    }
}

/// Zero, least, greatest, infinity, NaN, subnormal or near one, with a random sign.
fn edge(bits: u32, random: u128) -> u128 {
    let mantissa = match bits {
        16 if random & 0x100 != 0 => 7,
        16 => 10,
        32 => 23,
        64 => 52,
        _ => return if random & 1 == 0 { 0 } else { u128::MAX },
    };
    let (sign, infinity) = (1u128 << (bits - 1), low(u128::MAX, bits - 1) >> mantissa << mantissa);
    let one = infinity >> 1 & infinity;
    let fraction = random >> 16 & ((1 << mantissa) - 1);
    let magnitude = match random >> 4 & 0xf {
        0 | 1 => 0,
        2 => 1,
        3 => sign - 1,
        4 => infinity,
        5 => infinity | 1,
        6 => infinity | 1 << (mantissa - 1) | fraction,
        7 => fraction,
        8 => infinity - 1,
        9 => one,
        10 => 1 << mantissa,
        11 => (1 << mantissa) - 1,
        _ => one.wrapping_add(fraction).wrapping_sub((random >> 100 & 7) << mantissa),
    };
    magnitude ^ if random & 1 == 0 { 0 } else { sign }
}
