//! How a body tells the types of its steps: it is entered to describe itself, does that before it
//! does anything else, and goes no further. Needs no input, no state and no store, because nothing
//! of the user's runs. What the lock makes of it is said in `lock::take`.

use super::{Asks, HelperDef, JobDef, TypeDef};
use crate::steps::JobCx;
use std::convert::Infallible;
use std::future::{Future, Pending, pending};
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Waker};

/// What is known of the type that a step stores.
#[derive(Clone, Copy, Debug)]
pub enum StepType {
    /// It waits for the event of this durable name.
    Event(&'static str),
    /// It stores a value of a type, and which one cannot be seen: rustc may leave the step out, or
    /// another macro stands around it.
    NotKnown,
    /// It stores nothing that has a type.
    Nothing,
    /// It stores a value of this type.
    Output(TypeDef),
}

/// Why the body of a job is called.
#[derive(Clone)]
pub enum Call<'a> {
    /// To say what it makes of this input.
    Ask(Asks, &'a [u8]),
    /// To describe its steps.
    Describe(Told),
    /// To run on this stored input.
    Run(JobCx<'a>, &'a [u8]),
}

/// How a body is entered: `A` is what it is given to work on, as a tuple.
pub enum Entered<'a, A> {
    /// To describe its steps.
    Describe(Told),
    /// To run.
    Run(JobCx<'a>, A),
}

/// Takes what a body tells.
#[derive(Clone, Debug, Default)]
pub struct Told(Arc<OnceLock<Vec<StepType>>>);

impl Told {
    /// Tells the type of every step, in order. What comes back never ends, so that the body goes
    /// no further.
    pub fn tell(&self, types: &[StepType]) -> Pending<Infallible> {
        // A body tells once: it is polled once.
        let _ = self.0.set(types.to_vec());
        pending()
    }

    /// Polls once: nothing but the telling comes before the first await.
    fn by(&self, body: impl Future) -> Vec<StepType> {
        let mut context = Context::from_waker(Waker::noop());
        let _ = pin!(body).poll(&mut context);
        self.0.get().cloned().unwrap_or_default()
    }
}

/// The types of the steps of a body.
pub fn describe<'a, A, F: Future>(body: impl FnOnce(Entered<'a, A>) -> F) -> Vec<StepType> {
    let told = Told::default();
    told.by(body(Entered::Describe(told.clone())))
}

impl JobDef {
    /// The types of its own steps, in order.
    pub(super) fn step_types(&self) -> Vec<StepType> {
        let told = Told::default();
        told.by((self.run)(Call::Describe(told.clone())))
    }
}

impl HelperDef {
    /// The types of its own steps, in order.
    pub(super) fn step_types(&self) -> Vec<StepType> {
        (self.types)()
    }
}
