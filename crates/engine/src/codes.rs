//! The codes of loading, linking, lowering and launching, E02xx; `diagnostics::codes` explains them.

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
/// A code object that cannot be loaded.
pub const OBJECT: &str = "E0241";
/// An instruction of AMD's that is not executable yet.
pub const PENDING: &str = "E0242";
/// A register is used whose load has not been waited for.
pub const LATE: &str = "E0243";
/// The rule behind that.
pub const LATE_NOTE: &str =
    "a load writes its registers at some time until a wait for its counter (AMD's ISA guides, data dependency resolution)";
/// How it is made right.
pub const LATE_HELP: &str =
    "wait before the use: s_waitcnt vmcnt(0) or lgkmcnt(0), from gfx12 on s_wait_loadcnt, s_wait_dscnt or s_wait_kmcnt";
/// Where to look if execution comes to bytes that are no instruction.
pub const UNDEFINED_HELP: &str = "look how execution came here: past the end of code without s_endpgm or s_setpc_b64, to a wrong address, or into data; or the code is for another target";
/// An instruction follows another more closely than hardware takes care of.
pub const EARLY: &str = "E0244";
/// An asynchronous copy reads what no proxy fence has ordered.
pub const UNFENCED: &str = "E0261";
/// A thread accesses what asynchronous work still reads or writes.
pub const UNWAITED: &str = "E0262";
/// A block exits before asynchronous work on its shared memory is done.
pub const EXIT: &str = "E0263";
/// Nothing orders two accesses.
pub const RACE: &str = "E0264";
/// Shared memory of another block that there is not, not any more, or not yet.
pub const PEER: &str = "E0265";
/// A memory barrier object that is not one, or not yet, or already.
pub const MBARRIER: &str = "E0266";
/// A plain access to a memory barrier object.
pub const OBJECT_ACCESS: &str = "E0267";
/// A count of a memory barrier object out of range.
pub const COUNT: &str = "E0268";
/// A state that no arrival returned.
pub const STATE: &str = "E0269";
/// A size that asynchronous work does not take.
pub const SIZE: &str = "E0270";
/// A tensor map that is none, or coordinates that do not fit it.
pub const TENSOR: &str = "E0271";
/// A barrier of a block that is used wrongly.
pub const BARRIER: &str = "E0272";
/// The barrier of a cluster used out of turn.
pub const CLUSTER_BARRIER: &str = "E0273";
/// An aligned instruction in a part of a warp.
pub const ALIGNED: &str = "E0274";
/// A member mask without a lane that executes the instruction.
pub const MEMBERS: &str = "E0275";
/// A dependent launch that has not waited.
pub const OVERLAP: &str = "E0276";
