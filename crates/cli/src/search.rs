//! `lockstep search`: instructions, modifiers, types and special registers by what they are called and what they do.

use crate::{Format, machine, output};
use clap::Args;
use pages::search::{self, Found};
use serde_json::json;
use std::process::ExitCode;

/// Find instructions, modifiers, types and special registers by words of their names and titles
///
/// Every word must be found, in names, other names, titles or groups; the best answers come first. lockstep explain shows their pages.
#[derive(Args)]
#[command(after_help = "Examples: lockstep search dot product; lockstep search atomic f64; lockstep search v_ffbh_u32")]
pub struct Arguments {
    /// What to look for
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,
    /// How many to show at most
    #[arg(long, value_name = "COUNT", default_value_t = 40)]
    most: usize,
    /// How to print them
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Runs the command.
pub fn main(arguments: &Arguments) -> ExitCode {
    let tables = lockstep::table().and_then(|ptx| Ok((ptx, machine::table()?.0)));
    let (ptx, amd) = match tables {
        Ok(tables) => tables,
        Err(error) => return output::fail(&error, arguments.format),
    };
    let query = arguments.words.join(" ");
    let found = search::search(ptx, amd, &query);
    if found.is_empty() {
        let near = search::nearest(ptx, amd, &query);
        let help = match near.first() {
            Some(name) => format!("did you mean `{name}`?"),
            None => "try fewer words, or parts of them".to_owned(),
        };
        return output::fail_plain(format!("nothing is called `{query}` or speaks of it"), help, arguments.format);
    }
    let shown = &found[..found.len().min(arguments.most)];
    match arguments.format {
        Format::Text => {
            output::print(&text(shown));
            if shown.len() < found.len() {
                output::note(&format!("{} of {} are shown; --most shows more\n", shown.len(), found.len()));
            }
        }
        Format::Json => {
            output::print(&format!("{}\n", json!({ "count": found.len(), "found": shown.iter().map(one).collect::<Vec<_>>() })))
        }
    }
    ExitCode::SUCCESS
}

fn text(found: &[Found]) -> String {
    let names: Vec<String> = found.iter().map(called).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(40);
    found.iter().zip(names).map(|(found, name)| format!("{name:width$}  {}: {}\n", found.kind.name(), found.title)).collect()
}

/// The name, with others that lead there.
fn called(found: &Found) -> String {
    if found.aliases.is_empty() { found.name.clone() } else { format!("{} ({})", found.name, found.aliases.join(", ")) }
}

fn one(found: &Found) -> serde_json::Value {
    json!({
        "name": found.name,
        "kind": found.kind.name(),
        "title": found.title,
        "group": found.group,
        "aliases": found.aliases,
        "targets": found.targets,
    })
}
