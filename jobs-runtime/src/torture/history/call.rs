//! What was asked of a store.

use super::Recorded;
use crate::core::{
    CommitNumber, EventId, JobId, Millis, OnConflict, Priority, RunId, State, Timestamp, Token,
};
use serde::{Deserialize, Serialize};

/// One item of a call to the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Call {
    /// Extend a lease.
    Beat {
        /// The job.
        job: JobId,
        /// The holder's token.
        token: Token,
        /// How long the lease shall last from now.
        timeout: Millis,
    },
    /// Lease jobs.
    Claim {
        /// How many.
        limit: u64,
        /// From which queues; all of them if empty. Clipped.
        queues: Vec<String>,
        /// Bits of the tokens it makes.
        nonce: u64,
    },
    /// Change a job, by its holder or by a person.
    Commit(Box<CommitCall>),
    /// Store a job.
    Enqueue(Box<EnqueueCall>),
    /// Remove what is no longer kept.
    Prune(Bounds),
    /// Store an event.
    Publish(Box<PublishCall>),
    /// Write a setting.
    Write {
        /// Its key, clipped.
        key: String,
        /// The revision it must still have.
        expected: u64,
        /// A hash of the value; `None` removes it.
        value: Option<u64>,
    },
}

/// Storing a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnqueueCall {
    /// The id that is asked for.
    pub job: JobId,
    /// Its run.
    pub run: RunId,
    /// Its durable name, clipped.
    pub name: String,
    /// Scope and key as one text, clipped; `None` for a job without one.
    pub key: Option<String>,
    /// Whose job it is, clipped.
    pub tenant: Option<String>,
    /// Its queue, clipped.
    pub queue: String,
    /// Who is served first.
    pub priority: Priority,
    /// A hash of its input.
    pub input: u64,
    /// The instant from which it may be taken, if one is given.
    pub visible_at: Option<Timestamp>,
    /// The delay after which it may be taken, if one is given.
    pub delay: Option<Millis>,
    /// How many tries it has.
    pub attempts_max: u32,
    /// What to do when its key is taken.
    pub on_conflict: Conflict,
    /// How long the key is kept.
    pub unique_for: Option<Millis>,
    /// The step it is a child of.
    pub parent: Option<ParentStep>,
    /// The tick it stands for.
    pub tick: Option<Tick>,
    /// The call that carries it, where it is part of a commit or a write of a setting.
    pub within: Option<super::Op>,
}

/// The step that a child belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParentStep {
    /// The parent.
    pub job: JobId,
    /// The step's rendered name, clipped.
    pub step: String,
}

/// One firing of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Tick {
    /// The schedule, clipped.
    pub schedule: String,
    /// The instant it fires for.
    pub tick: Timestamp,
}

/// What an enqueue does when its key is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Conflict {
    /// See [`OnConflict::Dedupe`].
    Dedupe,
    /// See [`OnConflict::Error`].
    Error,
    /// See [`OnConflict::Replace`].
    Replace,
}

impl From<OnConflict> for Conflict {
    fn from(policy: OnConflict) -> Self {
        match policy {
            OnConflict::Dedupe => Conflict::Dedupe,
            OnConflict::Error => Conflict::Error,
            OnConflict::Replace => Conflict::Replace,
        }
    }
}

/// A change of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitCall {
    /// The job.
    pub job: JobId,
    /// Its run.
    pub run: RunId,
    /// The lease and the number of the commit in it; `None` for a person's change.
    pub lease: Option<CommitNumber>,
    /// The revision a person saw.
    pub revision: Option<u64>,
    /// The id of a person's change.
    pub change: Option<u64>,
    /// Records it stores.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<Recorded>,
    /// Names of records it removes, clipped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// What it makes of the job; `None` leaves it running.
    pub settle: Option<Settled>,
}

impl CommitCall {
    /// The lease that it was made under; `None` for a person's change.
    #[must_use]
    pub fn token(&self) -> Option<Token> {
        self.lease.map(|number| number.token)
    }
}

/// What a commit makes of its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Settled {
    /// It ended well.
    Ack {
        /// A hash of what it returned.
        output: u64,
    },
    /// It ended by request.
    Cancel,
    /// It ended well, and another run goes on.
    Continue {
        /// The job that goes on.
        next: JobId,
    },
    /// Put off.
    Defer {
        /// For how long.
        delay: Millis,
    },
    /// It ended by an error that no attempt can mend.
    Fail,
    /// Given back at a shutdown.
    HandBack,
    /// Parked for a person.
    Hold,
    /// Revived by a person.
    Requeue,
    /// An attempt failed: another follows, or it becomes a dead letter.
    Retry {
        /// How long until then.
        delay: Millis,
    },
    /// Parked.
    Suspend {
        /// When it looks again.
        wake_at: Option<Timestamp>,
    },
}

/// Storing an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishCall {
    /// The event.
    pub event: EventId,
    /// Its durable name, clipped.
    pub name: String,
    /// Its correlation key, clipped.
    pub key: Option<String>,
    /// Whose it is, clipped.
    pub tenant: Option<String>,
    /// How long it can be matched.
    pub ttl: Millis,
    /// A hash of what it says.
    pub payload: u64,
    /// The commit that carries it, if one does.
    pub within: Option<super::Op>,
}

/// What may be removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Ended jobs older than this.
    pub ended_before: Timestamp,
    /// Events whose time passed before this.
    pub events_expired_before: Timestamp,
    /// Dead letters older than this; `None` leaves them alone.
    pub dead_before: Option<Timestamp>,
    /// What else of the ended jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<EndedRule>,
    /// Those that ended within so much time stay, whatever the rules say.
    #[serde(default)]
    pub spared: Millis,
}

/// Which of the ended jobs of one name and state may be removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedRule {
    /// Their durable name; without one, any.
    pub name: Option<String>,
    /// Their state.
    pub state: State,
    /// Those that ended before this.
    pub before: Option<Timestamp>,
    /// All but so many of each name, those that ended last.
    pub keep: Option<u64>,
}
