//! Formats of memory by the numbers that descriptors and instructions have for them: what the table calls a number, as the code that
//! `semantics::format` executes.

use ::amdgpu::codec::Codec;
use isa::amdgpu::words::{Name, Spelling, Words};
use semantics::format;

/// Where the names of a kind of formats are: lists of `isa/amdgpu/words.isa`, each looked at where those before have no name for a number.
struct Lists<'a> {
    /// Of numbers that name widths and interpretation together.
    unified: &'a [&'a str],
    /// Of widths, in the lowest bits of a number, and how many these are.
    widths: (&'a [&'a str], u32),
    /// Of interpretations, in the bits above.
    numbers: &'a [&'a str],
}

/// The formats of a target's buffers.
///
/// # Errors
/// What is wrong with the table.
pub fn buffers(codec: &Codec) -> Result<Vec<u32>, String> {
    let lists = Lists { unified: &["unified_formats"], widths: (&["data_formats"], 4), numbers: &["number_formats"] };
    Ok(lists.codes(Words::get().map_err(|problems| problems.to_string())?, codec, 128))
}

/// The formats of a target's images, which are those of buffers and more.
pub fn images(words: &Words, codec: &Codec) -> Vec<u32> {
    let lists = Lists {
        unified: &["image_formats", "unified_formats"],
        widths: (&["image_data_formats", "data_formats"], 6),
        numbers: &["image_number_formats", "number_formats"],
    };
    lists.codes(words, codec, 1024)
}

/// How texels lie in blocks of a target's images, as `machine::state::Images` has it.
pub fn blocks(words: &Words, codec: &Codec) -> Vec<[Vec<(u8, u8)>; 5]> {
    let order = |mode: u32, texel: u32| {
        let (bytes, order) = named(words, codec, "image_swizzles", mode)?.split_once('_')?;
        let lowest = named(words, codec, &format!("image_order_{order}"), 1 << texel)?;
        let count = bytes.parse::<u32>().ok()?.checked_ilog2()?.checked_sub(texel)? as usize;
        Some(in_block(lowest, count))
    };
    (0..32).map(|mode| std::array::from_fn(|texel| order(mode, texel as u32).unwrap_or_default())).collect()
}

/// So many bits of coordinates: those that are named, behind them of y and of x in turns.
fn in_block(named: &str, count: usize) -> Vec<(u8, u8)> {
    let axis = |name: u8| name.wrapping_sub(b'x');
    let mut bits: Vec<(u8, u8)> = named.as_bytes().chunks_exact(2).map(|bit| (axis(bit[0]), bit[1].wrapping_sub(b'0'))).collect();
    for axis in [1, 0].into_iter().cycle().take(count.saturating_sub(bits.len())) {
        let next = bits.iter().filter(|bit| bit.0 == axis).count() as u8;
        bits.push((axis, next));
    }
    bits
}

impl Lists<'_> {
    /// The codes of numbers below `count`; 0 for those that are no format.
    fn codes(&self, words: &Words, codec: &Codec, count: u32) -> Vec<u32> {
        let named = |lists: &[&str], number: u32| lists.iter().find_map(|list| named(words, codec, list, number)).unwrap_or("");
        let code = |number: u32| match codec.has("oob_select") {
            true => {
                let name = named(self.unified, number).trim_start_matches("BUF_FMT_");
                let (widths, numbers) = name.rsplit_once('_').unwrap_or_default();
                format::code(widths, numbers)
            }
            false => {
                let (lists, bits) = self.widths;
                let widths = named(lists, number & ((1 << bits) - 1)).trim_start_matches("BUF_DATA_FORMAT_");
                format::code(widths, named(self.numbers, number >> bits).trim_start_matches("BUF_NUM_FORMAT_"))
            }
        };
        (0..count).map(code).collect()
    }
}

/// The spelling of a number on the codec's target.
fn named(words: &Words, codec: &Codec, list: &str, number: u32) -> Option<&'static str> {
    let fits = |name: &&Name| name.values.contains(&number) && name.targets.has(codec.target);
    match words.names(list)?.list.iter().find(fits)?.spelling {
        Spelling::Word(word) => Some(word),
        _ => None,
    }
}
