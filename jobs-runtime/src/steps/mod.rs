//! What a job body sees of its run: the futures behind `step!`, and the job's context.
//!
//! Decisions are the run's ([`crate::core::Run`]); this module polls bodies, keeps wakers and
//! turns stored outcomes into values.

mod cell;
mod child;
mod context;
mod error;
mod leave;
mod name;
mod sleep;
mod step;
mod tx;
mod values;
mod wait;

pub use cell::JobCx;
pub(crate) use cell::{JobInfo, JobWaker, RunCell, StateMap};
pub use child::{ChildFuture, ErasedRequest};
pub use context::{JobContext, State};
pub use error::StepError;
pub(crate) use leave::Given;
pub use leave::Leaving;
pub use name::StepName;
pub use sleep::SleepFuture;
pub use step::{ErasedBody, StepFuture, StepOptions};
pub(crate) use tx::{Begun, OpenTx, Transactions};
pub use wait::{RequiredWaitFuture, WaitFuture, WaitOptions};
