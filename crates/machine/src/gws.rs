//! Global wave synchronisation of AMD's GPUs: resources at which wavefronts of all blocks meet, or take permits.
//!
//! They outlive launches: the runtime prepares them with a kernel of its own. Who waits looks again and again, as one does who polls memory, since the others
//! may run on other workers.
//!
//! AMD RDNA 3.5 ISA guide, 13.4.4.

use std::sync::{Mutex, MutexGuard};

/// How many resources there are.
pub const RESOURCES: usize = 64;

/// One resource.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resource {
    /// Permits of a semaphore; of a barrier, how many wavefronts must come before the last.
    pub counter: u32,
    /// How many times the barrier has let all go.
    pub phase: u32,
    /// Wavefronts that wait for a permit.
    pub queued: u32,
}

/// All resources of a device.
#[derive(Debug)]
pub struct Resources(Mutex<[Resource; RESOURCES]>);

impl Default for Resources {
    fn default() -> Resources {
        Resources(Mutex::new([Resource::default(); RESOURCES]))
    }
}

impl Resources {
    /// All of them, for as long as nobody else may change them.
    pub fn lock(&self) -> MutexGuard<'_, [Resource; RESOURCES]> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
}
