//! Numbers and strings as bytes.

/// The bits of a real number of 32 or 64 bits, rounded once to the nearest, ties to even; none if the text is no number.
pub fn real(text: &str, bits: u32) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        return hexadecimal(digits, bits);
    }
    // Rust's parser takes names and signs too, which are the caller's.
    if !text.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    match bits {
        32 => text.parse().ok().map(|value: f32| u64::from(value.to_bits())),
        _ => text.parse().ok().map(|value: f64| value.to_bits()),
    }
}

/// The same of what stands behind `0x`: digits, a point, digits, `p` and an exponent of two.
fn hexadecimal(text: &str, bits: u32) -> Option<u64> {
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let exponent: i64 = match exponent.parse::<i64>() {
        Ok(exponent) => exponent.clamp(-100_000, 100_000),
        Err(_) => return None,
    };
    let (mut mantissa, mut scale, mut is_cut) = (0u64, exponent, false);
    for (at, digit) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u64::from(digit.to_digit(16)?);
        let is_whole = at < whole.len();
        if mantissa >> 60 == 0 {
            mantissa = mantissa << 4 | digit;
            scale -= if is_whole { 0 } else { 4 };
        } else {
            is_cut |= digit != 0;
            scale += if is_whole { 4 } else { 0 };
        }
    }
    Some(rounded(mantissa, is_cut, scale, bits))
}

/// `mantissa * 2^scale`, slightly more if something was cut off, as a number of 32 or 64 bits.
fn rounded(mantissa: u64, is_cut: bool, scale: i64, bits: u32) -> u64 {
    let (precision, bias) = if bits == 32 { (24u32, 127i64) } else { (53, 1023) };
    if mantissa == 0 {
        return 0;
    }
    let mantissa_top = mantissa << mantissa.leading_zeros();
    let exponent = scale + 63 - i64::from(mantissa.leading_zeros());
    let infinity = ((2 * bias + 1) as u64) << (precision - 1);
    if exponent > bias {
        return infinity;
    }
    // A subnormal number keeps fewer bits.
    let lost = (1 - bias - exponent).clamp(0, i64::from(precision) + 1);
    let kept = i64::from(precision) - lost;
    if kept < 0 {
        return 0;
    }
    let shift = 64 - kept as u32;
    let (quotient, rest, half) = match shift {
        64 => (0, mantissa_top, 1 << 63),
        _ => (mantissa_top >> shift, mantissa_top & ((1 << shift) - 1), 1u64 << (shift - 1)),
    };
    let is_up = rest > half || rest == half && (is_cut || quotient & 1 == 1);
    let quotient = quotient + u64::from(is_up);
    // The leading bit of a normal number adds one to the exponent's field, and so does a carry.
    let field = if lost > 0 { 0 } else { (exponent + bias - 1) as u64 };
    (field << (precision - 1)) + quotient
}

/// Why a string has no bytes: the byte where its bad escape begins, and what is bad about it.
pub type BadEscape = (usize, &'static str);

/// The bytes that the contents of a string mean: escapes `\b \f \n \r \t \" \\`, up to three octal digits, or `\x` and hexadecimal
/// ones, of which the last two count.
pub fn unescaped(contents: &str, bytes: &mut Vec<u8>) -> Result<(), BadEscape> {
    let text = contents.as_bytes();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\\' {
            if byte != b'\n' || at < 2 || text[at - 2] != b'\r' {
                bytes.push(byte);
            }
            continue;
        }
        let start = at - 1;
        let Some(&escape) = text.get(at) else { return Err((start, "nothing follows this backslash")) };
        at += 1;
        bytes.push(match escape {
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'"' | b'\\' => escape,
            b'x' | b'X' => {
                let digits = text[at..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
                if digits == 0 {
                    return Err((start, "`\\x` needs hexadecimal digits"));
                }
                let value = text[at..at + digits].iter().fold(0u8, |value, byte| {
                    value.wrapping_mul(16).wrapping_add(char::from(*byte).to_digit(16).unwrap_or(0) as u8)
                });
                at += digits;
                value
            }
            b'0'..=b'7' => {
                let digits = text[at..].iter().take(2).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                let value = text[at - 1..at + digits].iter().fold(0, |value, byte| value * 8 + u32::from(byte - b'0'));
                at += digits;
                u8::try_from(value).map_err(|_| (start, "an octal escape goes up to `\\377`"))?
            }
            _ => return Err((start, "no such escape")),
        });
    }
    Ok(())
}

/// The bytes of a text in base 64 (RFC 4648, section 4).
pub fn base64(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits = text.strip_suffix("==").or(text.strip_suffix('=')).unwrap_or(text).as_bytes();
    if !text.len().is_multiple_of(4) || digits.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in digits.chunks(4) {
        let mut value = 0u32;
        for at in 0..4 {
            value = value << 6 | u32::from(group.get(at).map_or(Some(0), |byte| digit(*byte))?);
        }
        bytes.extend_from_slice(&value.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}

/// The value of a whole number of up to 128 bits, written in any base.
pub fn wide(text: &str) -> Option<u128> {
    let (digits, base) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', b'b' | b'B', ..] => (&text[2..], 2),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    u128::from_str_radix(digits, base).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values by hand from IEEE 754.
    #[test]
    fn real_numbers_are_rounded_once() {
        assert_eq!(real("0x1p3", 32), Some(0x4100_0000));
        assert_eq!(real("0x1.8p0", 64), Some(0x3ff8_0000_0000_0000));
        assert_eq!(real("0x1.000001p0", 32), Some(0x3f80_0000), "a tie goes to even");
        assert_eq!(real("0x1.0000011p0", 32), Some(0x3f80_0001));
        assert_eq!(real("0x1.ffffffp0", 32), Some(0x4000_0000), "a carry");
        assert_eq!(real("0x1p-149", 32), Some(1));
        assert_eq!(real("0x1p-150", 32), Some(0));
        assert_eq!(real("0x1.8p-150", 32), Some(1));
        assert_eq!(real("0x1p-126", 32), Some(0x0080_0000));
        assert_eq!(real("0x1p128", 32), Some(0x7f80_0000));
        assert_eq!(real("0x1p-1074", 64), Some(1));
        assert_eq!(real("0x10000000000000000000p-76", 64), Some(0x3ff0_0000_0000_0000));
        assert_eq!(real("1e400", 64), Some(0x7ff0_0000_0000_0000));
        assert_eq!(real("1.", 32), Some(0x3f80_0000));
        assert_eq!(real(".5", 32), Some(0x3f00_0000));
        assert_eq!((real("1e", 32), real("inf", 32), real("0x10", 32)), (None, None, None));
    }

    #[test]
    fn escapes_are_bytes() {
        let bytes = |text| {
            let mut bytes = Vec::new();
            unescaped(text, &mut bytes).map(|()| bytes)
        };
        assert_eq!(bytes(r#"a\n\x4142\101\0\"\\"#), Ok(vec![b'a', b'\n', 0x42, b'A', 0, b'"', b'\\']));
        assert_eq!(bytes("ab\\q"), Err((2, "no such escape")));
        assert!(bytes("\\").is_err() && bytes("\\xg").is_err() && bytes("\\400").is_err());
        assert_eq!(wide("0xffffffffffffffffffffffffffffffff"), Some(u128::MAX));
        assert_eq!(wide("0x1ffffffffffffffffffffffffffffffff"), None);
        assert_eq!((wide("0b11"), wide("017"), wide("0"), wide("12")), (Some(3), Some(15), Some(0), Some(12)));
    }
}
