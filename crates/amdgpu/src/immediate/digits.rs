//! Numbers onto the end of a text, without a detour through formatting.

/// A short text of ASCII that is put together before it goes to the end of another: one copy instead of many.
pub(crate) struct Short {
    bytes: [u8; 64],
    length: usize,
}

impl Short {
    pub(crate) fn new() -> Short {
        Short { bytes: [0; 64], length: 0 }
    }

    /// Adds a byte of ASCII; what has no room is lost.
    #[inline]
    pub(crate) fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
    }

    #[inline]
    pub(crate) fn decimal(&mut self, value: u64) {
        if value >= 1000 {
            return self.long_decimal(value);
        }
        let value = value as u16;
        if value >= 100 {
            self.push(b'0' + (value / 100) as u8);
        }
        if value >= 10 {
            self.push(b'0' + (value / 10 % 10) as u8);
        }
        self.push(b'0' + (value % 10) as u8);
    }

    fn long_decimal(&mut self, value: u64) {
        if value >= 10 {
            self.long_decimal(value / 10);
        }
        self.push(b'0' + (value % 10) as u8);
    }

    #[inline]
    pub(crate) fn end(&self, out: &mut String) {
        out.push_str(std::str::from_utf8(&self.bytes[..self.length]).unwrap_or(""));
    }
}

/// A part of a line: bytes of ASCII, of which only the first count.
pub(crate) type Piece = [u8; 16];

/// The end of a text, put together before it is written: pieces are copied whole, and looked at once whether they are text.
pub(crate) struct Line<'o> {
    bytes: Aligned<128>,
    length: usize,
    out: &'o mut String,
}

/// Bytes that are looked at eight by eight.
#[repr(align(16))]
pub(crate) struct Aligned<const N: usize>(pub [u8; N]);

impl<const N: usize> Aligned<N> {
    /// The first so many bytes, which are ASCII like all others.
    #[inline]
    pub(crate) fn text(&self, length: usize) -> &str {
        let whole = length.next_multiple_of(16).min(N);
        std::str::from_utf8(&self.0[..whole]).ok().and_then(|text| text.get(..length)).unwrap_or("")
    }
}

impl<'o> Line<'o> {
    #[inline]
    pub(crate) fn new(out: &'o mut String) -> Line<'o> {
        Line { bytes: Aligned([0; 128]), length: 0, out }
    }

    /// Adds the first bytes of a piece.
    #[inline(always)]
    pub(crate) fn push(&mut self, piece: &Piece, length: usize) {
        if self.bytes.0.get(self.length..).is_none_or(|rest| rest.len() < piece.len()) {
            self.write();
        }
        if let Some(place) = self.bytes.0.get_mut(self.length..).and_then(|rest| rest.first_chunk_mut()) {
            *place = *piece;
        }
        self.length += length.min(piece.len());
    }

    /// The text, with all that was added.
    #[inline]
    pub(crate) fn text(&mut self) -> &mut String {
        self.write();
        self.out
    }

    fn write(&mut self) {
        self.out.push_str(self.bytes.text(self.length));
        self.length = 0;
    }
}

/// The numbers from 0 to 999, one behind the other.
const SMALL: [u8; 2890] = {
    let (mut bytes, mut at, mut number) = ([0; 2890], 0, 0);
    while number < 1000 {
        if number >= 100 {
            bytes[at] = b'0' + (number / 100) as u8;
            at += 1;
        }
        if number >= 10 {
            bytes[at] = b'0' + (number / 10 % 10) as u8;
            at += 1;
        }
        bytes[at] = b'0' + (number % 10) as u8;
        (at, number) = (at + 1, number + 1);
    }
    bytes
};

/// They are looked at once, when this is compiled, whether they are text.
static SMALL_TEXT: &str = match std::str::from_utf8(&SMALL) {
    Ok(text) => text,
    Err(_) => "",
};

/// A decimal number below 1000; of others nothing.
#[inline]
pub(crate) fn small(number: u16) -> &'static str {
    let number = usize::from(number);
    let (start, digits) = match number {
        0..10 => (number, 1),
        10..100 => (10 + (number - 10) * 2, 2),
        _ => (190 + (number - 100) * 3, 3),
    };
    SMALL_TEXT.get(start..start + digits).unwrap_or("")
}

/// A decimal number.
pub(crate) fn push_decimal(out: &mut String, value: impl Into<u64>) {
    let value = value.into();
    if value < 1000 {
        return out.push_str(small(value as u16));
    }
    let mut short = Short::new();
    short.decimal(value);
    short.end(out);
}

/// A decimal number with its sign.
pub(crate) fn push_signed(out: &mut String, value: i64) {
    if value < 0 {
        out.push('-');
    }
    push_decimal(out, value.unsigned_abs());
}

/// A hexadecimal number with its `0x`.
pub(crate) fn push_hexadecimal(out: &mut String, value: impl Into<u64>) {
    let value = value.into();
    let digits: [u8; 16] = std::array::from_fn(|i| b"0123456789abcdef"[(value >> (60 - 4 * i) & 15) as usize]);
    let zeros = (value.leading_zeros() / 4).min(15) as usize;
    out.push_str("0x");
    out.push_str(std::str::from_utf8(&digits[zeros..]).unwrap_or(""));
}

/// Eight hexadecimal digits in upper case.
#[inline]
pub(crate) fn upper(value: u32) -> [u8; 8] {
    // A digit to each byte, the highest in the lowest.
    let spread = |value: u64, by: u32, mask: u64| (value | value << by) & mask;
    let digits = spread(u64::from(value), 16, 0x0000_ffff_0000_ffff);
    let digits = spread(digits, 8, 0x00ff_00ff_00ff_00ff);
    let digits = spread(digits, 4, 0x0f0f_0f0f_0f0f_0f0f);
    // One for each digit above 9: `A` lies seven behind what would follow `9`.
    let letters = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
    (digits + 0x3030_3030_3030_3030 + letters * 7).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::{small, upper};

    #[test]
    fn hexadecimal_digits_are_those_of_the_formatter() {
        for value in (0..32).flat_map(|bit| [1u32 << bit, u32::MAX >> bit, 0x9abc_def0_u32.rotate_left(bit)]) {
            assert_eq!(upper(value), format!("{value:08X}").as_bytes());
        }
    }

    #[test]
    fn small_numbers_are_written_as_they_are() {
        assert!((0..1000).all(|number| small(number) == number.to_string()));
        assert_eq!(small(1000), "");
    }
}
