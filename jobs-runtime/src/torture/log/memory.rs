//! A history in memory, for simulators.

use super::Sink;
use crate::torture::history::Entry;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Entries in the order in which they were written, whoever wrote them.
#[derive(Default)]
pub struct MemorySink {
    entries: Mutex<Vec<Entry>>,
}

impl MemorySink {
    /// An empty one with room for so many.
    #[must_use]
    pub fn with_capacity(entries: usize) -> Self {
        MemorySink {
            entries: Mutex::new(Vec::with_capacity(entries)),
        }
    }

    /// What was written, and leaves nothing.
    #[must_use]
    pub fn take(&self) -> Vec<Entry> {
        std::mem::take(&mut self.lock())
    }

    /// How many were written.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether nothing was written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for MemorySink {
    fn put(&self, entry: Entry) -> io::Result<()> {
        self.lock().push(entry);
        Ok(())
    }
}
