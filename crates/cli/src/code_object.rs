//! `lockstep inspect` of AMD code objects, of bundles of them, and of programs that hold such bundles.

use crate::{Format, output};
use amdgpu::object::bundle::{self, Found};
use amdgpu::object::inspect::{Contents, KernelContents, inspect};
use amdgpu::object::metadata::Argument;
use amdgpu::object::{CodeObject, Error, TargetId};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Inspects the code objects of a file; nothing if it holds none because it is no such file.
pub fn main(name: &str, data: &[u8], target: Option<&str>, format: Format) -> Option<ExitCode> {
    let all = match bundle::code_objects(data) {
        Ok(None) => return None,
        Ok(Some(all)) => chosen(all, target),
        Err(error) => Err(error),
    };
    let contents = all.and_then(|all| all.iter().map(one).collect::<Result<Vec<_>, Error>>());
    Some(match contents {
        Ok(all) => {
            output::print(&match format {
                Format::Text => {
                    all.iter().map(|(id, contents)| text(name, id.as_deref(), contents)).collect::<Vec<_>>().join("\n")
                }
                Format::Json => format!("{}\n", json!({ "code_objects": all.iter().map(json).collect::<Vec<_>>() })),
            });
            ExitCode::SUCCESS
        }
        Err(error) => output::fail_plain(format!("{name}: {error}"), error.help.clone(), format),
    })
}

/// The code objects that run on a target, or all.
fn chosen<'d>(all: Vec<Found<'d>>, target: Option<&str>) -> Result<Vec<Found<'d>>, Error> {
    if all.is_empty() {
        return Err(
            Error::new("the file holds no code objects for AMD GPUs").help("build it with --offload-arch, or name a .co file")
        );
    }
    let Some(target) = target.map(TargetId::parse).transpose()? else { return Ok(all) };
    let mut seen = Vec::new();
    let mut kept = Vec::new();
    for found in all {
        let own = CodeObject::read(&found.data)?.target;
        seen.extend(own.map(|t| t.to_string()));
        if own.is_some_and(|t| t.runs_on(&target)) {
            kept.push(found);
        }
    }
    if kept.is_empty() {
        let error = Error::new(format!("the file holds no code object for {target}"));
        return Err(error.help(format!("it holds some for {}", seen.join(", "))));
    }
    Ok(kept)
}

fn one(found: &Found<'_>) -> Result<(Option<String>, Contents), Error> {
    Ok((found.id.clone(), inspect(&CodeObject::read(&found.data)?)?))
}

fn text(name: &str, id: Option<&str>, contents: &Contents) -> String {
    let linked = if contents.linked { "linked" } else { "relocatable" };
    let mut text = format!("{name}: code object V{} for {}, {linked}\n", contents.version, contents.target);
    id.into_iter().for_each(|id| text += &format!("  bundle entry {id}\n"));
    contents.missing.iter().for_each(|name| text += &format!("  the metadata names a kernel {name}, which has no descriptor\n"));
    contents.kernels.iter().for_each(|k| text += &kernel(k));
    text
}

fn kernel(kernel: &KernelContents) -> String {
    let counted = |count: Option<u64>, what: &str| count.map(|n| format!("{n} {what}"));
    let mut text = format!("\nkernel {}\n", kernel.name);
    let aligned = kernel.kernarg_alignment.map_or(String::new(), |n| format!(", aligned to {n}"));
    text += &format!("  arguments: {} bytes{aligned}\n", kernel.kernarg_size);
    kernel.arguments.iter().for_each(|a| text += &argument(a));
    if let Some((length, offset)) = kernel.preload {
        text += &format!("  preloaded: {length} dwords of them from dword {offset} on\n");
    }
    let granted = kernel.vgprs_granted.map_or(String::new(), |n| format!(" ({n} granted)"));
    let from = kernel.accum_offset.filter(|_| kernel.agprs != Some(0)).map_or(String::new(), |n| format!(" from v{n} on"));
    let registers = [
        counted(kernel.vgprs, "VGPRs").map(|t| t + &granted).or(kernel.vgprs_granted.map(|n| format!("{n} VGPRs granted"))),
        counted(kernel.agprs, "AccVGPRs").map(|t| t + &from),
        counted(kernel.sgprs, "SGPRs"),
        counted(kernel.user_sgprs, "user SGPRs"),
    ];
    text += &format!("  registers: {}\n", registers.into_iter().flatten().collect::<Vec<_>>().join(", "));
    let spills = [counted(kernel.vgpr_spills, "VGPRs"), counted(kernel.sgpr_spills, "SGPRs")];
    let spills: Vec<String> = spills.into_iter().flatten().filter(|t| !t.starts_with("0 ")).collect();
    if !spills.is_empty() {
        text += &format!("  spilled: {}\n", spills.join(", "));
    }
    let grows = if kernel.dynamic_stack { ", and more as it runs" } else { "" };
    text += &format!("  LDS: {} bytes; scratch: {} bytes a work-item{grows}\n", kernel.lds, kernel.scratch);
    let wave = kernel.wave_size.map(|n| format!("waves of {n}"));
    let size = match (kernel.workgroup_size, kernel.max_workgroup_size) {
        (Some([x, y, z]), _) => Some(format!("work-groups of {x} x {y} x {z}")),
        (None, Some(n)) => Some(format!("work-groups of at most {n}")),
        (None, None) => None,
    };
    text += &format!("  {}\n", wave.into_iter().chain(size).collect::<Vec<_>>().join("; "));
    let code = kernel.code_size.map_or("not in this file".to_owned(), |n| format!("{n} bytes"));
    text += &format!("  code: {code}\n");
    if !kernel.reserved_bits.is_empty() {
        text += &format!("  reserved bits of the descriptor that are set: {:?}\n", kernel.reserved_bits);
    }
    text
}

fn argument(argument: &Argument) -> String {
    let number = |n: Option<u64>| n.map_or("?".to_owned(), |n| n.to_string());
    let words = [&argument.name, &argument.type_name, &argument.address_space, &argument.actual_access];
    let words: Vec<&str> = words.into_iter().flatten().map(String::as_str).collect();
    let kind = argument.value_kind.as_deref().unwrap_or("?");
    format!("  {:>6} {:>4}  {:24} {}", number(argument.offset), number(argument.size), kind, words.join(" "))
        .trim_end()
        .to_owned()
        + "\n"
}

fn json((id, contents): &(Option<String>, Contents)) -> Value {
    json!({
        "bundle_entry": id,
        "version": contents.version,
        "linked": contents.linked,
        "target": contents.target,
        "metadata_target": contents.metadata_target,
        "kernels": contents.kernels.iter().map(kernel_json).collect::<Vec<_>>(),
        "kernels_without_descriptor": contents.missing,
    })
}

fn kernel_json(kernel: &KernelContents) -> Value {
    let argument = |a: &Argument| {
        json!({
            "name": a.name,
            "type": a.type_name,
            "offset": a.offset,
            "size": a.size,
            "value_kind": a.value_kind,
            "address_space": a.address_space,
            "access": a.actual_access.as_ref().or(a.access.as_ref()),
            "hidden": a.is_hidden(),
        })
    };
    let fields: serde_json::Map<String, Value> =
        kernel.fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    json!({
        "name": kernel.name,
        "symbol": kernel.symbol,
        "arguments": kernel.arguments.iter().map(argument).collect::<Vec<_>>(),
        "kernarg_bytes": kernel.kernarg_size,
        "kernarg_alignment": kernel.kernarg_alignment,
        "preloaded_dwords": kernel.preload.map(|p| p.0),
        "preload_offset_dwords": kernel.preload.map(|p| p.1),
        "vgprs": kernel.vgprs,
        "vgprs_granted": kernel.vgprs_granted,
        "agprs": kernel.agprs,
        "accum_offset": kernel.accum_offset,
        "sgprs": kernel.sgprs,
        "user_sgprs": kernel.user_sgprs,
        "vgpr_spills": kernel.vgpr_spills,
        "sgpr_spills": kernel.sgpr_spills,
        "lds_bytes": kernel.lds,
        "scratch_bytes": kernel.scratch,
        "dynamic_stack": kernel.dynamic_stack,
        "wave_size": kernel.wave_size,
        "max_workgroup_size": kernel.max_workgroup_size,
        "workgroup_size": kernel.workgroup_size,
        "code_bytes": kernel.code_size,
        "descriptor": fields,
        "reserved_bits_set": kernel.reserved_bits,
    })
}
