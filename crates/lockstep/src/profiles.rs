//! The GPUs that can be modelled, as data.
//!
//! Limits by compute capability follow the CUDA C++ Programming Guide 13 (technical specifications); multiprocessors and memory
//! follow the products' data sheets. A profile decides what programs can ask for and how many blocks are resident at once, never
//! what an instruction computes.

use isa::{Features, Target};

/// A model of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The product, as `--gpu` takes it.
    pub name: &'static str,
    /// The number of its target: 90 for compute capability 9.0.
    pub target: u32,
    /// The target of AMD's GPUs, `gfx942`; empty for others, whose `target` is 0 here.
    pub gfx: &'static str,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Warps that a multiprocessor holds.
    pub warps: u32,
    /// KiB of shared memory that a block may have.
    pub shared_block: u32,
    /// KiB of shared memory of a multiprocessor.
    pub shared_multiprocessor: u32,
    /// GiB of device memory.
    pub memory: u64,
}

const fn profile(name: &'static str, target: u32, multiprocessors: u32, warps: u32, shared: [u32; 2], memory: u64) -> Profile {
    Profile { name, target, gfx: "", multiprocessors, warps, shared_block: shared[0], shared_multiprocessor: shared[1], memory }
}

/// A GPU of AMD's: compute units, wavefronts that one holds, KiB of LDS of one, GiB of memory.
const fn amd(name: &'static str, gfx: &'static str, multiprocessors: u32, warps: u32, lds: u32, memory: u64) -> Profile {
    Profile { name, target: 0, gfx, multiprocessors, warps, shared_block: lds, shared_multiprocessor: lds, memory }
}

/// Every profile. Where several have one target, the first stands for it.
pub const PROFILES: &[Profile] = &[
    profile("h100", 90, 132, 64, [227, 228], 80),
    profile("h200", 90, 132, 64, [227, 228], 141),
    profile("b200", 100, 148, 64, [227, 228], 180),
    profile("rtx5090", 120, 170, 48, [99, 100], 32),
    profile("gb10", 121, 48, 48, [99, 100], 128),
    profile("rtx4090", 89, 128, 48, [99, 100], 24),
    profile("l4", 89, 58, 48, [99, 100], 24),
    profile("l40s", 89, 142, 48, [99, 100], 48),
    profile("rtx3090", 86, 82, 48, [99, 100], 24),
    profile("a10", 86, 72, 48, [99, 100], 24),
    profile("orin", 87, 16, 48, [163, 164], 64),
    profile("a100", 80, 108, 64, [163, 164], 80),
    profile("t4", 75, 40, 32, [64, 64], 16),
    profile("v100", 70, 80, 64, [96, 96], 32),
    profile("p100", 60, 56, 64, [48, 64], 16),
    profile("gtx1080", 61, 20, 64, [48, 96], 8),
    // Instructions exist for it, and no data sheet that we know of: it has the figures of the b200.
    profile("sm_107", 107, 148, 64, [227, 228], 180),
    profile("gtx980", 52, 16, 64, [48, 96], 4),
    amd("mi300x", "gfx942", 304, 32, 64, 192),
    amd("mi325x", "gfx942", 304, 32, 64, 256),
    amd("mi355x", "gfx950", 256, 32, 160, 288),
    amd("mi250x", "gfx90a", 110, 32, 64, 64),
    amd("mi100", "gfx908", 120, 40, 64, 32),
    amd("mi50", "gfx906", 60, 40, 64, 32),
    amd("vega64", "gfx900", 64, 40, 64, 8),
    amd("rx5700xt", "gfx1010", 40, 32, 64, 8),
    amd("v520", "gfx1011", 36, 32, 64, 8),
    amd("rx5500xt", "gfx1012", 22, 32, 64, 8),
    amd("rx6900xt", "gfx1030", 80, 32, 64, 16),
    amd("rx6700xt", "gfx1031", 40, 32, 64, 12),
    amd("rx6600xt", "gfx1032", 32, 32, 64, 8),
    amd("steamdeck", "gfx1033", 8, 32, 64, 16),
    amd("rx6500xt", "gfx1034", 16, 32, 64, 4),
    amd("radeon680m", "gfx1035", 12, 32, 64, 16),
    amd("raphael", "gfx1036", 2, 32, 64, 16),
    amd("rx7900xtx", "gfx1100", 96, 32, 64, 24),
    amd("rx7800xt", "gfx1101", 60, 32, 64, 16),
    amd("rx7600", "gfx1102", 32, 32, 64, 8),
    amd("radeon780m", "gfx1103", 12, 32, 64, 16),
    amd("radeon890m", "gfx1150", 16, 32, 64, 32),
    amd("strixhalo", "gfx1151", 40, 32, 64, 128),
    amd("radeon860m", "gfx1152", 8, 32, 64, 32),
    amd("gfx1153", "gfx1153", 4, 32, 64, 32),
    amd("rx9060xt", "gfx1200", 32, 32, 64, 16),
    amd("rx9070xt", "gfx1201", 64, 32, 64, 16),
    amd("gfx1250", "gfx1250", 256, 32, 320, 288),
    amd("gfx1251", "gfx1251", 256, 32, 320, 288),
];

/// The GPU that runs what does not ask for another.
pub const DEFAULT: &Profile = &PROFILES[0];

impl Profile {
    /// The profile of a product's name or of a target such as `sm_90`.
    ///
    /// # Errors
    /// What is known, in words, where nothing is called so.
    pub fn named(name: &str) -> Result<&'static Profile, String> {
        let target = Target::parse(name).map(|t| t.number);
        let is_it =
            |p: &&Profile| p.name.eq_ignore_ascii_case(name) || p.gfx == name && !name.is_empty() || Some(p.target) == target;
        PROFILES.iter().find(is_it).ok_or_else(|| {
            let near = isa::Table::nearest(name, PROFILES.iter().map(|p| p.name));
            let list = || PROFILES.iter().map(|p| p.name).collect::<Vec<_>>().join(", ");
            near.first().map_or_else(
                || format!("known: {}, or a target such as sm_90 or gfx942", list()),
                |n| format!("did you mean `{n}`?"),
            )
        })
    }

    /// The profile for a module of this target: the default if it can run it, else the first that can.
    pub fn for_target(target: Target) -> Option<&'static Profile> {
        std::iter::once(DEFAULT).chain(PROFILES).find(|p| p.runs(target))
    }

    /// The profile for a code object of this target.
    pub fn for_gfx(target: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|p| p.gfx == target)
    }

    /// Its target as the vendors write theirs: `sm_90`, `gfx942`.
    pub fn target_name(&self) -> String {
        if self.gfx.is_empty() { format!("sm_{}", self.target) } else { self.gfx.to_owned() }
    }

    /// Whether a module for `target` runs on it (PTX ISA 9.4, 11.1.2).
    pub fn runs(&self, target: Target) -> bool {
        Target { number: self.target, features: Features::Architecture }.satisfies(target)
    }

    /// Compute capability: 9.0 as major and minor.
    pub const fn compute_capability(&self) -> (u32, u32) {
        (self.target / 10, self.target % 10)
    }

    pub(crate) const fn gpu(&self) -> machine::state::Gpu {
        machine::state::Gpu {
            multiprocessors: self.multiprocessors,
            warps: self.warps,
            shared: self.shared_block << 10,
            shared_multiprocessor: self.shared_multiprocessor << 10,
            clusters: self.target >= 90,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_targets_and_modules_choose_profiles() {
        assert_eq!(Profile::named("A100").map(|p| p.target), Ok(80));
        assert_eq!(Profile::named("sm_89").map(|p| p.name), Ok("rtx4090"));
        assert_eq!(Profile::named("b20"), Err("did you mean `b200`?".into()));
        let choose = |t| Target::parse(t).and_then(Profile::for_target).map(|p| p.name);
        assert_eq!(choose("sm_75"), Some("h100"));
        assert_eq!(choose("sm_90a"), Some("h100"));
        assert_eq!(choose("sm_100a"), Some("b200"));
        assert_eq!(choose("sm_120f"), Some("rtx5090"));
        assert_eq!(choose("sm_999"), None);
    }
}
