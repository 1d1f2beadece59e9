//! The text that device printf writes: C's conversions over a buffer of promoted arguments.
//!
//! ISO C17, 7.21.6.1, and the CUDA C++ Programming Guide, "Formatted output": `%[flags][width][.precision][size]type`, no `n`. The
//! caller supplies arguments and strings, so nothing here knows about memory.

/// Where arguments come from, in order.
pub trait Arguments {
    /// The next argument of 4 bytes.
    fn word(&mut self) -> u32;
    /// The next argument of 8 bytes.
    fn double_word(&mut self) -> u64;
    /// The string at an address; `None` if it cannot be read.
    fn string(&mut self, address: u64) -> Option<Vec<u8>>;
}

/// A conversion's flags, width and precision.
#[derive(Clone, Copy, Default)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Bits of an integer argument as its size says.
    bits: u32,
}

/// Widths beyond this are cut: a mistyped argument must not exhaust memory.
const WIDEST: usize = 4096;

/// Formats; also how many conversions took an argument.
pub fn format(format: &[u8], arguments: &mut dyn Arguments) -> (Vec<u8>, u32) {
    let (mut out, mut count, mut rest) = (Vec::new(), 0, format);
    while let Some(at) = rest.iter().position(|b| *b == b'%') {
        out.extend(&rest[..at]);
        let after = &rest[at + 1..];
        let (conversion, used) = parse(after, arguments);
        let Some(kind) = after.get(used) else {
            out.extend(&rest[at..]);
            return (out, count);
        };
        rest = &after[used + 1..];
        if *kind == b'%' {
            out.push(b'%');
            continue;
        }
        match convert(*kind, conversion, arguments) {
            Some(text) => {
                count += 1;
                out.extend(text);
            }
            // Not a conversion: written as it stands.
            None => {
                out.push(b'%');
                out.extend(&after[..=used]);
            }
        }
    }
    out.extend(rest);
    (out, count)
}

/// Reads flags, width, precision and size; how many bytes they take.
fn parse(text: &[u8], arguments: &mut dyn Arguments) -> (Conversion, usize) {
    let mut c = Conversion { bits: 32, ..Conversion::default() };
    let mut at = 0;
    while let Some(flag) = text.get(at) {
        match flag {
            b'-' => c.left = true,
            b'+' => c.plus = true,
            b' ' => c.space = true,
            b'#' => c.alternate = true,
            b'0' => c.zero = true,
            _ => break,
        }
        at += 1;
    }
    if text.get(at) == Some(&b'*') {
        let width = arguments.word() as i32;
        c.left |= width < 0;
        c.width = width.unsigned_abs() as usize;
        at += 1;
    } else {
        c.width = number(text, &mut at);
    }
    c.width = c.width.min(WIDEST);
    if text.get(at) == Some(&b'.') {
        at += 1;
        if text.get(at) == Some(&b'*') {
            c.precision = usize::try_from(arguments.word() as i32).ok();
            at += 1;
        } else {
            c.precision = Some(number(text, &mut at));
        }
        c.precision = c.precision.map(|p| p.min(WIDEST));
    }
    for (size, bits) in [("hh", 8), ("h", 16), ("ll", 64), ("l", 64), ("j", 64), ("z", 64), ("t", 64), ("L", 64)] {
        if text[at..].starts_with(size.as_bytes()) {
            c.bits = bits;
            at += size.len();
            break;
        }
    }
    (c, at)
}

fn number(text: &[u8], at: &mut usize) -> usize {
    let mut n = 0usize;
    while let Some(digit) = text.get(*at).filter(|b| b.is_ascii_digit()) {
        n = n.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        *at += 1;
    }
    n
}

fn convert(kind: u8, c: Conversion, arguments: &mut dyn Arguments) -> Option<Vec<u8>> {
    let mut integer = || if c.bits == 64 { arguments.double_word() } else { u64::from(arguments.word()) };
    Some(match kind {
        b'd' | b'i' => {
            let shift = 64 - c.bits;
            let value = ((integer() << shift) as i64) >> shift;
            let digits = value.unsigned_abs().to_string();
            whole(c, sign(c, value < 0), "", digits)
        }
        b'u' | b'o' | b'x' | b'X' => {
            let value = integer() & (u64::MAX >> (64 - c.bits));
            unsigned(kind, c, value)
        }
        b'c' => pad(c, "", vec![integer() as u8], false),
        b's' => {
            let address = arguments.double_word();
            let mut text = arguments.string(address).unwrap_or_else(|| b"(null)".to_vec());
            text.truncate(c.precision.unwrap_or(text.len()));
            pad(c, "", text, false)
        }
        b'p' => {
            let digits = format!("{:x}", arguments.double_word());
            pad(c, "", format!("0x{digits}").into_bytes(), false)
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => float(kind, c, f64::from_bits(arguments.double_word())),
        _ => return None,
    })
}

fn unsigned(kind: u8, c: Conversion, value: u64) -> Vec<u8> {
    let digits = match kind {
        b'u' => value.to_string(),
        b'o' => format!("{value:o}"),
        b'x' => format!("{value:x}"),
        _ => format!("{value:X}"),
    };
    let prefix = match kind {
        b'x' if c.alternate && value != 0 => "0x",
        b'X' if c.alternate && value != 0 => "0X",
        _ => "",
    };
    let digits = if kind == b'o' && c.alternate && value != 0 { format!("0{digits}") } else { digits };
    whole(c, "", prefix, digits)
}

/// An integer: at least as many digits as the precision says; zeros fill only without one.
fn whole(c: Conversion, sign: &str, prefix: &str, digits: String) -> Vec<u8> {
    let least = c.precision.unwrap_or(1);
    let digits = if least == 0 && digits == "0" { String::new() } else { format!("{digits:0>least$}") };
    pad(c, &format!("{sign}{prefix}"), digits.into_bytes(), c.zero && c.precision.is_none())
}

fn sign(c: Conversion, negative: bool) -> &'static str {
    match (negative, c.plus, c.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

/// Fills up to the width: zeros between sign and digits, or spaces on either side.
fn pad(c: Conversion, before: &str, text: Vec<u8>, zeros: bool) -> Vec<u8> {
    let fill = c.width.saturating_sub(before.len() + text.len());
    let mut out = Vec::with_capacity(c.width.max(text.len()));
    if !c.left && !zeros {
        out.resize(fill, b' ');
    }
    out.extend(before.as_bytes());
    if !c.left && zeros {
        out.resize(out.len() + fill, b'0');
    }
    out.extend(text);
    if c.left {
        out.resize(out.len() + fill, b' ');
    }
    out
}

fn float(kind: u8, c: Conversion, value: f64) -> Vec<u8> {
    let sign = sign(c, value.is_sign_negative());
    let magnitude = value.abs();
    if !value.is_finite() {
        let text = if value.is_nan() { "nan" } else { "inf" };
        let text = if kind.is_ascii_uppercase() { text.to_uppercase() } else { text.to_owned() };
        return pad(c, sign, text.into_bytes(), false);
    }
    let text = match kind.to_ascii_lowercase() {
        b'f' => fixed(magnitude, c.precision.unwrap_or(6), c.alternate),
        b'e' => scientific(magnitude, c.precision.unwrap_or(6), c.alternate),
        b'g' => general(magnitude, c),
        _ => {
            let digits = hexadecimal(magnitude, c.precision, c.alternate);
            let (prefix, digits) = if kind == b'A' { ("0X", digits.to_uppercase()) } else { ("0x", digits) };
            return pad(c, &format!("{sign}{prefix}"), digits.into_bytes(), c.zero);
        }
    };
    let text = if kind.is_ascii_uppercase() { text.to_uppercase() } else { text };
    pad(c, sign, text.into_bytes(), c.zero)
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$}");
    if point && precision == 0 { text + "." } else { text }
}

fn scientific(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if point && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}{point}e{sign}{:02}", exponent.unsigned_abs())
}

fn general(value: f64, c: Conversion) -> String {
    let precision = c.precision.unwrap_or(6).max(1);
    let text = format!("{value:.*e}", precision - 1);
    let exponent: i32 = text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let text = if exponent < -4 || exponent >= precision as i32 {
        scientific(value, precision - 1, c.alternate)
    } else {
        fixed(value, (precision as i32 - 1 - exponent).max(0) as usize, c.alternate)
    };
    if c.alternate {
        return text;
    }
    let (digits, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    format!("{digits}{exponent}")
}

/// `1.8p+1`: the leading digit is 1, or 0 for zero and subnormal numbers.
fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    let bits = value.to_bits();
    let (biased, mut fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
    let mut lead = u64::from(biased != 0);
    let exponent = match (biased, fraction) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => biased - 1023,
    };
    if let Some(digits) = precision.filter(|p| *p < 13) {
        let dropped = 4 * (13 - digits) as u32;
        let whole = lead << 52 | fraction;
        let (kept, rest, half) = (whole >> dropped, whole & ((1 << dropped) - 1), 1u64 << (dropped - 1));
        let up = rest > half || rest == half && kept & 1 != 0;
        let rounded = (kept + u64::from(up)) << dropped;
        lead = rounded >> 52;
        fraction = rounded & ((1 << 52) - 1);
    }
    let mut digits = format!("{fraction:013x}");
    match precision {
        Some(p) => {
            digits.truncate(p);
            digits = format!("{digits:0<p$}");
        }
        None => digits.truncate(digits.trim_end_matches('0').len()),
    }
    let dot = if digits.is_empty() && !point { "" } else { "." };
    format!("{lead}{dot}{digits}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Given(Vec<u64>);

    impl Arguments for Given {
        fn word(&mut self) -> u32 {
            self.0.remove(0) as u32
        }
        fn double_word(&mut self) -> u64 {
            self.0.remove(0)
        }
        fn string(&mut self, _: u64) -> Option<Vec<u8>> {
            Some(b"text".to_vec())
        }
    }

    /// Expected texts are glibc's.
    #[test]
    fn as_c_does() {
        let f = f64::to_bits;
        for (text, given, expected) in [
            ("%d|%5d|%-5d|%05d|%+d", vec![-7i64 as u64, 42, 42, 42, 42], "-7|   42|42   |00042|+42"),
            ("%x %#X %o %#o", vec![255, 255, 8, 8], "ff 0XFF 10 010"),
            ("%.3d|%.0d|%u", vec![5, 0, u32::MAX.into()], "005||4294967295"),
            ("%hhd %hd %lld", vec![200, 40000, u64::MAX], "-56 -25536 -1"),
            ("%f %.0f %#.0f", vec![f(3.5), f(2.5), f(2.5)], "3.500000 2 2."),
            ("%e %.2E", vec![f(12345.678), f(0.0)], "1.234568e+04 0.00E+00"),
            ("%g %g %g %g %#g", vec![f(100000.0), f(1e6), f(0.0001), f(1e-5), f(1.0)], "100000 1e+06 0.0001 1e-05 1.00000"),
            ("%a %.1a", vec![f(-2.71875), f(1.96875)], "-0x1.5cp+1 0x2.0p+0"),
            ("%5s|%-6s|%.2s|%c", vec![0, 0, 0, 65], " text|text  |te|A"),
            ("%*d|%-*d|%.*f", vec![4, 7, 4, 7, 1, f(0.25)], "   7|7   |0.2"),
            ("100%% %q", vec![], "100% %q"),
        ] {
            let (out, _) = format(text.as_bytes(), &mut Given(given));
            assert_eq!(String::from_utf8_lossy(&out), expected, "{text}");
        }
    }
}
