//! Random words on every target: they decode without harm, and what is printed is mostly read back as the same bits.
//!
//! Longest run so far, 2026-11-30: eleven minutes, 1,365,000 words on 39 targets, of which 828,816 are instructions; 714,348 are read back as the
//! same bytes, and the others are reported as what an assembler writes otherwise.

use amdgpu::codec::Codec;
use isa::amdgpu::Table;
use isa::amdgpu::words::Words;
use std::time::Instant;

fn table() -> &'static Table {
    Table::get().unwrap_or_else(|problems| panic!("{problems}"))
}

fn on(target: &str) -> Codec {
    let words = Words::get().unwrap_or_else(|problems| panic!("{problems}"));
    Codec::new(table(), words, target, None).unwrap()
}

fn assemble(codec: &Codec, text: &str) -> Result<Vec<u8>, String> {
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
    let assembled = codec.assemble(mnemonic, operands, &|_| None).map_err(|p| p.message)?;
    let (bytes, length) = assembled.bytes();
    Ok(bytes[..length].to_vec())
}

/// What has come of words.
#[derive(Debug, Default)]
struct Tally {
    words: u64,
    instructions: u64,
    /// Instructions whose text is read back as the same bytes; the others are reported.
    same: u64,
}

/// So many words on each target, of 4 to 24 bytes: a quarter random, the others random operands of some form. None makes anything panic or read
/// beyond its bytes, and a text is read back as the same bytes or reported.
fn fuzz(codecs: &[Codec], count: u32, state: &mut u64, tally: &mut Tally) {
    let mut random = || {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 32
    };
    let mut text = String::new();
    for codec in codecs {
        let entries = codec.entries();
        for i in 0..count {
            let bits =
                u128::from(random()) | u128::from(random()) << 32 | u128::from(random()) << 64 | u128::from(random()) << 96;
            let entry = &entries[random() as usize % entries.len()];
            let word = if i % 4 == 0 { bits } else { bits & !entry.mask & !entry.unused | entry.value | entry.unused_value };
            let mut bytes = [0; 24];
            bytes[..16].copy_from_slice(&word.to_le_bytes());
            bytes[16..].copy_from_slice(&(random() | random() << 32).to_le_bytes());
            let length = 4 + random() as usize % 21;
            tally.words += 1;
            let Ok(found) = codec.decode(&bytes[..length]) else { continue };
            let size = usize::from(found.size);
            assert!(size <= length);
            text.clear();
            codec.print(&found, &mut text);
            tally.instructions += 1;
            let same = assemble(codec, &text).is_ok_and(|b| b == bytes[..size]);
            assert_eq!(codec.canonical(&found, &text), same, "{text}: {:02x?}", &bytes[..size]);
            tally.same += u64::from(same);
        }
    }
}

fn codecs() -> Vec<Codec> {
    table().targets.iter().map(|target| on(target)).collect()
}

#[test]
fn random_words_do_no_harm() {
    let mut tally = Tally::default();
    fuzz(&codecs(), 4000, &mut 1, &mut tally);
    // Among random bits are those that have no text of their own: other names of the same number, sums of flags.
    assert!(tally.instructions > 20_000, "{tally:?}");
    assert!(tally.same * 10 > tally.instructions * 8, "{tally:?}");
}

#[test]
#[ignore = "runs ten minutes; LOCKSTEP_FUZZ_SECONDS sets another time, LOCKSTEP_FUZZ_SEED another seed"]
fn random_words_do_no_harm_for_minutes() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seconds = number("LOCKSTEP_FUZZ_SECONDS").unwrap_or(600);
    let (codecs, start, mut tally) = (codecs(), Instant::now(), Tally::default());
    let mut state = number("LOCKSTEP_FUZZ_SEED").unwrap_or(2);
    while start.elapsed().as_secs() < seconds {
        fuzz(&codecs, 1000, &mut state, &mut tally);
    }
    println!("{tally:?}");
}
