//! Numbers onto the end of a text, without a detour through formatting.

/// A decimal number.
pub(crate) fn push_decimal(out: &mut String, value: u32) {
    let mut buffer = [0; 10];
    let mut at = buffer.len();
    let mut rest = value;
    loop {
        at -= 1;
        buffer[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend(buffer[at..].iter().map(|&b| char::from(b)));
}

/// A hexadecimal number with its `0x`.
pub(crate) fn push_hexadecimal(out: &mut String, value: u32) {
    out.push_str("0x");
    let digits = (32 - value.leading_zeros()).div_ceil(4).max(1);
    for i in (0..digits).rev() {
        out.push(char::from_digit(value >> (4 * i) & 15, 16).unwrap_or('0'));
    }
}
