//! Device memory that the host owns.

use crate::error::{Error, Result};
use crate::{Device, codes};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// A value that buffers and kernels hold: its bytes are little-endian, as on the device.
pub trait Scalar: Copy + Default + Send + Sync + 'static {
    /// PTX's name of the type, such as `f32`.
    const TYPE: &'static str;
    /// Bytes.
    const SIZE: usize = size_of::<Self>();
    /// The bytes of values, one after the other.
    fn bytes(values: &[Self]) -> Vec<u8>;
    /// The value of the first `SIZE` bytes; zero if there are fewer.
    fn take(bytes: &[u8]) -> Self;
}

macro_rules! scalar {
    ($($t:ident $name:literal)*) => { $(
        impl Scalar for $t {
            const TYPE: &'static str = $name;
            fn bytes(values: &[Self]) -> Vec<u8> {
                // A loop that the compiler sees to be a copy.
                let mut bytes = vec![0; size_of_val(values)];
                for (place, value) in bytes.chunks_exact_mut(Self::SIZE).zip(values) {
                    place.copy_from_slice(&value.to_le_bytes());
                }
                bytes
            }
            #[inline]
            fn take(bytes: &[u8]) -> Self {
                bytes.first_chunk().map_or(Self::default(), |b| $t::from_le_bytes(*b))
            }
        }
    )* };
}

scalar! { u8 "u8" i8 "s8" u16 "u16" i16 "s16" u32 "u32" i32 "s32" u64 "u64" i64 "s64" u128 "b128" f32 "f32" f64 "f64" }

/// Memory of a device, freed when the last handle and the last launch that uses it are gone.
///
/// Handles are cheap to clone and share the memory. A buffer outlives launches: what one writes the next reads.
#[derive(Debug)]
pub struct Buffer<T: Scalar = u8> {
    allocation: Arc<Allocation>,
    /// Bytes before its first element.
    start: u64,
    len: usize,
    ty: PhantomData<T>,
}

impl<T: Scalar> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        Buffer { allocation: self.allocation.clone(), start: self.start, len: self.len, ty: PhantomData }
    }
}

/// Owned or borrowed device memory.
#[derive(Debug)]
pub(crate) struct Allocation {
    device: Device,
    address: u64,
    /// A module's variable belongs to the module, which it keeps alive.
    owner: Option<crate::Module>,
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if self.owner.is_none() {
            self.device.release(self.address);
        }
    }
}

/// Multicast addresses of a buffer, which it keeps alive. See [`Buffer::multicast`].
#[derive(Clone, Debug)]
pub struct Multicast(pub(crate) Arc<Mapping>);

#[derive(Debug)]
pub(crate) struct Mapping {
    address: u64,
    allocation: Arc<Allocation>,
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.allocation.device.with_memory(|memory| memory.end_multicast(self.address));
    }
}

impl Multicast {
    /// The first address.
    pub fn address(&self) -> u64 {
        self.0.address
    }
}

impl<T: Scalar> Buffer<T> {
    pub(crate) fn allocate(device: &Device, len: usize, name: &str) -> Result<Self> {
        let bytes = len.checked_mul(T::SIZE);
        let address = bytes.and_then(|bytes| device.reserve(bytes as u64, name)).ok_or_else(|| {
            let profile = device.profile();
            let size = bytes.map_or("more than 2^64".to_owned(), |b| b.to_string());
            let used = device.memory_used();
            let message =
                format!("no room for {size} bytes: {used} bytes of the {} GiB of {} are in use", profile.memory, profile.name);
            Error::plain(
                codes::MEMORY,
                message,
                "free buffers, use smaller ones, or model a larger GPU; the host must have the memory too",
            )
        })?;
        let allocation = Allocation { device: device.clone(), address, owner: None };
        Ok(Buffer { allocation: Arc::new(allocation), start: 0, len, ty: PhantomData })
    }

    pub(crate) fn of_module(module: &crate::Module, address: u64, bytes: u64) -> Self {
        let allocation = Allocation { device: module.device().clone(), address, owner: Some(module.clone()) };
        Buffer { allocation: Arc::new(allocation), start: 0, len: bytes as usize / T::SIZE, ty: PhantomData }
    }

    pub(crate) fn keep(&self) -> Arc<Allocation> {
        self.allocation.clone()
    }

    /// Multicast addresses of the buffer's equal parts, of which each stands for the memory of one of so many devices: what `multimem`
    /// instructions take.
    ///
    /// # Errors
    /// The buffer has no so many equal parts.
    pub fn multicast(&self, devices: usize) -> Result<Multicast> {
        let bytes = self.len * T::SIZE;
        if devices == 0 || !self.len.is_multiple_of(devices) || !(bytes / devices).is_multiple_of(16) {
            let message = format!("{} elements of {} bytes for {devices} devices", self.len, T::SIZE);
            let help = "each device has as many elements, a multiple of 16 bytes, one device's after another's";
            return Err(Error::plain(codes::ARGUMENT, message, help));
        }
        let size = (bytes / devices) as u64;
        let replicas: Vec<u64> = (0..devices as u64).map(|i| self.address() + i * size).collect();
        let address = self.device().with_memory(|memory| memory.multicast(&replicas, size));
        Ok(Multicast(Arc::new(Mapping { address, allocation: self.allocation.clone() })))
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its device address, as kernels see it in global and generic space.
    pub fn address(&self) -> u64 {
        self.allocation.address + self.start
    }

    /// The device it lies on.
    pub fn device(&self) -> &Device {
        &self.allocation.device
    }

    /// The same memory seen as bytes.
    pub fn bytes(&self) -> Buffer<u8> {
        self.reinterpret()
    }

    /// The same memory seen as elements of another type; bytes that fill no element are left out.
    pub fn reinterpret<U: Scalar>(&self) -> Buffer<U> {
        Buffer { allocation: self.allocation.clone(), start: self.start, len: self.len * T::SIZE / U::SIZE, ty: PhantomData }
    }

    /// A part of it: the same memory, which lives as long as either.
    ///
    /// # Errors
    /// The range ends beyond the last element, or begins after its end.
    pub fn slice(&self, range: Range<usize>) -> Result<Self> {
        if range.start > range.end || range.end > self.len {
            let message = format!("elements {} to {} of a buffer of {}", range.start, range.end, self.len);
            return Err(Error::plain(codes::BUFFER, message, "a range lies within its buffer"));
        }
        let start = self.start + (range.start * T::SIZE) as u64;
        Ok(Buffer { allocation: self.allocation.clone(), start, len: range.len(), ty: PhantomData })
    }

    /// All elements.
    pub fn read(&self) -> Vec<T> {
        let mut bytes = vec![0; self.len * T::SIZE];
        self.device().with_memory(|memory| memory.read(self.address(), &mut bytes));
        bytes.chunks_exact(T::SIZE).map(T::take).collect()
    }

    /// Overwrites the first elements with `values`.
    ///
    /// # Errors
    /// More values than elements: nothing is written then.
    pub fn write(&self, values: &[T]) -> Result<()> {
        if values.len() > self.len {
            let message = format!("{} values do not fit in a buffer of {}", values.len(), self.len);
            return Err(Error::plain(codes::BUFFER, message, "write fewer, or allocate a larger buffer"));
        }
        self.device().with_memory(|memory| memory.write(self.address(), &T::bytes(values)));
        Ok(())
    }
}
