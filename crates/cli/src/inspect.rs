//! `lockstep inspect`: what is in a PTX file; AMD code objects are left to `code_object`.

use crate::{Format, code_object, output, plan};
use clap::Args;
use isa::Fidelity;
use lockstep::inspect::{Contents, FunctionContents, Use, inspect};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// List kernels, parameters, registers, memory and target: of PTX with its instructions and their exactness, of AMD code objects, of bundles of
/// them and of programs that hold such bundles
#[derive(Args)]
pub struct Arguments {
    /// PTX file, code object, offload bundle or program, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Of the code objects in a bundle, only those that run on this target: gfx942:xnack+
    #[arg(long, value_name = "TARGET")]
    target: Option<String>,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    let name = arguments.file.display().to_string();
    let data = match plan::read_bytes(&arguments.file) {
        Ok(data) => data,
        Err(error) => return output::fail(&error, arguments.format),
    };
    if let Some(code) = code_object::main(&name, &data, arguments.target.as_deref(), arguments.format) {
        return code;
    }
    if arguments.target.is_some() {
        let message = format!("{name} is no code object, bundle or program, and --target chooses from these");
        return output::fail_plain(message, "leave --target away", arguments.format);
    }
    match inspect(&name, &diagnostics::text_of(data)) {
        Ok(contents) => {
            output::print(&match arguments.format {
                Format::Text => text(&name, &contents),
                Format::Json => format!("{}\n", json(&contents)),
            });
            ExitCode::SUCCESS
        }
        Err(error) => output::fail(&error, arguments.format),
    }
}

fn text(name: &str, contents: &Contents) -> String {
    let version = contents.version.as_deref().unwrap_or("without .version");
    let mut text = format!("{name}: PTX {version} for {}", contents.targets.join(", "));
    text += &contents.address_size.map_or("\n".to_owned(), |n| format!(", addresses of {n} bits\n"));
    contents.variables.iter().for_each(|v| text += &format!("  {v}\n"));
    contents.functions.iter().for_each(|f| text += &function(f));
    text
}

fn function(function: &FunctionContents) -> String {
    let kind = if function.kernel { "kernel" } else { "function" };
    let mut text = format!("\n{kind} {}({})\n", function.name, function.parameters.join(", "));
    function.directives.iter().for_each(|d| text += &format!("  {d}\n"));
    let registers: Vec<String> = function.registers.iter().map(|(ty, n)| format!("{n} .{ty}")).collect();
    text += &format!("  registers declared: {}\n", if registers.is_empty() { "none".to_owned() } else { registers.join(", ") });
    text += &format!("  static shared memory: {} bytes; local memory: {} bytes\n", function.shared, function.local);
    let total: u32 = function.instructions.iter().map(|u| u.count).sum();
    text += &format!("  {total} instructions, {} opcodes\n", function.instructions.len());
    let width = function.instructions.iter().map(|u| u.opcode.len()).max().unwrap_or(0);
    for one in &function.instructions {
        text += &format!("  {:>6}  {:width$}  {}\n", one.count, one.opcode, exactness(one));
    }
    text
}

fn exactness(one: &Use) -> String {
    match &one.fidelity {
        Ok(Fidelity::Exact) => "exact".to_owned(),
        Ok(Fidelity::Approximate(bound)) => format!("approximate: {bound}"),
        Ok(Fidelity::Pending) => format!("not executable yet (line {})", one.line),
        Err(why) => format!("error: {why} (line {})", one.line),
    }
}

fn json(contents: &Contents) -> serde_json::Value {
    let one = |u: &Use| {
        let (fidelity, bound) = match &u.fidelity {
            Ok(Fidelity::Exact) => ("exact", None),
            Ok(Fidelity::Approximate(bound)) => ("approximate", Some((*bound).to_owned())),
            Ok(Fidelity::Pending) => ("pending", None),
            Err(why) => ("error", Some(why.clone())),
        };
        json!({ "opcode": u.opcode, "count": u.count, "line": u.line, "fidelity": fidelity, "detail": bound })
    };
    let function = |f: &FunctionContents| {
        json!({
            "name": f.name,
            "kernel": f.kernel,
            "parameters": f.parameters,
            "directives": f.directives,
            "registers": f.registers,
            "shared_bytes": f.shared,
            "local_bytes": f.local,
            "instructions": f.instructions.iter().map(one).collect::<Vec<_>>(),
        })
    };
    json!({
        "version": contents.version,
        "targets": contents.targets,
        "address_size": contents.address_size,
        "variables": contents.variables,
        "functions": contents.functions.iter().map(function).collect::<Vec<_>>(),
    })
}
