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
    let digits: [u8; 16] = std::array::from_fn(|i| b"0123456789abcdef"[(value >> (60 - 4 * i) & 15) as usize]);
    let zeros = (value.leading_zeros() / 4).min(15) as usize;
    out.push_str("0x");
    out.push_str(std::str::from_utf8(&digits[zeros..]).unwrap_or(""));
}

/// So many hexadecimal digits in upper case.
#[inline]
pub(crate) fn push_upper<const N: usize>(out: &mut String, value: u64) {
    let digits: [u8; N] = std::array::from_fn(|i| b"0123456789ABCDEF"[(value >> (4 * (N - 1 - i)) & 15) as usize]);
    out.push_str(std::str::from_utf8(&digits).unwrap_or(""));
}
