//! The one wrapper around every call to a store: spans, faults and crash points attach here, and
//! virtual time goes through.

use crate::Error;
use crate::clock::{Env, Sleeping};
use crate::codec::{Codec, Codecs};
use crate::contract::{
    Beat, BeatAnswer, Capabilities, Claim, Claims, Driver, EnqueueAnswer, Inspect, PruneBounds,
    Pruned, Published, QueueStats, Report, Setting, SettingWrite, WakeUps,
};
use crate::core::{Commit, CommitAnswer, NewEvent, NewJob, Payload};
use crate::testing::Workers;
use crate::torture::call_points;
use crate::torture::points::CallPoints;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A verb of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// Leases work.
    Claim,
    /// Changes jobs.
    Commit,
    /// Stores jobs.
    Enqueue,
    /// Extends leases.
    Heartbeat,
    /// Reads for people.
    Inspect,
    /// Removes what is no longer kept.
    Prune,
    /// Stores events.
    Publish,
    /// Reads and writes settings.
    Settings,
    /// Counts.
    Stats,
    /// Begins, ends or undoes the transaction of a `tx` step.
    Transact,
}

/// Stands between this crate and its store, for tests that make a store fail.
pub trait StoreHook: Send + Sync + 'static {
    /// How long a call is on its way before the store hears of it; `None` is no time at all.
    fn delay_before(&self, verb: Verb) -> Option<Sleeping> {
        let _ = verb;
        None
    }

    /// How long the answer of a call that went well is on its way; `None` is no time at all.
    fn delay_after(&self, verb: Verb) -> Option<Sleeping> {
        let _ = verb;
        None
    }

    /// The hints that come through, of all that the store gives.
    fn wake_ups(&self, all: WakeUps) -> WakeUps {
        all
    }

    /// Before a call: an error here and the store never hears of it.
    ///
    /// # Errors
    /// What the caller shall see instead of an answer.
    fn before(&self, verb: Verb) -> Result<(), Error> {
        let _ = verb;
        Ok(())
    }

    /// After a call that went well: an error here and its answer is lost.
    ///
    /// # Errors
    /// What the caller shall see instead of the answer.
    fn after(&self, verb: Verb) -> Result<(), Error> {
        let _ = verb;
        Ok(())
    }
}

/// A driver, its environment, and what attaches to each call.
#[derive(Clone)]
pub(crate) struct Store {
    driver: Arc<dyn Driver>,
    hook: Option<Arc<dyn StoreHook>>,
    in_flight: Arc<AtomicUsize>,
    pub(crate) transacting: Arc<Transacting>,
    /// Runs what is enqueued, in tests that ask for it.
    inline: Option<Arc<Workers>>,
    pub(crate) env: Env,
    pub(crate) codecs: Codecs,
}

impl Store {
    pub(crate) fn new(driver: Arc<dyn Driver>, env: Env) -> Self {
        Store {
            driver,
            hook: None,
            in_flight: Arc::default(),
            transacting: Arc::default(),
            inline: None,
            env,
            codecs: Codecs::default(),
        }
    }

    pub(crate) fn with_codec(self, codec: Arc<dyn Codec>) -> Self {
        Store {
            codecs: self.codecs.with(codec),
            ..self
        }
    }

    pub(crate) fn with_codecs(self, codecs: Codecs) -> Self {
        Store { codecs, ..self }
    }

    pub(crate) fn weak_driver(&self) -> std::sync::Weak<dyn Driver> {
        Arc::downgrade(&self.driver)
    }

    /// A row whose input is stored as the codec writes it.
    pub(crate) fn sealed(&self, mut job: NewJob) -> Result<NewJob, Error> {
        job.spec.input = self.payload(job.spec.input.bytes)?;
        Ok(job)
    }

    /// What is stored for a value, from its JSON.
    pub(crate) fn payload(&self, json: Vec<u8>) -> Result<Payload, Error> {
        self.codecs.encode(json, &self.env)
    }

    pub(crate) fn hooked(self, hook: Arc<dyn StoreHook>) -> Self {
        Store {
            hook: Some(hook),
            ..self
        }
    }

    pub(crate) fn inlined(self, inline: Arc<Workers>) -> Self {
        Store {
            inline: Some(inline),
            ..self
        }
    }

    /// Calls that were made and not answered: while there are any, virtual time stands still.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Acquire)
    }

    pub(crate) fn capabilities(&self) -> &Capabilities {
        self.driver.capabilities()
    }

    pub(crate) fn driver(&self) -> &dyn Driver {
        &*self.driver
    }

    pub(crate) fn inspect(&self) -> &dyn Inspect {
        self.driver.inspect()
    }

    pub(crate) fn wake_ups(&self) -> WakeUps {
        let all = self.driver.wake_ups();
        match &self.hook {
            Some(hook) => hook.wake_ups(all),
            None => all,
        }
    }

    pub(crate) async fn close(&self) {
        self.driver.close().await;
    }

    pub(crate) async fn enqueue(&self, jobs: &[NewJob]) -> Result<Vec<EnqueueAnswer>, Error> {
        let answers = self
            .call(
                (Verb::Enqueue, call_points!("store.enqueue")),
                self.driver.enqueue(jobs, self.env.clock.imposed()),
            )
            .await?;
        if let Some(inline) = &self.inline {
            let stored = answers.iter().flatten().map(|enqueued| enqueued.id);
            inline.run_inline(stored.collect()).await?;
        }
        Ok(answers)
    }

    pub(crate) async fn claim(&self, claim: &Claim) -> Result<Claims, Error> {
        self.call(
            (Verb::Claim, call_points!("store.claim")),
            self.driver.claim(claim),
        )
        .await
    }

    pub(crate) async fn commit(&self, commits: &[Commit]) -> Result<Vec<CommitAnswer>, Error> {
        self.call(
            (Verb::Commit, call_points!("store.commit")),
            self.driver.commit(commits, self.env.clock.imposed()),
        )
        .await
    }

    pub(crate) async fn heartbeat(&self, beats: &[Beat]) -> Result<Vec<BeatAnswer>, Error> {
        self.call(
            (Verb::Heartbeat, call_points!("store.heartbeat")),
            self.driver.heartbeat(beats, self.env.clock.imposed()),
        )
        .await
    }

    pub(crate) async fn publish(&self, events: &[NewEvent]) -> Result<Vec<Published>, Error> {
        self.call(
            (Verb::Publish, call_points!("store.publish")),
            self.driver.publish(events, self.env.clock.imposed()),
        )
        .await
    }

    pub(crate) async fn stats(&self) -> Result<Vec<QueueStats>, Error> {
        self.call(
            (Verb::Stats, call_points!("store.stats")),
            self.driver.stats(self.env.clock.imposed()),
        )
        .await
    }

    pub(crate) async fn settings(&self, prefix: &str) -> Result<Vec<Setting>, Error> {
        self.call(
            (Verb::Settings, call_points!("store.settings")),
            self.driver.settings(prefix),
        )
        .await
    }

    pub(crate) async fn write_setting(
        &self,
        write: &SettingWrite,
    ) -> Result<Option<Setting>, Error> {
        self.call(
            (Verb::Settings, call_points!("store.write_setting")),
            self.driver.write_setting(write, self.env.clock.imposed()),
        )
        .await
    }

    pub(crate) async fn prune(&self, bounds: &PruneBounds) -> Result<Pruned, Error> {
        self.call(
            (Verb::Prune, call_points!("store.prune")),
            self.driver.prune(bounds, self.env.clock.imposed()),
        )
        .await
    }

    pub(crate) async fn doctor(&self) -> Result<Report, Error> {
        self.call(
            (Verb::Inspect, call_points!("store.doctor")),
            self.driver.doctor(),
        )
        .await
    }

    /// One part of the transaction of a `tx` step.
    pub(crate) async fn transacting<T>(
        &self,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        self.call((Verb::Transact, call_points!("store.transacting")), work)
            .await
    }

    async fn call<T>(
        &self,
        (verb, points): (Verb, CallPoints),
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        points.before();
        if let Some(hook) = &self.hook {
            if let Some(delay) = hook.delay_before(verb) {
                delay.await;
            }
            hook.before(verb)?;
        }
        let call = Counted::begin(&self.in_flight);
        let answer = work.await;
        drop(call);
        points.after();
        match &answer {
            Ok(_) => tracing::trace!(?verb, "store call"),
            Err(error) => tracing::debug!(?verb, code = error.code(), %error, "store call failed"),
        }
        let answer = answer?;
        if let Some(hook) = &self.hook {
            if let Some(delay) = hook.delay_after(verb) {
                delay.await;
            }
            hook.after(verb)?;
        }
        Ok(answer)
    }
}

/// The `tx` steps of this process: other writes wait for them, so whoever moves virtual time must
/// know of them.
#[derive(Default)]
pub(crate) struct Transacting {
    /// From before their begin to after their end.
    pub(crate) under_way: Arc<AtomicUsize>,
    /// Those whose body runs.
    pub(crate) bodies: Arc<AtomicUsize>,
}

/// One thing under way, counted until it is dropped, wherever it is taken.
pub(crate) struct Count(Arc<AtomicUsize>);

impl Count {
    pub(crate) fn begin(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Count(Arc::clone(count))
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// One thing under way, counted until it is dropped.
pub(crate) struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    pub(crate) fn begin(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Counted(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
