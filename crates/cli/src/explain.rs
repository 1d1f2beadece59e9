//! `lockstep explain`: pages of the table, and what diagnostic codes mean.

use crate::{Format, machine, output};
use amdgpu::object::TargetId;
use clap::Args;
use pages::{Block, Page};
use serde_json::json;
use std::process::ExitCode;

/// Show the page of an instruction, modifier, type, special register or diagnostic code
///
/// The page of a PTX instruction has its forms, what they need, examples, how exact it is here, and the source of the function that is
/// executed. That of an AMD instruction has its opcodes on each target, operands, modifiers, and the bits of every encoding;
/// that of an encoding (vop3p) its bits on each generation.
#[derive(Args)]
#[command(
    after_help = "Examples: lockstep explain dp2a; lockstep explain mul.wide.s32; lockstep explain .ftz; lockstep explain %tid; \
                        lockstep explain f16x2; lockstep explain E0213; \
                        lockstep explain v_dot8_i32_i4 --target gfx90a; lockstep explain vop3p"
)]
pub struct Arguments {
    /// Such as dp2a, mul.wide.s32, .ftz, f16x2, %tid, E0213, v_dot8_i32_i4, vop3p
    #[arg(value_name = "NAME|CODE")]
    name: String,
    /// Of AMD instructions, what holds on this target only, such as gfx942
    #[arg(long, value_parser = machine::parse_target)]
    target: Option<TargetId>,
    /// How to print the page
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    let table = match lockstep::table() {
        Ok(table) => table,
        Err(error) => return output::fail(&error, arguments.format),
    };
    let name = arguments.name.as_str();
    if let Some(code) = lockstep::codes::explanation(name) {
        output::print(&match arguments.format {
            Format::Text => code_text(code),
            Format::Json => {
                let (wrong, right) = (&code.wrong, &code.right);
                format!(
                    "{}\n",
                    json!({ "name": code.code, "title": code.title, "text": code.text, "wrong": wrong, "right": right })
                )
            }
        });
        return ExitCode::SUCCESS;
    }
    let mut pages = if arguments.target.is_some() { Vec::new() } else { pages::find(table, name) };
    let (machine, words) = match machine::table() {
        Ok(tables) => tables,
        Err(error) => return output::fail(&error, arguments.format),
    };
    pages.extend(pages::amd::find(machine, words, name, arguments.target.map(|t| t.object.target)));
    if pages.is_empty() {
        let help = match (arguments.target, pages::amd::find(machine, words, name, None).first()) {
            (Some(target), Some(_)) => {
                return output::fail_plain(
                    format!("{target} has no `{name}`"),
                    "leave --target away to see where it exists",
                    arguments.format,
                );
            }
            // Names of AMD's have underscores, and PTX's have not.
            _ if name.contains('_') && !name.starts_with(['.', '%']) => match pages::amd::nearest(machine, name).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => suggestion(table, name),
            },
            _ => suggestion(table, name),
        };
        return output::fail_plain(format!("there is no page about `{name}`"), help, arguments.format);
    }
    output::print(&match arguments.format {
        Format::Text => pages.iter().map(|p| p.text(output::colours_output())).collect::<Vec<_>>().join("\n"),
        Format::Json => format!("{}\n", json!(pages.iter().map(page_json).collect::<Vec<_>>())),
    });
    ExitCode::SUCCESS
}

/// The page of a diagnostic code.
fn code_text(code: &lockstep::codes::Explanation) -> String {
    let mut text = format!("{}: {}\n\n{}\n", code.code, code.title, code.text);
    for (heading, example) in [("Wrong:", &code.wrong), ("Right:", &code.right)] {
        if let Some(example) = example {
            let indented: String = example.lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect();
            text += &format!("\n{heading}\n\n{indented}");
        }
    }
    text
}

/// What the person may have meant: for an opcode with a wrong modifier what is wrong with it.
fn suggestion(table: &'static isa::Table, name: &str) -> String {
    let unresolved = table.resolve(name).err().filter(|u| u.nearest.is_some());
    if let Some(own) = table.foreign(name) {
        return format!("PTX calls it `{own}`");
    }
    let quoted: Vec<String> = pages::nearest(table, name).iter().map(|near| format!("`{near}`")).collect();
    let near = quoted.split_last().map(|(last, rest)| match rest {
        [] => last.clone(),
        rest => format!("{} or {last}", rest.join(", ")),
    });
    match (unresolved, near) {
        (Some(unresolved), _) => {
            format!("{}{}", unresolved.message, unresolved.help.map_or(String::new(), |h| format!("; {h}")))
        }
        (None, Some(near)) => format!("did you mean {near}?"),
        (None, None) => {
            "instructions, modifiers (.ftz), types (f16x2), special registers (%tid) and codes (E0213) have pages".into()
        }
    }
}

fn page_json(page: &Page) -> serde_json::Value {
    let block = |b: &Block| match b {
        Block::Text(text) => json!({ "text": text }),
        Block::Code(code) => json!({ "code": code }),
        Block::List(list) => json!({ "list": list.iter().map(|(t, m)| json!({ "term": t, "meaning": m })).collect::<Vec<_>>() }),
    };
    let section = |s: &pages::Section| json!({ "heading": s.heading, "blocks": s.blocks.iter().map(block).collect::<Vec<_>>() });
    json!({ "name": page.name, "title": page.title, "sections": page.sections.iter().map(section).collect::<Vec<_>>() })
}
