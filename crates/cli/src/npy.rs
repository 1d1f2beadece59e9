//! The npy format of numpy arrays, versions 1 to 3, little- and big-endian numbers; no objects, no structures.
//!
//! Follows numpy's description of the format (numpy.lib.format).

use crate::array::Array;
use isa::Type;

const MAGIC: &[u8] = b"\x93NUMPY";

/// Kinds of numpy's type descriptions with their bytes, and our types.
const KINDS: &[(&str, &str)] = &[
    ("b1", "u8"),
    ("u1", "u8"),
    ("i1", "s8"),
    ("u2", "u16"),
    ("i2", "s16"),
    ("u4", "u32"),
    ("i4", "s32"),
    ("u8", "u64"),
    ("i8", "s64"),
    ("f2", "f16"),
    ("f4", "f32"),
    ("f8", "f64"),
    ("V16", "b128"),
];

/// The kind and our type in which a file holds elements of a type: unsigned integers or bytes of its width where numpy lacks it.
fn held_as(ty: &Type) -> Option<&'static (&'static str, &'static str)> {
    let unsigned = match ty.bits {
        8 => "u1",
        16 => "u2",
        32 => "u4",
        64 => "u8",
        _ => "V16",
    };
    let own = KINDS.iter().skip(1).find(|k| k.1 == ty.name);
    own.or_else(|| KINDS.iter().find(|k| k.0 == unsigned))
}

/// The array of a file as elements of the type that its reader wants.
///
/// # Errors
/// The file holds another one, in words.
pub fn typed(array: Array, ty: &'static Type) -> Result<Array, String> {
    match held_as(ty) {
        Some((_, name)) if *name == array.ty.name => Ok(Array { ty, ..array }),
        Some((_, name)) if *name != ty.name => {
            Err(format!("the file holds {}, not {}, which numpy lacks and a file holds as {name}", array.ty.name, ty.name))
        }
        _ => Err(format!("the file holds {}, not {}", array.ty.name, ty.name)),
    }
}

/// The array in a file's bytes.
///
/// # Errors
/// Why it is none, in words.
pub fn read(bytes: &[u8], find: impl Fn(&str) -> Option<&'static Type>) -> Result<Array, String> {
    let (header, data) = split(bytes).ok_or("this is no npy file (numpy.save writes one)")?;
    let description = after(header, "'descr':").and_then(quoted).ok_or("the npy header has no simple 'descr'")?;
    let (order, kind) = description.split_at_checked(1).unwrap_or(("", ""));
    let name = KINDS.iter().find(|k| k.0 == kind).map(|k| k.1);
    let ty = name
        .and_then(find)
        .ok_or_else(|| format!("the npy type `{description}` is not supported: numbers of 8 to 64 bits are"))?;
    let shape = after(header, "'shape':").and_then(shape).ok_or("the npy header has no 'shape'")?;
    if after(header, "'fortran_order':").is_some_and(|t| t.trim_start().starts_with("True")) && shape.len() > 1 {
        return Err("the array is stored in Fortran order: save numpy.ascontiguousarray of it".into());
    }
    let size = ty.bits as usize / 8;
    let length = shape.iter().try_fold(size, |n, d| n.checked_mul(*d)).filter(|n| *n <= data.len());
    let length = length.ok_or("the npy file is shorter than its shape says")?;
    if length < data.len() {
        return Err(format!("{} bytes follow the {length} of the array that the npy header describes", data.len() - length));
    }
    let mut bytes = data.to_vec();
    if order == ">" {
        bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    Ok(Array { ty, shape, bytes })
}

/// Header text and data.
fn split(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (version, rest) = rest.split_at_checked(2)?;
    let (length, rest) = match version[0] {
        1 => (u16::from_le_bytes(*rest.first_chunk()?) as usize, &rest[2..]),
        2 | 3 => (u32::from_le_bytes(*rest.first_chunk()?) as usize, &rest[4..]),
        _ => return None,
    };
    let (header, data) = rest.split_at_checked(length)?;
    Some((str::from_utf8(header).ok()?, data))
}

fn after<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    header.split_once(key).map(|(_, rest)| rest)
}

fn quoted(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix('\'')?.split_once('\'').map(|(inner, _)| inner)
}

fn shape(text: &str) -> Option<Vec<usize>> {
    let (inner, _) = text.trim_start().strip_prefix('(')?.split_once(')')?;
    inner.split(',').map(str::trim).filter(|d| !d.is_empty()).map(|d| d.parse().ok()).collect()
}

/// An array as the bytes of a file. Types that numpy lacks are written as unsigned integers of their width, of 128 bits as bytes.
pub fn write(array: &Array) -> Vec<u8> {
    let kind = held_as(array.ty).map_or("V1", |k| k.0);
    let order = if matches!(array.ty.bits, 8 | 128) { '|' } else { '<' };
    let dimensions: String = array.shape.iter().map(|d| format!("{d}, ")).collect();
    let dimensions = if array.shape.len() == 1 { dimensions.trim_end() } else { dimensions.trim_end_matches(", ") };
    let mut header = format!("{{'descr': '{order}{kind}', 'fortran_order': False, 'shape': ({dimensions}), }}");
    // Data begin at a multiple of 64, after a line's end.
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(&array.bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(name: &str) -> Option<&'static Type> {
        isa::Table::get().ok()?.type_named(name)
    }

    /// `numpy.save` of `numpy.arange(3, dtype='<i2')`, numpy 2.1.
    #[test]
    fn numpy_reads_and_writes_the_same() {
        let mut file = b"\x93NUMPY\x01\x00v\x00{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }".to_vec();
        file.resize(127, b' ');
        file.push(b'\n');
        file.extend([0, 0, 1, 0, 2, 0]);
        let array = read(&file, find).unwrap();
        assert_eq!((array.ty.name, &array.shape[..], &array.bytes[..]), ("s16", &[3][..], &[0, 0, 1, 0, 2, 0][..]));
        assert_eq!(write(&array), file);
    }

    /// `array` as a file, read as elements of another type.
    fn read_as(array: &Array, ty: &str) -> Result<Array, String> {
        typed(read(&write(array), find).unwrap(), find(ty).unwrap())
    }

    #[test]
    fn files_of_another_type_are_errors() {
        let array = |ty: &str| Array::of_bytes(find(ty).unwrap(), vec![0; 16]).unwrap();
        assert!(read_as(&array("f32"), "f32").is_ok());
        for other in ["u32", "s32", "b32", "f64", "f16x2"] {
            assert!(read_as(&array("f32"), other).is_err(), "{other}");
        }
        // numpy has neither bf16 nor b128.
        for (ty, held) in [("bf16", "u16"), ("f16x2", "u32"), ("b128", "b128")] {
            assert!(read_as(&array(ty), ty).is_ok(), "{ty}");
            assert_eq!(read(&write(&array(ty)), find).unwrap().ty.name, held);
        }
        assert!(read_as(&array("s16"), "bf16").is_err());
    }

    #[test]
    fn bytes_behind_the_data_are_an_error() {
        let mut file = write(&Array::of_bytes(find("u8").unwrap(), vec![1, 2, 3]).unwrap());
        assert!(read(&file, find).is_ok());
        file.push(0);
        assert!(read(&file, find).is_err_and(|why| why.contains("1 bytes follow the 3")));
    }

    #[test]
    fn broken_files_are_errors() {
        for bytes in [&b""[..], b"\x93NUMPY", b"\x93NUMPY\x01\x00\xff\xff", b"\x93NUMPY\x01\x00\x02\x00{}"] {
            assert!(read(bytes, find).is_err());
        }
    }
}
