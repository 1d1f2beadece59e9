//! Functions that every CUDA device has without a module defining them: printf, the heap, failed assertions.
//!
//! CUDA C++ Programming Guide, "Formatted output", "Dynamic global memory allocation", "Assertion". The calling convention is PTX's:
//! arguments and results lie in the caller's local memory, where [`machine::state::Call`] says. Threads are served lowest lane first.

use crate::printf::{self, Arguments};
use machine::mods::Space;
use machine::state::{FaultKind, LOCAL_START, lanes};
use machine::{Element, Group, Handler, LANES, Op, Step};
use std::sync::atomic::Ordering;

/// The function of this name.
pub fn find(name: &str) -> Option<Handler> {
    Some(match name {
        "vprintf" => print as Handler,
        "malloc" => allocate,
        "free" => release,
        "__assertfail" => assertion_failed,
        _ => return None,
    })
}

/// Longest string that is read from device memory.
const LONGEST: u64 = 64 << 10;

/// Argument `n` of the call, as lane `lane` has it.
fn argument<T: Element>(g: &Group, op: &Op, n: usize, lane: usize) -> T {
    let start: [u32; LANES] = g.row(LOCAL_START);
    let (offset, size) = g.launch.tables.calls[op.imm as usize].arguments.get(n).copied().unwrap_or_default();
    let at = u64::from(start[lane] + offset);
    if size < size_of::<T>() as u32 { T::default() } else { g.warp.local.read(lane, at) }
}

fn give<T: Element>(g: &mut Group, op: &Op, lane: usize, value: T) {
    let start: [u32; LANES] = g.row(LOCAL_START);
    if let Some((offset, size)) = g.launch.tables.calls[op.imm as usize].returns.first()
        && *size >= size_of::<T>() as u32
    {
        g.warp.local.write(lane, u64::from(start[lane] + offset), value);
    }
}

/// One element at a generic address of a lane.
fn peek<T: Element>(g: &mut Group, lane: usize, address: u64) -> Option<T> {
    let mut row = [T::default(); LANES];
    g.load(Space::Generic, &[address; LANES], 1 << lane, &mut row).ok()?;
    Some(row[lane])
}

fn string(g: &mut Group, lane: usize, address: u64) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    for at in 0..LONGEST {
        match peek::<u8>(g, lane, address.checked_add(at)?)? {
            0 => return Some(text),
            byte => text.push(byte),
        }
    }
    Some(text)
}

/// The buffer of promoted arguments of one lane's printf; each is aligned to its size.
struct Buffer<'g, 'a> {
    g: &'g mut Group<'a>,
    lane: usize,
    at: u64,
    /// The first address that could not be read.
    bad: Option<u64>,
}

impl Buffer<'_, '_> {
    fn next<T: Element>(&mut self) -> T {
        let size = size_of::<T>() as u64;
        self.at = self.at.next_multiple_of(size);
        let value = peek(self.g, self.lane, self.at);
        if value.is_none() {
            self.bad.get_or_insert(self.at);
        }
        self.at += size;
        value.unwrap_or_default()
    }
}

impl Arguments for Buffer<'_, '_> {
    fn word(&mut self) -> u32 {
        self.next()
    }

    fn double_word(&mut self) -> u64 {
        self.next()
    }

    fn string(&mut self, address: u64) -> Option<Vec<u8>> {
        if address == 0 {
            return None;
        }
        let text = string(self.g, self.lane, address);
        if text.is_none() {
            self.bad.get_or_insert(address);
        }
        text
    }
}

/// `int vprintf(const char *format, void *arguments)`: gives how many arguments the format took, -1 for a null format.
fn print(g: &mut Group, op: &Op) -> Step {
    let mask = g.active(op);
    for lane in lanes(mask) {
        let (format, arguments): (u64, u64) = (argument(g, op, 0, lane), argument(g, op, 1, lane));
        if format == 0 {
            give(g, op, lane, -1i32);
            continue;
        }
        let Some(format) = string(g, lane, format) else { return unreadable(g, lane, format) };
        let mut buffer = Buffer { g: &mut *g, lane, at: arguments, bad: None };
        let (text, count) = printf::format(&format, &mut buffer);
        if let Some(address) = buffer.bad {
            return unreadable(g, lane, address);
        }
        g.launch.output.lock().unwrap_or_else(|e| e.into_inner()).extend(text);
        give(g, op, lane, count as i32);
    }
    Step::Next
}

fn unreadable(g: &mut Group, lane: usize, address: u64) -> Step {
    g.fail(lane as u32, FaultKind::Other(format!("printf cannot read its format or an argument at address 0x{address:x}")))
}

/// `void *malloc(size_t size)`: from the device heap; null when that is full.
fn allocate(g: &mut Group, op: &Op) -> Step {
    for lane in lanes(g.active(op)) {
        let size: u64 = argument(g, op, 0, lane);
        let taken = g.launch.heap.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(size));
        let address = taken.ok().and_then(|_| g.launch.memory.allocate(size, true)).unwrap_or(0);
        give(g, op, lane, address);
    }
    Step::Next
}

/// `void free(void *pointer)`: null is fine, anything but the start of an allocation is a fault.
fn release(g: &mut Group, op: &Op) -> Step {
    for lane in lanes(g.active(op)) {
        let address: u64 = argument(g, op, 0, lane);
        if address == 0 {
            continue;
        }
        let size = g.launch.memory.nearest(address).filter(|(start, _)| *start == address).map(|(_, size)| size);
        match size {
            Some(size) if g.launch.memory.free(address) => {
                g.launch.heap.fetch_add(size, Ordering::Relaxed);
            }
            _ => {
                let message = format!("free of 0x{address:x}, which malloc did not give or which was freed before");
                return g.fail(lane as u32, FaultKind::Other(message));
            }
        }
    }
    Step::Next
}

/// `void __assertfail(message, file, line, function, size)`: ends the launch.
fn assertion_failed(g: &mut Group, op: &Op) -> Step {
    let Some(lane) = lanes(g.active(op)).next() else { return Step::Next };
    let mut text = |n: usize| {
        let address: u64 = argument(g, op, n, lane);
        String::from_utf8_lossy(&string(g, lane, address).unwrap_or_default()).into_owned()
    };
    let (message, file, function) = (text(0), text(1), text(3));
    let line: u32 = argument(g, op, 2, lane);
    g.fail(lane as u32, FaultKind::Assert(format!("{file}:{line}: {function}: assertion `{message}` failed")))
}
