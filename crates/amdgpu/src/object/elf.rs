//! What ELF files for AMD GPUs add to ELF: numbers of the format. Those of ELF itself are in crate `object`.

/// EI_OSABI of code objects for the HSA runtime.
pub(crate) const ELFOSABI_AMDGPU_HSA: u8 = 64;
/// Type of the note with the metadata; its name is `AMDGPU`.
pub(crate) const NT_AMDGPU_METADATA: u32 = 32;
/// Section of the symbols whose address matters, which assemblers for other compilers write.
pub(crate) const SHT_LLVM_ADDRSIG: u32 = 0x6fff_4c03;
/// Section index of a variable in LDS, whose value is its alignment.
pub(crate) const SHN_AMDGPU_LDS: u16 = 0xff00;

/// Version of a code object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// Settings of the target are flags that are on or off.
    V3,
    /// Settings of the target may be left open.
    V4,
    /// Other implicit arguments.
    V5,
    /// Generic targets have versions.
    V6,
}

impl Version {
    /// All, oldest first.
    pub const ALL: [Version; 4] = [Version::V3, Version::V4, Version::V5, Version::V6];

    /// Its number.
    pub fn number(self) -> u8 {
        3 + self as u8
    }

    /// The version of a number.
    pub fn from_number(number: u64) -> Option<Version> {
        Version::ALL.into_iter().find(|v| u64::from(v.number()) == number)
    }

    /// What EI_ABIVERSION says.
    pub fn abi(self) -> u8 {
        1 + self as u8
    }

    /// The version of an EI_ABIVERSION.
    pub fn from_abi(abi: u8) -> Option<Version> {
        Version::ALL.into_iter().find(|v| v.abi() == abi)
    }
}

/// A relocation's number and name.
pub const RELOCATIONS: [(u32, &str); 14] = [
    (NONE, "R_AMDGPU_NONE"),
    (ABS32_LO, "R_AMDGPU_ABS32_LO"),
    (ABS32_HI, "R_AMDGPU_ABS32_HI"),
    (ABS64, "R_AMDGPU_ABS64"),
    (REL32, "R_AMDGPU_REL32"),
    (REL64, "R_AMDGPU_REL64"),
    (ABS32, "R_AMDGPU_ABS32"),
    (GOTPCREL, "R_AMDGPU_GOTPCREL"),
    (GOTPCREL32_LO, "R_AMDGPU_GOTPCREL32_LO"),
    (GOTPCREL32_HI, "R_AMDGPU_GOTPCREL32_HI"),
    (REL32_LO, "R_AMDGPU_REL32_LO"),
    (REL32_HI, "R_AMDGPU_REL32_HI"),
    (RELATIVE64, "R_AMDGPU_RELATIVE64"),
    (REL16, "R_AMDGPU_REL16"),
];

pub(crate) const NONE: u32 = 0;
pub(crate) const ABS32_LO: u32 = 1;
pub(crate) const ABS32_HI: u32 = 2;
pub(crate) const ABS64: u32 = 3;
pub(crate) const REL32: u32 = 4;
pub(crate) const REL64: u32 = 5;
pub(crate) const ABS32: u32 = 6;
pub(crate) const GOTPCREL: u32 = 7;
pub(crate) const GOTPCREL32_LO: u32 = 8;
pub(crate) const GOTPCREL32_HI: u32 = 9;
pub(crate) const REL32_LO: u32 = 10;
pub(crate) const REL32_HI: u32 = 11;
pub(crate) const RELATIVE64: u32 = 13;
pub(crate) const REL16: u32 = 14;

/// The name of a relocation's number.
pub fn relocation_name(number: u32) -> Option<&'static str> {
    RELOCATIONS.iter().find(|r| r.0 == number).map(|r| r.1)
}
