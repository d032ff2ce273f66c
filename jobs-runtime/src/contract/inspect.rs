//! Reads for people: pages with stable order, and single rows.

use crate::Error;
use crate::core::{
    EventId, Group, InboxItem, Job, JobId, Limit, LogLine, Pace, Payload, RunId, State, StepRecord,
    Timestamp,
};
use async_trait::async_trait;

/// What to list.
#[derive(Clone, Debug, Default)]
pub struct JobFilter {
    /// Only this queue.
    pub queue: Option<String>,
    /// Only this durable name.
    pub name: Option<String>,
    /// Only this stored state.
    pub state: Option<State>,
    /// Only this tenant.
    pub tenant: Option<String>,
    /// Only this idempotency key.
    pub key: Option<String>,
}

/// Where a page ended: give it back for the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageCursor(pub JobId);

/// One page of rows, newest id first.
#[derive(Clone, Debug)]
pub struct Page {
    /// The rows.
    pub jobs: Vec<Job>,
    /// Where the next page starts; `None` at the end.
    pub next: Option<PageCursor>,
}

/// A job with all that belongs to it.
#[derive(Clone, Debug)]
pub struct JobView {
    /// The row, wherever it stands.
    pub job: Job,
    /// Its step records, delivered ones first, by position.
    pub journal: Vec<StepRecord>,
    /// All that was pinned to it, consumed or not.
    pub inbox: Vec<InboxItem>,
    /// The last lines it wrote about itself.
    pub log: Vec<LogLine>,
}

/// A stored event.
#[derive(Clone, Debug)]
pub struct StoredEvent {
    /// Who it is.
    pub id: EventId,
    /// Its place in the order of publication.
    pub seq: u64,
    /// Its durable name.
    pub name: String,
    /// Its correlation key.
    pub key: Option<String>,
    /// Whose it is.
    pub tenant: Option<String>,
    /// What it says.
    pub payload: Payload,
    /// When the store took it.
    pub published_at: Timestamp,
    /// Until when it can be matched.
    pub expires_at: Timestamp,
}

/// A worker that was seen.
#[derive(Clone, Debug)]
pub struct WorkerInfo {
    /// Name and random bits.
    pub worker: String,
    /// Leases it holds.
    pub leases: u64,
}

/// How one group of jobs stands with its limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The group.
    pub group: Group,
    /// What it is held to.
    pub limit: Limit,
    /// Its live leases, counted no further than its limit; not counted without one.
    pub live: u32,
    /// Where its rate stands.
    pub pace: Pace,
}

/// How groups stand at one instant of the store.
#[derive(Clone, Debug)]
pub struct Standings {
    /// The store's time.
    pub now: Timestamp,
    /// In the order that was asked for.
    pub groups: Vec<Standing>,
}

/// What people may look at. Part of every driver: a store that cannot be looked into cannot be
/// operated.
#[async_trait]
pub trait Inspect: Send + Sync {
    /// One job, live or ended.
    async fn job(&self, id: JobId) -> Result<Option<Job>, Error>;

    /// One job with its journal, inbox and log.
    async fn view(&self, id: JobId) -> Result<Option<JobView>, Error>;

    /// The job that owns a run.
    async fn job_of_run(&self, run: RunId) -> Result<Option<JobId>, Error>;

    /// Jobs of any state, newest id first, each row once however often the page is turned.
    async fn list(
        &self,
        filter: &JobFilter,
        after: Option<PageCursor>,
        limit: usize,
    ) -> Result<Page, Error>;

    /// Events by publication, from `after` (a `seq`) on.
    async fn events(
        &self,
        name: Option<&str>,
        after: u64,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, Error>;

    /// The durable names of all live jobs, each once.
    async fn live_names(&self) -> Result<Vec<String>, Error>;

    /// Workers that hold leases now.
    async fn workers(&self) -> Result<Vec<WorkerInfo>, Error>;

    /// How these groups stand with their limits; `now` as in [`super::Driver`].
    async fn standings(&self, groups: &[Group], now: Option<Timestamp>)
    -> Result<Standings, Error>;

    /// The job that holds a key: a live one, or until an instant also an ended one.
    async fn key_holder(&self, scope: &str, key: &str) -> Result<Option<JobId>, Error>;
}
