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
mod print;
pub mod register;

use isa::amdgpu::words::Words;
use isa::amdgpu::{Table, Target};
use isa::names::NameMap;

use crate::immediate::Immediates;

pub use advice::Advice;
pub use assemble::Assembled;
pub use bits::Bits;
pub(crate) use bits::ones_wide;
pub use decode::{Decoded, Undefined};
pub use entry::{Entry, Modifier, ModifierKind, Slot};
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
    entries: Vec<Entry>,
    groups: Vec<decode::Group>,
    /// Groups by the nine highest bits of the first word.
    dispatch: Vec<Vec<u16>>,
    /// Entries by mnemonic and alias, in the order in which an assembler tries them.
    by_name: NameMap<&'static str, Vec<u16>>,
    halves: pair::Halves,
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
        let table = Table::of(target).map_err(|problems| problems.to_string())?;
        let words = Words::get().map_err(|problems| problems.to_string())?;
        Codec::new(table, words, target, wave)
    }

    /// The instructions of a table that the target of that name has, in wavefronts of 32 or 64 lanes, or as is usual there.
    ///
    /// # Errors
    ///
    /// There is no such target, or the records contradict each other: a message.
    pub fn new(table: &'static Table, words: &'static Words, target: &str, wave: Option<u8>) -> Result<Codec, String> {
        let id = table.target(target).ok_or_else(|| {
            let near = isa::Table::nearest(target, table.targets.iter().copied());
            let hint = if near.is_empty() { String::new() } else { format!(": did you mean {}?", near.join(" or ")) };
            format!("there is no target `{target}`{hint}")
        })?;
        let immediates = Immediates::new(words, target)?;
        let usual = if table.group("wave32").has(id) { 32 } else { 64 };
        let wave = wave.unwrap_or(usual);
        let entries = entry::all(table, id, wave, &immediates)?;
        let (groups, dispatch) = decode::groups(&entries, table, id);
        let registers = RegisterFile::new(&table.registers, id);
        let by_name = by_name(&entries, id);
        let halves = pair::Halves::new(&entries);
        let features = Features::new(table, id);
        Ok(Codec { features, by_name, halves, target: id, wave, table, words, entries, groups, dispatch, registers, immediates })
    }

    /// The name of a field.
    pub fn field_name(&self, field: isa::amdgpu::Field) -> &'static str {
        self.table.fields.get(usize::from(field.0)).copied().unwrap_or("?")
    }

    /// Every form of every instruction that the target has.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
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

fn by_name(entries: &[Entry], target: Target) -> NameMap<&'static str, Vec<u16>> {
    let mut by_name: NameMap<&'static str, Vec<u16>> = NameMap::default();
    for (index, entry) in entries.iter().enumerate() {
        let aliases = entry.instruction.aliases.iter().filter(|a| a.1.has(target)).map(|a| a.0);
        for name in std::iter::once(entry.instruction.name).chain(aliases) {
            by_name.entry(name).or_default().push(index as u16);
        }
    }
    by_name.values_mut().for_each(|list| list.sort_by_key(|i| entries[usize::from(*i)].encoding.variant));
    by_name
}
