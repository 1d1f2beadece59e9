//! The records of AMD's machine code: targets, encodings, instructions.
//!
//! [`Table::get`] reads the records of `isa/amdgpu`, whose notation `isa/README.md` fixes. A [`Form`] is one encoding of an
//! instruction with its opcode on each target, the operands in the order of the text, and the modifiers after them. Facts only: words
//! and text are made of them by crate `amdgpu`.

mod class;
mod describe;
pub mod descriptor;
mod effect;
pub mod hazards;
pub mod image;
mod read;
mod record;
mod records;
mod target;
pub mod words;

use std::path::Path;
use std::sync::OnceLock;

use crate::table;
use crate::text::{Place, Problems, Source, Text};

pub use class::{Class, Number, Type};
pub use effect::{Condition, Effect, has_float};
pub use records::{Coded, Records};
pub use target::{Target, Targets};

/// Everything of `isa/amdgpu` that describes instructions.
#[derive(Debug, Default)]
pub struct Table {
    /// The files that were read.
    pub sources: Vec<Source>,
    /// Names of targets; a [`Target`] is an index.
    pub targets: Vec<Text>,
    /// Names of groups of targets, and of features, with the targets they stand for.
    pub groups: Vec<(Text, Targets)>,
    /// Names of the fields of encodings; a [`Field`] is an index.
    pub fields: Vec<Text>,
    /// What the numbers in operand fields mean.
    pub registers: Registers,
    /// Registers that instructions read and write without an operand for them: names and titles.
    pub states: Vec<(Text, Text)>,
    /// The dimensions of images.
    pub dimensions: Vec<image::Dimension>,
    /// All encodings.
    pub encodings: Vec<Encoding>,
    /// What instructions are for: names and titles.
    pub functional_groups: Vec<(Text, Text)>,
    /// All instructions, in the order of the files.
    pub instructions: Vec<Instruction>,
}

/// What the numbers in operand fields of nine bits mean.
#[derive(Debug, Default)]
pub struct Registers {
    /// Registers with numbers: name, first number, how many, targets.
    pub ranges: Vec<(Text, u16, u16, Targets)>,
    /// How many registers of a range there are for tuples that begin at one with a number: name, how many, targets.
    pub reaches: Vec<(Text, u16, Targets)>,
    /// Registers with names: name, number, words of 32 bits, targets.
    pub names: Vec<(Text, u16, u8, Targets)>,
    /// Those that only operands can be that can be constants: number and words of 32 bits.
    pub sources: Vec<(u16, u8)>,
    /// Integer constants: first number, its value, how many, and by how much each differs from the one before.
    pub integers: Vec<(u16, i32, u16, i32)>,
    /// Other names of registers, which are read and not printed: name, and the name that is printed.
    pub synonyms: Vec<(Text, Text)>,
    /// Names of registers that no target has: an assembler takes them for nothing else.
    pub foreign: Vec<Text>,
    /// How many registers of a range make a tuple, where not every number does.
    pub widths: Vec<(Text, Vec<u16>)>,
    /// Real constants: number and value as it is written.
    pub reals: Vec<(u16, Text)>,
}

/// A field of an encoding: an index into [`Table::fields`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Field(pub u16);

/// Four operands by their names, in the order of the fields of SET_VGPR_MSB: usually src0, src1, src2 and the destination; empty for none.
pub type Banks = [Text; 4];

/// One way to lay out an instruction's bits, with a layout for each family of targets.
#[derive(Debug)]
pub struct Encoding {
    /// Its name in records, `vop3`.
    pub name: Text,
    /// What it is, one line.
    pub title: Text,
    /// What the name of an instruction may end with to ask for this encoding, `_e64`; empty if there is none.
    pub suffix: Text,
    /// Among which of LLVM's variants of the assembler it is.
    pub variant: Variant,
    /// Its layouts; their targets do not overlap.
    pub layouts: Vec<Layout>,
    /// What fields of modifiers hold that are not written, if not zero.
    pub defaults: Vec<(Field, u64)>,
    /// Fields that nobody reads in forms that do not use them.
    pub free: Vec<Field>,
    /// What fields hold that a form does not use, if not zero.
    pub idle: Vec<(Field, u64)>,
    /// What LLVM 24 writes there, if that is something else.
    pub spare: Vec<(Field, u64)>,
    /// What an operand in a field can be, unless a record says less.
    pub holds: Vec<(Field, Class)>,
    /// What its instructions read and write: operands and registers without one.
    pub reads: Vec<Effect>,
    /// See `reads`.
    pub writes: Vec<Effect>,
    /// Targets on which an operand of 16 bits is half a register.
    pub halves: Targets,
    /// Where `va` means accumulation registers, too, if that is not everywhere.
    pub accumulators: Option<Targets>,
    /// The operands that a form needs to scale its offset (`scale_offset`), if there are such forms.
    pub scaled: Vec<Field>,
    /// The operands whose registers have high bits, or an index, of their own.
    pub banks: Banks,
    /// Facts of all its forms.
    pub facts: Text,
    /// Where an assembler takes no constants for a field though there is room for them.
    pub unconstant: Vec<(Field, Targets)>,
    /// Words that are those of modifiers, though registers have the same names elsewhere, and where they are.
    pub reserved: Vec<(Text, Targets)>,
    /// Targets on which the highest bit of its field `offset` must be zero, though it is none of a sign.
    pub positive: Targets,
    /// Targets on which its field `offset` is signed.
    pub signed: Targets,
    /// The modifiers that it has room for, in the order in which they are printed; `*` marks those of every instruction.
    pub modifiers: Vec<Text>,
    /// Where it stands in the table.
    pub place: Place,
}

/// The variants of LLVM's assembler, in the order in which it tries them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variant {
    /// What has no other, and the short encodings of vector instructions: `_e32`.
    #[default]
    Default,
    /// `_e64`
    Vop3,
    /// `_sdwa`
    Sdwa,
    /// `_dpp`
    Dpp,
    /// `_e64_dpp`
    Vop3Dpp,
}

impl Variant {
    /// All, by the names that records give them.
    pub const NAMES: [(&str, Variant); 5] = [
        ("default", Variant::Default),
        ("vop3", Variant::Vop3),
        ("sdwa", Variant::Sdwa),
        ("dpp", Variant::Dpp),
        ("vop3-dpp", Variant::Vop3Dpp),
    ];
}

impl Encoding {
    /// The layout on a target.
    pub fn layout(&self, target: Target) -> Option<&Layout> {
        self.layouts.iter().find(|l| l.targets.has(target))
    }

    /// What an operand in a field can be.
    pub fn class(&self, field: Field) -> Option<Class> {
        self.holds.iter().find(|h| h.0 == field).map(|h| h.1)
    }
}

/// The bits of an encoding on some targets.
#[derive(Debug)]
pub struct Layout {
    /// The targets.
    pub targets: Targets,
    /// How many bits it has: 32, 64, 96 or 128.
    pub bits: u32,
    /// All bits, the highest first.
    pub pieces: Vec<Piece>,
}

/// Some neighbouring bits of a layout.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The lowest bit.
    pub low: u8,
    /// How many bits.
    pub width: u8,
    /// What they hold.
    pub content: Content,
}

/// What bits of a layout hold.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    /// Always these.
    Fixed(u64),
    /// Nobody reads them.
    Ignored,
    /// A field, from this bit of its value on.
    Field(Field, u8),
}

/// One record: an instruction in all its encodings.
#[derive(Debug)]
pub struct Instruction {
    /// Its mnemonic without suffix.
    pub name: Text,
    /// What it does, one line.
    pub title: Text,
    /// What it is for, to search and to order pages by: an index into [`Table::functional_groups`].
    pub group: Option<usize>,
    /// Its encodings.
    pub forms: Vec<Form>,
    /// What operands hold where their types, which say what may be written, do not tell: operand and format.
    pub formats: Vec<(Text, Text)>,
    /// What it reads and writes otherwise than its encodings say.
    pub reads: Vec<Effect>,
    /// See `reads`.
    pub writes: Vec<Effect>,
    /// Its operands with high bits of their own, if they are others than those of its encodings.
    pub banks: Option<Banks>,
    /// Whether its operands take no index from M0 as others do (gfx9): which one the manual's special cases mean for it is not known here.
    pub unindexed: bool,
    /// How many registers it has, if it is an image instruction.
    pub image: Option<image::Image>,
    /// What does it, on which targets; the first that holds counts. None: it is not executable yet.
    pub run: Vec<Run>,
    /// The bound of what is not to the bit.
    pub fidelity: Option<Text>,
    /// Other names, with the targets that take them.
    pub aliases: Vec<(Text, Targets)>,
    /// Where the facts come from.
    pub src: Vec<Text>,
    /// Where sources disagree.
    pub doubt: Vec<Text>,
    /// What a reader must know.
    pub note: Vec<Text>,
    /// Where it stands in the table.
    pub place: Place,
}

/// The semantic function of an instruction.
#[derive(Clone, Debug)]
pub struct Run {
    /// The targets for which it holds.
    pub targets: Targets,
    /// `module::function`.
    pub function: Text,
    /// Settings beyond those that operands and modifiers make: names and values, empty for flags.
    pub settings: Vec<(Text, Text)>,
}

impl Run {
    /// The value of a setting, empty for a flag; nothing without it.
    pub fn setting(&self, name: &str) -> Option<Text> {
        self.settings.iter().find(|setting| setting.0 == name).map(|setting| setting.1)
    }
}

impl Instruction {
    /// What does it on a target.
    pub fn run_on(&self, target: Target) -> Option<&Run> {
        self.run.iter().find(|run| run.targets.has(target))
    }
}

/// An instruction in one encoding.
#[derive(Debug)]
pub struct Form {
    /// Index into [`Table::encodings`].
    pub encoding: usize,
    /// The opcode, by targets.
    pub opcodes: Vec<(Targets, u32)>,
    /// The operands in the order of the text. Forms with the same line have the same list.
    pub operands: &'static [Operand],
    /// The modifiers after the operands, in the order in which they are printed.
    pub modifiers: &'static [Text],
    /// Fields that have one value in this form, or some bits of them: field, value, and which bits.
    pub fixed: Vec<(Field, u64, u64)>,
    /// What an assembler wants fields to hold, as `fixed`; what they hold otherwise is read all the same.
    pub wanted: Vec<(Field, u64, u64)>,
    /// What else an assembler minds.
    pub limits: Limits,
    /// Whether it is for the assembler only: another name of the same bits is printed.
    pub assembler_only: bool,
    /// Bits that another form has, too, are printed as that one.
    pub last: bool,
    /// Whether the highest bit of the field `offset` must be zero.
    pub positive: bool,
    /// Whether the text has the suffix of the encoding.
    pub suffix: bool,
    /// The only size of wavefronts that it is for, if there is one.
    pub wave: Option<u8>,
    /// What matters where it is half of a pair.
    pub pairing: Pairing,
    /// Where it stands in the table.
    pub place: Place,
}

/// What an assembler minds of a form's operands together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// VCC is one of the scalar values that are read, though no operand says so.
    pub reads_vcc: bool,
    /// One scalar value can be read even where others read two.
    pub one_scalar: bool,
    /// With M0 as an operand, as many scalar values can be read as there is room for.
    pub free_m0: bool,
    /// Of scalar registers the lower half alone is read: `op_sel` and `op_sel_hi` must be zero for them.
    pub low_scalars: bool,
    /// Absolute values are taken and lost: there is no place for them.
    pub lost_abs: bool,
    /// Halves of registers that are written without `.l` and `.h` may be chosen by `op_sel`.
    pub bare_halves: bool,
    /// Vector registers of 16 bits are always written with `.l` or `.h`.
    pub halves_only: bool,
    /// Inline real constants stand for two equal halves.
    pub doubled: bool,
    /// `src0` cannot be `lds_direct`.
    pub no_lds: bool,
    /// The register of `data0` is even where tuples begin at an even one.
    pub even_data: bool,
    /// The destination and `src2` are the same registers or have none in common, if they are more than four.
    pub apart: bool,
    /// Whether an assembler counts it among the usual variants, not among those of its encoding.
    pub usual: bool,
}

/// What matters of a form that is half of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// The destination is read as third source.
    pub accumulates: bool,
    /// The sources of two such halves may lie in one bank of registers.
    pub unbanked: bool,
}

impl Form {
    /// The targets that have it.
    pub fn targets(&self) -> Targets {
        self.opcodes.iter().fold(Targets::NONE, |all, o| all.or(o.0))
    }

    /// Its opcode on a target.
    pub fn opcode(&self, target: Target) -> Option<u32> {
        self.opcodes.iter().find(|o| o.0.has(target)).map(|o| o.1)
    }
}

/// One operand of a form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operand {
    /// Its name, which is that of its field, or the text itself where the text is always the same (`vcc`, `off`, `m0`).
    pub name: Text,
    /// Its field; none for a fixed text.
    pub field: Option<Field>,
    /// What it can be.
    pub class: Class,
    /// Its type, which says how wide it is and how constants are read.
    pub ty: Type,
    /// Whether `-x` and `|x|` may be written (`neg` and `abs`).
    pub float_modifiers: bool,
    /// Whether `sext(x)` may be written.
    pub integer_modifiers: bool,
}

impl Table {
    /// The table in the folder that the environment variable `LOCKSTEP_ISA` names, else the embedded one. Read once.
    pub fn get() -> Result<&'static Table, &'static Problems> {
        static LOADED: OnceLock<Result<&'static Table, Problems>> = OnceLock::new();
        LOADED.get_or_init(|| read::read(table::files()?)).as_ref().copied()
    }

    /// The table in a folder. It stays in memory until the process ends.
    pub fn load(folder: &Path) -> Result<&'static Table, Problems> {
        read::read(table::files_of(folder)?)
    }

    /// The table from the text of its files. It stays in memory until the process ends.
    pub fn read(sources: Vec<Source>) -> Result<&'static Table, Problems> {
        read::read(sources)
    }

    /// A target by its name.
    pub fn target(&self, name: &str) -> Option<Target> {
        self.targets.iter().position(|t| *t == name).map(|i| Target(i as u8))
    }

    /// The targets of a group or feature; none of a name that nobody defines.
    pub fn group(&self, name: &str) -> Targets {
        self.groups.iter().find(|g| g.0 == name).map_or(Targets::NONE, |g| g.1)
    }

    /// A field by its name.
    pub fn field(&self, name: &str) -> Option<Field> {
        self.fields.iter().position(|f| *f == name).map(|i| Field(i as u16))
    }

    /// A functional group by its name.
    pub fn functional_group(&self, name: &str) -> Option<usize> {
        self.functional_groups.iter().position(|g| g.0 == name)
    }

    /// An encoding by its name.
    pub fn encoding(&self, name: &str) -> Option<usize> {
        self.encodings.iter().position(|e| e.name == name)
    }
}
