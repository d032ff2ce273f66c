//! The value that changes a job: applied whole, or not at all.

use super::{
    JobId, Millis, NewEvent, NewJob, Payload, Position, RunId, StepRecord, StoredError, Timestamp,
    Token,
};
use alloc::{boxed::Box, string::String, vec::Vec};
use serde::{Deserialize, Serialize};

/// The last commit a row has taken: which lease made it, and its number within that lease.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitNumber {
    /// The lease.
    pub token: Token,
    /// From 1 within a lease; 0 says that the lease has written nothing.
    pub number: u64,
}

/// What must still hold for a commit to apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitGuard {
    /// The lease is the current one, and this is its next commit.
    Lease(CommitNumber),
    /// The row was not changed since a person read it.
    Revision(u64),
}

/// How far a job says it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Units done.
    pub done: u64,
    /// Units in all.
    pub total: u64,
    /// What it is at.
    pub message: String,
}

/// One line a job wrote about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// When.
    pub at: Timestamp,
    /// What.
    pub text: String,
}

/// What an attempt did, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Every step asked for, in order of first asking.
    pub used: Vec<String>,
    /// Those of them that were served from the journal.
    pub replayed: Vec<String>,
}

/// What becomes of the job, if the commit changes its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settle {
    /// It ended well.
    Ack {
        /// What the body returned.
        output: Payload,
    },
    /// Somebody asked for its end.
    Cancel,
    /// It ended well, and another run of the same job goes on from it, under the same key.
    Continue {
        /// The run that goes on.
        next: Box<NewJob>,
    },
    /// The body asked for another time, or there is no handler of its name here, and another worker
    /// may have one. Costs no attempt.
    Defer {
        /// How long until the next look.
        delay: Millis,
    },
    /// An error that no further attempt can mend.
    Fail {
        /// The error.
        error: StoredError,
    },
    /// The worker shuts down: visible again at once. Costs no attempt.
    HandBack,
    /// The journal no longer fits the code: parked until a person moves it. Costs no attempt.
    Hold {
        /// What does not fit.
        error: StoredError,
    },
    /// A person revives it: first attempt, visible at once.
    Requeue,
    /// An attempt failed. The job becomes a dead letter if it was the last one.
    Retry {
        /// How long until the next attempt.
        delay: Millis,
        /// Why it failed.
        error: StoredError,
    },
    /// Parked. Applies only if the nudge is the one the worker saw. Costs no attempt.
    Suspend {
        /// When to look again; `None` waits for ever.
        wake_at: Option<Timestamp>,
    },
}

/// Everything that changes together. Made by the named constructors; nobody fills in fields.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Commit {
    /// The row.
    pub job: JobId,
    /// The run that owns the records.
    pub run: RunId,
    /// What must still hold.
    pub guard: CommitGuard,
    /// Of a change by a person: its own id, by which one whose answer was lost is known again.
    pub change_id: Option<u64>,
    /// The position the first delivered record of this commit takes; `None` from people.
    pub base: Option<Position>,
    /// The nudge that the writer has seen.
    pub seen_nudge: u64,
    /// Records to insert or replace, by name.
    pub records: Vec<StepRecord>,
    /// Records to remove: pending ones whose wait lost, or all from a step on at a requeue.
    pub removed: Vec<String>,
    /// What becomes of the job; `None` leaves it running.
    pub settle: Option<Settle>,
    /// Children to enqueue: with a parent, the run waits for its end; without one, it only wants
    /// to know that the child is stored.
    pub children: Vec<NewJob>,
    /// Events to publish.
    pub events: Vec<NewEvent>,
    /// How far the job is.
    pub progress: Option<Progress>,
    /// Lines to add to its log.
    pub log: Vec<LogLine>,
    /// What the attempt did.
    pub trace: Option<Trace>,
}

impl Commit {
    /// Step records of a running job, and nothing else.
    #[must_use]
    pub fn steps(
        job: JobId,
        run: RunId,
        number: CommitNumber,
        base: Position,
        seen_nudge: u64,
        records: Vec<StepRecord>,
    ) -> Self {
        Commit {
            base: Some(base),
            seen_nudge,
            records,
            ..Commit::guarded(job, run, CommitGuard::Lease(number))
        }
    }

    /// A change of state by a worker that recorded nothing new.
    #[must_use]
    pub fn settle(job: JobId, run: RunId, number: CommitNumber, settle: Settle) -> Self {
        Commit {
            settle: Some(settle),
            ..Commit::guarded(job, run, CommitGuard::Lease(number))
        }
    }

    /// A person ends the job.
    #[must_use]
    pub fn cancel(job: JobId, run: RunId, revision: u64) -> Self {
        Commit {
            settle: Some(Settle::Cancel),
            ..Commit::guarded(job, run, CommitGuard::Revision(revision))
        }
    }

    /// A person revives the job; `removed` are the records that shall run again.
    #[must_use]
    pub fn requeue(job: JobId, run: RunId, revision: u64, removed: Vec<String>) -> Self {
        Commit {
            removed,
            settle: Some(Settle::Requeue),
            ..Commit::guarded(job, run, CommitGuard::Revision(revision))
        }
    }

    /// The same change by a person, under an id of its own: sent again, it is applied once.
    #[must_use]
    pub fn with_id(self, id: u64) -> Self {
        Commit {
            change_id: Some(id),
            ..self
        }
    }

    /// The same commit, which also removes these records.
    #[must_use]
    pub fn removing(self, removed: Vec<String>) -> Self {
        Commit { removed, ..self }
    }

    /// The same commit, which also carries what the job wrote about itself.
    #[must_use]
    pub fn noting(self, progress: Option<Progress>, log: Vec<LogLine>) -> Self {
        Commit {
            progress,
            log,
            ..self
        }
    }

    /// The same commit, which also settles the job and says what the attempt did.
    #[must_use]
    pub fn settling(self, settle: Settle, trace: Trace) -> Self {
        Commit {
            settle: Some(settle),
            trace: Some(trace),
            ..self
        }
    }

    fn guarded(job: JobId, run: RunId, guard: CommitGuard) -> Self {
        Commit {
            job,
            run,
            guard,
            change_id: None,
            base: None,
            seen_nudge: 0,
            records: Vec::new(),
            removed: Vec::new(),
            settle: None,
            children: Vec::new(),
            events: Vec::new(),
            progress: None,
            log: Vec::new(),
            trace: None,
        }
    }

    /// Bytes it carries, for limits on batches.
    #[must_use]
    pub fn size(&self) -> usize {
        let output = match &self.settle {
            Some(Settle::Ack { output }) => output.bytes.len(),
            Some(Settle::Continue { next }) => next.spec.input.bytes.len(),
            _ => 0,
        };
        let children: usize = self
            .children
            .iter()
            .map(|child| child.spec.input.bytes.len())
            .sum();
        let events: usize = self
            .events
            .iter()
            .map(|event| event.payload.bytes.len())
            .sum();
        self.records.iter().map(StepRecord::size).sum::<usize>() + output + children + events
    }
}
