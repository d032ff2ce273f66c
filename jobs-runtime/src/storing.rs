//! A write on its way into the store, as a future whose type says neither by what way nor of which
//! event: so a wrong way, or a type that is no event, is reported once.

use crate::Error;
use crate::core::EventId;
use crate::request::Handle;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A write that was asked for. Nothing is stored before it is awaited.
#[must_use = "nothing is stored until this is awaited: add `.await`"]
pub struct Storing<'a, T> {
    write: Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>,
}

/// A request on its way.
pub type Enqueuing<'a, J> = Storing<'a, Handle<J>>;

/// An event on its way.
pub type Publishing<'a> = Storing<'a, EventId>;

impl<'a, T> Storing<'a, T> {
    pub(crate) fn new(write: impl Future<Output = Result<T, Error>> + Send + 'a) -> Self {
        Storing {
            write: Box::pin(write),
        }
    }
}

impl<T> Future for Storing<'_, T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.write.as_mut().poll(cx)
    }
}

impl<T> fmt::Debug for Storing<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Storing").finish_non_exhaustive()
    }
}
