//! Project chores: `cargo xtask CHORE`.

mod import;
mod oracle;
mod tidy;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

const HELP: &str = "\
cargo xtask CHORE

  ci                  everything that must hold before a change is merged: fmt, clippy, tidy, lint, test
  tidy                layers of crates, headers of files, forbidden text
  lint                the table: read strictly, checked beyond reading, held against the committed verdicts
  bless               run the tests and accept what they give as what they expect; look at the difference before you commit it
  oracle [NAME...]    hold the records of these names or chapters against ptxas, or all records
  oracle asm          hold the assembler's language against llvm-mc 22 on the cases of tests/asm, and write its answers there
  oracle modules [DIR] hold the checker against ptxas on the modules of tests/verdicts/modules or another folder, and write the verdicts there
  oracle kernels      have ptxas make code of every kernel of the tests and examples, and write its verdicts to tests/verdicts/kernels.txt
  oracle operands     hold the checker against ptxas on wrong operands, of all records or of some named behind; --spellings, --changes
                      and --seed choose another sample than the recorded one, --shown how many disagreements of a form are told
  oracle immediates   hold the immediates of AMD's assembly, or those of some names, against llvm-mc 22, and write a sample of its
                      verdicts to tests/verdicts/amdgpu/immediates
  oracle amdgpu       hold lines made from AMD's records, or those of named mnemonics or encodings, against llvm-mc 22; --lines says how
                      many lines of a form there are, --target on which targets
  oracle outside DIR  hold the checker against ptxas on modules and inline assembly of folders, and write how often they agree
  oracle --bless      hold all records against ptxas and write its verdicts to tests/verdicts
  import-amd DUMP     write AMD's records anew from LLVM's TableGen (llvm-tblgen --dump-json AMDGPU.td), but for encodings, registers,
                      targets and words; titles, notes and doubts stay: the difference is what LLVM says otherwise
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest = arguments.get(1..).unwrap_or(&[]);
    let result = match arguments.first().map(String::as_str) {
        Some("ci") => ci(),
        Some("tidy") => tidy::run(&root()),
        Some("lint") => lint(),
        Some("bless") => cargo(&["test", "--workspace"], true),
        Some("oracle") => oracle::run(rest),
        Some("import-amd") => import::run(rest, &root()),
        None | Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            Ok(())
        }
        Some(other) => Err(format!("there is no chore `{other}`\n\n{HELP}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{}", message.trim_end());
            ExitCode::FAILURE
        }
    }
}

/// The repository's root.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root").to_owned()
}

/// The table as it is on disk now.
fn table() -> Result<&'static isa::Table, String> {
    isa::Table::load(&root().join("isa")).map_err(|problems| problems.to_string())
}

fn lint() -> Result<(), String> {
    let table = table()?;
    isa::amdgpu::descriptor::Layout::load(&root().join("isa")).map_err(|problems| problems.to_string())?;
    amdgpu_forms()?;
    let problems = table.lint();
    if !problems.list.is_empty() {
        return Err(problems.to_string());
    }
    oracle::verdicts::check(table)
}

/// Every form of every AMD instruction, put into its bits on each target.
fn amdgpu_forms() -> Result<(), String> {
    let folder = root().join("isa");
    let table = isa::amdgpu::Table::load(&folder).map_err(|problems| problems.to_string())?;
    let words = isa::amdgpu::words::Words::load(&folder).map_err(|problems| problems.to_string())?;
    let words: &'static _ = Box::leak(Box::new(words));
    isa::amdgpu::hazards::Hazards::load(&folder, table).map_err(|problems| problems.to_string())?;
    for target in &table.targets {
        amdgpu::codec::Codec::new(table, words, target, None)?;
    }
    Ok(())
}

/// The quick checks first.
fn ci() -> Result<(), String> {
    tidy::run(&root())?;
    lint()?;
    cargo(&["fmt", "--all", "--check"], false)?;
    cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"], false)?;
    cargo(&["test", "--workspace", "--release", "--quiet"], false)
}

/// Runs cargo on the workspace; `bless` makes tests rewrite what they expect.
fn cargo(arguments: &[&str], bless: bool) -> Result<(), String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    if bless {
        command.env("BLESS", "1");
    }
    eprintln!("cargo {}", arguments.join(" "));
    let status = command.status().map_err(|e| format!("cannot run cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("cargo {} failed", arguments[0])) }
}
