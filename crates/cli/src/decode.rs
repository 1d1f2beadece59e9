//! `lockstep decode`: what words of AMD machine code mean on every target.

use crate::machine::{self, Order};
use crate::{Format, output};
use amdgpu::codec::Codec;
use amdgpu::disasm::Instructions;
use amdgpu::object::TargetId;
use clap::Args;
use isa::amdgpu::{Table, Target, Targets};
use lockstep::Error;
use serde_json::json;
use std::process::ExitCode;

/// Show what words of AMD machine code mean on every target
///
/// Targets on which they mean the same stand together.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lockstep decode d3aa4005 1c0e0501
  lockstep decode 0xcc184005 0x1c0e0501 --fields
Words are numbers, as llvm-objdump shows them; pairs of digits are bytes as they lie in memory.")]
pub struct Arguments {
    /// Words of 32 or 64 bits, the first one first
    #[arg(required = true, value_name = "WORD", value_parser = crate::unmarked)]
    words: Vec<String>,
    /// Lanes of a wave: 32 or 64 (default: as is usual on each target)
    #[arg(long, value_parser = machine::parse_wave)]
    wave: Option<u8>,
    /// Show the bits: every field, its value and what it means
    #[arg(long)]
    fields: bool,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// One meaning, and where it holds.
struct Meaning {
    lines: Vec<String>,
    fields: Vec<(Vec<amdgpu::disasm::FieldValue>, Option<u64>)>,
    targets: Targets,
    defined: bool,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    match run(arguments) {
        Ok(text) => {
            output::print(&text);
            ExitCode::SUCCESS
        }
        Err(error) => output::fail(&error, arguments.format),
    }
}

fn run(arguments: &Arguments) -> Result<String, Error> {
    let (table, _) = machine::table()?;
    let code = machine::bytes(&arguments.words.join(" "), Order::Number)
        .map_err(|why| Error::plain("", why, "write words as in d3aa4005 1c0e0501"))?;
    let mut all: Vec<Meaning> = Vec::new();
    for index in 0..table.targets.len() {
        let target = Target(index as u8);
        if arguments.wave == Some(32) && !table.group("wave32").has(target) {
            continue;
        }
        let Ok(id) = TargetId::of(table.targets[index]) else { continue };
        let found = meaning(&machine::codec(&id, arguments.wave)?, &code);
        match all.iter_mut().find(|m| m.lines == found.lines && (!arguments.fields || m.fields == found.fields)) {
            Some(known) => known.targets = known.targets.or(found.targets),
            None => all.push(found),
        }
    }
    all.sort_by_key(|m| !m.defined);
    Ok(match arguments.format {
        Format::Text => all.iter().map(|m| text(table, m, arguments.fields)).collect(),
        Format::Json => {
            let one = |m: &Meaning| {
                let fields = arguments.fields.then(|| m.fields.iter().map(|f| machine::fields_json(&f.0)).collect::<Vec<_>>());
                json!({ "instructions": m.lines, "defined": m.defined, "targets": names(table, m.targets), "fields": fields })
            };
            format!("{}\n", json!(all.iter().map(one).collect::<Vec<_>>()))
        }
    })
}

fn meaning(codec: &Codec, code: &[u8]) -> Meaning {
    let mut meaning = Meaning { lines: Vec::new(), fields: Vec::new(), targets: Targets::one(codec.target), defined: true };
    for item in Instructions::new(codec, code) {
        let mut line = String::new();
        match &item.what {
            Ok(decoded) => {
                codec.print(decoded, &mut line);
                if !codec.canonical(decoded, &line) {
                    line += " // assembled again, its bits are others";
                }
                meaning.fields.push((codec.fields(decoded), decoded.literal));
            }
            Err(why) => {
                meaning.defined = false;
                line = format!(".long 0x{:08x} // {why}", item.word(code));
                meaning.fields.push((Vec::new(), None));
            }
        }
        meaning.lines.push(line);
    }
    meaning
}

fn names(table: &Table, targets: Targets) -> Vec<&'static str> {
    targets.iter().filter_map(|t| table.targets.get(usize::from(t.0)).copied()).collect()
}

fn text(table: &Table, meaning: &Meaning, with_fields: bool) -> String {
    let mut text = String::new();
    for (line, (fields, literal)) in meaning.lines.iter().zip(&meaning.fields) {
        text += &format!("{line}\n");
        if with_fields {
            text += &machine::fields_text(fields, *literal, "    ");
        }
    }
    text + &wrapped(&names(table, meaning.targets))
}

/// Words in lines of at most 100 characters.
fn wrapped(words: &[&str]) -> String {
    let (mut text, mut line) = (String::new(), String::from("   "));
    for word in words {
        if line.len() + word.len() > 100 {
            text += &format!("{line}\n");
            line = "   ".to_owned();
        }
        line += &format!(" {word}");
    }
    text + &format!("{line}\n")
}
