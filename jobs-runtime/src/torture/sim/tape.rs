//! The calls of a run as they were made, to be made again on another store: what one answers, the
//! other must.

use crate::Error;
use crate::clock::{Clock, VirtualClock};
use crate::contract::{
    Beat, BeatAnswer, Capabilities, Claim, Claims, Driver, EnqueueAnswer, Inspect, PruneBounds,
    Pruned, Published, QueueStats, Setting, SettingWrite, WakeUps,
};
use crate::core::{Commit, CommitAnswer, NewEvent, NewJob, Timestamp};
use async_trait::async_trait;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

/// One call, when it was made, and what was answered.
#[derive(Clone, Debug)]
pub struct Taped {
    now: Timestamp,
    call: Call,
    answer: String,
}

#[derive(Clone, Debug)]
enum Call {
    Claim(Claim),
    Commit(Vec<Commit>),
    Enqueue(Vec<NewJob>),
    Heartbeat(Vec<Beat>),
    Prune(PruneBounds),
    Publish(Vec<NewEvent>),
    Write(SettingWrite),
}

impl Taped {
    /// Makes the call again on another store.
    ///
    /// # Errors
    /// A sentence that shows the call and both answers, if they differ.
    pub async fn replay(&self, driver: &dyn Driver) -> Result<(), String> {
        let now = Some(self.now);
        let answer = match &self.call {
            Call::Claim(claim) => text(&driver.claim(claim).await),
            Call::Commit(commits) => text(&driver.commit(commits, now).await),
            Call::Enqueue(jobs) => text(&driver.enqueue(jobs, now).await),
            Call::Heartbeat(beats) => text(&driver.heartbeat(beats, now).await),
            Call::Prune(bounds) => text(&driver.prune(bounds, now).await),
            Call::Publish(events) => text(&driver.publish(events, now).await),
            Call::Write(write) => text(&driver.write_setting(write, now).await),
        };
        if answer == self.answer {
            return Ok(());
        }
        Err(format!(
            "{:?} at {} was answered with\n  {}\nand is answered with\n  {answer}",
            self.call, self.now, self.answer
        ))
    }
}

/// An answer as it is compared; of an error, its code.
fn text<T: Debug>(answer: &Result<T, Error>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => error.code().into(),
    }
}

/// A driver that keeps a tape of what another one is asked.
pub(super) struct Tape {
    inner: Arc<dyn Driver>,
    time: VirtualClock,
    calls: Arc<Mutex<Vec<Taped>>>,
}

impl Tape {
    pub(super) fn new(
        inner: Arc<dyn Driver>,
        time: VirtualClock,
        calls: Arc<Mutex<Vec<Taped>>>,
    ) -> Self {
        Tape { inner, time, calls }
    }

    fn keep<T: Debug>(&self, now: Timestamp, call: Call, answer: &Result<T, Error>) {
        let answer = text(answer);
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push(Taped { now, call, answer });
    }
}

#[async_trait]
impl Driver for Tape {
    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn migrate(&self) -> Result<(), Error> {
        self.inner.migrate().await
    }

    async fn enqueue(
        &self,
        jobs: &[NewJob],
        _: Option<Timestamp>,
    ) -> Result<Vec<EnqueueAnswer>, Error> {
        let now = self.time.now();
        let answer = self.inner.enqueue(jobs, Some(now)).await;
        self.keep(now, Call::Enqueue(jobs.to_vec()), &answer);
        answer
    }

    async fn claim(&self, claim: &Claim) -> Result<Claims, Error> {
        let now = self.time.now();
        let claim = Claim {
            now: Some(now),
            ..claim.clone()
        };
        let answer = self.inner.claim(&claim).await;
        self.keep(now, Call::Claim(claim), &answer);
        answer
    }

    async fn commit(
        &self,
        commits: &[Commit],
        _: Option<Timestamp>,
    ) -> Result<Vec<CommitAnswer>, Error> {
        let now = self.time.now();
        let answer = self.inner.commit(commits, Some(now)).await;
        self.keep(now, Call::Commit(commits.to_vec()), &answer);
        answer
    }

    async fn heartbeat(
        &self,
        beats: &[Beat],
        _: Option<Timestamp>,
    ) -> Result<Vec<BeatAnswer>, Error> {
        let now = self.time.now();
        let answer = self.inner.heartbeat(beats, Some(now)).await;
        self.keep(now, Call::Heartbeat(beats.to_vec()), &answer);
        answer
    }

    async fn publish(
        &self,
        events: &[NewEvent],
        _: Option<Timestamp>,
    ) -> Result<Vec<Published>, Error> {
        let now = self.time.now();
        let answer = self.inner.publish(events, Some(now)).await;
        self.keep(now, Call::Publish(events.to_vec()), &answer);
        answer
    }

    async fn stats(&self, now: Option<Timestamp>) -> Result<Vec<QueueStats>, Error> {
        self.inner.stats(now).await
    }

    async fn settings(&self, prefix: &str) -> Result<Vec<Setting>, Error> {
        self.inner.settings(prefix).await
    }

    async fn write_setting(
        &self,
        write: &SettingWrite,
        _: Option<Timestamp>,
    ) -> Result<Option<Setting>, Error> {
        let now = self.time.now();
        let answer = self.inner.write_setting(write, Some(now)).await;
        self.keep(now, Call::Write(write.clone()), &answer);
        answer
    }

    async fn prune(&self, bounds: &PruneBounds, _: Option<Timestamp>) -> Result<Pruned, Error> {
        let now = self.time.now();
        let answer = self.inner.prune(bounds, Some(now)).await;
        self.keep(now, Call::Prune(bounds.clone()), &answer);
        answer
    }

    fn wake_ups(&self) -> WakeUps {
        self.inner.wake_ups()
    }

    fn inspect(&self) -> &dyn Inspect {
        self.inner.inspect()
    }

    async fn close(&self) {
        self.inner.close().await;
    }
}
