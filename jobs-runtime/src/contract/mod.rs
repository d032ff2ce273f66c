//! What a store must do. This page is the specification for a driver, and the conformance suite
//! is its exam.
//!
//! A driver stores decided values. It makes no decision of its own about a job: [`crate::core`]
//! has the functions ([`claim`](crate::core::claim), [`decide`](crate::core::decide),
//! [`heartbeat`](crate::core::heartbeat), [`nudged`](crate::core::nudged)), and a driver loads a
//! row, calls one, and stores the result while nobody else can touch the row.
//!
//! # What every driver MUST do
//!
//! 1. **All or nothing.** Each item of a batch is applied whole or not at all, and its answer is
//!    given only once it is as durable as [`Capabilities::durability`] says. An item that fails
//!    for its own sake MUST NOT take the others with it: one bad row would stop a fleet.
//! 2. **Fencing.** A commit or heartbeat is decided on the row as it stands, locked. A write that
//!    is not the current lease's MUST change nothing: two workers would both go on.
//! 3. **Keys.** Of two racing enqueues of one (scope, key), one makes a job and the other finds
//!    it. A key is free again when its job ends, unless it was kept by `unique_for`.
//! 4. **Client-made ids.** An enqueue or publish that arrives twice under one id is one job or
//!    event: a lost reply is answered by trying again. An enqueue that made no job, but gave its
//!    input to another one, is known again for [`REPLACED_KEPT`](crate::core::REPLACED_KEPT).
//! 5. **Events meet waits.** A wait is a pending record of kind `Event`. Whichever of event and
//!    wait comes second MUST find the first; what meets is pinned in the run's inbox, once per
//!    run, and survives the event's own time to live. A wait takes the earliest event, so nothing
//!    is pinned for one that is [served](crate::core::unserved). A run that goes on leaves what
//!    it has not consumed to the next; the runs of a [chain](crate::core::Chain) are one consumer.
//! 6. **Opaque text.** Names, keys, tenants and payloads are data. They never become syntax, and
//!    every text and every byte comes back as it went in.
//! 7. **The store's clock.** `now` in a request is for tests; without it a driver uses the clock
//!    of the store, never the worker's.
//! 8. **Dead letters stay** until they are purged by name.
//! 9. **Errors.** A lost connection before a write was sent is [`Error::driver_unavailable`]; after
//!    it, [`Error::outcome_unknown`]. Calling the second the first makes a caller give up on what
//!    has happened; calling the first the second costs one retry.

mod check;
mod inspect;
mod limits;
mod report;
mod requests;
mod transactional;

pub use check::{
    LABEL_LIMIT, LABEL_LIMIT_BYTES, MAX_NAME_BYTES, check_claim, check_event, check_job,
    check_setting,
};
pub use inspect::{
    Inspect, JobFilter, JobView, Page, PageCursor, Standing, Standings, StoredEvent, WorkerInfo,
};
pub use limits::{JobLimits, LimitSetting, QueueSetting, TenantSetting, limit_of};
pub use report::{Fact, Finding, Gravity, Report};
pub use requests::{
    Beat, BeatAnswer, Claim, Claimed, Claims, Conflicted, EnqueueAnswer, Enqueued, PruneBounds,
    PruneRule, Pruned, Published, QueueStats, Setting, SettingWrite, WakeUp, WakeUps, rules_of,
};
#[allow(unused_imports, reason = "for drivers that a build may leave out")]
pub(crate) use transactional::through_its_connection;
pub use transactional::{StepTransaction, Transactional};

use crate::Error;
use crate::core::{Commit, CommitAnswer, NewEvent, NewJob, Timestamp};
use async_trait::async_trait;
use std::any::Any;

/// How much a store survives, once it has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// Nothing: it lives and dies with its process.
    None,
    /// The end of any process, also by `kill -9`.
    Process,
    /// A power cut of the machine.
    Machine,
    /// The loss of a machine.
    Replicated,
}

/// What a store can do. Ask for the flag, never for the driver's name.
#[derive(Clone, Debug)]
pub struct Capabilities {
    /// For messages: `memory`, `sqlite`.
    pub driver: &'static str,
    /// What an answer means.
    pub durability: Durability,
    /// Claims follow priority, then time, then id. Without it the order is only roughly so.
    pub ordered_claim: bool,
    /// Counts are exact up to 10,000 a queue and state. Without it they are estimates.
    pub exact_stats: bool,
    /// Lists are served from an index. Without it they may take long.
    pub indexed_lists: bool,
    /// Jobs, events and steps can be stored inside the caller's own transaction: see
    /// [`Transactional`].
    pub transactional: bool,
    /// Other processes can use the same store at the same time.
    pub shared: bool,
    /// Largest input, output or event, in bytes.
    pub payload_limit: usize,
}

/// A store of jobs. Eight verbs, shaped as batches, because a durable write costs the same for
/// one row as for a hundred.
///
/// `now` is `None` in production. A test that gives it drives the store through virtual time.
#[async_trait]
pub trait Driver: Send + Sync + 'static {
    /// What this store can do, as read back from its settings at connect.
    fn capabilities(&self) -> &Capabilities;

    /// Brings the schema up to date. Safe to call from many processes at once, and to be killed
    /// in at any statement.
    ///
    /// # Errors
    /// `X_SCHEMA_NEWER` if the store is newer than this program; nothing is changed then.
    async fn migrate(&self) -> Result<(), Error>;

    /// Stores jobs. One answer per item, in order.
    ///
    /// # Errors
    /// Only for the batch as a whole: what is wrong with one item is its own answer.
    async fn enqueue(
        &self,
        jobs: &[NewJob],
        now: Option<Timestamp>,
    ) -> Result<Vec<EnqueueAnswer>, Error>;

    /// Leases at most `claim.limit` visible jobs and brings their journals and inboxes. Jobs whose
    /// last attempt lost its worker, or that expired, are settled on the way; they do not count
    /// against the limit. A suspended job keeps its attempt.
    ///
    /// # Errors
    /// If the store cannot be reached. What was leased before the error is visible again when
    /// its lease ends.
    async fn claim(&self, claim: &Claim) -> Result<Claims, Error>;

    /// Applies commits, in order. One answer per item.
    ///
    /// # Errors
    /// Only for the batch as a whole; the same batch may then be sent again.
    async fn commit(
        &self,
        commits: &[Commit],
        now: Option<Timestamp>,
    ) -> Result<Vec<CommitAnswer>, Error>;

    /// Extends leases. One answer per item; MUST NOT wait for commits, which may be slow.
    ///
    /// # Errors
    /// If the store cannot be reached; no lease is extended then.
    async fn heartbeat(
        &self,
        beats: &[Beat],
        now: Option<Timestamp>,
    ) -> Result<Vec<BeatAnswer>, Error>;

    /// Stores events and wakes the runs that wait for them.
    ///
    /// # Errors
    /// Only for the batch as a whole; the same batch may then be sent again.
    async fn publish(
        &self,
        events: &[NewEvent],
        now: Option<Timestamp>,
    ) -> Result<Vec<Published>, Error>;

    /// Counts by queue. Visits a bounded number of rows.
    ///
    /// # Errors
    /// If the store cannot be reached.
    async fn stats(&self, now: Option<Timestamp>) -> Result<Vec<QueueStats>, Error>;

    /// Reads the settings whose key begins with `prefix` (queues, limits, schedules, workers).
    ///
    /// # Errors
    /// If the store cannot be reached.
    async fn settings(&self, prefix: &str) -> Result<Vec<Setting>, Error>;

    /// Writes a setting if its revision is still the expected one, together with the jobs that
    /// rely on it (a tick and its schedule). `None` if it was not.
    ///
    /// # Errors
    /// If the store cannot be reached.
    async fn write_setting(
        &self,
        write: &SettingWrite,
        now: Option<Timestamp>,
    ) -> Result<Option<Setting>, Error>;

    /// Removes what retention no longer keeps, at most `bounds.limit` rows of each kind.
    ///
    /// # Errors
    /// If the store cannot be reached.
    async fn prune(&self, bounds: &PruneBounds, now: Option<Timestamp>) -> Result<Pruned, Error>;

    /// Looks at the health of the store, and changes nothing: see [`crate::doctor`].
    ///
    /// # Errors
    /// If the store cannot be reached. What is wrong with it is in the report.
    async fn doctor(&self) -> Result<Report, Error> {
        let capabilities = self.capabilities();
        let mut report = Report::of(capabilities.driver);
        let durability = format!("{:?}", capabilities.durability).to_lowercase();
        report.note("durability", durability);
        Ok(report)
    }

    /// Hints that work may be ready. Losing one only delays a worker to its next poll.
    fn wake_ups(&self) -> WakeUps;

    /// Reads for people.
    fn inspect(&self) -> &dyn Inspect;

    /// The store as the type that its transactions know, where [`Capabilities::transactional`] is
    /// set. A driver around another one gives the inner one's.
    fn transactions(&self) -> Option<&dyn Any> {
        None
    }

    /// Writes what is on its way, and lets go of the store. Calls after it fail with
    /// `X_DRIVER_UNAVAILABLE`.
    async fn close(&self);
}
