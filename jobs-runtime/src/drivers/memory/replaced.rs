//! Enqueues that gave another job their input: what they are answered if they are sent again.

use crate::core::{JobId, REPLACED_FORGOTTEN, REPLACED_KEPT, RunId, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// By the id of the enqueue, which no job has.
#[derive(Debug, Default)]
pub(super) struct Replaced {
    by_id: BTreeMap<JobId, Known>,
    /// The next one to forget first.
    by_end: BTreeSet<(Timestamp, JobId)>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    job: JobId,
    run: RunId,
    until: Timestamp,
}

impl Replaced {
    /// The job that got the input of this enqueue.
    pub(super) fn by(&self, request: JobId, now: Timestamp) -> Option<(JobId, RunId)> {
        let known = self.by_id.get(&request)?;
        (known.until > now).then_some((known.job, known.run))
    }

    /// Remembers which job got its input, and forgets some of those whose time is over.
    pub(super) fn remember(&mut self, request: JobId, (job, run): (JobId, RunId), now: Timestamp) {
        self.forget(REPLACED_FORGOTTEN, now);
        let until = now.after(REPLACED_KEPT);
        if let Some(old) = self.by_id.insert(request, Known { job, run, until }) {
            self.by_end.remove(&(old.until, request));
        }
        self.by_end.insert((until, request));
    }

    /// Forgets at most so many whose time is over.
    pub(super) fn forget(&mut self, limit: usize, now: Timestamp) {
        for _ in 0..limit {
            match self.by_end.first().copied() {
                Some(first) if first.0 <= now => {
                    self.by_end.remove(&first);
                    self.by_id.remove(&first.1);
                }
                _ => return,
            }
        }
    }
}
