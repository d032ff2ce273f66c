//! A step with a body: run once, stored, and given back from the store ever after.

use super::cell::in_body;
use super::{JobCx, StepError, StepName};
use crate::Failure;
use crate::core::{Ask, Asked, Backoff, Millis, StepOutcome, StoredError};
use crate::torture::crash_point;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

type BodyFuture<'a> = Pin<Box<dyn Future<Output = Result<Vec<u8>, Failure>> + Send + 'a>>;

/// A step's body with its types erased: each call starts it anew.
pub type ErasedBody<'a> = Box<dyn FnMut() -> BodyFuture<'a> + Send + 'a>;

/// The options of one `step!`.
#[derive(Clone, Copy, Debug)]
pub struct StepOptions {
    /// How often the body is tried within one attempt of the job.
    pub attempts: u32,
    /// The delay between two tries.
    pub backoff: Backoff,
    /// How long one try may take; the job's `step_timeout` without it.
    pub timeout: Option<Millis>,
    /// It runs at most once, and is interrupted if its worker dies.
    pub at_most_once: bool,
    /// Its body writes in a transaction that the worker begins and ends.
    pub tx: bool,
}

impl StepOptions {
    /// One try, no time limit.
    pub const DEFAULT: StepOptions = StepOptions {
        attempts: 1,
        backoff: Backoff::DEFAULT,
        timeout: None,
        at_most_once: false,
        tx: false,
    };
}

/// The future of a step with a body. Its output is the stored result.
#[must_use = "a step does nothing until it is awaited: add `.await`"]
pub struct StepFuture<'a, T> {
    cx: JobCx<'a>,
    name: StepName,
    ask: Ask,
    options: StepOptions,
    body: ErasedBody<'a>,
    running: Option<BodyFuture<'a>>,
    tried: u32,
    asked: bool,
    done: bool,
    decode: fn(&[u8]) -> Result<T, String>,
}

impl<'a, T> StepFuture<'a, T> {
    /// A step of this name. `fingerprint` tells the output's type from others.
    pub fn new(
        cx: JobCx<'a>,
        name: StepName,
        options: StepOptions,
        fingerprint: u64,
        body: ErasedBody<'a>,
        decode: fn(&[u8]) -> Result<T, String>,
    ) -> Self {
        let timeout = options.timeout.or(cx.cell.info.step_timeout);
        let ask = Ask::Step {
            fingerprint,
            once: options.at_most_once,
            timeout,
            tx: options.tx,
        };
        StepFuture {
            cx,
            name,
            ask,
            options,
            body,
            running: None,
            tried: 0,
            asked: false,
            done: false,
            decode,
        }
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
            other => other
                .error()
                .unwrap_or_else(|| StoredError::new("X_JOB_TIMEOUT", "the step took too long")),
        };
        Poll::Ready(Err(StepError::new(self.name.as_str(), error)))
    }

    /// A try of the body has ended: its result waits for delivery, or the next try for its time.
    fn ended(&mut self, result: Result<Vec<u8>, Failure>) {
        self.running = None;
        let cell = self.cx.cell;
        let limit = cell.info.payload_limit;
        let error = match result.and_then(|json| Ok(cell.seal(json)?)) {
            Ok(payload) if payload.bytes.len() > limit => {
                self.drop_tx();
                too_large(self.name.as_str(), payload.bytes.len(), limit)
            }
            Ok(payload) => {
                let outcome = StepOutcome::Done(payload);
                return cell.with(|run| run.finish(self.name.as_str(), outcome));
            }
            Err(failure) => {
                // The body may have ended well, and its result could not be written down.
                self.drop_tx();
                failure.stored()
            }
        };
        self.failed(error);
    }

    /// The transaction that the body handed over, if any, is rolled back.
    fn drop_tx(&self) {
        if self.options.tx {
            self.cx.cell.tx.forget();
        }
    }

    fn failed(&mut self, error: StoredError) {
        let cell = self.cx.cell;
        self.tried += 1;
        if error.fatal || self.tried >= self.options.attempts {
            return cell.with(|run| run.finish(self.name.as_str(), StepOutcome::Failed(error)));
        }
        let random = cell.env.entropy.bits() as u64;
        let delay = self.options.backoff.delay(self.tried, random);
        let now = cell.now();
        cell.with(|run| run.back_off(self.name.as_str(), error, delay, now));
    }
}

impl<T> Future for StepFuture<'_, T> {
    type Output = Result<T, StepError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = &mut *self;
        let cell = me.cx.cell;
        match cell.ask(&me.name, &me.ask, &mut me.asked, cx.waker()) {
            Asked::Later => return Poll::Pending,
            Asked::Ready(outcome) => return me.decide(outcome),
            Asked::Running => {}
            Asked::Undone(error) => {
                me.failed(error);
                cell.keep(me.name.as_str(), cx.waker());
                return Poll::Pending;
            }
            Asked::Start { tried } => {
                me.tried = tried;
                cell.observer.step_started(&cell.info, me.name.as_str());
                crash_point!("steps.body.before");
                me.running = Some((me.body)());
            }
            Asked::Expired => {
                let limit = me
                    .options
                    .timeout
                    .or(cell.info.step_timeout)
                    .unwrap_or_default();
                me.ended(Err(timed_out(limit)));
                cell.keep(me.name.as_str(), cx.waker());
                return Poll::Pending;
            }
        }
        let Some(running) = me.running.as_mut() else {
            return Poll::Pending;
        };
        let polled = in_body(me.name.as_str(), || running.as_mut().poll(cx));
        // Also while the body runs: its deadline wakes this future.
        cell.keep(me.name.as_str(), cx.waker());
        if let Poll::Ready(result) = polled {
            crash_point!("steps.body.after");
            me.ended(result);
        }
        Poll::Pending
    }
}

impl<T> Drop for StepFuture<'_, T> {
    fn drop(&mut self) {
        if self.asked && !self.done {
            // What was handed over and not taken yet was not delivered either.
            self.drop_tx();
            self.cx.cell.forget(self.name.as_str());
        }
    }
}

fn timed_out(limit: Millis) -> Failure {
    crate::Error::timeout("the step", limit.0).into()
}

fn too_large(step: &str, bytes: usize, limit: usize) -> StoredError {
    let error = crate::Error::payload_too_large(
        format_args!("the output of step \"{step}\""),
        bytes,
        limit,
    );
    Failure::from(error).stored()
}
