//! What `#[steps]` makes of a function, and what `step!(.., steps = ..)` makes of its call.

use crate::registry::HelperDef;
use crate::steps::{JobCx, StepName};
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A helper in the context of one call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no `#[steps]` function, so no step can be made of its steps",
    label = "not marked with `#[steps]`",
    note = "for a function without steps of its own leave out `steps =`: `step!(\"name\", function(..))`"
)]
pub trait Helper<'job> {
    /// Its definition, for that of the job that calls it.
    fn def() -> HelperDef;

    /// The call, whose steps are recorded in this context.
    fn within(cx: JobCx<'job>) -> Self;
}

/// Begins the call of a helper as the step of this name.
pub fn helper<'job, H: Helper<'job>>(cx: JobCx<'job>, name: impl Into<StepName>) -> H {
    H::within(cx.within_helper(name))
}

/// The place of every call that is not a `step!`'s.
#[derive(Debug)]
pub struct Here(());

/// Holds nowhere: it stands under the function of a helper's name, so that its call says how it is
/// meant. The lifetime keeps rustc from saying so where the helper is defined.
#[diagnostic::on_unimplemented(
    message = "a `#[steps]` function is called by `step!`, which records its steps under a name",
    label = "write `step!(\"name\", steps = ..)` around this call",
    note = "in a `#[job]` or another `#[steps]` function; no other code can hold steps"
)]
pub trait CalledByStep<'step> {}

#[derive(Debug)]
pub struct Nowhere(());

#[diagnostic::do_not_recommend]
impl CalledByStep<'_> for Nowhere {}

/// What such a call would give, so that nothing else is wrong about it.
#[derive(Debug)]
pub struct Outside<T>(PhantomData<fn() -> T>);

impl<T> Outside<T> {
    #[allow(clippy::new_without_default, reason = "made by generated code alone")]
    #[must_use]
    pub fn new() -> Self {
        Outside(PhantomData)
    }
}

impl<T> Future for Outside<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        Poll::Pending
    }
}
