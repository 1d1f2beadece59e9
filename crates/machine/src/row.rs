//! Rows: how a function of one lane becomes an instruction of a warp.
//!
//! [`lane1`] to [`lane5`] turn a plain function into an [`Instance`]: its types, its one-value form for `eval`, and its
//! row handlers. A row handler reads its source rows, applies the function to all 32 lanes in a loop that the compiler
//! vectorises, and stores the results of the active lanes. There are three of each: baseline with any settings, and AVX2 with FMA, chosen
//! once a process, with default settings, where every modifier is a constant, and with any.
//!
//! This module touches frames by raw pointer. The argument, once: `engine` lays out frames so that every offset of an op is
//! inside the frame, aligned to 64 bytes (predicates: 4) and of the instance's types; rows of different sizes never
//! overlap; a frame belongs to one warp, a warp to one thread.

use crate::mods::Compare;
use crate::state::lanes;
use crate::{Element, FULL, Group, Handler, LANES, Mods, Op, Step, Type, op::NONE};
use std::ops::{BitAnd, BitXor};

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
    /// The same where the upper words of a row of 64-bit elements lie `APART` bytes behind the lower ones, if not 0, each a row of its own.
    ///
    /// # Safety
    /// As for [`Operand::get`].
    #[inline(always)]
    unsafe fn get_apart<const APART: usize>(row: Self::Row, i: usize) -> Self {
        // SAFETY: the caller's.
        unsafe { Self::get(row, i) }
    }
    /// Whether the lanes of a mask, which is not empty, have one value.
    ///
    /// # Safety
    /// The frame is alive.
    unsafe fn uniform(row: Self::Row, mask: u32) -> bool;
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
    #[inline(always)]
    unsafe fn get_apart<const APART: usize>(row: *const T, i: usize) -> T {
        // SAFETY: the caller's.
        unsafe {
            if APART == 0 || size_of::<T>() != 8 {
                return *row.add(i);
            }
            let words = [0, APART].map(|at| *row.byte_add(at).cast::<u32>().add(i));
            <T as Element>::from_bits(u128::from(words[0]) | u128::from(words[1]) << 32)
        }
    }
    unsafe fn uniform(row: *const T, mask: u32) -> bool {
        // SAFETY: the caller's.
        unsafe {
            let first = Element::to_bits(*row.add(mask.trailing_zeros() as usize));
            lanes(mask).all(|i| Element::to_bits(*row.add(i)) == first)
        }
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
    unsafe fn uniform(row: u32, mask: u32) -> bool {
        row & mask == 0 || row & mask == mask
    }
    fn from_bits(bits: u128) -> bool {
        bits & 1 != 0
    }
}

/// Lanes that are computed before their results are stored: what a few vector registers hold.
pub const CHUNK: usize = 8;

/// One result of a lane function.
pub trait Output: Operand + Default {
    /// Whether [`Output::merge`] looks at the mask: otherwise it is applied at the end.
    const BLENDS: bool;
    /// Results of a chunk's lanes.
    type Chunk: Copy;
    /// Where results go: gathers what cannot be stored chunk by chunk.
    type Sink: Copy;
    /// An empty chunk.
    fn chunk() -> Self::Chunk;
    /// Puts lane `i` of the chunk.
    fn put(chunk: &mut Self::Chunk, i: usize, value: Self);
    /// A sink for the row at `at`.
    fn sink(at: *mut u8) -> Self::Sink;
    /// Stores chunk `c`; for `APART` see [`Operand::get_apart`].
    ///
    /// # Safety
    /// The sink's row is one of this type. With `AVX2` the caller is compiled for it.
    unsafe fn store<const AVX2: bool, const APART: usize>(sink: &mut Self::Sink, c: usize, chunk: &Self::Chunk);
    /// Stores the lanes of chunk `c` that are active.
    ///
    /// # Safety
    /// As for [`Output::store`].
    unsafe fn merge<const AVX2: bool, const APART: usize>(
        sink: &mut Self::Sink,
        c: usize,
        chunk: &Self::Chunk,
        active: &LaneMask,
    );
    /// Ends the row at `at`, where the lanes of `mask` are computed; a mask has zeros in the other lanes of `written`.
    ///
    /// # Safety
    /// As for [`Output::store`]; every chunk has been stored.
    unsafe fn close(sink: Self::Sink, at: *mut u8, mask: u32, written: u32);
    /// Stores this value in lane `i` of the row at `at`.
    ///
    /// # Safety
    /// `at` points to a row of this type, and `i` is below 32.
    unsafe fn set(self, at: *mut u8, i: usize);
    /// Its bits, zero-extended.
    fn to_bits(self) -> u128;
    /// Whether a row has a NaN of single or double precision.
    ///
    /// # Safety
    /// The host has AVX2.
    unsafe fn has_nan(_: &[Self::Chunk; LANES / CHUNK]) -> bool {
        false
    }
}

impl<T: Element> Output for T {
    const BLENDS: bool = true;
    type Chunk = [T; CHUNK];
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
    fn sink(at: *mut u8) -> *mut T {
        at.cast()
    }
    #[inline(always)]
    unsafe fn store<const AVX2: bool, const APART: usize>(sink: &mut *mut T, c: usize, chunk: &[T; CHUNK]) {
        // SAFETY: the caller's; a chunk lies within its row, or a row of words each.
        unsafe {
            if APART == 0 || size_of::<T>() != 8 {
                *sink.add(c * CHUNK).cast::<[T; CHUNK]>() = *chunk;
                return;
            }
            for (at, words) in [0, APART].into_iter().zip(words_of(chunk)) {
                *sink.byte_add(at).cast::<u32>().add(c * CHUNK).cast::<[u32; CHUNK]>() = words;
            }
        }
    }
    #[inline(always)]
    unsafe fn merge<const AVX2: bool, const APART: usize>(sink: &mut *mut T, c: usize, chunk: &[T; CHUNK], active: &LaneMask) {
        // SAFETY: the caller's.
        unsafe {
            if APART == 0 || size_of::<T>() != 8 {
                return active.merge(c, chunk, *sink);
            }
            for (at, words) in [0, APART].into_iter().zip(words_of(chunk)) {
                active.merge(c, &words, sink.byte_add(at).cast::<u32>());
            }
        }
    }
    #[inline(always)]
    unsafe fn close(_: *mut T, _: *mut u8, _: u32, _: u32) {}
    #[inline(always)]
    unsafe fn set(self, at: *mut u8, i: usize) {
        // SAFETY: the caller's.
        unsafe { *at.cast::<T>().add(i) = self }
    }
    fn to_bits(self) -> u128 {
        Element::to_bits(self)
    }
    #[inline(always)]
    unsafe fn has_nan(row: &[[T; CHUNK]; LANES / CHUNK]) -> bool {
        // SAFETY: the caller's; the types say how many bytes a chunk has.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            use std::arch::x86_64::*;
            match T::TYPE {
                Type::F32 => {
                    let mut any = _mm256_setzero_ps();
                    for chunk in row {
                        let x = _mm256_loadu_ps(chunk.as_ptr().cast());
                        any = _mm256_or_ps(any, _mm256_cmp_ps::<_CMP_UNORD_Q>(x, x));
                    }
                    _mm256_movemask_ps(any) != 0
                }
                Type::F64 => {
                    let mut any = _mm256_setzero_pd();
                    for chunk in row {
                        // Two numbers are unordered if one of them is NaN.
                        let halves = [0, CHUNK / 2].map(|i| _mm256_loadu_pd(chunk.as_ptr().add(i).cast()));
                        any = _mm256_or_pd(any, _mm256_cmp_pd::<_CMP_UNORD_Q>(halves[0], halves[1]));
                    }
                    _mm256_movemask_pd(any) != 0
                }
                _ => false,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        false
    }
}

/// The lower and the upper words of elements.
#[inline(always)]
fn words_of<T: Element>(chunk: &[T; CHUNK]) -> [[u32; CHUNK]; 2] {
    let mut words = [[0; CHUNK]; 2];
    for (i, element) in chunk.iter().enumerate() {
        let bits = Element::to_bits(*element);
        (words[0][i], words[1][i]) = (bits as u32, (bits >> 32) as u32);
    }
    words
}

/// A mask spread out, an element a lane: all bits one where the lane is active.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct LaneMask([u32; LANES]);

impl LaneMask {
    /// No lane.
    pub const NONE: LaneMask = LaneMask([0; LANES]);
    /// All lanes.
    pub const ALL: LaneMask = LaneMask([u32::MAX; LANES]);

    /// A mask, spread out.
    #[inline(always)]
    pub fn new(mask: u32) -> Self {
        let mut lanes = [0; LANES];
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane = if mask & 1 << i != 0 { u32::MAX } else { 0 };
        }
        LaneMask(lanes)
    }

    /// Writes the active lanes of chunk `c` of the row at `row`.
    ///
    /// # Safety
    /// `row` is a row of `T`.
    #[inline(always)]
    unsafe fn merge<T: Element>(&self, c: usize, new: &[T; CHUNK], row: *mut T) {
        const TWO: usize = 2 * CHUNK;
        let mut lanes = [0; CHUNK];
        lanes.copy_from_slice(&self.0[c * CHUNK..][..CHUNK]);
        // SAFETY: the caller's; words of the elements' size, or two for each of 16 bytes.
        unsafe {
            let (new, row) = (new.as_ptr(), row.add(c * CHUNK));
            match size_of::<T>() {
                1 => merge_words::<u8, CHUNK>(new.cast(), row.cast(), |i| lanes[i] as u8),
                2 => merge_words::<u16, CHUNK>(new.cast(), row.cast(), |i| lanes[i] as u16),
                4 => merge_words::<u32, CHUNK>(new.cast(), row.cast(), |i| lanes[i]),
                8 => merge_words::<u64, CHUNK>(new.cast(), row.cast(), |i| lanes[i] as i32 as i64 as u64),
                _ => merge_words::<u64, TWO>(new.cast(), row.cast(), |i| lanes[i / 2] as i32 as i64 as u64),
            }
        }
    }
}

/// Takes the bits of `mask` from `new`. By arithmetic: of a choice the compiler would make branches, lane by lane.
///
/// # Safety
/// Both point to arrays of this type.
#[inline(always)]
unsafe fn merge_words<W: Copy + BitAnd<Output = W> + BitXor<Output = W>, const N: usize>(
    new: *const [W; N],
    old: *mut [W; N],
    mask: impl Fn(usize) -> W,
) {
    // SAFETY: the caller's.
    unsafe {
        let (new, mut row) = (*new, *old);
        for i in 0..N {
            row[i] = row[i] ^ (row[i] ^ new[i]) & mask(i);
        }
        *old = row;
    }
}

/// Writes the lanes of `mask` of a row.
///
/// A function of its own: inside a handler the compiler would compute lane by lane what it then throws away.
#[inline(never)]
fn merge<T: Element>(row: &mut [T; LANES], new: &[T; LANES], mask: u32) {
    let active = LaneMask::new(mask);
    for (c, chunk) in new.as_chunks::<CHUNK>().0.iter().enumerate() {
        // SAFETY: a row.
        unsafe { active.merge(c, chunk, row.as_mut_ptr()) }
    }
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
    const BLENDS: bool = false;
    /// All bits one where true: what a vector comparison leaves.
    type Chunk = [u32; CHUNK];
    type Sink = u32;
    #[inline(always)]
    fn chunk() -> [u32; CHUNK] {
        [0; CHUNK]
    }
    #[inline(always)]
    fn put(chunk: &mut [u32; CHUNK], i: usize, value: bool) {
        chunk[i] = if value { u32::MAX } else { 0 };
    }
    #[inline(always)]
    fn sink(_: *mut u8) -> u32 {
        0
    }
    #[inline(always)]
    unsafe fn store<const AVX2: bool, const APART: usize>(sink: &mut u32, c: usize, chunk: &[u32; CHUNK]) {
        *sink |= top_bits::<AVX2>(chunk) << (c * CHUNK);
    }
    #[inline(always)]
    unsafe fn merge<const AVX2: bool, const APART: usize>(sink: &mut u32, c: usize, chunk: &[u32; CHUNK], _: &LaneMask) {
        // SAFETY: the caller's.
        unsafe { <bool as Output>::store::<AVX2, APART>(sink, c, chunk) }
    }
    #[inline(always)]
    unsafe fn close(bits: u32, at: *mut u8, mask: u32, written: u32) {
        // SAFETY: the caller's.
        unsafe { store_predicate(at, written, bits & mask) }
    }
    #[inline(always)]
    unsafe fn set(self, at: *mut u8, i: usize) {
        // SAFETY: the caller's.
        unsafe { store_predicate(at, 1 << i, u32::from(self) << i) }
    }
    fn to_bits(self) -> u128 {
        self as u128
    }
}

/// The top bit of each element; the first is the lowest.
#[inline(always)]
fn top_bits<const AVX2: bool>(chunk: &[u32; CHUNK]) -> u32 {
    // The compiler finds no such instruction by itself.
    #[cfg(target_arch = "x86_64")]
    if AVX2 {
        // SAFETY: the caller is compiled for AVX2; an array of 32 bytes, as the vector is.
        return unsafe {
            std::arch::x86_64::_mm256_movemask_ps(std::mem::transmute::<[u32; CHUNK], std::arch::x86_64::__m256>(*chunk)) as u32
        };
    }
    chunk.iter().rev().fold(0, |bits, element| bits << 1 | element >> 31)
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

/// The lanes of a mask that an op writes which computes those of `mask`: these, or all, with zeros in the others.
#[inline(always)]
fn written(op: &Op, mask: u32) -> u32 {
    if op.wide { FULL } else { mask }
}

/// What a lane function returns: one result, which always has a place, or two, the second of which may be discarded.
pub trait Results: Copy + Default + 'static {
    /// Types of the results.
    const TYPES: &'static [Type];
    /// Whether [`Results::merge`] looks at the mask.
    const BLENDS: bool;
    /// Results of a chunk's lanes.
    type Chunk: Copy;
    /// Where results go.
    type Sink: Copy;
    /// An empty chunk.
    fn chunk() -> Self::Chunk;
    /// Puts lane `i` of the chunk.
    fn put(chunk: &mut Self::Chunk, i: usize, value: Self);
    /// The op's destinations.
    fn sink(g: &Group, op: &Op) -> Self::Sink;
    /// Stores chunk `c`.
    ///
    /// # Safety
    /// The op's destinations are rows of these types.
    unsafe fn store<const AVX2: bool, const APART: usize>(sink: &mut Self::Sink, c: usize, chunk: &Self::Chunk);
    /// Stores the lanes of chunk `c` that are active.
    ///
    /// # Safety
    /// As for [`Results::store`].
    unsafe fn merge<const AVX2: bool, const APART: usize>(
        sink: &mut Self::Sink,
        c: usize,
        chunk: &Self::Chunk,
        active: &LaneMask,
    );
    /// Ends the rows, where the lanes of `mask` are written.
    ///
    /// # Safety
    /// As for [`Results::store`]; every chunk has been stored.
    unsafe fn close(sink: Self::Sink, g: &Group, op: &Op, mask: u32);
    /// Stores this in lane `i` of the op's destinations.
    ///
    /// # Safety
    /// As for [`Results::store`], and `i` is below 32.
    unsafe fn set(self, g: &Group, op: &Op, i: usize);
    /// The results' bits.
    fn to_bits(self) -> [u128; 2];
    /// See [`Output::has_nan`].
    ///
    /// # Safety
    /// As there.
    unsafe fn has_nan(_: &[Self::Chunk; LANES / CHUNK]) -> bool {
        false
    }
}

impl<T: Output> Results for T {
    const TYPES: &'static [Type] = &[T::TYPE];
    const BLENDS: bool = T::BLENDS;
    type Chunk = T::Chunk;
    type Sink = T::Sink;
    #[inline(always)]
    fn chunk() -> T::Chunk {
        T::chunk()
    }
    #[inline(always)]
    fn put(chunk: &mut T::Chunk, i: usize, value: T) {
        T::put(chunk, i, value);
    }
    #[inline(always)]
    fn sink(g: &Group, op: &Op) -> T::Sink {
        T::sink(g.at(op.dst[0]))
    }
    #[inline(always)]
    unsafe fn store<const AVX2: bool, const APART: usize>(sink: &mut T::Sink, c: usize, chunk: &T::Chunk) {
        // SAFETY: the caller's.
        unsafe { T::store::<AVX2, APART>(sink, c, chunk) }
    }
    #[inline(always)]
    unsafe fn merge<const AVX2: bool, const APART: usize>(sink: &mut T::Sink, c: usize, chunk: &T::Chunk, active: &LaneMask) {
        // SAFETY: the caller's.
        unsafe { T::merge::<AVX2, APART>(sink, c, chunk, active) }
    }
    #[inline(always)]
    unsafe fn close(sink: T::Sink, g: &Group, op: &Op, mask: u32) {
        // SAFETY: the caller's.
        unsafe { T::close(sink, g.at(op.dst[0]), mask, written(op, mask)) }
    }
    #[inline(always)]
    unsafe fn set(self, g: &Group, op: &Op, i: usize) {
        // SAFETY: the caller's.
        unsafe { Output::set(self, g.at(op.dst[0]), i) }
    }
    fn to_bits(self) -> [u128; 2] {
        [Output::to_bits(self), 0]
    }
    #[inline(always)]
    unsafe fn has_nan(row: &[T::Chunk; LANES / CHUNK]) -> bool {
        // SAFETY: the caller's.
        unsafe { T::has_nan(row) }
    }
}

impl<T: Output, U: Output> Results for (T, U) {
    const TYPES: &'static [Type] = &[T::TYPE, U::TYPE];
    const BLENDS: bool = T::BLENDS || U::BLENDS;
    type Chunk = (T::Chunk, U::Chunk);
    type Sink = (T::Sink, Option<U::Sink>);
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
    fn sink(g: &Group, op: &Op) -> Self::Sink {
        (T::sink(g.at(op.dst[0])), (op.dst[1] != NONE).then(|| U::sink(g.at(op.dst[1]))))
    }
    #[inline(always)]
    unsafe fn store<const AVX2: bool, const APART: usize>(sink: &mut Self::Sink, c: usize, chunk: &Self::Chunk) {
        // SAFETY: the caller's.
        unsafe {
            T::store::<AVX2, APART>(&mut sink.0, c, &chunk.0);
            if let Some(sink) = &mut sink.1 {
                U::store::<AVX2, APART>(sink, c, &chunk.1);
            }
        }
    }
    #[inline(always)]
    unsafe fn merge<const AVX2: bool, const APART: usize>(
        sink: &mut Self::Sink,
        c: usize,
        chunk: &Self::Chunk,
        active: &LaneMask,
    ) {
        // SAFETY: the caller's.
        unsafe {
            T::merge::<AVX2, APART>(&mut sink.0, c, &chunk.0, active);
            if let Some(sink) = &mut sink.1 {
                U::merge::<AVX2, APART>(sink, c, &chunk.1, active);
            }
        }
    }
    #[inline(always)]
    unsafe fn close(sink: Self::Sink, g: &Group, op: &Op, mask: u32) {
        // SAFETY: the caller's.
        unsafe {
            T::close(sink.0, g.at(op.dst[0]), mask, written(op, mask));
            if let Some(sink) = sink.1 {
                U::close(sink, g.at(op.dst[1]), mask, written(op, mask));
            }
        }
    }
    #[inline(always)]
    unsafe fn set(self, g: &Group, op: &Op, i: usize) {
        // SAFETY: the caller's.
        unsafe {
            self.0.set(g.at(op.dst[0]), i);
            if op.dst[1] != NONE {
                self.1.set(g.at(op.dst[1]), i);
            }
        }
    }
    fn to_bits(self) -> [u128; 2] {
        [Output::to_bits(self.0), Output::to_bits(self.1)]
    }
}

/// A predicate and its complement: two results of which one is computed.
#[derive(Clone, Copy, Default)]
pub struct Complement(pub bool);

impl Results for Complement {
    const TYPES: &'static [Type] = &[Type::Pred, Type::Pred];
    const BLENDS: bool = false;
    type Chunk = <bool as Output>::Chunk;
    type Sink = <bool as Output>::Sink;
    #[inline(always)]
    fn chunk() -> Self::Chunk {
        <bool as Output>::chunk()
    }
    #[inline(always)]
    fn put(chunk: &mut Self::Chunk, i: usize, value: Self) {
        <bool as Output>::put(chunk, i, value.0);
    }
    #[inline(always)]
    fn sink(_: &Group, _: &Op) -> Self::Sink {
        0
    }
    #[inline(always)]
    unsafe fn store<const AVX2: bool, const APART: usize>(sink: &mut Self::Sink, c: usize, chunk: &Self::Chunk) {
        // SAFETY: the caller's.
        unsafe { <bool as Output>::store::<AVX2, APART>(sink, c, chunk) }
    }
    #[inline(always)]
    unsafe fn merge<const AVX2: bool, const APART: usize>(sink: &mut Self::Sink, c: usize, chunk: &Self::Chunk, _: &LaneMask) {
        // SAFETY: the caller's.
        unsafe { <bool as Output>::store::<AVX2, APART>(sink, c, chunk) }
    }
    #[inline(always)]
    unsafe fn close(bits: u32, g: &Group, op: &Op, mask: u32) {
        let written = written(op, mask);
        g.set_predicate(op.dst[0], bits & mask, written);
        g.set_predicate(op.dst[1], !bits & mask, written);
    }
    #[inline(always)]
    unsafe fn set(self, g: &Group, op: &Op, i: usize) {
        let bits = u32::from(self.0) << i;
        g.set_predicate(op.dst[0], bits, 1 << i);
        g.set_predicate(op.dst[1], !bits, 1 << i);
    }
    fn to_bits(self) -> [u128; 2] {
        [self.0.into(), (!self.0).into()]
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
    /// Row handlers: for default and other settings, each for hosts without and with AVX2.
    pub rows: [[Handler; 2]; 2],
    /// The handler for one value instead of a row: the first element of each.
    pub cell: Handler,
    /// AVX2 handlers for default settings where the words of 64-bit elements are apart (see [`Operand::get_apart`]): by 128 and by 256 bytes.
    pub apart: Option<[Handler; 2]>,
    /// AVX2 handlers for settings that are default but for a comparison and what combines it with a predicate, by comparison.
    pub compared: Option<&'static [Option<Handler>; Compare::ALL.len()]>,
}

impl Instance {
    /// The row handler for these settings on this host.
    pub fn row(&self, mods: Mods) -> Handler {
        let plain = mods == Mods { compare: mods.compare, op: mods.op, ..Mods::default() };
        if host_has_avx2()
            && plain
            && let Some(run) = self.compared.and_then(|handlers| handlers[mods.compare as usize])
        {
            return run;
        }
        self.rows[usize::from(mods != Mods::default())][usize::from(host_has_avx2())]
    }
}

impl Instance {
    /// The row handler for these settings on this host where the words of 64-bit elements are so many bytes apart, if there is one.
    pub fn apart(&self, mods: Mods, distance: u32) -> Option<Handler> {
        let handlers = self.apart.filter(|_| host_has_avx2() && mods == Mods::default())?;
        [128, 256].iter().position(|d| *d == distance).map(|i| handlers[i])
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

/// Handlers for some comparisons, at their places.
#[cfg(not(debug_assertions))]
macro_rules! compared {
    ($f:ident, $trait:path, $handler:ident; $($compare:ident)*) => {{
        let mut all: [Option<Handler>; Compare::ALL.len()] = [None; Compare::ALL.len()];
        $(all[Compare::$compare as usize] = Some(<$f as $trait>::$handler::<{ Compare::$compare as u8 }>);)*
        all
    }};
}

/// Generates `laneN` and its handlers for one number of sources.
macro_rules! lanes {
    ($trait:ident, $lane:ident, $rare:ident, $compare:ident, $quick:ident, $wide:ident, $row:ident, $avx2:ident, $avx2_compare:ident, $avx2_quick:ident, $avx2_apart:ident, $each:ident, $cell:ident, $one:ident, $apply:ident;
        $($t:ident $x:ident $n:literal),*) => {
        /// The instance of a function of this many sources.
        pub const fn $lane<$($t: Operand,)* R: Results, F: Fn(Mods, $($t),*) -> R + Copy + 'static>(_: F) -> Instance {
            Instance {
                results: R::TYPES,
                sources: const { &[$($t::TYPE),*] },
                one: <F as $trait<$($t,)* R>>::$one,
                // Debug builds have one handler instead of three: they compile in a fraction of the time.
                #[cfg(debug_assertions)]
                rows: [[<F as $trait<$($t,)* R>>::$row::<false>; 2]; 2],
                #[cfg(not(debug_assertions))]
                rows: [
                    [<F as $trait<$($t,)* R>>::$row::<false>, <F as $trait<$($t,)* R>>::$avx2::<true, false>],
                    [<F as $trait<$($t,)* R>>::$row::<false>, <F as $trait<$($t,)* R>>::$avx2::<false, false>],
                ],
                cell: <F as $trait<$($t,)* R>>::$cell,
                apart: None,
                compared: None,
            }
        }

        /// As the first, lane by lane, with one handler for all settings and hosts: for functions that no vector instructions exist for, or
        /// that are rare. Where all lanes have the same sources (a warp-uniform value), one lane is computed for all.
        pub const fn $rare<$($t: Operand,)* R: Results, F: Fn(Mods, $($t),*) -> R + Copy + 'static>(_: F) -> Instance {
            Instance {
                results: R::TYPES,
                sources: const { &[$($t::TYPE),*] },
                one: <F as $trait<$($t,)* R>>::$one,
                rows: [[<F as $trait<$($t,)* R>>::$each; 2]; 2],
                cell: <F as $trait<$($t,)* R>>::$cell,
                apart: None,
                compared: None,
            }
        }

        /// As the first, with a handler for each comparison.
        pub const fn $compare<$($t: Operand,)* R: Results, F: Fn(Mods, $($t),*) -> R + Copy + 'static>(_: F) -> Instance {
            Instance {
                results: R::TYPES,
                sources: const { &[$($t::TYPE),*] },
                one: <F as $trait<$($t,)* R>>::$one,
                rows: [[<F as $trait<$($t,)* R>>::$row::<false>; 2]; 2],
                cell: <F as $trait<$($t,)* R>>::$cell,
                apart: None,
                #[cfg(debug_assertions)]
                compared: None,
                #[cfg(not(debug_assertions))]
                compared: Some(const { &compared!(F, $trait<$($t,)* R>, $avx2_compare; Eq Ne Lt Le Gt Ge Neu Ltu Leu Gtu Geu) }),
            }
        }

        /// As the first; with default settings `quick` gives the same results, but for those that it gives a NaN.
        pub const fn $quick<$($t: Operand,)* R: Results, F: Fn(Mods, $($t),*) -> R + Copy + 'static, Q: Fn(Mods, $($t),*) -> R + Copy + 'static>(
            f: F,
            _quick: Q,
        ) -> Instance {
            let instance = $lane::<$($t,)* R, F>(f);
            #[cfg(debug_assertions)]
            return instance;
            #[cfg(not(debug_assertions))]
            Instance { rows: [[instance.rows[0][0], <F as $trait<$($t,)* R>>::$avx2_quick::<Q, false>], instance.rows[1]], ..instance }
        }

        /// As the first, with handlers for 64-bit elements whose words are apart.
        pub const fn $wide<$($t: Operand,)* R: Results, F: Fn(Mods, $($t),*) -> R + Copy + 'static>(f: F) -> Instance {
            let instance = $lane::<$($t,)* R, F>(f);
            #[cfg(debug_assertions)]
            return instance;
            #[cfg(not(debug_assertions))]
            Instance {
                apart: Some([
                    <F as $trait<$($t,)* R>>::$avx2_apart::<128, false>,
                    <F as $trait<$($t,)* R>>::$avx2_apart::<256, false>,
                ]),
                ..instance
            }
        }

        /// A function of this many sources, with its handlers: methods, so that the compiler puts them with the function's module
        /// and compiles modules side by side, and again only when they change.
        ///
        /// A handler for whole rows leaves others to its twin with `MASKED`, which is a function of its own so that the first needs
        /// no more registers than its loop.
        trait $trait<$($t: Operand,)* R: Results>: Fn(Mods, $($t),*) -> R + Copy + 'static {
        fn $one(mods: Mods, sources: &[u128]) -> [u128; 2] {
            the::<Self>()(mods, $($t::from_bits(sources[$n])),*).to_bits()
        }

        #[inline(always)]
        unsafe fn $apply<const APART: usize, const MASKED: bool, const AVX2: bool>(g: &mut Group, op: &Op, mods: Mods) -> Step {
            let (f, mask) = (the::<Self>(), if MASKED { g.active(op) } else { FULL });
            if mask == 0 {
                // SAFETY: the module's argument.
                unsafe { R::close(R::sink(g, op), g, op, 0) };
                return Step::Next;
            }
            if MASKED && R::BLENDS {
                g.spread(op, mask);
            }
            // SAFETY: the module's argument.
            unsafe {
                $(let $x = $t::load(g.at(op.src[$n]));)*
                let mut sink = R::sink(g, op);
                for c in 0..LANES / CHUNK {
                    let mut chunk = R::chunk();
                    for i in 0..CHUNK {
                        R::put(&mut chunk, i, f(mods, $($t::get_apart::<APART>($x, c * CHUNK + i)),*));
                    }
                    if MASKED {
                        R::merge::<AVX2, APART>(&mut sink, c, &chunk, g.spread_of(op));
                    } else {
                        R::store::<AVX2, APART>(&mut sink, c, &chunk);
                    }
                }
                R::close(sink, g, op, mask);
            }
            Step::Next
        }

        unsafe fn $each(g: &mut Group, op: &Op) -> Step {
            let (f, mask) = (the::<Self>(), g.active(op));
            // SAFETY: the module's argument.
            unsafe {
                $(let $x = $t::load(g.at(op.src[$n]));)*
                R::close(R::sink(g, op), g, op, 0);
                if mask == 0 {
                    return Step::Next;
                }
                let uniform = $($t::uniform($x, mask))&&*;
                let mut last = f(op.mods, $($t::get($x, mask.trailing_zeros() as usize)),*);
                for (n, i) in lanes(mask).enumerate() {
                    if n > 0 && !uniform {
                        last = f(op.mods, $($t::get($x, i)),*);
                    }
                    last.set(g, op, i);
                }
            }
            Step::Next
        }

        unsafe fn $cell(g: &mut Group, op: &Op) -> Step {
            // SAFETY: the module's argument; a value of one lane is the first of a row.
            unsafe {
                $(let $x = $t::load(g.at(op.src[$n]));)*
                the::<Self>()(op.mods, $($t::get($x, 0)),*).set(g, op, 0);
            }
            Step::Next
        }

        #[inline(never)]
        unsafe fn $row<const MASKED: bool>(g: &mut Group, op: &Op) -> Step {
            // SAFETY: the caller's.
            unsafe {
                if !MASKED && !g.is_whole(op) {
                    return Self::$row::<true>(g, op);
                }
                Self::$apply::<0, MASKED, false>(g, op, op.mods)
            }
        }

        #[inline(never)]
        #[cfg_attr(debug_assertions, allow(dead_code))]
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c"))]
        unsafe fn $avx2<const DEFAULT: bool, const MASKED: bool>(g: &mut Group, op: &Op) -> Step {
            // SAFETY: the caller's.
            unsafe {
                if !MASKED && !g.is_whole(op) {
                    return Self::$avx2::<DEFAULT, true>(g, op);
                }
                Self::$apply::<0, MASKED, true>(g, op, if DEFAULT { Mods::default() } else { op.mods })
            }
        }

        /// All lanes by another function, or, if it gives a NaN, by the function itself.
        #[inline(never)]
        #[cfg_attr(debug_assertions, allow(dead_code))]
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c"))]
        unsafe fn $avx2_quick<Q: Fn(Mods, $($t),*) -> R + Copy + 'static, const MASKED: bool>(g: &mut Group, op: &Op) -> Step {
            // SAFETY: the caller's.
            unsafe {
                if !MASKED && !g.is_whole(op) {
                    return Self::$avx2_quick::<Q, true>(g, op);
                }
                let mask = if MASKED { g.active(op) } else { FULL };
                $(let $x = $t::load(g.at(op.src[$n]));)*
                let (f, mut chunks) = (the::<Q>(), std::array::from_fn(|_| R::chunk()));
                for (c, chunk) in chunks.iter_mut().enumerate() {
                    for i in 0..CHUNK {
                        R::put(chunk, i, f(Mods::default(), $($t::get($x, c * CHUNK + i)),*));
                    }
                }
                if mask == 0 || R::has_nan(&chunks) {
                    return Self::$avx2::<true, MASKED>(g, op);
                }
                if MASKED && R::BLENDS {
                    g.spread(op, mask);
                }
                let mut sink = R::sink(g, op);
                for (c, chunk) in chunks.iter().enumerate() {
                    if MASKED {
                        R::merge::<true, 0>(&mut sink, c, chunk, g.spread_of(op));
                    } else {
                        R::store::<true, 0>(&mut sink, c, chunk);
                    }
                }
                R::close(sink, g, op, mask);
                Step::Next
            }
        }

        #[inline(never)]
        #[cfg_attr(debug_assertions, allow(dead_code))]
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c"))]
        unsafe fn $avx2_apart<const APART: usize, const MASKED: bool>(g: &mut Group, op: &Op) -> Step {
            // SAFETY: the caller's.
            unsafe {
                if !MASKED && !g.is_whole(op) {
                    return Self::$avx2_apart::<APART, true>(g, op);
                }
                Self::$apply::<APART, MASKED, true>(g, op, Mods::default())
            }
        }

        /// Default settings but for a comparison, which is a constant, and what combines it with a predicate. Predicates are one
        /// word: the mask costs nothing.
        #[cfg_attr(debug_assertions, allow(dead_code))]
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,f16c"))]
        unsafe fn $avx2_compare<const COMPARE: u8>(g: &mut Group, op: &Op) -> Step {
            let mods = Mods { compare: const { Compare::ALL[COMPARE as usize] }, op: op.mods.op, ..Mods::default() };
            // SAFETY: the caller's.
            unsafe { Self::$apply::<0, true, true>(g, op, mods) }
        }
        }

        impl<$($t: Operand,)* R: Results, F: Fn(Mods, $($t),*) -> R + Copy + 'static> $trait<$($t,)* R> for F {}
    };
}

lanes!(Lane1, lane1, rare1, compare1, quick1, wide1, row1, avx2_row1, avx2_compare1, avx2_quick1, avx2_apart1, each1, cell1, one1, apply1; A a 0);
lanes!(Lane2, lane2, rare2, compare2, quick2, wide2, row2, avx2_row2, avx2_compare2, avx2_quick2, avx2_apart2, each2, cell2, one2, apply2; A a 0, B b 1);
lanes!(Lane3, lane3, rare3, compare3, quick3, wide3, row3, avx2_row3, avx2_compare3, avx2_quick3, avx2_apart3, each3, cell3, one3, apply3; A a 0, B b 1, C c_ 2);
lanes!(Lane4, lane4, rare4, compare4, quick4, wide4, row4, avx2_row4, avx2_compare4, avx2_quick4, avx2_apart4, each4, cell4, one4, apply4; A a 0, B b 1, C c_ 2, D d 3);
lanes!(Lane5, lane5, rare5, compare5, quick5, wide5, row5, avx2_row5, avx2_compare5, avx2_quick5, avx2_apart5, each5, cell5, one5, apply5; A a 0, B b 1, C c_ 2, D d 3, E e 4);

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
