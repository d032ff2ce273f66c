//! What a store answered.

use super::Recorded;
use crate::core::{EventId, JobId, RunId, Timestamp, Token};
use serde::{Deserialize, Serialize};

/// The answer to one item of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// A commit is stored, now or by an earlier try.
    Applied,
    /// The call was part of another one, which is stored; what became of it is not told.
    Carried,
    /// The job was cancelled; nothing was done.
    Cancelled,
    /// What the claim brought was written before, one [`super::What::Leased`] each.
    Claimed {
        /// How many.
        jobs: u64,
        /// The store's time of the claim.
        now: Timestamp,
    },
    /// The row changed since it was read; nothing was done.
    Conflict,
    /// A newer job holds the key; nothing was done.
    Duplicate(JobId),
    /// A job is in the store.
    Enqueued {
        /// The one that was asked for, or the one that holds the key.
        job: JobId,
        /// A live job held the key.
        deduped: bool,
        /// That job has another input.
        input_differs: bool,
    },
    /// A lease is extended.
    Held {
        /// Its new end by the store's clock.
        until: Timestamp,
        /// Somebody asked for the job's end.
        cancel_requested: bool,
    },
    /// A job holds the key, and the caller wanted an error; nothing was done.
    KeyTaken(JobId),
    /// The lease is another's, or over; nothing was done.
    LeaseLost,
    /// Something is in the inbox; nothing was done.
    Nudged,
    /// What was no longer kept is removed.
    Pruned {
        /// Ended jobs.
        jobs: u64,
        /// Dead letters.
        dead_letters: u64,
        /// Events.
        events: u64,
    },
    /// An event is stored.
    Published {
        /// Its place in the order of publication.
        seq: u64,
        /// Runs it was pinned to.
        woken: u64,
    },
    /// A setting is written.
    Written {
        /// Its new revision.
        revision: u64,
    },
}

/// A job that a claim brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leased {
    /// The job.
    pub job: JobId,
    /// Its run.
    pub run: RunId,
    /// The new lease.
    pub token: Token,
    /// The try it is on.
    pub attempt: u32,
    /// How many tries it has.
    pub attempts_max: u32,
    /// Leases that were lost, this one's forerunner included.
    pub lease_losses: u32,
    /// When the lease began, by the store's clock.
    pub from: Timestamp,
    /// When the lease ends without a heartbeat, by the store's clock.
    pub until: Timestamp,
    /// Whose job it is, clipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Key of its concurrency limit, clipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_key: Option<String>,
    /// A hash of the input that was handed out.
    pub input: u64,
    /// Its journal, as it was handed out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub journal: Vec<Recorded>,
    /// Events in the inbox that was handed out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inbox: Vec<EventId>,
}
