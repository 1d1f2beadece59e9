//! What stopped a launch, as a diagnostic: place, rule, remedy.

use crate::Kernel;
use diagnostics::{Diagnostic, Span};
use engine::launch::{Other, Standing};
use engine::program::Origin;
use engine::{Shape, Stopped, codes};
use machine::cluster::rank_of;
use machine::mbarrier::{CONDITIONAL, Object, Site, shown};
use machine::memory::{LOCAL_WINDOW, SHARED_WINDOW, SHARED_WINDOW_SIZE, WINDOW};
use machine::multicast::is_multicast;
use machine::overlap::Conflict;
use machine::state::{Access, FaultKind, Rule, Wait};
use ptx::ast::{Block, Item, Loc, Module, Statement};

/// Places of waiting or running threads that a diagnostic lists.
const LISTED: usize = 8;

/// The text that a diagnostic of `why` speaks of; none if the launch itself is wrong.
pub fn unit(why: &Stopped) -> Option<u32> {
    match why {
        Stopped::Refused(..) => None,
        Stopped::Fault { origin, .. } => Some(origin.unit),
        Stopped::Deadlock(all) | Stopped::Instructions(_, all) | Stopped::Timeout(_, all) | Stopped::Cancelled(all) => {
            all.first().map(|s| s.origin.unit)
        }
    }
}

/// A diagnostic for the person who launched the kernel.
pub fn diagnostic(why: &Stopped, kernel: &Kernel, shape: Shape) -> Diagnostic {
    match why {
        Stopped::Refused(what, remedy) => {
            Diagnostic { labels: Vec::new(), ..Diagnostic::error(codes::REFUSED, Span::default(), what).help(remedy) }
        }
        Stopped::Fault { kind, origin, block, thread, other } => {
            let place = format!("thread {} of block {}{}", point(*thread), point(*block), lane(kernel, shape, *thread));
            let mut diagnostic = fault(kind, kernel, *origin).label(place);
            if let Some(other) = other.filter(|other| other.origin.unit == origin.unit) {
                let of = if other.block == *block { String::new() } else { format!(" of block {}", point(other.block)) };
                diagnostic = diagnostic.also(other.origin.span, format!("{} thread {}{of}", other.what, point(other.thread)));
            }
            match source_line(kernel, *origin) {
                Some(line) => diagnostic.note(line),
                None => diagnostic,
            }
        }
        Stopped::Deadlock(all) => standing(
            codes::DEADLOCK,
            "deadlock: no thread can go on".into(),
            all,
            (kernel, shape),
            "every thread that a barrier or a warp-wide instruction counts on must arrive there, and every byte that an mbarrier object expects must come",
        ),
        Stopped::Instructions(limit, all) => standing(
            codes::LIMIT,
            format!("stopped after {limit} warp instructions, as asked"),
            all,
            (kernel, shape),
            "raise --max-instructions if it should have gone on",
        ),
        Stopped::Timeout(limit, all) => standing(
            codes::LIMIT,
            format!("stopped after {:.1} seconds, as asked", limit.as_secs_f64()),
            all,
            (kernel, shape),
            "raise --timeout if it should have gone on",
        ),
        Stopped::Cancelled(all) => {
            standing(codes::LIMIT, "interrupted".into(), all, (kernel, shape), "this is where the warps stood")
        }
    }
}

/// A thread's lane and wavefront; of PTX nothing, which has no words for them.
fn lane(kernel: &Kernel, shape: Shape, [x, y, z]: [u32; 3]) -> String {
    let details = kernel.details();
    if details.wave.is_none() {
        return String::new();
    }
    let [width, height, _] = shape.block;
    let linear = (z * height + y) * width + x;
    format!(", lane {} of wave {}", linear % details.lanes(), linear / details.lanes())
}

/// A point of a grid or block.
fn point([x, y, z]: [u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

/// Where it is said that addresses are aligned.
fn alignment(kernel: &Kernel) -> &'static str {
    match kernel.details().wave {
        Some(_) => "AMD's ISA guides, alignment of atomic operations and of LDS",
        None => "PTX ISA, addresses as operands",
    }
}

fn fault(kind: &FaultKind, kernel: &Kernel, origin: Origin) -> Diagnostic {
    let error = |code, message: String| Diagnostic::error(code, origin.span, message);
    match kind {
        FaultKind::OutOfBounds { space, address, size, access, .. } if *space != "multicast" && is_multicast(*address) => {
            error(codes::BOUNDS, format!("{} of {size} bytes at 0x{address:x}, which is a multicast address", word(*access)))
                .note("a multicast address stands for a location on each device of a group; only multimem instructions take it (PTX ISA, multimem)")
                .help("use a multimem instruction, or the address of the buffer on one device")
        }
        FaultKind::OutOfBounds { space, address, size, access, nearest } => {
            let nothing = if *address == 0 && *space == "global" { ", the null address" } else { "" };
            let message = format!("{} of {size} bytes at 0x{address:x}{nothing}, outside {space} memory", word(*access));
            let diagnostic = error(codes::BOUNDS, message);
            let diagnostic = match nearest {
                Some(nearest) => diagnostic.note(nearest_note(kernel, space, *address, *nearest)),
                None => diagnostic.note("nothing is allocated below this address"),
            };
            diagnostic.help(match (*space, *address) {
                ("global", 0) => "the pointer is null: give the kernel a buffer, or keep it from using the pointer",
                ("shared", _) => "check the index, and whether the launch gives enough dynamic shared memory (--shared)",
                _ => "check the index against the number of elements, and the grid against both",
            })
        }
        FaultKind::Misaligned { address, size, access } => {
            error(codes::ALIGNMENT, format!("misaligned {} of {size} bytes at {}", word(*access), place(*address)))
                .note(format!("the address must be a multiple of {size} ({})", alignment(kernel)))
                .help("align the data, or access it in smaller pieces")
        }
        FaultKind::ReadOnly { address } => {
            let name = variable(kernel, *address).map_or(String::new(), |v| format!(", in `{v}`"));
            error(codes::READ_ONLY, format!("write to constant memory at 0x{address:x}{name}"))
                .note("kernels only read constant memory and their parameters")
                .help("declare the variable in .global memory")
        }
        FaultKind::NoBlock { rank, blocks } => {
            let of =
                if *blocks == 1 { "the cluster has one block".to_owned() } else { format!("the cluster has {blocks} blocks") };
            error(codes::PEER, format!("there is no block {rank} in the cluster"))
                .note(format!("{of}; the bits of a shared address from 24 on are the rank of a block"))
                .help("launch the kernel with larger clusters (--cluster), or compute the rank from %cluster_nctarank")
        }
        FaultKind::LateRegister { at, .. } => {
            let name = kernel.details().wave.as_ref().map_or(String::new(), |wave| wave.frame.name_of(*at));
            error(codes::LATE, format!("uses `{name}`, whose load the wavefront has not waited for"))
                .note(codes::LATE_NOTE)
                .help(codes::LATE_HELP)
        }
        FaultKind::LateRead { at, .. } => {
            error(codes::LATE, format!("copies to 0x{at:x} in LDS, where a load of this wavefront may not have read yet"))
                .note("loads from LDS and copies to it in the background go in no order (AMD's CDNA5 ISA guide, asynchronous copies)")
                .help("wait for the load before the copy: s_wait_dscnt")
        }
        FaultKind::Early(early) => error(codes::EARLY, early.message.clone()).note(early.note.clone()).help(early.help.clone()),
        FaultKind::ExitedBlock { rank } => {
            error(codes::PEER, format!("access to the shared memory of block {rank} of the cluster, which has exited"))
                .note("a block's shared memory lasts until the block exits (PTX ISA, shared state space)")
                .help("let every block wait for the others before it exits: barrier.cluster.arrive and barrier.cluster.wait")
        }
        FaultKind::OtherBlock { address, rank } => {
            let of = rank_of(*address);
            error(
                codes::PEER,
                format!("0x{address:x} lies in the shared memory of block {of} of the cluster, not of this one, block {rank}"),
            )
            .note(".shared and .shared::cta are the own block's shared memory, and so is where an mbarrier object is initialised or waited for")
            .help("use .shared::cluster, or a generic address, where the instruction takes one")
        }
        FaultKind::Unfenced { address, size, .. } => {
            let message = format!(
                "reads {size} bytes at {} through the asynchronous proxy, some of which were written without fence.proxy.async since",
                reached(*address)
            );
            error(codes::UNFENCED, message)
                .note("what a thread writes is there for asynchronous copies only after a proxy fence (PTX ISA, async proxy)")
                .help("execute fence.proxy.async after the writes, in the threads that write or in the one that starts the copy, behind a barrier")
        }
        FaultKind::Unwaited { address, size, access, .. } => {
            let at = reached(*address);
            let (message, remedy) = match access {
                Access::Read => (
                    format!("read of {size} bytes at {at} that asynchronous work has still to write"),
                    "wait for the work first: its group, or the mbarrier object that it completes, in the threads that read or behind a barrier",
                ),
                _ => (
                    format!("write of {size} bytes at {at} that asynchronous work has still to read or to write"),
                    "wait for the work first: its group (.read is enough to write its source), or the mbarrier object that it completes",
                ),
            };
            let (source, remedy) = match kernel.details().wave {
                None => ("PTX ISA, completion mechanisms", remedy),
                Some(_) => (
                    "AMD's CDNA5 ISA guide, asynchronous copies and tensor data mover",
                    "wait for the work first, in the wavefront that started it: s_wait_asynccnt for copies, s_wait_tensorcnt for tiles; others wait for that \
                     wavefront at a barrier behind it, or for the barrier in LDS at which the work arrives",
                ),
            };
            error(codes::UNWAITED, message)
                .note(format!("asynchronous work may be done at any time until it has been waited for ({source})"))
                .help(remedy)
        }
        FaultKind::Overlap(conflict) => {
            let Conflict { dependent: (_, does), prerequisite: (_, other), address, size } = **conflict;
            let name = within(kernel, address).map_or(String::new(), |name| format!(", in `{name}`,"));
            let message = format!(
                "{} of {size} bytes at 0x{address:x}{name} that the launch before, which may not be complete, has {}",
                word(does),
                done(other)
            );
            error(codes::OVERLAP, message)
                .note("a dependent launch may begin when all blocks of the one before have executed griddepcontrol.launch_dependents; what that one writes is there after griddepcontrol.wait alone (PTX ISA, griddepcontrol)")
                .help("execute griddepcontrol.wait (cudaGridDependencySynchronize) before the access")
        }
        FaultKind::Race { address, size, access, before, .. } => {
            let (what, at) = (word(*access), shown(*address));
            let done = match before {
                Access::Read => "which a copy has read",
                Access::Write => "which others have written",
                Access::Atomic => "which others have changed",
            };
            error(codes::RACE, format!("{what} of {size} bytes at {at}, {done}: nothing orders the two"))
                .note("in another order of warps and blocks something else would be read (PTX ISA, memory consistency model)")
                .help("put a barrier between them (bar.sync; barrier.cluster between blocks), or wait for an mbarrier object")
        }
        FaultKind::Uninitialised { address, size, access } => {
            let message = format!("{} of {size} bytes at {}, which nobody has written", word(*access), shown(*address));
            error(codes::PEER, message)
                .note("another block of the cluster may not have begun, and shared memory begins with any bytes")
                .help("let the block write it first, then meet: barrier.cluster.arrive and barrier.cluster.wait")
        }
        FaultKind::ObjectAccess { address, access, .. } => {
            let name = kernel.details().shared_name(address & 0xff_ffff).map_or(String::new(), |name| format!("`{name}` "));
            error(codes::OBJECT_ACCESS, format!("plain {} of the mbarrier object {name}at {}", word(*access), shown(*address)))
                .note("an object that is alive is for mbarrier instructions only (PTX ISA, mbarrier)")
                .help("check where the access was meant to go, or end the object with mbarrier.inval")
        }
        FaultKind::Rule { rule, message, .. } => {
            let (code, note, help) = rule_texts(*rule);
            error(code, message.clone()).note(note).help(help)
        }
        FaultKind::Trap => error(codes::TRAP, "the kernel stopped itself: trap".into())
            .help("look at the condition that leads here: compilers emit trap for what must not happen"),
        FaultKind::Breakpoint => {
            error(codes::TRAP, "the kernel reached a breakpoint: brkpt".into()).help("remove it: there is no debugger here")
        }
        FaultKind::Assert(text) => error(codes::ASSERT, format!("assertion failed: {text}")),
        FaultKind::StackOverflow { limit, what } => error(codes::STACK, format!("{what} exhausted: more than {limit} bytes"))
            .help("bound the recursion, or use less local memory in each call"),
        FaultKind::BadTarget { value, wanted } => {
            error(codes::TARGET, format!("0x{value:x} is not {wanted}")).help("check where the value comes from")
        }
        FaultKind::Scratch { offset, size, lane } => {
            error(codes::BOUNDS, format!("access of {size} bytes at {offset} in scratch memory, of which a work-item has {lane} bytes"))
                .note("the kernel's descriptor and metadata say how much it has (private_segment_fixed_size, uses_dynamic_stack)")
                .help("check the index of a private array, and how deep functions call themselves: compilers do not count that")
        }
        FaultKind::Unexecutable(text) => error(codes::PENDING, text.clone())
            .note("an address in a register led here, so that this was not known when the kernel was loaded"),
        FaultKind::Undefined => error(codes::FAULT, "the bytes here are no instruction of this target".into()).help(codes::UNDEFINED_HELP),
        FaultKind::Other(text) => error(codes::FAULT, text.clone())
            .help("look at what the operands hold; `lockstep explain` has the rules of the instruction"),
    }
}

/// The code of a rule, where it is from, and what helps.
fn rule_texts(rule: Rule) -> (&'static str, &'static str, &'static str) {
    match rule {
        Rule::Exit => (
            codes::EXIT,
            "a block's shared memory lasts until the block exits (PTX ISA, shared state space)",
            "wait for the work before: cp.async.bulk.wait_group.read 0 where it reads, mbarrier.try_wait until it gives true where it writes",
        ),
        Rule::Peer => (
            codes::PEER,
            "a block's shared memory lasts until the block exits (PTX ISA, shared state space)",
            "let every block wait for the others before it exits: barrier.cluster.arrive and barrier.cluster.wait",
        ),
        Rule::Object => (
            codes::MBARRIER,
            "an object is alive from mbarrier.init to mbarrier.inval (PTX ISA, mbarrier)",
            "initialise it once, in one thread, with a barrier behind it (of the cluster where other blocks use it), or end it first with mbarrier.inval",
        ),
        Rule::Count => (
            codes::COUNT,
            "an object expects 1 to 1048575 arrivals, and its transaction count stays within 1048575 of 0 (PTX ISA, mbarrier)",
            "make the count of mbarrier.init that of the arrivals of a phase, and wait for a phase before arriving in the next",
        ),
        Rule::State => (
            codes::STATE,
            "a state comes from mbarrier.arrive on the same object (PTX ISA, mbarrier.test_wait)",
            "keep what mbarrier.arrive returned, or use the .parity form",
        ),
        Rule::Size => (
            codes::SIZE,
            "sizes are in bytes (PTX ISA, asynchronous copies)",
            "round the size up and make room for it, or copy the rest by other means",
        ),
        Rule::Tensor => (
            codes::TENSOR,
            "the map's fields and the instruction must agree (PTX ISA, tensors)",
            "compare the map's rank, mode and sizes with the instruction's coordinates",
        ),
        Rule::Barrier => (
            codes::BARRIER,
            "who meets at a barrier gives the same count and arrives once a phase (PTX ISA, bar; AMD's ISA guides, barriers)",
            "compare the instructions that use this barrier",
        ),
        Rule::ClusterBarrier => (
            codes::CLUSTER_BARRIER,
            "each thread arrives at the cluster's barrier and then waits there (PTX ISA, barrier.cluster)",
            "pair each barrier.cluster.arrive with one barrier.cluster.wait behind it",
        ),
        Rule::Aligned => (
            codes::ALIGNED,
            "all threads of a warp execute an aligned instruction together (PTX ISA, bar and barrier)",
            "take it out of the condition, or use barrier without .aligned",
        ),
        Rule::Members => (
            codes::MEMBERS,
            "the mask names all lanes that take part, the executing one among them (PTX ISA, .sync)",
            "compute the mask from the condition: activemask is not it",
        ),
    }
}

/// An address of something that asynchronous work may reach.
fn reached(address: u64) -> String {
    match address.wrapping_sub(SHARED_WINDOW) {
        within if within < SHARED_WINDOW_SIZE => shown(within as u32),
        _ => format!("0x{address:x}"),
    }
}

/// An address, within its own memory where a generic one names shared or local memory.
fn place(address: u64) -> String {
    match address {
        _ if address.wrapping_sub(SHARED_WINDOW) < SHARED_WINDOW_SIZE => {
            format!("0x{:x} in shared memory", address - SHARED_WINDOW)
        }
        _ if address.wrapping_sub(LOCAL_WINDOW) < WINDOW => format!("0x{:x} in local memory", address - LOCAL_WINDOW),
        _ => format!("0x{address:x}"),
    }
}

fn word(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Atomic => "atomic access",
    }
}

fn done(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "written",
        Access::Atomic => "accessed atomically",
    }
}

/// What the allocation that holds an address is called.
fn within(kernel: &Kernel, address: u64) -> Option<String> {
    let device = kernel.module().device();
    let (start, size) = device.with_memory(|memory| memory.nearest(address))?;
    if address - start < size { device.name_of(start) } else { None }
}

/// How far outside which allocation.
fn nearest_note(kernel: &Kernel, space: &str, address: u64, (start, size): (u64, u64)) -> String {
    if !matches!(space, "global" | "const") {
        return match space {
            "multicast" => format!("the multicast addresses below are {size} bytes from 0x{start:x} on"),
            "shared" => format!("a block of this launch has {size} bytes of shared memory"),
            "local" => format!("the thread has {size} bytes of local memory"),
            _ => format!("the {space} memory has {size} bytes"),
        };
    }
    let name = variable(kernel, start).map_or("an allocation".to_owned(), |v| format!("`{v}`"));
    let end = start.saturating_add(size);
    match address.checked_sub(end) {
        None => format!("the access begins {} bytes before the end of {name}: {size} bytes at 0x{start:x}", end - address),
        Some(0) => format!("right behind the end of {name}: {size} bytes at 0x{start:x}"),
        Some(behind) if behind <= 1 << 20 => {
            format!("{behind} bytes behind the end of {name}: {size} bytes at 0x{start:x}")
        }
        Some(_) => format!("far from every allocation; the nearest below is {name}: {size} bytes at 0x{start:x}"),
    }
}

/// What the allocation at an address is called.
fn variable(kernel: &Kernel, start: u64) -> Option<String> {
    kernel.module().device().name_of(start)
}

/// A diagnostic that says where groups of threads stand.
fn standing(code: &'static str, message: String, all: &[Standing], (kernel, shape): (&Kernel, Shape), help: &str) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(code, Span::default(), message).help(help);
    diagnostic.labels.clear();
    let Some(unit) = all.first().map(|s| s.origin.unit) else { return diagnostic };
    // One label for each place, with the first group that stands there and how many more do.
    let mut places: Vec<(&Standing, usize)> = Vec::new();
    for one in all {
        match places.iter_mut().find(|(s, _)| s.origin == one.origin && s.wait == one.wait) {
            Some((_, count)) => *count += 1,
            None => places.push((one, 1)),
        }
    }
    for (one, count) in places.iter().take(LISTED).filter(|(s, _)| s.origin.unit == unit) {
        let more = if *count > 1 { format!(", and {} like it", plural(count - 1)) } else { String::new() };
        let text = format!("{}{more}", described(one, kernel, shape));
        diagnostic = diagnostic.also(one.origin.span, text);
    }
    let mut objects: Vec<(u32, &Object)> = Vec::new();
    for (one, _) in places.iter().filter(|(s, _)| s.origin.unit == unit) {
        if let (Wait::Mbarrier(address, _), Some(object)) = (one.wait, &one.object)
            && !objects.iter().any(|(other, same)| (*other, *same) == (address, object))
        {
            objects.push((address, object));
        }
    }
    for (address, object) in objects.into_iter().take(LISTED) {
        diagnostic = work_of(diagnostic, address, object, kernel, unit);
    }
    let mut premature: Vec<Other> = all.iter().filter_map(|s| s.premature).filter(|other| other.origin.unit == unit).collect();
    premature.dedup_by_key(|other| other.origin);
    for Other { origin, block, thread, what } in premature.into_iter().take(1) {
        let who = format!("{what} thread {} of block {}", point(thread), point(block));
        diagnostic =
            diagnostic.also(origin.span, format!("{who}, which did not wait for the asynchronous work that writes there"));
    }
    if places.len() > LISTED {
        diagnostic = diagnostic.note(format!("{} more places are not shown", places.len() - LISTED));
    }
    diagnostic
}

fn plural(groups: usize) -> String {
    if groups == 1 { "1 more group".to_owned() } else { format!("{groups} more groups") }
}

fn described(one: &Standing, kernel: &Kernel, shape: Shape) -> String {
    let threads = shape.block.iter().map(|n| u64::from(*n)).product::<u64>();
    let lanes = one.mask.count_ones();
    // A wavefront is one group of threads, with all its lanes; EXEC says which of them do something.
    let is_wave = kernel.details().wave.is_some();
    let who = match is_wave {
        true => format!("block {}, wave {}", point(one.block), one.warp),
        false => format!("block {}, warp {}, {lanes} of its threads (mask 0x{:08x})", point(one.block), one.warp, one.mask),
    };
    match one.wait {
        Wait::Barrier(..) if is_wave => format!("{who}: wait at the barrier of the block"),
        Wait::Nothing => format!("{who}: would run on"),
        Wait::Grid => format!("{who}: wait for the launch before to be complete"),
        Wait::Lanes(wanted, _) => format!("{who}: wait for lanes 0x{wanted:08x} of the warp"),
        Wait::Mbarrier(address, parity) => {
            let object = one.object.as_ref().map_or(String::new(), object_state);
            let name = kernel.details().shared_name(address & 0xff_ffff).map_or(String::new(), |name| format!("`{name}` "));
            let phase = if parity & CONDITIONAL != 0 { "conditional phase" } else { "phase" };
            let parity = parity & 1;
            format!("{who}: wait for {phase} parity {parity} of the mbarrier object {name}at {}{object}", shown(address))
        }
        Wait::Split(number, _) => {
            let (arrived, expected) = one.barrier.unwrap_or_default();
            let (barrier, of) = match number {
                0 => ("the barrier of the block".to_owned(), "wavefronts"),
                Wait::CLUSTER => ("the barrier of the cluster".to_owned(), "blocks"),
                number => (format!("the named barrier {number}"), "wavefronts"),
            };
            format!("{who}: waits at {barrier}, where {arrived} of {expected} {of} have arrived")
        }
        Wait::Cluster(_) => {
            let (arrived, expected) = one.barrier.unwrap_or_default();
            format!("{who}: wait at the barrier of the cluster, where {arrived} of {expected} threads have arrived")
        }
        Wait::Barrier(..) => match one.barrier {
            Some((arrived, expected)) => format!("{who}: wait at a barrier where {arrived} of {expected} threads have arrived"),
            None => format!("{who}: wait at a barrier of the block's {threads} threads"),
        },
    }
}

/// The copies and announcements that made a memory barrier object's count of transactions, if that is not zero.
fn work_of(mut diagnostic: Diagnostic, address: u32, object: &Object, kernel: &Kernel, unit: u32) -> Diagnostic {
    if object.work == 0 {
        return diagnostic;
    }
    let at = shown(address);
    let mut list = |all: &[(Site, u32)], what: &str| {
        for (site, bytes) in all {
            let origin = kernel.details().origins.get(site.op as usize).copied().unwrap_or_default();
            if origin.unit == unit {
                let who = format!("warp {} of block {} of the cluster", site.warp, site.rank);
                diagnostic =
                    diagnostic.clone().also(origin.span, format!("{what} {bytes} bytes for the object at {at}, by {who}"));
            }
        }
    };
    list(&object.announced, "expects");
    list(&object.brought, "brought");
    let (work, nothing) = (object.work, object.brought.is_empty());
    let why = match work {
        1.. if nothing => format!("{work} bytes are expected at {at}, and no copy that brings any was started in this phase"),
        1.. => format!("more bytes are expected at {at} than the copies of this phase brought: {work} are missing"),
        _ if object.announced.is_empty() => format!("copies brought {} bytes to {at} that nobody expects", -work),
        _ => format!("copies brought {} bytes more to {at} than are expected", -work),
    };
    diagnostic.note(why)
}

/// What a memory barrier object waits for, and who has arrived.
fn object_state(object: &Object) -> String {
    let Object { expected, pending, work, phase, arrived, .. } = object;
    let who = |(rank, warp, lanes): &(u32, u32, u32)| format!("lanes 0x{lanes:x} of warp {warp} of block {rank} of the cluster");
    let arrived: Vec<String> = arrived.iter().take(LISTED).map(who).collect();
    let arrived = if arrived.is_empty() { "nobody has arrived".to_owned() } else { format!("arrived: {}", arrived.join(", ")) };
    format!(", which is in phase {phase}: {pending} of {expected} arrivals pending, transaction count {work}; {arrived}")
}

/// The line of the source language that a place was compiled from, where the PTX says so (`.loc`).
fn source_line(kernel: &Kernel, origin: Origin) -> Option<String> {
    let tree = &kernel.module().ptx()?.units.get(origin.unit as usize)?.tree;
    let body = tree.items.iter().find_map(|item| match item {
        Item::Function(f) if f.span.start <= origin.span.start && origin.span.start < f.span.end => f.body.as_ref(),
        _ => None,
    })?;
    let mut last = None;
    last_loc(body, origin.span.start, &mut last);
    let loc = last?;
    Some(format!("compiled from {}:{}:{}", file_name(tree, loc.file)?, loc.line, loc.column))
}

fn last_loc(block: &Block, before: u32, last: &mut Option<Loc>) {
    for statement in &block.statements {
        match statement {
            Statement::Loc(loc) if loc.span.start < before => *last = Some(**loc),
            Statement::Block(inner) if inner.span.start < before => last_loc(inner, before, last),
            _ => {}
        }
    }
}

fn file_name(tree: &Module, index: u64) -> Option<&str> {
    tree.items.iter().find_map(|item| match item {
        Item::File(file) if file.index == index => Some(&*file.name),
        _ => None,
    })
}
