//! A wait for an event: parks the run until the event comes or the deadline passes.

use super::{JobCx, StepError, StepName};
use crate::core::{Ask, Asked, Millis, StepOutcome};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// How long a wait waits that does not say.
pub(crate) const DEFAULT_WAIT: Millis = Millis::secs(24 * 3600);

/// The options of one wait.
#[derive(Clone, Debug, Default)]
pub struct WaitOptions {
    /// The rendered correlation key; without one, any event of the name.
    pub key: Option<String>,
    /// How long to wait; a day without it.
    pub timeout: Option<Millis>,
    /// Only events published after the wait began count.
    pub since_step: bool,
}

/// The future of a wait whose passed deadline is `None`.
#[must_use = "a wait does nothing until it is awaited: add `.await`"]
pub struct WaitFuture<'a, T>(Wait<'a, T>);

/// The future of a wait whose passed deadline is an error.
#[must_use = "a wait does nothing until it is awaited: add `.await`"]
pub struct RequiredWaitFuture<'a, T>(Wait<'a, T>);

struct Wait<'a, T> {
    cx: JobCx<'a>,
    name: StepName,
    ask: Ask,
    asked: bool,
    done: bool,
    decode: fn(&[u8]) -> Result<T, String>,
}

impl<'a, T> WaitFuture<'a, T> {
    /// A wait for an event of one of these names.
    pub fn new(
        cx: JobCx<'a>,
        name: StepName,
        names: Vec<String>,
        options: WaitOptions,
        decode: fn(&[u8]) -> Result<T, String>,
    ) -> Self {
        WaitFuture(Wait::new(cx, name, names, options, false, decode))
    }
}

impl<'a, T> RequiredWaitFuture<'a, T> {
    /// As [`WaitFuture::new`].
    pub fn new(
        cx: JobCx<'a>,
        name: StepName,
        names: Vec<String>,
        options: WaitOptions,
        decode: fn(&[u8]) -> Result<T, String>,
    ) -> Self {
        RequiredWaitFuture(Wait::new(cx, name, names, options, true, decode))
    }
}

impl<'a, T> Wait<'a, T> {
    fn new(
        cx: JobCx<'a>,
        name: StepName,
        names: Vec<String>,
        options: WaitOptions,
        required: bool,
        decode: fn(&[u8]) -> Result<T, String>,
    ) -> Self {
        let ask = Ask::Event {
            names,
            key: options.key,
            timeout: options.timeout.unwrap_or(DEFAULT_WAIT),
            since_step: options.since_step,
            required,
        };
        Wait {
            cx,
            name,
            ask,
            asked: false,
            done: false,
            decode,
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<T>, StepError>> {
        let answer = self
            .cx
            .cell
            .ask(&self.name, &self.ask, &mut self.asked, cx.waker());
        let Asked::Ready(outcome) = answer else {
            return Poll::Pending;
        };
        self.done = true;
        match outcome {
            StepOutcome::Done(payload) => match self.cx.read(&payload, self.decode) {
                Ok(event) => Poll::Ready(Ok(Some(event))),
                Err(reason) => {
                    self.cx
                        .cell
                        .with(|run| run.undecodable(self.name.as_str(), reason));
                    Poll::Pending
                }
            },
            StepOutcome::Failed(error) => {
                Poll::Ready(Err(StepError::new(self.name.as_str(), error)))
            }
            StepOutcome::Interrupted | StepOutcome::TimedOut => Poll::Ready(Ok(None)),
        }
    }
}

impl<T> Future for WaitFuture<'_, T> {
    type Output = Result<Option<T>, StepError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(cx)
    }
}

impl<T> Future for RequiredWaitFuture<'_, T> {
    type Output = Result<T, StepError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(cx).map(|result| {
            let none = || {
                let error = crate::Error::timeout("the wait", 0);
                StepError::new(self.0.name.as_str(), crate::Failure::from(error).stored())
            };
            result.and_then(|event| event.ok_or_else(none))
        })
    }
}

impl<T> Drop for Wait<'_, T> {
    fn drop(&mut self) {
        if self.asked && !self.done {
            self.cx.cell.forget(self.name.as_str());
        }
    }
}
