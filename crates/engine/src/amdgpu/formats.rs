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
