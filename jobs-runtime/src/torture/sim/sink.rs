//! Where the history of a run goes, and the count of its operations.

use crate::torture::history::{Entry, What};
use crate::torture::log::{MemorySink, Sink};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// A history in memory that knows how many operations are in it: what calls to the store ask for,
/// each item of a batch by itself.
pub(super) struct CountingSink {
    entries: MemorySink,
    operations: AtomicU64,
}

impl CountingSink {
    /// An empty one with room for so many entries.
    pub(super) fn with_capacity(entries: usize) -> Self {
        CountingSink {
            entries: MemorySink::with_capacity(entries),
            operations: AtomicU64::new(0),
        }
    }

    pub(super) fn operations(&self) -> u64 {
        self.operations.load(Ordering::Relaxed)
    }

    /// What was written, and leaves nothing.
    pub(super) fn take(&self) -> Vec<Entry> {
        self.entries.take()
    }
}

impl Sink for CountingSink {
    fn put(&self, entry: Entry) -> io::Result<()> {
        let is_operation = matches!(entry.what, What::Invoke { .. });
        self.operations
            .fetch_add(u64::from(is_operation), Ordering::Relaxed);
        self.entries.put(entry)
    }
}
