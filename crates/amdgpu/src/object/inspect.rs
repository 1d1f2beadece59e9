//! What a kernel is and needs, gathered from its descriptor, its metadata and its symbols.

use super::error::Result;
use super::metadata::{Argument, KernelMetadata};
use super::read::{CodeObject, Kernel};
use std::collections::{HashMap, HashSet};

/// A code object's kernels and what is said about all of them.
#[derive(Clone, Debug)]
pub struct Contents {
    /// Version of the code object: 3 to 6.
    pub version: u8,
    /// Whether it is linked.
    pub linked: bool,
    /// `gfx942:xnack+`, or the number of a processor that the table does not have.
    pub target: String,
    /// The target as the metadata spells it.
    pub metadata_target: Option<String>,
    /// The kernels, in the order of their symbols.
    pub kernels: Vec<KernelContents>,
    /// Kernels of the metadata without a descriptor.
    pub missing: Vec<String>,
}

/// A kernel. What neither descriptor nor metadata tells is nothing.
#[derive(Clone, Debug)]
pub struct KernelContents {
    /// Its name.
    pub name: String,
    /// Its descriptor's symbol.
    pub symbol: String,
    /// Its arguments, hidden ones too.
    pub arguments: Vec<Argument>,
    /// Bytes of arguments.
    pub kernarg_size: u64,
    /// Alignment of the arguments.
    pub kernarg_alignment: Option<u64>,
    /// Dwords of the arguments that are in SGPRs at the begin, and the first of them.
    pub preload: Option<(u64, u64)>,
    /// VGPRs used, AccVGPRs of a unified register file among them.
    pub vgprs: Option<u64>,
    /// VGPRs that a work-item is given.
    pub vgprs_granted: Option<u32>,
    /// AccVGPRs used.
    pub agprs: Option<u64>,
    /// The first AccVGPR in the unified register file.
    pub accum_offset: Option<u32>,
    /// SGPRs used, VCC and what is reserved among them.
    pub sgprs: Option<u64>,
    /// SGPRs that a wave begins with.
    pub user_sgprs: Option<u64>,
    /// SGPRs that were kept in memory or VGPRs for lack of room.
    pub sgpr_spills: Option<u64>,
    /// VGPRs that were kept in scratch for lack of room.
    pub vgpr_spills: Option<u64>,
    /// Bytes of LDS, without what a dispatch adds.
    pub lds: u64,
    /// Bytes of scratch of a work-item.
    pub scratch: u64,
    /// Whether scratch may grow.
    pub dynamic_stack: bool,
    /// Lanes of a wave.
    pub wave_size: Option<u32>,
    /// The most work-items of a work-group.
    pub max_workgroup_size: Option<u64>,
    /// The only size of a work-group that is allowed.
    pub workgroup_size: Option<[u64; 3]>,
    /// Bytes of code, where the file has it.
    pub code_size: Option<u64>,
    /// The descriptor's fields that are not zero.
    pub fields: Vec<(&'static str, u64)>,
    /// Reserved bits of the descriptor that are set.
    pub reserved_bits: Vec<usize>,
}

/// What a code object holds.
///
/// ```
/// use amdgpu::{assembler, codec::Codec, object::{CodeObject, TargetId, inspect::inspect}};
///
/// let (codec, target) = (Codec::of("gfx1100", None)?, TargetId::of("gfx1100")?);
/// let text = "k: s_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 24\n.amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel";
/// let assembly = assembler::assemble(text, &codec, &target, None);
/// let file = assembler::object(&assembly, target, None).map_err(|problems| problems[0].message.clone())?.relocatable()?;
/// let contents = inspect(&CodeObject::read(&file)?)?;
/// assert_eq!((contents.target.as_str(), contents.kernels[0].name.as_str()), ("gfx1100", "k"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A descriptor or the metadata is damaged.
pub fn inspect(object: &CodeObject<'_>) -> Result<Contents> {
    let metadata = object.metadata()?;
    let kernels = object.kernels()?;
    let known = || metadata.iter().flat_map(|m| &m.kernels);
    let said: HashMap<&str, &KernelMetadata> = known().filter_map(|k| Some((k.symbol.strip_suffix(".kd")?, k))).collect();
    let all = kernels.iter().map(|k| kernel(object, k, said.get(k.name).copied())).collect::<Result<Vec<_>>>()?;
    let found: HashSet<&str> = all.iter().map(|k| k.symbol.as_str()).collect();
    let missing = known().filter(|k| !found.contains(k.symbol.as_str())).map(|k| k.name.clone()).collect();
    Ok(Contents {
        version: object.version.number(),
        linked: object.kind == super::Kind::Shared,
        target: object.target.map_or_else(|| format!("processor {:#x}", object.flags & 0xff), |t| t.to_string()),
        metadata_target: metadata.as_ref().and_then(|m| m.target.clone()),
        kernels: all,
        missing,
    })
}

fn kernel(object: &CodeObject<'_>, kernel: &Kernel<'_>, said: Option<&KernelMetadata>) -> Result<KernelContents> {
    let descriptor = &kernel.descriptor;
    let target = object.target.map(|t| t.object);
    let field = |name: &str| target.and_then(|t| descriptor.value(t, name));
    let fields: Vec<(&'static str, u64)> = match target {
        Some(target) => descriptor.fields(target)?.filter(|(_, v)| *v != 0).map(|(f, v)| (f.name, v)).collect(),
        None => Vec::new(),
    };
    let or_said = |value: Option<u64>, said: Option<u64>| value.filter(|v| *v > 0).or(said).unwrap_or(0);
    let preload = field("kernarg_preload_length").filter(|n| *n > 0);
    Ok(KernelContents {
        name: kernel.name.to_owned(),
        symbol: format!("{}.kd", kernel.name),
        arguments: said.map(|s| s.arguments.clone()).unwrap_or_default(),
        kernarg_size: or_said(field("kernarg_size"), said.and_then(|s| s.kernarg_segment_size)),
        kernarg_alignment: said.and_then(|s| s.kernarg_segment_align),
        preload: preload.map(|n| (n, field("kernarg_preload_offset").unwrap_or(0))),
        vgprs: said.and_then(|s| s.vgpr_count),
        vgprs_granted: target.map(|t| descriptor.vgprs(t)),
        agprs: said.and_then(|s| s.agpr_count),
        accum_offset: target.and_then(|t| descriptor.accum_offset(t)),
        sgprs: said.and_then(|s| s.sgpr_count),
        user_sgprs: field("user_sgpr_count"),
        sgpr_spills: said.and_then(|s| s.sgpr_spill_count),
        vgpr_spills: said.and_then(|s| s.vgpr_spill_count),
        lds: or_said(field("group_segment_fixed_size"), said.and_then(|s| s.group_segment_fixed_size)),
        scratch: or_said(field("private_segment_fixed_size"), said.and_then(|s| s.private_segment_fixed_size)),
        dynamic_stack: field("uses_dynamic_stack") == Some(1),
        wave_size: target.map(|t| descriptor.wave_size(t)).or(said.and_then(|s| s.wavefront_size).map(|n| n as u32)),
        max_workgroup_size: said.and_then(|s| s.max_flat_workgroup_size),
        workgroup_size: said.and_then(|s| s.reqd_workgroup_size),
        code_size: kernel.entry.map(|e| e.size),
        fields,
        reserved_bits: target.map(|t| descriptor.reserved_bits(t)).transpose()?.unwrap_or_default(),
    })
}
