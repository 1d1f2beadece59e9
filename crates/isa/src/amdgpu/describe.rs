//! Operands in words, for pages and for what assemblers say of a wrong one.

use super::words::Words;
use super::{Class, Number, Operand, Type};

/// What an operand can be.
const KINDS: [(Class, &str); 8] = [
    (Class::V, "vector register"),
    (Class::A, "accumulation register"),
    (Class::S, "scalar register"),
    (Class::CONSTANT, "inline constant"),
    (Class::LITERAL, "literal"),
    (Class::LDS, "LDS through M0"),
    (Class::IMMEDIATE, "number"),
    (Class::K, "constant that follows the instruction"),
];

/// What it cannot be.
const LIMITS: [(Class, &str); 5] = [
    (Class::NOT_M0, "not m0"),
    (Class::NOT_EXEC, "not exec"),
    (Class::NOT_NULL, "not null"),
    (Class::NOT_HALF, "a whole register"),
    (Class::NOT_HIGH, "of the lower half of the registers"),
];

impl Operand {
    /// What an operand can be, and what it holds: `vector register: floating-point number, 32 bits; may be negated or absolute`.
    pub fn describe(&self, words: &Words) -> String {
        if self.class.has(Class::TEXT) {
            return format!("always `{}`", self.name);
        }
        let kinds: Vec<&str> = KINDS.iter().filter(|k| self.class.has(k.0)).map(|k| k.1).collect();
        let limits: String = LIMITS.iter().filter(|l| self.class.has(l.0)).map(|l| format!(", {}", l.1)).collect();
        let signs = match (self.float_modifiers, self.integer_modifiers) {
            (true, _) => "; may be negated or absolute",
            (_, true) => "; its sign may be extended",
            _ => "",
        };
        format!("{}{limits}: {}{signs}", kinds.join(" or "), self.ty.describe(words))
    }
}

impl Type {
    /// What a value of the type is: `2 times floating-point number, 16 bits each`.
    pub fn describe(&self, words: &Words) -> String {
        let what = match self.number {
            Number::Float if self.bits < 16 => "floating-point number of few bits",
            Number::Float => "floating-point number",
            Number::BFloat => "bfloat16 number",
            Number::Bits if self.name.starts_with('u') => "unsigned integer",
            Number::Bits if self.name.starts_with('i') => "signed integer",
            Number::Bits => "bits",
            Number::Mask => return "one bit for each lane".to_owned(),
            Number::Special => {
                let known = words.immediates.iter().find(|i| i.name == self.name);
                return known.map_or_else(|| self.name.to_owned(), |i| i.title.to_owned());
            }
        };
        match (self.lanes, what) {
            (1, "bits") => format!("{} bits", self.bits),
            (n, "bits") => format!("{n} times {} bits", self.bits),
            (1, _) => format!("{what}, {} bits", self.bits),
            (n, _) => format!("{n} times {what}, {} bits each", self.bits),
        }
    }
}
