//! What the end of a job says to those who wait for it, and what the end of a parent does to its
//! children (R10).
//!
//! Drivers find the rows; what is to be said or stored of them is decided here.

use super::{
    Change, Head, JobId, JobNotes, JobSpec, Payload, State, StepOutcome, StoredError, Timestamp,
    decide::ended,
};
use alloc::format;

/// How whoever waits for a job is told of its end; `None` while it lives.
#[must_use]
pub fn child_outcome(spec: &JobSpec, head: &Head, notes: &JobNotes) -> Option<StepOutcome> {
    let failed = |error| Some(StepOutcome::Failed(error));
    match head.state {
        State::Pending | State::Running | State::Suspended => None,
        // A job that goes on as another run has no output of its own.
        State::Done => Some(StepOutcome::Done(
            notes
                .output
                .clone()
                .unwrap_or_else(|| Payload::json(*b"null")),
        )),
        State::Failed | State::Dead => failed(notes.error.clone().unwrap_or_default()),
        // Trying again would undo what somebody has just asked for.
        State::Cancelled => failed(StoredError {
            fatal: true,
            ..StoredError::new(
                "X_JOB_CANCELLED",
                format!("job \"{}\" was cancelled", spec.name),
            )
        }),
    }
}

/// What is said to a run that would wait for a job which already waits for that run.
#[must_use]
pub fn child_cycle(waiter: &JobSpec) -> StoredError {
    StoredError {
        fatal: true,
        ..StoredError::new(
            "X_CHILD_CYCLE",
            format!(
                "job \"{}\" ({}) holds the key of this child and waits for this run itself, so neither would ever end",
                waiter.name, waiter.id
            ),
        )
    }
}

/// What is said to a revived run about a child that retention has removed meanwhile.
#[must_use]
pub fn child_gone(child: JobId) -> StoredError {
    StoredError::new(
        "X_JOB_UNKNOWN",
        format!("the child {child} is no longer in the store"),
    )
}

/// What the cancelling of a parent makes of a child that it owns; `None` if that has ended.
#[must_use]
pub fn cancelled_with_parent(child: &Head, now: Timestamp) -> Option<Head> {
    ended(child, Change::Cancel, now)
}
