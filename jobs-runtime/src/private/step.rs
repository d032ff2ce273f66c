//! From the user's futures to the step futures, which know no type but the result's.

use super::Tag;
use crate::core::{Millis, Timestamp};
use crate::definition::Event;
use crate::durable::{Durable, IntoFailure, StepBody, StepReturn, WaitKey, has_key};
use crate::failure::Failure;
use crate::steps::{
    ErasedBody, JobCx, RequiredWaitFuture, SleepFuture, StepFuture, StepName, StepOptions,
    WaitFuture, WaitOptions,
};
use std::future::{Future, ready};
use std::pin::Pin;

/// The future of a step in a box, which shows only what it gives.
pub type Boxed<'a, R> = Pin<Box<dyn Future<Output = R> + Send + 'a>>;

/// Of the generic code around a step this is instantiated once for each type of future, and so once
/// for all calls of one function; what follows is, once for each type of result.
pub fn boxed<'a, B>(body: B) -> Boxed<'a, B::Output>
where
    B: StepBody<Future: Send + 'a>,
{
    Box::pin(body.into_body())
}

/// A step whose body borrows, and so can be started again.
pub fn step<'a, F, R>(
    cx: JobCx<'a>,
    name: impl Into<StepName>,
    options: StepOptions,
    body: F,
) -> StepFuture<'a, R::Ok>
where
    F: Fn() -> Boxed<'a, R> + Send + 'a,
    R: StepReturn<Ok: Durable, Err: IntoFailure> + 'a,
{
    let body: ErasedBody<'a> = Box::new(move || Box::pin(encoded(body())));
    erased(cx, cx.full_name(name), options, body)
}

/// A step whose body took what it needs, and so can be started once.
pub fn step_once<'a, B>(
    cx: JobCx<'a>,
    name: impl Into<StepName>,
    options: StepOptions,
    body: B,
) -> StepFuture<'a, <B::Output as StepReturn>::Ok>
where
    B: Future<Output: StepReturn<Ok: Durable, Err: IntoFailure>> + Send + 'a,
{
    let mut body = Some(encoded(body));
    let body: ErasedBody<'a> = Box::new(move || match body.take() {
        Some(body) => Box::pin(body),
        None => Box::pin(ready(Err(spent()))),
    });
    erased(cx, cx.full_name(name), options, body)
}

pub(super) fn erased<'a, T: Durable>(
    cx: JobCx<'a>,
    name: StepName,
    options: StepOptions,
    body: ErasedBody<'a>,
) -> StepFuture<'a, T> {
    StepFuture::new(
        cx,
        name,
        options,
        Tag::<T>::new().fingerprint(),
        body,
        decode::<T>,
    )
}

async fn encoded<B>(body: B) -> Result<Vec<u8>, Failure>
where
    B: Future<Output: StepReturn<Ok: Durable, Err: IntoFailure>>,
{
    body.await.into_stored()
}

pub(super) fn decode<T: Durable>(bytes: &[u8]) -> Result<T, String> {
    T::decode(bytes).map_err(|error| error.to_string())
}

fn spent() -> Failure {
    Failure::msg("a step that moves what it captures was started a second time")
}

/// The future of a step. A plain `.await` would say it too if it is none, but with the advice to
/// remove an `.await` that the user did not write.
pub fn future<F: StepBody<Output = T>, T>(body: F) -> impl Future<Output = T> {
    body.into_body()
}

/// What the block of a step gives.
pub type Done<T> = Result<T, Failure>;

/// A sleep of some length.
pub fn sleep<'a>(cx: JobCx<'a>, name: impl Into<StepName>, span: Millis) -> SleepFuture<'a> {
    SleepFuture::for_span(cx, cx.full_name(name), span)
}

/// A sleep until an instant.
pub fn sleep_until<'a>(
    cx: JobCx<'a>,
    name: impl Into<StepName>,
    at: impl super::IntoTimestamp,
) -> SleepFuture<'a> {
    let at: Timestamp = at.into_timestamp();
    SleepFuture::until(cx, cx.full_name(name), at)
}

/// A wait that may end without an event.
pub fn wait<'a, E: Event>(
    cx: JobCx<'a>,
    name: impl Into<StepName>,
    key: impl WaitKey<E::Key>,
    options: WaitOptions,
) -> WaitFuture<'a, E> {
    let options = keyed::<E>(options, key);
    WaitFuture::new(cx, cx.full_name(name), names::<E>(), options, decode::<E>)
}

/// A wait that fails without an event.
pub fn wait_required<'a, E: Event>(
    cx: JobCx<'a>,
    name: impl Into<StepName>,
    key: impl WaitKey<E::Key>,
    options: WaitOptions,
) -> RequiredWaitFuture<'a, E> {
    let options = keyed::<E>(options, key);
    RequiredWaitFuture::new(cx, cx.full_name(name), names::<E>(), options, decode::<E>)
}

/// A key given for an event that has none is as good as none.
fn keyed<E: Event>(options: WaitOptions, key: impl WaitKey<E::Key>) -> WaitOptions {
    let key = key.render().filter(|_| has_key::<E::Key>());
    WaitOptions { key, ..options }
}

fn names<E: Event>() -> Vec<String> {
    let former = E::WAS.iter().copied();
    std::iter::once(E::NAME)
        .chain(former)
        .map(str::to_owned)
        .collect()
}
