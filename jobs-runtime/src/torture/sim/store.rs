//! The one store of a run, as each process has it.

use crate::Error;
use std::future::Future;
use std::io;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// The answer of a call that never waits: the memory driver's.
pub(super) fn ready<T>(call: impl Future<Output = Result<T, Error>>) -> io::Result<T> {
    match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer.map_err(io::Error::other),
        Poll::Pending => Err(io::Error::other(
            "the store of a simulation waits for something",
        )),
    }
}
