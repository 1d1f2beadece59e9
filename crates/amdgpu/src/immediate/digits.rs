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

/// So many hexadecimal digits in upper case.
#[inline]
pub(crate) fn push_upper<const N: usize>(out: &mut String, value: u64) {
    let digits: [u8; N] = std::array::from_fn(|i| b"0123456789ABCDEF"[(value >> (4 * (N - 1 - i)) & 15) as usize]);
    out.push_str(std::str::from_utf8(&digits).unwrap_or(""));
}

#[cfg(test)]
mod tests {
    use super::small;

    #[test]
    fn small_numbers_are_written_as_they_are() {
        assert!((0..1000).all(|number| small(number) == number.to_string()));
        assert_eq!(small(1000), "");
    }
}
