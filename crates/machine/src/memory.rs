//! Memory: the device's allocations, shared memory of blocks, local memory of threads, and the one way to touch them.
//!
//! Lanes race as on a GPU. Device and shared memory are therefore only ever reached by raw pointers, with relaxed atomic
//! accesses of an element ([`read_element`], [`write_element`]) or by [`copy_in`] and [`copy_out`], which move whole rows in
//! machine code that the compiler cannot see into. There is never a `&[u8]` or `&mut [u8]` over memory that a kernel can reach.
//!
//! Addresses: device memory begins at [`DEVICE_BASE`]; every allocation starts at a multiple of 256 and is followed by a gap, so
//! that one byte too many is noticed. Shared and local memory have windows in the generic space. Which allocation an
//! address belongs to is decided by search, with the last ones remembered by the group.
//!
//! PTX ISA 9.4, 5.1 (state spaces), 6.4.1.1 (generic addressing), 8 (consistency: relaxed everywhere, fences by the host's fences).

use crate::state::{Access, FaultKind, lanes};
use crate::{Element, FULL, Group, LANES, mods::Space};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, RwLock};

/// Where device memory begins.
pub const DEVICE_BASE: u64 = 0x7f00_0000_0000;
/// Where the shared window begins in the generic space.
pub const SHARED_WINDOW: u64 = 0x7e00_0000_0000;
/// Where the local window begins in the generic space.
pub const LOCAL_WINDOW: u64 = 0x7e01_0000_0000;
/// Bytes of either window.
pub const WINDOW: u64 = 0x0100_0000;
/// Alignment of allocations.
pub const ALIGNMENT: usize = 256;

/// Device memory.
pub struct Memory {
    table: RwLock<Vec<Allocation>>,
    version: AtomicU64,
    next: AtomicU64,
    used: AtomicU64,
    capacity: u64,
    freed: Mutex<Vec<Allocation>>,
}

#[derive(Clone, Copy)]
struct Allocation {
    start: u64,
    size: u64,
    host: *mut u8,
    writable: bool,
}

// SAFETY: the pointers are owned by `Memory` and reached only through atomic or opaque accesses.
unsafe impl Send for Allocation {}
// SAFETY: as above.
unsafe impl Sync for Allocation {}

impl Allocation {
    fn layout(size: u64) -> Option<Layout> {
        Layout::from_size_align((size as usize).max(1).next_multiple_of(16), ALIGNMENT).ok()
    }
}

/// A remembered allocation.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    start: u64,
    end: u64,
    host: *mut u8,
    writable: bool,
    version: u64,
}

impl Default for Region {
    fn default() -> Self {
        Region { start: 1, end: 0, host: std::ptr::null_mut(), writable: false, version: u64::MAX }
    }
}

impl Memory {
    /// Device memory of at most `capacity` bytes.
    pub fn new(capacity: u64) -> Self {
        Memory {
            table: RwLock::default(),
            version: AtomicU64::new(0),
            next: AtomicU64::new(DEVICE_BASE),
            used: AtomicU64::new(0),
            capacity,
            freed: Mutex::default(),
        }
    }

    /// Bytes that can be allocated in all.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Bytes allocated.
    pub fn used(&self) -> u64 {
        self.used.load(Relaxed)
    }

    /// Allocates `size` zeroed bytes; `None` when the device or the host has no more.
    pub fn allocate(&self, size: u64, writable: bool) -> Option<u64> {
        let total = self.used.fetch_add(size, Relaxed).checked_add(size);
        let host = match Allocation::layout(size) {
            // SAFETY: the layout has a size above zero.
            Some(layout) if total.is_some_and(|total| total <= self.capacity) => unsafe { alloc_zeroed(layout) },
            _ => std::ptr::null_mut(),
        };
        if host.is_null() {
            self.used.fetch_sub(size, Relaxed);
            return None;
        }
        let step = (size.max(1)).next_multiple_of(ALIGNMENT as u64) + ALIGNMENT as u64;
        let start = self.next.fetch_add(step, Relaxed);
        let mut table = self.table.write().unwrap_or_else(|e| e.into_inner());
        let at = table.partition_point(|a| a.start < start);
        table.insert(at, Allocation { start, size, host, writable });
        Some(start)
    }

    /// Frees the allocation that starts at `address`; false if there is none.
    ///
    /// The bytes stay readable by the host until [`Memory::reclaim`], since a running kernel may still look at them.
    pub fn free(&self, address: u64) -> bool {
        let mut table = self.table.write().unwrap_or_else(|e| e.into_inner());
        let Ok(at) = table.binary_search_by_key(&address, |a| a.start) else {
            return false;
        };
        let allocation = table.remove(at);
        self.version.fetch_add(1, Relaxed);
        self.used.fetch_sub(allocation.size, Relaxed);
        self.freed.lock().unwrap_or_else(|e| e.into_inner()).push(allocation);
        true
    }

    /// Gives freed memory back to the host. No kernel may be running on this memory.
    pub fn reclaim(&mut self) {
        for allocation in self.freed.get_mut().unwrap_or_else(|e| e.into_inner()).drain(..) {
            release(allocation);
        }
    }

    fn find(&self, address: u64, size: u64) -> Option<Region> {
        let version = self.version.load(Relaxed);
        let table = self.table.read().unwrap_or_else(|e| e.into_inner());
        let allocation = *table.get(table.partition_point(|a| a.start <= address).checked_sub(1)?)?;
        let end = allocation.start + allocation.size;
        (address.checked_add(size)? <= end).then_some(Region {
            start: allocation.start,
            end,
            host: allocation.host,
            writable: allocation.writable,
            version,
        })
    }

    /// Start and size of the last allocation that begins at or below `address`.
    pub fn nearest(&self, address: u64) -> Option<(u64, u64)> {
        let table = self.table.read().unwrap_or_else(|e| e.into_inner());
        let allocation = table.get(table.partition_point(|a| a.start <= address).checked_sub(1)?)?;
        Some((allocation.start, allocation.size))
    }

    /// Whether the address lies in memory that kernels cannot write.
    pub fn is_constant(&self, address: u64) -> bool {
        self.find(address, 1).is_some_and(|region| !region.writable)
    }

    /// Copies bytes out; false if they are not all in one allocation.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        let Some(region) = self.find(address, bytes.len() as u64) else {
            return false;
        };
        // SAFETY: inside the region, which lives at least as long as `self` is borrowed.
        unsafe { copy_in(region.host.add((address - region.start) as usize), bytes.as_mut_ptr(), bytes.len()) };
        true
    }

    /// Copies bytes in; false if they are not all in one allocation. The host may write constant memory.
    pub fn write(&self, address: u64, bytes: &[u8]) -> bool {
        let Some(region) = self.find(address, bytes.len() as u64) else {
            return false;
        };
        // SAFETY: as in `read`.
        unsafe { copy_out(region.host.add((address - region.start) as usize), bytes.as_ptr(), bytes.len()) };
        true
    }
}

fn release(allocation: Allocation) {
    if let Some(layout) = Allocation::layout(allocation.size) {
        // SAFETY: allocated with this layout, and dropped from every table.
        unsafe { dealloc(allocation.host, layout) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.reclaim();
        for allocation in self.table.get_mut().unwrap_or_else(|e| e.into_inner()).drain(..) {
            release(allocation);
        }
    }
}

/// Private bytes with the alignment of any element: a block's shared memory, a launch's parameters.
pub struct Bytes {
    chunks: Vec<crate::state::Chunk>,
    len: u32,
}

impl Bytes {
    /// `len` zeroed bytes. (Hardware leaves them undefined; zero makes runs repeatable.)
    pub fn new(len: u32) -> Self {
        Bytes { chunks: vec![crate::state::Chunk([0; 64]); (len as usize).div_ceil(64)], len }
    }

    /// Zeroes it for the next block.
    pub fn clear(&mut self) {
        self.chunks.fill(crate::state::Chunk([0; 64]));
    }

    /// Bytes.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A copy of `bytes`.
    pub fn from(bytes: &[u8]) -> Self {
        let mut new = Bytes::new(bytes.len() as u32);
        for (chunk, bytes) in new.chunks.iter_mut().zip(bytes.chunks(64)) {
            chunk.0[..bytes.len()].copy_from_slice(bytes);
        }
        new
    }

    /// Their place, to read.
    pub fn place(&self) -> *const u8 {
        self.chunks.as_ptr().cast()
    }

    fn place_mut(&mut self) -> *mut u8 {
        self.chunks.as_mut_ptr().cast()
    }
}

/// Local memory of a warp's lanes: words interleaved by lane, so that the same address in all lanes is one row.
#[derive(Default)]
pub struct Local {
    words: Vec<[u32; LANES]>,
}

impl Local {
    /// Bytes that each lane has.
    pub fn len(&self) -> u64 {
        self.words.len() as u64 * 4
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Zeroes it for the next block.
    pub fn clear(&mut self) {
        self.words.fill([0; LANES]);
    }

    /// Makes each lane's memory at least `bytes` long.
    pub fn grow(&mut self, bytes: u32) {
        let words = bytes.div_ceil(4) as usize;
        if self.words.len() < words {
            self.words.resize(words, [0; LANES]);
        }
    }

    /// The bytes at `address` of a lane; the caller has checked bounds and alignment.
    pub fn read<T: Element>(&self, lane: usize, address: u64) -> T {
        let (word, shift) = ((address / 4) as usize, address % 4 * 8);
        let mut bits = 0;
        for i in 0..size_of::<T>().div_ceil(4) {
            bits |= u128::from(self.words[word + i][lane]) << (32 * i);
        }
        T::from_bits(bits >> shift)
    }

    /// Stores to `address` of a lane; the caller has checked bounds and alignment.
    pub fn write<T: Element>(&mut self, lane: usize, address: u64, value: T) {
        let (word, shift, bits) = ((address / 4) as usize, address % 4 * 8, value.to_bits());
        if size_of::<T>() < 4 {
            let keep = !((((1u64 << (8 * size_of::<T>())) - 1) as u32) << shift);
            let place = &mut self.words[word][lane];
            *place = *place & keep | (bits as u32) << shift;
            return;
        }
        for i in 0..size_of::<T>() / 4 {
            self.words[word + i][lane] = (bits >> (32 * i)) as u32;
        }
    }
}

/// Reads one element with relaxed atomicity (16 bytes: as two halves).
///
/// # Safety
/// `at` is inside an allocation and aligned for `T`.
#[inline(always)]
pub unsafe fn read_element<T: Element>(at: *const u8) -> T {
    // SAFETY: the caller's; atomics have the size and alignment of their integers.
    unsafe {
        let bits = match size_of::<T>() {
            1 => u128::from(AtomicU8::from_ptr(at as *mut u8).load(Relaxed)),
            2 => u128::from(AtomicU16::from_ptr(at as *mut u16).load(Relaxed)),
            4 => u128::from(AtomicU32::from_ptr(at as *mut u32).load(Relaxed)),
            8 => u128::from(AtomicU64::from_ptr(at as *mut u64).load(Relaxed)),
            _ => {
                let half = |i: usize| u128::from(AtomicU64::from_ptr((at as *mut u64).add(i)).load(Relaxed));
                half(0) | half(1) << 64
            }
        };
        T::from_bits(bits)
    }
}

/// Writes one element with relaxed atomicity (16 bytes: as two halves).
///
/// # Safety
/// `at` is inside an allocation and aligned for `T`.
#[inline(always)]
pub unsafe fn write_element<T: Element>(at: *mut u8, value: T) {
    let bits = value.to_bits();
    // SAFETY: the caller's; atomics have the size and alignment of their integers.
    unsafe {
        match size_of::<T>() {
            1 => AtomicU8::from_ptr(at).store(bits as u8, Relaxed),
            2 => AtomicU16::from_ptr(at.cast()).store(bits as u16, Relaxed),
            4 => AtomicU32::from_ptr(at.cast()).store(bits as u32, Relaxed),
            8 => AtomicU64::from_ptr(at.cast()).store(bits as u64, Relaxed),
            _ => {
                AtomicU64::from_ptr(at.cast()).store(bits as u64, Relaxed);
                AtomicU64::from_ptr(at.cast::<u64>().add(1)).store((bits >> 64) as u64, Relaxed);
            }
        }
    }
}

/// Replaces one element by what `f` makes of it, atomically, and gives the old one.
///
/// # Safety
/// `at` is inside an allocation and aligned for `T`.
#[inline(always)]
pub unsafe fn update_element<T: Element>(at: *mut u8, f: impl Fn(T) -> T) -> T {
    macro_rules! update {
        ($atomic:ty, $integer:ty) => {{
            let next = |old: $integer| f(T::from_bits(u128::from(old))).to_bits() as $integer;
            // SAFETY: the caller's; atomics have the size and alignment of their integers.
            let cell = unsafe { <$atomic>::from_ptr(at.cast()) };
            let mut old = cell.load(Relaxed);
            while let Err(now) = cell.compare_exchange_weak(old, next(old), Relaxed, Relaxed) {
                old = now;
            }
            T::from_bits(u128::from(old))
        }};
    }
    match size_of::<T>() {
        1 => update!(AtomicU8, u8),
        2 => update!(AtomicU16, u16),
        4 => update!(AtomicU32, u32),
        8 => update!(AtomicU64, u64),
        // SAFETY: the caller's.
        _ => unsafe { update_wide(at, f) },
    }
}

/// [`update_element`] for 16 bytes, in one piece for everyone who uses this function; loads and stores go by halves.
///
/// # Safety
/// As for [`update_element`].
unsafe fn update_wide<T: Element>(at: *mut u8, f: impl Fn(T) -> T) -> T {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    // SAFETY: the caller's.
    unsafe {
        let old: T = read_element(at);
        write_element(at, f(old));
        old
    }
}

/// Copies from racing memory to private memory.
///
/// On x86-64 16 bytes at a time by an opaque instruction, which the processor performs element by element atomically for
/// naturally aligned elements; elsewhere byte by byte.
///
/// # Safety
/// Both ranges are valid; `to` is private to the caller.
#[inline(always)]
pub unsafe fn copy_in(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's.
    unsafe {
        let mut at = 0;
        #[cfg(target_arch = "x86_64")]
        while at + 16 <= len {
            let value: core::arch::x86_64::__m128i;
            core::arch::asm!("movups {}, [{}]", out(xmm_reg) value, in(reg) from.add(at), options(nostack, preserves_flags, readonly));
            core::arch::x86_64::_mm_storeu_si128(to.add(at).cast(), value);
            at += 16;
        }
        while at < len {
            *to.add(at) = AtomicU8::from_ptr(from.add(at) as *mut u8).load(Relaxed);
            at += 1;
        }
    }
}

/// Copies from private memory to racing memory; see [`copy_in`].
///
/// # Safety
/// Both ranges are valid; `from` is private to the caller.
#[inline(always)]
pub unsafe fn copy_out(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: the caller's.
    unsafe {
        let mut at = 0;
        #[cfg(target_arch = "x86_64")]
        while at + 16 <= len {
            let value = core::arch::x86_64::_mm_loadu_si128(from.add(at).cast());
            core::arch::asm!("movups [{}], {}", in(reg) to.add(at), in(xmm_reg) value, options(nostack, preserves_flags));
            at += 16;
        }
        while at < len {
            AtomicU8::from_ptr(to.add(at)).store(*from.add(at), Relaxed);
            at += 1;
        }
    }
}

/// A range of host memory that a space's addresses map to.
#[derive(Clone, Copy)]
struct Area {
    start: u64,
    len: u64,
    host: *mut u8,
}

impl Area {
    /// Whether every address has room for an aligned element of `T` here.
    #[inline(always)]
    fn holds<T: Element>(&self, addresses: &[u64; LANES]) -> bool {
        let Some(limit) = self.len.checked_sub(size_of::<T>() as u64) else { return false };
        let (mut outside, mut bits) = (false, 0);
        for address in addresses {
            outside |= address.wrapping_sub(self.start) > limit;
            bits |= *address;
        }
        !outside && bits & (size_of::<T>() as u64 - 1) == 0
    }

    /// The host place of an address that [`Area::holds`].
    #[inline(always)]
    fn place(&self, address: u64) -> *mut u8 {
        self.host.wrapping_add((address - self.start) as usize)
    }
}

/// Lanes whose addresses are looked at together.
const CHUNK: usize = 8;

/// How the addresses of a chunk lie.
enum Pattern {
    Same,
    Consecutive,
    Scattered,
}

#[inline(always)]
fn pattern<T>(addresses: &[u64]) -> Pattern {
    let (mut different, mut gaps) = (0, 0);
    for (i, address) in addresses.iter().enumerate().take(CHUNK) {
        let distance = address.wrapping_sub(addresses[0]);
        different |= distance;
        gaps |= distance ^ (i * size_of::<T>()) as u64;
    }
    match (different, gaps) {
        (0, _) => Pattern::Same,
        (_, 0) => Pattern::Consecutive,
        _ => Pattern::Scattered,
    }
}

/// The addresses with those of inactive lanes replaced by an active one's.
#[inline(always)]
fn active(addresses: &[u64; LANES], mask: u32) -> [u64; LANES] {
    let mut own = *addresses;
    if mask != FULL {
        let first = addresses[mask.trailing_zeros() as usize & 31];
        for (i, address) in own.iter_mut().enumerate() {
            *address = if mask >> i & 1 != 0 { *address } else { first };
        }
    }
    own
}

/// The lanes of `mask` whose generic addresses lie in the shared and in the local window.
#[inline(always)]
fn windows(addresses: &[u64; LANES], mask: u32) -> (u32, u32) {
    // Device memory lies above both windows.
    let mut low = false;
    for address in addresses {
        low |= *address < DEVICE_BASE;
    }
    if !low {
        return (0, 0);
    }
    let inside = |window: u64| {
        let mut bits = 0;
        for (i, address) in addresses.iter().enumerate() {
            bits |= u32::from(address.wrapping_sub(window) < WINDOW) << i;
        }
        bits & mask
    };
    (inside(SHARED_WINDOW), inside(LOCAL_WINDOW))
}

/// Loads a chunk's elements.
///
/// # Safety
/// `area` holds every address.
#[inline(always)]
unsafe fn load_chunk<T: Element>(area: &Area, addresses: &[u64], out: &mut [T]) {
    // SAFETY: the caller's.
    unsafe {
        match pattern::<T>(addresses) {
            Pattern::Consecutive => copy_in(area.place(addresses[0]), out.as_mut_ptr().cast(), CHUNK * size_of::<T>()),
            Pattern::Same => out.fill(read_element(area.place(addresses[0]))),
            Pattern::Scattered => {
                for (value, address) in out.iter_mut().zip(addresses) {
                    *value = read_element(area.place(*address));
                }
            }
        }
    }
}

/// Stores a chunk's elements for the lanes of `mask`.
///
/// # Safety
/// `area` holds every address.
#[inline(always)]
unsafe fn store_chunk<T: Element>(area: &Area, addresses: &[u64], mask: u32, values: &[T]) {
    // SAFETY: the caller's.
    unsafe {
        if mask == 0xff
            && let Pattern::Consecutive = pattern::<T>(addresses)
        {
            return copy_out(area.place(addresses[0]), values.as_ptr().cast(), CHUNK * size_of::<T>());
        }
        for (i, (value, address)) in values.iter().zip(addresses).enumerate() {
            if mask >> i & 1 != 0 {
                write_element(area.place(*address), *value);
            }
        }
    }
}

/// A failed access: which lane, and how.
pub type Failure = (u32, FaultKind);

impl Group<'_> {
    /// Loads one element for each lane of `mask`; what `out` has for other lanes afterwards is not said.
    ///
    /// # Errors
    /// The first lane whose address is bad.
    #[inline(always)]
    pub fn load<T: Element>(
        &mut self,
        space: Space,
        addresses: &[u64; LANES],
        mask: u32,
        out: &mut [T; LANES],
    ) -> Result<(), Failure> {
        let space = if space == Space::Generic && windows(addresses, mask) == (0, 0) { Space::Global } else { space };
        let own = active(addresses, mask);
        match self.area(space, own[0], Access::Read) {
            Some(area) if area.holds::<T>(&own) => {
                for c in 0..LANES / CHUNK {
                    let at = c * CHUNK..(c + 1) * CHUNK;
                    // SAFETY: `holds` found every lane's element inside the area, aligned.
                    unsafe { load_chunk(&area, &own[at.clone()], &mut out[at]) };
                }
                Ok(())
            }
            _ => self.load_slowly(space, addresses, mask, out),
        }
    }

    /// The same for spaces without an area, lanes of several spaces or allocations, and bad addresses.
    #[inline(never)]
    fn load_slowly<T: Element>(
        &mut self,
        space: Space,
        addresses: &[u64; LANES],
        mask: u32,
        out: &mut [T; LANES],
    ) -> Result<(), Failure> {
        self.by_space(space, addresses, mask, |g, space, addresses, mask| {
            if space == Space::Local {
                g.check_local::<T>(addresses, mask, Access::Read)?;
                lanes(mask).for_each(|i| out[i] = g.warp.local.read(i, addresses[i]));
                return Ok(());
            }
            lanes(mask).try_for_each(|i| {
                let host = g.place::<T>(space, addresses[i], Access::Read).map_err(|kind| (i as u32, kind))?;
                // SAFETY: `place` checked it.
                out[i] = unsafe { read_element(host) };
                Ok(())
            })
        })
    }

    /// Stores one element for each lane of `mask`; of lanes with the same address the highest wins.
    ///
    /// # Errors
    /// The first lane whose address is bad; lanes below it may have stored.
    #[inline(always)]
    pub fn store<T: Element>(
        &mut self,
        space: Space,
        addresses: &[u64; LANES],
        mask: u32,
        values: &[T; LANES],
    ) -> Result<(), Failure> {
        self.wrote = true;
        let space = if space == Space::Generic && windows(addresses, mask) == (0, 0) { Space::Global } else { space };
        let own = active(addresses, mask);
        match self.area(space, own[0], Access::Write) {
            Some(area) if area.holds::<T>(&own) => {
                for c in 0..LANES / CHUNK {
                    let at = c * CHUNK..(c + 1) * CHUNK;
                    let mask = mask >> (c * CHUNK) & 0xff;
                    // SAFETY: `holds` found every lane's element inside the area, aligned.
                    unsafe { store_chunk(&area, &own[at.clone()], mask, &values[at]) };
                }
                Ok(())
            }
            _ => self.store_slowly(space, addresses, mask, values),
        }
    }

    /// As [`Group::load_slowly`].
    #[inline(never)]
    fn store_slowly<T: Element>(
        &mut self,
        space: Space,
        addresses: &[u64; LANES],
        mask: u32,
        values: &[T; LANES],
    ) -> Result<(), Failure> {
        self.by_space(space, addresses, mask, |g, space, addresses, mask| {
            if space == Space::Local {
                g.check_local::<T>(addresses, mask, Access::Write)?;
                lanes(mask).for_each(|i| g.warp.local.write(i, addresses[i], values[i]));
                return Ok(());
            }
            lanes(mask).try_for_each(|i| {
                let host = g.place::<T>(space, addresses[i], Access::Write).map_err(|kind| (i as u32, kind))?;
                // SAFETY: `place` checked it.
                unsafe { write_element(host, values[i]) };
                Ok(())
            })
        })
    }

    /// The area of shared, parameter or device memory that an address lies in.
    #[inline(always)]
    fn area(&mut self, space: Space, address: u64, access: Access) -> Option<Area> {
        match space {
            Space::Local | Space::Generic => None,
            Space::Shared | Space::SharedCluster => {
                let shared = &mut self.block.shared;
                Some(Area { start: 0, len: u64::from(shared.len()), host: shared.place_mut() })
            }
            Space::Param | Space::ParamEntry | Space::ParamFunc => {
                let params = &self.launch.params;
                let area = Area { start: 0, len: u64::from(params.len()), host: params.place().cast_mut() };
                (access == Access::Read).then_some(area)
            }
            Space::Global | Space::Const => {
                self.device(address, 1, access)?;
                let Region { start, end, host, .. } = self.regions[0];
                Some(Area { start, len: end - start, host })
            }
        }
    }

    /// Replaces one element for each lane of `mask`, lowest lane first, by what `f` makes of it for that lane, atomically; the old
    /// ones go to `out`. `f` is told the space that the element lies in.
    ///
    /// # Errors
    /// The first lane whose address is bad; the lanes below it have been served.
    #[inline]
    pub fn update<T: Element>(
        &mut self,
        space: Space,
        addresses: &[u64; LANES],
        mask: u32,
        out: &mut [T; LANES],
        f: impl Fn(Space, usize, T) -> T,
    ) -> Result<(), Failure> {
        self.by_space(space, addresses, mask, |g, space, addresses, mask| {
            lanes(mask).try_for_each(|i| {
                if space == Space::Local {
                    let kind =
                        FaultKind::Other("an atomic operation on local memory: only global and shared memory have them".into());
                    return Err((i as u32, kind));
                }
                let host = g.place::<T>(space, addresses[i], Access::Atomic).map_err(|kind| (i as u32, kind))?;
                // SAFETY: `place` checked it.
                out[i] = unsafe {
                    match space {
                        // Only the thread that runs the block touches its shared memory.
                        Space::Shared | Space::SharedCluster => {
                            let old = read_element(host);
                            write_element(host, f(space, i, old));
                            old
                        }
                        _ => update_element(host, |old| f(space, i, old)),
                    }
                };
                g.wrote |= f(space, i, out[i]).to_bits() != out[i].to_bits();
                Ok(())
            })
        })
    }

    /// Calls `act` for the lanes of each space that the addresses lie in, with addresses of that space.
    #[inline(always)]
    pub fn by_space(
        &mut self,
        space: Space,
        addresses: &[u64; LANES],
        mask: u32,
        mut act: impl FnMut(&mut Self, Space, &[u64; LANES], u32) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if space != Space::Generic {
            return act(self, space, addresses, mask);
        }
        let (shared, local) = windows(addresses, mask);
        for (space, part, window) in [
            (Space::Global, mask & !shared & !local, 0),
            (Space::Shared, shared, SHARED_WINDOW),
            (Space::Local, local, LOCAL_WINDOW),
        ] {
            if part != 0 {
                act(self, space, &addresses.map(|address| address.wrapping_sub(window)), part)?;
            }
        }
        Ok(())
    }

    /// The host place of one element.
    ///
    /// # Errors
    /// What is wrong with the address.
    pub fn place<T: Element>(&mut self, space: Space, address: u64, access: Access) -> Result<*mut u8, FaultKind> {
        let size = size_of::<T>() as u32;
        if let Some(host) = self.host(space, address, u64::from(size), access) {
            if address.is_multiple_of(u64::from(size)) {
                return Ok(host);
            }
            return Err(FaultKind::Misaligned { address: shown(space, address), size, access });
        }
        if access != Access::Read && self.host(space, address, u64::from(size), Access::Read).is_some() {
            return Err(FaultKind::ReadOnly { address });
        }
        Err(self.out_of_bounds(space, address, size, access))
    }

    fn out_of_bounds(&self, space: Space, address: u64, size: u32, access: Access) -> FaultKind {
        let (space, nearest) = match space {
            Space::Shared | Space::SharedCluster => ("shared", Some((0, u64::from(self.block.shared.len())))),
            Space::Local => ("local", Some((0, self.warp.local.len()))),
            Space::Param | Space::ParamEntry | Space::ParamFunc => ("param", Some((0, u64::from(self.launch.params.len())))),
            Space::Const => ("const", self.launch.memory.nearest(address)),
            _ => ("global", self.launch.memory.nearest(address)),
        };
        FaultKind::OutOfBounds { space, address, size, access, nearest }
    }

    fn check_local<T: Element>(&self, addresses: &[u64; LANES], mask: u32, access: Access) -> Result<(), Failure> {
        let size = size_of::<T>() as u64;
        lanes(mask).try_for_each(|i| {
            let address = addresses[i];
            if address.checked_add(size).is_none_or(|end| end > self.warp.local.len()) {
                return Err((i as u32, self.out_of_bounds(Space::Local, address, size as u32, access)));
            }
            if !address.is_multiple_of(size) {
                return Err((i as u32, FaultKind::Misaligned { address, size: size as u32, access }));
            }
            Ok(())
        })
    }

    /// The host place of a range of shared, parameter or device memory.
    #[inline(always)]
    fn host(&mut self, space: Space, address: u64, size: u64, access: Access) -> Option<*mut u8> {
        match space {
            Space::Shared | Space::SharedCluster => {
                let inside = address.checked_add(size)? <= u64::from(self.block.shared.len());
                // SAFETY: inside.
                inside.then(|| unsafe { self.block.shared.place_mut().add(address as usize) })
            }
            Space::Param | Space::ParamEntry | Space::ParamFunc => {
                let params = &self.launch.params;
                let inside = access == Access::Read && address.checked_add(size)? <= u64::from(params.len());
                // SAFETY: inside; only read.
                inside.then(|| unsafe { params.place().add(address as usize).cast_mut() })
            }
            _ => self.device(address, size, access),
        }
    }

    #[inline(always)]
    fn device(&mut self, address: u64, size: u64, access: Access) -> Option<*mut u8> {
        let version = self.launch.memory.version.load(Relaxed);
        let fits = |region: &Region| {
            address >= region.start
                && region.end.checked_sub(address).is_some_and(|room| room >= size)
                && region.version == version
                && (access == Access::Read || region.writable)
        };
        if !fits(&self.regions[0]) {
            if fits(&self.regions[1]) {
                self.regions.swap(0, 1);
            } else {
                let found = self.launch.memory.find(address, size)?;
                self.regions[1] = self.regions[0];
                self.regions[0] = found;
                if access != Access::Read && !found.writable {
                    return None;
                }
            }
        }
        let region = &self.regions[0];
        // SAFETY: the range lies in the region.
        Some(unsafe { region.host.add((address - region.start) as usize) })
    }
}

fn shown(space: Space, address: u64) -> u64 {
    match space {
        Space::Shared | Space::SharedCluster => address + SHARED_WINDOW,
        _ => address,
    }
}
