//! Wrong uses of asynchronous work, barriers and clusters (tests/misuse): each is told under a default policy of `lockstep test`, at the right line, with block
//! and thread.

use lockstep::tensor::TensorMap;
use lockstep::{Device, Module, Options, Policy, System};
use std::path::Path;

/// What a kernel of the files does wrong.
struct Mistake<'a> {
    kernel: &'a str,
    blocks: u32,
    cluster: u32,
    /// The line that is to be told, counted from 1.
    line: usize,
    /// The diagnostic's code, and the thread that it is to name.
    code: &'a str,
    who: &'a str,
}

/// The kernels of a file: `//@ NAME BLOCKS CLUSTER`, and a line that ends in `// <- CODE WHO`; a kernel without such a line is right.
fn mistakes(text: &str) -> Vec<Mistake<'_>> {
    let mut found = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if let Some(heading) = line.strip_prefix("//@ ") {
            let words: Vec<&str> = heading.split(' ').collect();
            let [kernel, blocks, cluster] = words[..] else { panic!("{heading}") };
            let number = |word: &str| word.parse().unwrap_or_else(|e| panic!("{heading}: {e}"));
            found.push(Mistake { kernel, blocks: number(blocks), cluster: number(cluster), line: 0, code: "", who: "" });
        }
        if let (Some((_, mark)), Some(last)) = (line.split_once("// <- "), found.last_mut()) {
            let (code, who) = mark.split_once(' ').unwrap_or_else(|| panic!("{mark}"));
            (last.line, last.code, last.who) = (i + 1, code, who);
        }
    }
    found
}

/// What is told under each of the default policies; nothing where a run ends well.
fn told(device: &Device, module: &Module, mistake: &Mistake) -> Vec<Option<String>> {
    let seeded = |seed| Options { seed: Some(seed), ..Options::default() };
    let policies = [Options::default(), Options { policy: Policy::Early, ..Options::default() }, seeded(1), seeded(2)];
    let run = |options: Options| {
        let data = device.buffer(&(0..4096).collect::<Vec<u32>>()).unwrap_or_else(|e| panic!("{e}"));
        let map = TensorMap::tiled(&data.bytes(), lockstep::tensor::Element::U32, &[64, 64], &[16, 8]).argument();
        let kernel = module.kernel(mistake.kernel).unwrap_or_else(|e| panic!("{e}"));
        let launch = kernel.launch([mistake.blocks, 1, 1], [64, 1, 1]).cluster([mistake.cluster, 1, 1]).options(options);
        launch.arg(map.unwrap_or_else(|e| panic!("{e}"))).arg(&data).run().err().map(|error| error.render(false))
    };
    policies.into_iter().map(run).collect()
}

/// Whether a diagnostic tells the code, and the line with the one that did it.
fn points_at(text: &str, mistake: &Mistake) -> bool {
    let line = format!("{} |", mistake.line);
    let mut rest = text.lines().skip_while(|shown| !shown.trim_start().starts_with(&line)).skip(1);
    let beside = rest.by_ref().take_while(|shown| !shown.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    text.contains(&format!("error[{}]", mistake.code)) && beside.into_iter().any(|shown| shown.contains(mistake.who))
}

fn every_mistake_is_told(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/misuse").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let device = System.device(if name == "hopper.ptx" { "h100" } else { "b200" }).unwrap_or_else(|e| panic!("{e}"));
    let module = device.load([(name, text.as_str())]).unwrap_or_else(|e| panic!("{e}"));
    let mut missed = Vec::new();
    for mistake in mistakes(&text) {
        let told = told(&device, &module, &mistake);
        if !told.iter().flatten().any(|text| points_at(text, &mistake)) {
            let told: Vec<String> = told.into_iter().map(|t| t.unwrap_or_else(|| "nothing".to_owned())).collect();
            missed.push(format!(
                "{} at line {}: {} {}\n{}",
                mistake.kernel,
                mistake.line,
                mistake.code,
                mistake.who,
                told.join("\n")
            ));
        }
    }
    assert!(missed.is_empty(), "{} are not told\n{}", missed.len(), missed.join("\n\n"));
}

#[test]
fn every_mistake_on_hopper_is_told() {
    every_mistake_is_told("hopper.ptx");
}

#[test]
fn every_mistake_on_blackwell_is_told() {
    every_mistake_is_told("blackwell.ptx");
}
