//! Where the instructions of a kernel lead, by their places among those that can be reached.

use std::collections::BTreeMap;

/// The instructions that follow each.
pub struct Links {
    /// To which each leads.
    next: Vec<[Option<usize>; 2]>,
    /// Whether it leads to others, too, at an address in registers.
    elsewhere: Vec<bool>,
    /// Whether execution may come to it from others than the one before it.
    met: Vec<bool>,
    /// Where execution begins.
    entries: Vec<usize>,
    /// Whether any leads elsewhere.
    any_elsewhere: bool,
}

impl Links {
    /// Of `count` instructions, of which each leads to those that `leads` gives, and perhaps to others; execution begins at `entries`.
    pub fn new(count: usize, leads: impl Fn(usize) -> ([Option<usize>; 2], bool), entries: Vec<usize>) -> Links {
        let (next, elsewhere): (Vec<_>, Vec<_>) = (0..count).map(leads).unzip();
        let mut met = vec![false; count];
        entries.iter().for_each(|entry| met[*entry] = true);
        for (at, next) in next.iter().enumerate() {
            next.iter().flatten().filter(|next| **next != at + 1).for_each(|next| met[*next] = true);
        }
        let any_elsewhere = elsewhere.contains(&true);
        Links { next, elsewhere, met, entries, any_elsewhere }
    }

    /// The instructions to which one leads.
    pub fn next(&self, at: usize) -> [Option<usize>; 2] {
        self.next[at]
    }

    /// Whether it leads to others, too.
    pub fn leads_elsewhere(&self, at: usize) -> bool {
        self.elsewhere[at]
    }

    /// Whether execution may come to it from others than the one before it.
    pub fn is_met(&self, at: usize) -> bool {
        self.met[at]
    }

    /// Whether execution comes to the next one through this one alone.
    pub fn is_followed(&self, at: usize) -> bool {
        self.next[at] == [Some(at + 1), None] && !self.met[at + 1] && !self.any_elsewhere
    }

    /// Whether the next one always follows.
    pub fn goes_on(&self, at: usize) -> bool {
        self.next[at] == [Some(at + 1), None] && !self.elsewhere[at]
    }

    /// Of something that instructions read and write: whether what each leaves may still be read. `ends` tells of an instruction whether it always writes
    /// another value without reading the one before.
    pub fn live(&self, reads: impl Fn(usize) -> bool, ends: impl Fn(usize) -> bool) -> Vec<bool> {
        let count = self.next.len();
        let mut before = vec![Vec::new(); count];
        for (at, next) in self.next.iter().enumerate() {
            next.iter().flatten().for_each(|next| before[*next].push(at));
        }
        let mut live = self.elsewhere.clone();
        // Instructions before which the value is wanted.
        let wanted = |live: &[bool], at: usize| reads(at) || live[at] && !ends(at);
        let mut open: Vec<usize> = (0..count).filter(|at| wanted(&live, *at)).collect();
        while let Some(at) = open.pop() {
            for before in before[at].iter().copied() {
                if !std::mem::replace(&mut live[before], true) && wanted(&live, before) {
                    open.push(before);
                }
            }
        }
        live
    }

    /// How many loops each instruction stands in, as far as they are as they are written: from what is jumped back to, to the jump.
    pub fn depths(&self) -> Vec<u32> {
        // Of jumps to the same place the last ends the loop.
        let mut ends = BTreeMap::new();
        for (at, next) in self.next.iter().enumerate() {
            ends.extend(next.iter().flatten().filter(|next| **next <= at).map(|first| (*first, at + 1)));
        }
        let mut changes = vec![0i32; self.next.len() + 1];
        for (first, end) in ends {
            changes[first] += 1;
            changes[end] -= 1;
        }
        let depth = changes.iter().scan(0, |depth, change| {
            *depth += change;
            Some(*depth as u32)
        });
        depth.take(self.next.len()).collect()
    }

    /// Where execution begins.
    pub fn entries(&self) -> &[usize] {
        &self.entries
    }
}
