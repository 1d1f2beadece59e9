//! The state of a running launch: groups of threads, warps, blocks, and what a fault says.
//!
//! A warp's threads are partitioned into groups that share a program counter and a frame. One group runs at a time
//! ([`Group`]); the others are parked ([`Parked`]). Frames lie on the warp's register stack: a call puts the new frame above those of
//! all groups, since frames of different functions have rows of different sizes at one place.

use crate::barrier::Barrier;
use crate::cluster::{Cluster, RANK_SHIFT};
use crate::hazard::{Doubt, Early, Watch};
use crate::job::Policy;
use crate::mbarrier::Site;
use crate::memory::{Area, Bytes, Local, Memory, REMEMBERED, Region, Touch};
use crate::op::{Kind, NONE};
use crate::overlap::{Conflict, Overlap};
use crate::proxy::Synchronised;
use crate::row::LaneMask;
use crate::shadow::GlobalShadow;
use crate::split::Split;
use crate::wave::{Counters, Outstanding};
use crate::{FULL, LANES, Op, Step};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex};

/// Bytes of rows at the start of every frame: call site, caller's frame, start and end of the frame's local memory.
pub const LINKAGE: u32 = 4 * 128;
/// Offset of the row of call sites, as indices of [`Tables::calls`].
pub const CALL_SITE: u32 = 0;
/// Offset of the row of callers' frame offsets.
pub const CALLER: u32 = 128;
/// Offset of the row of local frame starts, in bytes of the thread's local memory.
pub const LOCAL_START: u32 = 256;
/// Offset of the row of local frame ends: where a callee's local memory, or `alloca`, begins.
pub const LOCAL_END: u32 = 384;

/// What a parked group waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Nothing: it can run.
    Nothing,
    /// A barrier of its block to complete the phase of this number.
    Barrier(u8),
    /// These lanes of its warp to arrive at an instruction like this one: of the same kind (see [`Op::kind`]), wherever it stands.
    Lanes(u32, Kind),
    /// The cluster's barrier to complete the phase of this number.
    Cluster(u32),
    /// The memory barrier object at a shared address to complete the phase of this parity.
    Mbarrier(u32, u32),
    /// The launch that this one depends on to complete.
    Grid,
    /// A barrier of AMD's blocks (see [`crate::split`]) to complete the phase of this number: the block's own one is 0, the cluster's [`Wait::CLUSTER`].
    Split(u8, u32),
}

impl Wait {
    /// The number of the cluster's barrier.
    pub const CLUSTER: u8 = u8::MAX;

    /// Whether what is waited for has come. (Lanes that others wait for are looked for where they arrive, other
    /// launches by who runs them.)
    pub fn over(self, block: &Block, cluster: &Cluster) -> bool {
        match self {
            Wait::Nothing => true,
            Wait::Barrier(index) => block.barriers[usize::from(index) & 15].released(),
            Wait::Split(Wait::CLUSTER, phase) => cluster.split.phase != phase,
            Wait::Split(number, phase) => block.split.barriers.get(usize::from(number)).is_none_or(|b| b.phase != phase),
            Wait::Lanes(..) | Wait::Grid => false,
            Wait::Cluster(phase) => cluster.barrier.phase != phase,
            Wait::Mbarrier(address, parity) => cluster.mbarrier_over(address, parity),
        }
    }
}

/// A group of threads that is not running.
#[derive(Clone, Copy, Debug)]
pub struct Parked {
    /// The op it runs next, or again where it waits for lanes.
    pub pc: u32,
    /// Its frame's offset.
    pub base: u32,
    /// Where its frame ends.
    pub top: u32,
    /// Its lanes.
    pub mask: u32,
    /// What it waits for.
    pub wait: Wait,
    /// Whether it gave way after many backward jumps; others go first.
    pub yielded: bool,
}

/// Ops of a warp whose last place is remembered.
pub const RECENT: usize = 32;

/// Threads of 32 lanes and their registers.
pub struct Warp {
    /// The register stack, 64-byte aligned chunks.
    pub registers: Vec<Chunk>,
    /// Which warp of the block.
    pub index: u32,
    /// Each thread's index in its block, component by component.
    pub threads: [[u32; LANES]; 3],
    /// Lanes that have not exited.
    pub live: u32,
    /// Lanes that have arrived at a barrier and wait, or are released and have not left yet.
    pub arrived: u32,
    /// Lanes that waited for others, which have arrived at an instruction like theirs elsewhere: they go on without waiting again.
    pub met: u32,
    /// Lanes that have arrived at the cluster's barrier and not waited there since: in phases of even and of odd number.
    pub met_cluster: [u32; 2],
    /// Lanes that were told that a phase has not ended since they last saw one end.
    pub refused: u32,
    /// Lanes that have waited for a memory barrier object as long as they may.
    pub timed_out: u32,
    /// Groups of asynchronous copies, and of bulk jobs, that each lane has committed.
    pub committed: [[u32; LANES]; 2],
    /// When each lane last synchronised with other threads.
    pub synchronised: [Synchronised; LANES],
    /// Groups that are not running.
    pub parked: Vec<Parked>,
    /// Local memory of the lanes.
    pub local: Local,
    /// AMD's registers that will be written when the program has waited, oldest first.
    pub late: Outstanding,
    /// Whether it waits at a resource of global wave synchronisation, and for which phase to end.
    pub queued: Option<u32>,
    /// The numbers of AMD's instructions that were issued, oldest first, where somebody looks at them.
    pub issued: Vec<u32>,
    /// AMD's wavefronts: the registers that they begin with, once one has begun, but for what depends on the block.
    pub initial: Vec<Chunk>,
    /// Where some of its ops loaded from last, on the host.
    pub recent: [usize; RECENT],
}

/// 64 bytes of registers.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Chunk(pub [u8; 64]);

/// A block (CTA) that is resident.
pub struct Block {
    /// Its index in the grid.
    pub index: [u32; 3],
    /// Its position in the grid's order.
    pub linear: u64,
    /// Its rank in its cluster.
    pub rank: u32,
    /// Its barriers.
    pub barriers: [Barrier; 16],
    /// Those of AMD's gfx12.
    pub split: Box<Split>,
    /// Threads that have not exited.
    pub live: u32,
    /// When one of its threads last synchronised with other blocks of its cluster, and with other clusters.
    pub synchronised: [u64; 2],
    /// Whether it lets dependent launches begin.
    pub signalled: bool,
    /// Whether it stands still, so that a dependent launch comes first.
    pub held: bool,
}

/// A launch, shared by all workers.
pub struct Launch<'a> {
    /// Device memory.
    pub memory: &'a Memory,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Blocks of a cluster.
    pub cluster: [u32; 3],
    /// Whether the kernel or its launch says so; otherwise every block is a cluster of its own.
    pub explicit_cluster: bool,
    /// Kernel parameters as laid out by the kernel.
    pub params: Bytes,
    /// Device address of a copy of the parameters, for code that takes their address.
    pub params_address: u64,
    /// Bytes of static and dynamic shared memory.
    pub shared_bytes: [u32; 2],
    /// Side tables of the program.
    pub tables: &'a Tables,
    /// What device `printf` wrote.
    pub output: Mutex<Vec<u8>>,
    /// AMD's code: what comes too early by rules that may not hold, once for each rule.
    pub doubts: Mutex<Vec<Doubt>>,
    /// Properties of the modelled GPU that programs can ask for.
    pub gpu: Gpu,
    /// Set to end the launch early.
    pub stop: AtomicBool,
    /// Bytes of the device heap still free.
    pub heap: AtomicU64,
    /// When the launch began.
    pub start: std::time::Instant,
    /// Its number on the device.
    pub grid_id: u64,
    /// Greatest bytes of local memory a thread may have.
    pub local_limit: u32,
    /// When asynchronous work is done.
    pub policy: Policy,
    /// Whether the kernel has asynchronous work or the launch clusters, so that accesses to shared memory are watched.
    pub watched: bool,
    /// What has been written to global memory, where asynchronous work reads it.
    pub global: Option<Arc<GlobalShadow>>,
    /// The next cluster of the grid that begins.
    pub next: AtomicU64,
    /// Clusters of the grid.
    pub clusters: u64,
    /// What it has to do with the launches before and after it.
    pub overlap: Overlap<'a>,
}

/// What programs can ask about the GPU.
#[derive(Clone, Copy, Debug)]
pub struct Gpu {
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Warps that a multiprocessor holds.
    pub warps: u32,
    /// Bytes of shared memory that a block may have.
    pub shared: u32,
    /// Bytes of shared memory of a multiprocessor.
    pub shared_multiprocessor: u32,
    /// Whether blocks can form clusters.
    pub clusters: bool,
}

/// Lists that ops refer to by index.
#[derive(Default, Debug)]
pub struct Tables {
    /// Offsets of vector operands and similar lists.
    pub offsets: Vec<u32>,
    /// Direct and indirect calls.
    pub calls: Vec<Call>,
    /// Functions that can be called.
    pub functions: Vec<Callee>,
    /// Branch targets of `brx.idx`.
    pub targets: Vec<Vec<u32>>,
    /// Constants of called functions.
    pub constants: Vec<u128>,
    /// AMD's code: the op of each instruction, by the instruction's address, in order.
    pub addresses: Vec<(u64, u32)>,
    /// What waits of AMD's code wait for: counters, and how much of it may be left.
    pub waits: Vec<Vec<(Counters, u32)>>,
    /// The formats of AMD's buffers by the numbers that descriptors have for them.
    pub formats: Vec<u32>,
    /// AMD's code: whether all that is loaded is waited for before it is used, on all ways.
    pub waited: bool,
    /// AMD's code: why instructions cannot be executed to which an address in a register may lead.
    pub refusals: Vec<String>,
    /// How descriptors of AMD's images are laid out; nothing in code without images.
    pub images: Images,
    /// AMD's code: what looks at the instructions that must keep a distance, if there may be some that do not.
    pub watch: Option<Watch>,
}

/// How AMD's images are described on a target, as the table has it; the order of the fields is that of the functions that read them.
#[derive(Clone, Debug, Default)]
pub struct Images {
    /// A number of its own for each that is made, by which what was decoded is known again; 0 where nothing is to be kept.
    pub serial: u64,
    /// Runs of bits of each field of a resource, the lowest first: the first bit and how many.
    pub resource: Vec<Vec<(u32, u32)>>,
    /// The same of a sampler.
    pub sampler: Vec<Vec<(u32, u32)>>,
    /// Formats by the numbers that resources have for them.
    pub formats: Vec<u32>,
    /// How linear images lie: a number that grows with the target.
    pub layout: u8,
    /// How texels lie in the blocks of a swizzle mode, by its number and the logarithm of a texel's bytes: which bit (second) of which coordinate (first) each
    /// bit of the address is, the lowest above those within a texel first. None of modes that are not known.
    pub blocks: Vec<[Vec<(u8, u8)>; 5]>,
}

/// A call site.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// Index in [`Tables::functions`]; absent for an indirect call, whose target is `src[0]`.
    pub callee: Option<u32>,
    /// Arguments: offset in the caller's local frame, bytes.
    pub arguments: Vec<(u32, u32)>,
    /// Return values: likewise.
    pub returns: Vec<(u32, u32)>,
    /// Bytes of the caller's registers.
    pub frame: u32,
    /// The op to return to.
    pub next: u32,
}

/// A function as its callers see it.
#[derive(Clone, Debug, Default)]
pub struct Callee {
    /// Its name.
    pub name: String,
    /// Its first op.
    pub entry: u32,
    /// Bytes of its registers.
    pub frame: u32,
    /// Bytes of its local memory: parameters, return values, variables.
    pub local: u32,
    /// Where its parameters lie in its local frame, with their bytes.
    pub params: Vec<(u32, u32)>,
    /// Where its return values lie.
    pub returns: Vec<(u32, u32)>,
    /// Its address: what taking the function's address gives.
    pub address: u64,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes at once.
    Atomic,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// No memory of the space at this address.
    OutOfBounds {
        /// State space as the access saw it.
        space: &'static str,
        /// First byte.
        address: u64,
        /// Bytes.
        size: u32,
        /// What was tried.
        access: Access,
        /// The nearest allocation below: its start and size.
        nearest: Option<(u64, u64)>,
    },
    /// The address is not a multiple of the access's size.
    Misaligned {
        /// First byte.
        address: u64,
        /// Bytes.
        size: u32,
        /// What was tried.
        access: Access,
    },
    /// The memory is constant.
    ReadOnly {
        /// First byte.
        address: u64,
    },
    /// The cluster has no block of this rank.
    NoBlock {
        /// The rank.
        rank: u32,
        /// How many blocks the cluster has.
        blocks: u32,
    },
    /// The asynchronous proxy reads what was written through the generic one, without a fence between.
    Unfenced {
        /// Who wrote.
        writer: Touch,
        /// The job's first byte, a generic address.
        address: u64,
        /// Its bytes.
        size: u32,
    },
    /// A thread accesses shared memory that asynchronous work still reads or writes.
    Unwaited {
        /// Who issued the work.
        job: Site,
        /// The first byte, a generic address.
        address: u64,
        /// Bytes.
        size: u32,
        /// What the thread does.
        access: Access,
    },
    /// A launch accesses what the one before it, which it has not waited for, accesses.
    Overlap(Box<Conflict>),
    /// An instruction follows another more closely than hardware takes care of.
    Early(Box<Early>),
    /// A register is read or written whose load the wavefront has not waited for.
    LateRegister {
        /// The first of the load's registers, as an offset in the frame.
        at: u32,
        /// The op of the load.
        load: u32,
    },
    /// A copy in the background goes to where in LDS a load of the same wavefront may not yet have read.
    LateRead {
        /// Where.
        at: u32,
        /// The op of the load.
        load: u32,
    },
    /// Nothing orders two accesses of which one changes memory.
    Race {
        /// The first byte's shared address.
        address: u32,
        /// Bytes.
        size: u32,
        /// What was tried.
        access: Access,
        /// Who had accessed them before.
        other: Site,
        /// How.
        before: Access,
    },
    /// A thread reads another block's shared memory that nobody has written.
    Uninitialised {
        /// The first byte's shared address.
        address: u32,
        /// Bytes.
        size: u32,
        /// What was tried.
        access: Access,
    },
    /// A thread accesses a live memory barrier object as if it were plain memory.
    ObjectAccess {
        /// The object's shared address.
        address: u32,
        /// What was tried.
        access: Access,
        /// Who initialised it.
        made: Site,
    },
    /// A rule about barriers, asynchronous work or tensors is broken.
    Rule {
        /// Which.
        rule: Rule,
        /// How, in words.
        message: String,
        /// Another instruction that has to do with it, and what it did there.
        other: Option<(Site, &'static str)>,
    },
    /// The block of the cluster whose shared memory was meant has exited.
    ExitedBlock {
        /// Its rank.
        rank: u32,
    },
    /// An address of another block where only the own block's shared memory can be meant.
    OtherBlock {
        /// The address.
        address: u64,
        /// The own rank.
        rank: u32,
    },
    /// `trap`.
    Trap,
    /// `brkpt`, which needs a debugger.
    Breakpoint,
    /// A failed `assert`.
    Assert(String),
    /// Calls nested too deeply.
    StackOverflow {
        /// Bytes that are allowed.
        limit: u32,
        /// What ran out.
        what: &'static str,
    },
    /// A call or branch to something that is none.
    BadTarget {
        /// The value.
        value: u64,
        /// What it should have been.
        wanted: &'static str,
    },
    /// An access outside of a work-item's scratch memory.
    Scratch {
        /// Where it begins.
        offset: i64,
        /// Bytes.
        size: u32,
        /// Bytes of scratch memory that a work-item has.
        lane: u64,
    },
    /// The bytes at the program counter are no instruction of the target.
    Undefined,
    /// The instruction cannot be executed: why, in words.
    Unexecutable(String),
    /// Anything else, in words.
    Other(String),
}

/// Rules that a thread can break; each has a code and an explanation of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A block outlives the asynchronous work that needs its shared memory.
    Exit,
    /// A block exits when the others have done with its shared memory.
    Peer,
    /// A memory barrier object is initialised before it is used, and once.
    Object,
    /// Counts of memory barrier objects stay in their ranges.
    Count,
    /// A state is one that an arrival returned.
    State,
    /// Sizes of ranges are multiples of 16.
    Size,
    /// A tensor map is one, and coordinates fit it.
    Tensor,
    /// Barriers of a block.
    Barrier,
    /// The barrier of a cluster.
    ClusterBarrier,
    /// All threads of a warp execute an aligned instruction together.
    Aligned,
    /// The mask of an instruction of a warp holds those who execute it.
    Members,
}

impl FaultKind {
    /// A broken rule.
    pub fn rule(rule: Rule, message: impl Into<String>) -> Self {
        FaultKind::Rule { rule, message: message.into(), other: None }
    }

    /// The cluster of the other instruction that has to do with it, where that may be another one.
    pub fn other_cluster(&self) -> Option<[u32; 3]> {
        if let FaultKind::Unfenced { writer, .. } = self { Some(writer.cluster) } else { None }
    }

    /// Another instruction that has to do with it, and what it did.
    pub fn other(&self) -> Option<(Site, &'static str)> {
        let did = |access: Access| match access {
            Access::Read => "read here by the copy of",
            _ => "written here by",
        };
        match self {
            FaultKind::Unfenced { writer, .. } => Some((writer.site, did(Access::Write))),
            FaultKind::Unwaited { job, .. } => Some((*job, "started here by")),
            FaultKind::Race { other, before, .. } => Some((*other, did(*before))),
            FaultKind::ObjectAccess { made, .. } => Some((*made, "initialised here by")),
            FaultKind::Rule { other, .. } => *other,
            _ => None,
        }
    }
}

/// A fault and the lane that had it first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// Lane of the warp.
    pub lane: u32,
    /// Who issued the asynchronous work that went wrong, if it was that.
    pub site: Option<Site>,
}

/// The group that runs, with everything that it can touch.
pub struct Group<'a> {
    /// Its frame.
    pub frame: *mut u8,
    mask: u32,
    /// The mask spread out; all lanes where the group writes whole rows.
    spread: LaneMask,
    /// The same of the last op with a guard.
    guarded: LaneMask,
    /// The lanes that `guarded` was made for.
    guarded_lanes: u32,
    dead: u32,
    /// Whether the group has all lanes that can ever look at a row again.
    whole: bool,
    /// The op to run after [`Step::Jump`].
    pub pc: u32,
    /// The first op at which another group of this frame waits to run, 0 if a deeper one does.
    pub limit: u32,
    /// The frame's offset on the register stack.
    pub base: u32,
    /// Where the frame ends.
    pub top: u32,
    /// Backward jumps and polls until the group gives way.
    pub fuel: i32,
    /// Set when the warp gives way to others, though the group could run on.
    pub handed_on: bool,
    /// Set when the group gave way because its fuel ran out.
    pub spent: bool,
    /// Polls of memory since the group was chosen.
    pub polls: u32,
    /// How many of them asked for a memory barrier object's phase.
    pub phase_polls: u32,
    /// Whether the group has changed memory since it was chosen: then its polls are no waiting.
    pub wrote: bool,
    /// Its warp.
    pub warp: &'a mut Warp,
    /// Its block.
    pub block: &'a mut Block,
    /// What its block shares with others.
    pub cluster: &'a mut Cluster,
    /// Whether accesses to memory are watched.
    pub watched: bool,
    /// The op that writes, where writes are watched.
    pub writer: u32,
    /// Its block's shared memory: where it begins among shared addresses, on the host, and its bytes.
    pub(crate) own: Area,
    /// The launch.
    pub launch: &'a Launch<'a>,
    /// The regions of device memory used last.
    pub regions: [Region; REMEMBERED],
    /// What went wrong, after [`Step::Fault`].
    pub fault: Option<Box<Fault>>,
}

/// Cost of polling memory, in backward jumps: a group that spins gives way soon, one that computes late; sooner still where other
/// groups of its warp could run, one of which may hold what it waits for.
pub const POLL: [i32; 2] = [1_000, 4_000];

impl<'a> Group<'a> {
    /// A warp of which no group is chosen yet.
    pub fn new(
        warp: &'a mut Warp,
        block: &'a mut Block,
        cluster: &'a mut Cluster,
        launch: &'a Launch<'a>,
        fuel: i32,
        regions: [Region; REMEMBERED],
    ) -> Self {
        let own = cluster.shared(block.rank).map_or(Area { start: 0, len: 0, host: std::ptr::null_mut() }, |shared| Area {
            start: u64::from(block.rank) << RANK_SHIFT,
            len: shared.len,
            host: shared.host,
        });
        Group {
            frame: std::ptr::null_mut(),
            mask: 0,
            spread: LaneMask::NONE,
            guarded: LaneMask::NONE,
            guarded_lanes: 0,
            dead: !warp.live,
            whole: false,
            pc: 0,
            limit: u32::MAX,
            base: 0,
            top: 0,
            fuel,
            handed_on: false,
            spent: false,
            polls: 0,
            phase_polls: 0,
            wrote: false,
            warp,
            block,
            cluster,
            watched: launch.watched || launch.overlap.accesses.is_some() || launch.memory.is_seeking(),
            writer: 0,
            own,
            launch,
            regions,
            fault: None,
        }
    }
}

impl Group<'_> {
    /// Its lanes.
    #[inline(always)]
    pub fn mask(&self) -> u32 {
        self.mask
    }

    /// Lanes of the warp that have exited or never were.
    #[inline(always)]
    pub fn dead(&self) -> u32 {
        self.dead
    }

    /// Whether an op writes whole rows: its lanes are all that can ever look at a row again.
    #[inline(always)]
    pub fn is_whole(&self, op: &Op) -> bool {
        self.whole && (op.guard == NONE || self.covers(self.guard(op.guard)))
    }

    /// Whether all 32 lanes execute an op.
    #[inline(always)]
    pub fn is_full(&self, op: &Op) -> bool {
        self.mask == FULL && self.is_whole(op)
    }

    /// Changes its lanes.
    pub fn set_mask(&mut self, mask: u32) {
        self.mask = mask;
        let whole = self.covers(mask);
        self.whole = whole;
        // A group without lanes executes nothing.
        if mask != 0 {
            self.spread = if whole { LaneMask::ALL } else { LaneMask::new(mask) };
        }
    }

    /// Prepares [`Group::spread_of`] for an op that `mask` executes.
    #[inline(always)]
    pub fn spread(&mut self, op: &Op, mask: u32) {
        if op.guard != NONE {
            self.spread_guarded(mask);
        }
    }

    #[inline(never)]
    fn spread_guarded(&mut self, mask: u32) {
        if self.guarded_lanes != mask {
            self.guarded = LaneMask::new(mask);
            self.guarded_lanes = mask;
        }
    }

    /// The lanes that execute `op`, spread out.
    #[inline(always)]
    pub fn spread_of(&self, op: &Op) -> &LaneMask {
        if op.guard == NONE { &self.spread } else { &self.guarded }
    }

    /// The place of an offset in the frame.
    #[inline(always)]
    pub fn at(&self, offset: u32) -> *mut u8 {
        // SAFETY: offsets lie in the frame (see `row`).
        unsafe { self.frame.add(offset as usize) }
    }

    /// The lanes that execute `op`: the group's, less those whose guard is false.
    #[inline(always)]
    pub fn active(&self, op: &Op) -> u32 {
        if op.guard == NONE { self.mask } else { self.mask & self.guard(op.guard) }
    }

    #[inline(always)]
    fn guard(&self, guard: u32) -> u32 {
        let negated = if guard & 1 != 0 { FULL } else { 0 };
        self.predicate(guard & !1) ^ negated
    }

    /// Whether `mask` holds every lane that can ever look at a row again.
    #[inline(always)]
    pub fn covers(&self, mask: u32) -> bool {
        mask | self.dead == FULL
    }

    /// A predicate's lanes.
    #[inline(always)]
    pub fn predicate(&self, offset: u32) -> u32 {
        // SAFETY: the offset names a predicate of the frame.
        unsafe { *self.at(offset).cast() }
    }

    /// Stops with a fault of `lane`.
    #[cold]
    pub fn fail(&mut self, lane: u32, kind: FaultKind) -> Step {
        self.fault = Some(Box::new(Fault { kind, lane, site: None }));
        Step::Fault
    }

    /// Goes to `target`, coming from the op before `next`: the one place where groups of a warp meet again and give way.
    #[inline(always)]
    pub fn jump(&mut self, target: u32, next: u32) -> Step {
        self.pc = target;
        if target < next {
            self.fuel -= 1;
            if self.fuel <= 0 {
                self.spent = true;
                return Step::Choose;
            }
        }
        if target >= self.limit { Step::Choose } else { Step::Jump }
    }

    /// Sends the lanes of `taken` to `target` and the rest to `next`.
    #[inline(always)]
    pub fn branch(&mut self, taken: u32, target: u32, next: u32) -> Step {
        if taken == 0 {
            self.pc = next;
            return if next >= self.limit { Step::Choose } else { Step::Next };
        }
        if taken == self.mask {
            return self.jump(target, next);
        }
        self.split(taken, target, next)
    }

    #[inline(never)]
    fn split(&mut self, taken: u32, target: u32, next: u32) -> Step {
        let rest = self.mask & !taken;
        // The one that is earlier in reverse postorder runs on; the other waits for it.
        let (first, later) = if target < next { ((taken, target), (rest, next)) } else { ((rest, next), (taken, target)) };
        self.park(later.0, later.1, Wait::Nothing);
        self.set_mask(first.0);
        self.jump(first.1, next)
    }

    /// Parks some of the group's lanes at `pc`.
    pub fn park(&mut self, mask: u32, pc: u32, wait: Wait) {
        self.set_mask(self.mask & !mask);
        let parked = Parked { pc, base: self.base, top: self.top, mask, wait, yielded: false };
        let same = |p: &&mut Parked| p.pc == pc && p.base == parked.base && p.wait == wait;
        match self.warp.parked.iter_mut().find(same) {
            Some(other) => other.mask |= mask,
            None => self.warp.parked.push(parked),
        }
        if wait == Wait::Nothing {
            self.limit = self.limit.min(pc);
        }
    }

    /// Ends the lanes of `mask`.
    pub fn exit(&mut self, mask: u32) {
        self.dead |= mask;
        self.set_mask(self.mask & !mask);
        self.warp.live &= !mask;
        self.block.live -= mask.count_ones();
        let (warp, live, block_live) = (self.warp.index, self.warp.live, self.block.live);
        for barrier in self.block.barriers.iter_mut().filter(|b| b.open()) {
            barrier.exited(warp, mask, live, block_live, self.cluster.time);
        }
        if self.block.split.used {
            let now = self.cluster.now();
            self.block.split.barriers[0].look(block_live / LANES as u32, now);
        }
        let arrived = self.warp.met_cluster[(self.cluster.barrier.phase & 1) as usize] & mask;
        self.cluster.exited(self.block.rank, mask.count_ones(), arrived.count_ones());
    }

    /// Lets other warps run before the op behind this one, once what they may wait for has come: a thread that goes on too far is seen
    /// then. At random where a seed says so, and never where asynchronous work is done at once, for the sake of variety.
    pub fn hand_on(&mut self, op: &Op) -> Step {
        let hands_on = match self.launch.policy {
            Policy::Late => true,
            Policy::Early => false,
            Policy::Seeded => self.cluster.chance(2) == 0,
        };
        if !self.launch.watched || !hands_on {
            return Step::Next;
        }
        self.handed_on = true;
        self.pc = op.next;
        Step::Choose
    }

    /// Counts a read of memory that may be a poll.
    #[inline(always)]
    pub fn polled(&mut self) {
        self.fuel -= POLL[usize::from(!self.warp.parked.is_empty())];
        self.polls += 1;
    }

    /// Makes the register stack at least `bytes` long and refreshes the frame's place.
    pub fn grow(&mut self, bytes: usize) {
        let chunks = bytes.div_ceil(64);
        if self.warp.registers.len() < chunks {
            self.warp.registers.resize(chunks, Chunk([0; 64]));
        }
        self.enter(self.base);
    }

    /// Where the next frame can begin: above the frames of all groups of the warp.
    pub fn above_all(&self) -> u32 {
        self.warp.parked.iter().map(|p| p.top).fold(self.top, u32::max)
    }

    /// Makes the frame at `base` the current one.
    pub fn enter(&mut self, base: u32) {
        self.base = base;
        // SAFETY: `grow` has made room.
        self.frame = unsafe { self.warp.registers.as_mut_ptr().cast::<u8>().add(base as usize) };
    }
}

/// The lanes of a mask, lowest first.
pub fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        debug_assert!(lane < LANES);
        Some(lane)
    })
}
