//! What a copy moves, byte by byte, written from the manual's description without regard to speed: every element of the box is
//! looked at by itself, swizzles are the manual's tables, pixels come from nested loops. Nothing of the implementation is used but
//! the fields of the map.

use machine::tensor::{Element, Interleave, Mode, Swizzle, TensorMap, Window};
use std::collections::BTreeMap;

/// Where a byte of shared memory comes from: an address, or none for what is outside of the tensor.
pub type Bytes = BTreeMap<u32, Option<u64>>;

/// Tables of PTX ISA 9.4, 5.5.7: for each 128-byte line of the pattern, which 16-byte chunk stands where.
const B32: &[[u32; 8]] = &[[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 3, 2, 5, 4, 7, 6]];
const B64: &[[u32; 8]] =
    &[[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 3, 2, 5, 4, 7, 6], [2, 3, 0, 1, 6, 7, 4, 5], [3, 2, 1, 0, 7, 6, 5, 4]];
const B128: &[[u32; 8]] = &[
    [0, 1, 2, 3, 4, 5, 6, 7],
    [1, 0, 3, 2, 5, 4, 7, 6],
    [2, 3, 0, 1, 6, 7, 4, 5],
    [3, 2, 1, 0, 7, 6, 5, 4],
    [4, 5, 6, 7, 0, 1, 2, 3],
    [5, 4, 7, 6, 1, 0, 3, 2],
    [6, 7, 4, 5, 2, 3, 0, 1],
    [7, 6, 5, 4, 3, 2, 1, 0],
];
const ATOM_32: &[[u32; 8]] =
    &[[0, 1, 2, 3, 4, 5, 6, 7], [2, 3, 0, 1, 6, 7, 4, 5], [4, 5, 6, 7, 0, 1, 2, 3], [6, 7, 4, 5, 2, 3, 0, 1]];
const ATOM_64: &[[u32; 8]] = &[[0, 1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 7, 0, 1, 2, 3]];

/// Where the byte of a linear address stands.
pub fn swizzled(swizzle: Swizzle, address: u32) -> u32 {
    let (table, flip) = match swizzle {
        Swizzle::None => return address,
        Swizzle::B32 | Swizzle::B96 => (B32, false),
        Swizzle::B64 => (B64, false),
        Swizzle::B128 => (B128, false),
        Swizzle::B128Atom32 => (ATOM_32, false),
        Swizzle::B128Atom32Flip8 => (ATOM_32, true),
        Swizzle::B128Atom64 => (ATOM_64, false),
    };
    let (line, chunk, byte) = (address / 128, address % 128 / 16, address % 16);
    let row = &table[line as usize % table.len()];
    let place = row.iter().position(|c| *c == chunk).unwrap() as u32;
    let byte = if flip && line % 2 == 1 { (byte + 8) % 16 } else { byte };
    line * 128 + place * 16 + byte
}

/// Bytes of a row in shared memory, and from row to row.
fn row(map: &TensorMap, elements: u32) -> (u32, u32) {
    let bytes = match (map.interleave, map.element) {
        (Interleave::Bytes16, _) => 16,
        (Interleave::Bytes32, _) => 32,
        (_, Element::B4Padded | Element::B6Padded) => elements,
        _ => elements * map.element.bits() / 8,
    };
    let span = match map.swizzle {
        Swizzle::None => 0,
        Swizzle::B32 => 32,
        Swizzle::B64 => 64,
        Swizzle::B96 => 96,
        _ => 128,
    };
    (bytes, if map.interleave == Interleave::None { bytes.max(span) } else { bytes })
}

/// One row of elements of dimension 0 (or one slice of it) at these coordinates of all dimensions.
fn put_row(map: &TensorMap, out: &mut Bytes, shared: u32, linear: u32, at: [i64; 5], elements: u32) {
    let outer_inside = (1..map.rank).all(|d| at[d] >= 0 && at[d] < map.sizes[d] as i64);
    let mut base = map.address as i64;
    for (d, c) in at.iter().enumerate().take(map.rank).skip(1) {
        let stride = match map.interleave {
            Interleave::Bytes16 if d == 1 => 16,
            Interleave::Bytes32 if d == 1 => 32,
            _ => map.strides[d - 1] as i64,
        };
        base += c * stride;
    }
    let mut put = |place: u32, source: Option<i64>| {
        let place = swizzled(map.swizzle, shared + linear + place);
        assert!(out.insert(place, source.map(|s| s as u64)).is_none(), "byte {place} is written twice");
    };
    if map.interleave != Interleave::None {
        let bytes = if map.interleave == Interleave::Bytes16 { 16 } else { 32 };
        let inside = outer_inside && at[0] >= 0 && at[0] < map.sizes[0] as i64;
        for byte in 0..bytes {
            put(byte, inside.then(|| base + at[0] * map.strides[0] as i64 + i64::from(byte)));
        }
        return;
    }
    let bits = i64::from(map.element.bits());
    // So many elements fill whole bytes in both memories: place and bytes of a group.
    let (group, global, spread) = match map.element {
        Element::B4 => (2, 1, 1),
        Element::B4Padded => (16, 8, 16),
        Element::B6Padded => (16, 12, 16),
        _ => (1, bits / 8, bits / 8),
    };
    for g in 0..i64::from(elements) / group {
        let c = at[0] + g * group;
        let inside = outer_inside && c >= 0 && c < map.sizes[0] as i64;
        for byte in 0..global {
            put((g * spread + byte) as u32, inside.then(|| base + c * bits / 8 + byte));
        }
    }
}

/// All coordinates that a box has in a dimension.
fn steps(map: &TensorMap, dimension: usize, at: i64, extent: u32) -> Vec<i64> {
    let step = if dimension == 0 && map.interleave == Interleave::None { 1 } else { map.steps[dimension] };
    (0..extent).step_by(step as usize).map(|i| at + i64::from(i)).collect()
}

fn tile(map: &TensorMap, at: [i64; 5], size: [u32; 5], shared: u32) -> Bytes {
    let (mut out, (_, pitch), mut linear) = (Bytes::new(), row(map, size[0]), 0);
    let all: Vec<Vec<i64>> = (0..5).map(|d| if d < map.rank { steps(map, d, at[d], size[d]) } else { vec![0] }).collect();
    let interleaved = map.interleave != Interleave::None;
    // Slower dimensions outside; in interleaved layouts slices are between the last and the others.
    let last = map.rank - 1;
    let order: Vec<usize> = match interleaved {
        true => std::iter::once(last).chain([0]).chain((1..last).rev()).collect(),
        false => (1..map.rank).rev().collect(),
    };
    let mut all_rows = vec![[at[0], 0, 0, 0, 0]];
    for d in order {
        all_rows = all_rows
            .iter()
            .flat_map(|row| {
                all[d].iter().map(move |c| {
                    let mut row = *row;
                    row[d] = *c;
                    row
                })
            })
            .collect();
    }
    for coordinates in all_rows {
        put_row(map, &mut out, shared, linear, coordinates, size[0]);
        linear += pitch;
    }
    out
}

/// The first `count` pixels (W, H, D, N) from the first one on.
fn pixels(map: &TensorMap, at: [i64; 5], lower: [i64; 3], upper: [i64; 3], wide: bool, count: usize) -> Vec<[i64; 4]> {
    let spatial = map.rank - 2;
    let mut found = Vec::new();
    let bound = |i: usize| match i < spatial && (!wide || i == 0) {
        true => (lower[i], upper[i], i64::from(map.steps[i + 1])),
        false => (if i < spatial { at[i + 1] } else { 0 }, if i < spatial { at[i + 1] } else { 0 }, 1),
    };
    let start = |i: usize, first: bool| if first && i < spatial { at[i + 1] } else { bound(i).0 };
    let (mut n, mut first) = (at[map.rank - 1], [true; 3]);
    while found.len() < count {
        let mut d = start(2, first[2]);
        first[2] = false;
        while d <= bound(2).1 {
            let mut h = start(1, first[1]);
            first[1] = false;
            while h <= bound(1).1 {
                let mut w = start(0, first[0]);
                first[0] = false;
                while w <= bound(0).1 {
                    found.push([w, h, d, n]);
                    w += bound(0).2;
                }
                h += bound(1).2;
            }
            d += bound(2).2;
        }
        n += 1;
    }
    found.truncate(count);
    found
}

/// Puts pixels one after the other, once for each slice.
fn columns(map: &TensorMap, at: i64, channels: u32, pixels: &[[i64; 4]], shared: u32) -> Bytes {
    let (mut out, (_, pitch), mut linear) = (Bytes::new(), row(map, channels), 0);
    let slices = if map.interleave == Interleave::None { vec![at] } else { steps(map, 0, at, channels) };
    for slice in slices {
        for pixel in pixels {
            let mut coordinates = [slice, 0, 0, 0, 0];
            coordinates[1..map.rank - 1].copy_from_slice(&pixel[..map.rank - 2]);
            coordinates[map.rank - 1] = pixel[3];
            put_row(map, &mut out, shared, linear, coordinates, channels);
            linear += pitch;
        }
    }
    out
}

/// Every byte of shared memory that a copy touches, and what belongs there.
pub fn bytes(map: &TensorMap, mode: Mode, at: &[i32], offsets: [u32; 3], shared: u32) -> Bytes {
    let mut place = [0i64; 5];
    at.iter().enumerate().for_each(|(i, c)| place[i] = i64::from(*c));
    match (mode, map.window) {
        (Mode::Tile, Window::Tiled { size }) => tile(map, place, size, shared),
        (Mode::Rows, Window::Tiled { size }) => {
            let mut out = Bytes::new();
            for i in 0..4 {
                let (_, pitch) = row(map, size[0]);
                put_row(map, &mut out, shared, i as u32 * pitch, [place[0], place[1 + i], 0, 0, 0], size[0]);
            }
            out
        }
        (Mode::Im2col, Window::Im2col { lower, upper, channels, pixels: count }) => {
            let last = |i: usize| if i < map.rank - 2 { map.sizes[i + 1] as i64 - 1 } else { 0 };
            let low = [0, 1, 2].map(|i| i64::from(lower[i]));
            let high = [0, 1, 2].map(|i| last(i) + i64::from(upper[i]));
            let found = pixels(map, place, low, high, false, count as usize);
            let moved: Vec<[i64; 4]> = found
                .iter()
                .map(|p| [p[0] + i64::from(offsets[0]), p[1] + i64::from(offsets[1]), p[2] + i64::from(offsets[2]), p[3]])
                .collect();
            columns(map, place[0], channels, &moved, shared)
        }
        (_, Window::Wide { lower, upper, channels, pixels: count, fixed }) => {
            let [halo, offset] = [offsets[0] as usize, offsets[1] as usize];
            let shift = offset as i64;
            place[1] += shift;
            let low = [i64::from(lower) + shift, 0, 0];
            let high = [map.sizes[1] as i64 - 1 + i64::from(upper) + shift, 0, 0];
            let found = pixels(map, place, low, high, true, 256);
            let chosen = match fixed {
                false => found[..count as usize + halo].to_vec(),
                true => [0, 32, 64, 96].iter().flat_map(|i| found[*i..i + 32 + halo].to_vec()).collect(),
            };
            columns(map, place[0], channels, &chosen, shared)
        }
        _ => panic!("{mode:?} does not go with {:?}", map.window),
    }
}
