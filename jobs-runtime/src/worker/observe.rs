//! What a worker tells of its runs while they happen: for a terminal, a log or a test.

use crate::core::{JobId, RunId, State, StoredError, Timestamp};
use crate::steps::JobInfo;
use std::sync::Arc;

/// The run that something happened to.
#[derive(Clone, Copy, Debug)]
pub struct RunRef<'a> {
    /// The job.
    pub job: JobId,
    /// The run.
    pub run: RunId,
    /// The job's durable name.
    pub name: &'a str,
    /// The job's idempotency key: the name by which people know it.
    pub key: Option<&'a str>,
    /// The attempt, from 1.
    pub attempt: u32,
}

/// Something that happened to a run on this worker.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum RunEvent<'a> {
    /// A lease began.
    Claimed {
        /// The steps that are recorded, in the order in which they are replayed.
        recorded: &'a [String],
    },
    /// It reached a final state, or goes back to wait for its next attempt.
    Ended {
        /// The state it is in now.
        state: State,
        /// The error of the attempt, if it failed.
        error: Option<&'a StoredError>,
        /// The steps that this lease served from the journal.
        replayed: &'a [String],
    },
    /// The lease was lost, or the job cancelled: whatever the body did after is not stored.
    LeaseLost,
    /// The body of a step starts.
    StepStarted {
        /// The step.
        step: &'a str,
    },
    /// The result of a step is durable: it never runs again.
    StepStored {
        /// The step.
        step: &'a str,
        /// It is a failure.
        failed: bool,
    },
    /// The run is parked.
    Suspended {
        /// When it goes on by itself; `None` waits for ever.
        wake_at: Option<Timestamp>,
        /// The steps that this lease served from the journal.
        replayed: &'a [String],
    },
}

type Callback = dyn Fn(RunRef<'_>, RunEvent<'_>) + Send + Sync;

/// Passes events on, if somebody listens.
#[derive(Clone, Default)]
pub(crate) struct Observer(Option<Arc<Callback>>);

impl Observer {
    pub(crate) fn new(callback: impl Fn(RunRef<'_>, RunEvent<'_>) + Send + Sync + 'static) -> Self {
        Observer(Some(Arc::new(callback)))
    }

    /// Calls `callback` after whoever listens already.
    pub(crate) fn and(
        self,
        callback: impl Fn(RunRef<'_>, RunEvent<'_>) + Send + Sync + 'static,
    ) -> Self {
        let Some(first) = self.0 else {
            return Observer::new(callback);
        };
        Observer::new(move |run, event| {
            first(run, event);
            callback(run, event);
        })
    }

    pub(crate) fn tell(&self, info: &JobInfo, event: RunEvent<'_>) {
        tracing::debug!(job = %info.id, name = info.name, attempt = info.attempt, ?event);
        if let Some(callback) = &self.0 {
            let run = RunRef {
                job: info.id,
                run: info.run_id,
                name: &info.name,
                key: info.key.as_deref(),
                attempt: info.attempt,
            };
            callback(run, event);
        }
    }

    pub(crate) fn step_started(&self, info: &JobInfo, step: &str) {
        self.tell(info, RunEvent::StepStarted { step });
    }
}
