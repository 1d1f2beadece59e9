//! Memory barrier objects: 64 bits of shared memory that count arrivals and asynchronous work, phase by phase.
//!
//! PTX ISA 9.4, 9.7.15.16. The object's layout is our own, since a program sees it only through its instructions: bits 0 to 19 count the
//! arrivals that the phase still waits for, 20 to 39 those that a phase expects, 40 to 61 the units of asynchronous work that are expected
//! less those that are done (signed), bit 62 is set, bit 63 is the parity of the phase. A state that an arrival returns has the same layout.
//!
//! A table of the cluster knows the objects that are alive, so that misuse is told: an object that was not initialised, one that was
//! overwritten, too many arrivals. It also knows who arrived.

use crate::cluster::Cluster;
use crate::memory::{read_element, write_element};
use crate::proxy::Reach;
use crate::state::{Access, FaultKind, Rule};
use crate::{Group, LANES};

/// Bytes of an object.
const SIZE: u32 = 8;
/// Greatest number of arrivals that a phase expects.
pub const MAX_ARRIVALS: u32 = (1 << 20) - 1;
/// Greatest distance of the count of asynchronous work from zero.
pub const MAX_WORK: i64 = (1 << 20) - 1;

/// Beside a parity: that of the conditional phase is meant.
pub const CONDITIONAL: u32 = 2;

/// Where a thread executed an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Index of the op.
    pub op: u32,
    /// Its block's rank.
    pub rank: u32,
    /// Its warp.
    pub warp: u32,
    /// Its lane.
    pub lane: u32,
}

/// Entries of a list in an object: it serves reports only.
const LISTED: usize = 8;

/// An object that is alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Arrivals that a phase expects.
    pub expected: u32,
    /// Arrivals that the current phase still waits for.
    pub pending: u32,
    /// Units of asynchronous work that are expected, less those that are done.
    pub work: i64,
    /// The current phase, counted from 0, around.
    pub phase: u32,
    /// The current conditional phase, counted from 0, around: one that ends with a report is not counted.
    pub conditional: u32,
    /// Whether its layout is the one that keeps reports.
    pub reports: bool,
    /// Whether asynchronous work has reported something in the current phase, and in the one before. (The value of these reports is zero.)
    pub reported: [bool; 2],
    /// Where it was initialised.
    pub made: Site,
    /// When, in counts of watched accesses.
    time: u64,
    /// When the last phase ended.
    ended: u64,
    /// Blocks whose threads have taken part, as a mask of ranks.
    ranks: u32,
    /// Who let the current phase expect how much work, the first ones.
    pub announced: Vec<(Site, u32)>,
    /// Which work was done in it, and how much, the first ones.
    pub brought: Vec<(Site, u32)>,
    /// Who has arrived in the current phase: rank, warp, lanes.
    pub arrived: Vec<(u32, u32, u32)>,
}

/// What an arrival does besides.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arrival {
    /// How many arrivals it counts for.
    pub count: u32,
    /// Work that it lets the phase expect beforehand.
    pub work: u32,
    /// Whether later phases expect that many arrivals less.
    pub drop: bool,
    /// Whether the program promises that the phase does not end.
    pub incomplete: bool,
}

impl Object {
    /// The object as it lies in memory.
    pub fn word(&self) -> u64 {
        let work = (self.work as u64) & ((1 << 22) - 1);
        u64::from(self.pending) | u64::from(self.expected) << 20 | work << 40 | 1 << 62 | u64::from(self.phase & 1) << 63
    }

    /// When the last phase ended, in counts of watched accesses.
    pub fn ended(&self) -> u64 {
        self.ended
    }

    /// How far those who have taken part are from the block whose object it is.
    pub fn reach(&self) -> Reach {
        if self.ranks & !(1 << self.made.rank) == 0 { Reach::Block } else { Reach::Cluster }
    }

    /// Whether the phase of this parity, with [`CONDITIONAL`] the conditional one, has ended, where it is the current one or the one before.
    pub fn over(&self, parity: u32) -> bool {
        let phase = if parity & CONDITIONAL != 0 { self.conditional } else { self.phase };
        phase & 1 != parity & 1
    }

    fn expect(&mut self, work: u32, site: Site) -> Result<(), String> {
        if work > 0 {
            list(&mut self.announced, (site, work));
        }
        self.count_work(i64::from(work))
    }

    fn count_work(&mut self, change: i64) -> Result<(), String> {
        self.work += change;
        if self.work.abs() > MAX_WORK {
            return Err(format!("its count of asynchronous work would be {}, beyond {MAX_WORK}", self.work));
        }
        Ok(())
    }

    fn arrive(&mut self, arrival: Arrival, site: Site) -> Result<(), String> {
        self.ranks |= 1 << site.rank;
        let (rank, warp, lanes) = (site.rank, site.warp, 1 << site.lane);
        self.expect(arrival.work, site)?;
        if arrival.count > self.pending {
            return Err(format!("{} arrivals where the phase waits for {} more", arrival.count, self.pending));
        }
        self.pending -= arrival.count;
        if arrival.drop {
            self.expected = self.expected.saturating_sub(arrival.count);
        }
        match self.arrived.iter_mut().find(|a| (a.0, a.1) == (rank, warp)) {
            Some(other) => other.2 |= lanes,
            None => self.arrived.push((rank, warp, lanes)),
        }
        if arrival.incomplete && self.pending == 0 && self.work == 0 {
            return Err("the arrival ends the phase, which .noComplete says it does not".to_owned());
        }
        self.complete();
        Ok(())
    }

    fn complete(&mut self) {
        if self.pending == 0 && self.work == 0 {
            self.phase = self.phase.wrapping_add(1);
            self.conditional = self.conditional.wrapping_add(u32::from(!self.reported[0]));
            self.reported = [false, self.reported[0]];
            self.pending = self.expected;
            self.arrived.clear();
            self.announced.clear();
            self.brought.clear();
        }
    }
}

/// Adds to a list; entries of the same place and amount are one, which keeps lists of lanes short.
fn list(all: &mut Vec<(Site, u32)>, one: (Site, u32)) {
    let same = |other: &(Site, u32)| other.0.op == one.0.op && other.1 == one.1 && other.0.rank == one.0.rank;
    if all.len() < LISTED && !all.iter().any(same) {
        all.push(one);
    }
}

/// Whether a value can be a state that an arrival returned.
pub fn is_state(value: u64) -> bool {
    let (pending, expected) = (state_pending(value), (value >> 20) as u32 & MAX_ARRIVALS);
    value >> 62 & 1 == 1 && expected > 0 && pending <= MAX_ARRIVALS
}

/// The parity of the phase that a state is of.
pub fn state_parity(state: u64) -> u32 {
    (state >> 63) as u32
}

/// The arrivals that were pending when a state was returned.
pub fn state_pending(state: u64) -> u32 {
    state as u32 & MAX_ARRIVALS
}

impl Cluster {
    /// Makes an object at a shared address that expects so many arrivals.
    ///
    /// # Errors
    /// The address is bad, the count is, or an object is alive there.
    pub fn init_mbarrier(&mut self, address: u32, count: u32, reports: bool, made: Site) -> Result<(), FaultKind> {
        let most = if reports { 511 } else { MAX_ARRIVALS };
        if count == 0 || count > most {
            let message = format!("an mbarrier object cannot expect {count} arrivals: 1 to {most} are possible");
            return Err(FaultKind::rule(Rule::Count, message));
        }
        self.place_of_mbarrier(address)?;
        if let Some((at, object)) = self.object_within(address, SIZE) {
            let again = if at == address { "again while it is in use" } else { "over another one that is in use" };
            let message = format!("the mbarrier object at {} is initialised {again}", shown(address));
            return Err(FaultKind::Rule { rule: Rule::Object, message, other: Some((object.made, "initialised here by")) });
        }
        let time = self.tick();
        let object = Object {
            expected: count,
            pending: count,
            work: 0,
            phase: 0,
            conditional: 0,
            reports,
            reported: [false; 2],
            made,
            time,
            ended: 0,
            ranks: 0,
            announced: Vec::new(),
            brought: Vec::new(),
            arrived: Vec::new(),
        };
        self.store_mbarrier(address, &object)?;
        self.mbarriers.insert(address, object);
        self.bound_objects();
        self.changes += 1;
        Ok(())
    }

    /// Ends an object.
    ///
    /// # Errors
    /// There is none.
    pub fn end_mbarrier(&mut self, address: u32) -> Result<(), FaultKind> {
        self.mbarrier(address)?;
        self.mbarriers.remove(&address);
        self.bound_objects();
        self.changes += 1;
        Ok(())
    }

    fn bound_objects(&mut self) {
        let ends = (self.mbarriers.first_key_value(), self.mbarriers.last_key_value());
        self.objects = if let (Some((first, _)), Some((last, _))) = ends { *first..last + SIZE } else { 0..0 };
    }

    fn object_within(&self, address: u32, len: u32) -> Option<(u32, &Object)> {
        let (first, end) = (address.saturating_sub(SIZE - 1), address.saturating_add(len));
        self.mbarriers.range(first..end.max(first)).next().map(|(at, object)| (*at, object))
    }

    /// Looks whether a range of shared memory holds no live object.
    ///
    /// # Errors
    /// It holds one.
    #[inline]
    pub(crate) fn no_object(&self, address: u32, len: u32, access: Access) -> Result<(), FaultKind> {
        if address >= self.objects.end || address.saturating_add(len) <= self.objects.start {
            return Ok(());
        }
        match self.object_within(address, len) {
            Some((address, object)) => Err(FaultKind::ObjectAccess { address, access, made: object.made }),
            None => Ok(()),
        }
    }

    /// The object at a shared address.
    ///
    /// # Errors
    /// The address is bad, or there is no object.
    pub fn mbarrier(&mut self, address: u32) -> Result<&Object, FaultKind> {
        let host = self.place_of_mbarrier(address)?;
        let Some(object) = self.mbarriers.get(&address) else {
            let message = format!("no mbarrier object was initialised at {}", shown(address));
            return Err(FaultKind::rule(Rule::Object, message));
        };
        // SAFETY: the place was found for eight aligned bytes.
        if unsafe { read_element::<u64>(host) } != object.word() {
            let message = format!("the mbarrier object at {} has been overwritten", shown(address));
            let other = Some((object.made, "initialised here by"));
            return Err(FaultKind::Rule { rule: Rule::Object, message, other });
        }
        Ok(object)
    }

    /// Arrives. Gives the state before.
    ///
    /// # Errors
    /// There is no object, or a count leaves its range.
    pub fn arrive_mbarrier(&mut self, address: u32, arrival: Arrival, who: Site) -> Result<u64, FaultKind> {
        let before = self.mbarrier(address)?.word();
        self.change(address, |object| object.arrive(arrival, who))?;
        Ok(before)
    }

    /// Lets the current phase expect so much more work.
    ///
    /// # Errors
    /// There is no object, or the count leaves its range.
    pub fn expect_work(&mut self, address: u32, work: u32, who: Site) -> Result<(), FaultKind> {
        self.change(address, |object| {
            object.expect(work, who)?;
            object.complete();
            Ok(())
        })
    }

    /// Lets the current phase wait for so many more arrivals.
    ///
    /// # Errors
    /// There is no object, or the count leaves its range.
    pub fn expect_arrivals(&mut self, address: u32, count: u32) -> Result<(), FaultKind> {
        self.change(address, |object| {
            object.pending += count;
            if object.pending > MAX_ARRIVALS { Err(format!("it would wait for {} arrivals", object.pending)) } else { Ok(()) }
        })
    }

    /// Counts so much work as done.
    ///
    /// # Errors
    /// There is no object, or the count leaves its range.
    pub fn complete_work(&mut self, address: u32, work: u32, who: Site) -> Result<(), FaultKind> {
        self.change(address, |object| {
            list(&mut object.brought, (who, work));
            object.ranks |= 1 << who.rank;
            object.count_work(-i64::from(work))?;
            object.complete();
            Ok(())
        })
    }

    /// Notes that asynchronous work of the current phase has reported something.
    ///
    /// # Errors
    /// There is no object.
    pub fn report_on(&mut self, address: u32) -> Result<(), FaultKind> {
        self.change(address, |object| {
            object.reported[0] = true;
            Ok(())
        })
    }

    /// The object at a shared address, which must keep reports.
    ///
    /// # Errors
    /// The address is bad, there is no object, or it keeps none.
    pub fn reporting_mbarrier(&mut self, address: u32) -> Result<(), FaultKind> {
        if self.mbarrier(address)?.reports {
            return Ok(());
        }
        let remedy = "which keeps no reports: initialise it with mbarrier.init.layout::v1";
        Err(FaultKind::rule(Rule::Object, format!("reports on its data to the mbarrier object at {}, {remedy}", shown(address))))
    }

    fn change(&mut self, address: u32, act: impl FnOnce(&mut Object) -> Result<(), String>) -> Result<(), FaultKind> {
        self.mbarrier(address)?;
        let Some(mut object) = self.mbarriers.remove(&address) else { return Ok(()) };
        let (phase, now) = (object.phase, self.now());
        let done = act(&mut object);
        if object.phase != phase {
            self.phases += 1;
            object.ended = now;
        }
        self.store_mbarrier(address, &object)?;
        self.mbarriers.insert(address, object);
        self.changes += 1;
        done.map_err(|why| FaultKind::rule(Rule::Count, format!("the mbarrier object at {}: {why}", shown(address))))
    }

    fn store_mbarrier(&mut self, address: u32, object: &Object) -> Result<(), FaultKind> {
        let host = self.place_of_mbarrier(address)?;
        // SAFETY: the place was found for eight aligned bytes.
        unsafe { write_element(host, object.word()) };
        Ok(())
    }

    fn place_of_mbarrier(&mut self, address: u32) -> Result<*mut u8, FaultKind> {
        self.shared_range(address, SIZE, Access::Atomic, SIZE)
    }

    /// The object at a shared address, if one is alive there.
    pub fn mbarrier_at(&self, address: u32) -> Option<&Object> {
        self.mbarriers.get(&address)
    }

    /// Whether the phase of this parity of the object at an address has ended, or there is none to wait for.
    pub fn mbarrier_over(&self, address: u32, parity: u32) -> bool {
        self.mbarriers.get(&address).is_none_or(|object| object.over(parity))
    }
}

impl Group<'_> {
    /// The object at a shared address, which a lane uses.
    ///
    /// # Errors
    /// There is none, or another warp has initialised it and nothing orders that before.
    pub fn object(&self, address: u32, lane: usize) -> Result<(), FaultKind> {
        let Some(object) = self.cluster.mbarriers.get(&address) else { return Ok(()) };
        let made = object.made;
        let own = (made.rank, made.warp) == (self.block.rank, self.warp.index);
        let reach = if made.rank == self.block.rank { Reach::Block } else { Reach::Cluster };
        if own || !self.watched || object.time <= self.warp.synchronised[lane % LANES][reach as usize] {
            return Ok(());
        }
        let message = format!("nothing orders the use of the mbarrier object at {} after its initialisation", shown(address));
        Err(FaultKind::Rule { rule: Rule::Object, message, other: Some((made, "initialised here by")) })
    }
}

/// A shared address for people.
pub fn shown(address: u32) -> String {
    let (rank, offset) = (address >> crate::cluster::RANK_SHIFT, address & 0xff_ffff);
    if rank == 0 { format!("shared address 0x{offset:x}") } else { format!("shared address 0x{offset:x} of block {rank}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster() -> Cluster {
        let mut cluster = Cluster::new(1, 64);
        cluster.begin([0; 3], 32);
        cluster
    }

    fn one() -> Arrival {
        Arrival { count: 1, ..Arrival::default() }
    }

    #[test]
    fn phases_need_arrivals_and_work() {
        let mut c = cluster();
        assert_eq!(c.init_mbarrier(8, 2, false, Site::default()), Ok(()));
        let state = c.arrive_mbarrier(8, Arrival { work: 100, ..one() }, Site::default()).unwrap_or_default();
        assert_eq!((state_pending(state), state_parity(state)), (2, 0));
        c.arrive_mbarrier(8, one(), Site { lane: 1, ..Site::default() }).unwrap_or_default();
        assert!(!c.mbarrier_over(8, 0));
        assert_eq!(c.complete_work(8, 60, Site::default()), Ok(()));
        assert!(!c.mbarrier_over(8, 0));
        assert_eq!(c.complete_work(8, 40, Site::default()), Ok(()));
        assert!(c.mbarrier_over(8, 0) && !c.mbarrier_over(8, 1));
        assert_eq!(c.mbarrier(8).map(|o| (o.pending, o.work, o.arrived.len())).ok(), Some((2, 0, 0)));
    }

    #[test]
    fn work_may_be_done_before_it_is_expected() {
        let mut c = cluster();
        assert_eq!(c.init_mbarrier(0, 1, false, Site::default()), Ok(()));
        assert_eq!(c.complete_work(0, 16, Site::default()), Ok(()));
        assert_eq!(c.mbarrier(0).map(|o| o.work).ok(), Some(-16));
        c.arrive_mbarrier(0, Arrival { work: 16, ..one() }, Site::default()).unwrap_or_default();
        assert!(c.mbarrier_over(0, 0));
    }

    #[test]
    fn those_who_drop_out_are_not_expected_again() {
        let mut c = cluster();
        assert_eq!(c.init_mbarrier(0, 3, false, Site::default()), Ok(()));
        let dropped = Arrival { drop: true, ..one() };
        assert!([dropped, one(), one()].into_iter().all(|a| c.arrive_mbarrier(0, a, Site::default()).is_ok()));
        assert_eq!(c.mbarrier(0).map(|o| (o.expected, o.pending, o.phase)).ok(), Some((2, 2, 1)));
    }

    #[test]
    fn a_report_keeps_the_conditional_phase_where_it_is() {
        let mut c = cluster();
        assert_eq!(c.init_mbarrier(0, 1, true, Site::default()), Ok(()));
        assert_eq!(
            (c.expect_work(0, 16, Site::default()), c.report_on(0), c.complete_work(0, 16, Site::default())),
            (Ok(()), Ok(()), Ok(()))
        );
        c.arrive_mbarrier(0, one(), Site::default()).unwrap_or_default();
        assert!(c.mbarrier_over(0, 0) && !c.mbarrier_over(0, CONDITIONAL));
        assert_eq!(c.mbarrier(0).map(|o| o.reported).ok(), Some([false, true]));
        c.arrive_mbarrier(0, one(), Site::default()).unwrap_or_default();
        assert!(c.mbarrier_over(0, 1) && c.mbarrier_over(0, CONDITIONAL));
        assert_eq!(c.mbarrier(0).map(|o| o.reported).ok(), Some([false, false]));
    }

    #[test]
    fn misuse_is_told() {
        let mut c = cluster();
        let text = |result: Result<(), FaultKind>| match result {
            Err(FaultKind::Rule { message, .. }) => message,
            other => format!("{other:?}"),
        };
        assert!(text(c.mbarrier(16).map(|_| ())).contains("no mbarrier object was initialised at shared address 0x10"));
        assert!(text(c.init_mbarrier(16, 0, false, Site::default())).contains("cannot expect 0"));
        assert!(text(c.init_mbarrier(16, 512, true, Site::default())).contains("1 to 511"));
        assert_eq!(c.init_mbarrier(16, 1, false, Site::default()), Ok(()));
        assert!(text(c.init_mbarrier(16, 1, false, Site::default())).contains("while it is in use"));
        assert!(
            text(c.arrive_mbarrier(16, Arrival { count: 2, ..one() }, Site::default()).map(|_| ())).contains("2 arrivals where")
        );
        let promised = Arrival { incomplete: true, ..one() };
        assert!(text(c.arrive_mbarrier(16, promised, Site::default()).map(|_| ())).contains(".noComplete"));
        assert_eq!(c.end_mbarrier(16), Ok(()));
        assert!(matches!(c.init_mbarrier(12, 1, false, Site::default()), Err(FaultKind::Misaligned { .. })));
        assert!(matches!(c.init_mbarrier(64, 1, false, Site::default()), Err(FaultKind::OutOfBounds { .. })));
        assert_eq!(c.init_mbarrier(16, 1, false, Site::default()), Ok(()));
        assert!(text(c.expect_work(16, 1 << 20, Site::default())).contains("beyond"));
    }
}
