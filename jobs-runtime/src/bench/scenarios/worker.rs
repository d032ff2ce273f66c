//! A worker that works until so many runs have ended, parked or begun.

use crate::bench::broken;
use crate::client::Jobs;
use crate::worker::{RunEvent, Worker};
use crate::{Error, Failure};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Ended,
    Suspended,
    StepStarted,
}

impl Sign {
    fn is(self, event: &RunEvent<'_>) -> bool {
        match event {
            RunEvent::Ended { .. } => self == Sign::Ended,
            RunEvent::Suspended { .. } => self == Sign::Suspended,
            RunEvent::StepStarted { .. } => self == Sign::StepStarted,
            _ => false,
        }
    }
}

/// A worker that runs beside the one who measures.
pub(super) struct Working {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), Failure>>,
    reached: oneshot::Receiver<Instant>,
}

/// Starts a worker, which tells when it has seen the sign so many times. Others make the ticks.
pub(super) fn start(worker: Worker, sign: Sign, times: usize) -> Working {
    let (tell, reached) = oneshot::channel();
    let tell = std::sync::Mutex::new(Some(tell));
    let seen = Arc::new(AtomicUsize::new(0));
    let worker = worker.without_schedules().observe(move |_, event| {
        if sign.is(&event) && seen.fetch_add(1, Ordering::SeqCst) + 1 == times {
            let tell = tell.lock().ok().and_then(|mut it| it.take());
            // Who measures may have given up.
            let _ = tell.map(|tell| tell.send(Instant::now()));
        }
    });
    let (stop, stopped) = oneshot::channel();
    let until = async move {
        // Let go of or told: both say stop.
        drop(stopped.await);
    };
    Working {
        stop,
        task: tokio::spawn(worker.run_until(until)),
        reached,
    }
}

impl Working {
    /// When it had seen the sign so many times.
    pub(super) async fn reached(&mut self) -> Result<Instant, Error> {
        tokio::select! {
            reached = &mut self.reached => reached.map_err(|_| ended_early("it was let go")),
            ended = &mut self.task => Err(match ended {
                Ok(Ok(())) => ended_early("nobody told it to"),
                Ok(Err(failure)) => ended_early(failure),
                Err(error) => ended_early(error),
            }),
        }
    }

    pub(super) async fn stop(self) -> Result<(), Error> {
        drop(self.stop);
        let ended = self.task.await.map_err(ended_early)?;
        ended.map_err(ended_early)
    }
}

fn ended_early(why: impl std::fmt::Display) -> Error {
    broken(
        format_args!("the worker of the measurement has stopped: {why}"),
        "look at the store with `jobs doctor`, and run it again",
    )
}

/// Works until so many runs have ended; tells how long it took.
pub(super) async fn until_ended(worker: Worker, runs: usize) -> Result<std::time::Duration, Error> {
    let begun = Instant::now();
    let mut working = start(worker, Sign::Ended, runs);
    let ended = working.reached().await?;
    working.stop().await?;
    Ok(ended - begun)
}

/// Starts a worker and stops it: what is counted of it would be counted of any other one too.
pub(super) async fn idle(jobs: &Jobs) -> Result<(), Error> {
    start(jobs.worker(), Sign::Ended, 1).stop().await
}
