//! A sleep: parks the run until its time has come, without a worker.

use super::{JobCx, StepName};
use crate::core::{Ask, Asked, Millis, Timestamp};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The future of a sleep.
#[must_use = "a sleep does nothing until it is awaited: add `.await`"]
pub struct SleepFuture<'a> {
    cx: JobCx<'a>,
    name: StepName,
    ask: Ask,
    asked: bool,
    done: bool,
}

impl<'a> SleepFuture<'a> {
    /// Sleeps so long from its first poll in the life of the run.
    pub fn for_span(cx: JobCx<'a>, name: StepName, span: Millis) -> Self {
        SleepFuture {
            cx,
            name,
            ask: Ask::SleepFor(span),
            asked: false,
            done: false,
        }
    }

    /// Sleeps until an instant.
    pub fn until(cx: JobCx<'a>, name: StepName, at: Timestamp) -> Self {
        SleepFuture {
            cx,
            name,
            ask: Ask::SleepUntil(at),
            asked: false,
            done: false,
        }
    }
}

impl Future for SleepFuture<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let me = &mut *self;
        match me.cx.cell.ask(&me.name, &me.ask, &mut me.asked, cx.waker()) {
            Asked::Ready(_) => {
                me.done = true;
                Poll::Ready(())
            }
            _ => Poll::Pending,
        }
    }
}

impl Drop for SleepFuture<'_> {
    fn drop(&mut self) {
        if self.asked && !self.done {
            self.cx.cell.forget(self.name.as_str());
        }
    }
}
