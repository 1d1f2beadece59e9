//! Random programs: the instances of a lane function agree, and so do all ways to schedule them.
//!
//! A seed makes a kernel of instructions drawn from the table, every form whose function is one of a lane, in straight lines,
//! branches, loops, switches, early returns and calls: direct and through pointers with a prototype or a list of targets, recursive to
//! a depth, with parameters in memory and in registers. An interpreter (`program`) walks it thread by thread with
//! [`machine::row::Instance::one`]; the engine runs it in rows: full warps and ragged ones, under guards, in diverged groups, in
//! several schedules, with the AVX2 handlers and the baseline ones. All registers must hold the same bits at the end, and without a
//! seeded schedule the threads of a warp that come to the end must have met again.
//!
//! This says nothing of whether a function is right: both sides call the same one. It holds handlers, masks, register allocation, block
//! order, frames and reconvergence against plain sequential execution.
//!
//! Longest run so far, 2026-11-30: seeds 600 to 10,599, 834,985 instructions in 4,533 spellings, 1,818,468 calls, all
//! agreed, with the AVX2 handlers.
//!
//! `LOCKSTEP_RANDOM=SEED` prints and runs the program of one seed, as a failure names it.

mod generate;
mod print;
mod program;
mod values;

use engine::{Options, Program as Loaded};
use generate::{FORMS, Generator, table};
use machine::memory::Memory;
use machine::row::Instance;
use machine::state::Gpu;
use print::print;
use program::{End, Node, Program};
use std::collections::BTreeSet;
use std::process::Command;
use values::{CARRY, REGISTERS, ROWS, Random, SLOT, class_of, name};

/// How the engine runs a program.
struct Run {
    blocks: u32,
    threads: u32,
    schedule: Option<u64>,
}

/// Inputs of all threads; about every fourth row is the same for all of them.
fn inputs(seed: u64, threads: usize) -> Vec<Vec<u128>> {
    let mut random = Random(!seed);
    let bits = |row: usize| if row % REGISTERS == CARRY { 1 } else { class_of(row % REGISTERS).bits };
    let mut rows: Vec<Vec<u128>> = vec![Vec::new(); threads];
    for row in 0..ROWS {
        let uniform = random.percent(25).then(|| random.value(bits(row)));
        rows.iter_mut().for_each(|r| r.push(uniform.unwrap_or_else(|| random.value(bits(row)))));
    }
    rows
}

/// What a comparison saw.
#[derive(Default)]
struct Seen {
    /// Calls, and threads that returned early from the kernel.
    calls: usize,
    early: usize,
    /// Whether the program takes too long to be run.
    long: bool,
}

/// Runs a program both ways; says where they differ.
fn compare(program: &Program, seed: u64, run: &Run) -> Result<Seen, String> {
    let threads = (run.blocks * run.threads) as usize;
    let inputs = inputs(seed, threads);
    let mut states: Vec<Vec<u128>> = inputs.iter().map(|inputs| inputs[..REGISTERS].to_vec()).collect();
    let ran = states.iter_mut().zip(&inputs).map(|(state, inputs)| program.run(state, inputs));
    let (ends, calls): (Vec<End>, Vec<usize>) = ran.unzip();
    if ends.contains(&End::Stopped) {
        return Ok(Seen { long: true, ..Seen::default() });
    }
    let found = execute_kernel(&print(program), &inputs, run)?;
    for (thread, state) in states.iter().enumerate() {
        let found = &found[thread * (REGISTERS + 1)..][..REGISTERS + 1];
        if let Some(r) = (0..REGISTERS).find(|r| found[*r] != state[*r]) {
            let (register, one, row) = (if r == CARRY { "carry".to_owned() } else { name(r) }, state[r], found[r]);
            return Err(format!("{register} of thread {thread} is 0x{row:x} in the engine, 0x{one:x} value by value"));
        }
        // The lanes of the warp that come to the end.
        let (block, first) = (thread / run.threads as usize * run.threads as usize, thread % run.threads as usize / 32 * 32);
        let lanes = (0..32).filter(|lane| first + lane < run.threads as usize && ends[block + first + lane] == End::Last);
        let together = lanes.fold(0u32, |mask, lane| mask | 1 << lane);
        // A seeded schedule lets groups give way anywhere, so that threads need not meet.
        if run.schedule.is_none() && ends[thread] == End::Last && found[REGISTERS] != u128::from(together) {
            return Err(format!("thread {thread} ends in a group of 0x{:x}, not 0x{together:x}", found[REGISTERS]));
        }
    }
    let early = ends.iter().filter(|end| **end == End::Early).count();
    Ok(Seen { calls: calls.iter().sum(), early, long: false })
}

/// The registers of all threads at the end, each thread's followed by its group.
fn execute_kernel(ptx: &str, inputs: &[Vec<u128>], run: &Run) -> Result<Vec<u128>, String> {
    let memory = Memory::new(1 << 28);
    let sources = [("random.ptx".to_owned(), ptx.to_owned())];
    let program = Loaded::load(table(), &sources, &memory).map_err(|(_, p)| format!("refused: {}", p[0].1.message))?;
    let kernel = program.kernel("k").map_err(|p| {
        let d = &p[0].1;
        format!("refused: {}: {} {:?}", d.labels[0].span.text(ptx), d.message, d.notes)
    })?;
    let bytes: Vec<u8> = inputs.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
    let mut out = vec![0; inputs.len() * (REGISTERS + 1) * SLOT];
    let input = memory.allocate(bytes.len() as u64, true).ok_or("no memory")?;
    let output = memory.allocate(out.len() as u64, true).ok_or("no memory")?;
    assert!(memory.write(input, &bytes));
    let params: Vec<u8> = [input, output].iter().flat_map(|a| a.to_le_bytes()).collect();
    let gpu = Gpu { multiprocessors: 4, warps: 64, shared: 48 << 10, shared_multiprocessor: 100 << 10, clusters: false };
    let shape = engine::Shape { grid: [run.blocks, 1, 1], block: [run.threads, 1, 1], shared: 0, cluster: None };
    let options = Options { threads: 1, max_instructions: Some(10_000_000), seed: run.schedule, ..Options::default() };
    engine::launch(&kernel, shape, &params, &memory, gpu, &options).map_err(|f| format!("stopped: {:?}", f.why))?;
    assert!(memory.read(output, &mut out));
    Ok(out.chunks_exact(SLOT).map(|b| u128::from_le_bytes(b.try_into().unwrap_or_default())).collect())
}

/// The nodes without number `at`, counted through; all of them if they are fewer, and `at` says by how many.
fn without(nodes: &[Node], at: &mut usize) -> Vec<Node> {
    let mut kept = Vec::new();
    for node in nodes {
        let drop = *at == 0;
        *at = at.wrapping_sub(1);
        match node {
            _ if drop => {}
            Node::If(guard, yes, no) => kept.push(Node::If(*guard, without(yes, at), without(no, at))),
            Node::Loop(register, body) => kept.push(Node::Loop(*register, without(body, at))),
            Node::Switch(register, cases) => {
                kept.push(Node::Switch(*register, cases.iter().map(|c| without(c, at)).collect()));
            }
            other => kept.push(other.clone()),
        }
    }
    kept
}

fn count(nodes: &[Node]) -> usize {
    nodes.iter().map(|n| 1 + n.inner().iter().map(|inner| count(inner)).sum::<usize>()).sum()
}

fn total(program: &Program) -> usize {
    program.bodies().map(|nodes| count(nodes)).sum()
}

/// Leaves out whatever can be left out with the two sides still different.
fn shrink(mut program: Program, seed: u64, run: &Run) -> Program {
    for at in (0..total(&program)).rev() {
        let (mut less, mut left) = (program.clone(), at);
        for nodes in less.bodies_mut() {
            let here = count(nodes);
            if left < here {
                *nodes = without(nodes, &mut left);
                break;
            }
            left -= here;
        }
        if compare(&less, seed, run).is_err() {
            program = less;
        }
    }
    program
}

fn spellings(nodes: &[Node], seen: &mut BTreeSet<String>) {
    for node in nodes {
        if let Node::Do(_, instruction) = node {
            seen.insert(instruction.text.split(' ').next().unwrap_or_default().to_owned());
        }
        node.inner().into_iter().for_each(|inner| spellings(inner, seen));
    }
}

fn check(seeds: impl Iterator<Item = u64>) {
    let (mut programs, mut instructions, mut seen, mut failures) = (0, 0, BTreeSet::new(), Vec::new());
    let (mut calls, mut early, mut long) = (0, 0, 0);
    for seed in seeds {
        let program = Generator::program(seed);
        let runs = [
            Run { blocks: 1, threads: 64, schedule: None },
            Run { blocks: 1, threads: 51, schedule: None },
            Run { blocks: 2, threads: 45, schedule: Some(seed) },
            Run { blocks: 1, threads: 7, schedule: Some(!seed) },
        ];
        for run in &runs {
            let why = match compare(&program, seed, run) {
                Ok(seen) => {
                    calls += seen.calls;
                    early += seen.early;
                    long += usize::from(seen.long);
                    continue;
                }
                Err(why) => why,
            };
            let small = shrink(program.clone(), seed, run);
            let why = compare(&small, seed, run).err().unwrap_or(why);
            let Run { blocks, threads, schedule } = run;
            let launch = format!("{blocks} blocks of {threads} threads, schedule {schedule:?}");
            failures.push(format!("seed {seed}, {launch}: {why}\n{}", print(&small)));
            break;
        }
        programs += 1;
        instructions += total(&program);
        program.bodies().for_each(|nodes| spellings(nodes, &mut seen));
        if failures.len() >= 10 {
            break;
        }
    }
    let (seen, forms) = (seen.len(), FORMS.len());
    println!(
        "{programs} programs, {instructions} instructions, {seen} spellings of {forms} forms; {long} runs left out as too long"
    );
    println!("{calls} calls, {early} early ends of threads");
    // The generator would be of little use without them.
    let enough = calls > 10 * programs && early > programs && long * 100 < programs;
    assert!(programs < 100 || enough, "the programs do too little");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn programs_agree() {
    match std::env::var("LOCKSTEP_RANDOM").ok().and_then(|s| s.parse().ok()) {
        Some(seed) => {
            println!("{}", print(&Generator::program(seed)));
            check(std::iter::once(seed));
        }
        None => check(0..600),
    }
}

fn instances(nodes: &[Node], all: &mut Vec<&'static Instance>) {
    for node in nodes {
        if let Node::Do(_, instruction) = node
            && !all.iter().any(|i| std::ptr::eq(*i, instruction.instance))
        {
            all.push(instruction.instance);
        }
        node.inner().into_iter().for_each(|inner| instances(inner, all));
    }
}

/// A function that is wrong on one side changes what some program leaves in its registers: otherwise agreement would say nothing.
#[test]
fn wrong_functions_are_noticed() {
    const THREADS: usize = 8;
    /// Programs with a function, one of which must show it; fewer may all discard its result.
    const PROGRAMS: usize = 6;
    /// How many programs have a function, and whether one showed it wrong.
    type Drawn = (&'static Instance, usize, bool);
    let mut drawn: Vec<Drawn> = Vec::new();
    for seed in 0..2_500 {
        let program = Generator::program(seed);
        let inputs = inputs(seed, THREADS);
        let mut here = Vec::new();
        program.bodies().for_each(|nodes| instances(nodes, &mut here));
        for instance in here {
            let differs = |inputs: &Vec<u128>| {
                let [mut right, mut wrong] = [0; 2].map(|_| inputs[..REGISTERS].to_vec());
                let ends = (program.run(&mut right, inputs).0, program.run_wrongly(&mut wrong, inputs, Some(instance)).0);
                right != wrong || ends.0 != ends.1
            };
            match drawn.iter_mut().find(|d| std::ptr::eq(d.0, instance)) {
                Some((_, count, noticed)) => {
                    *count += 1;
                    *noticed |= !*noticed && inputs.iter().any(differs);
                }
                None => drawn.push((instance, 1, inputs.iter().any(differs))),
            }
        }
    }
    let noticed = drawn.iter().filter(|d| d.2).count();
    println!("{noticed} of {} instances of functions are noticed when wrong", drawn.len());
    let unnoticed = drawn.iter().filter(|(_, count, noticed)| !noticed && *count >= PROGRAMS);
    let unnoticed: Vec<_> = unnoticed.map(|d| format!("{:?} -> {:?} in {} programs", d.0.sources, d.0.results, d.1)).collect();
    assert!(unnoticed.is_empty() && noticed * 100 > drawn.len() * 95, "{unnoticed:?}");
}

/// The same for longer.
#[test]
#[ignore = "takes minutes"]
fn many_programs_agree() {
    check(600..10_600);
}

/// Which handlers run is decided once a process, so the baseline ones need another.
#[test]
fn baseline_handlers_agree() {
    let test = std::env::current_exe().unwrap_or_else(|e| panic!("{e}"));
    let mut command = Command::new(test);
    let output = command.args(["--exact", "programs_agree", "--nocapture"]).env("LOCKSTEP_BASELINE", "1").output();
    let output = output.unwrap_or_else(|e| panic!("{e}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}
