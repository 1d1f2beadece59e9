//! Numbers onto the end of a text, without a detour through formatting.

/// All numbers of three digits one behind the other.
const DIGITS: [u8; 3000] = {
    let mut digits = [0; 3000];
    let mut value = 0;
    while value < 1000 {
        digits[3 * value] = b'0' + (value / 100) as u8;
        digits[3 * value + 1] = b'0' + (value / 10 % 10) as u8;
        digits[3 * value + 2] = b'0' + (value % 10) as u8;
        value += 1;
    }
    digits
};
static DECIMAL: &str = match std::str::from_utf8(&DIGITS) {
    Ok(text) => text,
    Err(_) => "",
};
static HEXADECIMAL: &str = "0123456789abcdef";

/// A decimal number.
pub(crate) fn push_decimal(out: &mut String, value: impl Into<u64>) {
    let value = value.into();
    if value >= 1000 {
        push_decimal(out, value / 1000);
        let from = 3 * (value % 1000) as usize;
        return out.push_str(&DECIMAL[from..from + 3]);
    }
    let zeros = usize::from(value < 10) + usize::from(value < 100);
    let from = 3 * value as usize;
    out.push_str(&DECIMAL[from + zeros..from + 3]);
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
    out.push_str("0x");
    push_digits(out, value, (64 - value.leading_zeros()).div_ceil(4).max(1));
}

/// So many hexadecimal digits.
pub(crate) fn push_digits(out: &mut String, value: u64, count: u32) {
    for i in (0..count).rev() {
        let digit = (value >> (4 * i) & 15) as usize;
        out.push_str(&HEXADECIMAL[digit..digit + 1]);
    }
}
