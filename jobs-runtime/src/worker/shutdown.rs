//! The signals that stop a worker, and the thread that keeps its leases to the very end.

use super::leases::{self, Leases};
use crate::Error;
use crate::store::Store;
use std::future::Future;
use std::sync::Arc;
use tokio::sync::{oneshot, watch};

/// Counts the signals that tell a process to stop.
pub(super) struct Signals {
    count: watch::Receiver<u32>,
}

impl Signals {
    pub(super) fn new() -> Result<Self, Error> {
        let (sender, count) = watch::channel(0);
        let mut source = Source::new().map_err(|error| {
            Error::not_implemented(
                format_args!("the signals of this process cannot be listened to: {error}"),
                "use `run_until` with a shutdown of your own",
            )
        })?;
        tokio::spawn(async move {
            while !sender.is_closed() {
                source.next().await;
                sender.send_modify(|count| *count += 1);
            }
        });
        Ok(Signals { count })
    }

    /// Ends at the first signal; ends at the second.
    pub(super) fn split(
        &mut self,
    ) -> (
        impl Future<Output = ()> + use<>,
        impl Future<Output = ()> + use<>,
    ) {
        let at_least = |n: u32| {
            let mut count = self.count.clone();
            async move {
                if count.wait_for(|seen| *seen >= n).await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        (at_least(1), at_least(2))
    }
}

#[cfg(unix)]
struct Source {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Source {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Source {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Source;

#[cfg(not(unix))]
impl Source {
    #[allow(clippy::unnecessary_wraps, reason = "the other systems can fail")]
    fn new() -> std::io::Result<Self> {
        Ok(Source)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// The heartbeat thread.
pub(super) struct Keeper {
    ended: oneshot::Receiver<()>,
}

impl Keeper {
    /// Waits until it has stopped.
    pub(super) async fn join(self) {
        // An error says that it is gone, which is what was waited for.
        drop(self.ended.await);
    }
}

/// Where the heartbeat runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a task of the worker's own runtime.
    Task,
    /// On a thread and a runtime of its own.
    Thread,
}

impl Place {
    /// Starts the heartbeat.
    pub(super) fn keep(self, leases: Arc<Leases>, store: Store) -> Result<Keeper, Error> {
        match self {
            Place::Task => Ok(spawn_keeper_task(leases, store)),
            Place::Thread => spawn_keeper(leases, store),
        }
    }
}

fn spawn_keeper_task(leases: Arc<Leases>, store: Store) -> Keeper {
    let (end, ended) = oneshot::channel();
    tokio::spawn(async move {
        leases::keep(leases, store).await;
        // Nobody listens any more if the worker was dropped.
        let _ = end.send(());
    });
    Keeper { ended }
}

fn spawn_keeper(leases: Arc<Leases>, store: Store) -> Result<Keeper, Error> {
    let cannot = |error: std::io::Error| {
        Error::not_implemented(
            format_args!("the heartbeat thread cannot be started: {error}"),
            "raise the limit of threads of this process",
        )
    };
    let (end, ended) = oneshot::channel();
    let runtime = tokio::runtime::Builder::new_current_thread()
        // Sockets too: the connection for heartbeats is made on this thread.
        .enable_all()
        .build()
        .map_err(cannot)?;
    std::thread::Builder::new()
        .name("jobs-heartbeat".into())
        .spawn(move || {
            runtime.block_on(leases::keep(leases, store));
            // Nobody listens any more if the worker was dropped.
            let _ = end.send(());
        })
        .map_err(cannot)?;
    Ok(Keeper { ended })
}
