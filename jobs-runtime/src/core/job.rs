//! A job: what was asked for, where it stands, and what is noted of it.

use super::{
    Chain, JobId, Millis, Payload, Position, Progress, RunId, State, StepRecord, StoredError,
    Timestamp, Token, Trace, Window, commit::CommitNumber, window::Edge,
};
use alloc::{collections::BTreeMap, string::String, vec::Vec};
use serde::{Deserialize, Serialize};

/// 0 is served first, 9 last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Priority(u8);

impl Priority {
    /// The middle.
    pub const DEFAULT: Priority = Priority(5);

    /// A priority from 0 to 9; more counts as 9.
    #[must_use]
    pub const fn new(level: u8) -> Self {
        Priority(if level > 9 { 9 } else { level })
    }

    /// The number.
    #[must_use]
    pub const fn level(self) -> u8 {
        self.0
    }
}

impl Default for Priority {
    fn default() -> Self {
        Priority::DEFAULT
    }
}

/// When a new job may be taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visible {
    /// So long after the store takes it.
    After(Millis),
    /// At an instant by the store's clock.
    At(Timestamp),
    /// At once.
    #[default]
    Now,
}

/// What an enqueue does when a live job holds its key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnConflict {
    /// Answers with the live job.
    #[default]
    Dedupe,
    /// Refuses, naming the live job.
    Error,
    /// The live job gets this input if it has not begun. If it has, one job follows it: the
    /// newest input wins, however often this is asked.
    Replace,
}

/// The job that cleans up after one that was cancelled. It gets the input of the cancelled job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CleanUp {
    /// The durable name of its definition.
    pub name: String,
    /// The oldest durable name of its definition.
    pub scope: String,
    /// The queue it waits in.
    pub queue: String,
    /// Who is served first.
    pub priority: Priority,
    /// How many tries it has.
    pub attempts_max: u32,
    /// How long a lease hides it without a heartbeat.
    pub visibility_timeout: Option<Millis>,
}

/// The step of a parent that a child belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parent {
    /// The parent's row.
    pub job: JobId,
    /// The parent's run.
    pub run: RunId,
    /// The step's rendered name.
    pub step: String,
}

/// The firing of a schedule that a job stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TickRef {
    /// The task's durable name.
    pub schedule: String,
    /// The firing's instant.
    pub tick: Timestamp,
}

/// A job about to be enqueued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewJob {
    /// What does not change any more once it is stored.
    pub spec: JobSpec,
    /// When it may be taken.
    pub visible: Visible,
    /// How many tries it has.
    pub attempts_max: u32,
    /// What to do when its key is taken.
    pub on_conflict: OnConflict,
    /// Keeps the key for so long after the enqueue, whatever becomes of the job.
    pub unique_for: Option<Millis>,
    /// Makes few runs of enqueues that come close together; goes before `on_conflict`.
    pub window: Option<Window>,
    /// It fails if it was not started within so much time of being stored. Goes before an
    /// instant in its spec, which only whoever knows the store's time can give.
    pub expires: Option<Millis>,
    /// Delivered records of another run that it starts with: it is a fork.
    pub prefix: Vec<StepRecord>,
}

impl NewJob {
    /// What is stored of it at `now`.
    #[must_use]
    pub fn stored_spec(&self, now: Timestamp) -> JobSpec {
        JobSpec {
            expires_at: self.expires_at(now),
            ..self.spec.clone()
        }
    }

    /// By when it must have been started, if it is stored at `now`.
    #[must_use]
    pub fn expires_at(&self, now: Timestamp) -> Option<Timestamp> {
        self.expires
            .map(|span| now.after(span))
            .or(self.spec.expires_at)
    }

    /// Whether it may become a job that waits for the end of another with its key.
    #[must_use]
    pub fn may_follow(&self) -> bool {
        match self.window {
            Some(window) => window.edge != Edge::Leading,
            None => self.on_conflict == OnConflict::Replace,
        }
    }
}

/// What was asked for, fixed at the enqueue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSpec {
    /// Who it is; made by the client.
    pub id: JobId,
    /// The run that owns its steps.
    pub run_id: RunId,
    /// The durable name of its definition.
    pub name: String,
    /// The oldest durable name of its definition: the scope of its key (R8).
    pub scope: String,
    /// The queue it waits in.
    pub queue: String,
    /// The rendered idempotency key; `None` for a job without one.
    pub key: Option<String>,
    /// Its input.
    pub input: Payload,
    /// Who is served first.
    pub priority: Priority,
    /// Whose job it is.
    pub tenant: Option<String>,
    /// How long a lease hides it without a heartbeat; wins over the worker's default.
    pub visibility_timeout: Option<Millis>,
    /// It fails if it was not started by then.
    pub expires_at: Option<Timestamp>,
    /// Key of its concurrency limit.
    pub limit_key: Option<String>,
    /// Key of its rate limit.
    pub rate_key: Option<String>,
    /// The step it is a child of.
    pub parent: Option<Parent>,
    /// The tick it stands for.
    pub tick: Option<TickRef>,
    /// W3C trace context of whoever enqueued it.
    pub trace_context: Option<String>,
    /// Free words for people to find it by.
    pub labels: BTreeMap<String, String>,
    /// The definition's version.
    pub version: u32,
    /// The run it was forked from.
    pub fork_of: Option<RunId>,
    /// The run it goes on from.
    pub continued_from: Option<RunId>,
    /// The chain of runs that it belongs to, if one of them goes on as another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<Chain>,
    /// What cleans up after it, if it is cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_cancel: Option<CleanUp>,
}

/// Where a job stands: small, and all that a decision needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The stored state.
    pub state: State,
    /// Counts every change of this row; guards changes made by people.
    pub revision: u64,
    /// The try it is on, from 1.
    pub attempt: u32,
    /// How many tries it has.
    pub attempts_max: u32,
    /// How many leases were lost, apart from failures.
    pub lease_losses: u32,
    /// The current or last lease.
    pub token: Token,
    /// The earliest moment a worker may take it; the lease's end while it runs; never if `None`.
    pub visible_at: Option<Timestamp>,
    /// Raised by each thing put into its inbox.
    pub nudge: u64,
    /// The position the next delivered record takes.
    pub next_position: Position,
    /// The last commit of a lease that was applied.
    pub last_commit: CommitNumber,
    /// The last change by a person that had an id.
    #[serde(default)]
    pub last_change: Option<u64>,
    /// Somebody asked for its end, and the body has not heard yet.
    pub cancel_requested: bool,
    /// When it was stored.
    pub enqueued_at: Timestamp,
    /// When its first lease began, or when a person revived it before it ever had one.
    pub started_at: Option<Timestamp>,
    /// When it reached its final state.
    pub ended_at: Option<Timestamp>,
}

impl Head {
    /// The head of a job that is being stored at `now`.
    #[must_use]
    pub fn new(job: &NewJob, now: Timestamp) -> Self {
        Head {
            state: State::Pending,
            revision: 0,
            attempt: 1,
            attempts_max: job.attempts_max.max(1),
            lease_losses: 0,
            token: Token::default(),
            visible_at: Some(match job.visible {
                Visible::After(delay) => now.after(delay),
                Visible::At(at) => at,
                Visible::Now => now,
            }),
            nudge: 0,
            next_position: after_prefix(&job.prefix),
            last_commit: CommitNumber::default(),
            last_change: None,
            cancel_requested: false,
            enqueued_at: now,
            started_at: None,
            ended_at: None,
        }
    }
}

fn after_prefix(prefix: &[StepRecord]) -> Position {
    let last = prefix.iter().filter_map(|record| record.position).max();
    last.map_or(Position::default(), Position::next)
}

/// What is noted of a job for people: no decision reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobNotes {
    /// What the body returned.
    pub output: Option<Payload>,
    /// The last failure.
    pub error: Option<StoredError>,
    /// The worker that holds or last held it.
    pub worker: Option<String>,
    /// How far it says it is.
    pub progress: Option<Progress>,
    /// The steps its last attempt used, and which of them were replayed.
    pub trace: Option<Trace>,
    /// The job that goes on where this one ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continued_to: Option<JobId>,
}

/// A whole job, as it is read back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// What was asked for.
    pub spec: JobSpec,
    /// Where it stands.
    pub head: Head,
    /// What is noted of it.
    pub notes: JobNotes,
}
