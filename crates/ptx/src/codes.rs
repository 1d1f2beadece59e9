//! The codes of syntax errors and what `lockstep explain` says about each.

/// What a code means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Such as `E0006`.
    pub code: &'static str,
    /// The rule in a few words.
    pub title: &'static str,
    /// The rule in a paragraph, with an example where one helps.
    pub text: &'static str,
}

/// The explanation of a code, upper or lower case.
pub fn explanation(code: &str) -> Option<&'static Explanation> {
    EXPLANATIONS.iter().find(|explanation| explanation.code.eq_ignore_ascii_case(code))
}

pub(crate) const NOT_PTX: &str = "E0001";
pub(crate) const HEADER: &str = "E0002";
pub(crate) const STRAY: &str = "E0003";
pub(crate) const UNTERMINATED: &str = "E0004";
pub(crate) const UNEXPECTED: &str = "E0005";
pub(crate) const SEMICOLON: &str = "E0006";
pub(crate) const UNCLOSED: &str = "E0007";
pub(crate) const UNOPENED: &str = "E0008";
pub(crate) const DIRECTIVE: &str = "E0009";
pub(crate) const MISPLACED: &str = "E0010";
pub(crate) const NUMBER: &str = "E0011";
pub(crate) const CONSTANT: &str = "E0012";
pub(crate) const NESTING: &str = "E0013";
pub(crate) const TYPE: &str = "E0014";
pub(crate) const RANGE: &str = "E0015";
pub(crate) const TOO_LONG: &str = "E0016";

/// Every syntax error, in order of code.
pub const EXPLANATIONS: &[Explanation] = &[
    Explanation {
        code: NOT_PTX,
        title: "the file is not PTX",
        text: "A PTX module is a text that begins with `.version`, apart from comments and blank lines. This file is \
               something else: perhaps a compiled object (a cubin or fatbin, from which `cuobjdump -ptx` extracts the \
               PTX), or the source of another language (`nvcc -ptx` and `clang -S` make PTX of it).",
    },
    Explanation {
        code: HEADER,
        title: "`.version`, `.target` or `.address_size` is missing, repeated or in the wrong place",
        text: "A module begins with `.version MAJOR.MINOR`, then `.target SPECIFIER, ...`, then, if addresses have 64 \
               bits, `.address_size 64`; each once and before everything else (PTX ISA 11.1):\n\n    \
               .version 8.7\n    .target sm_90\n    .address_size 64",
    },
    Explanation {
        code: STRAY,
        title: "a character that begins nothing",
        text: "PTX is written in ASCII. Outside comments and strings only letters, digits, `_ $ % .` and the operators \
               and brackets of the language may stand (PTX ISA 4.1). Names begin with a letter, or with `_`, `$` or `%` \
               and at least one more character (PTX ISA 4.4).",
    },
    Explanation {
        code: UNTERMINATED,
        title: "a string or comment without its end",
        text: "A string ends at the next `\"`; there are no escapes in it. A comment that begins with `/*` ends at the \
               next `*/`; such comments do not nest (PTX ISA 4.2).",
    },
    Explanation {
        code: UNEXPECTED,
        title: "something else was expected here",
        text: "The text departs from the grammar of PTX at this place. The message says what could have followed. The \
               statement is left out of the tree and the parser goes on behind it.",
    },
    Explanation {
        code: SEMICOLON,
        title: "a semicolon is missing",
        text: "Every instruction, declaration and `.pragma` ends with `;`. Labels, `.loc`, `.file`, `.section` and the \
               module's header do not.",
    },
    Explanation {
        code: UNCLOSED,
        title: "a bracket is never closed",
        text: "The body of a function, a nested scope, an initialiser, a vector or an address was opened and its closing \
               bracket is missing. Functions cannot be defined inside functions, so a `.entry` or `.func` inside a body \
               shows that the body before it was not closed.",
    },
    Explanation {
        code: UNOPENED,
        title: "a closing bracket without an opening one",
        text: "There is one `}` too many, or the `{` that belongs to it is missing or was part of a statement that could \
               not be read.",
    },
    Explanation {
        code: DIRECTIVE,
        title: "an unknown directive",
        text: "PTX has no directive of this name (PTX ISA, chapter 11, and the state spaces of chapter 5). Names are case \
               sensitive: all of them are in lower case.",
    },
    Explanation {
        code: MISPLACED,
        title: "a directive in the wrong place",
        text: "The directive exists, but not here: performance directives such as `.maxntid` stand between a kernel's \
               parameters and its body, `.section` and functions at module scope, `.loc` and `.branchtargets` in bodies, \
               linking directives such as `.visible` before declarations at module scope.",
    },
    Explanation {
        code: NUMBER,
        title: "a malformed number",
        text: "Integers are decimal, hexadecimal (0x1f), octal (017) or binary (0b101) and may end in U. The bits of a \
               float are given as 0f and exactly 8 hexadecimal digits, of a double as 0d and exactly 16. Other numbers are \
               decimal, with a point, an exponent or both (PTX ISA 4.5).",
    },
    Explanation {
        code: CONSTANT,
        title: "a constant expression that has no value",
        text: "Operators on integers do not take floating-point operands, both sides of an operator are of the same kind, \
               casts are `(.s64)` and `(.u64)` only, a divisor is not zero, and the literals 0f... and 0d... take part in no \
               expression (PTX ISA 4.5.6).",
    },
    Explanation {
        code: NESTING,
        title: "nested too deeply",
        text: "Scopes nest at most 200 deep here, and parentheses and initialisers 100. No program needs more; the bound \
               keeps a malicious file from exhausting the stack.",
    },
    Explanation {
        code: TYPE,
        title: "not a type",
        text: "A declaration names a fundamental type (`.u32`, `.f64`, `.b8`, `.pred` ...) or an opaque one (`.texref`, \
               `.samplerref`, `.surfref`); vectors put `.v2`, `.v4` or `.v8` before it (PTX ISA 5.2 to 5.4).",
    },
    Explanation {
        code: RANGE,
        title: "a number out of range",
        text: "The number is well formed but not one that may stand here: an alignment is a power of two, a count of \
               registers is at least 1, sizes are not negative.",
    },
    Explanation { code: TOO_LONG, title: "the file is too long", text: "Files of 4 GiB and more are not read." },
];
