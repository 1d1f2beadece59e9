//! Rows: how a function of one lane becomes an instruction of a warp.
//!
//! [`lane1`] to [`lane5`] turn a plain function into an [`Instance`]: its types, its one-value form for `eval`, and its
//! row handlers. A row handler reads its source rows, applies the function to all 32 lanes in a loop that the compiler
//! vectorises, and stores the results of the active lanes. There are two of each: baseline and AVX2 with FMA, chosen
//! once a process. The default settings have a loop of their own, where every modifier is a constant.
//!
//! This module touches frames by raw pointer. The argument, once: `engine` lays out frames so that every offset of an op is
//! inside the frame, aligned to 64 bytes (predicates: 4) and of the instance's types; rows of different sizes never
//! overlap; a frame belongs to one warp, a warp to one thread.

use crate::{Element, Group, Handler, LANES, Mods, Op, Step, Type, op::NONE};

/// A source of a lane function: an element, or `bool` for a predicate.
pub trait Operand: Copy + 'static {
    /// Its type.
    const TYPE: Type;
    /// What is loaded once for all lanes.
    type Row: Copy;
    /// The row at `at`.
    ///
    /// # Safety
    /// `at` points to a row of this type.
    unsafe fn load(at: *const u8) -> Self::Row;
    /// The value of lane `i`.
    ///
    /// # Safety
    /// The frame is alive and `i` is below 32.
    unsafe fn get(row: Self::Row, i: usize) -> Self;
    /// The value with these low bits.
    fn from_bits(bits: u128) -> Self;
}

impl<T: Element> Operand for T {
    const TYPE: Type = <T as Element>::TYPE;
    type Row = *const T;
    #[inline(always)]
    unsafe fn load(at: *const u8) -> *const T {
        at.cast()
    }
    #[inline(always)]
    unsafe fn get(row: *const T, i: usize) -> T {
        // SAFETY: the caller's.
        unsafe { *row.add(i) }
    }
    fn from_bits(bits: u128) -> T {
        <T as Element>::from_bits(bits)
    }
}

impl Operand for bool {
    const TYPE: Type = Type::Pred;
    type Row = u32;
    #[inline(always)]
    unsafe fn load(at: *const u8) -> u32 {
        // SAFETY: the caller's.
        unsafe { *at.cast() }
    }
    #[inline(always)]
    unsafe fn get(row: u32, i: usize) -> bool {
        row >> i & 1 != 0
    }
    fn from_bits(bits: u128) -> bool {
        bits & 1 != 0
    }
}

/// One result of a lane function.
pub trait Output: Operand {
    /// Results of 32 lanes before they are stored.
    type Buffer: Copy;
    /// An empty buffer.
    fn buffer() -> Self::Buffer;
    /// Puts lane `i`.
    fn put(buffer: &mut Self::Buffer, i: usize, value: Self);
    /// Stores the lanes of `mask`; all of them if `full`.
    ///
    /// # Safety
    /// `at` points to a row of this type.
    unsafe fn store(buffer: &Self::Buffer, at: *mut u8, mask: u32, full: bool);
    /// Its bits, zero-extended.
    fn to_bits(self) -> u128;
}

impl<T: Element> Output for T {
    type Buffer = [T; LANES];
    #[inline(always)]
    fn buffer() -> [T; LANES] {
        [T::default(); LANES]
    }
    #[inline(always)]
    fn put(buffer: &mut [T; LANES], i: usize, value: T) {
        buffer[i] = value;
    }
    #[inline(always)]
    unsafe fn store(buffer: &[T; LANES], at: *mut u8, mask: u32, full: bool) {
        // SAFETY: the caller's.
        let row = unsafe { &mut *at.cast::<[T; LANES]>() };
        if full {
            *row = *buffer;
        } else {
            for i in 0..LANES {
                row[i] = if mask >> i & 1 != 0 { buffer[i] } else { row[i] };
            }
        }
    }
    fn to_bits(self) -> u128 {
        Element::to_bits(self)
    }
}

impl Output for bool {
    type Buffer = [u8; LANES];
    #[inline(always)]
    fn buffer() -> [u8; LANES] {
        [0; LANES]
    }
    #[inline(always)]
    fn put(buffer: &mut [u8; LANES], i: usize, value: bool) {
        buffer[i] = value as u8;
    }
    #[inline(always)]
    unsafe fn store(buffer: &[u8; LANES], at: *mut u8, mask: u32, _full: bool) {
        let bits = pack_bits(buffer);
        // SAFETY: the caller's.
        unsafe { store_predicate(at, mask, bits) }
    }
    fn to_bits(self) -> u128 {
        self as u128
    }
}

/// The mask of 32 bytes that are each 0 or 1.
#[inline(always)]
pub fn pack_bits(bytes: &[u8; LANES]) -> u32 {
    let mut mask = 0;
    for i in 0..4 {
        let eight = u64::from_le_bytes(bytes[i * 8..i * 8 + 8].try_into().unwrap_or_default());
        // The multiplication gathers bit 0 of each byte in the top byte.
        mask |= ((eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32) << (i * 8);
    }
    mask
}

/// Writes the lanes of `mask` of a predicate.
///
/// # Safety
/// `at` points to a predicate.
#[inline(always)]
pub unsafe fn store_predicate(at: *mut u8, mask: u32, bits: u32) {
    // SAFETY: the caller's.
    unsafe {
        let at = at.cast::<u32>();
        *at = *at & !mask | bits & mask;
    }
}

/// What a lane function returns: one result or two.
pub trait Results: Copy + 'static {
    /// Types of the results.
    const TYPES: &'static [Type];
    /// Results of 32 lanes.
    type Buffer;
    /// An empty buffer.
    fn buffer() -> Self::Buffer;
    /// Puts lane `i`.
    fn put(buffer: &mut Self::Buffer, i: usize, value: Self);
    /// Stores to the op's destinations.
    ///
    /// # Safety
    /// The op's destinations are rows of these types.
    unsafe fn store(buffer: &Self::Buffer, g: &Group, op: &Op, mask: u32);
    /// The results' bits.
    fn to_bits(self) -> [u128; 2];
}

impl<T: Output> Results for T {
    const TYPES: &'static [Type] = &[T::TYPE];
    type Buffer = T::Buffer;
    #[inline(always)]
    fn buffer() -> T::Buffer {
        T::buffer()
    }
    #[inline(always)]
    fn put(buffer: &mut T::Buffer, i: usize, value: T) {
        T::put(buffer, i, value);
    }
    #[inline(always)]
    unsafe fn store(buffer: &T::Buffer, g: &Group, op: &Op, mask: u32) {
        if op.dst[0] != NONE {
            // SAFETY: the caller's.
            unsafe { T::store(buffer, g.at(op.dst[0]), mask, g.covers(mask)) }
        }
    }
    fn to_bits(self) -> [u128; 2] {
        [Output::to_bits(self), 0]
    }
}

impl<T: Output, U: Output> Results for (T, U) {
    const TYPES: &'static [Type] = &[T::TYPE, U::TYPE];
    type Buffer = (T::Buffer, U::Buffer);
    #[inline(always)]
    fn buffer() -> Self::Buffer {
        (T::buffer(), U::buffer())
    }
    #[inline(always)]
    fn put(buffer: &mut Self::Buffer, i: usize, (first, second): (T, U)) {
        T::put(&mut buffer.0, i, first);
        U::put(&mut buffer.1, i, second);
    }
    #[inline(always)]
    unsafe fn store(buffer: &Self::Buffer, g: &Group, op: &Op, mask: u32) {
        // SAFETY: the caller's.
        unsafe {
            if op.dst[0] != NONE {
                T::store(&buffer.0, g.at(op.dst[0]), mask, g.covers(mask));
            }
            if op.dst[1] != NONE {
                U::store(&buffer.1, g.at(op.dst[1]), mask, g.covers(mask));
            }
        }
    }
    fn to_bits(self) -> [u128; 2] {
        [Output::to_bits(self.0), Output::to_bits(self.1)]
    }
}

/// A lane function for particular types.
#[derive(Clone, Copy)]
pub struct Instance {
    /// Types of its results.
    pub results: &'static [Type],
    /// Types of its sources.
    pub sources: &'static [Type],
    /// The function on one value; as many sources as types, as many results as types.
    pub one: fn(Mods, &[u128]) -> [u128; 2],
    /// Row handlers: baseline and AVX2.
    pub rows: [Handler; 2],
}

impl Instance {
    /// The row handler for this host.
    pub fn row(&self) -> Handler {
        self.rows[usize::from(host_has_avx2())]
    }
}

/// Whether the AVX2 handlers may run here. `LOCKSTEP_BASELINE=1` says no, for tests.
pub fn host_has_avx2() -> bool {
    static HAS: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *HAS.get_or_init(|| {
        #[cfg(target_arch = "x86_64")]
        let has = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("f16c");
        #[cfg(not(target_arch = "x86_64"))]
        let has = false;
        has && std::env::var_os("LOCKSTEP_BASELINE").is_none()
    })
}

/// The value of a function item's type: such types have exactly one value and no bytes.
#[inline(always)]
fn the<F: Copy + 'static>() -> F {
    const { assert!(size_of::<F>() == 0, "a function item, not a closure with captures") };
    // SAFETY: a zero-sized Copy type, of which `laneN` was given a value; there are no bytes to read.
    unsafe { std::ptr::NonNull::<F>::dangling().as_ptr().read() }
}

/// Generates `laneN` and its handlers for one number of sources.
macro_rules! lanes {
    ($lane:ident, $row:ident, $avx2:ident, $one:ident, $body:ident; $($t:ident $x:ident $n:literal),*) => {
        /// The instance of a function of this many sources.
        pub const fn $lane<$($t: Operand,)* R: Results, F: Fn(Mods, $($t),*) -> R + Copy + 'static>(_: F) -> Instance {
            Instance {
                results: R::TYPES,
                sources: const { &[$($t::TYPE),*] },
                one: $one::<$($t,)* R, F>,
                rows: [$row::<$($t,)* R, F>, $avx2::<$($t,)* R, F>],
            }
        }

        fn $one<$($t: Operand,)* R: Results, F: Fn(Mods, $($t),*) -> R + Copy + 'static>(mods: Mods, sources: &[u128]) -> [u128; 2] {
            the::<F>()(mods, $($t::from_bits(sources[$n])),*).to_bits()
        }

        #[inline(always)]
        unsafe fn $body<$($t: Operand,)* R: Results, F: Fn(Mods, $($t),*) -> R + Copy + 'static>(g: &mut Group, op: &Op) -> Step {
            let mask = g.active(op);
            if mask == 0 {
                return Step::Next;
            }
            let f = the::<F>();
            // SAFETY: the module's argument.
            unsafe {
                $(let $x = $t::load(g.at(op.src[$n]));)*
                let mut results = R::buffer();
                if op.mods == Mods::default() {
                    for i in 0..LANES {
                        R::put(&mut results, i, f(Mods::default(), $($t::get($x, i)),*));
                    }
                } else {
                    let mods = op.mods;
                    for i in 0..LANES {
                        R::put(&mut results, i, f(mods, $($t::get($x, i)),*));
                    }
                }
                R::store(&results, g, op, mask);
            }
            Step::Next
        }

        unsafe fn $row<$($t: Operand,)* R: Results, F: Fn(Mods, $($t),*) -> R + Copy + 'static>(g: &mut Group, op: &Op) -> Step {
            // SAFETY: the caller's.
            unsafe { $body::<$($t,)* R, F>(g, op) }
        }

        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c"))]
        unsafe fn $avx2<$($t: Operand,)* R: Results, F: Fn(Mods, $($t),*) -> R + Copy + 'static>(g: &mut Group, op: &Op) -> Step {
            // SAFETY: the caller's.
            unsafe { $body::<$($t,)* R, F>(g, op) }
        }
    };
}

lanes!(lane1, row1, avx2_row1, one1, body1; A a 0);
lanes!(lane2, row2, avx2_row2, one2, body2; A a 0, B b 1);
lanes!(lane3, row3, avx2_row3, one3, body3; A a 0, B b 1, C c 2);
lanes!(lane4, row4, avx2_row4, one4, body4; A a 0, B b 1, C c 2, D d 3);
lanes!(lane5, row5, avx2_row5, one5, body5; A a 0, B b 1, C c 2, D d 3, E e 4);

impl Group<'_> {
    /// A whole row.
    #[inline(always)]
    pub fn row<T: Element>(&self, offset: u32) -> [T; LANES] {
        // SAFETY: the module's argument.
        unsafe { *self.at(offset).cast() }
    }

    /// Writes the lanes of `mask` of a row; nothing where the offset is [`NONE`].
    #[inline(always)]
    pub fn set_row<T: Element>(&self, offset: u32, row: &[T; LANES], mask: u32) {
        if offset != NONE {
            // SAFETY: the module's argument.
            unsafe { <T as Output>::store(row, self.at(offset), mask, self.covers(mask)) }
        }
    }

    /// Writes the lanes of `mask` of a predicate; nothing where the offset is [`NONE`].
    #[inline(always)]
    pub fn set_predicate(&self, offset: u32, bits: u32, mask: u32) {
        if offset != NONE {
            // SAFETY: the module's argument.
            unsafe { store_predicate(self.at(offset), mask, bits) }
        }
    }
}
