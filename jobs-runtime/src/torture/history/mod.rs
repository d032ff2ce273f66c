//! What is written down of a run: one [`Entry`] for each thing that happened, whoever saw it.
//! What it means is the checker's to say, and where it is kept is [`super::log`]'s.
//!
//! A call to the store is two entries of one [`Op`]: [`What::Invoke`] before it is made, and one
//! of [`What::Ok`], [`What::Fail`] and [`What::Unknown`] after it. A process that is killed leaves
//! the second out, which reads as `Unknown`. A batch is written as its items, each an op of its
//! own: items succeed and fail alone.

mod answer;
mod call;
mod record;

pub use answer::{Answer, Leased};
pub use call::{
    Bounds, Call, CommitCall, Conflict, EndedRule, EnqueueCall, ParentStep, PublishCall, Settled,
    Tick,
};
pub use record::{Ended, Recorded, Waited};

use crate::core::{JobId, RunId, Timestamp};
use serde::{Deserialize, Serialize};

/// The process that steers a run and writes down what it does to the others.
pub const ORCHESTRATOR: u32 = 0;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Who saw it: [`ORCHESTRATOR`], a worker or a client. In a simulator, whatever stands for
    /// a process.
    #[serde(rename = "p")]
    pub process: u32,
    /// Which life of that process, from 1.
    #[serde(rename = "i")]
    pub incarnation: u32,
    /// Its place among the entries of this life, from 1.
    #[serde(rename = "s")]
    pub seq: u64,
    /// When, by a clock that all processes share and that never goes back, in nanoseconds.
    #[serde(rename = "m")]
    pub mono_ns: u64,
    /// When, by the wall clock: the store's own where time is virtual.
    #[serde(rename = "t")]
    pub at: Timestamp,
    /// What.
    #[serde(rename = "w")]
    pub what: What,
}

/// A call within one life of a process: with [`Entry::process`] and [`Entry::incarnation`], who
/// it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Op(pub u64);

/// What an [`Entry`] says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// A body is about to touch the world outside.
    EffectBegin(Effect),
    /// It has.
    EffectEnd(Effect),
    /// A call had an answer that says that nothing was done.
    Fail {
        /// Which call.
        op: Op,
        /// The error's code.
        code: String,
    },
    /// From here on, faults of this name may happen. Written by the orchestrator.
    FaultBegin(String),
    /// No more faults of this name.
    FaultEnd(String),
    /// All faults are over, and everything that can heal must do so from here on.
    Healing,
    /// A call is about to be made.
    Invoke {
        /// Which call.
        op: Op,
        /// What it asks for.
        call: Call,
    },
    /// A job as it stands in the store when everything is over.
    Job(Box<Dumped>),
    /// A process was killed, or ended by itself without a farewell.
    Killed(Life),
    /// One of the jobs that a claim brought; the claim's own answer follows.
    Leased {
        /// The claim.
        op: Op,
        /// The job.
        lease: Box<Leased>,
    },
    /// A call was answered.
    Ok {
        /// Which call.
        op: Op,
        /// The answer.
        answer: Answer,
    },
    /// A process was stopped, and its clocks go on.
    Paused(Life),
    /// Nothing is left to be done: what follows is the dump. Without it the run never came to
    /// rest.
    Quiet,
    /// A stopped process goes on.
    Resumed(Life),
    /// A process was started.
    Started(Life),
    /// A call had no answer, or one that leaves open whether it was done.
    Unknown {
        /// Which call.
        op: Op,
        /// The error's code.
        code: String,
    },
}

/// One life of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Life {
    /// Which process.
    pub process: u32,
    /// Which of its lives.
    pub incarnation: u32,
}

/// A body's touch of the world outside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// The run.
    pub run: RunId,
    /// The step's rendered name, as it is recorded.
    pub step: String,
    /// The attempt of the job.
    pub attempt: u32,
    /// The lease, where the body knows it; else it is the last one its process was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
    /// A hash of what is done, 0 if it does not matter.
    #[serde(default)]
    pub hash: u64,
    /// At its end: it failed, so its body may be run again.
    #[serde(default)]
    pub failed: bool,
}

/// A job in the dump at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dumped {
    /// Its row.
    pub job: JobId,
    /// Its run.
    pub run: RunId,
    /// Its durable name.
    pub name: String,
    /// Scope and key; `None` for a job without one.
    pub key: Option<String>,
    /// Whose job it is.
    pub tenant: Option<String>,
    /// A hash of its input.
    pub input: u64,
    /// Where it stands.
    pub state: crate::core::State,
    /// The try it is on.
    pub attempt: u32,
    /// How many tries it has.
    pub attempts_max: u32,
    /// Leases that were lost.
    pub lease_losses: u32,
    /// How many leases it has had.
    pub epoch: u64,
    /// When it may be taken.
    pub visible_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Whether its last error is kept.
    pub has_error: bool,
    /// Whether the store made it by itself, to clean up after a cancelled one.
    #[serde(default)]
    pub cleans_up: bool,
    /// The tick it stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick: Option<Tick>,
    /// Its journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub journal: Vec<Recorded>,
}
