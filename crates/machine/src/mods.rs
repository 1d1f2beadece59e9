//! The settings that an instruction's modifiers make, as semantic functions see them.
//!
//! `isa/words.isa` says which word makes which setting (`sets round=nearest`); [`Mods::set`] is the other half of that
//! contract. A setting means the same for every instruction; what an instruction ignores stays at its default.

use crate::Type;
use numerics::Rounding;

/// Declares an enum of one setting's values with the names that records use.
macro_rules! setting {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name { #[default] $($(#[$vdoc])* $variant),* }

        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$($name::$variant),*];

            /// The value that a record names.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some($name::$variant),)* _ => None }
            }
        }
    };
}

setting! {
    /// A comparison (`setp`, `set`, `vset`).
    Compare {
        /// Never true; no comparison was given.
        None = "none",
        /// Equal, ordered.
        Eq = "eq",
        /// Not equal, ordered.
        Ne = "ne",
        /// Less.
        Lt = "lt",
        /// Less or equal.
        Le = "le",
        /// Greater.
        Gt = "gt",
        /// Greater or equal.
        Ge = "ge",
        /// Equal or unordered.
        Equ = "equ",
        /// Not equal or unordered.
        Neu = "neu",
        /// Less or unordered.
        Ltu = "ltu",
        /// Less, equal or unordered.
        Leu = "leu",
        /// Greater or unordered.
        Gtu = "gtu",
        /// Greater, equal or unordered.
        Geu = "geu",
        /// Neither is NaN.
        Num = "num",
        /// One is NaN.
        Nan = "nan",
    }
}

setting! {
    /// What combines two values: Boolean operators, atomics, reductions, secondary operations of video instructions.
    Operation {
        /// None given.
        None = "none",
        /// Bitwise or logical and.
        And = "and",
        /// Bitwise or logical or.
        Or = "or",
        /// Bitwise or logical exclusive or.
        Xor = "xor",
        /// Sum.
        Add = "add",
        /// Increment, wrapping to zero above the operand.
        Inc = "inc",
        /// Decrement, wrapping to the operand at zero and above it.
        Dec = "dec",
        /// Lesser.
        Min = "min",
        /// Greater.
        Max = "max",
        /// Sum of numbers that keeps the payloads of NaNs.
        Sum = "sum",
        /// The operand if it is less, else the value: of NaN the value.
        Lesser = "lesser",
        /// The operand if it is greater, else the value.
        Greater = "greater",
        /// Lesser, of a number and NaN the number, and -0 less than +0.
        MinNumber = "min_number",
        /// Greater, by the same rules.
        MaxNumber = "max_number",
        /// Difference.
        Sub = "sub",
        /// The operand less the value.
        ReverseSub = "reverse_sub",
        /// Difference, zero where it would be negative.
        ClampedSub = "clamped_sub",
        /// Difference where it would not be negative.
        ConditionalSub = "conditional_sub",
        /// Exchange.
        Exch = "exch",
        /// Exchange if the operand's top bit is set, which does not count.
        ExchMarked = "exch_marked",
        /// Clear the bits of one operand, set those of another.
        MaskOr = "mask_or",
        /// Subtract one operand if the value is large enough, else add another.
        Wrap = "wrap",
        /// Compare and swap.
        Cas = "cas",
        /// Population count.
        Popc = "popc",
    }
}

setting! {
    /// Which part of a product or of a packed operand.
    Half {
        /// The whole or the low part.
        Lo = "lo",
        /// The high part.
        Hi = "hi",
        /// The full product, twice as wide.
        Wide = "wide",
    }
}

setting! {
    /// A state space.
    Space {
        /// Found from the address.
        Generic = "generic",
        /// Device memory.
        Global = "global",
        /// Memory of the CTA.
        Shared = "shared",
        /// Shared memory of any CTA of the cluster.
        SharedCluster = "shared_cluster",
        /// Memory of the thread.
        Local = "local",
        /// Constant memory.
        Const = "const",
        /// Parameters of the kernel or of a function.
        Param = "param",
        /// Parameters of the kernel.
        ParamEntry = "param_entry",
        /// Parameters of a device function.
        ParamFunc = "param_func",
    }
}

setting! {
    /// Memory ordering of an access.
    Semantics {
        /// No ordering.
        Weak = "weak",
        /// Ordered by coherence alone.
        Relaxed = "relaxed",
        /// Later accesses stay later.
        Acquire = "acquire",
        /// Earlier accesses stay earlier.
        Release = "release",
        /// Both.
        AcqRel = "acq_rel",
        /// Both, and in one order with all other such fences.
        Sc = "sc",
        /// Relaxed, at system scope, never merged or removed.
        Volatile = "volatile",
        /// Memory-mapped input and output.
        Mmio = "mmio",
    }
}

setting! {
    /// Who takes part in an ordering.
    Scope {
        /// Unsaid.
        Unsaid = "unsaid",
        /// Threads of the CTA.
        Cta = "cta",
        /// Threads of the cluster.
        Cluster = "cluster",
        /// Threads of the device.
        Gpu = "gpu",
        /// Everyone.
        Sys = "sys",
    }
}

setting! {
    /// The variant of an instruction whose words mean something to it alone.
    Mode {
        /// None given.
        None = "none",
        /// shf: amounts above 31 wrap.
        Wrap = "wrap",
        /// shf: amounts above 31 act as 32.
        Clamp = "clamp",
        /// shfl: from a lower lane.
        Up = "up",
        /// shfl: from a higher lane.
        Down = "down",
        /// shfl: lane index exclusive-or.
        Bfly = "bfly",
        /// shfl: by index.
        Idx = "idx",
        /// vote: all true.
        All = "all",
        /// vote: any true.
        Any = "any",
        /// vote: all the same.
        Uni = "uni",
        /// vote: the mask of those true.
        Ballot = "ballot",
        /// prmt: four bytes forward.
        F4e = "f4e",
        /// prmt: four bytes backward.
        B4e = "b4e",
        /// prmt: replicate one byte.
        Rc8 = "rc8",
        /// prmt: edge clamp left.
        Ecl = "ecl",
        /// prmt: edge clamp right.
        Ecr = "ecr",
        /// prmt: replicate one half.
        Rc16 = "rc16",
        /// vmad: the sum is shifted right by 7.
        Shr7 = "shr7",
        /// vmad: the sum is shifted right by 15.
        Shr15 = "shr15",
        /// testp: finite.
        Finite = "finite",
        /// testp: infinite.
        Infinite = "infinite",
        /// testp: a number.
        Number = "number",
        /// testp: not a number.
        NotANumber = "notanumber",
        /// testp: normal.
        Normal = "normal",
        /// testp: subnormal.
        Subnormal = "subnormal",
        /// Tensors: the box at the coordinates.
        Tile = "tile",
        /// Tensors: four rows into one box.
        Gather4 = "tile::gather4",
        /// Tensors: one box into four rows.
        Scatter4 = "tile::scatter4",
        /// Tensors: pixels of images as rows.
        Im2col = "im2col",
        /// Tensors: the same without offsets.
        Im2colNoOffs = "im2col_no_offs",
        /// Tensors: pixels along W as rows.
        Im2colW = "im2col::w",
        /// Tensors: the same without offsets.
        Im2colNoOffsW = "im2col_no_offs::w",
        /// Tensors: 128 pixels along W as rows.
        Im2colW128 = "im2col::w::128",
        /// tensormap.replace: where the tensor is.
        GlobalAddress = "global_address",
        /// tensormap.replace: how many dimensions it has.
        Rank = "rank",
        /// tensormap.replace: a dimension of the box.
        BoxDim = "box_dim",
        /// tensormap.replace: a dimension of the tensor.
        GlobalDim = "global_dim",
        /// tensormap.replace: bytes from one element of a dimension to the next.
        GlobalStride = "global_stride",
        /// tensormap.replace: elements from one of the box to the next.
        ElementStride = "element_stride",
        /// tensormap.replace: type of the elements.
        Elemtype = "elemtype",
        /// tensormap.replace: layout of slices.
        InterleaveLayout = "interleave_layout",
        /// tensormap.replace: pattern in shared memory.
        SwizzleMode = "swizzle_mode",
        /// tensormap.replace: what stays together in the pattern.
        SwizzleAtomicity = "swizzle_atomicity",
        /// tensormap.replace: what stands outside of the tensor.
        FillMode = "fill_mode",
    }
}

setting! {
    /// What an asynchronous copy looks for in its data, to report it to a memory barrier object (PTX ISA 9.4, 9.7.10.28.1.3).
    Report {
        /// Nothing.
        None = "mbarrier::report::disabled",
        /// A sampled element of each 16 bytes that is negative zero, of 32 bits.
        Zero32 = "mbarrier::report::validity::per_16bytes::80000000",
        /// The same of 16 bits.
        Zero16 = "mbarrier::report::validity::per_16bytes::8000",
        /// The same of 8 bits.
        Zero8 = "mbarrier::report::validity::per_16bytes::80",
        /// The same of 4 bits.
        Zero4 = "mbarrier::report::validity::per_16bytes::8",
        /// A byte that has all bits set.
        Ones = "mbarrier::report::validity::per_element::ff",
    }
}

impl Report {
    /// Whether data has what is looked for. Which element is sampled is left open; here it is the first of each 16 bytes.
    pub fn finds(self, data: &[u8]) -> bool {
        let sample = |found: fn(&[u8]) -> bool| data.chunks_exact(16).any(found);
        match self {
            Report::None => false,
            Report::Zero32 => sample(|chunk| chunk[..4] == [0, 0, 0, 0x80]),
            Report::Zero16 => sample(|chunk| chunk[..2] == [0, 0x80]),
            Report::Zero8 => sample(|chunk| chunk[0] == 0x80),
            Report::Zero4 => sample(|chunk| chunk[0] & 0xf == 8),
            Report::Ones => data.contains(&0xff),
        }
    }
}

setting! {
    /// A number format of packed operands, where the register type does not tell.
    Format {
        /// As the register type says.
        Register = "register",
        /// IEEE half.
        F16 = "f16",
        /// Upper half of an f32.
        Bf16 = "bf16",
        /// f32 with 10 fraction bits.
        Tf32 = "tf32",
        /// Single.
        F32 = "f32",
        /// 8 bits: 4 exponent, 3 fraction; no infinity.
        E4m3 = "e4m3",
        /// 8 bits: 5 exponent, 2 fraction.
        E5m2 = "e5m2",
        /// 8 bits: 4 exponent, 3 fraction; bits of negative zero are NaN.
        E4m3Fnuz = "e4m3fnuz",
        /// 8 bits: 5 exponent, 2 fraction; bits of negative zero are NaN.
        E5m2Fnuz = "e5m2fnuz",
        /// 6 bits: 2 exponent, 3 fraction.
        E2m3 = "e2m3",
        /// 6 bits: 3 exponent, 2 fraction.
        E3m2 = "e3m2",
        /// 4 bits: 2 exponent, 1 fraction.
        E2m1 = "e2m1",
        /// 8 bits of exponent.
        Ue8m0 = "ue8m0",
        /// 8 bits, unsigned: 5 exponent, 3 fraction.
        Ue5m3 = "ue5m3",
        /// 4 bits in a byte: 2 exponent, 1 fraction.
        E2m1p4 = "e2m1p4",
        /// 8 bits of fixed point: 2 integer bits, the sign among them, 6 fraction bits.
        S2f6 = "s2f6",
        /// Unsigned, 2 bits.
        U2 = "u2",
        /// Signed, 2 bits.
        S2 = "s2",
        /// Unsigned, 4 bits.
        U4 = "u4",
        /// Signed, 4 bits.
        S4 = "s4",
        /// Unsigned, 8 bits.
        U8 = "u8",
        /// Signed, 8 bits.
        S8 = "s8",
        /// Unsigned, 16 bits.
        U16 = "u16",
        /// Signed, 16 bits.
        S16 = "s16",
    }
}

/// Settings that are on or off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Flags(u32);

/// Names of the flags; the position is the bit.
const FLAGS: [&str; 29] = [
    "ftz",
    "sat",
    "satfinite",
    "relu",
    "abs",
    "nan",
    "xorsign",
    "noftz",
    "approx",
    "full",
    "shiftamt",
    "neg_product",
    "neg_c",
    "aligned",
    "integral",
    "uniform",
    "pzo",
    "drop",
    "incomplete",
    "reports",
    "reading",
    "noinc",
    "conditional",
    "multicast",
    "pair",
    "unaligned",
    "signalling",
    "ftz_sources",
    "ftz_results",
];

/// The settings of one instruction: plain data, all defaults zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Mods {
    pub(crate) flags: Flags,
    /// Rounding of the result; nearest even where the instruction says nothing.
    pub round: Rounding,
    /// Comparison.
    pub compare: Compare,
    /// Combining operation.
    pub op: Operation,
    /// Part of the product or operand.
    pub half: Half,
    /// State space of the address; of what is written, where there are several.
    pub space: Space,
    /// State space of what an asynchronous copy reads.
    pub source: Space,
    /// Type of the elements of a range.
    pub element: Option<Type>,
    /// What an asynchronous copy reports on the data that it moves.
    pub report: Report,
    /// Memory ordering.
    pub sem: Semantics,
    /// Scope of the ordering.
    pub scope: Scope,
    /// Variant.
    pub mode: Mode,
    /// Format of the packed result.
    pub to: Format,
    /// Format of the packed source.
    pub from: Format,
    /// Format of a second packed source.
    pub from2: Format,
    /// What a video instruction takes from its first source.
    pub asel: Selector,
    /// What a video instruction takes from its second source.
    pub bsel: Selector,
    /// Where a video instruction writes.
    pub dsel: Selector,
}

/// Bytes or half-words that a video instruction picks: `b2`, `h1`, `b7654`, `h10`; none without a selector.
///
/// Twelve bits of positions, three each, the rightmost digit lowest; three bits for how many; the top bit for half-words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selector(u16);

impl Selector {
    /// The value that a record names: `b` or `h` and up to four digits.
    pub fn parse(word: &str) -> Option<Self> {
        let (unit, digits) = word.split_at_checked(1)?;
        let half_words = match unit {
            "b" => 0,
            "h" => 1 << 15,
            _ => return None,
        };
        if !(1..=4).contains(&digits.len()) || !digits.bytes().all(|d| (b'0'..b'8').contains(&d)) {
            return None;
        }
        let positions = digits.bytes().fold(0, |all, d| all << 3 | u16::from(d - b'0'));
        Some(Selector(half_words | (digits.len() as u16) << 12 | positions))
    }

    /// How many positions are given; 0 where there is no selector.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        (self.0 >> 12 & 7) as u32
    }

    /// Whether the positions are those of half-words, not bytes.
    #[inline(always)]
    pub const fn half_words(self) -> bool {
        self.0 >> 15 != 0
    }

    /// Position `i`, counted from the rightmost digit.
    #[inline(always)]
    pub const fn position(self, i: u32) -> u32 {
        (self.0 >> (3 * i) & 7) as u32
    }
}

/// Makes one accessor a flag.
macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $bit:literal),* $(,)?) => {
        impl Mods { $($(#[$doc])* #[inline(always)] pub const fn $name(self) -> bool { self.flags.0 >> $bit & 1 != 0 })* }
    };
}

flags! {
    /// Flush subnormal inputs and results.
    ftz = 0,
    /// Clamp: integers to their range, floats to [0, 1].
    sat = 1,
    /// Overflow gives the greatest finite number.
    satfinite = 2,
    /// Negative results and NaN become zero.
    relu = 3,
    /// Use absolute values.
    abs = 4,
    /// NaN wins in min and max.
    nan = 5,
    /// The result's sign is the exclusive or of the inputs' signs.
    xorsign = 6,
    /// Subnormals are kept (atomics).
    noftz = 7,
    /// The fast approximation.
    approx = 8,
    /// The approximation over the full range (`div.full`).
    full = 9,
    /// bfind: how far to shift instead of where.
    shiftamt = 10,
    /// The product is negated: exactly one of its factors has a minus.
    neg_product = 11,
    /// The addend is negated.
    neg_c = 12,
    /// All threads of the warp execute the instruction together.
    aligned = 13,
    /// Round to an integral value (`round` says how).
    integral = 14,
    /// Declared uniform by the program.
    uniform = 15,
    /// Negative zero becomes positive zero.
    pzo = 16,
    /// Later phases of a memory barrier object expect fewer arrivals.
    drop = 17,
    /// The arrival does not end the phase.
    incomplete = 18,
    /// A memory barrier object keeps what asynchronous operations report.
    reports = 19,
    /// It is enough that sources have been read.
    reading = 20,
    /// The count of arrivals does not grow beforehand.
    noinc = 21,
    /// The phase of a memory barrier object that reports end.
    conditional = 22,
    /// For all blocks of the cluster.
    multicast = 23,
    /// Of a pair of blocks one has the memory barrier object.
    pair = 24,
    /// Elements may lie at any address.
    unaligned = 25,
    /// A signalling NaN is the result of min and max, made quiet (AMD's IEEE mode).
    signalling = 26,
}

impl Mods {
    /// Whether subnormal sources count as zero: those alone (AMD's MODE), or all subnormal numbers.
    #[inline(always)]
    pub const fn flushes_sources(self) -> bool {
        self.flags.0 & (1 | 1 << 27) != 0
    }

    /// Whether subnormal results become zero: those alone, or all subnormal numbers.
    #[inline(always)]
    pub const fn flushes_results(self) -> bool {
        self.flags.0 & (1 | 1 << 28) != 0
    }

    /// The same with one setting made: `key` alone for a flag, `key` and a value otherwise.
    ///
    /// # Errors
    /// An unknown key or value, in words for the person who wrote the record.
    pub fn set(&mut self, key: &str, value: Option<&str>) -> Result<(), String> {
        let Some(value) = value else {
            // The sign of a product is that of its factors together.
            if let "neg_a" | "neg_b" = key {
                self.flags.0 ^= 1 << 11;
                return Ok(());
            }
            let bit = FLAGS.iter().position(|flag| *flag == key).ok_or_else(|| format!("no setting is called {key}"))?;
            self.flags.0 |= 1 << bit;
            return Ok(());
        };
        let known = match key {
            "round" => set(&mut self.round, rounding(value)),
            "integral" => {
                self.set("integral", None)?;
                set(&mut self.round, rounding(value))
            }
            "compare" => set(&mut self.compare, comparison(value)),
            "op" => set(&mut self.op, Operation::parse(value)),
            "half" => set(&mut self.half, Half::parse(value)),
            "space" => set(&mut self.space, Space::parse(value)),
            "source" => set(&mut self.source, Space::parse(value)),
            "report" => set(&mut self.report, Report::parse(value)),
            "element" => set(&mut self.element, Type::parse(value).map(Some)),
            "sem" => set(&mut self.sem, Semantics::parse(value)),
            "scope" => set(&mut self.scope, Scope::parse(value)),
            "mode" => set(&mut self.mode, Mode::parse(value)),
            "to" => set(&mut self.to, format(value)),
            // Types of registers stand for themselves.
            "numbers" => {
                self.from = format(value).unwrap_or_default();
                true
            }
            "between" => set(&mut self.to, value.strip_prefix("acc::").and_then(format)),
            "from" => set(&mut self.from, format(value)),
            "from2" => set(&mut self.from2, format(value)),
            "asel" => set(&mut self.asel, Selector::parse(value)),
            "bsel" => set(&mut self.bsel, Selector::parse(value)),
            "dsel" => set(&mut self.dsel, Selector::parse(value)),
            _ => return Err(format!("no setting is called {key}")),
        };
        if known { Ok(()) } else { Err(format!("{key} cannot be {value}")) }
    }
}

fn set<T>(place: &mut T, value: Option<T>) -> bool {
    match value {
        Some(value) => {
            *place = value;
            true
        }
        None => false,
    }
}

/// The format of the elements: `e4m3x4` and `e4m3` are the same, the register tells how many there are.
fn format(word: &str) -> Option<Format> {
    let element = ["x2", "x4"].iter().find_map(|lanes| word.strip_suffix(lanes));
    Format::parse(element.unwrap_or(word))
}

/// `lo`, `ls`, `hi`, `hs` are the orderings of unsigned integers, which the types tell.
fn comparison(word: &str) -> Option<Compare> {
    Compare::parse(match word {
        "lo" => "lt",
        "ls" => "le",
        "hi" => "gt",
        "hs" => "ge",
        other => other,
    })
}

fn rounding(word: &str) -> Option<Rounding> {
    Some(match word {
        "nearest" => Rounding::NearestEven,
        "away" => Rounding::NearestAway,
        "zero" => Rounding::TowardZero,
        "down" => Rounding::Down,
        "up" => Rounding::Up,
        _ => return None,
    })
}
