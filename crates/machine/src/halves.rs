//! Loads and stores of a full warp in the patterns that programs use most.
//!
//! Programs like to arrange a warp in one row of 32 threads or two of sixteen. So the lanes of each half of it either share an
//! address or stand one after the other, and two addresses need to be looked at instead of 32. What follows no such pattern, or
//! needs a fault, is left to [`crate::memory`], which takes everything.
//!
//! Device memory is touched here only by the functions of [`crate::memory`] and by 32 bytes at a time in an opaque instruction, with the
//! argument of [`copy_in`].

use crate::memory::{copy_in, copy_out, read_element};
use crate::op::NONE;
use crate::state::{Access, RECENT};
use crate::{Element, Group, Int, LANES, Op};

/// Lanes of a half.
pub const HALF: usize = LANES / 2;

/// What a full warp accesses.
#[derive(Clone, Copy, Debug)]
pub struct Halves {
    /// Host place of each half's first lane.
    first: [*mut u8; 2],
    /// Whether lanes stand one after the other; otherwise a half's lanes share an address.
    contiguous: bool,
}

impl Group<'_> {
    /// The usual pattern that the addresses of a full warp have, if all of it lies aligned in one area. `A` is the type of the address
    /// register `op.src[0]`, `size` the bytes of a lane. Writes are only found where lanes stand one after the other.
    #[inline(always)]
    pub fn halves<A: Int<Mask = bool>, const AVX2: bool>(&mut self, op: &Op, size: usize, access: Access) -> Option<Halves> {
        let row = self.at(op.src[0]).cast::<A>().cast_const();
        // SAFETY: the address register is a row of `A`.
        let ([shared, contiguous], firsts) = unsafe { (pattern::<A, AVX2>(row, size), [*row, *row.add(HALF)]) };
        if !contiguous && (!shared || access != Access::Read) {
            return None;
        }
        let addresses = firsts.map(|first| first.add(A::int(op.imm.into())).to_bits() as u64);
        let area = self.area(op.mods.space, addresses[0], access)?;
        let span = (if contiguous { size * HALF } else { size }) as u64;
        let inside = |address: u64| {
            let offset = address.wrapping_sub(area.start);
            offset.checked_add(span).is_some_and(|end| end <= area.len) && address & (size as u64 - 1) == 0
        };
        let place = |address: u64| area.host.wrapping_add(address.wrapping_sub(area.start) as usize);
        (inside(addresses[0]) && inside(addresses[1])).then(|| Halves { first: addresses.map(place), contiguous })
    }
}

impl Halves {
    /// Has the host fetch what an op will load next, if it goes on in the steps that it makes: a program that strides through memory would wait for each
    /// line otherwise.
    #[inline(always)]
    pub fn fetch_ahead(self, g: &mut Group, op: &Op) {
        let last = &mut g.warp.recent[op.next as usize % RECENT];
        let here = self.first[0] as usize;
        let next = here.wrapping_add(here.wrapping_sub(*last).wrapping_mul(2));
        *last = here;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a hint, of any address.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch(next as *const i8, _MM_HINT_T0);
            _mm_prefetch(next.wrapping_add(64) as *const i8, _MM_HINT_T0);
        }
    }

    /// Loads a vector `V` of elements `M` for each lane into the registers `R` that `register` names.
    ///
    /// # Safety
    /// [`Group::halves`] found this for vectors of this size and a read; registers are rows of `R`.
    #[inline(always)]
    pub unsafe fn load<M: Element, R: Element + From<M>, V: Element, const AVX2: bool>(
        self,
        g: &Group,
        register: impl Fn(usize) -> u32,
    ) {
        for (h, from) in self.first.into_iter().enumerate() {
            // SAFETY: the caller's.
            unsafe {
                let place = |k: usize| g.at(register(k)).cast::<[R; HALF]>().add(h);
                let discarded = |k: usize| register(k) == NONE;
                if plain::<R, M, V>() && self.contiguous && !discarded(0) {
                    // One element, as wide as its register: nothing to take apart.
                    copy_half_in::<AVX2>(from, place(0).cast(), size_of::<[R; HALF]>());
                    continue;
                }
                let mut vectors = [V::default(); HALF];
                if self.contiguous {
                    copy_half_in::<AVX2>(from, vectors.as_mut_ptr().cast(), size_of::<[V; HALF]>());
                }
                let one: V = read_element(from);
                for k in 0..size_of::<V>() / size_of::<M>() {
                    if discarded(k) {
                        continue;
                    }
                    let element = |vector: V| R::from(M::from_bits(vector.to_bits() >> (k as u32 * M::TYPE.bits())));
                    if self.contiguous {
                        let row = &mut *place(k);
                        for i in 0..HALF {
                            row[i] = element(vectors[i]);
                        }
                    } else {
                        *place(k) = [element(one); HALF];
                    }
                }
            }
        }
    }

    /// Stores a vector `V` of elements `M`, the low bits of the registers `R` that `register` names, for each lane.
    ///
    /// # Safety
    /// [`Group::halves`] found this for vectors of this size and a write; registers are rows of `R`.
    #[inline(always)]
    pub unsafe fn store<R: Element, M: Element, V: Element, const AVX2: bool>(self, g: &Group, register: impl Fn(usize) -> u32) {
        for (h, to) in self.first.into_iter().enumerate() {
            // SAFETY: the caller's.
            unsafe {
                let place = |k: usize| g.at(register(k)).cast::<[R; HALF]>().add(h);
                if plain::<R, M, V>() {
                    copy_half_out::<AVX2>(to, place(0).cast(), size_of::<[R; HALF]>());
                    continue;
                }
                let mut vectors = [V::default(); HALF];
                for k in 0..size_of::<V>() / size_of::<M>() {
                    let row = &*place(k);
                    for i in 0..HALF {
                        let element = M::from_bits(row[i].to_bits()).to_bits() << (k as u32 * M::TYPE.bits());
                        vectors[i] = V::from_bits(vectors[i].to_bits() | element);
                    }
                }
                copy_half_out::<AVX2>(to, vectors.as_ptr().cast(), size_of::<[V; HALF]>());
            }
        }
    }
}

/// Whether a lane's access is one element as wide as its register.
const fn plain<R, M, V>() -> bool {
    size_of::<M>() == size_of::<V>() && size_of::<M>() == size_of::<R>()
}

/// Whether the lanes of each half have the same address, and whether they are `size` bytes apart, in order.
///
/// # Safety
/// `row` is a row. With `AVX2` the host has it.
#[inline(always)]
unsafe fn pattern<A: Int<Mask = bool>, const AVX2: bool>(row: *const A, size: usize) -> [bool; 2] {
    #[cfg(target_arch = "x86_64")]
    if AVX2 {
        // SAFETY: the caller's; the sizes say what `A` is.
        return unsafe {
            match size_of::<A>() {
                4 => avx2::pattern_32(row.cast(), size as i32),
                _ => avx2::pattern_64(row.cast(), size as i64),
            }
        };
    }
    let (mut different, mut gaps) = (A::default(), A::default());
    for i in 0..LANES {
        // SAFETY: the caller's.
        let distance = unsafe { (*row.add(i)).sub(*row.add(i / HALF * HALF)) };
        different = different.or(distance);
        gaps = gaps.or(distance.xor(A::int((i % HALF * size) as i64)));
    }
    [different.eq(A::default()), gaps.eq(A::default())]
}

/// [`copy_in`] of half a row.
///
/// # Safety
/// As for [`copy_in`]. With `AVX2` the host has it.
#[inline(always)]
unsafe fn copy_half_in<const AVX2: bool>(from: *const u8, to: *mut u8, len: usize) {
    #[cfg(target_arch = "x86_64")]
    if AVX2 && len.is_multiple_of(32) {
        // SAFETY: the caller's.
        return unsafe { avx2::copy_in(from, to, len) };
    }
    // SAFETY: the caller's.
    unsafe { copy_in(from, to, len) }
}

/// [`copy_out`] of half a row.
///
/// # Safety
/// As for [`copy_out`]. With `AVX2` the host has it.
#[inline(always)]
unsafe fn copy_half_out<const AVX2: bool>(to: *mut u8, from: *const u8, len: usize) {
    #[cfg(target_arch = "x86_64")]
    if AVX2 && len.is_multiple_of(32) {
        // SAFETY: the caller's.
        return unsafe { avx2::copy_out(to, from, len) };
    }
    // SAFETY: the caller's.
    unsafe { copy_out(to, from, len) }
}

/// What the compiler does not find by itself.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::LANES;
    use std::arch::asm;
    use std::arch::x86_64::*;

    /// [`super::pattern`] of 32-bit addresses.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn pattern_32(row: *const u32, size: i32) -> [bool; 2] {
        let low = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_set1_epi32(size));
        let steps = [low, _mm256_add_epi32(low, _mm256_set1_epi32(8 * size))];
        let (mut different, mut gaps) = (_mm256_setzero_si256(), _mm256_setzero_si256());
        for c in 0..LANES / 8 {
            // SAFETY: inside the row.
            let (addresses, first) = unsafe { (_mm256_loadu_si256(row.add(8 * c).cast()), *row.add(c / 2 * 16)) };
            let distance = _mm256_sub_epi32(addresses, _mm256_set1_epi32(first as i32));
            different = _mm256_or_si256(different, distance);
            gaps = _mm256_or_si256(gaps, _mm256_xor_si256(distance, steps[c % 2]));
        }
        [_mm256_testz_si256(different, different) != 0, _mm256_testz_si256(gaps, gaps) != 0]
    }

    /// [`super::pattern`] of 64-bit addresses.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn pattern_64(row: *const u64, size: i64) -> [bool; 2] {
        let (mut different, mut gaps) = (_mm256_setzero_si256(), _mm256_setzero_si256());
        let four = _mm256_set1_epi64x(4 * size);
        let low = _mm256_setr_epi64x(0, size, 2 * size, 3 * size);
        let mut steps = low;
        for c in 0..LANES / 4 {
            if c == 4 {
                steps = low;
            }
            // SAFETY: inside the row.
            let (addresses, first) = unsafe { (_mm256_loadu_si256(row.add(4 * c).cast()), *row.add(c / 4 * 16)) };
            let distance = _mm256_sub_epi64(addresses, _mm256_set1_epi64x(first as i64));
            different = _mm256_or_si256(different, distance);
            gaps = _mm256_or_si256(gaps, _mm256_xor_si256(distance, steps));
            steps = _mm256_add_epi64(steps, four);
        }
        [_mm256_testz_si256(different, different) != 0, _mm256_testz_si256(gaps, gaps) != 0]
    }

    /// [`super::copy_in`] of a multiple of 32 bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn copy_in(from: *const u8, to: *mut u8, len: usize) {
        for at in (0..len).step_by(32) {
            // SAFETY: the caller's.
            unsafe {
                let value: __m256i;
                asm!("vmovups {}, [{}]", out(ymm_reg) value, in(reg) from.add(at), options(nostack, preserves_flags, readonly));
                _mm256_storeu_si256(to.add(at).cast(), value);
            }
        }
    }

    /// [`super::copy_out`] of a multiple of 32 bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn copy_out(to: *mut u8, from: *const u8, len: usize) {
        for at in (0..len).step_by(32) {
            // SAFETY: the caller's.
            unsafe {
                let value = _mm256_loadu_si256(from.add(at).cast());
                asm!("vmovups [{}], {}", in(reg) to.add(at), in(ymm_reg) value, options(nostack, preserves_flags));
            }
        }
    }
}
