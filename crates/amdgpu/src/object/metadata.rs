//! Metadata: the note in which a code object tells the runtime about its kernels.
//!
//! A MessagePack map; [`Metadata`] has what AMDGPUUsage ("Code Object V3 Metadata" to V6) names, and the map itself, so that
//! nothing unknown is lost. [`Metadata::from_yaml`] takes the text of `.amdgpu_metadata`, checks it as LLVM does, and gives the
//! same bytes.

use super::error::{Error, Result};
use super::yaml;
use rmpv::Value;

/// What a metadata note says.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// `amdhsa.version`: 1.0 is code object V3, 1.1 V4, 1.2 V5 and V6.
    pub version: Option<[u64; 2]>,
    /// `amdhsa.target`, since V4.
    pub target: Option<String>,
    /// `amdhsa.printf`.
    pub printf: Vec<String>,
    /// `amdhsa.kernels`.
    pub kernels: Vec<KernelMetadata>,
    /// The whole map.
    pub raw: Value,
}

/// What metadata says about a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelMetadata {
    /// `.name`: the name in the source.
    pub name: String,
    /// `.symbol`: the descriptor's symbol.
    pub symbol: String,
    /// `.kind`: `normal` if it is not told, `init`, `fini`.
    pub kind: Option<String>,
    /// `.language`.
    pub language: Option<String>,
    /// `.language_version`.
    pub language_version: Option<[u64; 2]>,
    /// `.args`.
    pub arguments: Vec<Argument>,
    /// `.kernarg_segment_size`, in bytes.
    pub kernarg_segment_size: Option<u64>,
    /// `.kernarg_segment_align`, in bytes.
    pub kernarg_segment_align: Option<u64>,
    /// `.group_segment_fixed_size`: bytes of LDS.
    pub group_segment_fixed_size: Option<u64>,
    /// `.private_segment_fixed_size`: bytes of scratch of a work-item.
    pub private_segment_fixed_size: Option<u64>,
    /// `.uses_dynamic_stack`.
    pub uses_dynamic_stack: Option<bool>,
    /// `.wavefront_size`.
    pub wavefront_size: Option<u64>,
    /// `.sgpr_count`.
    pub sgpr_count: Option<u64>,
    /// `.vgpr_count`.
    pub vgpr_count: Option<u64>,
    /// `.agpr_count`.
    pub agpr_count: Option<u64>,
    /// `.sgpr_spill_count`.
    pub sgpr_spill_count: Option<u64>,
    /// `.vgpr_spill_count`.
    pub vgpr_spill_count: Option<u64>,
    /// `.max_flat_workgroup_size`: work-items of a work-group.
    pub max_flat_workgroup_size: Option<u64>,
    /// `.reqd_workgroup_size`.
    pub reqd_workgroup_size: Option<[u64; 3]>,
    /// `.workgroup_size_hint`.
    pub workgroup_size_hint: Option<[u64; 3]>,
    /// `.cluster_dims`.
    pub cluster_dims: Option<[u64; 3]>,
    /// `.vec_type_hint`.
    pub vec_type_hint: Option<String>,
    /// `.device_enqueue_symbol`.
    pub device_enqueue_symbol: Option<String>,
    /// `.workgroup_processor_mode`.
    pub workgroup_processor_mode: Option<u64>,
    /// `.uniform_work_group_size`.
    pub uniform_work_group_size: Option<u64>,
}

/// A kernel's argument.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Argument {
    /// `.name`.
    pub name: Option<String>,
    /// `.type_name`.
    pub type_name: Option<String>,
    /// `.offset` in the arguments, in bytes.
    pub offset: Option<u64>,
    /// `.size` in bytes.
    pub size: Option<u64>,
    /// `.value_kind`: `by_value`, `global_buffer`, `hidden_block_count_x` ...
    pub value_kind: Option<String>,
    /// `.value_type`, which newer compilers do not write.
    pub value_type: Option<String>,
    /// `.pointee_align`, in bytes.
    pub pointee_align: Option<u64>,
    /// `.address_space`.
    pub address_space: Option<String>,
    /// `.access` as declared.
    pub access: Option<String>,
    /// `.actual_access` as the compiler sees it.
    pub actual_access: Option<String>,
    /// `.is_const`.
    pub is_const: Option<bool>,
    /// `.is_restrict`.
    pub is_restrict: Option<bool>,
    /// `.is_volatile`.
    pub is_volatile: Option<bool>,
    /// `.is_pipe`.
    pub is_pipe: Option<bool>,
}

impl Argument {
    /// Whether the runtime provides it, not the caller.
    pub fn is_hidden(&self) -> bool {
        self.value_kind.as_deref().is_some_and(|kind| kind.starts_with("hidden_"))
    }
}

/// How deep a note's values may nest; real ones nest 5 deep.
const DEPTH: usize = 64;

impl Metadata {
    /// Reads a note's bytes.
    ///
    /// # Errors
    /// They are no MessagePack map, or what they say of a key that is known has another type.
    pub fn read(bytes: &[u8]) -> Result<Metadata> {
        let mut rest = bytes;
        let value = rmpv::decode::read_value_with_max_depth(&mut rest, DEPTH).map_err(|e| {
            let message = format!("the metadata is no MessagePack: {e}");
            Error::new(message).at((bytes.len() - rest.len()) as u64).help("the note may be truncated or damaged")
        })?;
        Metadata::of(value)
    }

    /// Reads the text of `.amdgpu_metadata`.
    ///
    /// ```
    /// use amdgpu::object::metadata::Metadata;
    ///
    /// let metadata = Metadata::from_yaml("amdhsa.version: [ 1, 2 ]\namdhsa.kernels: []\n")?;
    /// assert_eq!(Metadata::read(&metadata.write())?, metadata);
    /// # Ok::<(), amdgpu::object::Error>(())
    /// ```
    ///
    /// # Errors
    /// It is no YAML, or not what metadata must be: a key that must be there is missing, or one has a wrong value.
    pub fn from_yaml(text: &str) -> Result<Metadata> {
        let mut value = yaml::read(text)?;
        check_map(&mut value, ROOT, "the metadata")?;
        Metadata::of(value)
    }

    /// The bytes of a note.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Writing to memory cannot fail.
        let _ = rmpv::encode::write_value(&mut bytes, &self.raw);
        bytes
    }

    /// The kernel whose descriptor has this symbol.
    pub fn kernel(&self, symbol: &str) -> Option<&KernelMetadata> {
        self.kernels.iter().find(|k| k.symbol == symbol)
    }

    fn of(raw: Value) -> Result<Metadata> {
        let root = Map::of(&raw, "the metadata")?;
        let kernels = root.list("amdhsa.kernels")?.iter().map(kernel).collect::<Result<_>>()?;
        let text = |v: &Value| v.as_str().map(str::to_owned).ok_or_else(|| Error::new("amdhsa.printf has what is no text"));
        Ok(Metadata {
            version: root.numbers("amdhsa.version")?,
            target: root.text("amdhsa.target")?,
            printf: root.list("amdhsa.printf")?.iter().map(text).collect::<Result<_>>()?,
            kernels,
            raw,
        })
    }
}

fn kernel(value: &Value) -> Result<KernelMetadata> {
    let map = Map::of(value, "a kernel of the metadata")?;
    Ok(KernelMetadata {
        name: map.text(".name")?.unwrap_or_default(),
        symbol: map.text(".symbol")?.unwrap_or_default(),
        kind: map.text(".kind")?,
        language: map.text(".language")?,
        language_version: map.numbers(".language_version")?,
        arguments: map.list(".args")?.iter().map(argument).collect::<Result<_>>()?,
        kernarg_segment_size: map.number(".kernarg_segment_size")?,
        kernarg_segment_align: map.number(".kernarg_segment_align")?,
        group_segment_fixed_size: map.number(".group_segment_fixed_size")?,
        private_segment_fixed_size: map.number(".private_segment_fixed_size")?,
        uses_dynamic_stack: map.flag(".uses_dynamic_stack")?,
        wavefront_size: map.number(".wavefront_size")?,
        sgpr_count: map.number(".sgpr_count")?,
        vgpr_count: map.number(".vgpr_count")?,
        agpr_count: map.number(".agpr_count")?,
        sgpr_spill_count: map.number(".sgpr_spill_count")?,
        vgpr_spill_count: map.number(".vgpr_spill_count")?,
        max_flat_workgroup_size: map.number(".max_flat_workgroup_size")?,
        reqd_workgroup_size: map.numbers(".reqd_workgroup_size")?,
        workgroup_size_hint: map.numbers(".workgroup_size_hint")?,
        cluster_dims: map.numbers(".cluster_dims")?,
        vec_type_hint: map.text(".vec_type_hint")?,
        device_enqueue_symbol: map.text(".device_enqueue_symbol")?,
        workgroup_processor_mode: map.number(".workgroup_processor_mode")?,
        uniform_work_group_size: map.number(".uniform_work_group_size")?,
    })
}

fn argument(value: &Value) -> Result<Argument> {
    let map = Map::of(value, "an argument of the metadata")?;
    Ok(Argument {
        name: map.text(".name")?,
        type_name: map.text(".type_name")?,
        offset: map.number(".offset")?,
        size: map.number(".size")?,
        value_kind: map.text(".value_kind")?,
        value_type: map.text(".value_type")?,
        pointee_align: map.number(".pointee_align")?,
        address_space: map.text(".address_space")?,
        access: map.text(".access")?,
        actual_access: map.text(".actual_access")?,
        is_const: map.flag(".is_const")?,
        is_restrict: map.flag(".is_restrict")?,
        is_volatile: map.flag(".is_volatile")?,
        is_pipe: map.flag(".is_pipe")?,
    })
}

/// A map whose values are asked for by key; what is missing is nothing, what has another type an error.
struct Map<'v>(&'v [(Value, Value)]);

impl<'v> Map<'v> {
    fn of(value: &'v Value, what: &str) -> Result<Map<'v>> {
        match value {
            Value::Map(pairs) => Ok(Map(pairs)),
            _ => Err(Error::new(format!("{what} is no map"))),
        }
    }

    fn typed<T>(&self, key: &str, what: &str, read: impl Fn(&'v Value) -> Option<T>) -> Result<Option<T>> {
        let Some((_, value)) = self.0.iter().find(|(k, _)| k.as_str() == Some(key)) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| Error::new(format!("`{key}` in the metadata is not {what}")))
    }

    fn text(&self, key: &str) -> Result<Option<String>> {
        self.typed(key, "a text", |v| v.as_str().map(str::to_owned))
    }

    fn number(&self, key: &str) -> Result<Option<u64>> {
        self.typed(key, "a number", integer)
    }

    fn flag(&self, key: &str) -> Result<Option<bool>> {
        self.typed(key, "a boolean", Value::as_bool)
    }

    fn numbers<const N: usize>(&self, key: &str) -> Result<Option<[u64; N]>> {
        self.typed(key, &format!("a list of {N} numbers"), |v| {
            let numbers: Vec<u64> = v.as_array()?.iter().map(integer).collect::<Option<_>>()?;
            numbers.try_into().ok()
        })
    }

    fn list(&self, key: &str) -> Result<&'v [Value]> {
        Ok(self.typed(key, "a list", Value::as_array)?.map_or(&[], Vec::as_slice))
    }
}

/// A negative number is taken as C converts it.
fn integer(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_i64().map(i64::cast_unsigned))
}

/// What the value of a key must be.
#[derive(Clone, Copy)]
enum Shape {
    /// Any text.
    Text,
    /// One of these.
    Words(&'static [&'static str]),
    Integer,
    Boolean,
    /// A list of so many integers.
    Integers(usize),
    Texts,
    /// A list of maps with these keys.
    Maps(Keys),
}

/// Keys that are checked, whether they must be there, and what they must be.
type Keys = &'static [(&'static str, bool, Shape)];

const ROOT: Keys = &[
    ("amdhsa.version", true, Shape::Integers(2)),
    ("amdhsa.printf", false, Shape::Texts),
    ("amdhsa.kernels", true, Shape::Maps(KERNEL)),
];

const KERNEL: Keys = &[
    (".name", true, Shape::Text),
    (".symbol", true, Shape::Text),
    (".language", false, Shape::Words(&["OpenCL C", "OpenCL C++", "HCC", "HIP", "OpenMP", "Assembler"])),
    (".language_version", false, Shape::Integers(2)),
    (".args", false, Shape::Maps(ARGUMENT)),
    (".reqd_workgroup_size", false, Shape::Integers(3)),
    (".workgroup_size_hint", false, Shape::Integers(3)),
    (".vec_type_hint", false, Shape::Text),
    (".device_enqueue_symbol", false, Shape::Text),
    (".kernarg_segment_size", true, Shape::Integer),
    (".group_segment_fixed_size", true, Shape::Integer),
    (".private_segment_fixed_size", true, Shape::Integer),
    (".uses_dynamic_stack", false, Shape::Boolean),
    (".workgroup_processor_mode", false, Shape::Integer),
    (".kernarg_segment_align", true, Shape::Integer),
    (".wavefront_size", true, Shape::Integer),
    (".sgpr_count", true, Shape::Integer),
    (".vgpr_count", true, Shape::Integer),
    (".max_flat_workgroup_size", true, Shape::Integer),
    (".sgpr_spill_count", false, Shape::Integer),
    (".vgpr_spill_count", false, Shape::Integer),
    (".uniform_work_group_size", false, Shape::Integer),
    (".cluster_dims", false, Shape::Integers(3)),
];

const ACCESS: Shape = Shape::Words(&["read_only", "write_only", "read_write"]);

const ARGUMENT: Keys = &[
    (".name", false, Shape::Text),
    (".type_name", false, Shape::Text),
    (".size", true, Shape::Integer),
    (".offset", true, Shape::Integer),
    (".value_kind", true, Shape::Words(VALUE_KINDS)),
    (".pointee_align", false, Shape::Integer),
    (".address_space", false, Shape::Words(&["private", "global", "constant", "local", "generic", "region"])),
    (".access", false, ACCESS),
    (".actual_access", false, ACCESS),
    (".is_const", false, Shape::Boolean),
    (".is_restrict", false, Shape::Boolean),
    (".is_volatile", false, Shape::Boolean),
    (".is_pipe", false, Shape::Boolean),
];

const VALUE_KINDS: &[&str] = &[
    "by_value",
    "global_buffer",
    "dynamic_shared_pointer",
    "sampler",
    "image",
    "pipe",
    "queue",
    "hidden_block_count_x",
    "hidden_block_count_y",
    "hidden_block_count_z",
    "hidden_group_size_x",
    "hidden_group_size_y",
    "hidden_group_size_z",
    "hidden_remainder_x",
    "hidden_remainder_y",
    "hidden_remainder_z",
    "hidden_global_offset_x",
    "hidden_global_offset_y",
    "hidden_global_offset_z",
    "hidden_grid_dims",
    "hidden_none",
    "hidden_printf_buffer",
    "hidden_hostcall_buffer",
    "hidden_heap_v1",
    "hidden_default_queue",
    "hidden_completion_action",
    "hidden_multigrid_sync_arg",
    "hidden_dynamic_lds_size",
    "hidden_private_base",
    "hidden_shared_base",
    "hidden_queue_ptr",
];

/// Checks the keys of a map; texts that read as what is asked for become it.
fn check_map(value: &mut Value, keys: Keys, what: &str) -> Result<()> {
    let Value::Map(pairs) = value else {
        return Err(Error::new(format!("{what} is no map")).help("write `key: value` lines"));
    };
    for (key, required, shape) in keys {
        match pairs.iter_mut().find(|(k, _)| k.as_str() == Some(key)) {
            Some((_, value)) => check(value, *shape, key)?,
            None if *required => return Err(Error::new(format!("`{key}` is missing in {what}"))),
            None => {}
        }
    }
    Ok(())
}

fn check(value: &mut Value, shape: Shape, key: &str) -> Result<()> {
    let wrong = |value: &Value, what: &str| Err(Error::new(format!("`{key}` is {value}, not {what}")));
    match shape {
        Shape::Integers(n) if value.as_array().is_none_or(|list| list.len() != n) => {
            wrong(value, &format!("a list of {n} integers"))
        }
        Shape::Integers(_) => each(value, Shape::Integer, key),
        Shape::Texts => each(value, Shape::Text, key),
        Shape::Maps(keys) => match value {
            Value::Array(list) => list.iter_mut().try_for_each(|item| check_map(item, keys, &format!("an entry of `{key}`"))),
            _ => wrong(value, "a list"),
        },
        Shape::Text | Shape::Words(_) if value.as_str().is_none() => wrong(value, "a text"),
        Shape::Words(words) if !words.contains(&value.as_str().unwrap_or("")) => {
            let near = isa::Table::nearest(value.as_str().unwrap_or(""), words.iter().copied());
            let near = if near.is_empty() { words.to_vec() } else { near };
            Err(Error::new(format!("`{key}` is {value}, which is not known")).help(format!("known: {}", near.join(", "))))
        }
        Shape::Text | Shape::Words(_) => Ok(()),
        Shape::Integer => coerce(value, |v| matches!(v, Value::Integer(_)), |v| wrong(v, "an integer")),
        Shape::Boolean => coerce(value, |v| matches!(v, Value::Boolean(_)), |v| wrong(v, "true or false")),
    }
}

fn each(value: &mut Value, shape: Shape, key: &str) -> Result<()> {
    match value {
        Value::Array(list) => list.iter_mut().try_for_each(|item| check(item, shape, key)),
        _ => Err(Error::new(format!("`{key}` is {value}, not a list"))),
    }
}

/// A text is read once more as a plain scalar.
fn coerce(value: &mut Value, is: impl Fn(&Value) -> bool, wrong: impl Fn(&Value) -> Result<()>) -> Result<()> {
    if is(value) {
        return Ok(());
    }
    match value.as_str().map(yaml::scalar) {
        Some(read) if is(&read) => *value = read,
        _ => return wrong(value),
    }
    Ok(())
}
