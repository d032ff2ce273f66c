//! The transaction of the steps, which tells the history what becomes of the commit in it: that one
//! goes past the driver, and so past the recorder.

use async_trait::async_trait;
use jobs_runtime::Error;
use jobs_runtime::SqliteTx;
use jobs_runtime::contract::{Driver, EnqueueAnswer, Published, StepTransaction, Transactional};
use jobs_runtime::core::{Commit, CommitAnswer, Millis, NewEvent, NewJob, Timestamp};
use jobs_runtime::torture::recorder::{Committing, Recorder};
use sqlx::SqliteConnection;
use std::sync::OnceLock;

static RECORDER: OnceLock<Recorder> = OnceLock::new();

/// Says which recorder is told. The first one counts.
pub(crate) fn record_with(recorder: Recorder) {
    // A second one would be a mistake of the harness, and would show as one in its history.
    drop(RECORDER.set(recorder));
}

pub(crate) struct PaidTx {
    inner: SqliteTx,
    /// A commit that holds once the transaction ends.
    written: Option<(Committing, CommitAnswer)>,
}

impl PaidTx {
    pub(super) fn connection(&mut self) -> &mut SqliteConnection {
        &mut self.inner
    }
}

#[async_trait]
impl StepTransaction for PaidTx {
    async fn begin(driver: &dyn Driver) -> Result<Self, Error> {
        let inner = SqliteTx::begin(driver).await?;
        let written = None;
        Ok(PaidTx { inner, written })
    }

    async fn shortest_lease(&mut self, now: Option<Timestamp>) -> Result<Option<Millis>, Error> {
        self.inner.shortest_lease(now).await
    }

    async fn end(self) -> Result<(), Error> {
        let ended = self.inner.end().await;
        if let (Some((ops, answer)), Some(recorder)) = (self.written, RECORDER.get()) {
            match &ended {
                Ok(()) => recorder.committed(&ops, &answer),
                Err(error) => recorder.failed(ops.all(), error),
            }
        }
        ended
    }

    async fn undo(self) {
        self.inner.undo().await;
        if let (Some((ops, _)), Some(recorder)) = (self.written, RECORDER.get()) {
            recorder.undone(&ops);
        }
    }
}

#[async_trait]
impl Transactional for PaidTx {
    async fn store_time(&mut self) -> Result<Timestamp, Error> {
        self.inner.store_time().await
    }

    async fn belongs_to(&mut self, driver: &dyn Driver) -> Result<(), Error> {
        self.inner.belongs_to(driver).await
    }

    async fn enqueue_here(
        &mut self,
        jobs: &[NewJob],
        now: Option<Timestamp>,
    ) -> Result<Vec<EnqueueAnswer>, Error> {
        self.inner.enqueue_here(jobs, now).await
    }

    async fn publish_here(
        &mut self,
        events: &[NewEvent],
        now: Option<Timestamp>,
    ) -> Result<Vec<Published>, Error> {
        self.inner.publish_here(events, now).await
    }

    async fn commit_here(
        &mut self,
        commit: &Commit,
        now: Option<Timestamp>,
    ) -> Result<CommitAnswer, Error> {
        let recorder = RECORDER.get();
        let ops = recorder.map(|recorder| recorder.committing(commit));
        let answer = self.inner.commit_here(commit, now).await;
        if let (Some(ops), Some(recorder)) = (ops, recorder) {
            match &answer {
                Ok(applied @ CommitAnswer::Applied(_)) => {
                    self.written = Some((ops, applied.clone()));
                }
                Ok(refused) => recorder.committed(&ops, refused),
                Err(error) => recorder.failed(ops.all(), error),
            }
        }
        answer
    }
}
