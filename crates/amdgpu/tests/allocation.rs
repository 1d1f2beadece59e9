//! Decoding allocates nothing, however many instructions there are; what is read of the records at first is not counted, since it stays.

use amdgpu::codec::Codec;
use amdgpu::disasm::Instructions;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::Path;

/// Counts what a thread asks for.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller promises what `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn counted(run: impl FnOnce()) -> usize {
    let before = COUNT.get();
    run();
    COUNT.get() - before
}

/// The words of what LLVM assembles for a target, from the verdicts.
fn code(target: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/verdicts/amdgpu/lines/{target}.txt"));
    let text = std::fs::read_to_string(path).expect("verdicts");
    let words = text.lines().filter_map(|line| line.split_once(' ')).map(|line| line.0);
    let digits = |word: &str| -> Option<Vec<u8>> {
        word.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
    };
    words.filter_map(digits).flatten().collect()
}

#[test]
fn decoding_allocates_nothing() {
    for target in ["gfx942", "gfx1100", "gfx1250"] {
        let (codec, code) = (Codec::of(target, None).expect("a target"), code(target));
        let mut text = String::with_capacity(1 << 20);
        let mut walk = || {
            let mut found = 0;
            for item in Instructions::new(&codec, &code) {
                if let Ok(decoded) = &item.what {
                    found += 1;
                    text.clear();
                    codec.print(decoded, &mut text);
                }
            }
            found
        };
        // Records are read when they are first met.
        let found = walk();
        assert!(found > 300, "{target}: {found}");
        let all = counted(|| assert_eq!(walk(), found));
        let decoding = counted(|| assert_eq!(Instructions::new(&codec, &code).filter(|i| i.what.is_ok()).count(), found));
        assert_eq!(decoding, 0, "{target}");
        // Some immediates are put together in texts of their own: far fewer than there are instructions.
        assert!(all * 10 < found, "{target}: {all} of {found}");
    }
}
