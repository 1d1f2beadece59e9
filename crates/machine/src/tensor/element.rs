//! Types of the elements of tensors: their sizes in either memory and what a copy makes of their bits.
//!
//! The numbers are those of `tensormap.replace` (PTX ISA 9.4, table 36), which differ from the driver's. Packed types
//! (5.5.1.1) are dense in global memory; of sixteen elements some fill 16 bytes of shared memory.

use super::choice;

choice! {
    /// The type of a tensor's elements.
    Element, "type" {
        #[default]
        U8 = 0 "u8",
        U16 = 1 "u16",
        U32 = 2 "u32",
        S32 = 3 "s32",
        U64 = 4 "u64",
        S64 = 5 "s64",
        F16 = 6 "f16",
        F32 = 7 "f32",
        /// Subnormals become zero.
        F32Ftz = 8 "f32.ftz",
        F64 = 9 "f64",
        Bf16 = 10 "bf16",
        /// An f32 in memory, rounded when it is copied to shared memory.
        Tf32 = 11 "tf32",
        /// The same, and subnormals become zero.
        Tf32Ftz = 12 "tf32.ftz",
        /// 4 bits, dense everywhere; the driver's 16U4_ALIGN8B.
        B4 = 13 "b4x16",
        /// 4 bits, sixteen of them and 8 bytes of padding in shared memory; the driver's 16U4_ALIGN16B.
        B4Padded = 14 "b4x16_p64",
        /// 6 bits, sixteen of them and 4 bytes of padding in shared memory; from shared to global memory `b6p2x16`, one in
        /// each byte; the driver's 16U6_ALIGN16B.
        B6Padded = 15 "b6x16_p32",
    }
}

impl Element {
    /// Bits of an element in global memory.
    pub const fn bits(self) -> u32 {
        match self {
            Element::U8 => 8,
            Element::U16 | Element::F16 | Element::Bf16 => 16,
            Element::U32 | Element::S32 | Element::F32 | Element::F32Ftz | Element::Tf32 | Element::Tf32Ftz => 32,
            Element::U64 | Element::S64 | Element::F64 => 64,
            Element::B4 | Element::B4Padded => 4,
            Element::B6Padded => 6,
        }
    }

    /// Bytes in global memory of what takes 16 bytes in shared memory: 16 but for padded types.
    pub const fn packed(self) -> u32 {
        match self {
            Element::B4Padded => 8,
            Element::B6Padded => 12,
            _ => 16,
        }
    }

    /// Whether shared memory has padding between elements.
    pub const fn is_padded(self) -> bool {
        self.packed() != 16
    }

    /// Whether it is a floating-point number, for which a NaN can stand outside of the tensor.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Element::F16 | Element::Bf16 | Element::F32 | Element::F32Ftz | Element::F64 | Element::Tf32 | Element::Tf32Ftz
        )
    }

    /// Whether a copy to shared memory changes bits: see [`Element::loaded`].
    pub const fn converts(self) -> bool {
        matches!(self, Element::F32Ftz | Element::Tf32 | Element::Tf32Ftz)
    }

    /// What a copy to shared memory makes of the 32 bits of an element that [`Element::converts`]: rounded to the 10 fraction
    /// bits of tf32, to nearest, ties to even; subnormals to zero.
    ///
    /// That the copy rounds, and that it does so on the way to shared memory alone, is what CUTLASS relies on; the manual is silent.
    pub const fn loaded(self, bits: u32) -> u32 {
        const EXPONENT: u32 = 0x7f80_0000;
        if matches!(self, Element::F32Ftz | Element::Tf32Ftz) && bits & EXPONENT == 0 {
            return bits & 0x8000_0000;
        }
        if !matches!(self, Element::Tf32 | Element::Tf32Ftz) {
            return bits;
        }
        if bits & EXPONENT == EXPONENT {
            // A NaN whose upper bits are zero would become infinite.
            let nan = if bits & 0x007f_ffff != 0 { 0x0040_0000 } else { 0 };
            return bits & !0x1fff | nan;
        }
        (bits + 0xfff + (bits >> 13 & 1)) & !0x1fff
    }
}

/// Sixteen elements of 6 bits, one in each byte, put side by side: `b6p2x16` on its way to global memory.
pub fn pack_b6(bytes: [u8; 16]) -> [u8; 12] {
    let all = bytes.iter().rev().fold(0u128, |all, byte| all << 6 | u128::from(byte & 0x3f));
    let mut packed = [0; 12];
    packed.copy_from_slice(&all.to_le_bytes()[..12]);
    packed
}
