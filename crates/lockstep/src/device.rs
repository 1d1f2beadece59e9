//! The modelled machine: GPUs and their memory.

use crate::error::{Error, Result};
use crate::{Buffer, Module, PROFILES, Profile, Scalar, Stream, codes};
use machine::memory::Memory;
use machine::state::Images;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, RwLock};

/// Where devices come from.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl System {
    /// Every GPU that can be modelled.
    pub fn profiles(self) -> &'static [Profile] {
        PROFILES
    }

    /// A device of its own with the profile of this name (`h100`) or target (`sm_90`).
    ///
    /// # Errors
    /// No profile is called so.
    pub fn device(self, name: &str) -> Result<Device> {
        let unknown = |help| Error::plain(codes::GPU, format!("no GPU is called `{name}`"), help);
        Profile::named(name).map(Device::new).map_err(unknown)
    }
}

/// A GPU: its profile and its memory. Handles are cheap to clone and share both.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    profile: &'static Profile,
    /// Launches hold it to read; freed memory goes back to the host when nobody does.
    memory: RwLock<Memory>,
    /// What to call the allocations in diagnostics.
    names: Mutex<HashMap<u64, String>>,
    /// How its descriptors of images are laid out, once an image was asked for.
    images: OnceLock<std::result::Result<Option<Images>, String>>,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Device({})", self.0.profile.name)
    }
}

impl Device {
    /// A device with this profile.
    pub fn new(profile: &'static Profile) -> Self {
        let memory = RwLock::new(Memory::new(profile.memory << 30));
        Device(Arc::new(Inner { profile, memory, names: Mutex::default(), images: OnceLock::new() }))
    }

    /// What it models.
    pub fn profile(&self) -> &'static Profile {
        self.0.profile
    }

    /// Bytes of its memory in use.
    pub fn memory_used(&self) -> u64 {
        self.with_memory(Memory::used)
    }

    /// `len` elements of zeros.
    ///
    /// # Errors
    /// The device or the host has no room.
    pub fn zeros<T: Scalar>(&self, len: usize) -> Result<Buffer<T>> {
        Buffer::allocate(self, len, "")
    }

    /// A buffer with these values.
    ///
    /// # Errors
    /// The device or the host has no room.
    pub fn buffer<T: Scalar>(&self, values: &[T]) -> Result<Buffer<T>> {
        self.named_buffer("", values)
    }

    /// A buffer with these values that diagnostics call by a name.
    ///
    /// # Errors
    /// The device or the host has no room.
    pub fn named_buffer<T: Scalar>(&self, name: &str, values: &[T]) -> Result<Buffer<T>> {
        let buffer = Buffer::allocate(self, values.len(), name)?;
        buffer.write(values)?;
        Ok(buffer)
    }

    /// Parses PTX texts, each with a name for diagnostics, links them and places their variables.
    ///
    /// # Errors
    /// Everything that is wrong with them, or a target that this GPU does not run.
    pub fn load<N: Into<String>, S: Into<String>>(&self, texts: impl IntoIterator<Item = (N, S)>) -> Result<Module> {
        Module::load(self, texts.into_iter().map(|(n, s)| (n.into(), s.into())).collect())
    }

    /// Loads a code object of AMD's, with a name for diagnostics.
    ///
    /// # Errors
    /// It is none, cannot be loaded, or is for another GPU.
    pub fn load_code_object(&self, name: &str, data: &[u8]) -> Result<Module> {
        Module::load_code_object(self, name, data)
    }

    /// A new stream: what is given to it runs in order, beside other streams.
    pub fn stream(&self) -> Stream {
        Stream::new()
    }

    /// Whether both are one device.
    pub(crate) fn same(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Looks for accesses of the byte at a device address from now on, or of none: reports of later launches then say who wrote it last and who
    /// read it last ([`crate::Report`]), and launches are slower.
    pub fn seek(&self, address: Option<u64>) {
        self.with_memory(|memory| memory.seek(address));
    }

    /// How its descriptors of images are laid out; nothing where it has no instructions for them.
    pub(crate) fn images(&self) -> &std::result::Result<Option<Images>, String> {
        self.0.images.get_or_init(|| match self.0.profile.gfx {
            "" => Ok(None),
            gfx => engine::amdgpu::images_of(gfx),
        })
    }

    pub(crate) fn with_memory<R>(&self, use_it: impl FnOnce(&Memory) -> R) -> R {
        use_it(&self.0.memory.read().unwrap_or_else(|e| e.into_inner()))
    }

    pub(crate) fn reserve(&self, bytes: u64, name: &str) -> Option<u64> {
        let address = self.with_memory(|memory| memory.allocate(bytes, true))?;
        self.name(address, name);
        Some(address)
    }

    /// Says what diagnostics call an allocation.
    pub(crate) fn name(&self, address: u64, name: &str) {
        if !name.is_empty() {
            self.0.names.lock().unwrap_or_else(|e| e.into_inner()).insert(address, name.to_owned());
        }
    }

    /// What an allocation is called.
    pub(crate) fn name_of(&self, address: u64) -> Option<String> {
        self.0.names.lock().unwrap_or_else(|e| e.into_inner()).get(&address).cloned()
    }

    /// Frees an allocation. The host gets it back once no launch is running: a kernel may still hold its address.
    pub(crate) fn release(&self, address: u64) {
        self.with_memory(|memory| memory.free(address));
        self.0.names.lock().unwrap_or_else(|e| e.into_inner()).remove(&address);
        if let Ok(mut memory) = self.0.memory.try_write() {
            memory.reclaim();
        }
    }
}
