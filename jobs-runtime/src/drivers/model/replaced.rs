//! Enqueues that gave another job their input: what they are answered if they are sent again.

use crate::core::{JobId, REPLACED_FORGOTTEN, REPLACED_KEPT, RunId, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// By the id of the enqueue, which no job has.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replaced {
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
    pub(crate) fn by(&self, request: JobId, now: Timestamp) -> Option<(JobId, RunId)> {
        let known = self.by_id.get(&request)?;
        (known.until > now).then_some((known.job, known.run))
    }

    /// What a store remembers of an enqueue.
    pub(crate) fn put(&mut self, request: JobId, (job, run): (JobId, RunId), until: Timestamp) {
        if let Some(old) = self.by_id.insert(request, Known { job, run, until }) {
            self.by_end.remove(&(old.until, request));
        }
        self.by_end.insert((until, request));
    }

    /// All that is remembered: the enqueue, the job and run that got its input, and until when.
    pub(crate) fn all(&self) -> impl Iterator<Item = (JobId, JobId, RunId, Timestamp)> {
        let entry = |(id, known): (&JobId, &Known)| (*id, known.job, known.run, known.until);
        self.by_id.iter().map(entry)
    }

    /// Remembers which job got its input, and forgets some of those whose time is over.
    pub(crate) fn remember(&mut self, request: JobId, (job, run): (JobId, RunId), now: Timestamp) {
        self.forget(REPLACED_FORGOTTEN, now);
        self.put(request, (job, run), now.after(REPLACED_KEPT));
    }

    /// Forgets at most so many whose time is over.
    pub(crate) fn forget(&mut self, limit: usize, now: Timestamp) {
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
