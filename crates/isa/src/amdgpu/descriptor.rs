//! Code objects in the table: how each target is marked in an ELF file, the bits of a kernel descriptor, and the directives
//! of `.amdhsa_kernel` that set them.
//!
//! Reads `isa/amdgpu/descriptor.isa`, whose header fixes the notation. Every bit of a descriptor has exactly one meaning on
//! each target, which the reader checks. How register counts become fields is not here: crate `amdgpu` computes it.

use std::path::Path;
use std::sync::OnceLock;

use super::read::{families, targets_of};
use super::{Target, Targets};
use crate::read::{AMDGPU, Facts};
use crate::table::{self, Table};
use crate::text::{Entry, Place, Problems, Source, Text, entries};

/// Bytes of a kernel descriptor.
pub const SIZE: usize = 64;
/// The field that is computed only where an object says how many SGPRs may be used.
const SGPR_COUNT: &str = "granulated_wavefront_sgpr_count";

/// Everything that is said about code objects.
#[derive(Debug, Default)]
pub struct Layout {
    /// The targets.
    pub objects: Vec<Object>,
    /// Bits of a descriptor by place, reserved ones too.
    pub fields: Vec<Field>,
    /// The lines of `.amdhsa_kernel`.
    pub directives: Vec<Directive>,
    /// Groups of targets, and features.
    groups: Vec<(Text, Targets)>,
}

/// A target, as code objects speak of it.
#[derive(Clone, Debug)]
pub struct Object {
    /// `gfx942`, `gfx11-generic`.
    pub name: Text,
    /// Its value of EF_AMDGPU_MACH.
    pub mach: u8,
    /// Version of a generic target, else 0.
    pub generic: u8,
    /// The processors that execute code for a generic target.
    pub runs_on: Targets,
    /// Whether code may depend on SRAM ECC.
    pub sramecc: bool,
    /// Whether code may depend on XNACK.
    pub xnack: bool,
    /// The target in the table of instructions.
    pub target: Target,
    /// How many VGPRs a unit of the count in a descriptor stands for, in waves of 32 and of 64 lanes.
    pub vgprs: [u32; 2],
    /// How many SGPRs may be used, where a descriptor counts them.
    pub sgprs: Option<u32>,
    /// Where it stands in the table.
    pub place: Place,
}

/// Bits of a descriptor.
#[derive(Clone, Debug)]
pub struct Field {
    /// `float_round_mode_32`; empty if the bits are reserved.
    pub name: Text,
    /// What it is, one line.
    pub title: Text,
    /// The first bit, counted from the descriptor's begin.
    pub first: usize,
    /// How many bits; reserved ones may be more than 64.
    pub width: usize,
    /// Where it exists.
    pub on: Targets,
    /// What an assembler writes without a directive; the first that holds.
    pub defaults: Vec<(u64, Targets)>,
    /// Where it stands in the table.
    pub place: Place,
}

impl Field {
    /// What an assembler writes on a target without a directive.
    pub fn default(&self, object: &Object) -> u64 {
        self.defaults.iter().find(|d| d.1.has(object.target)).map_or(0, |d| d.0)
    }

    /// The largest value that it holds.
    pub fn largest(&self) -> u64 {
        u64::MAX >> (64 - self.width.clamp(1, 64))
    }
}

/// How many user SGPRs a directive asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// So many, if its value is not zero.
    Fixed(u32),
    /// As many as its value.
    Value,
}

/// A line of `.amdhsa_kernel`.
#[derive(Clone, Debug)]
pub struct Directive {
    /// With its dot: `.amdhsa_next_free_vgpr`.
    pub name: Text,
    /// What it says, one line.
    pub title: Text,
    /// The field that it sets as it is; empty if there is none.
    pub sets: Text,
    /// The field that an assembler computes from it and others; empty if there is none.
    pub into: Text,
    /// Where it exists.
    pub on: Targets,
    /// User SGPRs that it asks for.
    pub takes: Takes,
    /// Largest value, the last that holds; without one, the field's.
    pub limits: Vec<(u64, Targets)>,
    /// Whether it must be there, where it exists.
    pub required: bool,
    /// Where it stands in the table.
    pub place: Place,
}

impl Directive {
    /// The largest value on a target, where that is less than the field's.
    pub fn limit(&self, object: &Object) -> Option<u64> {
        self.limits.iter().rev().find(|l| l.1.has(object.target)).map(|l| l.0)
    }
}

impl Layout {
    /// The layout in the folder that the environment variable `LOCKSTEP_ISA` names, else the embedded one. Read once.
    ///
    /// # Errors
    /// What is wrong with the records.
    pub fn get() -> Result<&'static Layout, &'static Problems> {
        static LOADED: OnceLock<Result<Layout, Problems>> = OnceLock::new();
        // Of the embedded one a test says that its fields fit together: looking takes as long as reading.
        let build = if std::env::var_os("LOCKSTEP_ISA").is_some() { Layout::read } else { Layout::unchecked };
        LOADED.get_or_init(|| table::files().and_then(build)).as_ref()
    }

    /// The layout in a folder of records.
    ///
    /// # Errors
    /// What is wrong with the records.
    pub fn load(folder: &Path) -> Result<Layout, Problems> {
        table::files_of(folder).and_then(Layout::read)
    }

    /// The layout from the text of a table's files.
    ///
    /// # Errors
    /// What is wrong with the records.
    pub fn read(sources: Vec<Source>) -> Result<Layout, Problems> {
        Layout::build(sources, Builder::check)
    }

    fn unchecked(sources: Vec<Source>) -> Result<Layout, Problems> {
        Layout::build(sources, |_| {})
    }

    fn build(sources: Vec<Source>, check: fn(&mut Builder)) -> Result<Layout, Problems> {
        let mut problems = Problems { sources: sources.clone(), list: Vec::new() };
        let targets = families(&sources, &mut problems);
        let mut builder = Builder { problems, targets, ..Builder::default() };
        let name = format!("{AMDGPU}descriptor.isa");
        if let Some(at) = builder.problems.sources.iter().position(|s| s.name == name) {
            let text = builder.problems.sources[at].text;
            let roots = entries(at, text, &mut builder.problems);
            roots.iter().for_each(|entry| builder.add(entry));
            check(&mut builder);
            builder.layout.groups = std::mem::take(&mut builder.targets.groups);
        } else {
            builder.problems.push(Place::default(), format!("there is no {name}"));
        }
        if builder.problems.list.is_empty() { Ok(builder.layout) } else { Err(builder.problems) }
    }

    /// A target by its name.
    pub fn object(&self, name: &str) -> Option<&Object> {
        self.objects.iter().find(|o| o.name == name)
    }

    /// A target by its value of EF_AMDGPU_MACH.
    pub fn object_of_mach(&self, mach: u8) -> Option<&Object> {
        self.objects.iter().find(|o| o.mach == mach)
    }

    /// Whether a target is in a group or has a feature of `targets.isa`.
    pub fn is(&self, object: &Object, group: &str) -> bool {
        self.groups.iter().any(|(name, targets)| *name == group && targets.has(object.target))
    }

    /// The fields of a descriptor on a target, by place; reserved bits are not among them.
    pub fn fields_of<'a>(&'a self, object: &'a Object) -> impl Iterator<Item = &'a Field> {
        self.fields.iter().filter(move |f| !f.name.is_empty() && f.on.has(object.target))
    }

    /// A field by its name, where the target has it.
    pub fn field(&self, object: &Object, name: &str) -> Option<&Field> {
        self.fields.iter().find(|f| f.name == name && f.on.has(object.target))
    }

    /// Where LLVM's assembler looks at the value of a directive when it writes a descriptor: part by part, in each first what is set as it
    /// is, then what is computed. None if the value goes nowhere.
    pub fn order(&self, object: &Object, name: &str) -> Option<(usize, usize)> {
        let at = self.directives.iter().position(|d| d.name == name)?;
        let directive = &self.directives[at];
        // Reserved bits have no name.
        let (name, place) = if directive.sets.is_empty() { (directive.into, at + 1) } else { (directive.sets, 0) };
        let is_written = !name.is_empty() && (name != SGPR_COUNT || object.sgprs.is_some());
        self.field(object, name).filter(|_| is_written).map(|field| (field.first / 32, place))
    }

    /// A directive by its name with the dot, whether or not a target has it.
    pub fn directive(&self, name: &str) -> Option<&Directive> {
        self.directives.iter().find(|d| d.name == name)
    }
}

const ROOTS: [&str; 5] = ["object", "part", "field", "reserved", "directive"];

/// A layout under construction.
#[derive(Default)]
struct Builder {
    layout: Layout,
    problems: Problems,
    targets: super::Table,
    /// Name, first byte, bytes.
    parts: Vec<(Text, usize, usize)>,
}

impl Builder {
    fn add(&mut self, entry: &Entry) {
        match entry.key {
            "object" => self.add_object(entry),
            "part" => self.add_part(entry),
            "field" => self.add_field(entry),
            "reserved" => self.add_reserved(entry),
            "directive" => self.add_directive(entry),
            key => {
                let message = format!("unknown kind of record `{key}`");
                self.problems.push(entry.place, message).help = Some(format!("known: {}", ROOTS.join(", ")));
            }
        }
    }

    fn add_object(&mut self, entry: &Entry) {
        let keys = ["mach", "generic", "runs_on", "settings", "vgprs", "sgprs"].map(|key| (key, false));
        let facts = Facts::read(entry, &keys, &mut self.problems);
        let mach = facts.required("mach", entry, &mut self.problems);
        let vgprs: Vec<u32> =
            facts.required("vgprs", entry, &mut self.problems).split_ascii_whitespace().filter_map(|w| w.parse().ok()).collect();
        let Some((&wave32, &wave64)) = vgprs.first().zip(vgprs.last()).filter(|_| vgprs.len() <= 2) else {
            self.problems.push(entry.place, "`vgprs` is one number, or one for waves of 32 lanes and one for waves of 64");
            return;
        };
        let settings: Vec<Text> = facts.text("settings").split_ascii_whitespace().collect();
        if let Some(unknown) = settings.iter().find(|s| !["sramecc", "xnack"].contains(s)) {
            self.problems.push(entry.place, format!("`{unknown}` is no setting of a target: sramecc, xnack"));
        }
        let Some(target) = self.targets.target(entry.value) else {
            self.problems.push(entry.place, format!("`{}` is no target of targets.isa", entry.value));
            return;
        };
        let runs_on = facts.optional("runs_on");
        let runs_on = runs_on.map(|(list, place)| targets_of(&self.targets, list, place, &mut self.problems));
        let object = Object {
            name: entry.value,
            runs_on: runs_on.unwrap_or_default(),
            mach: self.number(mach, entry.place) as u8,
            generic: self.number(facts.optional("generic").map_or("0", |f| f.0), entry.place) as u8,
            sramecc: settings.contains(&"sramecc"),
            xnack: settings.contains(&"xnack"),
            target,
            vgprs: [wave32, wave64],
            sgprs: facts.optional("sgprs").map(|(text, place)| self.number(text, place) as u32),
            place: entry.extent(),
        };
        if self.layout.objects.iter().any(|o| o.name == object.name || o.mach == object.mach) {
            self.problems.push(entry.place, format!("`{}` or its mach is there already", object.name));
        }
        self.layout.objects.push(object);
    }

    /// `part NAME FIRST BYTES`
    fn add_part(&mut self, entry: &Entry) {
        let words: Vec<Text> = entry.value.split_ascii_whitespace().collect();
        let [name, first, bytes] = words[..] else {
            self.problems.push(entry.place, "a part reads `part NAME FIRST_BYTE BYTES`");
            return;
        };
        let part = (name, self.number(first, entry.place) as usize, self.number(bytes, entry.place) as usize);
        if part.1.saturating_add(part.2) > SIZE {
            self.problems.push(entry.place, format!("`{name}` ends behind the {SIZE} bytes of a descriptor"));
        }
        self.parts.push(part);
    }

    fn add_field(&mut self, entry: &Entry) {
        let keys = [("title", false), ("bits", false), ("on", false), ("default", true)];
        let facts = Facts::read(entry, &keys, &mut self.problems);
        let bits: Vec<Text> = facts.required("bits", entry, &mut self.problems).split_ascii_whitespace().collect();
        let (first, width) = self.bits(&bits, entry.place);
        let defaults = self.alternatives(&facts.all("default"), entry.place);
        let on = self.on(facts.optional("on").map(|f| f.0), entry.place);
        if width > 64 {
            self.problems.push(entry.place, "a field has at most 64 bits");
        }
        let field = Field {
            name: entry.value,
            title: facts.required("title", entry, &mut self.problems),
            first,
            width,
            on,
            defaults,
            place: entry.extent(),
        };
        self.layout.fields.push(field);
    }

    /// `reserved PART FIRST WIDTH{ on TARGETS}`
    fn add_reserved(&mut self, entry: &Entry) {
        let words: Vec<Text> = entry.value.split_ascii_whitespace().collect();
        let (first, width) = self.bits(words.get(..3).unwrap_or(&words), entry.place);
        let on = self.inline(words.get(3..).unwrap_or(&[]), entry.place);
        let field = Field { name: "", title: "Reserved", first, width, on, defaults: Vec::new(), place: entry.place };
        self.layout.fields.push(field);
    }

    fn add_directive(&mut self, entry: &Entry) {
        let keys = [
            ("title", false),
            ("sets", false),
            ("into", false),
            ("on", false),
            ("takes", false),
            ("limit", true),
            ("required", false),
        ];
        let facts = Facts::read(entry, &keys, &mut self.problems);
        let takes = match facts.text("takes") {
            "value" => Takes::Value,
            "" => Takes::Fixed(0),
            number => Takes::Fixed(self.number(number, entry.place) as u32),
        };
        let limits = self.alternatives(&facts.all("limit"), entry.place);
        let on = self.on(facts.optional("on").map(|f| f.0), entry.place);
        let directive = Directive {
            name: entry.value,
            title: facts.required("title", entry, &mut self.problems),
            sets: facts.text("sets"),
            into: facts.text("into"),
            on,
            takes,
            limits,
            required: facts.optional("required").is_some(),
            place: entry.extent(),
        };
        if self.layout.directive(directive.name).is_some() {
            self.problems.push(entry.place, format!("`{}` is there already", directive.name));
        }
        self.layout.directives.push(directive);
    }

    /// `VALUE{ on TARGETS}`
    fn alternatives(&mut self, texts: &[Text], place: Place) -> Vec<(u64, Targets)> {
        let mut all = Vec::new();
        for text in texts {
            let words: Vec<Text> = text.split_ascii_whitespace().collect();
            let value = self.number(words.first().copied().unwrap_or(""), place);
            let on = self.inline(words.get(1..).unwrap_or(&[]), place);
            all.push((value, on));
        }
        all
    }

    /// `PART FIRST WIDTH` as bits of the descriptor.
    fn bits(&mut self, words: &[Text], place: Place) -> (usize, usize) {
        let &[part, first, width] = words else {
            self.problems.push(place, "bits read `PART FIRST WIDTH`");
            return (0, 0);
        };
        let (first, width) = (self.number(first, place) as usize, self.number(width, place) as usize);
        let Some(&(_, byte, bytes)) = self.parts.iter().find(|p| p.0 == part) else {
            self.problems.push(place, format!("there is no part `{part}`"));
            return (0, 0);
        };
        if width == 0 || first.saturating_add(width) > 8 * bytes {
            self.problems.push(place, format!("`{part}` has {} bits", 8 * bytes));
            return (0, 0);
        }
        (8 * byte + first, width)
    }

    /// The targets of a list; all without one.
    fn on(&mut self, list: Option<&str>, place: Place) -> Targets {
        match list {
            Some(list) => targets_of(&self.targets, list, place, &mut self.problems),
            None => Targets(u64::MAX),
        }
    }

    /// `on TARGETS` behind other words of a line.
    fn inline(&mut self, words: &[Text], place: Place) -> Targets {
        match words {
            [] => self.on(None, place),
            ["on", rest @ ..] => self.on(Some(&rest.join(" ")), place),
            [word, ..] => {
                self.problems.push(place, format!("`{word}` where `on` may stand"));
                Targets::NONE
            }
        }
    }

    fn number(&mut self, text: Text, place: Place) -> u64 {
        let number = text.strip_prefix("0x").map_or_else(|| text.parse().ok(), |hex| u64::from_str_radix(hex, 16).ok());
        number.unwrap_or_else(|| {
            self.problems.push(place, format!("`{text}` is not a number"));
            0
        })
    }

    /// What holds between records.
    fn check(&mut self) {
        let layout = std::mem::take(&mut self.layout);
        for object in &layout.objects {
            self.check_bits(&layout, object);
            for directive in layout.directives.iter().filter(|d| !d.sets.is_empty() && d.on.has(object.target)) {
                if layout.field(object, directive.sets).is_none() {
                    let message = format!("`{}` sets `{}`, which {} does not have", directive.name, directive.sets, object.name);
                    let near = Table::nearest(directive.sets, layout.fields.iter().map(|f| f.name));
                    self.problems.push(directive.place, message).help = Some(format!("near: {}", near.join(", ")));
                }
            }
        }
        self.layout = layout;
    }

    /// Every bit of a descriptor has one meaning on a target.
    fn check_bits(&mut self, layout: &Layout, object: &Object) {
        let mut owners: [Option<&Field>; 8 * SIZE] = [None; 8 * SIZE];
        for field in layout.fields.iter().filter(|f| f.on.has(object.target)) {
            for (bit, owner) in owners.iter_mut().enumerate().skip(field.first).take(field.width) {
                if let Some(other) = owner.replace(field) {
                    let message = format!("bit {bit} on {} belongs to `{}` already", object.name, other.name);
                    self.problems.push(field.place, message);
                    return;
                }
            }
        }
        if let Some(bit) = owners.iter().position(Option::is_none) {
            self.problems.push(object.place, format!("bit {bit} of a descriptor means nothing on {}", object.name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A layout of one target, one part, and these lines.
    fn read(lines: &str) -> Result<Layout, String> {
        let text = format!("object gfx900\n  mach 0x2c\n  vgprs 4\npart all 0 64\n{lines}");
        let source = Source { name: "amdgpu/descriptor.isa".into(), text: text.leak() };
        let targets = Source { name: "amdgpu/targets.isa".into(), text: "target gfx900\n" };
        Layout::read(vec![source, targets]).map_err(|p| p.to_string())
    }

    #[test]
    fn the_embedded_layout_fits_together() {
        let files = table::files().unwrap_or_else(|problems| panic!("{problems}"));
        let layout = Layout::read(files).unwrap_or_else(|problems| panic!("{problems}"));
        let object = layout.object("gfx942").expect("a target of the table");
        assert_eq!((object.mach, object.sramecc, object.xnack, object.vgprs), (0x4c, true, true, [8, 8]));
        // COMPUTE_PGM_RSRC3 begins at byte 44 of AMDGPUUsage's table, TG_SPLIT is its bit 16 on gfx90a and its successors.
        let field = layout.field(object, "tg_split").expect("a field of gfx942");
        assert_eq!((field.first, field.width), (44 * 8 + 16, 1));
        assert!(layout.field(layout.object("gfx1100").expect("a target"), "tg_split").is_none());
    }

    #[test]
    fn every_bit_has_one_meaning() {
        assert!(read("reserved all 0 512\n").is_ok());
        assert!(read("reserved all 0 500\n").unwrap_err().contains("bit 500 of a descriptor means nothing on gfx900"));
        assert!(read("reserved all 0 512\nreserved all 3 1\n").unwrap_err().contains("bit 3 on gfx900 belongs to"));
        assert!(read("reserved all 1 512\n").unwrap_err().contains("`all` has 512 bits"));
    }

    #[test]
    fn the_reader_is_strict() {
        assert!(read("reserved all 0 512 on gfx77\n").unwrap_err().contains("there is no target or group `gfx77`"));
        assert!(read("reserved all 0 512\nfild x\n").unwrap_err().contains("unknown kind of record `fild`"));
        assert!(
            read("reserved all 0 512\ndirective .a\n  title A\n  sets b\n").unwrap_err().contains("which gfx900 does not have")
        );
    }
}
