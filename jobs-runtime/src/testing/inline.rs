//! The inline mode: a job runs in the task that enqueues it.
//!
//! It hangs on the wrapper around the store, so that every way to enqueue is the same.

use super::Workers;
use super::outcome::{self, Stuck};
use crate::Error;
use crate::clock::Clock;
use crate::core::JobId;
use crate::worker::Drain;
use std::future::Future;
use std::pin::Pin;

type Running<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>>;

impl Workers {
    /// Runs these jobs, one after another, until each has ended, failed an attempt, or waits for
    /// something that no passing of time brings. Boxed: a body may enqueue a job that runs inline.
    pub(crate) fn run_inline(&self, jobs: Vec<JobId>) -> Running<'_> {
        Box::pin(async move {
            let drain = self.inline()?;
            for job in jobs {
                self.run_one(&drain, job).await?;
            }
            drain.take_drained();
            Ok(())
        })
    }

    async fn run_one(&self, drain: &Drain, id: JobId) -> Result<(), Error> {
        loop {
            drain.drain().await?;
            let Some(view) = self.store().admin().show(id).await? else {
                return Ok(());
            };
            match outcome::stuck(&view, self.clock.now()) {
                Stuck::Ended { failed: false } | Stuck::Waits => return Ok(()),
                Stuck::Ended { failed: true } | Stuck::TriedAgain => {
                    let error = view.job.notes.error.clone().unwrap_or_default();
                    return Err(Error::job_failed(id, &view.job.spec.name, &error));
                }
                Stuck::Sleeps(until) => drain.pass_time(until).await,
                // It is being run: a job that enqueues itself meets itself.
                Stuck::Runs => return Ok(()),
                Stuck::NotServed => {
                    let why = outcome::why(&view, self.clock.now());
                    return Err(Error::job_not_ended(id, &view.job.spec.name, &why));
                }
            }
        }
    }
}
