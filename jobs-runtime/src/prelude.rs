//! What a program with jobs imports: `use jobs_runtime::prelude::*;`.

pub use crate::{
    Error, Event, Failure, FatalExt, Job, JobContext, Jobs, OnConflict, Result, State, StepError,
    Tick, job, step, steps, task,
};
pub use serde::{Deserialize, Serialize};
