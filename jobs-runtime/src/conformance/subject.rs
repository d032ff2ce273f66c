//! The driver under exam, with the time, the random bits and the short words that cases use.

use super::holder::Holder;
use super::transactions::{Open, Transactions};
use super::{Failure, Result};
use crate::clock::{Entropy, SeededEntropy, VirtualClock};
use crate::contract::{
    BeatAnswer, Claim, Claims, Driver, EnqueueAnswer, Enqueued, Inspect, JobView, Published,
    QueueStats, SettingWrite,
};
use crate::core::{
    Applied, Commit, CommitAnswer, Job, JobId, Millis, NewEvent, NewJob, State, Timestamp,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// How long a lease lasts unless a case says otherwise.
pub(super) const LEASE: Millis = Millis::secs(30);

/// A driver under exam. Clones share the store and the time.
#[derive(Clone)]
pub struct Subject {
    driver: Arc<dyn Driver>,
    entropy: Arc<SeededEntropy>,
    now: Arc<AtomicI64>,
    transactions: Option<Transactions>,
}

impl Subject {
    pub(super) fn new(driver: Arc<dyn Driver>) -> Self {
        Subject {
            driver,
            entropy: Arc::new(SeededEntropy::new(1)),
            now: Arc::new(AtomicI64::new(VirtualClock::START.0)),
            transactions: None,
        }
    }

    pub(super) fn with(self, transactions: Transactions) -> Self {
        Subject {
            transactions: Some(transactions),
            ..self
        }
    }

    /// Begins a transaction of the driver's kind. Whoever holds it is the only one who writes.
    pub(super) async fn transaction(&self) -> Result<Box<dyn Open>> {
        let known = self.transactions;
        let known = known.ok_or_else(|| Failure::here("the case is played by `play_with` only"))?;
        Ok(known.begin(self.driver()).await?)
    }

    /// The same subject, whose calls go through another driver.
    pub(super) fn over(&self, driver: Arc<dyn Driver>) -> Self {
        Subject {
            driver,
            ..self.clone()
        }
    }

    pub(super) fn shared_driver(&self) -> Arc<dyn Driver> {
        Arc::clone(&self.driver)
    }

    pub(super) fn driver(&self) -> &dyn Driver {
        &*self.driver
    }

    pub(super) fn inspect(&self) -> &dyn Inspect {
        self.driver.inspect()
    }

    pub(super) fn now(&self) -> Timestamp {
        Timestamp(self.now.load(Ordering::SeqCst))
    }

    /// Moves the time of all requests from here on.
    pub(super) fn advance(&self, span: Millis) {
        self.advance_to(self.now().after(span));
    }

    pub(super) fn advance_to(&self, at: Timestamp) {
        self.now.store(at.0, Ordering::SeqCst);
    }

    pub(super) fn bits(&self) -> u128 {
        self.entropy.bits()
    }

    pub(super) async fn enqueue_all(&self, jobs: &[NewJob]) -> Result<Vec<EnqueueAnswer>> {
        let answers = self.driver.enqueue(jobs, Some(self.now())).await?;
        check_eq!(answers.len(), jobs.len(), "one answer for each item");
        Ok(answers)
    }

    pub(super) async fn try_enqueue(&self, job: &NewJob) -> Result<EnqueueAnswer> {
        only(self.enqueue_all(std::slice::from_ref(job)).await?)
    }

    pub(super) async fn enqueue(&self, job: &NewJob) -> Result<Enqueued> {
        Ok(self.try_enqueue(job).await??)
    }

    /// A request for work from every queue.
    pub(super) fn request(&self, limit: usize) -> Claim {
        Claim {
            queues: Vec::new(),
            limit,
            visibility_timeout: LEASE,
            worker: "worker-1".into(),
            nonce: self.bits() as u64,
            now: Some(self.now()),
        }
    }

    pub(super) async fn claims(&self, claim: &Claim) -> Result<Claims> {
        Ok(self.driver.claim(claim).await?)
    }

    pub(super) async fn claim(&self, limit: usize) -> Result<Vec<Holder>> {
        let claims = self.claims(&self.request(limit)).await?;
        Ok(claims.jobs.into_iter().map(Holder::new).collect())
    }

    /// Claims the one job that is visible.
    pub(super) async fn claim_one(&self) -> Result<Holder> {
        only(self.claim(10).await?)
    }

    pub(super) async fn claim_nothing(&self) -> Result {
        let claimed = self.claim(10).await?;
        check!(claimed.is_empty(), "nothing is visible, yet {claimed:?}");
        Ok(())
    }

    /// Stores a job and leases it.
    pub(super) async fn start(&self, job: &NewJob) -> Result<Holder> {
        self.enqueue(job).await?;
        let started = self.claim_one().await?;
        check_eq!(started.id(), job.spec.id);
        Ok(started)
    }

    pub(super) async fn commit(&self, commit: &Commit) -> Result<CommitAnswer> {
        only(self.commit_all(std::slice::from_ref(commit)).await?)
    }

    pub(super) async fn commit_all(&self, commits: &[Commit]) -> Result<Vec<CommitAnswer>> {
        let answers = self.driver.commit(commits, Some(self.now())).await?;
        check_eq!(answers.len(), commits.len(), "one answer for each item");
        Ok(answers)
    }

    /// Commits, and is content with nothing but `Applied`.
    pub(super) async fn apply(&self, commit: &Commit) -> Result<Applied> {
        match self.commit(commit).await? {
            CommitAnswer::Applied(applied) => Ok(applied),
            other => Err(Failure::here(format!("not applied: {other:?}"))),
        }
    }

    pub(super) async fn beat(&self, holder: &Holder, timeout: Millis) -> Result<BeatAnswer> {
        let beats = [holder.beat(timeout)];
        only(self.driver.heartbeat(&beats, Some(self.now())).await?)
    }

    pub(super) async fn publish(&self, event: &NewEvent) -> Result<Published> {
        let events = std::slice::from_ref(event);
        only(self.driver.publish(events, Some(self.now())).await?)
    }

    pub(super) async fn row(&self, id: JobId) -> Result<Job> {
        Ok(self.view(id).await?.job)
    }

    pub(super) async fn view(&self, id: JobId) -> Result<JobView> {
        let view = self.inspect().view(id).await?;
        view.ok_or_else(|| Failure::here(format!("{id:?} is not in the store")))
    }

    pub(super) async fn expect_state(&self, id: JobId, state: State) -> Result<Job> {
        let job = self.row(id).await?;
        check_eq!(job.head.state, state);
        check_eq!(
            job.head.ended_at.is_some(),
            !state.is_live(),
            "an ended job says when, and no other"
        );
        Ok(job)
    }

    /// A person's change, on the row as it stands.
    pub(super) async fn cancel(&self, id: JobId) -> Result<CommitAnswer> {
        let job = self.row(id).await?;
        let cancel = Commit::cancel(id, job.spec.run_id, job.head.revision);
        self.commit(&cancel).await
    }

    /// A person's change, on the row as it stands.
    pub(super) async fn requeue(&self, id: JobId, removed: &[&str]) -> Result<CommitAnswer> {
        let job = self.row(id).await?;
        let removed = removed.iter().map(|&name| name.to_owned()).collect();
        let requeue = Commit::requeue(id, job.spec.run_id, job.head.revision, removed);
        self.commit(&requeue).await
    }

    pub(super) async fn stats_of(&self, queue: &str) -> Result<QueueStats> {
        let all = self.driver.stats(Some(self.now())).await?;
        let found = all.into_iter().find(|stats| stats.queue == queue);
        Ok(found.unwrap_or_default())
    }

    pub(super) async fn write_setting(&self, key: &str, value: &[u8], expected: u64) -> Result {
        let write = SettingWrite {
            key: key.into(),
            value: Some(value.to_vec()),
            expected,
            jobs: Vec::new(),
        };
        let written = self.driver.write_setting(&write, Some(self.now())).await?;
        check!(written.is_some(), "the setting was not written");
        Ok(())
    }
}

/// The only item of a list.
#[track_caller]
fn only<T>(mut items: Vec<T>) -> Result<T> {
    let count = items.len();
    match (count, items.pop()) {
        (1, Some(item)) => Ok(item),
        _ => Err(Failure::here(format!("one was expected, and {count} came"))),
    }
}
