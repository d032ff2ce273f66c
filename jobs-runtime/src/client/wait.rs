//! Waiting for the end of a job.

use super::{Jobs, following, latest};
use crate::Error;
use crate::contract::{WakeUp, WakeUps};
use crate::core::{Job as Row, Payload, State};
use crate::definition::Job;
use crate::durable::Durable;
use crate::request::Handle;
use std::time::Duration;

/// How often a waiter looks when nothing hints that its job has ended.
const WAIT_POLL: Duration = Duration::from_millis(500);

impl Jobs {
    /// Waits until a job has ended, and gives what its body returned. Works for jobs that ended
    /// before the call as well, until retention removes them. Of a job that goes on as another
    /// run, this is what the last one returns.
    ///
    /// Under virtual time it waits for ever unless somebody else runs the job and moves the clock:
    /// a test that does so itself asks [`Bench::outcome`](crate::testing::Bench::outcome), which
    /// never waits.
    ///
    /// # Errors
    /// `X_JOB_FAILED`, `X_JOB_MAX_ATTEMPTS` or `X_JOB_CANCELLED` if it did not end well;
    /// `X_JOB_UNKNOWN` if it is not there.
    pub async fn wait<J: Job>(&self, handle: &Handle<J>) -> Result<J::Output, Error> {
        let unknown = || Error::job_unknown(handle.id());
        let job = self.store.inspect().job(handle.id()).await?;
        let mut job = self.wait_for_end(job.ok_or_else(unknown)?).await?;
        while job.notes.continued_to.is_some() {
            let next = following(&self.store, &job).await?;
            job = self.wait_for_end(next.ok_or_else(unknown)?).await?;
        }
        let name = job.spec.name.as_str();
        let error = job.notes.error.clone().unwrap_or_default();
        match job.head.state {
            State::Done => {
                let output = job.notes.output.unwrap_or_else(|| Payload::json(*b"null"));
                J::Output::decode(&self.store.codecs.decode(&output)?)
            }
            State::Cancelled => Err(Error::cancelled(job.spec.id, name)),
            State::Dead => Err(Error::max_attempts(
                job.spec.id,
                name,
                job.head.attempt,
                &error,
            )),
            _ => Err(Error::job_failed(job.spec.id, name, &error)),
        }
    }

    /// Waits for the end of a job as it was last seen.
    async fn wait_for_end(&self, mut job: Row) -> Result<Row, Error> {
        let mut hints = self.store.wake_ups();
        while job.head.state.is_live() {
            // Hints that come while we look are kept by the receiver.
            let now = self.store.inspect().job(job.spec.id).await?;
            job = match now {
                Some(now) => now,
                // It has ended and retention has removed it. What it went on as is still there.
                None => latest(&self.store, &job)
                    .await?
                    .ok_or_else(|| Error::job_unknown(job.spec.id))?,
            };
            if !job.head.state.is_live() {
                break;
            }
            tokio::select! {
                biased;
                () = ended_hint(&mut hints) => {}
                () = self.store.env.clock.sleep(WAIT_POLL) => {}
            }
        }
        Ok(job)
    }
}

async fn ended_hint(hints: &mut WakeUps) {
    use tokio::sync::broadcast::error::RecvError;
    loop {
        match hints.recv().await {
            Ok(WakeUp::Ended) | Err(RecvError::Lagged(_)) => return,
            Ok(_) => {}
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}
