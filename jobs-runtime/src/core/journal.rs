//! The step records of a run, and the report when they no longer fit the code.

use super::{EventId, JobId, Payload, RunId, StoredError, Timestamp, WaitSpec};
use ::core::fmt;
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// A record's place in the order of delivery to the body, from 0.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Position(pub u32);

impl Position {
    /// The place after this one.
    #[must_use]
    pub const fn next(self) -> Position {
        Position(self.0.saturating_add(1))
    }
}

/// What kind of step a record belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordKind {
    /// A child job.
    Child,
    /// A wait for an event.
    Event,
    /// A sleep.
    Sleep,
    /// A body that ran.
    Step,
}

impl RecordKind {
    /// Every kind.
    pub const ALL: [RecordKind; 4] = [
        RecordKind::Child,
        RecordKind::Event,
        RecordKind::Sleep,
        RecordKind::Step,
    ];

    /// The one text form, for stores and for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            RecordKind::Child => "child",
            RecordKind::Event => "event",
            RecordKind::Sleep => "sleep",
            RecordKind::Step => "step",
        }
    }
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepOutcome {
    /// With a value. That there is a record says so, never what the value is.
    Done(Payload),
    /// With an error that was delivered to the body.
    Failed(StoredError),
    /// Its worker died inside a body that may not run twice.
    Interrupted,
    /// The deadline of an optional wait passed.
    TimedOut,
}

impl StepOutcome {
    /// The error that it is to the body, if it is one.
    #[must_use]
    pub fn error(&self) -> Option<StoredError> {
        match self {
            StepOutcome::Done(_) | StepOutcome::TimedOut => None,
            StepOutcome::Failed(error) => Some(error.clone()),
            StepOutcome::Interrupted => Some(StoredError::new(
                "X_STEP_INTERRUPTED",
                "it was started, how it ended was not recorded, and it may not run twice",
            )),
        }
    }
}

/// What is stored of a step. Without a position it is pending: asked for, not yet delivered (R4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    /// The rendered name; with the run, the key of the record.
    pub name: String,
    /// What kind of step it is.
    pub kind: RecordKind,
    /// Where it stands in the order of delivery.
    pub position: Option<Position>,
    /// How it ended; `None` exactly for pending records.
    pub outcome: Option<StepOutcome>,
    /// A hash of the output's type, to tell a person what changed. Zero if unknown.
    pub fingerprint: u64,
    /// How often the body was started.
    pub attempts: u32,
    /// When it was first asked for.
    pub started_at: Timestamp,
    /// When it was delivered.
    pub completed_at: Option<Timestamp>,
    /// End of a sleep, deadline of a wait, or end of a long back-off.
    pub wake_at: Option<Timestamp>,
    /// What a wait waits for.
    pub wait: Option<WaitSpec>,
    /// The event that served a wait. The set of these is what a run has consumed (R5).
    pub event: Option<EventId>,
    /// The child job of a child step.
    pub child: Option<JobId>,
    /// The last failure of a step that will be tried again.
    pub last_error: Option<StoredError>,
    /// The run that it was copied from, by a fork: values recorded beside it are that run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copied_from: Option<RunId>,
}

impl StepRecord {
    /// A pending record with nothing but its name, kind and start.
    #[must_use]
    pub fn pending(name: impl Into<String>, kind: RecordKind, started_at: Timestamp) -> Self {
        StepRecord {
            name: name.into(),
            kind,
            position: None,
            outcome: None,
            fingerprint: 0,
            attempts: 0,
            started_at,
            completed_at: None,
            wake_at: None,
            wait: None,
            event: None,
            child: None,
            last_error: None,
            copied_from: None,
        }
    }

    /// Whether a body that may not run twice was started, and nobody recorded how it ended. Other
    /// pending records of steps tell the error after which the body runs again.
    #[must_use]
    pub fn is_start(&self) -> bool {
        self.kind == RecordKind::Step
            && self.position.is_none()
            && self.attempts > 0
            && self.last_error.is_none()
    }

    /// Whether its failure was delivered.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        matches!(
            self.outcome,
            Some(StepOutcome::Failed(_) | StepOutcome::Interrupted)
        )
    }

    /// Bytes of its output, for limits on batches.
    #[must_use]
    pub fn size(&self) -> usize {
        match &self.outcome {
            Some(StepOutcome::Done(payload)) => payload.bytes.len(),
            Some(StepOutcome::Failed(error)) => error.message.len(),
            _ => 0,
        }
    }
}

/// Why a journal does not fit the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The body asks for a step of one kind where another is recorded.
    Kind {
        /// The step.
        step: String,
        /// What the journal has.
        recorded: RecordKind,
        /// What the code wants.
        asked: RecordKind,
    },
    /// The recorded output is not of the type the code wants.
    Output {
        /// The step.
        step: String,
        /// What the decoder said.
        reason: String,
    },
    /// The body ended well and never asked for a step that was completed.
    Unclaimed {
        /// The step.
        step: String,
        /// What the journal has.
        recorded: RecordKind,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Kind {
                step,
                recorded,
                asked,
            } => write!(
                f,
                "step \"{step}\" was recorded as a {recorded}, and the code now asks for a {asked}"
            ),
            Mismatch::Output { step, reason } => write!(
                f,
                "the recorded output of step \"{step}\" is not what the code now expects: {reason}"
            ),
            Mismatch::Unclaimed { step, recorded } => write!(
                f,
                "the journal has a completed {recorded} \"{step}\", and the body ended without asking for it"
            ),
        }
    }
}
