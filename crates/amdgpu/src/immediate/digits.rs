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

    pub(crate) fn push_str(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.push(byte));
    }

    #[inline]
    pub(crate) fn decimal(&mut self, value: u64) {
        if value >= 10 {
            self.decimal(value / 10);
        }
        self.push(b'0' + (value % 10) as u8);
    }

    /// So many hexadecimal digits.
    #[inline]
    pub(crate) fn digits(&mut self, value: u64, count: u32, letters: &[u8; 16]) {
        (0..count).rev().for_each(|i| self.push(letters[(value >> (4 * i) & 15) as usize]));
    }

    /// So many hexadecimal digits in upper case, and more if there are more.
    #[inline]
    pub(crate) fn upper_digits(&mut self, value: u64, count: u32) {
        self.digits(value, hexadecimal_digits(value).max(count), b"0123456789ABCDEF");
    }

    #[inline]
    pub(crate) fn end(&self, out: &mut String) {
        out.push_str(std::str::from_utf8(&self.bytes[..self.length]).unwrap_or(""));
    }
}

fn hexadecimal_digits(value: u64) -> u32 {
    (64 - value.leading_zeros()).div_ceil(4).max(1)
}

/// A decimal number.
pub(crate) fn push_decimal(out: &mut String, value: impl Into<u64>) {
    let value = value.into();
    if value < 10 {
        return out.push(char::from(b'0' + value as u8));
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
    let mut short = Short::new();
    short.push_str("0x");
    short.digits(value, hexadecimal_digits(value), b"0123456789abcdef");
    short.end(out);
}
