//! Around the body of a `tx` step: begin, write within the limit, hand over or roll back. `step!`
//! puts these around what the user wrote, because a closure that is given a transaction and gives
//! a future that borrows it cannot be `Send` for all callers.

use super::step::erased;
use crate::contract::StepTransaction;
use crate::core::Millis;
use crate::durable::{Durable, IntoFailure, StepReturn};
use crate::failure::Failure;
use crate::steps::{Begun, ErasedBody, JobCx, StepFuture, StepName, StepOptions};
use std::future::Future;
use std::marker::PhantomData;

/// A step whose body writes in a transaction that the worker begins and ends. The body begins it
/// by [`begin_tx`] and gives it back by [`end_tx`].
pub fn step_tx<'a, F, B, T>(
    cx: JobCx<'a>,
    name: impl Into<StepName>,
    options: StepOptions,
    body: F,
) -> StepFuture<'a, T>
where
    F: Fn() -> B + Send + 'a,
    B: Future<Output = Result<Stored<T>, Failure>> + Send + 'a,
    T: Durable,
{
    let body: ErasedBody<'a> = Box::new(move || {
        let body = body();
        Box::pin(async { Ok(body.await?.bytes) })
    });
    let options = StepOptions {
        tx: true,
        ..options
    };
    erased(cx, cx.full_name(name), options, body)
}

/// What the body of a `tx` step gave, in its stored form.
pub struct Stored<T> {
    bytes: Vec<u8>,
    of: PhantomData<fn() -> T>,
}

/// A transaction that is open, and how long it may be.
pub struct BegunTx<T> {
    begun: Begun<T>,
    limit: Millis,
}

impl<T> BegunTx<T> {
    /// What the body writes in.
    pub fn tx(&mut self) -> &mut T {
        &mut self.begun.tx
    }
}

/// Begins the transaction of a step.
///
/// # Errors
/// `X_NOT_IMPLEMENTED` if the store is not the one that the type belongs to.
pub async fn begin_tx<T: StepTransaction>(cx: JobCx<'_>) -> Result<BegunTx<T>, Failure> {
    let (begun, limit) = cx.cell.tx.begin::<T>().await?;
    Ok(BegunTx { begun, limit })
}

/// How long a transaction may be open.
pub fn tx_limit<T>(begun: &BegunTx<T>) -> Millis {
    begun.limit
}

/// Runs what the user wrote into a transaction, within its limit.
///
/// # Errors
/// `X_JOB_TIMEOUT` if it took longer.
pub async fn write_tx<B: Future>(
    cx: JobCx<'_>,
    limit: Millis,
    body: B,
) -> Result<B::Output, Failure> {
    Ok(cx.cell.tx.limited(limit, body).await?)
}

/// Hands over the transaction of a body that ended well, and rolls back any other.
///
/// # Errors
/// The body's own.
pub async fn end_tx<T: StepTransaction, R>(
    cx: JobCx<'_>,
    begun: BegunTx<T>,
    result: Result<R, Failure>,
) -> Result<Stored<R::Ok>, Failure>
where
    R: StepReturn<Ok: Durable, Err: IntoFailure>,
{
    match result.and_then(StepReturn::into_stored) {
        Ok(bytes) => {
            cx.cell.tx.hand_over(begun.begun);
            Ok(Stored {
                bytes,
                of: PhantomData,
            })
        }
        Err(failure) => {
            cx.cell.tx.undo(begun.begun).await;
            Err(failure)
        }
    }
}
