//! Rows: how a function of one lane becomes an instruction of a warp.
//!
//! [`lane1`] to [`lane5`] turn a plain function into an [`Instance`]: its types, its one-value form for `eval`, and its
//! row handlers. A row handler reads its source rows, applies the function to all 32 lanes in a loop that the compiler
//! vectorises, and stores the results of the active lanes. There are four of each: with default settings, where every modifier is a
//! constant, and with any; baseline, and AVX2 with FMA, chosen once a process.
//!
//! This module touches frames by raw pointer. The argument, once: `engine` lays out frames so that every offset of an op is
//! inside the frame, aligned to 64 bytes (predicates: 4) and of the instance's types; rows of different sizes never
//! overlap; a frame belongs to one warp, a warp to one thread.

use crate::mods::Compare;
use crate::{Element, Group, Handler, LANES, Mods, Op, Step, Type, op::NONE};
use std::mem::MaybeUninit;

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

/// Lanes that are computed before their results are stored: what a few vector registers hold.
pub const CHUNK: usize = 8;

/// One result of a lane function.
pub trait Output: Operand + Default {
    /// Results of a chunk's lanes.
    type Chunk: Copy;
    /// A row to write to where only some lanes of the destination may be.
    type Spare;
    /// Where results go: gathers what cannot be stored chunk by chunk.
    type Sink: Copy;
    /// An empty chunk.
    fn chunk() -> Self::Chunk;
    /// Puts lane `i` of the chunk.
    fn put(chunk: &mut Self::Chunk, i: usize, value: Self);
    /// A row that is not written yet.
    fn spare() -> Self::Spare;
    /// A sink for the row at `at` if all its lanes are written, for the spare one otherwise.
    fn sink(at: *mut u8, spare: &mut Self::Spare, full: bool) -> Self::Sink;
    /// Stores chunk `c`.
    ///
    /// # Safety
    /// The sink's row is one of this type.
    unsafe fn store(sink: &mut Self::Sink, c: usize, chunk: &Self::Chunk);
    /// Ends the row at `at`: writes the lanes of `mask` unless all of them are written.
    ///
    /// # Safety
    /// As for [`Output::store`]; every chunk has been stored.
    unsafe fn close(sink: Self::Sink, at: *mut u8, mask: u32, full: bool);
    /// Its bits, zero-extended.
    fn to_bits(self) -> u128;
}

impl<T: Element> Output for T {
    type Chunk = [T; CHUNK];
    type Spare = MaybeUninit<[T; LANES]>;
    type Sink = *mut T;
    #[inline(always)]
    fn chunk() -> [T; CHUNK] {
        [T::default(); CHUNK]
    }
    #[inline(always)]
    fn put(chunk: &mut [T; CHUNK], i: usize, value: T) {
        chunk[i] = value;
    }
    #[inline(always)]
    fn spare() -> Self::Spare {
        MaybeUninit::uninit()
    }
    #[inline(always)]
    fn sink(at: *mut u8, spare: &mut Self::Spare, full: bool) -> *mut T {
        if full { at.cast() } else { spare.as_mut_ptr().cast() }
    }
    #[inline(always)]
    unsafe fn store(sink: &mut *mut T, c: usize, chunk: &[T; CHUNK]) {
        // SAFETY: the caller's; a chunk lies within its row.
        unsafe { *sink.add(c * CHUNK).cast::<[T; CHUNK]>() = *chunk }
    }
    #[inline(always)]
    unsafe fn close(sink: *mut T, at: *mut u8, mask: u32, full: bool) {
        if !full {
            // SAFETY: the caller's; the sink is the spare row, all chunks of which are written.
            unsafe { merge(&mut *at.cast::<[T; LANES]>(), &*sink.cast::<[T; LANES]>(), mask) }
        }
    }
    fn to_bits(self) -> u128 {
        Element::to_bits(self)
    }
}

/// Writes the lanes of `mask` of a row.
///
/// A function of its own: inside a handler the compiler would compute lane by lane what it then throws away.
#[inline(never)]
fn merge<T: Copy>(row: &mut [T; LANES], new: &[T; LANES], mask: u32) {
    *row = blend(mask, new, row);
}

/// `new` in the lanes of `mask`, `old` elsewhere.
#[inline(always)]
pub(crate) fn blend<T: Copy, const N: usize>(mask: u32, new: &[T; N], old: &[T; N]) -> [T; N] {
    let mut merged = *old;
    for i in 0..N {
        let (new, old) = (new[i], old[i]);
        merged[i] = if mask & 1 << i != 0 { new } else { old };
    }
    merged
}

impl Output for bool {
    type Chunk = [u8; CHUNK];
    type Spare = ();
    type Sink = u32;
    #[inline(always)]
    fn chunk() -> [u8; CHUNK] {
        [0; CHUNK]
    }
    #[inline(always)]
    fn put(chunk: &mut [u8; CHUNK], i: usize, value: bool) {
        chunk[i] = value as u8;
    }
    #[inline(always)]
    fn spare() {}
    #[inline(always)]
    fn sink(_: *mut u8, (): &mut (), _: bool) -> u32 {
        0
    }
    #[inline(always)]
    unsafe fn store(sink: &mut u32, c: usize, chunk: &[u8; CHUNK]) {
        // The multiplication gathers bit 0 of each byte in the top byte.
        let bits = u64::from_le_bytes(*chunk).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        *sink |= (bits as u32) << (c * CHUNK);
    }
    #[inline(always)]
    unsafe fn close(bits: u32, at: *mut u8, mask: u32, _: bool) {
        // SAFETY: the caller's.
        unsafe { store_predicate(at, mask, bits) }
    }
    fn to_bits(self) -> u128 {
        self as u128
    }
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
pub trait Results: Copy + Default + 'static {
    /// Types of the results.
    const TYPES: &'static [Type];
    /// Results of a chunk's lanes.
    type Chunk: Copy;
    /// Spare rows.
    type Spare;
    /// Where results go.
    type Sink: Copy;
    /// An empty chunk.
    fn chunk() -> Self::Chunk;
    /// Puts lane `i` of the chunk.
    fn put(chunk: &mut Self::Chunk, i: usize, value: Self);
    /// Spare rows, not written yet.
    fn spare() -> Self::Spare;
    /// The op's destinations, or the spare rows.
    fn sink(g: &Group, op: &Op, spare: &mut Self::Spare, full: bool) -> Self::Sink;
    /// Stores chunk `c`.
    ///
    /// # Safety
    /// The op's destinations are rows of these types.
    unsafe fn store(sink: &mut Self::Sink, c: usize, chunk: &Self::Chunk);
    /// Ends the rows.
    ///
    /// # Safety
    /// As for [`Results::store`]; every chunk has been stored.
    unsafe fn close(sink: Self::Sink, g: &Group, op: &Op, mask: u32, full: bool);
    /// The results' bits.
    fn to_bits(self) -> [u128; 2];
}

impl<T: Output> Results for T {
    const TYPES: &'static [Type] = &[T::TYPE];
    type Chunk = T::Chunk;
    type Spare = T::Spare;
    type Sink = Option<T::Sink>;
    #[inline(always)]
    fn chunk() -> T::Chunk {
        T::chunk()
    }
    #[inline(always)]
    fn put(chunk: &mut T::Chunk, i: usize, value: T) {
        T::put(chunk, i, value);
    }
    #[inline(always)]
    fn spare() -> T::Spare {
        T::spare()
    }
    #[inline(always)]
    fn sink(g: &Group, op: &Op, spare: &mut T::Spare, full: bool) -> Option<T::Sink> {
        (op.dst[0] != NONE).then(|| T::sink(g.at(op.dst[0]), spare, full))
    }
    #[inline(always)]
    unsafe fn store(sink: &mut Option<T::Sink>, c: usize, chunk: &T::Chunk) {
        if let Some(sink) = sink {
            // SAFETY: the caller's.
            unsafe { T::store(sink, c, chunk) }
        }
    }
    #[inline(always)]
    unsafe fn close(sink: Option<T::Sink>, g: &Group, op: &Op, mask: u32, full: bool) {
        if let Some(sink) = sink {
            // SAFETY: the caller's.
            unsafe { T::close(sink, g.at(op.dst[0]), mask, full) }
        }
    }
    fn to_bits(self) -> [u128; 2] {
        [Output::to_bits(self), 0]
    }
}

impl<T: Output, U: Output> Results for (T, U) {
    const TYPES: &'static [Type] = &[T::TYPE, U::TYPE];
    type Chunk = (T::Chunk, U::Chunk);
    type Spare = (T::Spare, U::Spare);
    type Sink = (Option<T::Sink>, Option<U::Sink>);
    #[inline(always)]
    fn chunk() -> Self::Chunk {
        (T::chunk(), U::chunk())
    }
    #[inline(always)]
    fn put(chunk: &mut Self::Chunk, i: usize, (first, second): (T, U)) {
        T::put(&mut chunk.0, i, first);
        U::put(&mut chunk.1, i, second);
    }
    #[inline(always)]
    fn spare() -> Self::Spare {
        (T::spare(), U::spare())
    }
    #[inline(always)]
    fn sink(g: &Group, op: &Op, spare: &mut Self::Spare, full: bool) -> Self::Sink {
        let first = (op.dst[0] != NONE).then(|| T::sink(g.at(op.dst[0]), &mut spare.0, full));
        (first, (op.dst[1] != NONE).then(|| U::sink(g.at(op.dst[1]), &mut spare.1, full)))
    }
    #[inline(always)]
    unsafe fn store(sink: &mut Self::Sink, c: usize, chunk: &Self::Chunk) {
        // SAFETY: the caller's.
        unsafe {
            if let Some(sink) = &mut sink.0 {
                T::store(sink, c, &chunk.0);
            }
            if let Some(sink) = &mut sink.1 {
                U::store(sink, c, &chunk.1);
            }
        }
    }
    #[inline(always)]
    unsafe fn close(sink: Self::Sink, g: &Group, op: &Op, mask: u32, full: bool) {
        // SAFETY: the caller's.
        unsafe {
            if let Some(sink) = sink.0 {
                T::close(sink, g.at(op.dst[0]), mask, full);
            }
            if let Some(sink) = sink.1 {
                U::close(sink, g.at(op.dst[1]), mask, full);
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
    /// Row handlers: for default and other settings, each baseline and AVX2.
    pub rows: [[Handler; 2]; 2],
}

impl Instance {
    /// The row handler for these settings on this host.
    pub fn row(&self, mods: Mods) -> Handler {
        self.rows[usize::from(mods != Mods::default())][usize::from(host_has_avx2())]
    }
}

/// Whether the AVX2 handlers may run here. `LOCKSTEP_BASELINE=1` says no, for tests.
#[inline]
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
    ($trait:ident, $lane:ident, $rare:ident, $compare:ident, $row:ident, $avx2:ident, $avx2_compare:ident, $one:ident, $body:ident, $compare_body:ident,
        $apply:ident; $($t:ident $x:ident $n:literal),*) => {
        /// The instance of a function of this many sources.
        pub const fn $lane<$($t: Operand,)* R: Results, F: Fn(Mods, $($t),*) -> R + Copy + 'static>(_: F) -> Instance {
            Instance {
                results: R::TYPES,
                sources: const { &[$($t::TYPE),*] },
                one: <F as $trait<$($t,)* R>>::$one,
                // Debug builds have one handler instead of four: they compile in a quarter of the time.
                #[cfg(debug_assertions)]
                rows: [[<F as $trait<$($t,)* R>>::$row::<false>; 2]; 2],
                #[cfg(not(debug_assertions))]
                rows: [
                    [<F as $trait<$($t,)* R>>::$row::<true>, <F as $trait<$($t,)* R>>::$avx2::<true>],
                    [<F as $trait<$($t,)* R>>::$row::<false>, <F as $trait<$($t,)* R>>::$avx2::<false>],
                ],
            }
        }

        /// As the first, with one handler for all settings and hosts: for functions that are rare, or too branchy for vectors.
        pub const fn $rare<$($t: Operand,)* R: Results, F: Fn(Mods, $($t),*) -> R + Copy + 'static>(_: F) -> Instance {
            Instance {
                results: R::TYPES,
                sources: const { &[$($t::TYPE),*] },
                one: <F as $trait<$($t,)* R>>::$one,
                rows: [[<F as $trait<$($t,)* R>>::$row::<false>; 2]; 2],
            }
        }

        /// As the first, with a loop for each comparison.
        pub const fn $compare<$($t: Operand,)* R: Results, F: Fn(Mods, $($t),*) -> R + Copy + 'static>(_: F) -> Instance {
            Instance {
                results: R::TYPES,
                sources: const { &[$($t::TYPE),*] },
                one: <F as $trait<$($t,)* R>>::$one,
                #[cfg(debug_assertions)]
                rows: [[<F as $trait<$($t,)* R>>::$row::<false>; 2]; 2],
                #[cfg(not(debug_assertions))]
                rows: [[<F as $trait<$($t,)* R>>::$row::<false>, <F as $trait<$($t,)* R>>::$avx2_compare]; 2],
            }
        }

        /// A function of this many sources, with its handlers: methods, so that the compiler puts them with the function's module
        /// and compiles modules side by side, and again only when they change.
        trait $trait<$($t: Operand,)* R: Results>: Fn(Mods, $($t),*) -> R + Copy + 'static {
        fn $one(mods: Mods, sources: &[u128]) -> [u128; 2] {
            the::<Self>()(mods, $($t::from_bits(sources[$n])),*).to_bits()
        }

        #[inline(always)]
        unsafe fn $apply(
            g: &mut Group,
            op: &Op,
            mask: u32,
            mods: Mods,
        ) -> Step {
            let f = the::<Self>();
            let full = g.covers(mask);
            // SAFETY: the module's argument.
            unsafe {
                $(let $x = $t::load(g.at(op.src[$n]));)*
                // Twice the same loop, since the compiler vectorises it only where it knows the place of the results.
                if full {
                    let mut sink = R::sink(g, op, &mut R::spare(), true);
                    for c in 0..LANES / CHUNK {
                        let mut chunk = R::chunk();
                        for i in 0..CHUNK {
                            R::put(&mut chunk, i, f(mods, $($t::get($x, c * CHUNK + i)),*));
                        }
                        R::store(&mut sink, c, &chunk);
                    }
                    R::close(sink, g, op, mask, true);
                } else {
                    let mut spare = R::spare();
                    let mut sink = R::sink(g, op, &mut spare, false);
                    for c in 0..LANES / CHUNK {
                        let mut chunk = R::chunk();
                        for i in 0..CHUNK {
                            R::put(&mut chunk, i, f(mods, $($t::get($x, c * CHUNK + i)),*));
                        }
                        R::store(&mut sink, c, &chunk);
                    }
                    R::close(sink, g, op, mask, false);
                }
            }
            Step::Next
        }

        #[inline(always)]
        unsafe fn $body<const DEFAULT: bool>(
            g: &mut Group,
            op: &Op,
        ) -> Step {
            let mask = g.active(op);
            if mask == 0 {
                return Step::Next;
            }
            let mods = if DEFAULT { Mods::default() } else { op.mods };
            // SAFETY: the caller's.
            unsafe { Self::$apply(g, op, mask, mods) }
        }

        /// Default settings except for the comparison, which is a constant in each of the loops.
        #[inline(always)]
        #[cfg_attr(debug_assertions, allow(dead_code))]
        unsafe fn $compare_body(
            g: &mut Group,
            op: &Op,
        ) -> Step {
            let mask = g.active(op);
            if mask == 0 {
                return Step::Next;
            }
            let only = |compare| Mods { compare, ..Mods::default() };
            // SAFETY: the caller's.
            unsafe {
                match op.mods.compare {
                    _ if op.mods != only(op.mods.compare) => Self::$apply(g, op, mask, op.mods),
                    Compare::Eq => Self::$apply(g, op, mask, only(Compare::Eq)),
                    Compare::Ne => Self::$apply(g, op, mask, only(Compare::Ne)),
                    Compare::Lt => Self::$apply(g, op, mask, only(Compare::Lt)),
                    Compare::Le => Self::$apply(g, op, mask, only(Compare::Le)),
                    Compare::Gt => Self::$apply(g, op, mask, only(Compare::Gt)),
                    Compare::Ge => Self::$apply(g, op, mask, only(Compare::Ge)),
                    Compare::Neu => Self::$apply(g, op, mask, only(Compare::Neu)),
                    Compare::Ltu => Self::$apply(g, op, mask, only(Compare::Ltu)),
                    Compare::Leu => Self::$apply(g, op, mask, only(Compare::Leu)),
                    Compare::Gtu => Self::$apply(g, op, mask, only(Compare::Gtu)),
                    Compare::Geu => Self::$apply(g, op, mask, only(Compare::Geu)),
                    _ => Self::$apply(g, op, mask, op.mods),
                }
            }
        }

        unsafe fn $row<const DEFAULT: bool>(
            g: &mut Group,
            op: &Op,
        ) -> Step {
            // SAFETY: the caller's.
            unsafe { Self::$body::<DEFAULT>(g, op) }
        }

        #[cfg_attr(debug_assertions, allow(dead_code))]
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c"))]
        unsafe fn $avx2<const DEFAULT: bool>(
            g: &mut Group,
            op: &Op,
        ) -> Step {
            // SAFETY: the caller's.
            unsafe { Self::$body::<DEFAULT>(g, op) }
        }

        #[cfg_attr(debug_assertions, allow(dead_code))]
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c"))]
        unsafe fn $avx2_compare(
            g: &mut Group,
            op: &Op,
        ) -> Step {
            // SAFETY: the caller's.
            unsafe { Self::$compare_body(g, op) }
        }
        }

        impl<$($t: Operand,)* R: Results, F: Fn(Mods, $($t),*) -> R + Copy + 'static> $trait<$($t,)* R> for F {}
    };
}

lanes!(Lane1, lane1, rare1, compare1, row1, avx2_row1, avx2_compare1, one1, body1, compare_body1, apply1; A a 0);
lanes!(Lane2, lane2, rare2, compare2, row2, avx2_row2, avx2_compare2, one2, body2, compare_body2, apply2; A a 0, B b 1);
lanes!(Lane3, lane3, rare3, compare3, row3, avx2_row3, avx2_compare3, one3, body3, compare_body3, apply3; A a 0, B b 1, C c_ 2);
lanes!(Lane4, lane4, rare4, compare4, row4, avx2_row4, avx2_compare4, one4, body4, compare_body4, apply4; A a 0, B b 1, C c_ 2, D d 3);
lanes!(Lane5, lane5, rare5, compare5, row5, avx2_row5, avx2_compare5, one5, body5, compare_body5, apply5; A a 0, B b 1, C c_ 2, D d 3, E e 4);

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
            unsafe {
                let place = &mut *self.at(offset).cast::<[T; LANES]>();
                if self.covers(mask) {
                    *place = *row;
                } else {
                    merge(place, row, mask);
                }
            }
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
