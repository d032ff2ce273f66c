//! A child job: enqueued with the run's next commit, waited for without a worker, and its end given
//! back as the result of the step.

use super::{JobCx, StepError, StepName};
use crate::Error;
use crate::clock::Env;
use crate::core::{Ask, Asked, NewJob, StepOutcome, StoredError, Timestamp};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// What makes the request for a child, with its types erased. It is called only if the journal has
/// no child yet.
pub type ErasedRequest<'a> = Box<dyn FnOnce(&Env, Timestamp) -> Result<NewJob, Error> + Send + 'a>;

/// The future of a child job: its output is the child's, or for a detached child its handle.
#[must_use = "a child job is not enqueued until its step is awaited: add `.await`"]
pub struct ChildFuture<'a, T> {
    cx: JobCx<'a>,
    name: StepName,
    ask: Ask,
    request: Option<ErasedRequest<'a>>,
    asked: bool,
    done: bool,
    decode: fn(&[u8]) -> Result<T, String>,
}

impl<'a, T> ChildFuture<'a, T> {
    /// Waits for the end of the child.
    pub fn waited_for(
        cx: JobCx<'a>,
        name: StepName,
        fingerprint: u64,
        request: ErasedRequest<'a>,
        decode: fn(&[u8]) -> Result<T, String>,
    ) -> Self {
        let ask = Ask::Child {
            detached: false,
            fingerprint,
        };
        ChildFuture::new(cx, name, ask, request, decode)
    }

    /// Waits only until the child is stored.
    pub fn detached(
        cx: JobCx<'a>,
        name: StepName,
        request: ErasedRequest<'a>,
        decode: fn(&[u8]) -> Result<T, String>,
    ) -> Self {
        let ask = Ask::Child {
            detached: true,
            fingerprint: 0,
        };
        ChildFuture::new(cx, name, ask, request, decode)
    }

    fn new(
        cx: JobCx<'a>,
        name: StepName,
        ask: Ask,
        request: ErasedRequest<'a>,
        decode: fn(&[u8]) -> Result<T, String>,
    ) -> Self {
        ChildFuture {
            cx,
            name,
            ask,
            request: Some(request),
            asked: false,
            done: false,
            decode,
        }
    }

    /// Gives the run the child to enqueue, or the reason why there is none.
    fn enqueue(&mut self) {
        // Asked once: after it the record has a child, or the step its result.
        let Some(request) = self.request.take() else {
            return;
        };
        let cell = self.cx.cell;
        let now = cell.now();
        match request(&cell.env, now).and_then(|job| self.checked(job)) {
            Ok(job) => cell.with(|run| run.enqueue_child(self.name.as_str(), job, now)),
            Err(error) => {
                cell.with(|run| run.refuse_child(self.name.as_str(), error.stored(), now))
            }
        }
    }

    fn checked(&self, mut job: NewJob) -> Result<NewJob, Error> {
        job.spec.input = self.cx.cell.seal(job.spec.input.bytes)?;
        let limit = self.cx.cell.info.payload_limit;
        let size = job.spec.input.bytes.len();
        if size > limit {
            let what = format!("the input of job \"{}\"", job.spec.name);
            return Err(Error::payload_too_large(what, size, limit));
        }
        Ok(job)
    }

    fn decide(&mut self, outcome: StepOutcome) -> Poll<Result<T, StepError>> {
        self.done = true;
        let error = match outcome {
            StepOutcome::Done(payload) => match self.cx.read(&payload, self.decode) {
                Ok(value) => return Poll::Ready(Ok(value)),
                Err(reason) => {
                    // The body never sees this: the run is parked for a person.
                    self.cx
                        .cell
                        .with(|run| run.undecodable(self.name.as_str(), reason));
                    return Poll::Pending;
                }
            },
            other => other.error().unwrap_or_else(|| {
                StoredError::new("X_JOB_FAILED", "the child ended without a result")
            }),
        };
        Poll::Ready(Err(StepError::new(self.name.as_str(), error)))
    }
}

impl<T> Future for ChildFuture<'_, T> {
    type Output = Result<T, StepError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = &mut *self;
        let cell = me.cx.cell;
        match cell.ask(&me.name, &me.ask, &mut me.asked, cx.waker()) {
            Asked::Ready(outcome) => return me.decide(outcome),
            Asked::Start { .. } => {
                me.enqueue();
                cell.keep(me.name.as_str(), cx.waker());
            }
            Asked::Expired | Asked::Later | Asked::Running | Asked::Undone(_) => {}
        }
        Poll::Pending
    }
}

impl<T> Drop for ChildFuture<'_, T> {
    fn drop(&mut self) {
        if self.asked && !self.done {
            self.cx.cell.forget(self.name.as_str());
        }
    }
}
