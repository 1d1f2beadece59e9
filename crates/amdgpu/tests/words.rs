//! Random words on every target: they decode without harm, and what is printed is mostly read back as the same bits.

use amdgpu::codec::Codec;
use isa::amdgpu::Table;
use isa::amdgpu::words::Words;

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

/// No word makes anything panic or read beyond its bytes.
#[test]
fn random_words_do_no_harm() {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 32
    };
    let (mut decoded, mut same) = (0, 0);
    for target in &table().targets {
        let codec = on(target);
        let entries = codec.entries();
        for i in 0..4000 {
            let bits =
                u128::from(random()) | u128::from(random()) << 32 | u128::from(random()) << 64 | u128::from(random()) << 96;
            let entry = &entries[random() as usize % entries.len()];
            let word = if i % 4 == 0 { bits } else { bits & !entry.mask & !entry.unused | entry.value | entry.unused_value };
            let bytes = word.to_le_bytes();
            let length = 4 + random() as usize % 13;
            let Ok(found) = codec.decode(&bytes[..length]) else { continue };
            assert!(usize::from(found.size) <= length);
            let mut text = String::new();
            codec.print(&found, &mut text);
            decoded += 1;
            same += usize::from(assemble(&codec, &text).is_ok_and(|b| b == bytes[..usize::from(found.size)]));
        }
    }
    // Among random bits are those that have no text of their own: other names of the same number, sums of flags.
    assert!(decoded > 20_000, "only {decoded} words are instructions");
    assert!(same * 10 > decoded * 8, "only {same} of {decoded} words are read back as they were");
}
