//! Multicast addresses: each stands for one location on every device of a group.
//!
//! PTX ISA 9.4, 9.7.10.15 (multimem). The devices are modelled by as many ranges of one memory, the replicas: what instructions on multicast
//! addresses do they do to all of them, in their order. Only those instructions may use such an address; no allocation has it, so others
//! fault.

use crate::memory::{Memory, SHARED_WINDOW, read_element, update_element, write_element};
use crate::mods::Space;
use crate::state::{Access, FaultKind};
use crate::{Element, Group};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, RwLock};

/// Where multicast addresses begin; they end where the window of shared memory begins.
pub const MULTICAST_BASE: u64 = 0x7d00_0000_0000;
/// What their ranges are multiples of, which is what replicas are aligned to.
const ALIGNMENT: u64 = 256;

/// Multicast addresses of a memory.
#[derive(Debug)]
pub struct Multicasts {
    ranges: RwLock<Vec<Range>>,
    next: AtomicU64,
}

impl Default for Multicasts {
    fn default() -> Self {
        Multicasts { ranges: RwLock::default(), next: AtomicU64::new(MULTICAST_BASE) }
    }
}

/// A range of multicast addresses.
#[derive(Clone, Debug)]
struct Range {
    start: u64,
    size: u64,
    replicas: Arc<[u64]>,
}

/// The locations of a multicast address.
#[derive(Clone, Debug)]
pub struct Replicas {
    starts: Arc<[u64]>,
    offset: u64,
}

impl Replicas {
    /// Their addresses, device by device.
    pub fn addresses(&self) -> impl Iterator<Item = u64> + '_ {
        self.starts.iter().map(|start| start + self.offset)
    }
}

/// Whether an address is a multicast one.
pub fn is_multicast(address: u64) -> bool {
    (MULTICAST_BASE..SHARED_WINDOW).contains(&address)
}

impl Memory {
    /// Multicast addresses for ranges of `size` bytes that begin at `replicas`: the first of them.
    pub fn multicast(&self, replicas: &[u64], size: u64) -> u64 {
        let multicasts = self.multicasts();
        let step = size.max(1).next_multiple_of(ALIGNMENT) + ALIGNMENT;
        let start = multicasts.next.fetch_add(step, Relaxed);
        let mut ranges = multicasts.ranges.write().unwrap_or_else(|e| e.into_inner());
        let at = ranges.partition_point(|range| range.start < start);
        ranges.insert(at, Range { start, size, replicas: replicas.into() });
        start
    }

    /// Takes multicast addresses back.
    pub fn end_multicast(&self, start: u64) {
        self.multicasts().ranges.write().unwrap_or_else(|e| e.into_inner()).retain(|range| range.start != start);
    }

    /// The locations of a range of multicast addresses.
    ///
    /// # Errors
    /// It is none, or misaligned.
    pub fn replicas(&self, address: u64, size: u32, align: u32, access: Access) -> Result<Replicas, FaultKind> {
        if !is_multicast(address) {
            let wanted = "a multicast address, which alone multimem instructions take (multimem: of an argument)";
            return Err(FaultKind::BadTarget { value: address, wanted });
        }
        let ranges = self.multicasts().ranges.read().unwrap_or_else(|e| e.into_inner());
        let below = ranges.partition_point(|range| range.start <= address).checked_sub(1).map(|i| &ranges[i]);
        let inside = |range: &&Range| address - range.start + u64::from(size) <= range.size;
        let Some(range) = below.filter(inside) else {
            let nearest = below.map(|range| (range.start, range.size));
            return Err(FaultKind::OutOfBounds { space: "multicast", address, size, access, nearest });
        };
        if !address.is_multiple_of(align.into()) {
            return Err(FaultKind::Misaligned { address, size: align, access });
        }
        Ok(Replicas { starts: range.replicas.clone(), offset: address - range.start })
    }
}

impl Group<'_> {
    /// One element at each of these locations, device by device.
    ///
    /// # Errors
    /// One is not in memory.
    pub fn load_replicas<T: Element>(&mut self, replicas: &Replicas, offset: u64) -> Result<Vec<T>, FaultKind> {
        let read = |address: u64| {
            let host = self.place::<T>(Space::Global, address + offset, Access::Read)?;
            // SAFETY: `place` checked it.
            Ok(unsafe { read_element(host) })
        };
        replicas.addresses().map(read).collect()
    }

    /// Stores an element to each of these locations.
    ///
    /// # Errors
    /// One is not in memory, or cannot be written.
    pub fn store_replicas<T: Element>(&mut self, replicas: &Replicas, offset: u64, value: T) -> Result<(), FaultKind> {
        self.wrote = true;
        replicas.addresses().try_for_each(|address| {
            let host = self.place::<T>(Space::Global, address + offset, Access::Write)?;
            // SAFETY: `place` checked it.
            unsafe { write_element(host, value) };
            Ok(())
        })
    }

    /// Replaces the element at each of these locations by what `f` makes of it, each atomically by itself.
    ///
    /// # Errors
    /// One is not in memory, or cannot be written.
    pub fn update_replicas<T: Element>(&mut self, replicas: &Replicas, offset: u64, f: impl Fn(T) -> T) -> Result<(), FaultKind> {
        self.wrote = true;
        replicas.addresses().try_for_each(|address| {
            let host = self.place::<T>(Space::Global, address + offset, Access::Atomic)?;
            // SAFETY: `place` checked it.
            unsafe { update_element(host, &f) };
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multicast_address_has_a_location_on_every_device() {
        let memory = Memory::new(1 << 20);
        let start = memory.multicast(&[4096, 8192, 512], 100);
        let all = |address, size, align| {
            memory.replicas(address, size, align, Access::Read).map(|replicas| replicas.addresses().collect::<Vec<_>>())
        };
        assert_eq!(all(start + 8, 4, 4), Ok(vec![4104, 8200, 520]));
        assert!(matches!(all(start + 98, 4, 2), Err(FaultKind::OutOfBounds { .. })));
        assert!(matches!(all(start + 6, 4, 4), Err(FaultKind::Misaligned { .. })));
        assert!(matches!(all(4096, 4, 4), Err(FaultKind::BadTarget { .. })));
        memory.end_multicast(start);
        assert!(all(start + 8, 4, 4).is_err());
    }
}
