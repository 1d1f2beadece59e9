//! Tensor maps and copies against the manual: an independent reference byte by byte, its tables, and limits of every field.

mod fields;
mod reference;

use machine::tensor::{Copy, Direction, Element, Fill, Interleave, Mode, Promotion, Run, Swizzle, TensorMap, Window};
use std::collections::BTreeMap;
use std::convert::Infallible;

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn of<T: std::marker::Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    fn between(&mut self, least: i64, greatest: i64) -> i64 {
        least + self.below((greatest - least + 1) as u64) as i64
    }
}

fn runs(copy: &Copy, shared: u32) -> Vec<Run> {
    let mut runs = Vec::new();
    let done: Result<(), Infallible> = copy.each(shared, |run| {
        runs.push(run);
        Ok(())
    });
    done.unwrap_or_else(|never| match never {});
    runs
}

/// What the runs of a copy move, byte by byte.
fn moved(copy: &Copy, shared: u32) -> reference::Bytes {
    let (packed, mut bytes) = (copy.map().element.packed(), BTreeMap::new());
    for run in runs(copy, shared) {
        assert!(run.bytes > 0);
        for byte in 0..run.bytes {
            // Padding is neither read nor written.
            if packed != 16 && byte % 16 >= packed {
                continue;
            }
            let global = if packed == 16 { byte } else { byte / 16 * packed + byte % 16 };
            let source = run.global.map(|at| at + u64::from(global));
            assert!(bytes.insert(run.shared + byte, source).is_none(), "byte {} twice", run.shared + byte);
        }
    }
    bytes
}

/// Compares a copy with the reference.
fn compare(map: &TensorMap, direction: Direction, mode: Mode, at: &[i32], offsets: [u32; 3]) {
    let copy =
        Copy::new(map, direction, mode, at, offsets).unwrap_or_else(|e| panic!("{e}\n{map:?} {mode:?} {at:?} {offsets:?}"));
    // One of eight places in the pattern.
    let shared = 0x8000 + 128 * (at.iter().fold(7, |sum: i32, c| sum.wrapping_add(*c)) as u32 % 8);
    let (wanted, got) = (reference::bytes(map, mode, at, offsets, shared), moved(&copy, shared));
    assert_eq!(wanted.len(), got.len(), "{map:?} {mode:?} {at:?} {offsets:?}");
    if wanted != got {
        let first = wanted.iter().zip(&got).find(|(a, b)| a != b);
        panic!("{first:x?}\n{map:?} {mode:?} {at:?} {offsets:?}");
    }
    assert_eq!(copy.bytes(), wanted.len() as u64, "{map:?} {mode:?} {at:?}");
    transfer(&copy, shared, &wanted);
    // Without a swizzle the last byte is where `shared_bytes` says.
    if map.swizzle == Swizzle::None && !map.element.is_padded() {
        let last = got.last_key_value().map_or(0, |(byte, _)| u64::from(*byte - shared) + 1);
        assert_eq!(copy.shared_bytes(), last);
    }
}

/// The same copy the other way, where there is one.
fn compare_store(map: &TensorMap, at: &[i32]) {
    let at: Vec<i32> = at.iter().map(|c| (*c).max(0)).collect();
    if map.element != Element::B4Padded && map.swizzle != Swizzle::B128Atom32Flip8 {
        // Rows far apart, so that no byte is written twice.
        let spread = TensorMap { strides: [1 << 20, 1 << 24, 1 << 28, 1 << 32], ..*map };
        compare(&spread, Direction::Store, Mode::Tile, &at, [0; 3]);
    }
}

/// A byte that stands for an address.
fn byte_at(address: u64) -> u8 {
    (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

/// Both halves of a copy move what the reference says, through an image.
fn transfer(copy: &Copy, shared: u32, wanted: &reference::Bytes) {
    let (element, mut image) = (copy.map().element, Vec::new());
    let fill = if copy.map().fill == Fill::Nan { 0xff } else { 0 };
    if copy.direction() == Direction::Load {
        let mut written = BTreeMap::new();
        let read = |from: u64, to: &mut [u8]| {
            to.iter_mut().enumerate().for_each(|(i, byte)| *byte = byte_at(from + i as u64));
            Ok::<_, Infallible>(())
        };
        let write = |to: u32, from: &[u8]| {
            from.iter().enumerate().for_each(|(i, byte)| assert!(written.insert(to + i as u32, *byte).is_none()));
            Ok::<_, Infallible>(())
        };
        copy.read_global(&mut image, read).and_then(|()| copy.write_shared(shared, &image, write)).unwrap_or_else(|e| match e {});
        if element.converts() {
            assert!(written.keys().eq(wanted.keys()));
            return;
        }
        let bytes: BTreeMap<u32, u8> = wanted.iter().map(|(to, from)| (*to, from.map_or(fill, byte_at))).collect();
        assert!(written == bytes, "{:?}", copy.map());
        return;
    }
    let (mut written, mut reads) = (BTreeMap::new(), 0);
    let read = |from: u32, to: &mut [u8]| {
        assert!(u64::from(from - shared) + to.len() as u64 <= copy.shared_bytes());
        to.iter_mut().enumerate().for_each(|(i, byte)| *byte = byte_at(u64::from(from) + i as u64));
        reads += to.len();
        Ok::<_, Infallible>(())
    };
    let write = |to: u64, from: &[u8]| {
        from.iter().enumerate().for_each(|(i, byte)| assert!(written.insert(to + i as u64, *byte).is_none()));
        Ok::<_, Infallible>(())
    };
    copy.read_shared(shared, &mut image, read).and_then(|()| copy.write_global(&image, write)).unwrap_or_else(|e| match e {});
    let bytes: BTreeMap<u64, u8> = wanted.iter().filter_map(|(from, to)| Some(((*to)?, byte_at(u64::from(*from))))).collect();
    if element == Element::B6Padded {
        // Sixteen bytes become twelve.
        assert!(written.keys().eq(bytes.keys()) && reads as u64 == copy.bytes() / 12 * 16);
    } else {
        assert!(written == bytes, "{:?}", copy.map());
    }
}

/// A random map that the encoder takes, or none.
fn random_map(random: &mut Random, rank: usize, element: Element, swizzle: Swizzle, interleave: Interleave) -> TensorMap {
    let inner = random_inner(random, element, swizzle, interleave);
    let mut sizes = vec![0u64; rank];
    for size in &mut sizes {
        *size = 1 + random.below(9);
    }
    sizes[0] = match element {
        _ if interleave != Interleave::None => 1 + random.below(5),
        Element::B4 => 2 * (1 + random.below(80)),
        Element::B4Padded | Element::B6Padded => 128 * (1 + random.below(3)),
        _ => 1 + random.below(2 * u64::from(inner)),
    };
    let window = Window::Tiled {
        size: [
            inner,
            1 + random.below(6) as u32,
            1 + random.below(4) as u32,
            1 + random.below(3) as u32,
            1 + random.below(3) as u32,
        ],
    };
    let mut map = TensorMap { interleave, swizzle, ..TensorMap::dense(element, 0x7f00_0000_1000, &sizes, window) };
    map.strides = map.dense_strides().map(|stride| stride.next_multiple_of(32) + 32 * random.below(3));
    for step in &mut map.steps {
        *step = random.of(&[1, 1, 1, 2, 3, 8]);
    }
    if element.is_float() && random.below(2) == 0 {
        map.fill = Fill::Nan;
    }
    map.promotion = random.of(Promotion::ALL);
    map
}

/// How many elements of dimension 0 are reached at once.
fn random_inner(random: &mut Random, element: Element, swizzle: Swizzle, interleave: Interleave) -> u32 {
    if interleave != Interleave::None {
        return 1 + random.below(4) as u32;
    }
    if element.is_padded() {
        return 128;
    }
    let most = u64::from(swizzle.span().unwrap_or(160).min(256 * element.bits() / 8)) / 16;
    (1 + random.below(most)) as u32 * 128 / element.bits()
}

fn coordinate(random: &mut Random, map: &TensorMap, dimension: usize, extent: u32) -> i32 {
    let (size, extent) = (map.sizes[dimension] as i64, i64::from(extent));
    let anywhere = random.between(-extent - 2, size + 2);
    let multiple = match map.element {
        _ if dimension != 0 || map.interleave != Interleave::None => 1,
        Element::B4 => 2,
        Element::B4Padded | Element::B6Padded => 128,
        _ => 1,
    };
    (random.of(&[0, anywhere, anywhere, size - extent]) / multiple * multiple) as i32
}

#[test]
fn tiles_are_as_the_reference_has_them() {
    let mut random = Random(1);
    let mut seen = BTreeMap::new();
    for rank in 1..=5 {
        for element in Element::ALL {
            for swizzle in Swizzle::all() {
                for interleave in Interleave::ALL {
                    for _ in 0..6 {
                        let map = random_map(&mut random, rank, *element, swizzle, *interleave);
                        let Ok(bytes) = map.encode() else { continue };
                        assert_eq!(TensorMap::decode(&bytes), Ok(map));
                        let Window::Tiled { size } = map.window else { unreachable!() };
                        let at: Vec<i32> = (0..rank).map(|d| coordinate(&mut random, &map, d, size[d])).collect();
                        let load_only = *element == Element::B6Padded && swizzle == Swizzle::B128Atom64;
                        let direction = if load_only { Direction::Store } else { Direction::Load };
                        let at = if load_only { at.iter().map(|c| (*c).max(0)).collect() } else { at };
                        compare(&map, direction, Mode::Tile, &at, [0; 3]);
                        compare_store(&map, &at);
                        *seen.entry((rank, *element as u8, swizzle.name(), interleave.name())).or_insert(0) += 1;
                    }
                }
            }
        }
    }
    // Each of 13 types and the dense one of 4 bits goes with each of 8 swizzles in 5 ranks; the padded ones with 3 and 4. Interleaved
    // layouts have 3 ranks: 14 types with 7 swizzles for 16 bytes, with one for 32.
    assert_eq!(seen.len(), 5 * (14 * 8 + 3 + 4) + 3 * (14 * 7 + 14));
}

/// Every place of a box of 3 by 2 rows in and around a tensor of 5 by 3, with every element stride.
#[test]
fn all_positions_of_a_small_box() {
    for swizzle in Swizzle::all() {
        for steps in [[1, 1], [1, 2], [2, 1], [3, 2]] {
            let mut map = TensorMap::tiled(Element::F64, 0x1000, &[8, 5, 3], &[4, 3, 2]);
            (map.swizzle, map.steps[1], map.steps[2]) = (swizzle, steps[0], steps[1]);
            map.check().unwrap();
            for x in -5..10 {
                for y in -4..7 {
                    for z in -3..5 {
                        compare(&map, Direction::Load, Mode::Tile, &[x, y, z], [0; 3]);
                    }
                }
            }
        }
    }
}

fn random_images(random: &mut Random, rank: usize, element: Element, swizzle: Swizzle, interleave: Interleave) -> TensorMap {
    let mut map = random_map(random, rank, element, swizzle, interleave);
    let (mut lower, mut upper) = ([0; 3], [0; 3]);
    for i in 0..rank - 2 {
        let size = map.sizes[i + 1] as i64;
        lower[i] = random.between(-3, 2) as i32;
        upper[i] = random.between((i64::from(lower[i]) - size + 1).max(-4), 3) as i32;
    }
    let channels = random_inner(random, element, swizzle, interleave);
    map.window = Window::Im2col { lower, upper, channels, pixels: 1 + random.below(70) as u32 };
    map
}

fn pixel(random: &mut Random, map: &TensorMap, lower: [i32; 3], upper: [i32; 3], channels: u32) -> Vec<i32> {
    let mut at = vec![coordinate(random, map, 0, channels)];
    for i in 0..map.rank - 2 {
        at.push(random.between(i64::from(lower[i]), map.sizes[i + 1] as i64 - 1 + i64::from(upper[i])) as i32);
    }
    at.push(random.between(-1, map.sizes[map.rank - 1] as i64) as i32);
    at
}

#[test]
fn images_are_as_the_reference_has_them() {
    let (mut random, mut compared) = (Random(2), 0);
    for rank in 3..=5 {
        for element in Element::ALL {
            for swizzle in Swizzle::all() {
                for interleave in Interleave::ALL {
                    for _ in 0..3 {
                        let map = random_images(&mut random, rank, *element, swizzle, *interleave);
                        let Ok(bytes) = map.encode() else { continue };
                        assert_eq!(TensorMap::decode(&bytes), Ok(map));
                        let Window::Im2col { lower, upper, channels, .. } = map.window else { unreachable!() };
                        let at = pixel(&mut random, &map, lower, upper, channels);
                        let offsets = [0, 1, 2].map(|i| if i < rank - 2 { random.below(4) as u32 } else { 0 });
                        if *element == Element::B6Padded && swizzle == Swizzle::B128Atom64 {
                            continue;
                        }
                        compare(&map, Direction::Load, Mode::Im2col, &at, offsets);
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 1500, "{compared}");
}

#[test]
fn images_along_w_are_as_the_reference_has_them() {
    let (mut random, mut compared) = (Random(3), 0);
    for rank in 3..=5 {
        for element in Element::ALL {
            for swizzle in [Swizzle::B64, Swizzle::B96, Swizzle::B128, Swizzle::B128Atom32] {
                for fixed in [false, true] {
                    for _ in 0..3 {
                        let mut map = random_images(&mut random, rank, *element, swizzle, Interleave::None);
                        let Window::Im2col { lower, upper, channels, pixels } = map.window else { unreachable!() };
                        map.window = Window::Wide { lower: lower[0], upper: upper[0], channels, pixels, fixed };
                        let Ok(bytes) = map.encode() else { continue };
                        assert_eq!(TensorMap::decode(&bytes), Ok(map));
                        let mut at = pixel(&mut random, &map, lower, upper, channels);
                        // Left of the box, and images at any place of H and D.
                        at[1] -= random.below(4) as i32;
                        (2..rank - 1).for_each(|d| at[d] = random.between(-1, map.sizes[d] as i64) as i32);
                        let offsets = [random.below(5) as u32, random.below(3) as u32, 0];
                        if *element == Element::B6Padded && swizzle == Swizzle::B64 {
                            continue;
                        }
                        let mode = if fixed { Mode::Im2colW128 } else { Mode::Im2colW };
                        compare(&map, Direction::Load, mode, &at, offsets);
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 700, "{compared}");
}

#[test]
fn four_rows_are_as_the_reference_has_them() {
    let mut random = Random(4);
    for element in Element::ALL {
        for swizzle in Swizzle::all() {
            for _ in 0..8 {
                let mut map = random_map(&mut random, 2, *element, swizzle, Interleave::None);
                let Window::Tiled { size } = map.window else { unreachable!() };
                map.window = Window::Tiled { size: [size[0], 1, 1, 1, 1] };
                if map.check().is_err() || *element == Element::B6Padded && swizzle == Swizzle::B128Atom64 {
                    continue;
                }
                let mut at = vec![coordinate(&mut random, &map, 0, size[0])];
                (0..4).for_each(|_| at.push(random.between(-2, map.sizes[1] as i64 + 1) as i32));
                compare(&map, Direction::Load, Mode::Rows, &at, [0; 3]);
            }
        }
    }
}

/// PTX ISA 9.4, figure 10: rows 2, 5, 0 and 9 from column 1 on.
#[test]
fn gather4_as_in_the_figure() {
    let map = TensorMap::tiled(Element::U32, 0, &[16, 12], &[4, 1]);
    let copy = Copy::new(&map, Direction::Load, Mode::Rows, &[1, 2, 5, 0, 9], [0; 3]).unwrap();
    let row = |y: u64, shared| Run { global: Some(y * 64 + 4), shared, bytes: 16 };
    assert_eq!(runs(&copy, 0), [row(2, 0), row(5, 16), row(0, 32), row(9, 48)]);
    assert_eq!(copy.bytes(), 64);
}

/// The pixels of a copy, by the numbers that they would have in images of 4 by 4 that begin with 1; 0 outside.
fn numbers(map: &TensorMap, at: [i32; 4], offsets: [u32; 3]) -> Vec<u64> {
    let copy = Copy::new(map, Direction::Load, Mode::Im2col, &at, offsets).unwrap();
    let bytes = moved(&copy, 0);
    let address = map.address;
    (0..16).map(|pixel| bytes[&(pixel * 128)].map_or(0, |at| (at - address) / 128 + 1)).collect()
}

/// What an H100 gave for images of 4 by 4 pixels with 32 channels (Triton's Gluon tutorial on im2col prints it).
#[test]
fn images_as_hardware_gives_them() {
    let map = |images: u64, corner: i32| {
        let window = Window::Im2col { lower: [corner; 3], upper: [corner; 3], channels: 32, pixels: 16 };
        TensorMap::dense(Element::F32, 0x10000, &[32, 4, 4, images], window)
    };
    let count = |from: u64| (from..from + 16).collect::<Vec<_>>();
    assert_eq!(numbers(&map(1, 0), [0, 0, 0, 0], [0; 3]), count(1));
    assert_eq!(numbers(&map(1, -1), [0, -1, -1, 0], [0; 3]), [0, 0, 0, 0, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11]);
    assert_eq!(numbers(&map(1, -1), [0, -1, -1, 0], [1, 1, 0]), count(1));
    assert_eq!(numbers(&map(2, 0), [0, 3, 1, 0], [0; 3]), count(8));
    assert_eq!(numbers(&map(2, -1), [0, 2, 1, 0], [0; 3]), [7, 0, 9, 10, 11, 0, 0, 0, 0, 0, 17, 18, 19, 0, 21, 22]);
}

/// The first byte of every pixel of a copy of f16 images, as W, H and N; none outside of the tensor.
fn places(map: &TensorMap, mode: Mode, at: &[i32], offsets: [u32; 3]) -> Vec<Option<[u64; 3]>> {
    let copy = Copy::new(map, Direction::Load, mode, at, offsets).unwrap();
    let channels = match map.window {
        Window::Im2col { channels, .. } | Window::Wide { channels, .. } => channels,
        Window::Tiled { .. } => unreachable!(),
    };
    let (row, mut first) = (channels * 2, BTreeMap::new());
    let (pixel, width, height) = (map.strides[0], map.sizes[1], map.sizes[2]);
    for (place, source) in moved(&copy, 0) {
        let (line, chunk) = (place / row, place % row);
        let wanted = reference::swizzled(map.swizzle, line * row);
        if place == wanted || map.swizzle == Swizzle::None && chunk == 0 {
            first.insert(line, source.map(|at| [at / pixel % width, at / pixel / width % height, at / pixel / width / height]));
        }
    }
    first.into_values().collect()
}

/// The examples of PTX ISA 9.4, 5.5.4. Sizes are C, W, H, N; coordinates are told as N, H, W, C there, and in reverse by instructions.
#[test]
fn images_as_in_the_figures() {
    let map = |w: u64, corners: [i32; 2], channels: u32, pixels: u32, step: u32| {
        let window = Window::Im2col { lower: [corners[0]; 3], upper: [corners[1]; 3], channels, pixels };
        let mut map = TensorMap::dense(Element::F16, 0, &[64, w, 14, 64], window);
        (map.steps[1], map.steps[2]) = (step, step);
        map
    };
    let line = |from: u64, to: u64, h: u64, n: u64| (from..=to).map(move |w| Some([w, h, n]));
    // Corners -1 and -1: W from -1 to 7, H from -1 to 12. From W 4, H 7 of image 7 on, 64 pixels of 8 channels.
    let first = places(&map(9, [-1, -1], 8, 64, 1), Mode::Im2col, &[0, 4, 7, 7], [0; 3]);
    let mut wanted: Vec<_> = line(4, 7, 7, 7).collect();
    for h in 8..=12 {
        wanted.push(None);
        wanted.extend(line(0, 7, h, 7));
    }
    wanted.extend([None; 9]);
    wanted.push(None);
    wanted.extend(line(0, 4, 0, 8));
    assert_eq!(first, wanted);
    // Corners 0 and -2, offsets 2 and 2: W from 2 to 8, H from 2 to 13.
    let second = places(&map(9, [0, -2], 8, 64, 1), Mode::Im2col, &[0, 4, 7, 7], [2, 2, 0]);
    let mut wanted: Vec<_> = line(6, 8, 9, 7).collect();
    (10..=13).for_each(|h| wanted.extend(line(2, 8, h, 7)));
    (2..=5).for_each(|h| wanted.extend(line(2, 8, h, 8)));
    wanted.extend(line(2, 6, 6, 8));
    assert_eq!(second, wanted);
    // Figure 15: element strides 2, offsets 1 and 1.
    let third = places(&map(8, [-1, -1], 16, 32, 2), Mode::Im2col, &[0, 5, 7, 7], [1, 1, 0]);
    let even = |h: u64, n: u64| [0, 2, 4, 6].map(|w| Some([w, h, n]));
    let mut wanted = vec![Some([6, 8, 7])];
    [10, 12].iter().for_each(|h| wanted.extend(even(*h, 7)));
    [0, 2, 4, 6, 8].iter().for_each(|h| wanted.extend(even(*h, 8)));
    wanted.extend([0, 2, 4].map(|w| Some([w, 10, 8])));
    assert_eq!(third, wanted);
}

/// The examples of PTX ISA 9.4, 5.5.5.3 and 5.5.5.4: a convolution with a filter of 3 by 3 that is moved by 2 or 3 pixels takes from the
/// buffers with offsets 0, 1 and 2 what it needs at each place of the filter.
#[test]
fn images_along_w_as_in_the_examples() {
    let map = |w: u64, h: u64, corners: [i32; 2], step: u32, fixed: bool| {
        let [lower, upper] = corners;
        let window = Window::Wide { lower, upper, channels: 64, pixels: 128, fixed };
        let mut map = TensorMap::dense(Element::F16, 0, &[128, w, h, 64], window);
        (map.steps[1], map.swizzle) = (step, Swizzle::B128);
        map
    };
    // 128 pixels and two more; H stays, images follow each other.
    let halo = places(&map(9, 7, [0, 0], 1, false), Mode::Im2colW, &[0, 3, 2, 7], [2, 0, 0]);
    assert_eq!(halo.len(), 130);
    let all: Vec<_> = (7..).flat_map(|n| (0..9).map(move |w| Some([w, 2, n]))).skip(3).take(132).collect();
    assert_eq!(halo, all[..130]);
    // Two more after every 32, which the next 32 begin with.
    let halos = places(&map(9, 7, [0, 0], 1, true), Mode::Im2colW128, &[0, 3, 2, 7], [2, 0, 0]);
    let wanted: Vec<_> = [0, 32, 64, 96].iter().flat_map(|i| all[*i..i + 34].to_vec()).collect();
    assert_eq!(halos, wanted);
    // Example 1: steps of 2.
    let example = map(9, 67, [-1, 0], 2, false);
    let first = places(&example, Mode::Im2colW, &[0, -1, 2, 7], [1, 0, 0]);
    assert_eq!((first.len(), &first[..7]), (129, &[None, at(1, 7), at(3, 7), at(5, 7), at(7, 7), None, at(1, 8)][..]));
    let second = places(&example, Mode::Im2colW, &[0, -1, 2, 7], [0, 1, 0]);
    assert_eq!((second.len(), &second[..6]), (128, &[at(0, 7), at(2, 7), at(4, 7), at(6, 7), at(8, 7), at(0, 8)][..]));
    // Example 2: steps of 3.
    let example = map(7, 7, [-1, -1], 3, false);
    let buffer = |offset| places(&example, Mode::Im2colW, &[0, -1, 2, 7], [0, offset, 0])[..4].to_vec();
    assert_eq!(buffer(0), [None, at(2, 7), at(5, 7), None]);
    assert_eq!(buffer(1), [at(0, 7), at(3, 7), at(6, 7), at(0, 8)]);
    assert_eq!(buffer(2), [at(1, 7), at(4, 7), None, at(1, 8)]);
}

fn at(w: u64, n: u64) -> Option<[u64; 3]> {
    Some([w, 2, n])
}

/// A convolution's output has so many pixels in a dimension (CUTLASS computes it so): each image has that many in the column.
#[test]
fn strided_windows_have_the_pixels_of_the_output() {
    for (size, lower, upper, step) in [(8i64, -1i64, -1i64, 2i64), (9, -1, 0, 2), (7, -1, -1, 3), (5, 0, -2, 1), (6, -2, 2, 4)] {
        let window = Window::Im2col { lower: [lower as i32; 3], upper: [upper as i32; 3], channels: 8, pixels: 200 };
        let mut map = TensorMap::dense(Element::F16, 0, &[64, size as u64, size as u64, 400], window);
        (map.steps[1], map.steps[2]) = (step as u32, step as u32);
        let found = places(&map, Mode::Im2col, &[0, lower as i32, lower as i32, 0], [0; 3]);
        let output = (size + upper - lower - 1) / step + 1;
        let image = found.iter().flatten().filter(|p| p[2] == 0).count();
        let inside = (0..output).filter(|i| (0..size).contains(&(lower + i * step))).count();
        assert_eq!(image, inside * inside);
        let next = found.iter().position(|p| p.is_some_and(|p| p[2] == 1)).unwrap() as i64;
        let before = (0..output).position(|i| lower + i * step >= 0).unwrap() as i64;
        assert_eq!(next, output * output + before * output + before);
    }
}

/// Where nothing prevents it, bytes stay together.
#[test]
fn runs_are_as_long_as_can_be() {
    let load = |map: &TensorMap, at: &[i32]| runs(&Copy::new(map, Direction::Load, Mode::Tile, at, [0; 3]).unwrap(), 0x400);
    // A box as wide as its tensor is one run.
    let map = TensorMap::tiled(Element::F16, 0x1000, &[64, 32, 8], &[64, 32, 4]);
    assert_eq!(load(&map, &[0, 0, 2]), [Run { global: Some(0x1000 + 2 * 4096), shared: 0x400, bytes: 16384 }]);
    // Half outside of it: two.
    assert_eq!(load(&map, &[0, 0, 6]).len(), 2);
    // All outside: one.
    assert_eq!(load(&map, &[0, 0, 8]), [Run { global: None, shared: 0x400, bytes: 16384 }]);
    // With a swizzle of 128 bytes, lines of a pattern are in 1, 8, 4, 8, 2, 8, 4 and 8 pieces.
    let map = TensorMap { swizzle: Swizzle::B128, ..map };
    assert_eq!(load(&map, &[0, 0, 0]).len(), 16384 / 1024 * 43);
    // Runs that could be joined are.
    let mut random = Random(5);
    for _ in 0..2000 {
        let rank = 1 + random.below(5) as usize;
        let map = random_map(&mut random, rank, Element::U16, Swizzle::None, Interleave::None);
        let at: Vec<i32> = (0..rank).map(|d| coordinate(&mut random, &map, d, 1)).collect();
        for pair in load(&map, &at).windows(2) {
            let after = pair[0].global.map(|at| at + u64::from(pair[0].bytes));
            assert!(pair[1].shared != pair[0].shared + pair[0].bytes || pair[1].global != after, "{pair:x?} {map:?} {at:?}");
        }
    }
}
