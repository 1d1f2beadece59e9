//! The tree of a PTX module, as parsed: names are not resolved and instructions not looked up in the table.
//!
//! Follows PTX ISA 9.4, chapters 4 (syntax), 5 (variables), 7 (functions), 10 (special registers) and 11
//! (directives). The tree is flat where it pays: identifiers and opcodes are interned, operands of all
//! instructions lie in one vector of the [`Module`], so that compiler output parses at memory speed.
//! Where the text is wrong the parser leaves the broken statement out and says so in a diagnostic.

use diagnostics::Span;

/// An interned identifier of one module; [`Module::name`] gives its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// An interned opcode with its modifiers, such as `ld.global.v4.f32`; [`Module::opcode`] gives its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Opcode(pub u32);

/// An identifier where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// Which identifier.
    pub symbol: Symbol,
    /// Where it stands.
    pub span: Span,
}

/// A range of one of the module's flat vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// First index.
    pub start: u32,
    /// Number of elements.
    pub len: u32,
}

impl List {
    /// The indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// A parsed file.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// `.version major.minor`.
    pub version: Option<(u32, u32, Span)>,
    /// The specifiers of every `.target`, such as `sm_90a` and `debug`.
    pub targets: Vec<Name>,
    /// The specifiers of `.target` lines in bodies, which ptxas 13.5 takes.
    pub targets_in_bodies: Vec<Name>,
    /// `.address_size`; 32 where the module does not say (PTX ISA 11.1.3).
    pub address_size: Option<(u32, Span)>,
    /// Everything else, in order.
    pub items: Vec<Item>,
    /// Operands of all instructions; vectors and lists nest by [`List`].
    pub operands: Vec<Operand>,
    /// Comments with their delimiters, in order; also a preprocessor's `# 1 "file"` and the `@@DWARF` lines of old PTX.
    pub comments: Vec<Span>,
    /// Texts of interned identifiers.
    pub names: Vec<Box<str>>,
    /// Texts of interned opcodes.
    pub opcodes: Vec<Box<str>>,
}

impl Module {
    /// The text of an identifier.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// The text of an opcode with its modifiers.
    pub fn opcode(&self, opcode: Opcode) -> &str {
        &self.opcodes[opcode.0 as usize]
    }

    /// The operands that a list names.
    pub fn list(&self, list: List) -> &[Operand] {
        &self.operands[list.range()]
    }
}

/// A top-level statement.
#[derive(Clone, Debug)]
pub enum Item {
    /// A module-scope variable.
    Variable(Variable),
    /// A kernel or a device function, defined or declared.
    Function(Function),
    /// `.alias name, target;`
    Alias(Name, Name),
    /// `.pragma "...";`
    Pragma(Vec<Box<str>>, Span),
    /// `.file`, kept verbatim: index, name and the optional time and size.
    File(FileDirective),
    /// `.section name { ... }`, kept verbatim.
    Section(Section),
}

/// `.section name { ... }` or `.nv_intermediate_source_section { ... }`.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name, with the dot.
    pub name: Name,
    /// Whether it holds the source text of an intermediate language.
    pub intermediate: bool,
    /// The files whose text an intermediate section holds.
    pub files: Vec<(u64, Span)>,
    /// Where a label is first defined.
    pub label: Option<Span>,
    /// Where `label+offset` first stands.
    pub offset: Option<Span>,
    /// Where `label-label` first stands.
    pub difference: Option<Span>,
    /// Where a negative number first stands.
    pub negative: Option<Span>,
    /// The directive.
    pub span: Span,
}

/// `.file index "name"{, time, size}`.
#[derive(Clone, Debug)]
pub struct FileDirective {
    /// The number that `.loc` uses.
    pub index: u64,
    /// The file's name.
    pub name: Box<str>,
    /// The directive.
    pub span: Span,
}

/// How a symbol links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linkage {
    /// Known in this module only.
    #[default]
    Internal,
    /// Defined in another module.
    Extern,
    /// Visible to other modules.
    Visible,
    /// Visible, yields to another definition.
    Weak,
    /// Visible, merged with others of the same name and size.
    Common,
}

/// A state space that a variable lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Registers.
    Reg,
    /// Special registers (only ever predefined).
    Sreg,
    /// Constant memory; the bank of the deprecated `.const[n]`.
    Const(Option<u8>),
    /// Global memory.
    Global,
    /// Memory of one thread.
    Local,
    /// Parameters of kernels and functions.
    Param,
    /// Memory of one CTA.
    Shared,
    /// The deprecated texture space.
    Tex,
}

/// A fundamental or opaque type as written in a declaration, such as `.f32` or `.texref`, without its dot.
pub type TypeName = &'static str;

/// A variable or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    /// How it links (module scope only).
    pub linkage: Linkage,
    /// Where it lives.
    pub space: Space,
    /// Bytes of alignment where the declaration says so.
    pub align: Option<u32>,
    /// Vector arity: 1, 2, 4 (8 where ptxas takes it).
    pub vector: u8,
    /// Element type without its dot: `u32`, `b8`, `pred`, `texref` ...
    pub ty: TypeName,
    /// The name; `_` for an unnamed parameter.
    pub name: Name,
    /// For `%r<100>`: how many registers `%r0` .. `%r99` the declaration makes.
    pub count: Option<u32>,
    /// Array dimensions; `None` for `[]`.
    pub dimensions: Vec<Option<u64>>,
    /// What `= ...` gives.
    pub init: Option<Init>,
    /// For a kernel parameter with `.ptr`: the space it points to and its alignment.
    pub pointer: Option<Pointer>,
    /// `.attribute(...)`, such as `managed`, with integer arguments.
    pub attributes: Vec<(Name, Vec<u64>)>,
    /// The declaration of this name.
    pub span: Span,
}

/// `.ptr{.space}{.align N}`, where `.texref`, `.samplerref` or `.surfref` may stand for the space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    /// Where it points; generic if absent.
    pub space: Option<Space>,
    /// What it refers to if that is a texture, a sampler or a surface, as compilers of OpenCL write.
    pub reference: Option<TypeName>,
    /// What it is aligned to.
    pub align: Option<u32>,
}

/// An initialiser.
#[derive(Clone, Debug)]
pub enum Init {
    /// A constant, evaluated.
    Value(Constant),
    /// `{ ... }`.
    List(Vec<Init>),
    /// The address of a variable or function plus an offset: `name`, `name+8`, `generic(name)+8`.
    Address {
        /// Of what.
        name: Name,
        /// Plus how many bytes.
        offset: i64,
        /// Whether `generic()` makes it a generic address.
        generic: bool,
        /// `mask(address)` keeps these bits only (`0xff`, `0xff00` ...), shifted down to a byte.
        mask: Option<u64>,
    },
    /// `mask(value)`: a byte of a constant.
    Masked {
        /// The bits that it keeps, shifted down to a byte.
        mask: u64,
        /// Of what.
        value: u64,
        /// Where it stands.
        span: Span,
    },
    /// `field = value` in the initialiser of an opaque variable, such as `filter_mode = nearest`.
    Field(Name, Box<Init>),
    /// A string, as some compilers write for `.b8` arrays.
    String(Box<[u8]>),
}

/// A constant expression's value (PTX ISA 4.5: integers are 64 bits, signed unless written otherwise).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    /// Signed.
    Signed(i64),
    /// Unsigned: an integer with the suffix `U`, or too great for a signed one.
    Unsigned(u64),
    /// `0f3f800000`: the bits of an f32.
    F32(u32),
    /// `0d...`, or a decimal literal: the bits of an f64.
    F64(u64),
}

/// A kernel (`.entry`) or device function (`.func`).
#[derive(Clone, Debug)]
pub struct Function {
    /// Whether it is a kernel.
    pub entry: bool,
    /// How it links.
    pub linkage: Linkage,
    /// Its name.
    pub name: Name,
    /// Return values of a device function.
    pub returns: Vec<Variable>,
    /// Parameters.
    pub params: Vec<Variable>,
    /// Performance-tuning and other directives between the parameters and the body.
    pub directives: Vec<Directive>,
    /// `.attribute(...)`, such as `unified`, with integer arguments.
    pub attributes: Vec<(Name, Vec<u64>)>,
    /// The body of a definition.
    pub body: Option<Block>,
    /// From the first linking directive to the end of the body.
    pub span: Span,
}

/// A directive such as `.maxntid 256, 1, 1`, `.noreturn` or `.pragma "nounroll"`.
#[derive(Clone, Debug)]
pub struct Directive {
    /// Its name without the dot.
    pub name: Name,
    /// Integer arguments.
    pub arguments: Vec<u64>,
    /// String arguments.
    pub strings: Vec<Box<str>>,
}

/// `{ ... }`: declarations and labels inside are local to it.
#[derive(Clone, Debug)]
pub struct Block {
    /// In order.
    pub statements: Vec<Statement>,
    /// Braces included.
    pub span: Span,
}

/// A statement of a body.
#[derive(Clone, Debug)]
pub enum Statement {
    /// `name:`
    Label(Name),
    /// A local declaration.
    Variable(Box<Variable>),
    /// An instruction.
    Instruction(Instruction),
    /// A nested scope.
    Block(Box<Block>),
    /// `.loc file line column ...`
    Loc(Box<Loc>),
    /// `.pragma "...";`
    Pragma(Vec<Box<str>>, Span),
    /// `label: .callprototype (ret) _ (params) ...;`
    Prototype(Box<Prototype>),
    /// `label: .branchtargets a, b;`; `a<3>` stands here as `a0, a1, a2`.
    BranchTargets(Name, Vec<Name>),
    /// `label: .calltargets f, g;`; `f<3>` stands here as `f0, f1, f2`.
    CallTargets(Name, Vec<Name>),
}

/// `.loc` or `.loc_intermediate`: `.loc file line column{, function_name name{+offset}, inlined_at file line column}`.
#[derive(Clone, Copy, Debug)]
pub struct Loc {
    /// A `.file` number.
    pub file: u64,
    /// Line of that file.
    pub line: u64,
    /// Column.
    pub column: u64,
    /// Whether this is `.loc_intermediate`, a place in an intermediate language's source.
    pub intermediate: bool,
    /// The label of the inlined function's name in `.debug_str`, plus an offset.
    pub function_name: Option<(Name, u64)>,
    /// Where it was inlined.
    pub inlined_at: Option<(u64, u64, u64)>,
    /// The directive.
    pub span: Span,
}

/// A signature for an indirect call.
#[derive(Clone, Debug)]
pub struct Prototype {
    /// The label that `call` names.
    pub label: Name,
    /// Return values.
    pub returns: Vec<Variable>,
    /// Parameters.
    pub params: Vec<Variable>,
    /// `.noreturn`, `.abi_preserve N` ...
    pub directives: Vec<Directive>,
}

/// `@{!}guard opcode operands;`
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// The predicate, and whether `!` negates it.
    pub guard: Option<(Name, bool)>,
    /// The opcode with its modifiers.
    pub opcode: Opcode,
    /// Where the opcode stands.
    pub opcode_span: Span,
    /// Its operands, in [`Module::operands`].
    pub operands: List,
    /// Guard to semicolon.
    pub span: Span,
}

/// An operand where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// What it is.
    pub kind: OperandKind,
    /// Where.
    pub span: Span,
}

/// What an operand can be.
#[derive(Clone, Copy, Debug)]
pub enum OperandKind {
    /// A register, special register, variable, label or function.
    Name(Symbol),
    /// `name.x`, `name.b0`, `name.h10`: a vector component or a video selector. The second symbol has no dot, or one between
    /// a component and its selector.
    Member(Symbol, Symbol),
    /// A constant expression, evaluated.
    Constant(Constant),
    /// `name+8` outside brackets: the address of a variable plus an offset.
    Offset(Symbol, i64),
    /// `_`
    Sink,
    /// `d|p`: two destinations; always a list of two.
    Pair(List),
    /// `{a, b, ...}`
    Vector(List),
    /// `(a, b, ...)` of a call.
    Parenthesised(List),
    /// `!p`: always a list of one.
    Not(List),
    /// `-a` of a register: always a list of one.
    Negate(List),
    /// `[base+offset]`; the base is a register or variable.
    Address {
        /// Register or variable; absent in `[0x1000]`.
        base: Option<Symbol>,
        /// Bytes added.
        offset: i64,
    },
    /// `[a, b, {c, d}]` of texture, tensor and other addressing; elements as they stand.
    AddressList(List),
    /// `name[index]` outside brackets: an element of an array; always a list of two.
    Element(List),
    /// `[address].unified`; always a list of one.
    Unified(List),
}
