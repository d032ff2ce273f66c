//! A store around another one that breaks off calls: before the store hears of them, or after it
//! has done them, so that only the answer is lost.

use crate::Error;
use crate::contract::{
    Beat, BeatAnswer, Capabilities, Claim, Claims, Driver, EnqueueAnswer, Inspect, PruneBounds,
    Pruned, Published, QueueStats, Report, Setting, SettingWrite, WakeUps,
};
use crate::core::{Commit, CommitAnswer, NewEvent, NewJob, Timestamp};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What can be broken off. Reads for people and the doctor change nothing, and are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verb {
    Claim,
    Commit,
    Enqueue,
    Heartbeat,
    Prune,
    Publish,
    ReadSettings,
    Stats,
    WriteSetting,
}

/// Where a call is broken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// The store does what it is asked for, and nobody hears of it.
    After,
    /// The store never hears of it.
    Before,
}

/// Which calls are broken off. What follows a call that was broken off goes through: it is the
/// same call, sent again.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fault {
    /// Every third call of this verb, beginning with the first: between two of them there is time to
    /// go on from a claim that was lost.
    Each(Verb, Cut),
    /// Only this call of this verb, counted from 1.
    Nth(Verb, usize, Cut),
}

/// The store.
pub(super) struct Faulty {
    inner: Arc<dyn Driver>,
    fault: Option<Fault>,
    calls: Mutex<Calls>,
}

#[derive(Default)]
struct Calls {
    made: BTreeMap<Verb, usize>,
    cut: usize,
}

impl Faulty {
    pub(super) fn new(inner: Arc<dyn Driver>, fault: Option<Fault>) -> Self {
        Faulty {
            inner,
            fault,
            calls: Mutex::default(),
        }
    }

    /// How many calls of this verb were made.
    pub(super) fn made(&self, verb: Verb) -> usize {
        self.lock().made.get(&verb).copied().unwrap_or(0)
    }

    /// How many calls were broken off.
    pub(super) fn cut(&self) -> usize {
        self.lock().cut
    }

    async fn call<T>(
        &self,
        verb: Verb,
        work: impl Future<Output = Result<T, Error>> + Send,
    ) -> Result<T, Error> {
        let driver = self.inner.capabilities().driver;
        let cut = self.next(verb);
        if cut == Some(Cut::Before) {
            return Err(Error::driver_unavailable(
                driver,
                "a test cut it off",
                "wait",
            ));
        }
        let answer = work.await?;
        match cut {
            Some(_) => Err(Error::outcome_unknown(driver, "a test lost the answer")),
            None => Ok(answer),
        }
    }

    /// Counts a call, and says whether it is broken off.
    fn next(&self, verb: Verb) -> Option<Cut> {
        let mut calls = self.lock();
        let made = calls.made.entry(verb).or_default();
        *made += 1;
        let made = *made;
        let cut = match self.fault? {
            Fault::Each(of, cut) if of == verb && made % 3 == 1 => cut,
            Fault::Nth(of, nth, cut) if of == verb && made == nth => cut,
            _ => return None,
        };
        calls.cut += 1;
        Some(cut)
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Driver for Faulty {
    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn migrate(&self) -> Result<(), Error> {
        self.inner.migrate().await
    }

    async fn enqueue(
        &self,
        jobs: &[NewJob],
        now: Option<Timestamp>,
    ) -> Result<Vec<EnqueueAnswer>, Error> {
        self.call(Verb::Enqueue, self.inner.enqueue(jobs, now))
            .await
    }

    async fn claim(&self, claim: &Claim) -> Result<Claims, Error> {
        self.call(Verb::Claim, self.inner.claim(claim)).await
    }

    async fn commit(
        &self,
        commits: &[Commit],
        now: Option<Timestamp>,
    ) -> Result<Vec<CommitAnswer>, Error> {
        self.call(Verb::Commit, self.inner.commit(commits, now))
            .await
    }

    async fn heartbeat(
        &self,
        beats: &[Beat],
        now: Option<Timestamp>,
    ) -> Result<Vec<BeatAnswer>, Error> {
        self.call(Verb::Heartbeat, self.inner.heartbeat(beats, now))
            .await
    }

    async fn publish(
        &self,
        events: &[NewEvent],
        now: Option<Timestamp>,
    ) -> Result<Vec<Published>, Error> {
        self.call(Verb::Publish, self.inner.publish(events, now))
            .await
    }

    async fn stats(&self, now: Option<Timestamp>) -> Result<Vec<QueueStats>, Error> {
        self.call(Verb::Stats, self.inner.stats(now)).await
    }

    async fn settings(&self, prefix: &str) -> Result<Vec<Setting>, Error> {
        self.call(Verb::ReadSettings, self.inner.settings(prefix))
            .await
    }

    async fn write_setting(
        &self,
        write: &SettingWrite,
        now: Option<Timestamp>,
    ) -> Result<Option<Setting>, Error> {
        self.call(Verb::WriteSetting, self.inner.write_setting(write, now))
            .await
    }

    async fn prune(&self, bounds: &PruneBounds, now: Option<Timestamp>) -> Result<Pruned, Error> {
        self.call(Verb::Prune, self.inner.prune(bounds, now)).await
    }

    async fn doctor(&self) -> Result<Report, Error> {
        self.inner.doctor().await
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
