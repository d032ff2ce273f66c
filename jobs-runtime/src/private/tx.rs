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
use std::pin::Pin;

/// A step whose body writes in a transaction that the worker begins and ends. The body begins it
/// by [`begin_tx`] and gives it back by [`BegunTx::end`].
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

type Pinned<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
type Begin<T> = for<'a> fn(JobCx<'a>) -> Pinned<'a, Result<(Begun<T>, Millis), Failure>>;
type Undo<T> = for<'a> fn(JobCx<'a>, Begun<T>) -> Pinned<'a, ()>;

/// What can be done with the transactions of a type. Only making it has a bound, so that a type
/// that is none is reported once, where it is written.
pub struct TxKind<T: 'static> {
    begin: Begin<T>,
    hand_over: for<'a> fn(JobCx<'a>, Begun<T>),
    undo: Undo<T>,
}

/// The transactions of a type.
#[must_use]
pub fn tx_kind<T: StepTransaction>() -> TxKind<T> {
    TxKind {
        begin: |cx| Box::pin(cx.cell.tx.begin::<T>()),
        hand_over: |cx, begun| cx.cell.tx.hand_over(begun),
        undo: |cx, begun| Box::pin(cx.cell.tx.undo(begun)),
    }
}

/// A transaction that is open, and how long it may be.
pub struct BegunTx<T: 'static> {
    kind: TxKind<T>,
    begun: Begun<T>,
    limit: Millis,
}

impl<T> BegunTx<T> {
    /// What the body writes in.
    pub fn tx(&mut self) -> &mut T {
        &mut self.begun.tx
    }

    /// How long it may be open.
    pub fn limit(&self) -> Millis {
        self.limit
    }

    /// Hands the transaction of a body that ended well over, and rolls back any other.
    ///
    /// # Errors
    /// The body's own.
    pub async fn end<R>(
        self,
        cx: JobCx<'_>,
        result: Result<R, Failure>,
    ) -> Result<Stored<R::Ok>, Failure>
    where
        R: StepReturn<Ok: Durable, Err: IntoFailure>,
    {
        match result.and_then(StepReturn::into_stored) {
            Ok(bytes) => {
                (self.kind.hand_over)(cx, self.begun);
                Ok(Stored {
                    bytes,
                    of: PhantomData,
                })
            }
            Err(failure) => {
                (self.kind.undo)(cx, self.begun).await;
                Err(failure)
            }
        }
    }
}

/// Begins the transaction of a step.
///
/// # Errors
/// `X_NOT_IMPLEMENTED` if the store is not the one that the type belongs to.
pub async fn begin_tx<T>(cx: JobCx<'_>, kind: TxKind<T>) -> Result<BegunTx<T>, Failure> {
    let (begun, limit) = (kind.begin)(cx).await?;
    Ok(BegunTx { kind, begun, limit })
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
