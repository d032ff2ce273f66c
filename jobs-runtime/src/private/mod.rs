//! All that generated code may name, and nothing for people: no promise is kept between two
//! versions. Thin generic shims stand here, around types that are not generic over user code.

mod child;
mod claim;
mod helper;
mod key;
mod register;
mod run;
mod step;
mod tag;
mod task;
mod time;
mod tx;
mod types;

pub use crate::core::{
    Backoff, Edge, Limit, Millis, Missed, OnConflict, Overlap, Priority, Rate, RecordKind, Window,
};
pub use crate::durable::{
    AnyKey, ChildRequest, Extract, IntoFailure, JobReturn, NoKey, StepBody, StepReturn, WaitKey,
};
pub use crate::failure::Failure;
pub use crate::registry::{
    Call, Entered, EventDef, HelperDef, JobDef, JobOptions, StepDef, StepType, TaskDef, Told,
    TypeDef, describe,
};
pub use crate::schedule::Wanted;
pub use crate::schema::{NotKnown, Probe};
pub use crate::steps::{
    ChildFuture, ErasedBody, ErasedRequest, JobCx, RequiredWaitFuture, SleepFuture, StepFuture,
    StepName, StepOptions, WaitFuture, WaitOptions,
};
pub use crate::{__jobs_claim as claim, __jobs_register as register};
pub use child::{child, child_once, detached, detached_once};
pub use helper::{CalledByStep, Helper, Here, Nowhere, Outside, helper};
pub use key::{event_key, key_of, key_part, rendered};
pub use linkme;
pub use run::{RunFuture, clean_up, encode, no_context, run};
pub use step::{
    Boxed, Done, boxed, future, sleep, sleep_until, step, step_once, wait, wait_required,
};
pub use tag::{AnyTag, Tag};
pub use task::{TaskInput, tick_key};
pub use time::{IntoMillis, IntoTick, IntoTimestamp, millis};
pub use tx::{BegunTx, Stored, TxKind, begin_tx, step_tx, tx_kind, write_tx};
pub use types::key_type;

/// Every job of the program. The name carries the version of the layout of [`JobDef`], so that
/// two versions of this crate in one program do not read each other's definitions.
#[linkme::distributed_slice]
pub static JOBS_V0: [JobDef];

/// Every event of the program.
#[linkme::distributed_slice]
pub static EVENTS_V0: [EventDef];
