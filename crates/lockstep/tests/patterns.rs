//! Loads and stores of a warp in every pattern of addresses: what one instruction moves is held against copies of bytes.

use lockstep::{Buffer, Device, Error, System};

/// Bytes of the memory that is accessed by pattern.
const SIZE: usize = 4096;

fn ok<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|e| panic!("{e}"))
}

/// A type of a load or store: suffixes, bytes of an element, elements.
#[derive(Clone, Copy)]
struct Access(&'static str, usize, usize);

const ACCESSES: [Access; 10] = [
    Access("u8", 1, 1),
    Access("u16", 2, 1),
    Access("u32", 4, 1),
    Access("u64", 8, 1),
    Access("v2.u8", 1, 2),
    Access("v4.u8", 1, 4),
    Access("v2.u32", 4, 2),
    Access("v4.u32", 4, 4),
    Access("v2.u64", 8, 2),
    Access("v4.u16", 2, 4),
];

impl Access {
    fn bytes(self) -> usize {
        self.1 * self.2
    }

    fn registers(self) -> (&'static str, String) {
        let ty = if self.1 == 8 { "b64" } else { "b32" };
        let width = if self.1 < 4 { "b16" } else { ty };
        let names: Vec<String> = (0..self.2).map(|i| format!("%v{i}")).collect();
        (width, if self.2 == 1 { names[0].clone() } else { format!("{{{}}}", names.join(", ")) })
    }

    /// A kernel that moves this from `by_offset + offsets[tid]` to `in_order + tid * bytes`, or back; by way of shared memory if asked.
    fn kernel(self, load: bool, shared: bool) -> String {
        let (width, registers) = self.registers();
        let (suffix, bytes, count) = (self.0, self.bytes(), self.2);
        let space = if shared { "shared" } else { "global" };
        let address = if shared { "%a" } else { "%d5" };
        let instruction = if load {
            format!("ld.{space}.{suffix} {registers}, [{address}+16];\n st.global.{suffix} [%d4], {registers};")
        } else {
            format!("ld.global.{suffix} {registers}, [%d4];\n st.{space}.{suffix} [{address}+16], {registers};")
        };
        // Thread 0 copies, so that only the instruction in question has a pattern.
        let copy = |into: bool| {
            let (from, to) = if into {
                ("global.u32 %w, [%g]", "shared.u32 [%s], %w")
            } else {
                ("shared.u32 %w, [%s]", "global.u32 [%g], %w")
            };
            let name = if into { "in" } else { "out" };
            format!(
                "bar.sync 0;\n setp.ne.u32 %p, %t, 0;\n @%p bra done_{name};\n mov.u32 %s, memory;\n mov.u64 %g, %d0;\n mov.u32 %i, 0;
                 {name}:\n ld.{from};\n st.{to};\n add.u32 %s, %s, 4;\n add.u64 %g, %g, 4;\n add.u32 %i, %i, 4;\n setp.lt.u32 %p, %i, {SIZE};\n @%p bra {name};
                 done_{name}:\n bar.sync 0;\n"
            )
        };
        let (before, after) = if shared { (copy(true), copy(false)) } else { Default::default() };
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 16 .b8 memory[{SIZE}];
             .visible .entry move(.param .u64 by_offset, .param .u64 offsets, .param .u64 in_order)\n{{
             .reg .pred %p;\n .reg .b32 %t, %o, %a, %s, %w, %i;\n .reg .b64 %d<6>, %g;\n .reg .{width} %v<{count}>;
             mov.u32 %t, %tid.x;\n ld.param.u64 %d0, [by_offset];\n ld.param.u64 %d1, [offsets];\n ld.param.u64 %d2, [in_order];
             mul.wide.u32 %d3, %t, 4;\n add.u64 %d1, %d1, %d3;\n ld.global.u32 %o, [%d1];
             mul.wide.u32 %d3, %t, {bytes};\n add.u64 %d4, %d2, %d3;
             cvt.u64.u32 %d5, %o;\n add.u64 %d5, %d5, %d0;\n mov.u32 %a, memory;\n add.u32 %a, %a, %o;
             {before}{instruction}\n{after}ret;\n}}"
        )
    }
}

/// Offsets of 32 lanes, in units of the access, less the constant 16 bytes of the instruction.
fn patterns() -> Vec<(&'static str, [usize; 32])> {
    let each = |f: fn(usize) -> usize| std::array::from_fn(f);
    vec![
        ("one after the other", each(|i| i + 3)),
        ("all the same", each(|_| 7)),
        ("two runs", each(|i| i % 16 + i / 16 * 40 + 1)),
        ("one run twice", each(|i| i % 16 + 5)),
        ("two places", each(|i| 9 + i / 16 * 20)),
        ("a place and a run", each(|i| if i < 16 { 4 } else { i + 8 })),
        ("a run and a place", each(|i| if i < 16 { i } else { 60 })),
        ("backwards", each(|i| 70 - i)),
        ("every other", each(|i| 2 * i)),
        ("quarters", each(|i| i % 8 + i / 8 * 17)),
        ("one lane astray", each(|i| if i == 21 { 90 } else { i })),
        ("scattered", each(|i| i * 37 % 101)),
    ]
}

fn bytes(n: usize, seed: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 167 + seed + i / 256) as u8).collect()
}

#[test]
fn every_pattern_moves_the_bytes_that_it_names() {
    let device: Device = ok(System.device("a100"));
    for access in ACCESSES {
        for (load, shared) in [(true, false), (true, true), (false, false), (false, true)] {
            let module = ok(device.load([("patterns.ptx", access.kernel(load, shared))]));
            let kernel = ok(module.kernel("move"));
            for (name, lanes) in patterns() {
                for threads in [32, 27] {
                    let (size, what) =
                        (access.bytes(), format!("{} {name}, {threads} threads, load {load}, shared {shared}", access.0));
                    let (by_offset, in_order) = (bytes(SIZE, 1), bytes(32 * size, 9));
                    let offsets = lanes.map(|lane| (lane * size) as u32);
                    let memory: Buffer<u8> = ok(device.buffer(&by_offset));
                    let row: Buffer<u8> = ok(device.buffer(&in_order));
                    let table: Buffer<u32> = ok(device.buffer(&offsets));
                    ok(kernel.launch([1, 1, 1], [threads, 1, 1]).arg(&memory).arg(&table).arg(&row).run());
                    let (mut expected_memory, mut expected_row) = (by_offset.clone(), in_order.clone());
                    for (i, offset) in offsets.iter().take(threads as usize).enumerate() {
                        let (far, near) = (*offset as usize + 16, i * size);
                        if load {
                            expected_row[near..near + size].copy_from_slice(&by_offset[far..far + size]);
                        } else {
                            // Of lanes with one address the highest wins.
                            expected_memory[far..far + size].copy_from_slice(&in_order[near..near + size]);
                        }
                    }
                    assert!(row.read() == expected_row, "{what}: the row");
                    assert!(memory.read() == expected_memory, "{what}: the memory");
                }
            }
        }
    }
}

#[test]
fn the_last_byte_counts() {
    let device: Device = ok(System.device("a100"));
    for access in ACCESSES {
        for shared in [false, true] {
            let module = ok(device.load([("patterns.ptx", access.kernel(true, shared))]));
            let kernel = ok(module.kernel("move"));
            let size = access.bytes();
            let row: Buffer<u8> = ok(device.zeros(32 * size));
            let memory: Buffer<u8> = ok(device.zeros(SIZE));
            let last = (SIZE - 16 - 32 * size) as u32;
            for (step, fits) in [(0, true), (size as u32, false)] {
                let offsets: [u32; 32] = std::array::from_fn(|i| last + step + (i * size) as u32);
                let table: Buffer<u32> = ok(device.buffer(&offsets));
                let outcome = kernel.launch([1, 1, 1], [32, 1, 1]).arg(&memory).arg(&table).arg(&row).run();
                assert_eq!(outcome.is_ok(), fits, "{} shared {shared} step {step}", access.0);
            }
            if size > 1 {
                let offsets: [u32; 32] = std::array::from_fn(|i| 1 + (i * size) as u32);
                let table: Buffer<u32> = ok(device.buffer(&offsets));
                let outcome = kernel.launch([1, 1, 1], [32, 1, 1]).arg(&memory).arg(&table).arg(&row).run();
                assert!(outcome.is_err(), "{} shared {shared}, misaligned", access.0);
            }
        }
    }
}
