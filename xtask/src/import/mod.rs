//! `cargo xtask import-amd DUMP`: the first version of AMD's records, from LLVM's TableGen.
//!
//! DUMP is what `llvm-tblgen --dump-json` writes of `AMDGPU.td`. Every instruction that a target of ours has is found in an encoding of
//! `isa/amdgpu/encodings.isa`: all its bits must be those that the layout says, or it is reported and left out. People own the
//! records afterwards: a second run shows in the difference what LLVM says otherwise. Pairs and images, of which LLVM has a definition for every
//! combination of halves and of widths, are not written but compared with the rules of `vopd.isa` and `image.isa`.

mod form;
mod image;
mod operand;
mod pair;
mod record;
mod tablegen;
mod target;

use std::path::Path;

use isa::amdgpu::Table;

/// Runs the chore.
pub fn run(arguments: &[String], root: &Path) -> Result<(), String> {
    let [dump] = arguments else { return Err("usage: cargo xtask import-amd DUMP".into()) };
    let table = Table::load(&root.join("isa")).map_err(|problems| problems.to_string())?;
    eprintln!("reading {dump}");
    let dump = tablegen::read(Path::new(dump))?;
    let mut reports = Vec::new();
    let forms = form::all(&dump, table, &mut reports);
    reports.extend(image::compare(&dump, table));
    reports.extend(pair::compare(&dump, table));
    eprintln!("{} forms, {} not understood", forms.len(), reports.len());
    reports.iter().for_each(|r| println!("{r}"));
    record::orders(&forms, table).iter().for_each(|o| println!("{o}"));
    record::write(&forms, &dump, table, &root.join("isa/amdgpu"))
}
