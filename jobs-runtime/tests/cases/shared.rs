//! Drivers around a driver: one that shares it, and one that gives no hints.

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

/// A driver around another one: its verbs, and hints as the last argument makes them.
macro_rules! around {
    ($name:ident, |$inner:ident| $hints:expr) => {
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
            async fn claim(&self, claim: &Claim) -> Result<Claims, Error> {
                self.0.claim(claim).await
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
                let $inner = &self.0;
                $hints
            }
        }
    };
}

/// A driver that several clients of one test use.
pub(crate) struct Shared(pub(crate) Arc<dyn Driver>);
around!(Shared, |inner| inner.wake_ups());

/// A driver whose notifier has died: whoever listens hears that nobody speaks any more.
pub(crate) struct Deaf(pub(crate) Arc<dyn Driver>);
around!(Deaf, |_inner| broadcast::channel(1).1);
