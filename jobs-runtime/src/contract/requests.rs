//! What the verbs of a driver take and give.

use crate::Error;
use crate::core::{
    EventId, Job, JobId, Millis, NewJob, Nudge, Payload, RunId, State, StepRecord, Timestamp, Token,
};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;

/// The answer to one enqueued job.
pub type EnqueueAnswer = Result<Enqueued, Conflicted>;

/// A job that is in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enqueued {
    /// Its id: the one that was asked for, or the live job's.
    pub id: JobId,
    /// Its run.
    pub run_id: RunId,
    /// A live job held the key, and this is it.
    pub deduped: bool,
    /// That job has another input than the one asked for. False as well if it is there no more to
    /// compare with: it has ended, its retention is over, and only its key is kept.
    pub input_differs: bool,
}

impl Enqueued {
    /// What an enqueue is told that gave its input to another job.
    pub(crate) fn replacing(id: JobId, run_id: RunId) -> Self {
        Enqueued {
            id,
            run_id,
            deduped: true,
            // It has the one that was asked for now.
            input_differs: false,
        }
    }

    /// The form in which a run is told of its detached child.
    #[must_use]
    pub fn payload(&self) -> Payload {
        let Enqueued {
            id,
            run_id,
            deduped,
            input_differs,
        } = self;
        let json = serde_json::json!({
            "id": id, "run_id": run_id, "deduped": deduped, "input_differs": input_differs,
        });
        Payload::json(json.to_string())
    }
}

/// A job that was not stored.
#[derive(Clone, Debug)]
pub enum Conflicted {
    /// A live job holds the key, and the caller wanted an error.
    KeyTaken(JobId),
    /// The job itself cannot be stored: too large, or a name that is not allowed.
    Refused(Error),
}

/// A request for work.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The queues to serve; all of them if empty.
    pub queues: Vec<String>,
    /// How many slots are free.
    pub limit: usize,
    /// How long a lease lasts without a heartbeat, for jobs that do not say.
    pub visibility_timeout: Millis,
    /// Who asks: a name and random bits, for people.
    pub worker: String,
    /// Random bits for the tokens, drawn anew for each request.
    pub nonce: u64,
    /// See [`super::Driver`].
    pub now: Option<Timestamp>,
}

/// What a claim brings.
#[derive(Clone, Debug)]
pub struct Claims {
    /// The leased jobs, in the order of the claim.
    pub jobs: Vec<Claimed>,
    /// The store's time of the claim.
    pub now: Timestamp,
    /// When the next job becomes visible, if that is known: no need to look before.
    pub next_visible_at: Option<Timestamp>,
    /// A limit keeps visible jobs waiting: the end of a lease may make room for them.
    pub held: bool,
}

/// A leased job.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// The row, with the new token and the lease's end in its head.
    pub job: Job,
    /// Its step records.
    pub journal: Vec<StepRecord>,
    /// Its unconsumed inbox.
    pub nudge: Nudge,
}

/// One lease to extend.
#[derive(Clone, Copy, Debug)]
pub struct Beat {
    /// The job.
    pub job: JobId,
    /// The holder's token.
    pub token: Token,
    /// How long the lease shall last from now.
    pub visibility_timeout: Millis,
    /// The nudge that the holder has seen.
    pub seen_nudge: u64,
}

/// The answer to one heartbeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BeatAnswer {
    /// The job was cancelled.
    Cancelled,
    /// The lease is extended.
    Held {
        /// Its new end.
        until: Timestamp,
        /// News that the holder has not seen.
        nudge: Option<Nudge>,
        /// Somebody asked for the job's end.
        cancel_requested: bool,
    },
    /// The lease is another's, or over.
    Lost,
}

/// The answer to one published event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// The event.
    pub id: EventId,
    /// Its place in the order of publication.
    pub seq: u64,
    /// Runs that it was pinned to.
    pub woken: u64,
}

/// Counts of one queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueStats {
    /// The queue.
    pub queue: String,
    /// Jobs that a worker may take now.
    pub ready: u64,
    /// Jobs that a worker may take later.
    pub delayed: u64,
    /// Leased jobs.
    pub running: u64,
    /// Parked jobs.
    pub suspended: u64,
    /// Dead letters.
    pub dead: u64,
    /// Age of the oldest ready job: the number that decides how many workers are needed.
    pub oldest_ready: Option<Millis>,
    /// Counting stopped at a bound: each count is a floor.
    pub at_least: bool,
}

/// One stored setting: a queue, a limit, a schedule or a worker, by the prefix of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Such as `queue/mail`.
    pub key: String,
    /// What it says.
    pub value: Vec<u8>,
    /// Raised by each write; guards the next.
    pub revision: u64,
}

/// A write of a setting and of what relies on it.
#[derive(Clone, Debug)]
pub struct SettingWrite {
    /// The key.
    pub key: String,
    /// The new value; `None` removes it.
    pub value: Option<Vec<u8>>,
    /// The revision it must still have; 0 if it must not exist.
    pub expected: u64,
    /// Jobs to enqueue in the same write.
    pub jobs: Vec<NewJob>,
}

/// What may be removed.
#[derive(Clone, Debug, Default)]
pub struct PruneBounds {
    /// Ended jobs older than this.
    pub ended_before: Timestamp,
    /// What else of the ended jobs.
    pub rules: Vec<PruneRule>,
    /// Those that ended within so much time by the store's clock stay, whatever the rules say:
    /// whoever enqueued one may not know of it yet, and send it again.
    pub spared: Millis,
    /// Events whose time to live passed before this.
    pub events_expired_before: Timestamp,
    /// Dead letters older than this; `None` leaves them alone.
    pub dead_before: Option<Timestamp>,
    /// Rows of each kind in one call; of ended jobs, also so many for each rule.
    pub limit: usize,
}

impl PruneBounds {
    /// Of the jobs that the rules let go, those may go that ended before this.
    pub(crate) fn not_spared(&self, now: Timestamp) -> Timestamp {
        now.before(self.spared).after(Millis(1))
    }
}

/// Which of the ended jobs of one definition and state may be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PruneRule {
    /// Their durable name. Without one the rule is for every name that no other rule names with
    /// this state.
    pub name: Option<String>,
    /// Their state: done, failed or cancelled. A rule for another says nothing.
    pub state: State,
    /// Those that ended before this.
    pub before: Option<Timestamp>,
    /// All but so many of each name, those that ended last.
    pub keep: Option<u64>,
}

/// The rules that hold for the ended jobs of one name and state: those that name it, or if there is
/// none those for every name.
pub fn rules_of<'a>(
    rules: &'a [PruneRule],
    name: &'a str,
    state: State,
) -> impl Iterator<Item = &'a PruneRule> {
    let is_ended = matches!(state, State::Done | State::Failed | State::Cancelled);
    let of_state = move |rule: &&PruneRule| is_ended && rule.state == state;
    let is_named = rules
        .iter()
        .filter(of_state)
        .any(|rule| rule.name.as_deref() == Some(name));
    let wanted = is_named.then_some(name);
    let own = rules.iter().filter(of_state);
    own.filter(move |rule| rule.name.as_deref() == wanted)
}

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Ended jobs.
    pub jobs: u64,
    /// Events.
    pub events: u64,
    /// Dead letters.
    pub dead_letters: u64,
    /// Bytes that the store gave back to the file system; 0 if there are none to give back, or it
    /// has no file.
    pub freed_bytes: u64,
}

/// A hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WakeUp {
    /// A job may have ended.
    Ended,
    /// A lease may have ended, and so made room under a limit.
    Freed,
    /// Something may have been put into an inbox.
    Inbox,
    /// A job may be ready.
    Ready,
}

/// A stream of hints. A slow reader loses some, which is harmless.
pub type WakeUps = broadcast::Receiver<WakeUp>;
