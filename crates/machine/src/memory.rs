//! Memory: the device's allocations, shared memory of blocks, local memory of threads, and the one way to touch them.
//!
//! Lanes race as on a GPU. Device and shared memory are therefore only ever reached by raw pointers, with relaxed atomic
//! accesses of an element ([`read_element`], [`write_element`]) or by [`copy_in`] and [`copy_out`], which move whole rows in
//! machine code that the compiler cannot see into. ([`crate::halves`] has wider ones for the usual patterns.) There is never a `&[u8]` or `&mut [u8]` over memory that a kernel can reach.
//!
//! Addresses: device memory begins at [`DEVICE_BASE`]; every allocation starts at a multiple of 256 and is followed by a gap, so
//! that one byte too many is noticed. Shared and local memory have windows in the generic space. Which allocation an
//! address belongs to is decided by search, with the last ones remembered by the group.
//!
//! PTX ISA 9.4, 5.1 (state spaces), 6.4.1.1 (generic addressing), 8 (consistency: relaxed everywhere, fences by the host's fences).

use crate::cluster::{BLOCK_WINDOW, RANK_SHIFT, rank_of};
use crate::gws::Resources;
use crate::mbarrier::Site;
use crate::multicast::Multicasts;
use crate::op::NONE;
use crate::row::blend;
use crate::state::{Access, FaultKind, lanes};
use crate::{Element, FULL, Group, Int, LANES, Op, mods::Space};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, RwLock};

/// Where device memory begins.
pub const DEVICE_BASE: u64 = 0x7f00_0000_0000;
/// Where the shared window begins in the generic space.
pub const SHARED_WINDOW: u64 = 0x7e00_0000_0000;
/// Where the local window begins in the generic space.
pub const LOCAL_WINDOW: u64 = 0x7e01_0000_0000;
/// Bytes of the window of local memory.
pub const WINDOW: u64 = 0x0100_0000;
/// Bytes of the window of shared memory: that of each block of a cluster.
pub const SHARED_WINDOW_SIZE: u64 = 1 << 32;
/// Whether a generic address lies in the window of shared or of local memory.
pub fn in_window(address: u64) -> bool {
    address.wrapping_sub(SHARED_WINDOW) < SHARED_WINDOW_SIZE || address.wrapping_sub(LOCAL_WINDOW) < WINDOW
}

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
    multicasts: Multicasts,
    /// Where AMD's wavefronts of all blocks meet.
    pub gws: Resources,
    /// A byte whose accesses are looked for; 0 if there is none.
    sought: AtomicU64,
    touches: Mutex<[Option<Touch>; 2]>,
}

/// Who accessed a byte that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The instruction and the thread.
    pub site: Site,
    /// The cluster's index in the grid.
    pub cluster: [u32; 3],
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

/// Regions that are remembered: kernels like to have a few buffers.
pub const REMEMBERED: usize = 4;

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

impl Region {
    /// Whether it holds a range that may be accessed this way, as memory stands now.
    #[inline(always)]
    fn fits(&self, address: u64, size: u64, access: Access, version: u64) -> bool {
        address >= self.start
            && self.end.checked_sub(address).is_some_and(|room| room >= size)
            && self.version == version
            && (access == Access::Read || self.writable)
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
            multicasts: Multicasts::default(),
            gws: Resources::default(),
            sought: AtomicU64::new(0),
            touches: Mutex::default(),
        }
    }

    /// Looks for accesses of a byte from now on, or of none. Launches that begin later notice them, and are slower.
    pub fn seek(&self, address: Option<u64>) {
        self.sought.store(address.unwrap_or(0), Relaxed);
        self.take_touches();
    }

    /// Whether accesses of a byte are looked for.
    pub fn is_seeking(&self) -> bool {
        self.sought.load(Relaxed) != 0
    }

    /// Who wrote that byte last, and who read it last, since this was asked last.
    pub fn take_touches(&self) -> [Option<Touch>; 2] {
        std::mem::take(&mut *self.touches.lock().unwrap_or_else(|e| e.into_inner()))
    }

    /// Takes notice of an access of a range.
    pub(crate) fn touch(&self, address: u64, len: usize, access: Access, touch: Touch) {
        let sought = self.sought.load(Relaxed);
        if sought.wrapping_sub(address) < len as u64 {
            let mut touches = self.touches.lock().unwrap_or_else(|e| e.into_inner());
            touches[usize::from(access == Access::Read)] = Some(touch);
        }
    }

    pub(crate) fn multicasts(&self) -> &Multicasts {
        &self.multicasts
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

    /// The host place of a range that a job accesses.
    ///
    /// # Errors
    /// No allocation holds it, or it may not be accessed this way.
    pub(crate) fn place(&self, address: u64, len: u32, access: Access) -> Result<*mut u8, FaultKind> {
        let Some(region) = self.find(address, len.into()) else {
            let nearest = self.nearest(address);
            return Err(FaultKind::OutOfBounds { space: "global", address, size: len, access, nearest });
        };
        if access != Access::Read && !region.writable {
            return Err(FaultKind::ReadOnly { address });
        }
        Ok(region.host.wrapping_add((address - region.start) as usize))
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

/// Elements of racing memory that are changed one after the other.
pub struct Cells {
    host: *mut u8,
    len: usize,
    /// Whether only the thread that runs the cluster touches them.
    shared: bool,
}

impl Cells {
    /// # Safety
    /// `len` bytes at `host` are inside an allocation, and aligned for the elements that will be changed.
    pub(crate) unsafe fn new(host: *mut u8, len: usize, shared: bool) -> Self {
        Cells { host, len, shared }
    }

    /// Replaces element `i` by what `f` makes of it, atomically.
    pub fn update<T: Element>(&mut self, i: usize, f: impl Fn(T) -> T) {
        let at = i * size_of::<T>();
        assert!(at + size_of::<T>() <= self.len, "an element outside of its range");
        // SAFETY: inside the range; the maker's word for its alignment.
        unsafe {
            let place = self.host.add(at);
            if self.shared {
                write_element(place, f(read_element(place)));
            } else {
                update_element(place, f);
            }
        }
    }
}

/// Finds host places of device memory one after the other, mostly in one allocation.
pub(crate) struct Finder<'a> {
    memory: &'a Memory,
    access: Access,
    region: Region,
}

impl<'a> Finder<'a> {
    pub fn new(memory: &'a Memory, access: Access) -> Self {
        Finder { memory, access, region: Region::default() }
    }

    /// # Errors
    /// No allocation holds the range, or it may not be accessed this way.
    #[inline]
    pub fn place(&mut self, address: u64, len: usize) -> Result<*mut u8, FaultKind> {
        if !self.region.fits(address, len as u64, self.access, self.region.version) {
            self.memory.place(address, len as u32, self.access)?;
            self.region = self.memory.find(address, len as u64).unwrap_or_default();
        }
        Ok(self.region.host.wrapping_add((address - self.region.start) as usize))
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
    #[inline]
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
    #[inline]
    pub fn place(&self) -> *const u8 {
        self.chunks.as_ptr().cast()
    }

    /// Their place.
    #[inline]
    pub fn place_mut(&mut self) -> *mut u8 {
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

/// Reads one element with relaxed atomicity.
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
            _ => wide::read(at),
        };
        T::from_bits(bits)
    }
}

/// Writes one element with relaxed atomicity.
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
            _ => wide::write(at, bits),
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
        _ => T::from_bits(unsafe { wide::update(at, |old| f(T::from_bits(old)).to_bits()) }),
    }
}

/// Sixteen bytes at once.
///
/// Processors with AVX read and write aligned sixteen bytes in one piece (Intel's manual, volume 3, 9.1.1; AMD's, volume 2, 7.3.2), and
/// `cmpxchg16b` changes them so. On others reads and writes go by halves, and changes are in one piece among themselves only.
#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::asm;
    use std::arch::x86_64::__m128i;
    use std::mem::transmute;

    /// # Safety
    /// `at` is inside an allocation and a multiple of 16.
    #[inline(always)]
    pub unsafe fn read(at: *const u8) -> u128 {
        let value: __m128i;
        // SAFETY: the caller's; sixteen bytes either way.
        unsafe {
            asm!("movaps {}, [{}]", out(xmm_reg) value, in(reg) at, options(nostack, preserves_flags, readonly));
            transmute(value)
        }
    }

    /// # Safety
    /// As for [`read`].
    #[inline(always)]
    pub unsafe fn write(at: *mut u8, bits: u128) {
        // SAFETY: the caller's; sixteen bytes either way.
        unsafe {
            let value: __m128i = transmute(bits);
            asm!("movaps [{}], {}", in(reg) at, in(xmm_reg) value, options(nostack, preserves_flags));
        }
    }

    /// What was there; `new` is there now if that was `old`.
    ///
    /// # Safety
    /// As for [`read`], and the processor has the instruction.
    unsafe fn exchange(at: *mut u8, old: u128, new: u128) -> u128 {
        let (low, high): (u64, u64);
        // SAFETY: the caller's. The compiler keeps rbx for itself, so it is put back.
        unsafe {
            asm!(
                "xchg rbx, {new}",
                "lock cmpxchg16b [{at}]",
                "mov rbx, {new}",
                at = in(reg) at,
                new = inout(reg) new as u64 => _,
                in("rcx") (new >> 64) as u64,
                inout("rax") old as u64 => low,
                inout("rdx") (old >> 64) as u64 => high,
                options(nostack),
            );
        }
        u128::from(high) << 64 | u128::from(low)
    }

    /// # Safety
    /// As for [`read`].
    pub unsafe fn update(at: *mut u8, f: impl Fn(u128) -> u128) -> u128 {
        if !is_x86_feature_detected!("cmpxchg16b") {
            // SAFETY: the caller's.
            return unsafe { super::in_turn(|| read(at), |new| write(at, new), f) };
        }
        // SAFETY: the caller's; the processor has the instruction.
        unsafe {
            let mut old = read(at);
            loop {
                let now = exchange(at, old, f(old));
                if now == old {
                    return old;
                }
                old = now;
            }
        }
    }
}

/// Sixteen bytes as two halves; changes are in one piece among themselves only.
#[cfg(not(target_arch = "x86_64"))]
mod wide {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// # Safety
    /// `at` is inside an allocation and a multiple of 16.
    #[inline(always)]
    pub unsafe fn read(at: *const u8) -> u128 {
        // SAFETY: the caller's.
        let half = |i: usize| u128::from(unsafe { AtomicU64::from_ptr((at as *mut u64).add(i)).load(Relaxed) });
        half(0) | half(1) << 64
    }

    /// # Safety
    /// As for [`read`].
    #[inline(always)]
    pub unsafe fn write(at: *mut u8, bits: u128) {
        // SAFETY: the caller's.
        unsafe {
            AtomicU64::from_ptr(at.cast()).store(bits as u64, Relaxed);
            AtomicU64::from_ptr(at.cast::<u64>().add(1)).store((bits >> 64) as u64, Relaxed);
        }
    }

    /// # Safety
    /// As for [`read`].
    pub unsafe fn update(at: *mut u8, f: impl Fn(u128) -> u128) -> u128 {
        // SAFETY: the caller's.
        unsafe { super::in_turn(|| read(at), |new| write(at, new), f) }
    }
}

/// Replaces what `read` gives, one caller at a time, and gives the old value.
fn in_turn(read: impl Fn() -> u128, write: impl Fn(u128), f: impl Fn(u128) -> u128) -> u128 {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(|e| e.into_inner());
    let old = read();
    write(f(old));
    old
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
#[derive(Clone, Copy, Debug)]
pub(crate) struct Area {
    pub start: u64,
    pub len: u64,
    pub host: *mut u8,
}

/// Lanes whose addresses are looked at together.
const CHUNK: usize = 8;

/// The offsets in an area of a chunk's lanes: the address register plus `delta`; for inactive lanes that of an active one.
#[inline(always)]
unsafe fn offsets<A: Int>(base: *const A, c: usize, delta: A, mask: u32, first: A) -> [A; CHUNK] {
    // SAFETY: the caller's `base` is a row.
    let row = unsafe { *base.add(c * CHUNK).cast::<[A; CHUNK]>() };
    let mut offsets = [A::default(); CHUNK];
    for i in 0..CHUNK {
        offsets[i] = row[i].add(delta);
    }
    // One branch a chunk: a choice a lane would keep the compiler from vectorising.
    if mask == FULL { offsets } else { blend(mask >> (c * CHUNK), &offsets, &[first; CHUNK]) }
}

/// Whether a chunk's offsets are all the same, and whether each is one element after the one before.
#[inline(always)]
fn pattern<A: Int<Mask = bool>>(offsets: &[A; CHUNK], size: usize) -> (bool, bool) {
    let (mut different, mut gaps) = (A::default(), A::default());
    for (i, offset) in offsets.iter().enumerate() {
        let distance = offset.sub(offsets[0]);
        different = different.or(distance);
        gaps = gaps.or(distance.xor(A::int((i * size) as i64)));
    }
    (different.eq(A::default()), gaps.eq(A::default()))
}

/// Loads a chunk's elements.
///
/// # Safety
/// Every offset has room for an aligned `V` at `host`.
#[inline(always)]
unsafe fn gather<V: Element, A: Int<Mask = bool>>(host: *mut u8, offsets: &[A; CHUNK]) -> [V; CHUNK] {
    let place = |offset: A| host.wrapping_add(offset.to_bits() as usize);
    let mut values = [V::default(); CHUNK];
    // SAFETY: the caller's.
    unsafe {
        match pattern(offsets, size_of::<V>()) {
            (true, _) => values = [read_element(place(offsets[0])); CHUNK],
            (_, true) => copy_in(place(offsets[0]), values.as_mut_ptr().cast(), size_of::<[V; CHUNK]>()),
            _ => {
                for i in 0..CHUNK {
                    values[i] = read_element(place(offsets[i]));
                }
            }
        }
    }
    values
}

/// Stores a chunk's elements for the lanes of `mask`.
///
/// # Safety
/// As for [`gather`].
#[inline(always)]
unsafe fn scatter<V: Element, A: Int<Mask = bool>>(host: *mut u8, offsets: &[A; CHUNK], values: &[V; CHUNK], mask: u32) {
    let place = |offset: A| host.wrapping_add(offset.to_bits() as usize);
    // SAFETY: the caller's.
    unsafe {
        if mask & 0xff == 0xff && pattern(offsets, size_of::<V>()).1 {
            return copy_out(place(offsets[0]), values.as_ptr().cast(), size_of::<[V; CHUNK]>());
        }
        for i in 0..CHUNK {
            if mask >> i & 1 != 0 {
                write_element(place(offsets[i]), values[i]);
            }
        }
    }
}

/// A vector access as a whole: where a lane's elements lie in `V`.
#[inline(always)]
fn element_of<V: Element, M: Element>(vector: V, k: usize) -> M {
    M::from_bits(vector.to_bits() >> (k as u32 * M::TYPE.bits()))
}

/// The lanes of `mask` whose generic addresses lie in the shared and in the local window.
#[inline(always)]
fn windows(addresses: &[u64; LANES], mask: u32) -> (u32, u32) {
    let inside = |window: u64, size: u64| {
        let mut bits = 0;
        for (i, address) in addresses.iter().enumerate() {
            bits |= u32::from(address.wrapping_sub(window) < size) << i;
        }
        bits & mask
    };
    (inside(SHARED_WINDOW, SHARED_WINDOW_SIZE), inside(LOCAL_WINDOW, WINDOW))
}

/// Rows whose lanes an area holds: host place of offset 0, address register, what to add to it, and the first active lane's offset.
struct Rows<A> {
    host: *mut u8,
    base: *const A,
    delta: A,
    first: A,
}

/// A failed access: which lane, and how.
pub type Failure = (u32, FaultKind);

impl Group<'_> {
    /// Loads a vector `V` of elements `M` for each lane of `mask` into the registers `R` that `register` names, if one area holds
    /// all of them; false if that is not so and nothing was done. `A` is the type of the address register `op.src[0]`.
    #[inline(always)]
    pub fn load_rows<M: Element, R: Element + From<M>, V: Element, A: Int<Mask = bool>>(
        &mut self,
        op: &Op,
        mask: u32,
        register: impl Fn(&Self, usize) -> u32,
    ) -> bool {
        let Some(Rows { host, base, delta, first }) = self.rows::<V, A>(op, mask, Access::Read) else { return false };
        let full = self.covers(mask);
        for c in 0..LANES / CHUNK {
            // SAFETY: `rows` found every lane's vector inside the area, aligned; registers are rows of `R`.
            unsafe {
                let vectors: [V; CHUNK] = gather(host, &offsets(base, c, delta, mask, first));
                for k in 0..size_of::<V>() / size_of::<M>() {
                    let at = register(self, k);
                    if at == NONE {
                        continue;
                    }
                    let place = self.at(at).cast::<[R; CHUNK]>().add(c);
                    let mut row = [R::default(); CHUNK];
                    for i in 0..CHUNK {
                        row[i] = R::from(element_of(vectors[i], k));
                    }
                    *place = if full { row } else { blend(mask >> (c * CHUNK), &row, &*place) };
                }
            }
        }
        true
    }

    /// Stores a vector `V` of elements `M`, the low bits of the registers `R` that `register` names, for each lane of `mask`, if one
    /// area holds all of them; false if that is not so and nothing was done. Of lanes with the same address the highest wins.
    #[inline(always)]
    pub fn store_rows<R: Element, M: Element, V: Element, A: Int<Mask = bool>>(
        &mut self,
        op: &Op,
        mask: u32,
        register: impl Fn(&Self, usize) -> u32,
    ) -> bool {
        self.wrote = true;
        if self.watched {
            return false;
        }
        let Some(Rows { host, base, delta, first }) = self.rows::<V, A>(op, mask, Access::Write) else { return false };
        for c in 0..LANES / CHUNK {
            // SAFETY: `rows` found every lane's vector inside the area, aligned; registers are rows of `R`.
            unsafe {
                let mut vectors = [V::default(); CHUNK];
                for k in 0..size_of::<V>() / size_of::<M>() {
                    let row = *self.at(register(self, k)).cast::<[R; CHUNK]>().add(c);
                    for i in 0..CHUNK {
                        let element = M::from_bits(row[i].to_bits()).to_bits() << (k as u32 * M::TYPE.bits());
                        vectors[i] = V::from_bits(vectors[i].to_bits() | element);
                    }
                }
                scatter(host, &offsets(base, c, delta, mask, first), &vectors, mask >> (c * CHUNK));
            }
        }
        true
    }

    /// Finds the area that holds every active lane's aligned `V`.
    #[inline(always)]
    fn rows<V: Element, A: Int<Mask = bool>>(&mut self, op: &Op, mask: u32, access: Access) -> Option<Rows<A>> {
        let base = self.at(op.src[0]).cast::<A>().cast_const();
        // SAFETY: the address register is a row of `A`, and some lane is active.
        let lowest = unsafe { *base.add(mask.trailing_zeros() as usize & 31) };
        let address = lowest.add(A::int(op.imm.into())).to_bits() as u64;
        let area = self.area(op.mods.space, address, access)?;
        let delta = A::int(i64::from(op.imm).wrapping_sub(area.start as i64));
        let first = lowest.add(delta);
        let limit = area.len.checked_sub(size_of::<V>() as u64)?;
        // An area beyond the register's reach would make the comparison below wrong.
        if area.start.checked_add(limit)? > A::MAX.unsigned().to_bits() as u64 {
            return None;
        }
        let limit = A::int(limit as i64);
        let (mut outside, mut bits) = (false, A::default());
        for c in 0..LANES / CHUNK {
            // SAFETY: as above.
            for offset in unsafe { offsets(base, c, delta, mask, first) } {
                outside |= limit.lt(offset);
                bits = bits.or(offset);
            }
        }
        let aligned = bits.and(A::int(size_of::<V>() as i64 - 1)).eq(A::default());
        (!outside && aligned).then_some(Rows { host: area.host, base, delta, first })
    }

    /// Loads one element at an address that all lanes share, of any space but generic and local; `None` if the address is bad.
    #[inline(always)]
    pub fn load_one<T: Element>(&mut self, space: Space, address: u64) -> Option<T> {
        let size = size_of::<T>() as u64;
        let host = self.host(space, address, size, Access::Read).filter(|_| address.is_multiple_of(size))?;
        // SAFETY: `host` found it, and it is aligned.
        Some(unsafe { read_element(host) })
    }

    /// Loads words as [`Group::load_one`] does, from one address on; `None` if they are not all there, or not in one piece.
    pub fn load_words(&mut self, space: Space, address: u64, words: &mut [u32]) -> Option<()> {
        let host = self.host(space, address, size_of_val(words) as u64, Access::Read).filter(|_| address.is_multiple_of(4))?;
        for (i, word) in words.iter_mut().enumerate() {
            // SAFETY: `host` found them all, and they are aligned.
            *word = unsafe { read_element(host.add(4 * i)) };
        }
        Some(())
    }

    /// Loads one element for each lane of `mask` from addresses of any kind; other lanes of `out` are left alone.
    ///
    /// # Errors
    /// The first lane whose address is bad.
    #[inline(never)]
    pub fn load<T: Element>(
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

    /// Stores one element for each lane of `mask` to addresses of any kind; of lanes with the same address the highest wins. Ordered
    /// stores may meet others.
    ///
    /// # Errors
    /// The first lane whose address is bad; lanes below it may have stored.
    #[inline(never)]
    pub fn store<T: Element>(
        &mut self,
        space: Space,
        addresses: &[u64; LANES],
        mask: u32,
        values: &[T; LANES],
        ordered: bool,
    ) -> Result<(), Failure> {
        self.wrote = true;
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
                g.watch::<T>(space, addresses[i], i, ordered).map_err(|kind| (i as u32, kind))
            })
        })
    }

    /// The address of what an instruction names: a variable in shared memory is the own block's.
    #[inline(always)]
    pub fn named(&self, space: Space, offset: u64) -> u64 {
        match space {
            Space::Shared | Space::SharedCluster => self.own.start.wrapping_add(offset),
            _ => offset,
        }
    }

    /// The area that an address lies in; none for local memory, which is not contiguous.
    #[inline(always)]
    pub(crate) fn area(&mut self, space: Space, address: u64, access: Access) -> Option<Area> {
        match space {
            Space::Local => None,
            Space::Shared => Some(self.own),
            Space::SharedCluster => self.shared_area(address, 0),
            Space::Generic if address.wrapping_sub(SHARED_WINDOW) < SHARED_WINDOW_SIZE => {
                self.shared_area(address.wrapping_sub(SHARED_WINDOW), SHARED_WINDOW)
            }
            Space::Generic if address.wrapping_sub(LOCAL_WINDOW) < WINDOW => None,
            Space::Param | Space::ParamEntry | Space::ParamFunc => {
                let params = &self.launch.params;
                let area = Area { start: 0, len: u64::from(params.len()), host: params.place().cast_mut() };
                (access == Access::Read).then_some(area)
            }
            Space::Global | Space::Const | Space::Generic => {
                self.device(address, 1, access)?;
                let Region { start, end, host, .. } = self.regions[0];
                Some(Area { start, len: end - start, host })
            }
        }
    }

    /// The shared memory that an address within the window that begins at `window` lies in.
    #[inline(always)]
    fn shared_area(&mut self, address: u64, window: u64) -> Option<Area> {
        let own = self.own;
        if address.wrapping_sub(own.start) < BLOCK_WINDOW {
            return Some(Area { start: own.start + window, ..own });
        }
        self.peer_area(address, window)
    }

    #[inline(never)]
    fn peer_area(&mut self, address: u64, window: u64) -> Option<Area> {
        let rank = rank_of(address);
        let peer = self.cluster.peer(rank).ok()?;
        Some(Area { start: window + (u64::from(rank) << RANK_SHIFT), len: peer.len, host: peer.host })
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
                g.watch::<T>(space, addresses[i], i, true).map_err(|kind| (i as u32, kind))?;
                g.wrote |= f(space, i, out[i]).to_bits() != out[i].to_bits();
                Ok(())
            })
        })
    }

    /// Where elements of lanes are that all lie in one allocation of device memory, aligned: the host's place of the lowest address, and that address.
    #[inline(always)]
    fn near<T>(&mut self, addresses: &[u64; LANES], mask: u32, access: Access) -> Option<(*mut u8, u64)> {
        let size = size_of::<T>() as u64;
        let (mut least, mut most, mut bits) = (u64::MAX, 0, 0);
        let mut add = |address: u64| (least, most, bits) = (least.min(address), most.max(address), bits | address);
        match mask {
            FULL => addresses.iter().for_each(|address| add(*address)),
            some => lanes(some).for_each(|lane| add(addresses[lane])),
        }
        let span = most.checked_sub(least)?.checked_add(size)?;
        if bits & (size - 1) != 0 { None } else { Some((self.device(least, span, access)?, least)) }
    }

    /// [`load`](Self::load) from device memory, quick where all lanes load from one allocation.
    ///
    /// # Errors
    /// The first lane whose address is bad.
    pub fn gather<T: Element>(&mut self, addresses: &[u64; LANES], mask: u32, out: &mut [T; LANES]) -> Result<(), Failure> {
        let Some((host, least)) = self.near::<T>(addresses, mask, Access::Read) else {
            return self.load(Space::Global, addresses, mask, out);
        };
        // SAFETY: `near` found all that lies between the lowest address and the end of the element at the highest.
        let read = |address: u64| unsafe { read_element(host.add((address - least) as usize)) };
        match mask {
            FULL => out.iter_mut().zip(addresses).for_each(|(out, address)| *out = read(*address)),
            some => lanes(some).for_each(|lane| out[lane] = read(addresses[lane])),
        }
        Ok(())
    }

    /// [`store`](Self::store) to device memory, quick where all lanes store to one allocation and nobody watches.
    ///
    /// # Errors
    /// The first lane whose address is bad; lanes below it may have stored.
    pub fn scatter<T: Element>(&mut self, addresses: &[u64; LANES], mask: u32, values: &[T; LANES]) -> Result<(), Failure> {
        let near = if self.watched { None } else { self.near::<T>(addresses, mask, Access::Write) };
        let Some((host, least)) = near else {
            return self.store(Space::Global, addresses, mask, values, false);
        };
        self.wrote = true;
        // SAFETY: as in `gather`.
        lanes(mask).for_each(|i| unsafe { write_element(host.add((addresses[i] - least) as usize), values[i]) });
        Ok(())
    }

    /// Notes that a lane has written an element, where writes are watched.
    #[inline(always)]
    fn watch<T>(&mut self, space: Space, address: u64, lane: usize, ordered: bool) -> Result<(), FaultKind> {
        if self.watched { self.note_element(space, address, size_of::<T>() as u32, lane, ordered) } else { Ok(()) }
    }

    #[inline(never)]
    fn note_element(&mut self, space: Space, address: u64, size: u32, lane: usize, ordered: bool) -> Result<(), FaultKind> {
        let Some(who) = self.accessor(self.writer, lane, ordered) else { return Ok(()) };
        match space {
            Space::Shared | Space::SharedCluster => return self.cluster.note_write(address as u32, size, who),
            Space::Global => {
                self.cluster.touch(self.launch.memory, address, size as usize, Access::Write, who.site);
                if self.launch.global.is_some() {
                    self.cluster.note_global_write(address, size, who);
                }
            }
            _ => {}
        }
        Ok(())
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
            (Space::SharedCluster, shared, SHARED_WINDOW),
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

    fn out_of_bounds(&mut self, space: Space, address: u64, size: u32, access: Access) -> FaultKind {
        let (space, nearest) = match space {
            Space::Shared | Space::SharedCluster => match self.other_block(space, address) {
                Some(kind) => return kind,
                None => ("shared", Some((self.own.start, self.own.len))),
            },
            Space::Local => ("local", Some((0, self.warp.local.len()))),
            Space::Param | Space::ParamEntry | Space::ParamFunc => ("param", Some((0, u64::from(self.launch.params.len())))),
            Space::Const => ("const", self.launch.memory.nearest(address)),
            _ => ("global", self.launch.memory.nearest(address)),
        };
        FaultKind::OutOfBounds { space, address, size, access, nearest }
    }

    /// What is wrong with a shared address because of the block that it names.
    fn other_block(&mut self, space: Space, address: u64) -> Option<FaultKind> {
        // Without clusters it is just a wrong address.
        if address.wrapping_sub(self.own.start) < BLOCK_WINDOW || self.cluster.blocks() == 1 {
            return None;
        }
        match space {
            Space::Shared => Some(FaultKind::OtherBlock { address, rank: self.block.rank }),
            _ => self.cluster.peer(rank_of(address)).err(),
        }
    }

    fn check_local<T: Element>(&mut self, addresses: &[u64; LANES], mask: u32, access: Access) -> Result<(), Failure> {
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
                let area = self.area(space, address, access)?;
                let offset = address.wrapping_sub(area.start);
                let inside = offset.checked_add(size)? <= area.len;
                // SAFETY: inside.
                inside.then(|| unsafe { area.host.add(offset as usize) })
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
        if !self.regions[0].fits(address, size, access, self.launch.memory.version.load(Relaxed)) {
            self.look_up(address, size, access)?;
        }
        let region = &self.regions[0];
        // SAFETY: the range lies in the region.
        Some(unsafe { region.host.add((address - region.start) as usize) })
    }

    /// Puts the region of a range first; `None` if there is none to access this way.
    #[inline(never)]
    fn look_up(&mut self, address: u64, size: u64, access: Access) -> Option<()> {
        let version = self.launch.memory.version.load(Relaxed);
        if let Some(i) = self.regions.iter().position(|region| region.fits(address, size, access, version)) {
            self.regions.swap(0, i);
            return Some(());
        }
        let found = self.launch.memory.find(address, size)?;
        self.regions.rotate_right(1);
        self.regions[0] = found;
        (access == Access::Read || found.writable).then_some(())
    }
}

fn shown(space: Space, address: u64) -> u64 {
    match space {
        Space::Shared | Space::SharedCluster => address + SHARED_WINDOW,
        _ => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One thread adds to both halves, another stores equal halves, a third must never see different ones.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn sixteen_bytes_are_never_torn() {
        if !is_x86_feature_detected!("avx") || !is_x86_feature_detected!("cmpxchg16b") {
            return;
        }
        const BOTH: u128 = 1 << 64 | 1;
        const TURNS: u128 = 2_000_000;
        let memory = Memory::new(64);
        let address = memory.allocate(16, true).unwrap_or_default();
        let host = memory.find(address, 16).map_or(0, |region| region.host as usize);
        assert_ne!(host, 0);
        let writers = AtomicU64::new(2);
        // SAFETY: sixteen aligned bytes of an allocation that outlives the threads.
        std::thread::scope(|scope| unsafe {
            scope.spawn(|| {
                (0..TURNS).for_each(|_| _ = update_element(host as *mut u8, |old: u128| old.wrapping_add(BOTH)));
                writers.fetch_sub(1, Relaxed);
            });
            scope.spawn(|| {
                (0..TURNS).for_each(|i| write_element(host as *mut u8, (i % 1000) * BOTH));
                writers.fetch_sub(1, Relaxed);
            });
            while writers.load(Relaxed) > 0 {
                let seen: u128 = read_element(host as *const u8);
                assert_eq!(seen >> 64, seen & u128::from(u64::MAX));
            }
        });
    }
}
