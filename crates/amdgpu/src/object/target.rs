//! What a code object runs on: a processor, and settings of it that code may depend on.
//!
//! Spelled `gfx942:sramecc+:xnack-`, behind a triple in metadata (`amdgcn-amd-amdhsa--gfx942`, from LLVM 23 on
//! `amdgpu9.42-amd-amdhsa-unknown-gfx942`), with an offload kind before it in bundles, and as bits in an ELF file's
//! e_flags. Follows AMDGPUUsage, "Target ID" and "Header".

use super::elf::Version;
use super::error::{Error, Result, layout};
use isa::Table;
use isa::amdgpu::descriptor::Object;
use std::fmt;

/// A setting of a target that code may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// The processor does not have it.
    Unsupported,
    /// The code works either way.
    Any,
    /// The code needs it off.
    Off,
    /// The code needs it on.
    On,
}

impl Setting {
    /// The same as the two bits of e_flags since code object V4.
    const BITS: [Setting; 4] = [Setting::Unsupported, Setting::Any, Setting::Off, Setting::On];

    fn from_bits(bits: u32) -> Setting {
        Setting::BITS[(bits & 3) as usize]
    }

    /// Without a word about it, the code works either way.
    fn open(supported: bool) -> Setting {
        if supported { Setting::Any } else { Setting::Unsupported }
    }

    /// Whether code may run where the setting is on, where that is not known to be otherwise.
    pub fn on_or_any(self) -> bool {
        matches!(self, Setting::On | Setting::Any)
    }

    fn sign(self) -> Option<char> {
        match self {
            Setting::On => Some('+'),
            Setting::Off => Some('-'),
            Setting::Unsupported | Setting::Any => None,
        }
    }

    /// Whether code of this setting runs where the setting is `other`.
    fn runs_on(self, other: Setting) -> bool {
        self == other || self == Setting::Any
    }
}

/// First of the bits that a setting has in e_flags.
const XNACK: u32 = 8;
const SRAMECC: u32 = 10;
const GENERIC: u32 = 24;

/// A processor and its settings.
#[derive(Clone, Copy, Debug)]
pub struct TargetId {
    /// The processor.
    pub object: &'static Object,
    /// ECC of the on-chip memories.
    pub sramecc: Setting,
    /// Retry of memory accesses that fault.
    pub xnack: Setting,
}

impl PartialEq for TargetId {
    fn eq(&self, other: &Self) -> bool {
        (self.object.name, self.sramecc, self.xnack) == (other.object.name, other.sramecc, other.xnack)
    }
}

impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.object.name)?;
        for (name, setting) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            if let Some(sign) = setting.sign() {
                write!(f, ":{name}{sign}")?;
            }
        }
        Ok(())
    }
}

impl TargetId {
    /// A target by its processor's name, settings open.
    ///
    /// # Errors
    /// The table has no such processor.
    pub fn of(processor: &str) -> Result<TargetId> {
        let layout = layout()?;
        let Some(object) = layout.object(processor) else {
            let near = Table::nearest(processor, layout.objects.iter().map(|o| o.name));
            let all: Vec<&str> = layout.objects.iter().map(|o| o.name).collect();
            let near = if near.is_empty() { String::new() } else { format!("did you mean {}? ", near.join(" or ")) };
            let help = format!("{near}known: {}", all.join(" "));
            return Err(Error::new(format!("unknown target `{processor}`")).help(help));
        };
        Ok(TargetId { object, sramecc: Setting::open(object.sramecc), xnack: Setting::open(object.xnack) })
    }

    /// A target in any of its spellings: alone, behind a triple, or behind an offload kind and a triple.
    ///
    /// ```
    /// use amdgpu::object::TargetId;
    ///
    /// let target = TargetId::parse("hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-")?;
    /// assert_eq!(target.to_string(), "gfx90a:sramecc+:xnack-");
    /// assert!(TargetId::parse("gfx1100:xnack+").is_err());
    /// # Ok::<(), amdgpu::object::Error>(())
    /// ```
    ///
    /// # Errors
    /// It is no spelling of an AMD target, or sets what the processor does not have.
    pub fn parse(text: &str) -> Result<TargetId> {
        let mut words = text.split(':');
        let processor = processor(words.next().unwrap_or(""));
        let mut target = TargetId::of(&processor)?;
        for word in words {
            let (name, setting) = match (word.strip_suffix('+'), word.strip_suffix('-')) {
                (Some(name), _) => (name, Setting::On),
                (_, Some(name)) => (name, Setting::Off),
                _ => return Err(Error::new(format!("`{word}` in `{text}` is no setting")).help("as in `:xnack+` or `:xnack-`")),
            };
            let place = match name {
                "sramecc" => &mut target.sramecc,
                "xnack" => &mut target.xnack,
                _ => return Err(Error::new(format!("`{name}` in `{text}` is no setting")).help("there are sramecc and xnack")),
            };
            match place {
                Setting::Unsupported => return Err(Error::new(format!("{processor} has no {name}")).help("leave it away")),
                Setting::Any => *place = setting,
                _ => return Err(Error::new(format!("{name} is set twice in `{text}`")).help("set it once")),
            }
        }
        Ok(target)
    }

    /// The spelling behind a triple, as code objects have it in their metadata.
    pub fn triple(&self) -> String {
        format!("amdgcn-amd-amdhsa--{self}")
    }

    /// The target of an ELF file's e_flags; nothing if the table does not have its processor.
    ///
    /// # Errors
    /// The table is wrong.
    pub fn from_flags(version: Version, flags: u32) -> Result<Option<TargetId>> {
        let Some(object) = layout()?.object_of_mach(flags as u8) else { return Ok(None) };
        let setting = |first: u32, supported: bool| match version {
            // A set bit means that the code works either way, as today's "any".
            Version::V3 if !supported => Setting::Unsupported,
            Version::V3 if flags >> (8 + (first - XNACK) / 2) & 1 == 1 => Setting::On,
            Version::V3 => Setting::Off,
            _ => Setting::from_bits(flags >> first),
        };
        Ok(Some(TargetId { object, sramecc: setting(SRAMECC, object.sramecc), xnack: setting(XNACK, object.xnack) }))
    }

    /// e_flags of a code object.
    pub fn flags(&self, version: Version) -> u32 {
        let mach = u32::from(self.object.mach);
        if version == Version::V3 {
            return mach | u32::from(self.xnack.on_or_any()) << 8 | u32::from(self.sramecc.on_or_any()) << 9;
        }
        let generic = if version >= Version::V6 { u32::from(self.object.generic) } else { 0 };
        mach | (self.xnack as u32) << XNACK | (self.sramecc as u32) << SRAMECC | generic << GENERIC
    }

    /// Whether code for this target may be loaded where the device is `device`, which says of each setting whether it is on.
    /// A generic target's code runs on members of its family.
    pub fn runs_on(&self, device: &TargetId) -> bool {
        let same = self.object.name == device.object.name || self.object.runs_on.has(device.object.target);
        same && self.sramecc.runs_on(device.sramecc) && self.xnack.runs_on(device.xnack)
    }
}

/// The processor in `gfx942`, `amdgcn-amd-amdhsa--gfx942`, `hipv4-amdgcn-amd-amdhsa--gfx9-4-generic` or `amdgpu9.42-amd-amdhsa`.
fn processor(text: &str) -> String {
    if let Some(at) = text.find("gfx").filter(|at| *at == 0 || text.as_bytes()[at - 1] == b'-') {
        return text[at..].to_owned();
    }
    let version = text.split('-').find_map(|part| part.strip_prefix("amdgpu"));
    match version.and_then(|v| v.split_once('.')) {
        Some((major, minor)) => format!("gfx{major}{minor}"),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        TargetId::parse(text).map_or_else(|e| e.to_string(), |t| t.to_string())
    }

    #[test]
    fn spellings() {
        for text in ["gfx942", "amdgcn-amd-amdhsa--gfx942", "amdgpu9.42-amd-amdhsa-unknown-gfx942", "amdgpu9.42-amd-amdhsa"] {
            assert_eq!(parsed(text), "gfx942", "{text}");
        }
        assert_eq!(parsed("hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"), "gfx90a:sramecc+:xnack-");
        assert_eq!(parsed("hip-amdgcn-amd-amdhsa-gfx906:xnack+"), "gfx906:xnack+");
        assert_eq!(parsed("amdgcn-amd-amdhsa--gfx9-4-generic:xnack+"), "gfx9-4-generic:xnack+");
        assert_eq!(parsed("host-x86_64-unknown-linux-gnu"), "unknown target `host-x86_64-unknown-linux-gnu`");
        assert_eq!(parsed("gfx1100:xnack+"), "gfx1100 has no xnack");
        assert_eq!(parsed("gfx90a:xnack+:xnack-"), "xnack is set twice in `gfx90a:xnack+:xnack-`");
        assert_eq!(parsed("gfx90a:xnack"), "`xnack` in `gfx90a:xnack` is no setting");
        assert_eq!(parsed(""), "unknown target ``");
    }

    /// Flags that llvm-mc 22 writes: `-mcpu=gfx90a -mattr=+xnack,-sramecc`, and so on.
    #[test]
    fn flags() {
        for (text, version, flags) in [
            ("gfx942", Version::V6, 0x54c),
            ("gfx90a:sramecc-:xnack+", Version::V4, 0xb3f),
            ("gfx90a:sramecc+:xnack-", Version::V5, 0xe3f),
            ("gfx1030", Version::V4, 0x36),
            ("gfx9-4-generic", Version::V6, 0x0100_055f),
            ("gfx11-generic", Version::V6, 0x0100_0054),
        ] {
            let target = TargetId::parse(text).expect("a target");
            assert_eq!(target.flags(version), flags, "{text}");
            assert_eq!(TargetId::from_flags(version, flags).expect("a good table"), Some(target), "{text}");
        }
        assert_eq!(TargetId::from_flags(Version::V6, 0x20).expect("a good table"), None);
    }
}
