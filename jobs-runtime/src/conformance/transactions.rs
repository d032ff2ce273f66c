//! How a case begins a transaction, whatever its type is.

use crate::Error;
use crate::contract::{Driver, EnqueueAnswer, Published, StepTransaction};
use crate::core::{Commit, CommitAnswer, Millis, NewEvent, NewJob, Timestamp};
use async_trait::async_trait;
use std::fmt;
use std::pin::Pin;

type Begun<'d> = Pin<Box<dyn Future<Output = Result<Box<dyn Open>, Error>> + Send + 'd>>;

/// The transactions of a driver: the type that its `tx` steps are given.
#[derive(Clone, Copy)]
pub struct Transactions {
    begin: for<'d> fn(&'d dyn Driver) -> Begun<'d>,
}

impl fmt::Debug for Transactions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transactions").finish_non_exhaustive()
    }
}

impl Transactions {
    /// Those of this type.
    #[must_use]
    pub fn of<T: StepTransaction>() -> Self {
        Transactions {
            begin: |driver| Box::pin(async { Ok(Box::new(T::begin(driver).await?) as _) }),
        }
    }

    pub(super) async fn begin(self, driver: &dyn Driver) -> Result<Box<dyn Open>, Error> {
        (self.begin)(driver).await
    }
}

/// A [`StepTransaction`] of any type.
#[async_trait]
pub(super) trait Open: Send {
    async fn enqueue(
        &mut self,
        jobs: &[NewJob],
        now: Timestamp,
    ) -> Result<Vec<EnqueueAnswer>, Error>;

    async fn publish(
        &mut self,
        events: &[NewEvent],
        now: Timestamp,
    ) -> Result<Vec<Published>, Error>;

    async fn commit(&mut self, commit: &Commit, now: Timestamp) -> Result<CommitAnswer, Error>;

    async fn shortest_lease(&mut self, now: Timestamp) -> Result<Option<Millis>, Error>;

    async fn belongs_to(&mut self, driver: &dyn Driver) -> Result<(), Error>;

    async fn end(self: Box<Self>) -> Result<(), Error>;

    async fn undo(self: Box<Self>);
}

#[async_trait]
impl<T: StepTransaction> Open for T {
    async fn enqueue(
        &mut self,
        jobs: &[NewJob],
        now: Timestamp,
    ) -> Result<Vec<EnqueueAnswer>, Error> {
        self.enqueue_here(jobs, Some(now)).await
    }

    async fn publish(
        &mut self,
        events: &[NewEvent],
        now: Timestamp,
    ) -> Result<Vec<Published>, Error> {
        self.publish_here(events, Some(now)).await
    }

    async fn commit(&mut self, commit: &Commit, now: Timestamp) -> Result<CommitAnswer, Error> {
        self.commit_here(commit, Some(now)).await
    }

    async fn shortest_lease(&mut self, now: Timestamp) -> Result<Option<Millis>, Error> {
        StepTransaction::shortest_lease(self, Some(now)).await
    }

    async fn belongs_to(&mut self, driver: &dyn Driver) -> Result<(), Error> {
        crate::contract::Transactional::belongs_to(self, driver).await
    }

    async fn end(self: Box<Self>) -> Result<(), Error> {
        StepTransaction::end(*self).await
    }

    async fn undo(self: Box<Self>) {
        StepTransaction::undo(*self).await;
    }
}
