//! Words and text of single instructions on one target.
//!
//! A [`Codec`] is what one target makes of the records: every form with its masks. [`Codec::decode`] finds the form of a word without
//! allocation; everything else is read from the word when it is asked for. The text is that of LLVM 22. What LLVM would
//! print but not read back as the same bits is told apart by [`Codec::canonical`].

pub mod access;
mod advice;
mod assemble;
mod bits;
mod decode;
mod entry;
mod image;
mod operand;
mod pair;
mod plan;
mod print;
pub mod register;
pub mod value;

use std::sync::{Arc, Mutex, OnceLock};

use isa::amdgpu::words::Words;
use isa::amdgpu::{Records, Table, Target};

use crate::immediate::Immediates;

pub use advice::Advice;
pub use assemble::Assembled;
pub use bits::Bits;
pub(crate) use bits::ones_wide;
pub use decode::{Decoded, Undefined};
pub use entry::{Entry, Modifier, ModifierKind, Slot, SlotKind};
pub use register::RegisterFile;

/// The instructions of one target.
#[derive(Debug)]
pub struct Codec {
    /// The target.
    pub target: Target,
    /// Lanes of a wavefront: 32 or 64.
    pub wave: u8,
    table: &'static Table,
    words: &'static Words,
    records: Arc<Records>,
    maker: entry::Maker,
    /// Entries by record.
    made: Box<[OnceLock<entry::Made>]>,
    /// All of them.
    all: OnceLock<entry::Made>,
    /// What decoding asks, when it does so for the first time.
    groups: OnceLock<decode::Groups>,
    /// Entries by the number of a mnemonic or alias, in the order in which an assembler tries them.
    by_name: Box<[OnceLock<entry::Made>]>,
    halves: OnceLock<pair::Halves>,
    kinds: Mutex<plan::Kinds>,
    registers: RegisterFile,
    immediates: Immediates,
    features: Features,
}

/// What rules of operands depend on.
#[derive(Clone, Copy, Debug)]
struct Features {
    aligned_vgprs: bool,
    literal64: bool,
    vop3_literals: bool,
    two_scalars: bool,
    dpp_scalar_src1: bool,
    dpp_double: bool,
    lds_direct: bool,
}

impl Features {
    fn new(table: &Table, target: Target) -> Features {
        let has = |name| table.group(name).has(target);
        Features {
            aligned_vgprs: has("aligned_vgprs"),
            literal64: has("literal64"),
            vop3_literals: has("vop3_literals"),
            two_scalars: has("two_scalars"),
            dpp_scalar_src1: has("dpp_scalar_src1"),
            dpp_double: has("dpp_double"),
            lds_direct: has("lds_direct_sources"),
        }
    }
}

impl Codec {
    /// The instructions of the target of that name, in wavefronts of 32 or 64 lanes, or as is usual there. Reads no more of the records
    /// than that.
    ///
    /// ```
    /// use amdgpu::codec::Codec;
    ///
    /// let codec = Codec::of("gfx942", None)?;
    /// let assembled = codec.assemble("v_add_f32_e32", "v0, 1.0, v2", &|_| None).map_err(|problem| problem.message)?;
    /// let (bytes, length) = assembled.bytes();
    /// assert_eq!(bytes[..length], [0xf2, 0x04, 0x00, 0x02]);
    ///
    /// let decoded = codec.decode(&bytes[..length]).map_err(|undefined| undefined.to_string())?;
    /// let mut text = String::new();
    /// codec.print(&decoded, &mut text);
    /// assert_eq!(text, "v_add_f32_e32 v0, 1.0, v2");
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    ///
    /// There is no such target, or something is wrong with the records: a message.
    pub fn of(target: &str, wave: Option<u8>) -> Result<Codec, String> {
        let records = Records::of(target).map_err(|problems| problems.to_string())?;
        let words = Words::get().map_err(|problems| problems.to_string())?;
        Codec::with(records, words, target, wave)
    }

    /// The instructions of a table that the target of that name has, in wavefronts of 32 or 64 lanes, or as is usual there.
    ///
    /// # Errors
    ///
    /// There is no such target, or the records contradict each other: a message.
    pub fn new(table: &'static Table, words: &'static Words, target: &str, wave: Option<u8>) -> Result<Codec, String> {
        let codec = Codec::with(Records::new(table, table.target(target)), words, target, wave)?;
        for (record, slot) in codec.made.iter().enumerate() {
            // Nobody else has the codec yet: it is empty.
            let _ = slot.set(codec.make(record as u16)?);
        }
        Ok(codec)
    }

    fn with(records: Arc<Records>, words: &'static Words, target: &str, wave: Option<u8>) -> Result<Codec, String> {
        let table = records.table();
        let id = table.target(target).ok_or_else(|| {
            let near = isa::Table::nearest(target, table.targets.iter().copied());
            let hint = if near.is_empty() { String::new() } else { format!(": did you mean {}?", near.join(" or ")) };
            format!("there is no target `{target}`{hint}")
        })?;
        let immediates = Immediates::new(words, target)?;
        let usual = if table.group("wave32").has(id) { 32 } else { 64 };
        let wave = wave.unwrap_or(usual);
        let empty = |count: usize| (0..count).map(|_| OnceLock::new()).collect();
        Ok(Codec {
            target: id,
            wave,
            table,
            words,
            maker: entry::Maker::new(table, id, wave, &immediates),
            made: empty(records.count()),
            all: OnceLock::new(),
            groups: OnceLock::new(),
            by_name: empty(records.name_count()),
            halves: OnceLock::new(),
            kinds: Mutex::default(),
            registers: RegisterFile::new(&table.registers, id),
            immediates,
            features: Features::new(table, id),
            records,
        })
    }

    /// The entries of a record.
    fn of_record(&self, record: u16) -> &[Arc<Entry>] {
        let Some(slot) = self.made.get(usize::from(record)) else { return &[] };
        // What is wrong with records has been told by whoever looked at all of them: `new`, and the checks of the embedded ones.
        slot.get_or_init(|| self.make(record).unwrap_or_default())
    }

    fn make(&self, record: u16) -> Result<entry::Made, String> {
        let instruction = self.records.instruction(record);
        instruction.map_or_else(|| Ok(entry::Made::default()), |i| self.maker.entries(record, i, &self.immediates))
    }

    fn by_id(&self, id: entry::Id) -> Option<&Entry> {
        self.of_record(id.record).get(usize::from(id.form)).map(|entry| &**entry)
    }

    /// The entries of a mnemonic or alias.
    fn named(&self, name: &str) -> Option<&[Arc<Entry>]> {
        let (number, records) = self.records.named(name)?;
        let list = self.by_name.get(number)?.get_or_init(|| {
            let mut list: Vec<Arc<Entry>> = records.iter().flat_map(|record| self.of_record(*record)).cloned().collect();
            list.sort_by_key(|entry| entry.variant());
            list.into()
        });
        (!list.is_empty()).then_some(list)
    }

    /// The name of a field.
    pub fn field_name(&self, field: isa::amdgpu::Field) -> &'static str {
        self.table.fields.get(usize::from(field.0)).copied().unwrap_or("?")
    }

    /// The field of that name.
    pub fn field_named(&self, name: &str) -> Option<isa::amdgpu::Field> {
        self.table.field(name)
    }

    /// The name of a functional group.
    pub fn group_name(&self, group: usize) -> &'static str {
        self.table.functional_groups.get(group).map_or("", |group| group.0)
    }

    /// Every form of every instruction that the target has.
    pub fn entries(&self) -> &[Arc<Entry>] {
        self.all.get_or_init(|| (0..self.made.len() as u16).flat_map(|record| self.of_record(record)).cloned().collect())
    }

    /// The name of the target.
    pub fn target_name(&self) -> &'static str {
        self.table.targets.get(usize::from(self.target.0)).copied().unwrap_or("?")
    }

    /// The registers of the target.
    pub fn registers(&self) -> &RegisterFile {
        &self.registers
    }

    /// The immediates of the target.
    pub fn immediates(&self) -> &Immediates {
        &self.immediates
    }

    /// Whether the target is in a group or has a feature.
    pub fn has(&self, group: &str) -> bool {
        self.table.group(group).has(self.target)
    }
}
