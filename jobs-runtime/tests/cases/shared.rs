//! Drivers around a driver: one that shares it, one that gives no hints, one that answers late.

use crate::support::{Gate, Log};
use async_trait::async_trait;
use jobs_runtime::Error;
use jobs_runtime::Timestamp;
use jobs_runtime::contract::{
    Beat, BeatAnswer, Capabilities, Claim, Claims, Driver, EnqueueAnswer, Inspect, PruneBounds,
    Pruned, Published, QueueStats, Setting, SettingWrite, WakeUps,
};
use jobs_runtime::core::{Commit, CommitAnswer, NewEvent, NewJob};
use std::sync::Arc;
use tokio::sync::broadcast;

/// A driver around another one: its verbs, but for claims and hints as they are written here.
macro_rules! around {
    ($name:ident, |$claimer:ident, $claim:ident| $claims:expr, |$me:ident| $hints:expr) => {
        #[async_trait]
        impl Driver for $name {
            fn capabilities(&self) -> &Capabilities {
                self.0.capabilities()
            }
            async fn migrate(&self) -> Result<(), Error> {
                self.0.migrate().await
            }
            async fn enqueue(
                &self,
                jobs: &[NewJob],
                now: Option<Timestamp>,
            ) -> Result<Vec<EnqueueAnswer>, Error> {
                self.0.enqueue(jobs, now).await
            }
            async fn claim(&self, $claim: &Claim) -> Result<Claims, Error> {
                let $claimer = self;
                $claims
            }
            async fn commit(
                &self,
                commits: &[Commit],
                now: Option<Timestamp>,
            ) -> Result<Vec<CommitAnswer>, Error> {
                self.0.commit(commits, now).await
            }
            async fn heartbeat(
                &self,
                beats: &[Beat],
                now: Option<Timestamp>,
            ) -> Result<Vec<BeatAnswer>, Error> {
                self.0.heartbeat(beats, now).await
            }
            async fn publish(
                &self,
                events: &[NewEvent],
                now: Option<Timestamp>,
            ) -> Result<Vec<Published>, Error> {
                self.0.publish(events, now).await
            }
            async fn stats(&self, now: Option<Timestamp>) -> Result<Vec<QueueStats>, Error> {
                self.0.stats(now).await
            }
            async fn settings(&self, prefix: &str) -> Result<Vec<Setting>, Error> {
                self.0.settings(prefix).await
            }
            async fn write_setting(
                &self,
                write: &SettingWrite,
                now: Option<Timestamp>,
            ) -> Result<Option<Setting>, Error> {
                self.0.write_setting(write, now).await
            }
            async fn prune(
                &self,
                bounds: &PruneBounds,
                now: Option<Timestamp>,
            ) -> Result<Pruned, Error> {
                self.0.prune(bounds, now).await
            }
            fn inspect(&self) -> &dyn Inspect {
                self.0.inspect()
            }
            fn transactions(&self) -> Option<&dyn std::any::Any> {
                self.0.transactions()
            }
            async fn close(&self) {
                self.0.close().await;
            }
            fn wake_ups(&self) -> WakeUps {
                let $me = self;
                $hints
            }
        }
    };
}

/// A driver that several clients of one test use.
pub(crate) struct Shared(pub(crate) Arc<dyn Driver>);
around!(Shared, |me, claim| me.0.claim(claim).await, |me| me
    .0
    .wake_ups());

/// A driver whose notifier has died: whoever listens hears that nobody speaks any more.
pub(crate) struct Deaf(pub(crate) Arc<dyn Driver>);
around!(Deaf, |me, claim| me.0.claim(claim).await, |_me| {
    broadcast::channel(1).1
});

/// A driver whose claims are stored at once, and answered when the gate lets them pass. Each is
/// logged as `claim stored`.
pub(crate) struct Slow(pub(crate) Arc<dyn Driver>, pub(crate) Log, pub(crate) Gate);
around!(
    Slow,
    |me, claim| {
        let claims = me.0.claim(claim).await;
        me.1.add("claim stored");
        me.2.pass().await;
        claims
    },
    |me| me.0.wake_ups()
);
