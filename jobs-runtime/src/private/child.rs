//! From a request for a job to the future of a child, which knows no type but the result's.

use super::Tag;
use super::step::decode;
use crate::definition::Job;
use crate::durable::ChildRequest;
use crate::request::Handle;
use crate::steps::{ChildFuture, ErasedRequest, JobCx, StepName};

type Output<R> = <<R as ChildRequest>::Job as Job>::Output;

/// A child whose request borrows what it is made of.
pub fn child<'a, R: ChildRequest>(
    cx: JobCx<'a>,
    name: impl Into<StepName>,
    request: impl Fn() -> R + Send + 'a,
) -> ChildFuture<'a, Output<R>> {
    child_once(cx, name, request)
}

/// A child whose request took what it is made of.
pub fn child_once<'a, R: ChildRequest>(
    cx: JobCx<'a>,
    name: impl Into<StepName>,
    request: impl FnOnce() -> R + Send + 'a,
) -> ChildFuture<'a, Output<R>> {
    ChildFuture::waited_for(
        cx,
        cx.full_name(name),
        Tag::<Output<R>>::new().fingerprint(),
        erased(request),
        decode::<Output<R>>,
    )
}

/// As [`child`], without waiting for its end.
pub fn detached<'a, R: ChildRequest>(
    cx: JobCx<'a>,
    name: impl Into<StepName>,
    request: impl Fn() -> R + Send + 'a,
) -> ChildFuture<'a, Handle<R::Job>> {
    detached_once(cx, name, request)
}

/// As [`child_once`], without waiting for its end.
pub fn detached_once<'a, R: ChildRequest>(
    cx: JobCx<'a>,
    name: impl Into<StepName>,
    request: impl FnOnce() -> R + Send + 'a,
) -> ChildFuture<'a, Handle<R::Job>> {
    ChildFuture::detached(cx, cx.full_name(name), erased(request), Handle::stored)
}

fn erased<'a, R: ChildRequest>(request: impl FnOnce() -> R + Send + 'a) -> ErasedRequest<'a> {
    Box::new(move |env, now| request().into_request().into_row(env, now))
}
