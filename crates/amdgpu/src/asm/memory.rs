//! Lines that were an instruction and nothing else, with what became of them: programs say the same again and again.
//!
//! Only such are remembered that no symbol decided, and only the last of them, each at a place that follows from its text, so that no text makes
//! this slow.

use super::Encoded;
use super::lex::Lexer;

/// The lines that are remembered.
#[derive(Default)]
pub(super) struct Memory {
    known: Vec<Known>,
}

/// A line with its end, filled up with zeros, and how many bytes it has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    words: [u64; Line::WORDS],
    len: u32,
}

/// A line that was an instruction: where the mnemonic stands in it, and what became of it, of which nothing is open.
#[derive(Clone, Copy)]
struct Known {
    line: Line,
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
        let mut words = [0; Line::WORDS];
        for (at, (word, bytes)) in words.iter_mut().zip(rest.as_chunks().0).enumerate() {
            *word = u64::from_le_bytes(*bytes);
            // The lowest byte that is the end of a line has its highest bit set here, and none below it has.
            let others = *word ^ NEW_LINES;
            let ends = others.wrapping_sub(0x0101_0101_0101_0101) & !others & 0x8080_8080_8080_8080;
            if ends != 0 {
                let last = ends.trailing_zeros();
                *word &= u64::MAX >> (63 - last);
                return Some(Line { words, len: at as u32 * 8 + last / 8 + 1 });
            }
        }
        None
    }

    /// Bytes with the end.
    pub fn len(&self) -> u32 {
        self.len
    }

    fn place(&self) -> usize {
        let mix = |mixed: u64, word: &u64| (mixed.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (self.words.iter().fold(0, mix) >> 52) as usize % Memory::SIZE
    }
}

impl Memory {
    const SIZE: usize = 1 << 12;

    /// What became of a line: the instruction, and where in the line its mnemonic begins and ends.
    pub fn recall(&self, line: &Line) -> Option<(Encoded, (u32, u32))> {
        let known = self.known.get(line.place()).filter(|known| known.line == *line)?;
        let (bytes, len, vgprs, sgprs) = (known.bytes, known.len, known.vgprs.into(), known.sgprs.into());
        let mnemonic = (known.mnemonic.0.into(), known.mnemonic.1.into());
        Some((Encoded { bytes, len, vgprs, sgprs, is_settled: true, ..Encoded::default() }, mnemonic))
    }

    /// Remembers a line that was this instruction and nothing else.
    pub fn remember(&mut self, line: Line, encoded: &Encoded, mnemonic: (u32, u32)) {
        let (Ok(vgprs), Ok(sgprs)) = (u16::try_from(encoded.vgprs), u16::try_from(encoded.sgprs)) else { return };
        let mnemonic = (mnemonic.0 as u8, mnemonic.1 as u8);
        let known = Known { line, mnemonic, bytes: encoded.bytes, len: encoded.len, vgprs, sgprs };
        if self.known.is_empty() {
            // No line is this.
            let nothing = Line { words: [0; Line::WORDS], len: 0 };
            self.known = vec![Known { line: nothing, ..known }; Memory::SIZE];
        }
        self.known[line.place()] = known;
    }
}
