//! `lockstep asm`: LLVM's assembly for AMD GPUs to machine code.

use crate::{Format, machine, output, plan};
use amdgpu::assembler;
use amdgpu::object::TargetId;
use clap::Args;
use diagnostics::{Diagnostic, Severity, Source};
use lockstep::{Error, Problem};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Assemble for AMD GPUs: LLVM's syntax to a code object, or to hexadecimal digits
///
/// Takes the directives of LLVM's assembler: .amdhsa_kernel, .amdgpu_metadata, .set, .macro, .rept, .if, sections and data. The code object
/// is a relocatable one, or with --link what a loader takes. Line tables (.loc) and call frames (.cfi) are read and left out; other debug
/// information, which is data, is written.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lockstep asm kernel.s --target gfx942 -o kernel.o
  lockstep asm kernel.s --target gfx1100 --link -o kernel.co
  echo 'v_dot8_i32_i4 v5, v1, v2, v3' | lockstep asm - --target gfx90a --hex
Exit status 1 if something is wrong with the text.")]
pub struct Arguments {
    /// An assembly file, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Such as gfx942 or gfx90a:xnack+
    #[arg(long, value_parser = machine::parse_target)]
    target: TargetId,
    /// Lanes of a wave: 32 or 64 (default: as is usual on the target)
    #[arg(long, value_parser = machine::parse_wave)]
    wave: Option<u8>,
    /// Print the bytes of .text, pairs of digits in the order in which they lie in memory, a line for each instruction
    #[arg(long, conflicts_with_all = ["output", "link"])]
    hex: bool,
    /// Link the code object, so that a loader takes it
    #[arg(long)]
    link: bool,
    /// Where the code object goes; - is standard output
    #[arg(short, long, value_name = "FILE", required_unless_present = "hex")]
    output: Option<PathBuf>,
    /// How errors are written
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::fail(&error, arguments.format),
    }
}

fn run(arguments: &Arguments) -> Result<(), Error> {
    let name = arguments.file.display().to_string();
    let codec = machine::codec(&arguments.target, arguments.wave)?;
    let text = plan::read_text(&arguments.file)?;
    let source = Arc::new(Source::new(name, text));
    let folder = arguments.file.parent().unwrap_or(Path::new("")).to_owned();
    let loader = move |file: &str| std::fs::read(folder.join(file)).ok();
    let assembly = assembler::assemble(source.text(), &codec, &arguments.target, Some(&loader));
    let problem = |diagnostic: Diagnostic| Problem { diagnostic, source: source.clone() };
    let (errors, others): (Vec<Diagnostic>, Vec<Diagnostic>) =
        assembly.diagnostics.iter().cloned().partition(|d| d.severity == Severity::Error);
    others.into_iter().for_each(|d| output::note(&format!("{}\n", problem(d).render(output::colour()))));
    if !errors.is_empty() {
        return Err(Error::new(errors.into_iter().map(problem).collect()));
    }
    assembly.printed.iter().for_each(|line| output::note(&format!("{line}\n")));
    if arguments.hex {
        output::print(&lines(assembly.sections.first().map_or(&[], |s| &s.bytes), &assembly.lengths));
        return Ok(());
    }
    let told = |found: Vec<Diagnostic>| Error::new(found.into_iter().map(problem).collect());
    let builder = assembler::object(&assembly, arguments.target, arguments.wave).map_err(told)?;
    let bytes = if arguments.link { builder.shared() } else { builder.relocatable() };
    let bytes = bytes.map_err(|e| Error::plain("", e.to_string(), e.help.clone()))?;
    write(arguments.output.as_deref().unwrap_or(Path::new("-")), &bytes)
}

/// A line for each instruction; what is left over when data stands between them, in lines of 16 bytes.
fn lines(bytes: &[u8], lengths: &[u8]) -> String {
    let (mut text, mut at) = (String::new(), 0);
    let lengths = lengths.iter().map(|length| usize::from(*length));
    if lengths.clone().sum::<usize>() == bytes.len() {
        for length in lengths {
            text += &format!("{}\n", machine::hex(&bytes[at..at + length]));
            at += length;
        }
        return text;
    }
    bytes.chunks(16).for_each(|line| text += &format!("{}\n", machine::hex(line)));
    text
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if path == Path::new("-") {
        output::print_bytes(bytes);
        return Ok(());
    }
    std::fs::write(path, bytes).map_err(|error| {
        Error::plain("", format!("cannot write {}: {error}", path.display()), "check its permissions, and room on the disk")
    })
}
