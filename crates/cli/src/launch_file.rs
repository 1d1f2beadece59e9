//! The launch file: modules, buffers, launches and what must come out, as TOML.
//!
//! CONTRIBUTING.md describes it for people. Unknown keys are errors; every error names its line.

use crate::argument;
use crate::array::{Array, Fill, Tolerance};
use crate::plan::{Expected, Plan, PlanArgument, PlanBuffer, PlanLaunch};
use crate::{image, tensor_map};
use diagnostics::{Diagnostic, Source, Span};
use lockstep::{Error, Problem};
use serde::Deserialize;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: Option<String>,
    module: Spanned<Vec<String>>,
    gpu: Option<String>,
    expect_stdout: Option<String>,
    expect_error: Option<String>,
    stdout_varies: Option<String>,
    #[serde(default)]
    buffer: Vec<Spanned<BufferTable>>,
    launch: Vec<Spanned<LaunchTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BufferTable {
    name: String,
    #[serde(rename = "type")]
    ty: Spanned<String>,
    file: Option<Spanned<String>>,
    shape: Option<Vec<usize>>,
    fill: Option<Spanned<String>>,
    seed: Option<u64>,
    values: Option<Spanned<Vec<toml::Value>>>,
    expect: Option<Spanned<String>>,
    expect_values: Option<Spanned<Vec<toml::Value>>>,
    tolerance: Option<Tolerance>,
    varies: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LaunchTable {
    kernel: String,
    grid: Vec<u32>,
    block: Vec<u32>,
    #[serde(default)]
    shared: u32,
    cluster: Option<Vec<u32>>,
    #[serde(default)]
    dependent: bool,
    #[serde(default)]
    args: Vec<Spanned<String>>,
}

/// Why a launch file is wrong: where, what, and what to do.
struct Wrong(Range<usize>, String, String);

/// Reads a launch file.
///
/// # Errors
/// What is wrong with it, with the line.
pub fn read(path: &Path, text: &str) -> Result<Plan, Error> {
    let parsed = toml::from_str::<File>(text);
    let parsed = parsed.map_err(|error| {
        let help = "CONTRIBUTING.md describes launch files, examples/ has some";
        Wrong(error.span().unwrap_or(0..0), error.message().trim_end().to_owned(), help.into())
    });
    let source = Arc::new(Source::new(path.display().to_string(), text));
    parsed.and_then(|file| plan(path, &source, file)).map_err(|Wrong(at, message, help)| {
        let diagnostic = Diagnostic::error("", span(&at), message).help(help);
        Error::new(vec![Problem { diagnostic, source: source.clone() }])
    })
}

fn span(range: &Range<usize>) -> Span {
    Span::new(range.start as u32, range.end as u32)
}

fn plan(path: &Path, source: &Arc<Source>, file: File) -> Result<Plan, Wrong> {
    let folder = path.parent().unwrap_or(Path::new(""));
    if file.module.get_ref().is_empty() {
        let help = "name one or several PTX files: module = [\"saxpy.ptx\"]".into();
        return Err(Wrong(file.module.span(), "a launch file needs a module".into(), help));
    }
    unique_names(&file.buffer)?;
    let buffers = file.buffer.iter().map(|b| buffer(folder, b)).collect::<Result<Vec<_>, _>>()?;
    let launches = file.launch.iter().map(|l| launch(&buffers, source, l)).collect::<Result<Vec<_>, _>>()?;
    Ok(Plan {
        title: file.title.unwrap_or_else(|| path.display().to_string()),
        modules: file.module.get_ref().iter().map(|m| folder.join(m)).collect(),
        gpu: file.gpu,
        buffers,
        launches,
        expect_stdout: file.expect_stdout,
        expect_error: file.expect_error,
        stdout_varies: file.stdout_varies,
    })
}

/// Launches name buffers, so two of one name would be taken for each other.
fn unique_names(buffers: &[Spanned<BufferTable>]) -> Result<(), Wrong> {
    let again = |i: &usize| buffers[..*i].iter().any(|b| b.get_ref().name == buffers[*i].get_ref().name);
    match (0..buffers.len()).find(again) {
        None => Ok(()),
        Some(i) => {
            let message = format!("two buffers are called `{}`", buffers[i].get_ref().name);
            Err(Wrong(buffers[i].span(), message, "give each buffer its own name".into()))
        }
    }
}

fn buffer(folder: &Path, table: &Spanned<BufferTable>) -> Result<PlanBuffer, Wrong> {
    let at = |span: Range<usize>| move |why: String| Wrong(span, why, "see CONTRIBUTING.md, launch files".into());
    let (span, table) = (table.span(), table.get_ref());
    let ty = argument::type_named(table.ty.get_ref()).map_err(at(table.ty.span()))?;
    let array = match (&table.file, &table.values, &table.shape) {
        (Some(file), None, None) => argument::file_array(&folder.join(file.get_ref()), Some(ty)).map_err(at(file.span()))?,
        (None, Some(values), None) => array_of(ty, values).map_err(at(values.span()))?,
        (None, None, Some(shape)) => {
            let fill = fill(table)?;
            Array::filled(ty, shape.clone(), fill).map_err(at(span))?
        }
        _ => {
            let message = format!("buffer `{}` needs exactly one of file, values and shape", table.name);
            return Err(at(span)(message));
        }
    };
    let expected = match (&table.expect, &table.expect_values) {
        (None, None) => None,
        (Some(file), None) => Some(argument::file_array(&folder.join(file.get_ref()), Some(ty)).map_err(at(file.span()))?),
        (None, Some(values)) => Some(array_of(ty, values).map_err(at(values.span()))?),
        (Some(_), Some(values)) => return Err(at(values.span())("expect and expect_values exclude each other".into())),
    };
    let expected = expected.map(|array| Expected { array, tolerance: table.tolerance });
    Ok(PlanBuffer { name: table.name.clone(), array, expected, out: None, varies: table.varies.clone() })
}

fn fill(table: &BufferTable) -> Result<Fill, Wrong> {
    match table.fill.as_ref().map(|f| (f.get_ref().as_str(), f.span())) {
        None | Some(("zeros", _)) => Ok(Fill::Zeros),
        Some(("arange", _)) => Ok(Fill::Arange),
        Some(("random", _)) => Ok(Fill::Random(table.seed.unwrap_or(0))),
        Some((other, span)) => Err(Wrong(span, format!("there is no fill `{other}`"), "zeros, arange and random exist".into())),
    }
}

fn array_of(ty: &'static isa::Type, values: &Spanned<Vec<toml::Value>>) -> Result<Array, String> {
    let texts: Vec<String> = values.get_ref().iter().map(literal).collect();
    Array::of_texts(ty, texts.iter().map(String::as_str))
}

fn literal(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Integer(n) => n.to_string(),
        toml::Value::Float(x) => format!("{x:?}"),
        toml::Value::Boolean(yes) => yes.to_string(),
        other => other.type_str().to_owned(),
    }
}

fn launch(buffers: &[PlanBuffer], source: &Arc<Source>, table: &Spanned<LaunchTable>) -> Result<PlanLaunch, Wrong> {
    let (place, table) = (table.span(), table.get_ref());
    let shape = |name: &str, given: &[u32]| match *given {
        [x] => Ok([x, 1, 1]),
        [x, y] => Ok([x, y, 1]),
        [x, y, z] => Ok([x, y, z]),
        _ => Err(Wrong(place.clone(), format!("{name} has one to three numbers"), format!("{name} = [4, 1, 1]"))),
    };
    let argument = |text: &Spanned<String>| {
        if let Some(index) = buffers.iter().position(|b| b.name == *text.get_ref()) {
            return Ok(PlanArgument::Buffer(index));
        }
        if let Some(map) = text.get_ref().strip_prefix(tensor_map::PREFIX) {
            return tensor_map(buffers, map).map_err(|(message, help)| Wrong(text.span(), message, help));
        }
        if let Some(image) = text.get_ref().strip_prefix(image::PREFIX) {
            return image_of(buffers, image).map_err(|(message, help)| Wrong(text.span(), message, help));
        }
        if let Some(sampler) = text.get_ref().strip_prefix(image::SAMPLER) {
            let wrong = |why| Wrong(text.span(), why, "`lockstep run --help` says how samplers are written".into());
            return image::sampler(sampler).map(PlanArgument::Sampler).map_err(wrong);
        }
        if let Some(rest) = text.get_ref().strip_prefix(argument::MULTIMEM) {
            let help = "args = [\"multimem:4:x\"] is a multicast address of buffer x, which four devices have".to_owned();
            let (devices, name) = argument::multimem(rest).map_err(|why| Wrong(text.span(), why, help))?;
            let index = buffers.iter().position(|b| b.name == name).ok_or_else(|| {
                Wrong(
                    text.span(),
                    format!("the multicast address is of `{name}`, which is no buffer"),
                    which_buffer(buffers, name),
                )
            })?;
            return Ok(PlanArgument::Multimem(index, devices));
        }
        let parsed = match text.get_ref().strip_prefix("bytes:") {
            Some(hex) => argument::bytes(hex).map(PlanArgument::Bytes),
            None => argument::scalar(text.get_ref()),
        };
        parsed.map_err(|_| {
            let message = format!("`{}` is neither a buffer nor a scalar", text.get_ref());
            Wrong(text.span(), message, which_buffer(buffers, text.get_ref()))
        })
    };
    Ok(PlanLaunch {
        kernel: table.kernel.clone(),
        grid: shape("grid", &table.grid)?,
        block: shape("block", &table.block)?,
        shared: table.shared,
        cluster: table.cluster.as_ref().map(|cluster| shape("cluster", cluster)).transpose()?,
        dependent: table.dependent,
        arguments: table.args.iter().map(argument).collect::<Result<_, _>>()?,
        place: Some((source.clone(), span(&place))),
    })
}

/// What helps who named a buffer that does not exist.
fn which_buffer(buffers: &[PlanBuffer], name: &str) -> String {
    let names: Vec<&str> = buffers.iter().map(|b| b.name.as_str()).collect();
    let near = isa::Table::nearest(name, names.iter().copied());
    near.first().map_or_else(|| format!("the buffers are {}", names.join(", ")), |n| format!("did you mean `{n}`?"))
}

/// The buffer that a tensor map or an image is of.
fn described(buffers: &[PlanBuffer], what: &str, name: &str) -> Result<usize, (String, String)> {
    let missing = || (format!("the {what} is of `{name}`, which is no buffer"), which_buffer(buffers, name));
    buffers.iter().position(|buffer| buffer.name == name).ok_or_else(missing)
}

/// A tensor map of one of the buffers; what is wrong and what helps otherwise.
fn tensor_map(buffers: &[PlanBuffer], text: &str) -> Result<PlanArgument, (String, String)> {
    let fail = |why: String| (format!("tensor map: {why}"), "`lockstep run --help` lists its fields".to_owned());
    let written = tensor_map::parse(text).map_err(fail)?;
    let index = described(buffers, "tensor map", &written.source)?;
    let fields = written.fields(&buffers[index].array).map_err(fail)?;
    Ok(PlanArgument::TensorMap(index, Box::new(fields)))
}

/// An image of one of the buffers; what is wrong and what helps otherwise.
fn image_of(buffers: &[PlanBuffer], text: &str) -> Result<PlanArgument, (String, String)> {
    let fail = |why: String| (format!("image: {why}"), "`lockstep run --help` says how images are written".to_owned());
    let written = image::parse(text).map_err(fail)?;
    let index = described(buffers, "image", &written.source)?;
    let fields = written.fields(&buffers[index].array).map_err(fail)?;
    Ok(PlanArgument::Image(index, fields))
}
