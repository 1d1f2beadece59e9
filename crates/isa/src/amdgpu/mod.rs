//! The table of AMD's machine code: the records of `isa/amdgpu`.

pub mod descriptor;
