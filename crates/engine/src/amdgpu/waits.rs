//! Whether a kernel waits for all that it loads before it uses it, on all ways that execution can take, and where it does not; found before it runs.
//!
//! Registers are written late (`machine::wave`), so that a missing wait shows. In a kernel that misses none nobody can see when they are written: its loads
//! write them at once, and its waits do nothing. What is not seen here (registers whose numbers are known only at run time, jumps to addresses in registers,
//! words that go to LDS) is taken to be missed as long as something is outstanding: such a kernel runs as slowly as one that does miss a wait, and as truly.

use super::links::Links;
use super::lower::{self, Instruction};
use super::memory;
use super::modes::Modes;
use machine::wave::{Counters, Use, ranges_meet};
use std::collections::BTreeMap;

/// An instruction as far as it has to do with what is outstanding; by default none.
#[derive(Default)]
pub struct Step<'u> {
    /// The registers that it uses.
    pub uses: &'u [Use],
    /// What else it does.
    pub effect: Effect,
}

/// What an instruction does to what is outstanding.
#[derive(Default)]
pub enum Effect {
    /// Nothing.
    #[default]
    None,
    /// Waits until of what each counter counts no more is left.
    Waits(Vec<(Counters, u32)>),
    /// Issues something that writes registers late: what counts it, and the registers.
    Issues(Counters, Vec<Use>),
    /// May use any register.
    UsesAny,
    /// Copies to LDS in the background.
    Copies,
    /// Is seen late by others than its registers, or is perhaps not executed.
    Unknown,
}

/// Waits of more than this are none: no counter goes so far.
const OLDEST: u32 = 64;
/// How often an instruction is looked at on the average, at most: in what makes it more, a wait is taken to be missing.
const MOST: usize = 32;

impl<'u> Step<'u> {
    /// Of an instruction that uses these registers, before which MODE says that.
    ///
    /// # Errors
    /// Why it cannot be executed.
    pub fn of(instruction: &Instruction, modes: Modes, uses: &'u [Use]) -> Result<Step<'u>, String> {
        let effect = effect(instruction, modes, uses)?;
        Ok(Step { uses, effect })
    }
}

fn effect(instruction: &Instruction, modes: Modes, uses: &[Use]) -> Result<Effect, String> {
    let (codec, decoded) = (instruction.codec, &instruction.decoded);
    let Some(run) = decoded.entry.instruction.run_on(codec.target) else { return Ok(Effect::None) };
    if modes.skips() != Some(false) {
        return Ok(Effect::Unknown);
    }
    if modes.indexed() || lower::has_hidden_registers(codec, decoded) {
        return Ok(Effect::UsesAny);
    }
    if let Some(waits) = lower::waits(instruction, run)? {
        return Ok(Effect::Waits(waits));
    }
    if run.function == semantics::wave::WAIT_IDLE {
        return Ok(Effect::Waits(vec![(Counters::ALL, 0)]));
    }
    let written = || uses.iter().filter(|one| one.writes).copied().collect();
    if semantics::wave::answers_late(run.function) {
        return Ok(Effect::Issues(Counters::SCALAR, written()));
    }
    if memory::copies_to_lds(codec, decoded) {
        return Ok(Effect::Copies);
    }
    // Copies in the background write no registers, and their counters are their own.
    if !memory::is_access(decoded) || !lower::accesses(decoded, run) || semantics::is_asynchronous(run.function) {
        return Ok(Effect::None);
    }
    Ok(match memory::counters(instruction, run) {
        Some(counters) => Effect::Issues(counters, written()),
        None => Effect::Unknown,
    })
}

/// A register that will be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pending {
    at: u32,
    bytes: u32,
    counters: Counters,
    /// How many others have certainly been issued since that the same counters count and that are outstanding as long as it is.
    age: u32,
    /// What loads it.
    by: usize,
}

/// An instruction that uses a register on a way on which nothing has waited for its load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missed {
    /// The load.
    pub load: usize,
    /// Who uses it.
    pub user: usize,
    /// Where the register is.
    pub at: u32,
}

/// Whether what some counters count makes what others count older.
type Ages = fn(Counters, Counters) -> bool;

/// What may be outstanding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Outstanding(Vec<Pending>);

impl Outstanding {
    /// Goes on behind an instruction; gives what it uses that may not have been written, which is not outstanding any more.
    fn pass(&mut self, at: usize, step: &Step, ages: Ages) -> Vec<Missed> {
        let is_late = |pending: &Pending| {
            let meets = |one: &Use| ranges_meet((one.at, one.bytes), (pending.at, pending.bytes));
            step.uses.iter().any(|one| meets(one) && !one.behind.has(pending.counters))
        };
        let missed = |pending: &Pending| Missed { load: pending.by, user: at, at: pending.at };
        let late: Vec<Missed> = self.0.iter().filter(|pending| is_late(pending)).map(missed).collect();
        if !late.is_empty() {
            self.0.retain(|pending| !is_late(pending));
        }
        match &step.effect {
            Effect::None | Effect::UsesAny | Effect::Copies => {}
            // What goes to LDS may be counted as all others are.
            Effect::Unknown => self.0.iter_mut().for_each(|pending| pending.age = (pending.age + 1).min(OLDEST)),
            Effect::Waits(waits) => waits.iter().for_each(|(counters, left)| self.wait(*counters, *left)),
            Effect::Issues(counters, written) => self.issue(at, *counters, written, ages),
        }
        late
    }

    /// As `machine::wave` waits: what goes in no order is sure to be done only when nothing is left.
    fn wait(&mut self, counters: Counters, left: u32) {
        let in_order = |pending: &Pending| !pending.counters.meets(Counters::SCALAR) && pending.age >= left;
        self.0.retain(|pending| !(pending.counters.meets(counters) && (left == 0 || in_order(pending))));
    }

    fn issue(&mut self, by: usize, counters: Counters, written: &[Use], ages: Ages) {
        for pending in self.0.iter_mut().filter(|pending| ages(counters, pending.counters)) {
            pending.age = (pending.age + 1).min(OLDEST);
        }
        let new = written.iter().map(|one| Pending { at: one.at, bytes: one.bytes, counters, age: 0, by });
        new.for_each(|pending| {
            self.add(pending);
        });
    }

    /// Adds one, or makes one that is there younger: whether something changed.
    fn add(&mut self, new: Pending) -> bool {
        let same = |old: &&mut Pending| (old.at, old.bytes, old.counters, old.by) == (new.at, new.bytes, new.counters, new.by);
        match self.0.iter_mut().find(same) {
            Some(old) if old.age <= new.age => false,
            Some(old) => {
                old.age = new.age;
                true
            }
            None => {
                self.0.push(new);
                true
            }
        }
    }
}

/// Whether all is waited for, if execution begins with nothing outstanding.
pub fn are_complete(steps: &[Step], links: &Links) -> bool {
    let is_unknown = |step: &Step| matches!(step.effect, Effect::Unknown);
    !steps.iter().any(is_unknown)
        && walk(steps, links, (meet, |new, old| new == old), |at, state, missed| {
            let is_hidden = matches!(steps[at].effect, Effect::UsesAny) || links.leads_elsewhere(at);
            let is_overtaken =
                |pending: &Pending| matches!(steps[at].effect, Effect::Copies) && pending.counters.meets(Counters::LDS);
            missed.is_empty() && (!is_hidden || state.0.is_empty()) && !state.0.iter().any(is_overtaken)
        })
}

/// Uses of registers whose loads nothing has waited for on any way that leads there, in the order of who uses them. What is not seen here is not among them, nor
/// what is missed on some ways alone.
pub fn missed(steps: &[Step], links: &Links) -> Vec<Missed> {
    let mut found: BTreeMap<usize, Vec<Missed>> = BTreeMap::new();
    // A flat load, which more counters count, makes others older, too; that it may be done before them is not looked at.
    let is_whole = walk(steps, links, (agree, Counters::has), |at, state, missed| {
        // The last look is the one that knows all ways.
        found.insert(at, missed.to_vec());
        // Functions wait for everything as they begin (AMDGPUUsage, "Non-Kernel Functions").
        if links.leads_elsewhere(at) {
            state.0.clear();
        }
        true
    });
    if is_whole { found.into_values().flatten().collect() } else { Vec::new() }
}

/// What is known of what is outstanding before instructions that several ways lead to.
type Known = BTreeMap<usize, Outstanding>;
/// Adds to that what one way brings to an instruction: whether that was news.
type Join = fn(&mut Known, usize, &Outstanding) -> bool;

/// Follows all ways until nothing is new, or `goes_on` says that it is enough, which is asked behind each instruction for what is outstanding there and what
/// it used too early. Whether all was seen.
fn walk(
    steps: &[Step],
    links: &Links,
    (join, ages): (Join, Ages),
    mut goes_on: impl FnMut(usize, &mut Outstanding, &[Missed]) -> bool,
) -> bool {
    let mut open = links.entries().to_vec();
    let mut known: Known = open.iter().map(|entry| (*entry, Outstanding::default())).collect();
    let mut looks = MOST * steps.len().max(32);
    while let Some(first) = open.pop() {
        let mut state = known.get(&first).cloned().unwrap_or_default();
        let mut at = first;
        loop {
            looks = looks.saturating_sub(1);
            let late = state.pass(at, &steps[at], ages);
            if looks == 0 || !goes_on(at, &mut state, &late) {
                return false;
            }
            match links.next(at) {
                [Some(next), None] if !links.is_met(next) => at = next,
                next => {
                    open.extend(next.into_iter().flatten().filter(|next| join(&mut known, *next, &state)));
                    break;
                }
            }
        }
    }
    true
}

/// Keeps of what is outstanding before an instruction what is so on another way, too: whether it is less than before.
fn agree(known: &mut Known, at: usize, state: &Outstanding) -> bool {
    let Some(before) = known.get_mut(&at) else {
        known.insert(at, state.clone());
        return true;
    };
    let mut news = false;
    before.0.retain_mut(|old| {
        let same = |new: &&Pending| (old.at, old.bytes, old.counters) == (new.at, new.bytes, new.counters);
        let Some(new) = state.0.iter().find(same) else {
            news = true;
            return false;
        };
        news |= new.age > old.age;
        old.age = old.age.max(new.age);
        true
    });
    news
}

/// Adds what is outstanding on a way to an instruction to what is known of it: whether that was news.
fn meet(known: &mut Known, at: usize, state: &Outstanding) -> bool {
    let Some(before) = known.get_mut(&at) else {
        known.insert(at, state.clone());
        return true;
    };
    let mut news = false;
    for pending in &state.0 {
        news |= before.add(*pending);
    }
    news
}
