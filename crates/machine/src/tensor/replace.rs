//! `tensormap.replace`: one field of a map in memory is given another value.
//!
//! A field is checked by itself; whether the fields go together shows when the map is used, since a kernel changes them one after
//! the other. PTX ISA 9.4, 9.7.10.29.

use super::map::Bytes;
use super::{Element, Fill, Interleave, Invalid, MAP_BYTES, MAX_RANK, require};

/// A field that can be replaced; with an ordinal where there is one for each dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `.global_address`.
    GlobalAddress,
    /// `.rank`: the value is one less.
    Rank,
    /// `.box_dim`.
    BoxDim(u32),
    /// `.global_dim`.
    GlobalDim(u32),
    /// `.global_stride`, in bytes.
    GlobalStride(u32),
    /// `.element_stride`.
    ElementStride(u32),
    /// `.elemtype`.
    ElementType,
    /// `.interleave_layout`.
    InterleaveLayout,
    /// `.swizzle_mode`.
    SwizzleMode,
    /// `.swizzle_atomicity`.
    SwizzleAtomicity,
    /// `.fill_mode`.
    FillMode,
}

impl Field {
    fn place(self) -> String {
        match self {
            Field::GlobalAddress => "global address".into(),
            Field::Rank => "rank".into(),
            Field::BoxDim(i) => format!("box {i}"),
            Field::GlobalDim(i) => format!("size {i}"),
            Field::GlobalStride(i) => format!("stride {i}"),
            Field::ElementStride(i) => format!("element stride {i}"),
            Field::ElementType => Element::WHAT.into(),
            Field::InterleaveLayout => Interleave::WHAT.into(),
            Field::SwizzleMode => "swizzle mode".into(),
            Field::SwizzleAtomicity => "swizzle atomicity".into(),
            Field::FillMode => Fill::WHAT.into(),
        }
    }

    /// Fields of this kind that a map has.
    fn count(self) -> u32 {
        match self {
            Field::BoxDim(_) | Field::GlobalDim(_) | Field::ElementStride(_) => MAX_RANK as u32,
            Field::GlobalStride(_) => MAX_RANK as u32 - 1,
            _ => 1,
        }
    }

    fn ordinal(self) -> u32 {
        match self {
            Field::BoxDim(i) | Field::GlobalDim(i) | Field::GlobalStride(i) | Field::ElementStride(i) => i,
            _ => 0,
        }
    }

    /// The least and the greatest value, and what it must be a multiple of.
    fn range(self) -> (u64, u64, u64) {
        match self {
            Field::GlobalAddress => (0, u64::MAX, 16),
            Field::Rank => (0, MAX_RANK as u64 - 1, 1),
            Field::BoxDim(_) => (1, 256, 1),
            Field::GlobalDim(_) => (1, 1 << 31, 1),
            Field::GlobalStride(_) => (0, (1 << 40) - 1, 16),
            Field::ElementStride(_) => (1, 8, 1),
            Field::ElementType => (0, Element::ALL.len() as u64 - 1, 1),
            Field::InterleaveLayout => (0, Interleave::ALL.len() as u64 - 1, 1),
            Field::SwizzleMode => (0, 4, 1),
            Field::SwizzleAtomicity => (0, 3, 1),
            Field::FillMode => (0, Fill::ALL.len() as u64 - 1, 1),
        }
    }

    /// Gives the field of a tiled map another value. 128 bytes of zero are a tiled map that nobody has filled in yet: compilers make
    /// maps out of nothing that way.
    ///
    /// # Errors
    /// The bytes hold no tiled map, or the value is none of this field; nothing is changed then.
    pub fn replace(self, map: &mut [u8; MAP_BYTES], value: u64) -> Result<(), Invalid> {
        let mut bytes = Bytes(*map);
        if *map == [0; MAP_BYTES] {
            bytes.put_head();
        }
        bytes.check_head()?;
        require(bytes.0[5] == 0, || {
            let rule = "is an im2col map, .tile replaces fields of tiled ones";
            Invalid::new("tensor map", rule, "encode another map on the host")
        })?;
        let (least, greatest, multiple) = self.range();
        require(self.ordinal() < self.count(), || {
            let rule = format!("does not exist: a map has {} of them", self.count());
            Invalid::new(self.place(), rule, "count from 0")
        })?;
        require((least..=greatest).contains(&value), || {
            let rule = format!("would become {value}, it must be {least} to {greatest}");
            let remedy = if self == Field::Rank { "the operand is the rank less one" } else { "give a value in this range" };
            Invalid::new(self.place(), rule, remedy)
        })?;
        require(value.is_multiple_of(multiple), || {
            let rule = format!("would become 0x{value:x}, it must be a multiple of {multiple}");
            Invalid::new(self.place(), rule, "strides and addresses are in bytes")
        })?;
        self.put(&mut bytes, value);
        *map = bytes.0;
        Ok(())
    }

    fn put(self, bytes: &mut Bytes, value: u64) {
        match self {
            Field::GlobalAddress => bytes.put(8, &value.to_le_bytes()),
            Field::Rank => bytes.put(6, &[value as u8]),
            Field::BoxDim(i) => bytes.half(80 + 2 * i as usize, value as u16),
            Field::GlobalDim(i) => bytes.put(16 + 4 * i as usize, &(value as u32).wrapping_sub(1).to_le_bytes()),
            Field::GlobalStride(i) => bytes.put(48 + 8 * i as usize, &value.to_le_bytes()),
            Field::ElementStride(i) => bytes.put(41 + i as usize, &[value as u8]),
            Field::ElementType => bytes.put(7, &[value as u8]),
            Field::InterleaveLayout => bytes.put(36, &[value as u8]),
            Field::SwizzleMode => bytes.put(37, &[value as u8]),
            Field::SwizzleAtomicity => bytes.put(38, &[value as u8]),
            Field::FillMode => bytes.put(39, &[value as u8]),
        }
    }
}
