//! How fast boxes of 64 KB are copied from a tensor that is wider than they are: the runs of a copy, each moved by the host's memcpy; and
//! in two halves with an image of the box between them. Prints GB/s of one core, the best of several rounds.
//!
//!     cargo bench -p machine --bench tensor

#[path = "../../ptx/benches/support/mod.rs"]
#[allow(dead_code)]
mod clock;

use machine::tensor::{Copy, Direction, Element, Interleave, Mode, Run, Swizzle, TensorMap, Window};
use std::hint::black_box;

const BYTES: usize = 64 << 10;
const ROUNDS: usize = 10;
/// The clock ticks slowly: so many copies make a round.
const TIMES: usize = 2000;

/// Copies the box over and over and prints the speed.
fn time(name: &str, map: &TensorMap, mode: Mode, at: &[i32]) {
    let size = map.strides.iter().zip(&map.sizes[1..]).map(|(stride, size)| stride * size).max().unwrap_or(0);
    let global: Vec<u8> = (0..size).map(|i| i as u8).collect();
    let (mut shared, mut count) = (vec![0u8; 256 << 10], 0);
    let copy = |shared: &mut [u8], count: &mut usize| {
        let copy = Copy::new(map, Direction::Load, mode, at, [0; 3]).expect("a copy");
        assert_eq!(copy.bytes() as usize, BYTES);
        let done: Result<(), ()> = copy.each(0, |Run { global: from, shared: to, bytes }| {
            let (to, bytes) = (to as usize, bytes as usize);
            match from {
                Some(from) => shared[to..to + bytes].copy_from_slice(&global[from as usize..from as usize + bytes]),
                None => shared[to..to + bytes].fill(0),
            }
            *count += 1;
            Ok(())
        });
        black_box(done).expect("no run is refused");
    };
    copy(&mut shared, &mut count);
    let halves = |shared: &mut [u8], image: &mut Vec<u8>| {
        let copy = Copy::new(map, Direction::Load, mode, at, [0; 3]).expect("a copy");
        let read = |from: u64, to: &mut [u8]| {
            to.copy_from_slice(&global[from as usize..from as usize + to.len()]);
            Ok::<_, ()>(())
        };
        let write = |to: u32, from: &[u8]| {
            shared[to as usize..to as usize + from.len()].copy_from_slice(from);
            Ok(())
        };
        let done = copy.read_global(image, read).and_then(|()| copy.write_shared(0, image, write));
        black_box(done).expect("no range is refused");
    };
    let image = std::cell::RefCell::new(Vec::new());
    let shared = std::cell::RefCell::new(shared);
    let seconds = clock::best(ROUNDS, || (0..TIMES).for_each(|_| copy(&mut shared.borrow_mut(), &mut 0)));
    let apart = clock::best(ROUNDS, || (0..TIMES).for_each(|_| halves(&mut shared.borrow_mut(), &mut image.borrow_mut())));
    let speed = |seconds: f64| (BYTES * TIMES) as f64 / seconds / 1e9;
    println!("{name:38} {:6.2} GB/s, {count:5} runs; in halves {:6.2} GB/s", speed(seconds), speed(apart));
}

fn main() {
    let tiled = |swizzle| TensorMap { swizzle, ..TensorMap::tiled(Element::F16, 0, &[512, 512, 4], &[64, 256, 2]) };
    for swizzle in [Swizzle::None, Swizzle::B128, Swizzle::B128Atom32, Swizzle::B128Atom32Flip8, Swizzle::B128Atom64] {
        time(&format!("tile of 128-byte rows, {}", swizzle.name()), &tiled(swizzle), Mode::Tile, &[64, 8, 1]);
    }
    time("half of it outside", &tiled(Swizzle::B128), Mode::Tile, &[64, 384, 1]);
    let narrow = |swizzle: Swizzle, inner: u32| {
        let rows = BYTES as u32 / inner;
        let size = [inner / 2, rows.min(256), rows.div_ceil(256)];
        TensorMap { swizzle, ..TensorMap::tiled(Element::F16, 0, &[512, 512, 8], &size) }
    };
    time("tile of 32-byte rows, 32B", &narrow(Swizzle::B32, 32), Mode::Tile, &[64, 8, 0]);
    time("tile of 64-byte rows, 64B", &narrow(Swizzle::B64, 64), Mode::Tile, &[64, 8, 0]);
    time("tile of 512-byte rows, none", &narrow(Swizzle::None, 512), Mode::Tile, &[0, 8, 0]);
    let mut slices = TensorMap::tiled(Element::F16, 0, &[16, 128, 128], &[16, 64, 4]);
    (slices.interleave, slices.swizzle) = (Interleave::Bytes16, Swizzle::B128);
    slices.strides = slices.dense_strides();
    time("slices of 16 bytes, 128B", &slices, Mode::Tile, &[0, 8, 8]);
    let window = Window::Im2col { lower: [-1; 3], upper: [-1; 3], channels: 64, pixels: 512 };
    let images = TensorMap { swizzle: Swizzle::B128, ..TensorMap::dense(Element::F16, 0, &[128, 32, 32, 16], window) };
    time("512 pixels of 64 channels, 128B", &images, Mode::Im2col, &[0, -1, -1, 1]);
}
