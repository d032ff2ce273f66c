//! How a body ends its lease by itself, writes about itself, and learns that its lease is over.

use super::{JobContext, RunCell};
use crate::Error;
use crate::core::{Leave, Millis, NewJob, RunId};
use crate::definition::Job;
use crate::request::Request;
use std::convert::Infallible;
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

impl JobContext {
    /// Says how far the job is, for people: `jobs.admin().show(id)` has it, and the last word
    /// counts. It is stored together with the next step, or by itself about once a second. The
    /// message is cut at [`crate::core::PROGRESS_MESSAGE_LIMIT_BYTES`].
    pub fn progress(&self, done: u64, total: u64, message: &str) {
        self.cell
            .with(|run| run.note_progress(done, total, message));
    }

    /// Adds a line to the job's own log, for people: `jobs.admin().show(id)` has the last
    /// [`crate::core::LOG_LIMIT_LINES`], each cut at [`crate::core::LOG_LINE_LIMIT_BYTES`]. It is
    /// stored together with the next step, or by itself about once a second, and as it is: no
    /// codec seals it.
    ///
    /// Lines of what is only replayed are not written again. A line after the last recorded step
    /// is written by each attempt that comes there.
    pub fn log(&self, text: &str) {
        let now = self.cell.now();
        self.cell.with(|run| run.note_line(text, now));
    }

    /// Ends this lease and has the job taken again after so long, from its first line. This costs
    /// no attempt, and nothing after it runs: the future never ends, so that no `?` and no
    /// `match` can go on by mistake. What was recorded stays recorded.
    ///
    /// So what decides about it must be looked at anew: do both in one step, which is not recorded
    /// then, or snooze before the first step.
    ///
    /// ```
    /// use jobs_runtime::prelude::*;
    /// # async fn is_open(_market: u64) -> Result<bool> { Ok(true) }
    ///
    /// #[job(idempotency = "snooze-example:{input}")]
    /// async fn snooze_example(input: u64, job: JobContext) -> Result<()> {
    ///     step!("wait-until-open", {
    ///         if !is_open(input).await? {
    ///             job.snooze(std::time::Duration::from_secs(600)).await;
    ///         }
    ///         Ok(())
    ///     })
    ///     .await?;
    ///     Ok(())
    /// }
    /// ```
    pub fn snooze(&self, span: Duration) -> Leaving {
        Leaving {
            cell: Arc::clone(&self.cell),
            how: Some(Leave::Snooze(Millis::from(span))),
        }
    }

    /// Ends this run as done, and enqueues `next` under the same key, in one write: for a job
    /// without an end, whose journal would grow for ever. The next run begins with an empty one.
    /// It keeps the queue, tenant, priority and labels of this job unless the request says
    /// otherwise, and whoever waits for this job waits for the next.
    ///
    /// Events that no step of this run has taken come to the next one, if it is of the same tenant:
    /// its waits take what was published since the first run of the chain was enqueued, and nothing
    /// that a run before it has taken.
    ///
    /// If it works, nothing after it runs: the future never ends.
    ///
    /// ```
    /// use jobs_runtime::prelude::*;
    ///
    /// #[derive(Serialize, Deserialize)]
    /// struct Feed { id: u64, page: u64 }
    /// # async fn fetch(_feed: &Feed) -> Result<u64> { Ok(1) }
    ///
    /// #[job(idempotency = "continue-example:{input.id}")]
    /// async fn continue_example(input: Feed, job: JobContext) -> Result<()> {
    ///     let page = step!("fetch", fetch(&input)).await?;
    ///     step!("rest", sleep = "1h").await;
    ///     match job.continue_as(continue_example(Feed { page, ..input })).await? {}
    /// }
    /// ```
    ///
    /// # Errors
    /// If the request is another job's, this run is a child whose parent waits for its output, or
    /// the input cannot be stored.
    pub async fn continue_as<J: Job, O: 'static>(
        &self,
        next: Request<J, O>,
    ) -> Result<Infallible, Error> {
        let next = self.next_run(next)?;
        self.cell
            .with(|run| run.leave(Leave::Continue(Box::new(next))));
        pending().await
    }

    fn next_run<J: Job, O: 'static>(&self, next: Request<J, O>) -> Result<NewJob, Error> {
        let spec = &self.cell.info.spec;
        if J::def().scope() != spec.scope {
            return Err(Error::not_implemented(
                format_args!(
                    "job \"{}\" cannot go on as \"{}\": that is another job, with other keys",
                    spec.name,
                    J::def().name
                ),
                "enqueue the other job in a step, and return",
            ));
        }
        if spec.parent.is_some() {
            return Err(Error::not_implemented(
                format_args!(
                    "job \"{}\" cannot go on as another run: it is a child, and its parent waits for its output",
                    spec.name
                ),
                "make it a detached child, or return",
            ));
        }
        let own = next.given();
        let mut next = next.into_row(&self.cell.env, self.cell.now())?;
        next.spec.input = self.cell.seal(next.spec.input.bytes)?;
        // It goes on at once: a window is for enqueues that come from outside.
        next.window = None;
        let (size, limit) = (next.spec.input.bytes.len(), self.cell.info.payload_limit);
        if size > limit {
            let what = format!("the input of job \"{}\"", spec.name);
            return Err(Error::payload_too_large(what, size, limit));
        }
        Ok(kept(next, own, spec, self.run_id()))
    }

    /// Ends when this lease of the job is over: the job was cancelled, the lease was lost, the
    /// worker shuts down, time ran out, or the body has returned. The body itself is dropped then
    /// and needs no telling; this is for what it has set going beside itself, such as a spawned
    /// task or a blocking call.
    ///
    /// ```
    /// use jobs_runtime::JobContext;
    ///
    /// fn watch(job: &JobContext) {
    ///     let over = job.cancelled();
    ///     tokio::spawn(async move {
    ///         over.await;
    ///         println!("putting the camera away");
    ///     });
    /// }
    /// ```
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        let mut over = self.cell.over();
        async move {
            // An error says that the lease is gone together with everything else of it.
            drop(over.wait_for(|over| *over).await);
        }
    }

    /// Whether this lease of the job is over; see [`JobContext::cancelled`].
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.cell.over().borrow()
    }
}

/// What a request said for itself, and is not taken from the run before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    pub(crate) queue: bool,
    pub(crate) priority: bool,
    pub(crate) tenant: bool,
    pub(crate) labels: bool,
}

/// The next run, with what it keeps of the one before.
fn kept(mut next: NewJob, own: Given, before: &crate::core::JobSpec, run: RunId) -> NewJob {
    let spec = &mut next.spec;
    spec.key.clone_from(&before.key);
    spec.continued_from = Some(run);
    spec.trace_context.clone_from(&before.trace_context);
    if !own.queue {
        spec.queue.clone_from(&before.queue);
    }
    if !own.priority {
        spec.priority = before.priority;
    }
    if !own.tenant {
        spec.tenant.clone_from(&before.tenant);
    }
    if !own.labels {
        spec.labels.clone_from(&before.labels);
    }
    next
}

/// A future that ends the lease when it is polled, and never ends itself.
#[must_use = "the body goes on until this is awaited: add `.await`"]
pub struct Leaving {
    cell: Arc<RunCell>,
    how: Option<Leave>,
}

impl Future for Leaving {
    type Output = Infallible;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Infallible> {
        if let Some(how) = self.how.take() {
            self.cell.with(|run| run.leave(how));
        }
        Poll::Pending
    }
}
