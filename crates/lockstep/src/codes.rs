//! The codes of what this crate reports, E01xx by checking and E03xx by loading and launching, and the explanation of every code.

pub use ptx::Explanation;

pub(crate) const NEEDS: &str = "E0101";
pub(crate) const REGISTER: &str = "E0102";
pub(crate) const GPU: &str = "E0301";
pub(crate) const MEMORY: &str = "E0302";
pub(crate) const BUFFER: &str = "E0303";
pub(crate) const TARGET: &str = "E0304";
pub(crate) const COUNT: &str = "E0305";
pub(crate) const ARGUMENT: &str = "E0306";
pub(crate) const VARIABLE: &str = "E0307";
pub(crate) const VALUE: &str = "E0308";
pub(crate) const EVALUATE: &str = "E0309";
pub(crate) const TABLE: &str = "E0310";

/// The codes of this crate.
const OWN: &[Explanation] = &[
    Explanation {
        code: NEEDS,
        title: "not in this version or on this target",
        text: "Every form of an instruction exists since some PTX version and on some targets; a module may use those that its \
               .version and .target have. `lockstep explain NAME` lists what each form needs. sm_Na means exactly that \
               architecture, sm_Nf its family.",
    },
    Explanation {
        code: REGISTER,
        title: "a register of the wrong type",
        text: "An operand is a register of the instruction's type, or of bits (.b32 ...) of the same width; loads, stores and \
               conversions also take wider ones. Signed and unsigned integers of one width are interchangeable (PTX ISA, \
               operand types).",
    },
    Explanation {
        code: GPU,
        title: "an unknown GPU",
        text: "A GPU is named by its product (h100, a100, rtx4090 ...) or by a target (sm_90), which stands for one product. The \
               profile decides how many blocks are resident, how much memory there is and what programs can ask for; it never \
               changes what an instruction computes.",
    },
    Explanation {
        code: MEMORY,
        title: "no room in device memory",
        text: "The memory of the modelled GPU is bounded by its profile, and the host must have it too. Buffers live until their \
               last handle is gone.",
    },
    Explanation { code: BUFFER, title: "more values than a buffer holds", text: "Writing never grows a buffer." },
    Explanation {
        code: TARGET,
        title: "the module is for another GPU",
        text: "A module for sm_N runs on N and every later architecture; one for sm_Na on exactly that architecture, one for \
               sm_Nf on its family from that member on (PTX ISA, `.target`). Without a choice of GPU, one is taken that runs \
               the module.",
    },
    Explanation {
        code: COUNT,
        title: "too many or too few arguments",
        text: "A launch gives every parameter of the kernel one argument, in order. `lockstep inspect` lists the parameters.",
    },
    Explanation {
        code: ARGUMENT,
        title: "an argument of another size or kind than the parameter",
        text: "An argument has exactly the bytes of its parameter: a buffer passes its address of 64 bits, a scalar its own \
               width, a structure passed by value all of its bytes. A floating-point number is none for an integer's parameter, \
               nor an integer or a buffer for a floating-point one; parameters of bits (.b32) take either.",
    },
    Explanation {
        code: VARIABLE,
        title: "no such variable in the module",
        text: "Only variables in global and constant memory can be reached from the host, by their names in the PTX text.",
    },
    Explanation {
        code: VALUE,
        title: "not a value of the type",
        text: "Integers are decimal or hexadecimal (0x1f) and lie in the type's range; hexadecimal ones may also give the bits of \
               a negative or floating-point value. Floating-point values are decimal, inf, nan, or bits as in PTX: 0f3f800000, \
               0d3ff0000000000000. Predicates are true or false.",
    },
    Explanation {
        code: EVALUATE,
        title: "an instruction that cannot be evaluated by itself",
        text: "`lockstep eval` runs instructions that compute results from values: those of one thread, and those that exchange values \
               between the lanes of a warp. What touches memory, other warps or the flow of control needs a kernel: `lockstep run`.",
    },
    Explanation {
        code: TABLE,
        title: "the table of instructions cannot be read",
        text: "The records that LOCKSTEP_ISA names have errors; the messages say where. Without that variable the records that \
               were compiled in are used.",
    },
];

/// The explanation of a code, upper or lower case.
pub fn explanation(code: &str) -> Option<&'static Explanation> {
    all().find(|e| e.code.eq_ignore_ascii_case(code))
}

/// Every code that `lockstep` reports, in order.
pub fn all() -> impl Iterator<Item = &'static Explanation> {
    ptx::EXPLANATIONS.iter().chain(engine::codes::EXPLANATIONS).chain(OWN)
}
