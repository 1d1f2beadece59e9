//! Lines that were an instruction and nothing else, with what became of them: programs say the same again and again.
//!
//! Only such are remembered that no symbol decided.

use super::Encoded;
use super::lex::Lexer;
use crate::recent::{Recent, mix};

/// The lines that are remembered.
#[derive(Default)]
pub(super) struct Memory {
    known: Recent<Text, Known, { 1 << 12 }>,
}

/// A line with its end, filled up with zeros: bytes, and how many there are.
type Text = ([u64; Line::WORDS], u32);

/// A line and a number that its text makes.
#[derive(Clone, Copy)]
pub(super) struct Line {
    text: Text,
    mixed: u64,
}

/// An instruction of which nothing is open, and where its mnemonic stands in the line.
#[derive(Clone, Copy)]
struct Known {
    mnemonic: (u8, u8),
    bytes: [u8; 20],
    len: u8,
    vgprs: u16,
    sgprs: u16,
}

impl Line {
    const WORDS: usize = 8;

    /// The line that begins where a lexer stands, if it ends soon.
    #[inline]
    pub fn at(lexer: &Lexer) -> Option<Line> {
        const NEW_LINES: u64 = 0x0a0a_0a0a_0a0a_0a0a;
        let rest = lexer.text().as_bytes().get(lexer.position() as usize..)?;
        let (mut words, mut mixed) = ([0; Line::WORDS], 0u64);
        for (at, (word, bytes)) in words.iter_mut().zip(rest.as_chunks().0).enumerate() {
            *word = u64::from_le_bytes(*bytes);
            // The lowest byte that is the end of a line has its highest bit set here, and none below it has.
            let others = *word ^ NEW_LINES;
            let ends = others.wrapping_sub(0x0101_0101_0101_0101) & !others & 0x8080_8080_8080_8080;
            let last = ends.trailing_zeros();
            *word &= u64::MAX >> (63 - last.min(63));
            mixed = mix(mixed, *word);
            if ends != 0 {
                return Some(Line { text: (words, at as u32 * 8 + last / 8 + 1), mixed });
            }
        }
        None
    }

    /// Bytes with the end.
    pub fn len(&self) -> u32 {
        self.text.1
    }
}

impl Memory {
    /// What became of a line: the instruction, and where in the line its mnemonic begins and ends.
    #[inline]
    pub fn recall(&self, line: &Line) -> Option<(Encoded, (u32, u32))> {
        let known = self.known.get(&line.text, line.mixed)?;
        let (bytes, len, vgprs, sgprs) = (known.bytes, known.len, known.vgprs.into(), known.sgprs.into());
        let mnemonic = (known.mnemonic.0.into(), known.mnemonic.1.into());
        Some((Encoded { bytes, len, vgprs, sgprs, is_settled: true, ..Encoded::default() }, mnemonic))
    }

    /// Remembers a line that was this instruction and nothing else.
    pub fn remember(&mut self, line: Line, encoded: &Encoded, mnemonic: (u32, u32)) {
        let (Ok(vgprs), Ok(sgprs)) = (u16::try_from(encoded.vgprs), u16::try_from(encoded.sgprs)) else { return };
        let mnemonic = (mnemonic.0 as u8, mnemonic.1 as u8);
        let known = Known { mnemonic, bytes: encoded.bytes, len: encoded.len, vgprs, sgprs };
        self.known.put(line.text, line.mixed, known);
    }
}
