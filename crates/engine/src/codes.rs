//! The codes of loading, linking, lowering and launching, E02xx, for `lockstep explain`.

pub use ptx::Explanation;

/// A launch that the GPU does not take.
pub const REFUSED: &str = "E0230";
/// An access outside memory.
pub const BOUNDS: &str = "E0231";
/// A misaligned access.
pub const ALIGNMENT: &str = "E0232";
/// A write to constant memory.
pub const READ_ONLY: &str = "E0233";
/// `trap` or `brkpt`.
pub const TRAP: &str = "E0234";
/// A failed assertion.
pub const ASSERT: &str = "E0235";
/// Calls nested too deeply, or too much local memory.
pub const STACK: &str = "E0236";
/// A call or branch to something that is none.
pub const TARGET: &str = "E0237";
/// Another fault of a thread.
pub const FAULT: &str = "E0238";
/// Nobody can go on.
pub const DEADLOCK: &str = "E0239";
/// A limit of the launch was reached, or it was interrupted.
pub const LIMIT: &str = "E0240";

const fn explained(code: &'static str, title: &'static str, text: &'static str) -> Explanation {
    Explanation { code, title, text }
}

/// Every code of this crate, in order.
pub const EXPLANATIONS: &[Explanation] = &[
    explained(
        "E0201",
        "a name is defined twice",
        "Within a module a name has one definition, and of the modules that are linked together one defines a .visible \
         function; .weak and .common definitions yield to others (PTX ISA, linking directives).",
    ),
    explained(
        "E0202",
        "an alias of something unknown",
        "`.alias name, function` gives a second name to a function that the same module defines.",
    ),
    explained(
        "E0203",
        "an address that is not known when the module is loaded",
        "Initialisers may hold addresses of functions and of variables in global and constant memory. Addresses in shared, local \
         and parameter space exist only while a kernel runs.",
    ),
    explained(
        "E0204",
        "an initialiser longer than its variable",
        "An initialiser gives at most as many elements as the array has; missing ones are zero.",
    ),
    explained(
        "E0205",
        "a variable of unknown size",
        "An array without a length takes it from its initialiser; only .extern .shared arrays get theirs from the launch.",
    ),
    explained(
        "E0206",
        "no room for a module's variables",
        "Variables in global and constant memory lie in the memory of the modelled GPU from when the module is loaded.",
    ),
    explained(
        "E0207",
        "a variable in the wrong place",
        "Module scope has .global, .const and .shared variables (and .param ones of kernels); registers, local variables and \
         parameters of calls are declared in functions, global and constant ones are not.",
    ),
    explained("E0210", "no such kernel", "A kernel is an .entry with a body. `lockstep inspect FILE` lists those of a file."),
    explained("E0211", "not a label", "A branch goes to a label of the same function, in this scope or one around it."),
    explained(
        "E0212",
        "not executable yet",
        "The instruction is known but has no model here, so a kernel that contains it is not started: skipping it would make the \
         results wrong. `lockstep inspect FILE` lists the instructions of a file with what is known about each.",
    ),
    explained(
        "E0213",
        "an opcode that PTX does not have",
        "The name or a modifier is unknown, missing, or does not go together with another. `lockstep explain NAME` shows the forms \
         of an instruction.",
    ),
    explained(
        "E0214",
        "operands that do not fit the instruction",
        "There are too many or too few operands, or one is of the wrong kind: a constant where a register is needed, a scalar where \
         a vector is, a value out of range. `lockstep explain NAME` shows the forms of an instruction.",
    ),
    explained("E0215", "a guard that is no predicate", "`@p` and `@!p` take a register declared with .reg .pred."),
    explained(
        "E0216",
        "a function without a definition",
        "A function that is only declared must be defined by another of the modules that are loaded together, or be one of the \
         system calls vprintf, malloc, free and __assertfail.",
    ),
    explained("E0217", "an operand that cannot stand here", "The kind of operand is right for the table but not for this place."),
    explained(
        "E0218",
        "an undeclared name",
        "Registers and variables are declared before they are used, in this scope or one around it, or at module scope.",
    ),
    explained(
        REFUSED,
        "a launch that the GPU does not take",
        "A grid has 1 to 2147483647 blocks in x and 1 to 65535 in y and z, a block at most 1024 threads, 64 of them in z. A kernel \
         may set a lower bound (.maxntid, .reqntid), and its shared memory must fit in what a block may have.",
    ),
    explained(
        BOUNDS,
        "an access outside memory",
        "A thread read or wrote where nothing is allocated. Every allocation is followed by a gap, so that one element too many is \
         noticed, where real hardware may silently touch the neighbour. The usual cause is a missing check of the index in the \
         last block of the grid.",
    ),
    explained(
        ALIGNMENT,
        "a misaligned access",
        "The address of an access is a multiple of its size; of a vector, of the whole vector's size (PTX ISA, addresses as \
         operands).",
    ),
    explained(
        READ_ONLY,
        "a write to constant memory",
        "Kernels only read .const variables and their own parameters; the host can write variables between launches.",
    ),
    explained(
        TRAP,
        "trap or brkpt",
        "The kernel executed `trap`, which ends it with an error, or `brkpt`, which stops for a debugger.",
    ),
    explained(ASSERT, "a failed assertion", "The kernel called __assertfail, which is what `assert` of CUDA C++ becomes."),
    explained(
        STACK,
        "calls nested too deeply",
        "Registers and local memory of nested calls are bounded. Recursion without end is the usual cause.",
    ),
    explained(
        TARGET,
        "a jump to something that is none",
        "An indirect call needs the address of a function, an indexed branch an index into its list of labels.",
    ),
    explained(FAULT, "another fault of a thread", "The message says which rule the thread broke."),
    explained(
        DEADLOCK,
        "deadlock",
        "Every thread that is left waits for threads that will never come: a barrier that some threads of the block do not reach, \
         or a warp-wide instruction whose mask names lanes that are elsewhere. The places where they wait are listed.",
    ),
    explained(
        LIMIT,
        "stopped before its end",
        "The launch reached --max-instructions or --timeout, or was interrupted. The places where its warps stood are listed.",
    ),
];
