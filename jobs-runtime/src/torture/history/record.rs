//! A step record as far as a checker wants to know it: hashes instead of values.

use super::super::log::{clip, hash};
use crate::core::{
    EventId, JobId, Position, RecordKind, StepOutcome, StepRecord, Timestamp, WaitSpec,
};
use serde::{Deserialize, Serialize};

/// A step record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// The rendered name, clipped.
    #[serde(rename = "n")]
    pub step: String,
    /// What kind of step it is.
    #[serde(rename = "k")]
    pub kind: RecordKind,
    /// Its place in the order of delivery; `None` while it is pending.
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// How it ended; `None` while it is pending.
    #[serde(rename = "e", default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// A hash of the outcome's bytes; 0 while it is pending.
    #[serde(rename = "h", default)]
    pub hash: u64,
    /// How often the body was started.
    #[serde(rename = "a", default)]
    pub attempts: u32,
    /// End of a sleep, deadline of a wait, or end of a back-off.
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    pub wake_at: Option<Timestamp>,
    /// What a wait waits for.
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Waited>,
    /// The event that served a wait.
    #[serde(rename = "v", default, skip_serializing_if = "Option::is_none")]
    pub event: Option<EventId>,
    /// The child of a child step.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub child: Option<JobId>,
}

/// How a step ended, without what it gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// With a value.
    Done,
    /// With an error that was delivered.
    Failed,
    /// Cut off, and it may not run twice.
    Interrupted,
    /// The deadline of a wait passed.
    TimedOut,
}

/// What a wait waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waited {
    /// Names of events, clipped.
    pub names: Vec<String>,
    /// The key that the event must have, clipped.
    pub key: Option<String>,
    /// The earliest publication that counts.
    pub since: Timestamp,
}

impl Recorded {
    /// What is written down of a record.
    #[must_use]
    pub fn of(record: &StepRecord) -> Self {
        let (ended, hash) = match &record.outcome {
            None => (None, 0),
            Some(StepOutcome::Done(payload)) => (Some(Ended::Done), hash(&payload.bytes)),
            Some(StepOutcome::Failed(error)) => {
                (Some(Ended::Failed), hash(error.message.as_bytes()))
            }
            Some(StepOutcome::Interrupted) => (Some(Ended::Interrupted), 1),
            Some(StepOutcome::TimedOut) => (Some(Ended::TimedOut), 2),
        };
        Recorded {
            step: clip(&record.name),
            kind: record.kind,
            position: record.position,
            ended,
            hash,
            attempts: record.attempts,
            wake_at: record.wake_at,
            wait: record.wait.as_ref().map(Waited::of),
            event: record.event,
            child: record.child,
        }
    }
}

impl Waited {
    fn of(wait: &WaitSpec) -> Self {
        Waited {
            names: wait.names.iter().map(|name| clip(name)).collect(),
            key: wait.key.as_deref().map(clip),
            since: wait.since,
        }
    }
}
