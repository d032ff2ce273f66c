//! The type of a step, held where the body begins. What a step gives is inferred by rustc in the
//! middle of the body; a tag is a value whose type is the step's, and so carries it to where the
//! body describes itself. At run time a tag is nothing.

use crate::definition::Event;
use crate::registry::{StepType, TypeDef};
use crate::steps::{ChildFuture, RequiredWaitFuture, StepFuture, WaitFuture};
use std::any::type_name;
use std::marker::PhantomData;

/// Stands for a step that gives a `T`. Covariant, so that a tag, which is there from the beginning,
/// asks no borrow in the body to be.
#[derive(Debug)]
pub struct Tag<T>(PhantomData<fn() -> T>);

impl<T> Clone for Tag<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Tag<T> {}

impl<T> Tag<T> {
    #[allow(clippy::new_without_default, reason = "made by generated code alone")]
    #[must_use]
    pub const fn new() -> Self {
        Tag(PhantomData)
    }
}

macro_rules! tied {
    ($($future:ident)*) => {$(
        impl<T> $future<'_, T> {
            /// Gives the tag the type of this step. A function of its own, so that an error about
            /// the step is not one about its tag.
            pub fn tied(self, _: Tag<T>) -> Self {
                self
            }
        }
    )*};
}

tied! { ChildFuture RequiredWaitFuture StepFuture WaitFuture }

impl<T> Tag<T> {
    /// A number that tells one output type from another in a report (FNV-1a): that of the very name
    /// which stands in the lock.
    pub(super) fn fingerprint(self) -> u64 {
        type_name::<T>()
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            })
    }
}

impl<E: Event> Tag<E> {
    /// Of a wait.
    #[must_use]
    pub fn event(self) -> StepType {
        StepType::Event(E::NAME)
    }
}

/// What a tag says of a type that has no schema, or is no event. Where the type is one, the tag's
/// own function goes before that of the trait; so no question to a tag is ever an error.
pub trait AnyTag: Sized {
    /// The name alone.
    fn output(self) -> StepType;

    /// Nothing: rustc reports the wait itself.
    fn event(self) -> StepType {
        StepType::NotKnown
    }
}

impl<T> AnyTag for Tag<T> {
    fn output(self) -> StepType {
        StepType::Output(TypeDef::of::<T>())
    }
}
