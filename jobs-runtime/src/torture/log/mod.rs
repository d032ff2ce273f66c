//! Where a history is kept while it is made: a [`Log`] is what one life of a process writes
//! with, a [`Sink`] is where it goes.

mod file;
mod memory;
mod read;
mod text;

pub use file::{FileSink, LINE_LIMIT_BYTES};
pub use memory::MemorySink;
pub use read::{ReadError, read_folder, read_history};
pub use text::{CLIP_BYTES, clip, hash};

use super::history::{Call, Entry, Life, Op, What};
use crate::clock::Clock;
use crate::core::Timestamp;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where entries go.
pub trait Sink: Send + Sync {
    /// Keeps an entry. It must be as safe as the sink makes it once this returns.
    ///
    /// # Errors
    /// If it could not be kept: the history has a hole, and the run is void.
    fn put(&self, entry: Entry) -> io::Result<()>;
}

/// A time that all processes of a run share.
pub trait Stamps: Send + Sync {
    /// Nanoseconds that never go back, and the wall clock.
    fn stamp(&self) -> (u64, Timestamp);
}

/// The time of a clock of one process: for simulators.
pub struct ClockStamps(pub Arc<dyn Clock>);

impl Stamps for ClockStamps {
    fn stamp(&self) -> (u64, Timestamp) {
        let nanos = self.0.monotonic().as_nanos();
        (u64::try_from(nanos).unwrap_or(u64::MAX), self.0.now())
    }
}

/// The clocks of the machine, the same in all of its processes.
pub struct MachineStamps;

impl Stamps for MachineStamps {
    fn stamp(&self) -> (u64, Timestamp) {
        use rustix::time::{ClockId, clock_gettime};
        let nanos = |time: rustix::time::Timespec| {
            let nanos = i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec);
            u64::try_from(nanos).unwrap_or(0)
        };
        let wall = nanos(clock_gettime(ClockId::Realtime)) / 1_000_000;
        (
            nanos(clock_gettime(ClockId::Monotonic)),
            Timestamp(i64::try_from(wall).unwrap_or(i64::MAX)),
        )
    }
}

/// The pen of one life of a process. Clones write on in the same life.
#[derive(Clone)]
pub struct Log {
    inner: Arc<Inner>,
}

struct Inner {
    life: Life,
    /// The last entry's place.
    seq: AtomicU64,
    /// The last op's number.
    op: AtomicU64,
    /// Entries that could not be kept.
    lost: AtomicU64,
    stamps: Arc<dyn Stamps>,
    sink: Arc<dyn Sink>,
}

impl Log {
    /// A pen for one life of a process.
    #[must_use]
    pub fn new(life: Life, stamps: Arc<dyn Stamps>, sink: Arc<dyn Sink>) -> Self {
        Log {
            inner: Arc::new(Inner {
                life,
                seq: AtomicU64::new(0),
                op: AtomicU64::new(0),
                lost: AtomicU64::new(0),
                stamps,
                sink,
            }),
        }
    }

    /// Whose pen it is.
    #[must_use]
    pub fn life(&self) -> Life {
        self.inner.life
    }

    /// Writes an entry. One that cannot be kept is counted: see [`Log::lost`].
    pub fn write(&self, what: What) {
        let Inner {
            life, stamps, sink, ..
        } = &*self.inner;
        let (mono_ns, at) = stamps.stamp();
        let entry = Entry {
            process: life.process,
            incarnation: life.incarnation,
            seq: self.inner.seq.fetch_add(1, Ordering::Relaxed) + 1,
            mono_ns,
            at,
            what,
        };
        if sink.put(entry).is_err() {
            self.inner.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Writes that a call is about to be made, and gives it its number.
    pub fn invoke(&self, call: Call) -> Op {
        let op = Op(self.inner.op.fetch_add(1, Ordering::Relaxed) + 1);
        self.write(What::Invoke { op, call });
        op
    }

    /// How many entries could not be kept. A run that lost one is void.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.inner.lost.load(Ordering::Relaxed)
    }
}
