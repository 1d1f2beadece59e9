//! Work in order, beside other work.

use crate::error::Result;
use crate::launch::run_in_order;
use crate::{Buffer, Error, Launch, Report, Scalar};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;

/// A queue of launches and copies that run one after the other on a thread of their own.
///
/// The first error stops the stream: what follows is not executed, and [`Stream::synchronize`] keeps returning that error.
/// Dropping a stream waits for its work.
#[derive(Debug)]
pub struct Stream {
    jobs: Option<Sender<Job>>,
    state: Arc<Shared>,
    worker: Option<JoinHandle<()>>,
}

type Job = Box<dyn FnOnce() -> Result<()> + Send>;

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    submitted: u64,
    finished: u64,
    error: Option<Error>,
}

/// A point in a stream's work.
#[derive(Clone, Debug, Default)]
pub struct Event(Arc<(Mutex<Option<Instant>>, Condvar)>);

/// What a queued operation will deliver.
#[derive(Debug)]
pub struct Pending<T> {
    slot: Arc<Mutex<Option<T>>>,
    event: Event,
    state: Arc<Shared>,
}

impl Default for Stream {
    fn default() -> Self {
        Stream::new()
    }
}

impl Stream {
    /// An empty stream.
    pub fn new() -> Self {
        let (jobs, queue) = channel::<Job>();
        let state = Arc::new(Shared::default());
        let own = state.clone();
        let worker = std::thread::spawn(move || {
            for job in queue {
                own.run(job);
            }
        });
        Stream { jobs: Some(jobs), state, worker: Some(worker) }
    }

    fn submit(&self, job: Job) {
        self.state.queue.lock().unwrap_or_else(|e| e.into_inner()).submitted += 1;
        if let Some(jobs) = &self.jobs {
            // The worker ends only after `jobs` is dropped.
            let _ = jobs.send(job);
        }
    }

    /// Queues something that delivers a value.
    fn deliver<T: Send + 'static>(&self, make: impl FnOnce() -> Result<T> + Send + 'static) -> Pending<T> {
        let slot = Arc::new(Mutex::new(None));
        let own = slot.clone();
        self.submit(Box::new(move || {
            *own.lock().unwrap_or_else(|e| e.into_inner()) = Some(make()?);
            Ok(())
        }));
        Pending { slot, event: self.record(), state: self.state.clone() }
    }

    /// Queues a launch.
    pub fn launch(&self, launch: Launch) -> Pending<Report> {
        self.deliver(move || launch.run())
    }

    /// Queues launches that belong together: each dependent one may begin before the one before it is complete ([`Launch::dependent`]).
    pub fn launch_all(&self, launches: Vec<Launch>) -> Pending<Vec<Report>> {
        self.deliver(move || match run_in_order(&launches) {
            (_, Some((_, error))) => Err(error),
            (reports, None) => Ok(reports),
        })
    }

    /// Queues overwriting the first elements of a buffer.
    pub fn write<T: Scalar>(&self, buffer: &Buffer<T>, values: Vec<T>) {
        let buffer = buffer.clone();
        self.submit(Box::new(move || buffer.write(&values)));
    }

    /// Queues reading a buffer.
    pub fn read<T: Scalar>(&self, buffer: &Buffer<T>) -> Pending<Vec<T>> {
        let buffer = buffer.clone();
        self.deliver(move || Ok(buffer.read()))
    }

    /// An event that happens when everything queued so far is done, or was left out after an error.
    pub fn record(&self) -> Event {
        let event = Event::default();
        let own = event.clone();
        // The event must happen after an error too, so it does not go through the job's result.
        let signal = Signal(own);
        self.submit(Box::new(move || {
            drop(signal);
            Ok(())
        }));
        event
    }

    /// Makes what is queued from now on wait for an event, of another stream usually.
    pub fn wait(&self, event: &Event) {
        let event = event.clone();
        self.submit(Box::new(move || {
            event.synchronize();
            Ok(())
        }));
    }

    /// Waits until everything queued is done.
    ///
    /// # Errors
    /// The first error since the stream was made.
    pub fn synchronize(&self) -> Result<()> {
        let mut queue = self.state.queue.lock().unwrap_or_else(|e| e.into_inner());
        while queue.finished < queue.submitted {
            queue = self.state.changed.wait(queue).unwrap_or_else(|e| e.into_inner());
        }
        queue.error.clone().map_or(Ok(()), Err)
    }
}

/// Makes its event happen when dropped, whether its job ran or was left out.
struct Signal(Event);

impl Drop for Signal {
    fn drop(&mut self) {
        let (happened, changed) = &*self.0.0;
        *happened.lock().unwrap_or_else(|e| e.into_inner()) = Some(Instant::now());
        changed.notify_all();
    }
}

impl Shared {
    fn run(&self, job: Job) {
        let failed = self.queue.lock().unwrap_or_else(|e| e.into_inner()).error.is_some();
        let result = if failed {
            drop(job);
            Ok(())
        } else {
            job()
        };
        let mut queue = self.queue.lock().unwrap_or_else(|e| e.into_inner());
        queue.finished += 1;
        if let Err(error) = result {
            queue.error.get_or_insert(error);
        }
        self.changed.notify_all();
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

impl Event {
    /// Whether it has happened.
    pub fn happened(&self) -> bool {
        self.time().is_some()
    }

    /// When it happened.
    pub fn time(&self) -> Option<Instant> {
        *self.0.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Waits for it.
    pub fn synchronize(&self) {
        let (happened, changed) = &*self.0;
        let mut time = happened.lock().unwrap_or_else(|e| e.into_inner());
        while time.is_none() {
            time = changed.wait(time).unwrap_or_else(|e| e.into_inner());
        }
    }
}

impl<T> Pending<T> {
    /// Waits for the value.
    ///
    /// # Errors
    /// The error that stopped the stream, at this operation or before it.
    pub fn wait(self) -> Result<T> {
        self.event.synchronize();
        let value = self.slot.lock().unwrap_or_else(|e| e.into_inner()).take();
        let error = || self.state.queue.lock().unwrap_or_else(|e| e.into_inner()).error.clone();
        value.ok_or_else(|| {
            let lost = || Error::plain("", "the operation was left out", "synchronize the stream to learn why");
            error().unwrap_or_else(lost)
        })
    }

    /// When it is done.
    pub fn event(&self) -> &Event {
        &self.event
    }
}
