//! Tensor maps: what tensor-copy instructions take instead of addresses, made on the host.
//!
//! The CUDA driver makes them with cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide; the limits of
//! every field are the same here, the bytes are our own ([`machine::tensor::map`] has their layout). Dimensions are told innermost
//! first, as in the driver and in the coordinates of instructions.
//!
//! ```
//! use lockstep::System;
//! use lockstep::tensor::{Element, Swizzle, TensorMap};
//!
//! # fn main() -> lockstep::Result<()> {
//! let device = System.device("h100")?;
//! // 128 rows of 64 numbers of 16 bits, of which instructions copy 32 rows at once.
//! let buffer = device.zeros::<u16>(64 * 128)?;
//! let map = TensorMap::tiled(&buffer, Element::F16, &[64, 128], &[64, 32]).swizzle(Swizzle::B128);
//! // By value, for a parameter `.param .align 64 .b8 map[128]`; it keeps the buffer alive.
//! let argument = map.argument()?;
//! // In memory, for a kernel that takes its address.
//! let in_memory = device.buffer(&map.encode()?)?;
//! assert_eq!(in_memory.len(), 128);
//! // What is wrong says where, what and what to do.
//! let error = TensorMap::tiled(&buffer, Element::F16, &[64, 128], &[60, 32]).argument().unwrap_err();
//! assert!(error.to_string().contains("box 0 is 60 elements of type f16, 120 bytes; it must be a multiple of 16 bytes"));
//! # let _ = argument;
//! # Ok(())
//! # }
//! ```

use crate::buffer::{Buffer, Scalar};
use crate::codes;
use crate::error::{Error, Result};
use crate::launch::Argument;
pub use machine::tensor::{Element, Fill, Interleave, Invalid, MAP_BYTES, MAX_RANK, Promotion, Swizzle, Window};

/// The fields of a map, with an address of their own.
pub use machine::tensor::TensorMap as Fields;

/// A tensor map of a buffer.
#[derive(Clone, Debug)]
pub struct TensorMap {
    buffer: Buffer<u8>,
    fields: Fields,
}

impl TensorMap {
    /// A map of the buffer with these fields, whose address counts bytes from the buffer's start.
    pub fn new<T: Scalar>(buffer: &Buffer<T>, fields: Fields) -> Self {
        TensorMap { buffer: buffer.bytes(), fields }
    }

    /// A map of a tensor without gaps, of which instructions copy boxes of `size` elements.
    pub fn tiled<T: Scalar>(buffer: &Buffer<T>, element: Element, sizes: &[u64], size: &[u32]) -> Self {
        Self::new(buffer, Fields::tiled(element, 0, sizes, size))
    }

    /// A map of images without gaps, C W (H (D)) N, of which instructions copy pixels as [`Window::Im2col`] or [`Window::Wide`] say.
    pub fn images<T: Scalar>(buffer: &Buffer<T>, element: Element, sizes: &[u64], window: Window) -> Self {
        Self::new(buffer, Fields::dense(element, 0, sizes, window))
    }

    /// The same with these strides in bytes, from dimension 1 on.
    pub fn strides(mut self, strides: &[u64]) -> Self {
        self.fields.strides.iter_mut().zip(strides).for_each(|(to, from)| *to = *from);
        self
    }

    /// The same with these element strides.
    pub fn element_strides(mut self, steps: &[u32]) -> Self {
        self.fields.steps.iter_mut().zip(steps).for_each(|(to, from)| *to = *from);
        self
    }

    /// The same with channels in slices; strides become those of a tensor without gaps.
    pub fn interleave(mut self, interleave: Interleave) -> Self {
        self.fields.interleave = interleave;
        self.fields.strides = self.fields.dense_strides();
        self
    }

    /// The same with a swizzle of shared memory.
    pub fn swizzle(mut self, swizzle: Swizzle) -> Self {
        self.fields.swizzle = swizzle;
        self
    }

    /// The same with a hint for the L2 cache.
    pub fn promotion(mut self, promotion: Promotion) -> Self {
        self.fields.promotion = promotion;
        self
    }

    /// The same with another value for elements outside of the tensor.
    pub fn fill(mut self, fill: Fill) -> Self {
        self.fields.fill = fill;
        self
    }

    /// Its bytes.
    ///
    /// # Errors
    /// The first field that is wrong.
    pub fn encode(&self) -> Result<[u8; MAP_BYTES]> {
        let address = self.buffer.address().wrapping_add(self.fields.address);
        Fields { address, ..self.fields }.encode().map_err(|invalid| wrong(&invalid))
    }

    /// It as an argument by value; the buffer lives until the launch is over.
    ///
    /// # Errors
    /// The first field that is wrong.
    pub fn argument(&self) -> Result<Argument> {
        Ok(Argument::kept(self.encode()?.to_vec(), "a tensor map", &self.buffer))
    }
}

fn wrong(invalid: &Invalid) -> Error {
    Error::plain(codes::TENSOR_MAP, format!("tensor map: {invalid}"), invalid.remedy.as_str())
}
