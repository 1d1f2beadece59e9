//! Every spelling of the instructions for asynchronous work, barriers and clusters is executed, and what it does held against a plain reference: each direction
//! with each type and each modifier. The spellings come from the table: a new one without a scenario here, in a kernel of tests/kernels or in an example of its
//! record is a failure.
//!
//! Two blocks of a cluster execute one case after the other. In each, `src` and `dst` of both blocks' shared memory and 512 bytes of global memory get
//! their first contents, one thread of block 0 executes the instruction and waits for it, and both blocks write down what is there then. What boxes of
//! tensors are in detail (swizzles, types, strides) tests/kernels/tensors shows; here the elements are words. `LOCKSTEP_SPELLINGS=FOLDER` writes the
//! kernels there, for ptxas to judge.

use isa::{Match, Notation, OperandType, Part, Resolution, Table};
use lockstep::tensor::{Element, Fields, Swizzle, TensorMap, Window};
use lockstep::{Argument, Buffer, Device, Options, Policy, System};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The records, by the beginnings of their names.
const RECORDS: [&str; 20] = [
    "cp.async",
    "st.async",
    "red.async",
    "st.bulk",
    "cp.reduce.async",
    "mbarrier",
    "barrier.cluster",
    "mapa",
    "getctarank",
    "clusterlaunchcontrol",
    "multimem",
    "tensormap",
    "applypriority",
    "prefetch",
    "discard",
    "createpolicy",
    "griddepcontrol",
    "setmaxnreg",
    "elect",
    "fence",
];
/// Bytes of `src` and `dst` that are looked at, and of the part of global memory.
const SHARED: usize = 256;
const GLOBAL: usize = 512;
/// Bytes of what a case leaves: `dst` of both blocks, the part of global memory, words that it wrote itself.
const LEFT: usize = 2 * SHARED + GLOBAL + 64;
/// Cases of a kernel.
const CASES: usize = 100;
/// Devices behind a multicast address, and the bytes of each that a case has.
const DEVICES: usize = 2;
const REPLICA: usize = 256;

/// Formats of elements, each with contents of its own: small whole numbers, which all of them hold exactly.
const FORMATS: [&str; 13] = ["u32", "s32", "u64", "s64", "b8", "b16", "f16", "bf16", "f32", "f64", "e5m2", "e4m3", "b128"];

/// How many bits a format has, and whether its numbers have a sign.
fn bits(format: &str) -> u32 {
    match format {
        "b8" | "e5m2" | "e4m3" => 8,
        "b16" | "f16" | "bf16" => 16,
        "u32" | "s32" | "f32" => 32,
        "b128" => 128,
        _ => 64,
    }
}

fn is_signed(format: &str) -> bool {
    matches!(format, "s32" | "s64" | "f16" | "bf16" | "f32" | "f64")
}

/// The bits of a whole number in a format.
fn encode(format: &str, value: i64) -> u64 {
    let (exponents, fraction) = match format {
        "f16" => (5, 10),
        "bf16" => (8, 7),
        "f32" => (8, 23),
        "f64" => (11, 52),
        "e5m2" => (5, 2),
        "e4m3" => (4, 3),
        _ => return value as u64,
    };
    if value == 0 {
        return 0;
    }
    let (sign, size) = (u64::from(value < 0), value.unsigned_abs());
    let top = size.ilog2();
    let exponent = u64::from(top) + (1 << (exponents - 1)) - 1;
    sign << (exponents + fraction) | exponent << fraction | (size ^ 1 << top) << (fraction - top)
}

fn put(format: &str, values: impl Iterator<Item = i64>) -> Vec<u8> {
    let size = bits(format) as usize / 8;
    values.flat_map(|value| i128::from(encode(format, value) as i64).to_le_bytes()[..size].to_vec()).collect()
}

/// The number at a place of what is to be copied, and of what is there before; of each device one of its own.
fn new_value(format: &str, i: usize) -> i64 {
    match format {
        "e5m2" | "e4m3" => 1 + i as i64 % 3,
        _ => (i as i64 * 7 + 3) % 13 - if is_signed(format) { 6 } else { 0 },
    }
}

fn old_value(format: &str, i: usize, device: usize) -> i64 {
    match format {
        "e5m2" | "e4m3" => 1 + (i + device) as i64 % 3,
        _ => (i as i64 * 5 + 1 + 3 * device as i64) % 11 - if is_signed(format) { 5 } else { 0 },
    }
}

fn contents(format: &str, bytes: usize, value: impl Fn(usize) -> i64) -> Vec<u8> {
    put(format, (0..bytes * 8 / bits(format) as usize).map(value))
}

/// What an operation makes of two numbers, in so many bits.
fn combine(op: &str, format: &str, old: i64, new: i64) -> i64 {
    let mask = if bits(format) < 64 { (1 << bits(format)) - 1 } else { u64::MAX };
    match op {
        "add" => old + new,
        "min" => old.min(new),
        "max" => old.max(new),
        "and" => old & new,
        "or" => old | new,
        "xor" => (old ^ new) & mask as i64,
        "inc" => {
            if old >= new {
                0
            } else {
                old + 1
            }
        }
        _ => {
            if old == 0 || old > new {
                new
            } else {
                old - 1
            }
        }
    }
}

/// The format of a type of an instruction: packed ones are several elements, bits are integers.
fn format_of(ty: &str) -> &'static str {
    match ty {
        "b32" => "u32",
        "b64" => "u64",
        "u16" | "s16" => "b16",
        "u8" | "s8" => "b8",
        "f16x2" => "f16",
        "bf16x2" => "bf16",
        "e5m2x2" | "e5m2x4" => "e5m2",
        "e4m3x2" | "e4m3x4" => "e4m3",
        other => FORMATS.iter().find(|format| **format == other).copied().unwrap_or("u32"),
    }
}

/// What a case executes, and what it must leave.
#[derive(Clone, Default)]
struct Case {
    /// The contents' format.
    format: &'static str,
    /// Lines that one thread of block 0 executes, or its whole warp, or the warps of both blocks.
    lines: Vec<String>,
    warp: bool,
    both: bool,
    /// Bytes that each block's memory barrier object is told of.
    bytes: [usize; 2],
    /// Whether the part of global memory is written when nobody waits any more: it is that of the result then.
    unseen: bool,
    /// `dst` of both blocks and the part of global memory, where they differ from the first contents.
    dst: [Option<Vec<u8>>; 2],
    global: Option<Vec<u8>>,
    /// What each device has.
    devices: Option<[Vec<u8>; DEVICES]>,
    /// What the case itself wrote.
    words: Vec<u8>,
}

/// A spelling's settings, by key.
fn setting<'a>(m: &'a Match, key: &str) -> &'a str {
    m.setting(key).unwrap_or_default()
}

/// The word among these that a spelling has.
fn word<'a>(m: &Match, words: &[&'a str]) -> &'a str {
    words.iter().find(|word| m.has(&format!(".{word}"))).copied().unwrap_or_default()
}

const OPERATIONS: [&str; 8] = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];
const TYPES: [&str; 25] = [
    "u32", "s32", "u64", "s64", "b8", "b16", "b32", "b64", "b128", "u8", "s8", "u16", "s16", "f16", "bf16", "f32", "f64",
    "f16x2", "bf16x2", "e5m2", "e4m3", "e5m2x2", "e5m2x4", "e4m3x2", "e4m3x4",
];

/// The operands of a variant as text; `name` gives each part its text.
fn operands(m: &Match, variant: &[usize], name: impl Fn(&Part) -> String) -> String {
    let operand = |i: &usize| {
        let parts: Vec<String> = m.operands[*i].parts.iter().map(&name).collect();
        match m.operands[*i].notation {
            Notation::Address | Notation::AddressList => format!("[{}]", parts.join(", ")),
            Notation::Pair | Notation::OptionalPair => parts.join("|"),
            _ => parts.concat(),
        }
    };
    format!("{} {};", m.opcode(), variant.iter().map(operand).collect::<Vec<_>>().join(", "))
}

/// `dst`, or the part of global memory, with these bytes at its start.
fn changed(format: &str, len: usize, bytes: &[u8]) -> Vec<u8> {
    let mut all = contents(format, len, |i| old_value(format, i, 0));
    all[..bytes.len()].copy_from_slice(bytes);
    all
}

/// Text of numbers in braces.
fn braces<T: ToString>(numbers: &[T]) -> String {
    format!("{{{}}}", numbers.iter().map(T::to_string).collect::<Vec<_>>().join(", "))
}

const COMMIT: [&str; 2] = ["cp.async.bulk.commit_group;", "cp.async.bulk.wait_group 0;"];

/// Where a copy goes: which blocks get it, and which objects are told how often.
fn targets(m: &Match) -> ([bool; 2], [usize; 2]) {
    let multicast = m.words.iter().any(|word| word.starts_with(".multicast"));
    match setting(m, "space") {
        "shared" => ([true, false], [1, 0]),
        // Of a pair of blocks the object is the one that was named.
        "shared_cluster" if multicast && m.has(".cta_group::2") => ([true, true], [2, 0]),
        "shared_cluster" if multicast => ([true, true], [1, 1]),
        "shared_cluster" => ([false, true], [0, 1]),
        _ => ([false, false], [0, 0]),
    }
}

/// Copies and reductions of ranges.
fn bulk(m: &Match, variant: &[usize], case: &mut Case) {
    let reduces = m.function() == Some("bulk::reduce");
    let ty = if reduces { word(m, &TYPES) } else { "u32" };
    let (format, size) = (format_of(ty), 128);
    let (blocks, told) = targets(m);
    let (to, bar) = if blocks == [false, true] { ("%peer_dst", "%peer_bar") } else { ("%dst", "%bar") };
    let from = if setting(m, "source") == "shared" { "%src" } else { "%x" };
    let text = operands(m, variant, |part| {
        let own = match part.name {
            "to" if setting(m, "space") == "global" => "%y",
            "to" => to,
            "from" => from,
            "bar" => bar,
            "size" => "128",
            "left" => "5",
            "right" => "9",
            "mask" => "3",
            "policy" => "%policy",
            "bytes" => "3855",
            other => panic!("{other}"),
        };
        own.to_owned()
    });
    case.format = format;
    let mut moved = contents(format, size, |i| match reduces {
        true => combine(word(m, &OPERATIONS), format, old_value(format, i, 0), new_value(format, i)),
        false => new_value(format, i),
    });
    let old = contents(format, size, |i| old_value(format, i, 0));
    if m.has(".ignore_oob") {
        moved[..5].copy_from_slice(&old[..5]);
        moved[size - 9..].copy_from_slice(&old[size - 9..]);
    }
    if m.has(".cp_mask") {
        (0..size).filter(|i| 3855 >> (i % 16) & 1 == 0).for_each(|i| moved[i] = old[i]);
    }
    case.lines.push(text);
    if told == [0, 0] {
        case.lines.extend(COMMIT.map(str::to_owned));
        case.global = Some(changed(format, GLOBAL, &moved));
    }
    case.bytes = told.map(|times| times * size);
    case.dst = blocks.map(|gets| gets.then(|| changed(format, SHARED, &moved)));
}

/// Sizes of the tensors, first dimension first, of tiles and of images.
const TILED: [i32; 5] = [8, 2, 2, 2, 2];
const IMAGES: [[i32; 5]; 3] = [[4, 5, 3, 1, 1], [4, 3, 3, 2, 1], [4, 3, 2, 2, 2]];
/// What operands say in place of a map's sizes; the strides stay the map's.
const OVERRIDDEN: [i32; 5] = [6, 2, 1, 2, 2];
/// Elements of a tile's dimensions, and of images' pixels how many there are.
const TILE: [u32; 5] = [4, 2, 2, 2, 1];
const PIXELS: u32 = 7;
/// Maps of each tensor: tiles of five ranks, rows, images of three ranks in three ways.
const MAPS: usize = 15;

/// The maps of a tensor at the start of a buffer. What is stored has no room for a filter beyond its pixels.
fn maps(buffer: &Buffer<u8>, stored: bool) -> Vec<u8> {
    let unsigned = |sizes: &[i32]| sizes.iter().map(|n| *n as u64).collect::<Vec<_>>();
    let mut all: Vec<TensorMap> =
        (1..=5).map(|n| TensorMap::tiled(buffer, Element::U32, &unsigned(&TILED[..n]), &TILE[..n])).collect();
    all.push(TensorMap::tiled(buffer, Element::U32, &[8, 8], &[4, 1]));
    for kind in 0..3 {
        for (i, sizes) in IMAGES.iter().enumerate() {
            let corner = if stored { 0 } else { -1 };
            let upper = std::array::from_fn(|d| if d <= i { corner } else { 0 });
            let window = match kind {
                0 => Window::Im2col { lower: [0; 3], upper, channels: 4, pixels: PIXELS },
                _ => Window::Wide { lower: 0, upper: 0, channels: 4, pixels: PIXELS, fixed: kind == 2 },
            };
            let map = TensorMap::new(buffer, Fields::dense(Element::U32, 0, &unsigned(&sizes[..i + 3]), window));
            all.push(if kind > 0 { map.swizzle(Swizzle::B64) } else { map });
        }
    }
    all.iter().flat_map(|map| map.encode().unwrap_or_else(|e| panic!("{e}"))).collect()
}

/// How a spelling reaches into a tensor: its map, its coordinates, its offsets, and for each element of the box the word of the tensor, if it is inside.
fn reach(m: &Match) -> (usize, Vec<i32>, Vec<i32>, Vec<Option<usize>>) {
    let rank = (1..=5).find(|rank| m.has(&format!(".{rank}d"))).unwrap_or(1);
    let mode = setting(m, "mode");
    let shift = if m.has(".override::global_address") { 4 } else { 0 };
    let inside = |at: &[i32], sizes: &[i32], pitches: &[i32]| {
        let within = at.iter().zip(sizes).all(|(at, size)| (0..*size).contains(at));
        within.then(|| shift + at.iter().zip(pitches).map(|(at, pitch)| at * pitch).sum::<i32>() as usize)
    };
    if mode.ends_with('4') {
        let at = vec![4, 1, 7, 0, 9];
        let rows = at[1..].iter().flat_map(|row| (0..4).map(move |x| [4 + x, *row]));
        return (5, at.clone(), Vec::new(), rows.map(|at| inside(&at, &[8, 8], &[1, 8])).collect());
    }
    if !mode.starts_with("im2col") {
        let whole = m.words.iter().any(|word| word.starts_with(".override::global_dim"));
        let (at, sizes) = if whole { ([0; 5], OVERRIDDEN) } else { ([4, 1, 1, 0, 0], TILED) };
        let count: u32 = TILE[..rank].iter().product();
        let element = |mut i: u32| {
            let index: Vec<i32> = (0..rank)
                .map(|d| {
                    let own = i % TILE[d];
                    i /= TILE[d];
                    at[d] + own as i32
                })
                .collect();
            inside(&index, &sizes[..rank], &[1, 8, 16, 32, 64])
        };
        return (rank - 1, at[..rank].to_vec(), Vec::new(), (0..count).map(element).collect());
    }
    let (sizes, spatial) = (&IMAGES[rank - 3][..rank], rank - 2);
    let at = [[0, 2, 1, 0, 0], [0, 1, 1, 0, 0], [0, 1, 0, 0, 0]][rank - 3][..rank].to_vec();
    let (wide, stored) = (mode.contains("::w"), mode.contains("no_offs"));
    let offsets = if stored { Vec::new() } else { vec![1; if wide { 2 } else { spatial }] };
    let (halo, corner, moving) =
        (i32::from(wide && !stored), if wide || stored { 0 } else { -1 }, if wide { 1 } else { spatial });
    let (mut now, mut image, mut pixels) = (at[1..=spatial].to_vec(), at[rank - 1], Vec::new());
    for _ in 0..200 {
        let moved = now.iter().enumerate().map(|(d, at)| at + if stored || wide && d > 0 { 0 } else { 1 });
        pixels.push((moved.collect::<Vec<i32>>(), image));
        let stays = (0..moving).any(|d| {
            now[d] += 1;
            let more = now[d] < sizes[d + 1] + corner;
            if !more {
                now[d] = 0;
            }
            more
        });
        image += i32::from(!stays);
    }
    let chosen: Vec<usize> = match mode {
        "im2col::w::128" => (0..4).flat_map(|part| part * 32..part * 32 + 33).collect(),
        _ => (0..(PIXELS as i32 + halo) as usize).collect(),
    };
    let pitches: Vec<i32> = (0..rank).map(|d| sizes[..d].iter().product()).collect();
    let element = |(pixel, channel): (usize, i32)| {
        let (now, image) = &pixels[pixel];
        let index: Vec<i32> = [channel].into_iter().chain(now.iter().copied()).chain([*image]).collect();
        inside(&index, sizes, &pitches)
    };
    let elements = chosen.into_iter().flat_map(|pixel| (0..4).map(move |channel| (pixel, channel)));
    let first = if mode == "im2col::w::128" {
        12
    } else if wide {
        9
    } else {
        6
    };
    (first + rank - 3, at, offsets, elements.map(element).collect())
}

/// The word of shared memory that an element of a box lies in: pixels along W alone stand 64 bytes apart, and every second one of them shifts the 16 bytes.
fn word_of(m: &Match, i: usize) -> usize {
    if !setting(m, "mode").contains("::w") {
        return i;
    }
    let byte = i / 4 * 64;
    (byte ^ (byte >> 7 & 3) << 4) / 4 + i % 4
}

/// Copies, reductions and prefetches of boxes.
fn boxes(m: &Match, variant: &[usize], case: &mut Case) {
    let (map, at, offsets, elements) = reach(m);
    let function = m.function().unwrap_or_default();
    let stores = matches!(function, "tensor::store" | "tensor::reduce");
    let (blocks, told) = targets(m);
    let (to, bar) = if blocks == [false, true] { ("%peer_dst", "%peer_bar") } else { ("%dst", "%bar") };
    let rank = at.len();
    let map = if stores { MAPS + map } else { map };
    for (d, size) in OVERRIDDEN.iter().enumerate() {
        case.lines.push(format!("mov.b16 %h{d}, {size};"));
    }
    case.lines.extend([0, 1, 2, 3].map(|d| format!("mov.b32 %l{d}, {};", 2 << d)));
    case.lines.push(format!("add.u64 %map, %maps, {};", 128 * map));
    case.lines.push(format!("add.u64 %base, {}, 16;", if stores { "%y" } else { "%x" }));
    case.lines.push("mov.b16 %upper, 0;".to_owned());
    case.lines.push(operands(m, variant, |part| match part.name {
        "map" => "%map".to_owned(),
        "base" => "%base".to_owned(),
        "sizes" => braces(&(0..rank).map(|d| format!("%h{d}")).collect::<Vec<_>>()),
        "lower" => braces(&(0..rank - 1).map(|d| format!("%l{d}")).collect::<Vec<_>>()),
        "upper" => "%upper".to_owned(),
        "at" => braces(&at),
        "offsets" => braces(&offsets),
        "to" => to.to_owned(),
        "from" => "%src".to_owned(),
        "bar" => bar.to_owned(),
        "mask" => "3".to_owned(),
        "policy" => "%policy".to_owned(),
        other => panic!("{other}"),
    }));
    case.format = "u32";
    if stores {
        let mut words: Vec<i64> = (0..GLOBAL / 4).map(|i| old_value("u32", i, 0)).collect();
        for (i, place) in elements.iter().enumerate() {
            let new = new_value("u32", word_of(m, i));
            let made = |old| if function == "tensor::reduce" { combine(word(m, &OPERATIONS), "u32", old, new) } else { new };
            place.iter().for_each(|place| words[*place] = made(words[*place]));
        }
        case.lines.extend(COMMIT.map(str::to_owned));
        case.global = Some(put("u32", words.into_iter()));
    } else if function == "tensor::load" {
        let mut words: Vec<i64> = (0..SHARED / 4).map(|i| old_value("u32", i, 0)).collect();
        for (i, place) in elements.iter().enumerate().filter(|(i, _)| word_of(m, *i) < SHARED / 4) {
            words[word_of(m, i)] = place.map_or(0, |place| new_value("u32", place));
        }
        let loaded = put("u32", words.into_iter());
        case.bytes = told.map(|times| times * 4 * elements.len());
        case.dst = blocks.map(|gets| gets.then(|| changed("u32", SHARED, &loaded)));
    }
}

/// The registers of a value, and how they are loaded from or stored to elements at an address.
fn registers(part: &Part) -> (Vec<String>, usize, String, String) {
    let (count, ty) = match part.ty {
        OperandType::Vector(n, ty) => (n as usize, ty),
        OperandType::Scalar(ty) => (1, ty),
        _ => panic!("{} is no value", part.name),
    };
    let kind = ty.registers.last().copied().unwrap_or(ty.name);
    let names: Vec<String> = (0..count).map(|i| format!("%v{i}")).collect();
    let text = if matches!(part.ty, OperandType::Vector(..)) { braces(&names) } else { names[0].clone() };
    (names, ty.bits as usize / 8, format!(".reg .{kind} %v<{count}>;"), text)
}

/// Values of registers that go to another block, to global memory or to several devices, now or in the background, or come from several devices.
fn values(m: &Match, variant: &[usize], case: &mut Case) {
    let (function, ty, op) = (m.function().unwrap_or_default(), word(m, &TYPES), word(m, &OPERATIONS));
    let format = format_of(ty);
    let part = m.parts().find(|part| matches!(part.name, "b" | "d")).unwrap_or_else(|| panic!("{}", m.opcode()));
    let (names, each, declaration, text) = registers(part);
    let size = each * names.len();
    let shared = m.has(".mbarrier::complete_tx::bytes");
    let to = match (function.starts_with("multimem"), shared) {
        (true, _) => "%mc",
        (_, true) => "%peer_far",
        _ => "%unseen",
    };
    let generic = !m.words.iter().any(|word| matches!(*word, ".global" | ".shared::cluster"));
    let to = if shared && generic { to.replace("%peer_far", "%peer_generic") } else { to.to_owned() };
    let bar = if generic { "%peer_bar_generic" } else { "%peer_bar_far" };
    let instruction = operands(m, variant, |part| match part.name {
        "b" | "d" => text.clone(),
        "to" | "a" => to.clone(),
        "bar" => bar.to_owned(),
        other => panic!("{other}"),
    });
    let moves = |verb: &str, from: &str| {
        let line = |(i, name): (usize, &String)| match verb {
            "ld" => format!("ld.global.b{} {name}, [{from}+{}];", 8 * each, i * each),
            _ => format!("st.global.b{} [{from}+{}], {name};", 8 * each, i * each),
        };
        names.iter().enumerate().map(line).collect::<Vec<_>>()
    };
    case.format = format;
    case.lines.extend(["{".to_owned(), declaration]);
    let reduced = |device| contents(format, size, |i| combine(op, format, old_value(format, i, device), new_value(format, i)));
    let stored = contents(format, size, |i| new_value(format, i));
    if function == "multimem::load_reduce" {
        case.lines.push(instruction);
        case.lines.extend(moves("st", "%words"));
        case.words = contents(format, size, |i| combine(op, format, old_value(format, i, 0), old_value(format, i, 1)));
    } else {
        case.lines.extend(moves("ld", "%x"));
        case.lines.push(instruction);
        let reduces = function.contains("reduce");
        if to == "%mc" {
            let device = |device| if reduces { reduced(device) } else { stored.clone() };
            case.devices = Some(std::array::from_fn(device));
        } else {
            let written = if reduces { reduced(0) } else { stored };
            match shared {
                true => (case.bytes, case.dst[1]) = ([0, size], Some(changed(format, SHARED, &written))),
                false => (case.unseen, case.global) = (true, Some(changed(format, GLOBAL, &written))),
            }
        }
    }
    case.lines.push("}".to_owned());
}

/// Ranges that go to several devices.
fn ranges_of_devices(m: &Match, variant: &[usize], case: &mut Case) {
    let reduces = m.function() == Some("multimem::start_reduce");
    let format = format_of(if reduces { word(m, &TYPES) } else { "u32" });
    let size = 128;
    case.format = format;
    case.lines.push(operands(m, variant, |part| match part.name {
        "to" => "%mc".to_owned(),
        "from" => "%src".to_owned(),
        "size" => size.to_string(),
        "bytes" => "3855".to_owned(),
        other => panic!("{other}"),
    }));
    case.lines.extend(COMMIT.map(str::to_owned));
    case.devices = Some(std::array::from_fn(|device| {
        let old = contents(format, size, |i| old_value(format, i, device));
        let new = contents(format, size, |i| match reduces {
            true => combine(word(m, &OPERATIONS), format, old_value(format, i, device), new_value(format, i)),
            false => new_value(format, i),
        });
        let kept = |i: usize| m.has(".cp_mask") && 3855 >> (i % 16) & 1 == 0;
        (0..size).map(|i| if kept(i) { old[i] } else { new[i] }).collect()
    }));
}

/// Copies of a few bytes.
fn small_copies(m: &Match, variant: &[usize], case: &mut Case) {
    let number = |part: &Part| part.limits.example().max(4) as usize;
    let size = m.parts().find(|part| part.name == "size").map_or(4, number);
    let mut copied = contents("u32", size, |i| new_value("u32", i));
    if variant.iter().any(|i| m.operands[*i].parts[0].name == "bytes") {
        copied[3..].fill(0);
    }
    case.format = "u32";
    case.lines.push(operands(m, variant, |part| match part.name {
        "to" => "%dst".to_owned(),
        "from" => "%x".to_owned(),
        "size" => size.to_string(),
        "bytes" => "3".to_owned(),
        "ignore" => "%no".to_owned(),
        "policy" => "%policy".to_owned(),
        other => panic!("{other}"),
    }));
    case.lines.push("cp.async.wait_all;".to_owned());
    case.dst[0] = Some(changed("u32", SHARED, &copied));
}

/// Memory barrier objects: one is made, the spelling does its part, and what the object counts is asked by plain instructions.
fn objects(m: &Match, variant: &[usize], case: &mut Case) {
    let function = m.function().unwrap_or_default();
    let (drops, counts) =
        (m.settings.iter().any(|(key, _)| *key == "drop"), variant.iter().any(|i| m.operands[*i].parts[0].name == "count"));
    let object = if m.words.iter().any(|word| word.starts_with(".shared")) { "%obj" } else { "%obj_generic" };
    let spelled = |parity: u32| {
        operands(m, variant, |part| match part.name {
            "bar" => object.to_owned(),
            "d" if matches!(part.ty, OperandType::Scalar(ty) if ty.bits == 32) => "%n".to_owned(),
            "d" if part.limits.discarded || m.has(".shared::cluster") => "_".to_owned(),
            "d" => "%s2".to_owned(),
            "p" => "%p".to_owned(),
            "q" => "%q".to_owned(),
            "value" => "%value".to_owned(),
            "state" => "%s".to_owned(),
            "parity" => parity.to_string(),
            "nanoseconds" => "1000".to_owned(),
            "mask" => "1".to_owned(),
            "count" if matches!(function, "mbarrier::arrive") => "2".to_owned(),
            "count" if function == "mbarrier::init" => "7".to_owned(),
            "count" => "16".to_owned(),
            other => panic!("{other}"),
        })
    };
    let mut lines: Vec<String> = Vec::new();
    let mut words: Vec<u32> = Vec::new();
    let mut say = |lines: &mut Vec<String>, value: u32| {
        lines.push(format!("st.global.u32 [%words+{}], %n;", 4 * words.len()));
        words.push(value);
    };
    let init = |n: u32| format!("mbarrier.init.layout::v1.shared.b64 [%obj], {n};");
    let arrive = "mbarrier.arrive.shared.b64 %s, [%obj];";
    let pending = "mbarrier.pending_count.b64 %n, %s;";
    let over = ["mbarrier.test_wait.parity.shared.b64 %p, [%obj], 0;", "selp.u32 %n, 1, 0, %p;"];
    let (expect, complete) =
        ("mbarrier.expect_tx.relaxed.cta.shared.b64 [%obj], 16;", "mbarrier.complete_tx.relaxed.cta.shared.b64 [%obj], 16;");
    let add = |lines: &mut Vec<String>, all: &[&str]| lines.extend(all.iter().map(|line| (*line).to_owned()));
    match function {
        "mbarrier::init" => {
            lines.push(spelled(0));
            add(&mut lines, &[arrive, pending]);
            say(&mut lines, 7);
        }
        "mbarrier::end" => {
            lines.extend([init(4), spelled(0), init(3)]);
            add(&mut lines, &[arrive, pending]);
            say(&mut lines, 3);
        }
        "mbarrier::expect_work" | "mbarrier::complete_work" => {
            let expects = function == "mbarrier::expect_work";
            lines.extend([init(1), if expects { spelled(0) } else { expect.to_owned() }, arrive.to_owned()]);
            add(&mut lines, &over);
            say(&mut lines, 0);
            lines.push(if expects { complete.to_owned() } else { spelled(0) });
            add(&mut lines, &over);
            say(&mut lines, 1);
        }
        "mbarrier::arrive" => {
            let count = if counts { 2 } else { 1 };
            lines.extend([init(5), spelled(0)]);
            if lines[1].contains("%s2") {
                lines.push("mbarrier.pending_count.b64 %n, %s2;".to_owned());
                say(&mut lines, 5);
            }
            add(&mut lines, &[arrive, pending]);
            say(&mut lines, 5 - count);
            lines.push(format!("mbarrier.arrive.shared.b64 _, [%obj], {};", 4 - count));
            add(&mut lines, &[arrive, pending]);
            say(&mut lines, if drops { 5 - count } else { 5 });
        }
        "mbarrier::expect_and_arrive" => {
            lines.extend([init(2), spelled(0)]);
            add(&mut lines, &[arrive, pending]);
            say(&mut lines, 1);
            add(&mut lines, &over);
            say(&mut lines, 0);
            add(&mut lines, &[complete]);
            add(&mut lines, &over);
            say(&mut lines, 1);
            add(&mut lines, &[arrive, pending]);
            say(&mut lines, if drops { 1 } else { 2 });
        }
        "mbarrier::test_wait" | "mbarrier::try_wait" => {
            lines.extend([
                init(1),
                arrive.to_owned(),
                "mov.b16 %h0, 7;".to_owned(),
                "cvt.u8.u16 %value, %h0;".to_owned(),
                spelled(0),
            ]);
            add(&mut lines, &["selp.u32 %n, 1, 0, %p;"]);
            say(&mut lines, 1);
            if lines.iter().any(|line| line.contains("%q")) {
                add(&mut lines, &["selp.u32 %n, 1, 0, %q;"]);
                say(&mut lines, 0);
            }
            if lines.iter().any(|line| line.contains("%value,") && !line.starts_with("cvt")) {
                add(&mut lines, &["cvt.u32.u8 %n, %value;"]);
                say(&mut lines, 0);
            }
            if m.has(".parity") {
                lines.extend([spelled(1), "selp.u32 %n, 1, 0, %p;".to_owned()]);
                say(&mut lines, 0);
            }
        }
        "mbarrier::pending_count" => {
            lines.extend([init(6), arrive.to_owned(), spelled(0)]);
            say(&mut lines, 6);
        }
        _ => {
            lines.extend([init(1), spelled(0), "selp.u32 %n, 1, 0, %p;".to_owned()]);
            say(&mut lines, u32::from(m.has(".layout::v1")));
        }
    }
    lines.push("mbarrier.inval.shared.b64 [%obj];".to_owned());
    case.format = "u32";
    case.words = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    case.lines = lines;
}

/// Zeros in shared memory.
fn clears(m: &Match, variant: &[usize], case: &mut Case) {
    case.lines.push("mov.u32 %n, 64;".to_owned());
    case.lines.push(operands(m, variant, |part| match part.name {
        "to" if m.has(".shared::cta") => "%dst".to_owned(),
        "to" => "%generic".to_owned(),
        "size" if part.limits.register => "%n".to_owned(),
        "size" => "64".to_owned(),
        _ => "0".to_owned(),
    }));
    case.dst[0] = Some(changed("u32", SHARED, &[0; 64]));
}

/// Addresses of another block, and whose addresses are: how far they are from the own one, the rank.
fn addresses(m: &Match, variant: &[usize], case: &mut Case) {
    let (shared, wide, maps) = (m.has(".shared::cluster"), m.has(".u64"), m.record.name == "mapa");
    let own = match (shared, wide) {
        (true, true) => "%far",
        (true, false) => "%dst",
        _ => "%generic",
    };
    let given = if maps {
        own.to_owned()
    } else {
        own.replace("%far", "%peer_far").replace("%dst", "%peer_dst").replace("%generic", "%peer_generic")
    };
    let result = if maps && wide { "%to" } else { "%n" };
    case.lines.push(operands(m, variant, |part| match part.name {
        "d" => result.to_owned(),
        "a" => given.clone(),
        _ => "1".to_owned(),
    }));
    if maps && wide {
        case.lines.extend([format!("sub.u64 %to, %to, {own};"), "cvt.u32.u64 %n, %to;".to_owned()]);
    } else if maps {
        case.lines.push("sub.u32 %n, %n, %dst;".to_owned());
    }
    case.lines.push("st.global.u32 [%words], %n;".to_owned());
    case.words = u32::to_le_bytes(if maps { 1 << 24 } else { 1 }).to_vec();
}

/// Fields of a copy of a map: a box of two rows of four words comes by it. Most fields get the value that they have.
fn fields(m: &Match, variant: &[usize], case: &mut Case) {
    let (mode, shared) = (setting(m, "mode"), m.has(".shared::cta"));
    let at = if shared { "%src" } else { "%y" };
    let moves = |from: &str, to: &str| {
        let line = |i: usize| {
            [
                format!("ld{from}.b64 %to, [{}+{}];", if from == ".shared" { "%src" } else { "%map" }, 8 * i),
                format!("st{to}.b64 [{}+{}], %to;", if to == ".shared" { "%src" } else { "%y" }, 8 * i),
            ]
        };
        (0..16).flat_map(line).collect::<Vec<_>>()
    };
    case.lines.push("add.u64 %map, %maps, 128;".to_owned());
    case.lines.extend(moves(".global", if shared { ".shared" } else { ".global" }));
    let (ordinal, value) = match mode {
        "box_dim" => (0, 4),
        "global_dim" => (1, 1),
        "element_stride" => (0, 1),
        "global_stride" => (0, 64),
        "rank" => (0, 1),
        "elemtype" => (0, 2),
        _ => (0, 0),
    };
    let first = m.parts().find(|part| part.name == "value").map_or(0, |part| part.limits.example());
    let value = if mode == "elemtype" && first == 0 { value } else { value.max(first) };
    case.lines.push(format!("mov.u32 %n, {value};"));
    case.lines.push(if mode == "global_address" { "add.u64 %to, %x, 16;".to_owned() } else { format!("mov.u64 %to, {value};") });
    case.lines.push(operands(m, variant, |part| match part.name {
        "a" => at.to_owned(),
        "ordinal" => ordinal.to_string(),
        _ if part.limits.immediate => value.to_string(),
        _ if matches!(part.ty, OperandType::Scalar(ty) if ty.bits == 64) => "%to".to_owned(),
        _ => "%n".to_owned(),
    }));
    // What the map cannot be used with is put right again.
    let space = if shared { ".shared::cta" } else { ".global" };
    match first {
        13.. => case.lines.push(format!("tensormap.replace.tile.elemtype{space}.b1024.b32 [{at}], 2;")),
        4.. => case.lines.push(format!("tensormap.replace.tile.swizzle_mode{space}.b1024.b32 [{at}], 0;")),
        _ => {}
    }
    if shared {
        case.lines.extend(moves(".shared", ".global"));
    }
    case.lines.push(
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%dst], [%y, {4, 0}], [%bar];".to_owned(),
    );
    let (shift, pitch) = (if mode == "global_address" { 4 } else { 0 }, if mode == "global_stride" { 16 } else { 8 });
    let word = |i: usize| match i / 4 {
        1 if mode == "global_dim" => 0,
        row => new_value("u32", shift + 4 + i % 4 + row * pitch),
    };
    (case.unseen, case.bytes, case.dst[0]) = (true, [32, 0], Some(changed("u32", SHARED, &put("u32", (0..8).map(word)))));
}

/// Whether a spelling with these operands writes to another block and tells nobody, as ptxas takes it and the manual does not have it: no program can wait
/// for that, and the other block may not exit before.
fn is_useless(m: &Match, variant: &[usize]) -> bool {
    m.has(".mbarrier::complete_tx::bytes") && !variant.iter().any(|i| m.operands[*i].parts[0].name == "bar")
}

/// The case of a spelling with some of its operands, if there is a scenario for it.
fn case(m: &Match, variant: &[usize]) -> Option<Case> {
    let mut case = Case { format: "u32", ..Case::default() };
    let plain = |name: &Part| match name.name {
        "a" => "%maps".to_owned(),
        "to" => "%dst".to_owned(),
        "bar" => "%bar".to_owned(),
        "size" => "128".to_owned(),
        "count" => name.limits.example().to_string(),
        other => panic!("{other} of {}", m.opcode()),
    };
    match m.function()? {
        "bulk::copy" | "bulk::reduce" => bulk(m, variant, &mut case),
        "tensor::load" | "tensor::store" | "tensor::reduce" | "tensor::hint" => boxes(m, variant, &mut case),
        "asynchronous::store"
        | "asynchronous::reduce"
        | "multimem::load_reduce"
        | "multimem::store"
        | "multimem::reduce"
        | "multimem::start_store"
        | "multimem::start_reduce_value" => values(m, variant, &mut case),
        "multimem::start_copy" | "multimem::start_reduce" => ranges_of_devices(m, variant, &mut case),
        "asynchronous::copy" => small_copies(m, variant, &mut case),
        name if name.starts_with("mbarrier::") => objects(m, variant, &mut case),
        // These order or hint, and must change nothing.
        "memory::fence" | "memory::fence_async" | "memory::prefetch" | "bulk::wait_group" => {
            case.lines.push(operands(m, variant, plain))
        }
        "barrier::cluster_arrive" => {
            (case.both, case.lines) = (true, vec![operands(m, variant, plain), "barrier.cluster.wait;".to_owned()]);
        }
        "barrier::cluster_wait" => {
            (case.both, case.lines) = (true, vec!["barrier.cluster.arrive;".to_owned(), operands(m, variant, plain)]);
        }
        // Nothing is left to take over: the answer is zero.
        "cluster::try_cancel" => {
            let generic = |name: &str| if name == "to" { "%generic" } else { "%bar_generic" };
            case.lines.push(operands(m, variant, |part| match m.has(".shared::cta") {
                true => plain(part),
                false => generic(part.name).to_owned(),
            }));
            let blocks = [true, m.has(".multicast::cluster::all")];
            (case.bytes, case.dst) =
                (blocks.map(|gets| 16 * usize::from(gets)), blocks.map(|gets| gets.then(|| changed("u32", SHARED, &[0; 16]))));
        }
        "bulk::clear" => clears(m, variant, &mut case),
        // A generic address of 32 bits is none in a module with addresses of 64.
        "address::map_to_rank" | "address::rank_of_address" if m.has(".u64") || m.has(".shared::cluster") => {
            addresses(m, variant, &mut case)
        }
        "address::map_to_rank" | "address::rank_of_address" => {}
        "tensor::replace" => fields(m, variant, &mut case),
        "tensor::copy_map" => {
            case.warp = true;
            case.lines.push(operands(m, variant, |part| match part.name {
                "to" => "%y".to_owned(),
                "from" => "%src".to_owned(),
                _ => "128".to_owned(),
            }));
            case.global = Some(changed("u32", GLOBAL, &contents("u32", 128, |i| new_value("u32", i))));
        }
        _ if m.record.name == "setmaxnreg" => (case.both, case.lines) = (true, vec![operands(m, variant, plain)]),
        _ => return None,
    }
    Some(case)
}

const PROLOGUE: &str = ".version 9.5
.target sm_107a
.address_size 64

.visible .entry sweep(.param .u64 xs, .param .u64 olds, .param .u64 ys, .param .u64 lefts, .param .u64 devices, .param .u64 tensor_maps)
{
    .reg .pred %first, %block0, %block1, %lead0, %lead1, %p, %q, %no, %wait;
    .reg .b8 %value;
    .reg .b16 %h<5>, %upper;
    .reg .b32 %t, %rank, %src, %dst, %bar, %obj, %peer, %peer_dst, %peer_bar, %src_t, %dst_t, %n, %l<4>, %w<4>;
    .reg .b64 %xs, %olds, %x, %old, %y, %lefts, %left, %words, %unseen, %mcs, %mc, %maps, %map, %base, %policy, %s, %s2, %t8, %t16, %to;
    .reg .b64 %peer_far, %peer_bar_far, %peer_generic, %peer_bar_generic, %far, %generic, %bar_generic, %obj_generic;
    .shared .align 1024 .b8 dst[12288];
    .shared .align 1024 .b8 src[512];
    .shared .align 8 .b64 bar;
    .shared .align 8 .b64 obj;
    ld.param.u64 %xs, [xs];
    ld.param.u64 %olds, [olds];
    ld.param.u64 %y, [ys];
    ld.param.u64 %lefts, [lefts];
    ld.param.u64 %mcs, [devices];
    ld.param.u64 %maps, [tensor_maps];
    mov.u64 %policy, 0;
    mov.u32 %t, %tid.x;
    mov.u32 %rank, %cluster_ctarank;
    mov.u32 %src, src;
    mov.u32 %dst, dst;
    mov.u32 %bar, bar;
    mov.u32 %obj, obj;
    xor.b32 %peer, %rank, 1;
    mapa.shared::cluster.u32 %peer_dst, %dst, %peer;
    mapa.shared::cluster.u32 %peer_bar, %bar, %peer;
    cvt.u64.u32 %peer_far, %peer_dst;
    cvt.u64.u32 %peer_bar_far, %peer_bar;
    cvt.u64.u32 %far, %dst;
    cvta.shared.u64 %generic, %far;
    cvt.u64.u32 %bar_generic, %bar;
    cvta.shared.u64 %bar_generic, %bar_generic;
    cvt.u64.u32 %obj_generic, %obj;
    cvta.shared.u64 %obj_generic, %obj_generic;
    cvta.shared::cluster.u64 %peer_generic, %peer_far;
    cvta.shared::cluster.u64 %peer_bar_generic, %peer_bar_far;
    setp.eq.u32 %first, %t, 0;
    setp.eq.u32 %block0, %rank, 0;
    setp.eq.u32 %block1, %rank, 1;
    setp.eq.and.u32 %lead0, %rank, 0, %first;
    setp.eq.and.u32 %lead1, %rank, 1, %first;
    setp.ne.u32 %no, %t, %t;
    mul.wide.u32 %t8, %t, 8;
    mul.wide.u32 %t16, %t, 16;
    mad.lo.u32 %src_t, %t, 16, %src;
    mad.lo.u32 %dst_t, %t, 8, %dst;
    @%first mbarrier.init.layout::v1.shared.b64 [%bar], 1;
    fence.mbarrier_init.release.cluster;
";

/// The lines before a case's own: the first contents of everything.
fn begin(case: &Case, i: usize) -> String {
    let format = 1024 * FORMATS.iter().position(|format| *format == case.format).unwrap_or(0);
    let (left, words) = (LEFT * i, LEFT * i + 2 * SHARED + GLOBAL);
    let mut text =
        format!("    add.u64 %x, %xs, {format};\n    add.u64 %old, %olds, {format};\n    add.u64 %left, %lefts, {left};\n");
    text += &format!(
        "    add.u64 %words, %lefts, {words};\n    add.u64 %unseen, %left, {SHARED};\n    add.u64 %mc, %mcs, {};\n",
        REPLICA * i
    );
    text += "    add.u64 %to, %x, %t16;
    ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%to];
    st.shared.v4.b32 [%src_t], {%w0, %w1, %w2, %w3};
    add.u64 %to, %old, %t8;
    ld.global.v2.b32 {%w0, %w1}, [%to];
    st.shared.v2.b32 [%dst_t], {%w0, %w1};
    add.u64 %to, %old, %t16;
    ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%to];
    add.u64 %to, %y, %t16;
    @%block0 st.global.v4.b32 [%to], {%w0, %w1, %w2, %w3};
    fence.proxy.async;
";
    for (block, bytes) in case.bytes.iter().enumerate().filter(|(_, bytes)| **bytes > 0) {
        text += &format!("    @%lead{block} mbarrier.arrive.expect_tx.shared.b64 _, [%bar], {bytes};\n");
    }
    text + "    barrier.cluster.arrive;\n    barrier.cluster.wait;\n"
}

/// The lines behind them: who is told waits, and all is written down.
fn end(case: &Case, i: usize, parities: &mut [u32; 2]) -> String {
    let mut text = String::new();
    for block in (0..2).filter(|block| case.bytes[*block] > 0) {
        text += &format!("    @!%block{block} bra told{i}_{block};\nwait{i}_{block}:\n");
        text += &format!("    mbarrier.try_wait.parity.shared.b64 %wait, [%bar], {};\n", parities[block]);
        text += &format!("    @!%wait bra wait{i}_{block};\ntold{i}_{block}:\n");
        parities[block] ^= 1;
    }
    text += "    barrier.cluster.arrive;\n    barrier.cluster.wait;\n    ld.shared.v2.b32 {%w0, %w1}, [%dst_t];\n    add.u64 %to, %left, %t8;\n";
    text += "    @%block0 st.global.v2.b32 [%to], {%w0, %w1};\n";
    text += &format!("    @%block1 st.global.v2.b32 [%to+{}], {{%w0, %w1}};\n", SHARED + GLOBAL);
    if !case.unseen {
        text += "    add.u64 %to, %y, %t16;\n    @%block0 ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%to];\n    add.u64 %to, %left, %t16;\n";
        text += &format!("    @%block0 st.global.v4.b32 [%to+{SHARED}], {{%w0, %w1, %w2, %w3}};\n");
    }
    text
}

fn kernel(cases: &[Case]) -> String {
    let (mut text, mut parities) = (PROLOGUE.to_owned(), [0; 2]);
    for (i, case) in cases.iter().enumerate() {
        text += &begin(case, i);
        let who = if case.warp { "block0" } else { "lead0" };
        let own: String = case.lines.iter().map(|line| format!("    {line}\n")).collect();
        text += &if case.both { own } else { format!("    @!%{who} bra done{i};\n{own}done{i}:\n") };
        text += &end(case, i, &mut parities);
    }
    text + "    ret;\n}\n"
}

/// What is in the memory of a case before it begins.
fn before(case: &Case) -> Vec<u8> {
    [vec![0; SHARED], changed(case.format, GLOBAL, &[]), vec![0; SHARED + 64]].concat()
}

/// What it must leave.
fn wanted(case: &Case) -> Vec<u8> {
    let of = |part: &Option<Vec<u8>>, len| part.clone().unwrap_or_else(|| changed(case.format, len, &[]));
    let mut all = [of(&case.dst[0], SHARED), of(&case.global, GLOBAL), of(&case.dst[1], SHARED), vec![0; 64]].concat();
    let words = 2 * SHARED + GLOBAL;
    all[words..words + case.words.len()].copy_from_slice(&case.words);
    all
}

/// What the devices have for a case: before, or after.
fn replicas(case: &Case, device: usize, after: bool) -> Vec<u8> {
    let mut all = contents(case.format, REPLICA, |i| old_value(case.format, i, device));
    if let (Some(devices), true) = (&case.devices, after) {
        all[..devices[device].len()].copy_from_slice(&devices[device]);
    }
    all
}

/// Executes cases, and tells those that leave something else.
fn run(device: &Device, name: &str, cases: &[Case], options: Options) -> Vec<String> {
    let text = kernel(cases);
    if let Some(folder) = std::env::var_os("LOCKSTEP_SPELLINGS") {
        std::fs::write(Path::new(&folder).join(name), &text).unwrap_or_else(|e| panic!("{e}"));
    }
    let buffer = |bytes: &[u8]| device.buffer(bytes).unwrap_or_else(|e| panic!("{e}"));
    let formats =
        |value: &dyn Fn(&str, usize) -> i64| FORMATS.map(|format| contents(format, 1024, |i| value(format, i))).concat();
    let (xs, olds) =
        (buffer(&formats(&|format, i| new_value(format, i))), buffer(&formats(&|format, i| old_value(format, i, 0))));
    let ys = buffer(&[0; 2048]);
    let lefts = buffer(&cases.iter().flat_map(before).collect::<Vec<u8>>());
    let all = |after| {
        (0..DEVICES).flat_map(|device| cases.iter().flat_map(move |case| replicas(case, device, after))).collect::<Vec<u8>>()
    };
    let devices = buffer(&all(false));
    let multicast = devices.multicast(DEVICES).unwrap_or_else(|e| panic!("{e}"));
    let tensor_maps = buffer(&[maps(&xs, false), maps(&ys, true)].concat());
    let module = device.load([(name, text.as_str())]).unwrap_or_else(|e| panic!("{e}"));
    let launch = module
        .kernel("sweep")
        .unwrap_or_else(|e| panic!("{e}"))
        .launch([2, 1, 1], [32, 1, 1])
        .cluster([2, 1, 1])
        .options(options);
    let arguments: [Argument; 6] =
        [(&xs).into(), (&olds).into(), (&ys).into(), (&lefts).into(), (&multicast).into(), (&tensor_maps).into()];
    if let Err(error) = launch.args(arguments).run() {
        return vec![error.render(false)];
    }
    let (left, devices, after) = (lefts.read(), devices.read(), all(true));
    let differs = |(i, case): (usize, &Case)| {
        let (given, wanted) = (&left[i * LEFT..][..LEFT], wanted(case));
        let of_devices = |d: usize| (d * cases.len() + i) * REPLICA..(d * cases.len() + i + 1) * REPLICA;
        let same = (0..DEVICES).all(|d| devices[of_devices(d)] == after[of_devices(d)]);
        let first = given.iter().zip(&wanted).position(|(given, wanted)| given != wanted);
        let text = match first {
            Some(at) => format!("byte {at} is {}, not {}", given[at], wanted[at]),
            None if same => return None,
            None => "devices have something else".to_owned(),
        };
        Some(format!("{}: {text}", case.lines.join(" ")))
    };
    cases.iter().enumerate().filter_map(differs).collect()
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if entry.is_dir() && entry.file_name().is_none_or(|name| name != "faults") {
            files(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "ptx") {
            found.push(entry);
        }
    }
}

/// Forms and spellings that kernels with launch files, and examples of records, have.
fn tested(table: &'static Table) -> BTreeSet<(&'static str, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    files(&root.join("tests/kernels"), &mut all);
    files(&root.join("examples"), &mut all);
    let mut opcodes: BTreeSet<String> =
        table.records.iter().flat_map(|record| &record.examples).map(|e| e.opcode.to_string()).collect();
    for file in all {
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        opcodes.extend(ptx::parse(&text).0.opcodes.iter().map(|opcode| opcode.to_string()));
    }
    let forms = |opcode: &String| match table.resolve(opcode) {
        Ok(Resolution::Matches(matches)) => matches.iter().map(|m| (m.form.text, m.opcode())).collect(),
        _ => Vec::new(),
    };
    opcodes.iter().flat_map(forms).collect()
}

/// The cases of all spellings, by record, and the spellings that nothing executes.
fn all_cases() -> (BTreeMap<&'static str, Vec<Case>>, Vec<String>) {
    let table = lockstep::table().unwrap_or_else(|e| panic!("{e}"));
    let tested = tested(table);
    let (mut cases, mut missing): (BTreeMap<&str, Vec<Case>>, _) = (BTreeMap::new(), Vec::new());
    for record in table.records.iter().filter(|record| RECORDS.iter().any(|name| record.name.starts_with(name))) {
        for form in &record.forms {
            let spellings = table.enumerate(record, form, usize::MAX, 0).unwrap_or_else(|e| panic!("{}: {e}", form.text));
            for m in &spellings {
                if m.function().is_none() {
                    // Fabrics are not executable yet, as their names say; nothing else is.
                    missing.extend((!m.words.iter().any(|word| word.contains("fabric"))).then(|| m.opcode()));
                    continue;
                }
                let variants: Vec<&[usize]> = m.variants().filter(|variant| !is_useless(m, variant)).collect();
                let own: Vec<Case> = variants.iter().filter_map(|variant| case(m, variant)).collect();
                if own.is_empty() && !variants.is_empty() && !tested.contains(&(form.text, m.opcode())) {
                    missing.push(format!("{} ({})", m.opcode(), form.text));
                }
                cases.entry(record.name).or_default().extend(own);
            }
        }
    }
    (cases, missing)
}

#[test]
fn every_spelling_does_what_it_should() {
    let (cases, missing) = all_cases();
    assert!(missing.is_empty(), "{} spellings are executed by no test:\n{}", missing.len(), missing.join("\n"));
    let device = System.device("sm_107").unwrap_or_else(|e| panic!("{e}"));
    let (mut count, mut wrong) = (0, Vec::new());
    for (name, cases) in &cases {
        for (i, some) in cases.chunks(CASES).enumerate() {
            let file = format!("{name}-{i}.ptx");
            count += some.len();
            let policies = [Options::default(), Options { policy: Policy::Early, ..Options::default() }];
            wrong.extend(
                policies.into_iter().flat_map(|options| run(&device, &file, some, options)).map(|text| format!("{name}: {text}")),
            );
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count} cases:\n{}",
        wrong.len(),
        wrong.iter().take(60).cloned().collect::<Vec<_>>().join("\n")
    );
    assert!(count > 16_000, "only {count} cases");
}
