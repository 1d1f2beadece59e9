//! Launches: clusters of blocks on workers, warps of a block, groups of a warp.
//!
//! A worker stays with a cluster until every group of it waits or polls memory in vain; then it turns to another resident one, or makes
//! a new one resident. So blocks that wait for one another make progress, and blocks that do not stay in cache. Usually a cluster is one
//! block; of several, the worker runs each until it waits or gives way. Within a
//! warp the group that runs is the deepest in calls, then the earliest in block order; one that spins gives way.

use crate::amdgpu::start::Wave;
use crate::lower::Kernel;
use crate::program::Origin;
use machine::barrier::Barrier;
use machine::cluster::{Cluster, MAX_BLOCKS};
use machine::hazard::Doubt;
use machine::job::{Broken, Policy};
use machine::mbarrier::{Object, Site};
use machine::memory::{Bytes, Local, Memory, REMEMBERED, Region, Touch};
use machine::overlap::Overlap;
use machine::split::Split;
use machine::state::{Block, Chunk, FaultKind, Gpu, Group, LOCAL_END, Launch, Parked, RECENT, Wait, Warp, lanes};
use machine::{FULL, LANES, Op, Step};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Backward jumps until a group gives way.
const FUEL: i32 = 20_000;
/// Times that a block may give way without polling before its worker turns to another.
const PATIENCE: u32 = 1_000;
/// Polls in one turn that make a group a spinning one, unless it has changed memory.
const SPINNING: u32 = 4;

/// Times that a cluster may give way without polling until its asynchronous work goes on.
const OVERDUE: u32 = 64;
/// Times that threads are told that they have waited long enough for a memory barrier object, and nothing comes of it, until it is a deadlock.
const VAIN: u32 = 4;

/// How to run.
#[derive(Clone)]
pub struct Options {
    /// Host threads; 0 for all cores.
    pub threads: usize,
    /// Warp instructions after which the launch is stopped.
    pub max_instructions: Option<u64>,
    /// Time after which the launch is stopped.
    pub timeout: Option<Duration>,
    /// One reproducible schedule, on one thread.
    pub seed: Option<u64>,
    /// Set from outside to stop the launch.
    pub cancel: Arc<AtomicBool>,
    /// Called before each warp instruction; runs on one thread then.
    pub trace: Option<Trace>,
    /// Blocks finished so far, for showing progress.
    pub progress: Arc<AtomicU64>,
    /// Greatest bytes of local memory a thread may have.
    pub local_limit: u32,
    /// When asynchronous work is done; a seed makes it random, too, unless it is done at once.
    pub policy: Policy,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            threads: 0,
            max_instructions: None,
            timeout: None,
            seed: None,
            cancel: Arc::default(),
            trace: None,
            progress: Arc::default(),
            local_limit: 512 << 10,
            policy: Policy::default(),
        }
    }
}

impl Options {
    /// When asynchronous work is done: a seed makes it random, unless it is done at once.
    pub fn effective_policy(&self) -> Policy {
        if self.seed.is_some() && self.policy == Policy::Late { Policy::Seeded } else { self.policy }
    }
}

/// What a tracer sees of a warp instruction.
#[derive(Clone, Copy, Debug)]
pub struct Traced {
    /// Block in the grid.
    pub block: [u32; 3],
    /// Warp in the block.
    pub warp: u32,
    /// Lanes of the group, whatever the guard says.
    pub mask: u32,
    /// The instruction.
    pub origin: Origin,
}

/// A tracer.
pub type Trace = Arc<dyn Fn(Traced) + Send + Sync>;

/// Shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Blocks of a cluster, where the launch says so; the kernel may say it itself.
    pub cluster: Option<[u32; 3]>,
}

/// What a finished launch did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Warp instructions executed.
    pub instructions: u64,
    /// Thread instructions executed, guards not counted off.
    pub thread_instructions: u64,
    /// Time from first to last block.
    pub elapsed: Duration,
    /// What device printf wrote.
    pub output: Vec<u8>,
    /// Who wrote last, and who read last, the byte that is looked for, if one is ([`Memory::seek`]).
    pub touched: Vec<Other>,
    /// Faults of AMD's code by rules that may not hold, once for each rule; the launch went on.
    pub doubts: Vec<Stopped>,
}

/// Where a group of threads stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Block in the grid.
    pub block: [u32; 3],
    /// Warp in the block.
    pub warp: u32,
    /// Its lanes.
    pub mask: u32,
    /// The instruction it runs next or waits at.
    pub origin: Origin,
    /// What it waits for.
    pub wait: Wait,
    /// The barrier of the block or the cluster that it waits for: arrived and expected threads.
    pub barrier: Option<(u32, u32)>,
    /// The memory barrier object that it waits for.
    pub object: Option<Object>,
    /// A thread of the block that read what asynchronous work had not written yet.
    pub premature: Option<Other>,
}

/// Another instruction that has to do with a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Other {
    /// The instruction.
    pub origin: Origin,
    /// Block in the grid.
    pub block: [u32; 3],
    /// Thread in the block.
    pub thread: [u32; 3],
    /// What happened there, with the word before the thread: `written here by`.
    pub what: &'static str,
}

/// Why a launch ended early.
#[derive(Clone, Debug)]
pub enum Stopped {
    /// The launch itself is wrong, in words: what, and what to do.
    Refused(String, String),
    /// A thread did something wrong.
    Fault {
        /// What.
        kind: FaultKind,
        /// The instruction.
        origin: Origin,
        /// Block in the grid.
        block: [u32; 3],
        /// Thread in the block.
        thread: [u32; 3],
        /// Another instruction that has to do with it.
        other: Option<Other>,
    },
    /// Nobody can go on.
    Deadlock(Vec<Standing>),
    /// Too many instructions.
    Instructions(u64, Vec<Standing>),
    /// Too much time.
    Timeout(Duration, Vec<Standing>),
    /// Stopped from outside.
    Cancelled(Vec<Standing>),
}

/// A launch that did not finish, with what it had printed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Why.
    pub why: Stopped,
    /// What it did until then.
    pub report: Report,
}

/// The scratch memory of AMD's wavefronts: a piece for each that is resident.
struct Scratch<'a> {
    memory: &'a Memory,
    bytes: u64,
    pieces: Mutex<Vec<u64>>,
}

impl<'a> Scratch<'a> {
    fn new(kernel: &Kernel, memory: &'a Memory) -> Self {
        let bytes = kernel.wave.as_ref().map_or(0, |wave| wave.scratch_bytes());
        Scratch { memory, bytes, pieces: Mutex::default() }
    }

    /// Another piece; 0 where none is needed, or none is left: whoever touches it is told.
    fn piece(&self) -> u64 {
        if self.bytes == 0 {
            return 0;
        }
        let Some(piece) = self.memory.allocate(self.bytes, true) else { return 0 };
        self.pieces.lock().unwrap_or_else(|e| e.into_inner()).push(piece);
        piece
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        for piece in self.pieces.get_mut().unwrap_or_else(|e| e.into_inner()).drain(..) {
            self.memory.free(piece);
        }
    }
}

/// What all workers of a launch share.
pub(crate) struct Work<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) launch: Launch<'a>,
    pub(crate) options: &'a Options,
    scratch: Scratch<'a>,
    workers: usize,
    resident: u64,
    instructions: AtomicU64,
    thread_instructions: AtomicU64,
    ended: Mutex<Option<Stopped>>,
    standing: Mutex<Vec<Standing>>,
    fuel: i32,
}

/// Runs a kernel to its end.
///
/// `params` is the parameter block. Blocks run on all cores unless `options` say otherwise.
///
/// # Errors
/// Why it did not finish; buffers then hold what had been written.
pub fn launch(
    kernel: &Kernel,
    shape: Shape,
    params: &[u8],
    memory: &Memory,
    gpu: Gpu,
    options: &Options,
) -> Result<Report, Box<Failure>> {
    let work = Work::new(kernel, shape, params, memory, gpu, options, usize::MAX)?;
    std::thread::scope(|scope| {
        (1..work.workers).for_each(|_| {
            scope.spawn(|| Worker::new(&work).run());
        });
        Worker::new(&work).run();
    });
    work.finish()
}

/// The launch's shape with the clusters that the kernel or the launch asks for, and those that there are.
fn clusters(kernel: &Kernel, mut shape: Shape, gpu: Gpu) -> Result<(Shape, [u32; 3]), (String, &'static str)> {
    let product = |[x, y, z]: [u32; 3]| u64::from(x) * u64::from(y) * u64::from(z);
    if let (Some([x, y, z]), Some(given)) = (kernel.clusters.shape, shape.cluster)
        && given != [x, y, z]
    {
        return Err((
            format!("the kernel requires clusters of {x} x {y} x {z} blocks (.reqnctapercluster)"),
            "launch it with that cluster, or without saying any",
        ));
    }
    shape.cluster = kernel.clusters.shape.or(shape.cluster);
    let Some(cluster @ [x, y, z]) = shape.cluster else {
        if kernel.clusters.explicit {
            return Err((
                "the kernel wants its clusters given a shape (.explicitcluster)".into(),
                "launch it with a cluster: --cluster X,Y,Z, or cluster = [X, Y, Z] in a launch file",
            ));
        }
        return Ok((shape, [1; 3]));
    };
    let size = product(cluster);
    if size == 0 || size > u64::from(MAX_BLOCKS) {
        return Err((
            format!("a cluster of {x} x {y} x {z} blocks is impossible"),
            "a cluster has 1 to 16 blocks, on every GPU with clusters up to 8",
        ));
    }
    if size > 1 && !gpu.clusters {
        return Err(("this GPU has no clusters of several blocks".into(), "launch it on one of compute capability 9.0 or later"));
    }
    if let Some(most) = kernel.clusters.most
        && size > u64::from(most)
    {
        return Err((
            format!("the kernel allows at most {most} blocks in a cluster (.maxclusterrank)"),
            "launch it with a smaller cluster",
        ));
    }
    if kernel.clusters.grid_of_clusters {
        for (blocks, factor) in shape.grid.iter_mut().zip(cluster) {
            *blocks = blocks.saturating_mul(factor);
        }
    }
    if shape.grid.iter().zip(cluster).any(|(blocks, of)| !blocks.is_multiple_of(of)) {
        let [gx, gy, gz] = shape.grid;
        return Err((
            format!("a grid of {gx} x {gy} x {gz} blocks cannot be divided into clusters of {x} x {y} x {z}"),
            "make each dimension of the grid a multiple of the cluster's",
        ));
    }
    Ok((shape, cluster))
}

/// Threads of a block, after checking the launch against kernel and GPU.
fn check(kernel: &Kernel, shape: Shape, gpu: Gpu) -> Result<u32, (String, &'static str)> {
    let [gx, gy, gz] = shape.grid;
    let threads = shape.block.iter().map(|n| u64::from(*n)).product::<u64>();
    if threads == 0 || gx == 0 || gy == 0 || gz == 0 {
        return Err((
            "a grid and a block need at least one of each dimension".into(),
            "give --grid and --block values of 1 or more",
        ));
    }
    if threads > 1024 || shape.block[2] > 64 {
        return Err((
            format!("a block of {threads} threads is too large"),
            "a block has at most 1024 threads, at most 64 of them in z",
        ));
    }
    if gx > i32::MAX as u32 || gy > 65535 || gz > 65535 {
        return Err((
            format!("a grid of {gx} x {gy} x {gz} blocks is too large"),
            "a grid has at most 2147483647 x 65535 x 65535 blocks",
        ));
    }
    if let Some((limit, exact)) = kernel.block_limit {
        let most = limit.iter().map(|n| u64::from(*n)).product::<u64>();
        if exact && shape.block != limit {
            let [x, y, z] = limit;
            return Err((
                format!("the kernel requires blocks of {x} x {y} x {z} threads (.reqntid, reqd_workgroup_size)"),
                "launch it with that block",
            ));
        }
        if threads > most {
            return Err((
                format!("the kernel allows at most {most} threads in a block (.maxntid, max_flat_workgroup_size)"),
                "launch it with a smaller block",
            ));
        }
    }
    let bytes = u64::from(kernel.shared) + u64::from(shape.shared);
    if bytes > u64::from(gpu.shared) {
        let most = gpu.shared;
        return Err((
            format!("a block needs {bytes} bytes of shared memory; this GPU has {most} for it"),
            "use less, or another --gpu",
        ));
    }
    Ok(threads as u32)
}

fn workers(options: &Options) -> usize {
    if options.seed.is_some() || options.trace.is_some() {
        return 1;
    }
    match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    }
}

/// Blocks that the GPU holds at once.
fn resident(kernel: &Kernel, shape: Shape, gpu: Gpu, warps: u32) -> u64 {
    let by_warps = gpu.warps / warps.max(1);
    let by_shared = match kernel.shared + shape.shared {
        0 => 32,
        bytes => gpu.shared_multiprocessor / bytes,
    };
    u64::from(by_warps.min(by_shared).clamp(1, 32)) * u64::from(gpu.multiprocessors)
}

impl<'a> Work<'a> {
    /// What is to be done, by at most so many workers.
    pub(crate) fn new(
        kernel: &'a Kernel,
        shape: Shape,
        params: &[u8],
        memory: &'a Memory,
        gpu: Gpu,
        options: &'a Options,
        most_workers: usize,
    ) -> Result<Self, Box<Failure>> {
        static GRID: AtomicU64 = AtomicU64::new(1);
        let refuse = |why: String, remedy: &str| {
            Box::new(Failure { why: Stopped::Refused(why, remedy.to_owned()), report: Report::default() })
        };
        let (shape, cluster) = clusters(kernel, shape, gpu).map_err(|(why, remedy)| refuse(why, remedy))?;
        let threads = check(kernel, shape, gpu).map_err(|(why, remedy)| refuse(why, remedy))?;
        let shared = [kernel.shared, shape.shared];
        let mut made = kernel.wave.as_ref().map(|wave| wave.parameters(params, shape.grid, shape.block, shared));
        let size = made.as_deref().unwrap_or(params).len();
        let full = || refuse("device memory is full".into(), "free buffers");
        let params_address = memory.allocate(size as u64, kernel.wave.is_some()).ok_or_else(full)?;
        if let Some(made) = &mut made {
            Wave::place_parameters(made, params_address);
        }
        let params = made.as_deref().unwrap_or(params);
        memory.write(params_address, params);
        let blocks: u64 = shape.grid.iter().map(|n| u64::from(*n)).product();
        let warps = threads.div_ceil(kernel.lanes());
        let size: u64 = cluster.iter().map(|n| u64::from(*n)).product();
        let (clusters, resident) = (blocks / size, (resident(kernel, shape, gpu, warps) / size).max(1));
        // More would find no block to execute.
        let workers = (workers(options).min(most_workers) as u64).min(resident).min(clusters);
        Ok(Work {
            kernel,
            launch: Launch {
                memory,
                grid: shape.grid,
                block: shape.block,
                cluster,
                explicit_cluster: shape.cluster.is_some(),
                params: Bytes::from(params),
                params_address,
                shared_bytes: shared,
                tables: &kernel.tables,
                output: Mutex::default(),
                doubts: Mutex::default(),
                gpu,
                stop: AtomicBool::new(false),
                heap: AtomicU64::new(8 << 20),
                start: Instant::now(),
                grid_id: GRID.fetch_add(1, Ordering::Relaxed),
                local_limit: options.local_limit,
                watched: kernel.watched || size > 1,
                global: kernel.watched_global.then(Arc::default),
                next: AtomicU64::new(0),
                clusters,
                policy: options.effective_policy(),
                overlap: Overlap::default(),
            },
            options,
            scratch: Scratch::new(kernel, memory),
            workers: workers as usize,
            resident: resident / workers,
            instructions: AtomicU64::new(0),
            thread_instructions: AtomicU64::new(0),
            ended: Mutex::default(),
            standing: Mutex::default(),
            fuel: options.max_instructions.map_or(FUEL, |max| (max / 8).clamp(1, FUEL as u64) as i32),
        })
    }

    fn end(&self, why: Stopped) {
        let mut ended = self.ended.lock().unwrap_or_else(|e| e.into_inner());
        ended.get_or_insert(why);
        self.launch.stop.store(true, Ordering::Relaxed);
    }

    /// Accesses of the byte that is looked for.
    fn touched(&self) -> Vec<Other> {
        let other = |(touch, what): (Option<Touch>, &'static str)| {
            let Touch { site, cluster } = touch?;
            let origin = self.kernel.origins.get(site.op as usize).copied()?;
            Some(Other { origin, block: self.block_of(cluster, site), thread: self.thread_of(site), what })
        };
        self.launch.memory.take_touches().into_iter().zip(["last written by", "last read by"]).filter_map(other).collect()
    }

    /// What came too early by rules that may not hold.
    fn doubts(&self) -> Vec<Stopped> {
        let doubts = std::mem::take(&mut *self.launch.doubts.lock().unwrap_or_else(|e| e.into_inner()));
        let told = |Doubt { early, op, block, warp }: Doubt| {
            let thread = point((warp * self.kernel.lanes()).into(), self.launch.block);
            let origin = |op: u32| self.kernel.origins.get(op as usize).copied().unwrap_or_default();
            let other = Some(Other { origin: origin(early.first), block, thread, what: "issued here by" });
            Stopped::Fault { kind: FaultKind::Early(Box::new(early)), origin: origin(op), block, thread, other }
        };
        doubts.into_iter().map(told).collect()
    }

    /// The block of a site in a cluster, in the grid.
    fn block_of(&self, cluster: [u32; 3], site: Site) -> [u32; 3] {
        let of = self.launch.cluster;
        let within = point(site.rank.into(), of);
        std::array::from_fn(|i| cluster[i] * of[i] + within[i])
    }

    /// The thread of a site, in its block.
    fn thread_of(&self, site: Site) -> [u32; 3] {
        point((site.warp * LANES as u32 + site.lane).into(), self.launch.block)
    }

    /// What came of it.
    pub(crate) fn finish(self) -> Result<Report, Box<Failure>> {
        self.launch.memory.free(self.launch.params_address);
        let touched = self.touched();
        let doubts = self.doubts();
        let report = Report {
            instructions: self.instructions.into_inner(),
            thread_instructions: self.thread_instructions.into_inner(),
            elapsed: self.launch.start.elapsed(),
            touched,
            doubts,
            output: self.launch.output.into_inner().unwrap_or_else(|e| e.into_inner()),
        };
        let mut standing = self.standing.into_inner().unwrap_or_else(|e| e.into_inner());
        standing.sort_by_key(|s| (s.block, s.warp));
        match self.ended.into_inner().unwrap_or_else(|e| e.into_inner()) {
            None => Ok(report),
            Some(why) => {
                let why = match why {
                    Stopped::Deadlock(_) => Stopped::Deadlock(standing),
                    Stopped::Instructions(n, _) => Stopped::Instructions(n, standing),
                    Stopped::Timeout(t, _) => Stopped::Timeout(t, standing),
                    Stopped::Cancelled(_) => Stopped::Cancelled(standing),
                    other => other,
                };
                Err(Box::new(Failure { why, report }))
            }
        }
    }

    /// Ends the launch if a limit is reached.
    fn check_limits(&self) {
        if self.options.cancel.load(Ordering::Relaxed) {
            self.end(Stopped::Cancelled(Vec::new()));
        }
        if let Some(max) = self.options.max_instructions
            && self.instructions.load(Ordering::Relaxed) >= max
        {
            self.end(Stopped::Instructions(max, Vec::new()));
        }
        if let Some(limit) = self.options.timeout
            && self.launch.start.elapsed() >= limit
        {
            self.end(Stopped::Timeout(limit, Vec::new()));
        }
    }
}

/// A resident cluster with its blocks.
struct Resident {
    cluster: Cluster,
    blocks: Vec<ResidentBlock>,
    /// Times that nothing could go on and threads were told that they had waited long enough, since something happened.
    vain: u32,
    /// Times that it gave way without polling since a job was done.
    turns: u32,
}

impl Resident {
    /// Whether a block stands still for a dependent launch, or a thread waits for the launch before.
    fn waits_for_launches(&self) -> bool {
        let waits = |warp: &Warp| warp.parked.iter().any(|parked| parked.wait == Wait::Grid);
        self.blocks.iter().any(|block| block.block.held || block.warps.iter().any(waits))
    }
}

/// A resident block with its warps.
struct ResidentBlock {
    block: Block,
    warps: Vec<Warp>,
    /// Where the scratch memory of each warp begins, of AMD's.
    scratch: Vec<u64>,
    /// Times that it gave way.
    turns: u32,
}

/// How far a warp or block came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// All threads have exited.
    Done,
    /// Every group waits.
    Waiting,
    /// It gave way; `true` if it polled memory.
    Yielded(bool),
    /// The launch has ended.
    Ended,
}

/// How far the parts of a block or a cluster came in one round.
#[derive(Default)]
struct Round {
    /// Whether some are not done.
    left: bool,
    /// Whether some gave way.
    yielded: bool,
    /// Whether some of these polled memory.
    polled: bool,
}

impl Round {
    /// Adds a part's progress; false if the launch has ended.
    fn add(&mut self, progress: Progress) -> bool {
        self.left |= progress != Progress::Done;
        if let Progress::Yielded(polled) = progress {
            self.yielded = true;
            self.polled |= polled;
        }
        progress != Progress::Ended
    }
}

/// What a worker did in one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Nothing: all its clusters are done, or the launch has ended.
    Done,
    /// It went on.
    Went,
    /// A cluster polled memory in vain.
    Polled,
    /// A cluster stands still for a dependent launch, or waits for the launch before.
    Waits,
}

pub(crate) struct Worker<'w> {
    work: &'w Work<'w>,
    queue: VecDeque<Resident>,
    /// Turns in a row that ended with a cluster that gave way.
    idle_turns: u64,
    spare: Vec<Resident>,
    random: Option<u64>,
    /// The regions of device memory used last.
    regions: [Region; REMEMBERED],
    instructions: u64,
    thread_instructions: u64,
    /// Warp instructions that are in the launch's counts already.
    counted: u64,
    /// Whether a group has changed memory, or looked for something that another cluster may do.
    busy: bool,
    /// Whether a warp of the cluster has gone on otherwise than by polling memory in vain.
    computes: bool,
    /// Instructions that the running warp may still execute in this turn, where schedules are random.
    turn: u32,
}

impl<'w> Worker<'w> {
    pub(crate) fn new(work: &'w Work<'w>) -> Self {
        let random = work.options.seed.map(|s| s.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        Worker {
            work,
            queue: VecDeque::new(),
            idle_turns: 0,
            spare: Vec::new(),
            random,
            regions: Default::default(),
            instructions: 0,
            thread_instructions: 0,
            counted: 0,
            busy: false,
            computes: false,
            turn: 0,
        }
    }

    fn run(mut self) {
        while self.turn() != Turn::Done {}
        self.leave();
    }

    /// Notes what it has executed and, of a launch that has ended early, where its clusters stand.
    pub(crate) fn leave(mut self) {
        self.account();
        if self.work.launch.stop.load(Ordering::Relaxed) {
            self.record_standing();
        }
    }

    /// Runs a cluster until it gives way.
    pub(crate) fn turn(&mut self) -> Turn {
        if self.work.launch.stop.load(Ordering::Relaxed) {
            return Turn::Done;
        }
        // A block that gave way goes behind one that has not begun, as long as the GPU has room.
        let room = (self.queue.len() as u64) < self.work.resident.max(1);
        let fresh = if room && (self.queue.is_empty() || self.idle_turns > 0) { self.start() } else { None };
        let Some(mut resident) = fresh.or_else(|| self.queue.pop_front()) else { return Turn::Done };
        let progress = self.run_cluster(&mut resident);
        let mut turn = Turn::Went;
        match progress {
            Progress::Done => {
                self.idle_turns = 0;
                if let Some(wave) = &self.work.kernel.wave
                    && let Some(probe) = &wave.probe
                {
                    probe.take(wave.frame, &resident.blocks[0].warps[0].registers);
                }
                self.work.options.progress.fetch_add(resident.blocks.len() as u64, Ordering::Relaxed);
                self.spare.push(resident);
            }
            Progress::Ended => self.queue.push_back(resident),
            Progress::Waiting if !resident.waits_for_launches() => {
                self.queue.push_back(resident);
                self.work.end(Stopped::Deadlock(Vec::new()));
            }
            Progress::Waiting | Progress::Yielded(_) => {
                turn = match progress {
                    Progress::Waiting => Turn::Waits,
                    Progress::Yielded(true) => Turn::Polled,
                    _ => Turn::Went,
                };
                self.idle_turns += 1;
                self.queue.push_back(resident);
            }
        }
        self.account();
        turn
    }

    /// Clusters that have begun and are not done.
    pub(crate) fn resident(&self) -> usize {
        self.queue.len()
    }

    /// Lets blocks go on that stand still for a dependent launch; false if there are none.
    pub(crate) fn release(&mut self) -> bool {
        let blocks = self.queue.iter_mut().flat_map(|resident| &mut resident.blocks);
        blocks.fold(false, |any, block| any | std::mem::take(&mut block.block.held))
    }

    /// Adds what was executed to the launch's counts, and looks at its limits.
    fn account(&mut self) {
        self.counted += self.instructions;
        self.work.instructions.fetch_add(std::mem::take(&mut self.instructions), Ordering::Relaxed);
        self.work.thread_instructions.fetch_add(std::mem::take(&mut self.thread_instructions), Ordering::Relaxed);
        self.work.check_limits();
    }

    /// Warp instructions that this worker has executed.
    fn instructions_so_far(&self) -> u64 {
        self.counted + self.instructions
    }

    fn random(&mut self, below: u64) -> u64 {
        match &mut self.random {
            None => 0,
            Some(state) => {
                *state ^= *state << 13;
                *state ^= *state >> 7;
                *state ^= *state << 17;
                *state % below
            }
        }
    }

    /// Makes the next cluster of the grid resident.
    fn start(&mut self) -> Option<Resident> {
        let launch = &self.work.launch;
        let linear = launch.next.fetch_add(1, Ordering::Relaxed);
        if linear >= launch.clusters {
            launch.next.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let index = point(linear, std::array::from_fn(|i| launch.grid[i] / launch.cluster[i]));
        let mut resident = self.spare.pop().unwrap_or_else(|| self.new_resident());
        let threads = self.work.kernel.threads(launch.block);
        resident.cluster.begin(index, threads);
        resident.cluster.random = self.random.is_some().then(|| self.random(u64::MAX) | 1);
        resident.vain = 0;
        resident.turns = 0;
        for resident in &mut resident.blocks {
            let block = &mut resident.block;
            let within = point(block.rank.into(), launch.cluster);
            block.index = std::array::from_fn(|i| index[i] * launch.cluster[i] + within[i]);
            let [x, y, z] = block.index.map(u64::from);
            let [gx, gy, _] = launch.grid.map(u64::from);
            block.linear = x + gx * (y + gy * z);
            block.live = threads;
            block.synchronised = [0; 2];
            block.signalled = false;
            block.held = false;
            if block.split.used {
                *block.split = Split::default();
            }
            block.barriers.iter_mut().filter(|b| !b.fresh()).for_each(|b| *b = Barrier::default());
            resident.turns = 0;
            for (warp, scratch) in resident.warps.iter_mut().zip(&resident.scratch) {
                begin_warp(self.work.kernel, warp, threads);
                if let Some(wave) = &self.work.kernel.wave {
                    wave.begin(launch, block, warp, *scratch);
                }
            }
        }
        Some(resident)
    }

    fn new_resident(&self) -> Resident {
        let kernel = self.work.kernel;
        let launch = &self.work.launch;
        let shared = kernel.shared.next_multiple_of(kernel.dynamic_align) * u32::from(launch.shared_bytes[1] > 0)
            + kernel.shared * u32::from(launch.shared_bytes[1] == 0)
            + launch.shared_bytes[1];
        let mut frame = vec![Chunk([0; 64]); kernel.frame.div_ceil(64) as usize];
        fill_frame(kernel, &mut frame);
        let blocks: u32 = launch.cluster.iter().product();
        let block = |rank| self.new_block(rank, &frame);
        let mut cluster = Cluster::new(blocks, shared);
        cluster.watch_global(launch.global.clone());
        Resident { cluster, blocks: (0..blocks).map(block).collect(), vain: 0, turns: 0 }
    }

    fn new_block(&self, rank: u32, frame: &[Chunk]) -> ResidentBlock {
        let (kernel, shape) = (self.work.kernel, self.work.launch.block);
        let threads = kernel.threads(shape);
        let warps = (0..threads.div_ceil(LANES as u32)).map(|index| {
            let mut local = Local::default();
            local.grow(kernel.local);
            Warp {
                registers: frame.to_vec(),
                index,
                threads: thread_indices(shape, index),
                live: 0,
                arrived: 0,
                met: 0,
                met_cluster: [0; 2],
                refused: 0,
                timed_out: 0,
                committed: [[0; LANES]; 2],
                synchronised: [[0; 3]; LANES],
                parked: Vec::new(),
                local,
                late: Default::default(),
                queued: None,
                issued: Vec::new(),
                initial: Vec::new(),
                recent: [0; RECENT],
            }
        });
        let barriers = [Barrier::default(); 16];
        let block = Block {
            index: [0; 3],
            linear: 0,
            rank,
            barriers,
            split: Box::default(),
            live: 0,
            synchronised: [0; 2],
            signalled: false,
            held: false,
        };
        let warps: Vec<Warp> = warps.collect();
        let scratch = warps.iter().map(|_| self.work.scratch.piece()).collect();
        ResidentBlock { warps, block, scratch, turns: 0 }
    }

    /// Runs the blocks of a cluster and its asynchronous work until all is done, or all groups wait or gave way.
    fn run_cluster(&mut self, resident: &mut Resident) -> Progress {
        let memory = self.work.launch.memory;
        loop {
            let changes = resident.cluster.changes;
            self.computes = false;
            let progress = self.run_blocks(resident);
            let has_jobs = resident.cluster.has_jobs();
            let done = match progress {
                Progress::Ended => return Progress::Ended,
                Progress::Done => resident.cluster.finish_all(memory),
                // It computes. Work that nobody waits for in a way that shows is done in the end all the same.
                Progress::Yielded(_) if self.computes => {
                    resident.turns += 1;
                    if !has_jobs || resident.turns < OVERDUE {
                        return progress;
                    }
                    self.finish_one(resident)
                }
                // What it has started is as late as it is itself.
                Progress::Waiting if resident.blocks.iter().any(|block| block.block.held) => return progress,
                Progress::Waiting | Progress::Yielded(_) if has_jobs => self.finish_one(resident),
                Progress::Waiting if resident.waits_for_launches() => return progress,
                Progress::Waiting | Progress::Yielded(_) => {
                    let changed = changes != resident.cluster.changes;
                    return self.wait_in_vain(resident, progress, changed);
                }
            };
            resident.turns = 0;
            resident.vain = 0;
            if let Err(broken) = done {
                self.broken(&resident.cluster, broken);
                return Progress::Ended;
            }
            if progress == Progress::Done {
                return progress;
            }
        }
    }

    /// Does a job: a random one, or the oldest that tells a memory barrier object which threads wait for, so that what nobody
    /// waits for stays undone; where there is none, the oldest.
    fn finish_one(&mut self, resident: &mut Resident) -> Result<(), Broken> {
        let cluster = &mut resident.cluster;
        let next = match self.random {
            Some(_) => self.random(cluster.jobs() as u64) as usize,
            None => {
                let parked = resident.blocks.iter().flat_map(|block| &block.warps).flat_map(|warp| &warp.parked);
                let waited = parked.filter_map(|p| if let Wait::Mbarrier(address, _) = p.wait { Some(address) } else { None });
                cluster.job_for(waited).unwrap_or(0)
            }
        };
        cluster.finish_job(self.work.launch.memory, next)
    }

    /// Nothing goes on: threads that wait for memory barrier objects but not for ever are told that they have waited long enough. If that does
    /// not help either, it is a deadlock.
    fn wait_in_vain(&mut self, resident: &mut Resident, progress: Progress, changed: bool) -> Progress {
        if std::mem::take(&mut self.busy) || changed {
            resident.vain = 0;
            if progress != Progress::Waiting {
                return progress;
            }
        }
        resident.vain += 1;
        let waits = give_up(&mut resident.blocks, resident.vain <= VAIN);
        match progress {
            _ if resident.vain > VAIN => Progress::Waiting,
            Progress::Waiting if !waits => Progress::Waiting,
            _ => Progress::Yielded(true),
        }
    }

    /// Runs the blocks of a cluster until all have exited, wait or gave way.
    fn run_blocks(&mut self, resident: &mut Resident) -> Progress {
        if let [block] = &mut resident.blocks[..] {
            return self.run_one(&mut resident.cluster, block);
        }
        let mut passes = 0;
        loop {
            let before = self.instructions_so_far();
            let mut round = Round::default();
            let count = resident.blocks.len();
            let first = self.random(count as u64) as usize;
            for i in 0..count {
                let block = &mut resident.blocks[(first + i) % count];
                if block.block.live == 0 {
                    continue;
                }
                if !round.add(self.run_one(&mut resident.cluster, block)) {
                    return Progress::Ended;
                }
            }
            if !round.left {
                return Progress::Done;
            }
            passes += 1;
            if round.yielded && (round.polled || self.random.is_some() || passes >= PATIENCE) {
                return Progress::Yielded(round.polled);
            }
            if self.work.launch.stop.load(Ordering::Relaxed) {
                return Progress::Ended;
            }
            if !round.yielded && self.instructions_so_far() == before {
                return Progress::Waiting;
            }
        }
    }

    /// Runs a block; where it ends, looks whether asynchronous work still needs its memory.
    fn run_one(&mut self, cluster: &mut Cluster, block: &mut ResidentBlock) -> Progress {
        let progress = self.run_block(cluster, block);
        if progress == Progress::Done && !block.block.signalled {
            self.work.launch.overlap.signalled.fetch_add(1, Ordering::Relaxed);
        }
        if progress != Progress::Done {
            return progress;
        }
        let rank = block.block.rank;
        let [with_peers, _] = block.block.synchronised;
        if let Err(broken) = cluster.leave(rank).and_then(|()| cluster.check_exit(rank, with_peers)) {
            self.broken(cluster, broken);
            return Progress::Ended;
        }
        progress
    }

    /// Does some asynchronous work at a random moment, or half of it.
    fn random_jobs(&mut self, cluster: &mut Cluster) -> Result<(), Broken> {
        for _ in 0..self.random(3) {
            if cluster.has_jobs() {
                let (next, half) = (self.random(cluster.jobs() as u64) as usize, self.random(2) == 0);
                let memory = self.work.launch.memory;
                if half { cluster.read_job(memory, next) } else { cluster.finish_job(memory, next) }?;
            }
        }
        Ok(())
    }

    fn run_block(&mut self, cluster: &mut Cluster, resident: &mut ResidentBlock) -> Progress {
        let mut passes = 0u32;
        loop {
            if resident.block.held {
                return Progress::Waiting;
            }
            let before = self.instructions;
            let mut round = Round::default();
            let count = resident.warps.len();
            let first = self.random(count as u64) as usize;
            for i in 0..count {
                let warp = &mut resident.warps[(first + i) % count];
                if warp.parked.is_empty() {
                    continue;
                }
                if self.work.launch.policy == Policy::Seeded
                    && let Err(broken) = self.random_jobs(cluster)
                {
                    self.broken(cluster, broken);
                    return Progress::Ended;
                }
                let executed = self.instructions;
                let progress = self.run_warp(cluster, &mut resident.block, warp);
                self.computes |= progress != Progress::Yielded(true) && self.instructions != executed;
                if resident.block.held && progress != Progress::Ended {
                    return Progress::Waiting;
                }
                if !round.add(progress) {
                    return Progress::Ended;
                }
            }
            let Round { left, yielded, polled } = round;
            if !left {
                return Progress::Done;
            }
            if self.instructions == before && !yielded {
                return Progress::Waiting;
            }
            passes += 1;
            resident.turns += u32::from(yielded);
            let turns_over = resident.turns % PATIENCE == PATIENCE - 1 || passes >= PATIENCE * 8;
            let others = self.random.is_some() || cluster.blocks() > 1;
            if polled || turns_over || others && yielded {
                self.account();
                return Progress::Yielded(polled);
            }
            if yielded {
                self.account();
                if self.work.launch.stop.load(Ordering::Relaxed) {
                    return Progress::Ended;
                }
            }
        }
    }

    /// Runs a warp's groups until all have exited, wait or gave way.
    fn run_warp(&mut self, cluster: &mut Cluster, block: &mut Block, warp: &mut Warp) -> Progress {
        let fuel = if self.random.is_some() { 1 + self.random(256) as i32 } else { self.work.fuel };
        self.turn = self.length_of_turn();
        let mut g = Group::new(warp, block, cluster, &self.work.launch, fuel, self.regions);
        // A short turn ends with the first poll.
        let spinning = if self.random.is_some() { 1 } else { SPINNING };
        let progress = loop {
            if std::mem::take(&mut g.handed_on) {
                break hand_on(&mut g, spinning);
            }
            let spent = g.spent;
            match choose(&mut g, spinning) {
                Choice::Run => {}
                Choice::Done => break Progress::Done,
                Choice::Waiting => break Progress::Waiting,
                Choice::Yield(polled) => break Progress::Yielded(polled),
            }
            // Fuel lasts until it is spent, whoever spends it: a group that is chosen again and again must give way in the end.
            if spent {
                self.busy |= busy(&g);
                g.fuel = fuel;
                g.polls = 0;
                g.phase_polls = 0;
                g.wrote = false;
            }
            let plain = self.work.options.trace.is_none() && self.random.is_none();
            let step = match (plain, self.work.kernel.waits_late()) {
                (true, false) => self.run_group::<false, false>(&mut g),
                (true, true) => self.run_group::<false, true>(&mut g),
                _ => self.run_group::<true, true>(&mut g),
            };
            if step == Step::Fault {
                self.fault(&mut g);
                break Progress::Ended;
            }
        };
        self.busy |= busy(&g);
        self.regions = g.regions;
        progress
    }

    /// Instructions of a warp's turn: few or many, at random, so that warps meet in the middle of things.
    fn length_of_turn(&mut self) -> u32 {
        if self.random.is_none() {
            return u32::MAX;
        }
        let most = 8 << self.random(7);
        1 + self.random(most) as u32
    }

    /// Whether the running warp's turn is over.
    fn is_over(&mut self) -> bool {
        let over = self.turn == 0 && self.random.is_some();
        self.turn = self.turn.saturating_sub(1);
        over
    }

    /// Runs the chosen group until it must be chosen anew. On a fault `g.pc` is the faulting op. With `STEPS`, every op may be traced and may
    /// end the warp's turn; with `LATE`, registers may be written late.
    fn run_group<const STEPS: bool, const LATE: bool>(&mut self, g: &mut Group) -> Step {
        let code: &[Op] = &self.work.kernel.code;
        let signatures: &[u64] = self.work.kernel.wave.as_ref().map_or(&[], |wave| &wave.signatures);
        let mut straight = self.straight(g.pc, g.mask());
        // SAFETY: lowering ends every function with an unguarded return, and every target is an op.
        let op_at = |pc: u32| unsafe { code.get_unchecked(pc as usize) };
        let mut op = op_at(g.pc);
        loop {
            let here = || op.next - 1;
            if STEPS && self.work.kernel.begins_instruction(here()) {
                if self.is_over() {
                    self.count(straight, here());
                    (g.pc, g.handed_on) = (here(), true);
                    return Step::Choose;
                }
                if let Some(trace) = &self.work.options.trace {
                    for origin in self.work.kernel.origins_at(here()) {
                        trace(Traced { block: g.block.index, warp: g.warp.index, mask: g.mask(), origin });
                    }
                }
            }
            let outstanding = if LATE { g.warp.late.signature() } else { 0 };
            if outstanding != 0
                && signatures.get(here() as usize).is_some_and(|used| used & outstanding != 0)
                && let Some(kind) = self.late_register(g, here())
            {
                g.pc = here();
                self.count(straight, op.next);
                return g.fail(0, kind);
            }
            // SAFETY: lowering chose the handler for the op's types and laid out the frame.
            match unsafe { (op.run)(g, op) } {
                // SAFETY: as for `op_at`. One step on in place of `op.next`, which the processor would have to load first.
                Step::Next => op = unsafe { &*std::ptr::from_ref(op).add(1) },
                Step::Jump => {
                    self.count(straight, op.next);
                    op = op_at(g.pc);
                    straight.first = g.pc;
                    if g.mask() != straight.mask {
                        straight = self.straight(g.pc, g.mask());
                    }
                }
                Step::Choose => {
                    self.count(straight, op.next);
                    return Step::Choose;
                }
                Step::Fault => {
                    self.count(straight, op.next);
                    g.pc = here();
                    return Step::Fault;
                }
            }
        }
    }

    /// Whether the instruction that begins with an op uses a register whose load has not been waited for.
    #[inline(never)]
    fn late_register(&self, g: &Group, pc: u32) -> Option<FaultKind> {
        let wave = self.work.kernel.wave.as_ref()?;
        let uses = &wave.instructions[wave.instruction_of[pc as usize] as usize].uses;
        let late = g.warp.late.touching(uses)?;
        Some(FaultKind::LateRegister { at: late.at, load: late.op })
    }

    /// A straight piece that begins with an op.
    fn straight(&self, first: u32, mask: u32) -> Straight {
        Straight { first, mask, lanes: mask.count_ones() * (self.work.kernel.lanes() / LANES as u32) }
    }

    /// Counts the ops of a straight piece that ends before `end`.
    fn count(&mut self, straight: Straight, end: u32) {
        let executed = self.work.kernel.instructions_between(straight.first, end);
        self.instructions += executed;
        self.thread_instructions += executed * u64::from(straight.lanes);
    }

    fn fault(&self, g: &mut Group) {
        let Some(fault) = g.fault.take() else { return };
        if let Some(site) = fault.site {
            return self.broken(g.cluster, (fault.kind, site));
        }
        // The guard of AMD's ops tells which lanes they are for.
        let upper = match &self.work.kernel.wave {
            Some(_) if self.work.kernel.code[g.pc as usize].guard != machine::op::NONE => {
                self.work.kernel.code[g.pc as usize].guard & 4
            }
            _ => 0,
        };
        let linear = g.warp.index * self.work.kernel.lanes() + fault.lane + 8 * upper;
        let [x, y, _] = g.launch.block;
        let thread = [linear % x, linear / x % y, linear / x / y];
        let origin = self.work.kernel.origins[g.pc as usize];
        let other = match &fault.kind {
            FaultKind::LateRegister { load, .. } | FaultKind::LateRead { load, .. } => {
                let origin = self.work.kernel.origins[*load as usize];
                Some(Other { origin, block: g.block.index, thread, what: "loaded here by" })
            }
            FaultKind::Early(early) => {
                let origin = self.work.kernel.origins.get(early.first as usize).copied().unwrap_or_default();
                Some(Other { origin, block: g.block.index, thread, what: "issued here by" })
            }
            kind => self.other(g.cluster, kind),
        };
        self.work.end(Stopped::Fault { kind: fault.kind, origin, block: g.block.index, thread, other });
    }

    /// Ends the launch because of a job that went wrong.
    fn broken(&self, cluster: &Cluster, (kind, site): Broken) {
        let other = self.other(cluster, &kind);
        let (block, thread) = (self.work.block_of(cluster.index, site), self.work.thread_of(site));
        self.work.end(Stopped::Fault { kind, origin: self.origin_of(site), block, thread, other });
    }

    /// The other instruction that has to do with a fault in a cluster.
    fn other(&self, cluster: &Cluster, kind: &FaultKind) -> Option<Other> {
        let (site, what) = kind.other()?;
        let block = self.work.block_of(kind.other_cluster().unwrap_or(cluster.index), site);
        Some(Other { origin: self.origin_of(site), block, thread: self.work.thread_of(site), what })
    }

    /// The instruction of a site.
    fn origin_of(&self, site: Site) -> Origin {
        self.work.kernel.origins.get(site.op as usize).copied().unwrap_or_default()
    }

    /// Notes where the groups of resident blocks stand, a bounded number of them.
    fn record_standing(&self) {
        let mut all = self.work.standing.lock().unwrap_or_else(|e| e.into_inner());
        for resident in &self.queue {
            for block in &resident.blocks {
                let reader = resident.cluster.premature_reader(block.block.rank);
                let premature = reader.map(|site| Other {
                    origin: self.origin_of(site),
                    block: block.block.index,
                    thread: self.work.thread_of(site),
                    what: "read here by",
                });
                for (warp, parked) in block.warps.iter().flat_map(|warp| warp.parked.iter().map(move |parked| (warp, parked))) {
                    if all.len() >= 1000 {
                        return;
                    }
                    all.push(Standing { premature, ..self.standing(&resident.cluster, &block.block, warp, parked) });
                }
            }
        }
    }

    fn standing(&self, cluster: &Cluster, block: &Block, warp: &Warp, parked: &Parked) -> Standing {
        let barrier = match parked.wait {
            Wait::Barrier(b) => block.barriers.get(usize::from(b)).map(|s| s.count(block.live)),
            Wait::Cluster(_) => Some(cluster.barrier.count()),
            Wait::Split(Wait::CLUSTER, _) => Some((cluster.split.arrived, cluster.live_blocks())),
            Wait::Split(0, _) => Some((block.split.barriers[0].arrived, block.live / LANES as u32)),
            Wait::Split(number, _) => block.split.barriers.get(usize::from(number)).map(|b| (b.arrived, b.members)),
            _ => None,
        };
        let origin = self.work.kernel.origins.get(parked.pc as usize).copied().unwrap_or_default();
        let object = match parked.wait {
            Wait::Mbarrier(address, _) => cluster.mbarrier_at(address).cloned(),
            _ => None,
        };
        Standing {
            block: block.index,
            warp: warp.index,
            mask: parked.mask,
            origin,
            wait: parked.wait,
            barrier,
            object,
            premature: None,
        }
    }
}

/// The point with this number in a box of points, x first.
pub(crate) fn point(linear: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let [x, y] = [x, y].map(u64::from);
    [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
}

/// Puts a warp of a block of so many threads before the kernel's first op.
fn begin_warp(kernel: &Kernel, warp: &mut Warp, threads: u32) {
    let count = (threads - warp.index * LANES as u32).min(LANES as u32);
    warp.live = if count == 32 { FULL } else { (1 << count) - 1 };
    warp.arrived = 0;
    warp.met = 0;
    warp.met_cluster = [0; 2];
    warp.refused = 0;
    warp.timed_out = 0;
    warp.queued = None;
    warp.committed = [[0; LANES]; 2];
    warp.synchronised = [[0; 3]; LANES];
    warp.local.clear();
    // An earlier block may have allocated on its stack.
    fill_row(&mut warp.registers, LOCAL_END, u128::from(kernel.local), 32);
    warp.parked.clear();
    let (top, mask) = (kernel.frame, warp.live);
    warp.parked.push(Parked { pc: 0, base: 0, top, mask, wait: Wait::Nothing, yielded: false });
}

/// Ops that a group executes one after the other.
#[derive(Clone, Copy)]
struct Straight {
    first: u32,
    mask: u32,
    /// How many lanes these are of a warp or wavefront.
    lanes: u32,
}

/// Writes the kernel frame's constants and linkage.
fn fill_frame(kernel: &Kernel, frame: &mut [Chunk]) {
    fill_row(frame, LOCAL_END, u128::from(kernel.local), 32);
    for (offset, bits, width) in &kernel.constants {
        fill_row(frame, *offset, *bits, *width);
    }
}

/// Gives all lanes of the row at `offset` one value of `width` bits; 1 is a predicate.
fn fill_row(frame: &mut [Chunk], offset: u32, bits: u128, width: u32) {
    let (bits, width, count) = if width == 1 { (u128::from(FULL) * (bits & 1), 32, 1) } else { (bits, width, LANES) };
    let (size, value) = (width as usize / 8, bits.to_le_bytes());
    for at in (offset as usize..).step_by(size).take(count) {
        // Rows are aligned to their elements, so none lies in two chunks.
        frame[at / 64].0[at % 64..][..size].copy_from_slice(&value[..size]);
    }
}

/// The indices of a warp's threads in a block of this shape.
fn thread_indices([x, y, _]: [u32; 3], warp: u32) -> [[u32; LANES]; 3] {
    let linear: [u32; LANES] = std::array::from_fn(|lane| warp * LANES as u32 + lane as u32);
    [linear.map(|n| n % x), linear.map(|n| n / x % y), linear.map(|n| n / x / y)]
}

enum Choice {
    Run,
    Done,
    Waiting,
    /// All that can run have given way; whether one polled.
    Yield(bool),
}

/// Parks the current group where it is, for other warps to run.
fn hand_on(g: &mut Group, spinning: u32) -> Progress {
    if g.mask() != 0 {
        g.park(g.mask(), g.pc, Wait::Nothing);
    }
    Progress::Yielded(g.polls >= spinning && !g.wrote)
}

/// Whether a group has changed memory, or looked for something that another cluster may do.
fn busy(g: &Group) -> bool {
    g.wrote || g.polls > g.phase_polls
}

/// Whether groups wait for memory barrier objects; with `now`, they have waited long enough.
fn give_up(blocks: &mut [ResidentBlock], now: bool) -> bool {
    let mut found = false;
    for warp in blocks.iter_mut().flat_map(|block| &mut block.warps) {
        for parked in warp.parked.iter_mut().filter(|parked| matches!(parked.wait, Wait::Mbarrier(..))) {
            found = true;
            if now {
                parked.wait = Wait::Nothing;
                warp.timed_out |= parked.mask;
            }
        }
    }
    found
}

/// Parks the current group and chooses the next: deepest frame, then earliest op, those that gave way last. Groups at the
/// same op of the same frame become one.
fn choose(g: &mut Group, spinning: u32) -> Choice {
    let polled = g.polls >= spinning && !g.wrote;
    if g.mask() != 0 {
        let (mask, pc, spent) = (g.mask(), g.pc, std::mem::take(&mut g.spent));
        g.park(mask, pc, Wait::Nothing);
        if spent && let Some(own) = g.warp.parked.iter_mut().find(|p| p.pc == pc && p.base == g.base && p.wait == Wait::Nothing) {
            own.yielded = true;
        }
    }
    g.spent = false;
    if g.warp.parked.is_empty() {
        return Choice::Done;
    }
    if g.block.held {
        return Choice::Waiting;
    }
    /// Not yielded first, then deepest in calls, then earliest.
    type Rank = (bool, u32, std::cmp::Reverse<u32>);
    let mut best: Option<(usize, Rank)> = None;
    for (i, parked) in g.warp.parked.iter().enumerate() {
        let rank = (!parked.yielded, parked.base, std::cmp::Reverse(parked.pc));
        if can_run(g, parked) && best.is_none_or(|(_, other)| rank > other) {
            best = Some((i, rank));
        }
    }
    let Some((index, (fresh, ..))) = best else { return Choice::Waiting };
    if !fresh {
        g.warp.parked.iter_mut().for_each(|p| p.yielded = false);
        return Choice::Yield(polled);
    }
    take(g, index);
    Choice::Run
}

/// Makes a parked group, and all that stand at the same op ready to run, the current one.
fn take(g: &mut Group, index: usize) {
    let chosen = g.warp.parked.swap_remove(index);
    let mut mask = chosen.mask;
    let mut i = 0;
    let mut limit = u32::MAX;
    while i < g.warp.parked.len() {
        let other = g.warp.parked[i];
        let ready = can_run(g, &other);
        let alike = other.pc == chosen.pc && other.base == chosen.base;
        if ready && alike {
            mask |= other.mask;
            g.warp.parked.swap_remove(i);
            continue;
        }
        if ready && !other.yielded && other.base >= chosen.base {
            limit = if other.base > chosen.base { 0 } else { limit.min(other.pc) };
        }
        i += 1;
    }
    g.set_mask(mask);
    g.pc = chosen.pc;
    g.top = chosen.top;
    g.limit = limit;
    g.enter(chosen.base);
}

/// Whether what a parked group waits for has come.
fn can_run(g: &Group, parked: &Parked) -> bool {
    match parked.wait {
        Wait::Nothing | Wait::Barrier(_) | Wait::Cluster(_) | Wait::Mbarrier(..) | Wait::Split(..) => {
            parked.wait.over(g.block, g.cluster)
        }
        Wait::Grid => !g.launch.overlap.waits.load(Ordering::Relaxed),
        Wait::Lanes(wanted, kind) => {
            // Those missing may have exited since.
            let live = wanted & !g.dead();
            let alike = |wait: Wait| matches!(wait, Wait::Lanes(lanes, other) if other == kind && lanes & !g.dead() == live);
            g.warp.parked.iter().filter(|p| alike(p.wait)).fold(0, |m, p| m | p.mask) & live == live
        }
    }
}

/// The lanes of a standing as thread indices of its block.
pub fn threads(standing: &Standing, block: [u32; 3]) -> Vec<[u32; 3]> {
    let [x, y, _] = block;
    lanes(standing.mask)
        .map(|lane| {
            let linear = standing.warp * LANES as u32 + lane as u32;
            [linear % x, linear / x % y, linear / x / y]
        })
        .collect()
}
