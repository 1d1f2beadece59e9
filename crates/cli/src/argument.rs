//! Arguments of a kernel as the command line has them.

use crate::array::{Array, Fill};
use crate::plan::PlanArgument;
use crate::{image, npy, tensor_map};
use isa::Type;
use lockstep::{Parameter, value};
use std::path::{Path, PathBuf};

/// What the help of `run` says about them.
pub const HELP: &str = "\
Arguments of the kernel, in the order of its parameters:
  1000  -1  2.5  0x1f  0f3f800000   a scalar of the parameter's type
  2.5f  -1:s64  0.5:f16             a scalar of its own type
  bytes:00ff3c                      bytes as they are, such as a structure passed by value
  @x.npy                            an array from a file of numpy.save
  @x.bin:f32                        an array from raw bytes
  zeros:f32:1024                    an array of zeros
  arange:s32:1024                   0, 1, 2 ...
  random:f32:16x16:seed=7           evenly distributed: floats in [0, 1), integers over all values
  values:s32:3,1,2                  these values
  tensormap:ARRAY,box=[64,32],...   a tensor map of an array, or of the one that is argument N: tensormap:N,...
  image:ARRAY,rgba,unorm8,...       an image of an array, or of the one that is argument N: image:N,...
  sampler:linear,edge               how images are sampled
  multimem:N:ARRAY                  a multicast address of an array, or of the one that is argument M (multimem:N:M): the array is N
                                    equal parts, each the memory of one of N devices
An array is passed by its address, printed afterwards if the kernel changed it, and written to a file if
`:out=FILE.npy` (or `:out=FILE`, raw) follows: zeros:f32:1024:out=y.npy";

/// An argument.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A scalar or bytes.
    Plain(PlanArgument),
    /// An array and where to write it.
    Array(Array, Option<PathBuf>),
    /// A tensor map of an array, and where to write that.
    TensorMap(tensor_map::Written, Array, Option<PathBuf>),
    /// A multicast address of an array of so many devices, and where to write that.
    Multimem(usize, Array, Option<PathBuf>),
    /// A multicast address of the array that is the argument with the second number.
    MultimemOf(usize, usize),
    /// A tensor map of the array that is the argument with this number.
    TensorMapOf(tensor_map::Written, usize),
    /// An image of an array, and where to write that.
    Image(image::Written, Array, Option<PathBuf>),
    /// An image of the array that is the argument with this number.
    ImageOf(image::Written, usize),
}

/// An argument from its text; files are looked for in `folder`.
///
/// # Errors
/// Why it is none, in words.
pub fn parse(text: &str, folder: &Path) -> Result<Argument, String> {
    if let Some(hex) = text.strip_prefix("bytes:") {
        return bytes(hex).map(|bytes| Argument::Plain(PlanArgument::Bytes(bytes)));
    }
    if let Some(map) = text.strip_prefix(tensor_map::PREFIX) {
        let written = tensor_map::parse(map)?;
        return Ok(match described(&written.source, "a tensor map can describe", folder)? {
            Described::Other(number) => Argument::TensorMapOf(written, number),
            Described::Own(array, out) => Argument::TensorMap(written, array, out),
        });
    }
    if let Some(text) = text.strip_prefix(image::PREFIX) {
        let written = image::parse(text)?;
        return Ok(match described(&written.source, "can be an image", folder)? {
            Described::Other(number) => Argument::ImageOf(written, number),
            Described::Own(array, out) => Argument::Image(written, array, out),
        });
    }
    if let Some(text) = text.strip_prefix(image::SAMPLER) {
        return image::sampler(text).map(|sampler| Argument::Plain(PlanArgument::Sampler(sampler)));
    }
    if let Some(rest) = text.strip_prefix(MULTIMEM) {
        let (devices, source) = multimem(rest)?;
        if let Ok(number) = source.parse() {
            return Ok(Argument::MultimemOf(devices, number));
        }
        if !is_array(source) {
            return Err(format!("`{source}` is no array that devices can have"));
        }
        return array(source, folder).map(|(array, out)| Argument::Multimem(devices, array, out));
    }
    if is_array(text) {
        return array(text, folder).map(|(array, out)| Argument::Array(array, out));
    }
    scalar(text).map(Argument::Plain)
}

/// What every multicast address begins with.
pub const MULTIMEM: &str = "multimem:";

/// The number of devices and the array of a multicast address without its prefix.
///
/// # Errors
/// There is none, in words.
pub fn multimem(text: &str) -> Result<(usize, &str), String> {
    let parts = text.split_once(':').and_then(|(devices, array)| Some((devices.parse().ok()?, array)));
    parts.ok_or_else(|| "a multicast address has a number of devices and an array: multimem:4:zeros:f32:4x1024".to_owned())
}

/// What a tensor map or an image is of.
enum Described {
    /// The argument with this number.
    Other(usize),
    /// An array of its own, and where to write that.
    Own(Array, Option<PathBuf>),
}

/// What the text before the fields of a tensor map or an image stands for; `role` says what an array would do.
fn described(source: &str, role: &str, folder: &Path) -> Result<Described, String> {
    if let Ok(number) = source.parse() {
        return Ok(Described::Other(number));
    }
    if !is_array(source) {
        return Err(format!("`{source}` is no array that {role}"));
    }
    array(source, folder).map(|(array, out)| Described::Own(array, out))
}

fn is_array(text: &str) -> bool {
    ["@", "zeros:", "arange:", "random:", "values:"].iter().any(|kind| text.starts_with(kind))
}

/// A scalar, with its type if it is written with one.
pub fn scalar(text: &str) -> Result<PlanArgument, String> {
    if let Some((number, name)) = text.rsplit_once(':') {
        let ty = type_named(name)?;
        value::parse(number, ty)?;
        return Ok(PlanArgument::Scalar(number.to_owned(), Some(ty)));
    }
    let decimal = !text.starts_with("0x") && !text.starts_with("0f") && !text.starts_with("0d");
    if let Some(number) = text.strip_suffix('f').filter(|n| decimal && n.parse::<f32>().is_ok() && !n.ends_with("in")) {
        return Ok(PlanArgument::Scalar(number.to_owned(), Some(type_named("f32")?)));
    }
    let number =
        text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.') || ["inf", "nan", "true", "false"].contains(&text);
    if !number {
        return Err(format!(
            "`{text}` is no argument: a number, @FILE, zeros:TYPE:N, arange:TYPE:N, random:TYPE:N, values:TYPE:V,..., tensormap:ARRAY,..., image:ARRAY,..., sampler:..., multimem:N:ARRAY or bytes:HEX is"
        ));
    }
    Ok(PlanArgument::Scalar(text.to_owned(), None))
}

/// A type of the table.
pub fn type_named(name: &str) -> Result<&'static Type, String> {
    let table = lockstep::table().map_err(|e| e.to_string())?;
    table.type_named(name).ok_or_else(|| {
        let near = isa::Table::nearest(name, table.types.iter().map(|t| t.name));
        let hint = near.first().map_or(String::new(), |n| format!("; did you mean `{n}`?"));
        format!("there is no type `{name}`{hint}")
    })
}

/// Bytes from hexadecimal digits.
pub fn bytes(hex: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u8> = hex.bytes().filter(|b| *b != b'_').collect();
    let byte =
        |pair: &[u8]| str::from_utf8(pair).ok().filter(|p| !p.starts_with('+')).and_then(|p| u8::from_str_radix(p, 16).ok());
    let all: Option<Vec<u8>> = digits.chunks(2).map(|pair| byte(pair).filter(|_| pair.len() == 2)).collect();
    all.ok_or_else(|| "bytes: takes pairs of hexadecimal digits".to_owned())
}

/// Options behind an array, from the right.
#[derive(Default)]
struct Options<'a> {
    out: Option<PathBuf>,
    seed: Option<&'a str>,
    parts: Vec<&'a str>,
}

fn options(text: &str) -> Options<'_> {
    let mut options = Options::default();
    for part in text.split(':') {
        if let Some(file) = part.strip_prefix("out=") {
            options.out = Some(file.into());
        } else if let Some(seed) = part.strip_prefix("seed=") {
            options.seed = Some(seed);
        } else {
            options.parts.push(part);
        }
    }
    options
}

/// An array, and where to write it.
fn array(text: &str, folder: &Path) -> Result<(Array, Option<PathBuf>), String> {
    let Options { out, seed, parts } = options(text);
    let array = match parts[..] {
        [file] if file.starts_with('@') => file_array(&folder.join(&file[1..]), None)?,
        [file, ty] if file.starts_with('@') => file_array(&folder.join(&file[1..]), Some(type_named(ty)?))?,
        ["values", ty, list] => Array::of_texts(type_named(ty)?, list.split(','))?,
        [kind, ty, shape] => {
            let fill = match (kind, seed) {
                ("zeros", _) => Fill::Zeros,
                ("arange", _) => Fill::Arange,
                (_, seed) => {
                    let seed = seed.map_or(Ok(0), str::parse).map_err(|_| "seed= takes a whole number".to_owned());
                    Fill::Random(seed?)
                }
            };
            Array::filled(type_named(ty)?, shape_of(shape)?, fill)?
        }
        _ => return Err(format!("`{text}` is no array: write @FILE, @FILE:TYPE, or KIND:TYPE:SHAPE as in zeros:f32:1024")),
    };
    Ok((array, out))
}

/// `16x16` or `1024`.
fn shape_of(text: &str) -> Result<Vec<usize>, String> {
    let dimension = |d: &str| d.parse().map_err(|_| format!("`{text}` is no shape: write 1024 or 16x16"));
    text.split('x').map(dimension).collect()
}

/// The array in a file: npy by its name's end, else raw, which needs a type.
///
/// # Errors
/// Why it cannot be read, in words.
pub fn file_array(path: &Path, ty: Option<&'static Type>) -> Result<Array, String> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|e| format!("cannot read {shown}: {e}"))?;
    let table = lockstep::table().map_err(|e| e.to_string())?;
    let found = if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy")) {
        npy::read(&bytes, |name| table.type_named(name)).and_then(|array| match ty {
            Some(ty) => npy::typed(array, ty),
            None => Ok(array),
        })
    } else {
        let ty = ty.ok_or_else(|| format!("{shown} holds raw bytes: say of what type, as in @{shown}:f32"))?;
        Array::of_bytes(ty, bytes)
    };
    found.map_err(|why| format!("{shown}: {why}"))
}

/// A scalar's bytes for a parameter.
///
/// # Errors
/// It is no value of the parameter's type, in words.
pub fn scalar_bytes(text: &str, ty: Option<&'static Type>, parameter: &Parameter) -> Result<Vec<u8>, String> {
    let own = match ty {
        Some(ty) => ty,
        None if parameter.array => {
            return Err(format!("the parameter is {} bytes passed by value: write bytes:HEX", parameter.size));
        }
        // The launch says what such a parameter takes.
        None if lockstep::is_described(parameter.ty) => return Ok(Vec::new()),
        None => {
            // A declaration .u32 says nothing about signs: compilers write it for int as well.
            let declared = type_named(parameter.ty)?;
            match declared.class {
                isa::Class::Integer if !declared.signed() => type_named(&format!("b{}", declared.bits))?,
                _ => declared,
            }
        }
    };
    let bits = value::parse(text, own)?;
    Ok(bits.to_le_bytes()[..own.bits.div_ceil(8) as usize].to_vec())
}
