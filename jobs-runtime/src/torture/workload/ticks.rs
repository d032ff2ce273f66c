//! A task of the workload, whose ticks a harness has made, and the job of schedules that it makes at
//! run time. The definition that the linker gathers is
//! that of a job like the others, so that a program which links the workload has nothing on a
//! schedule by that alone; the one with a schedule is made here, and given to a scheduler.

#![allow(
    unsafe_code,
    reason = "what a definition leaves for the linker; in another crate the macro answers for it"
)]

use super::body::work;
use crate::clock::Env;
use crate::core::{Millis, Missed, Overlap};
use crate::prelude::*;
use crate::registry::{JobDef, JobOptions, Registry, TaskDef};
use crate::schedule::{Scheduler, StoreTime, watch};
use crate::{Jobs, Tick, job, step};
use std::convert::Infallible;
use std::sync::OnceLock;

/// The name of the schedule.
pub const SCHEDULE: &str = "torture-ticked";
/// How far apart its ticks are; each of them is made, however late.
pub const TICKS_EVERY: Millis = Millis::secs(2);

const TASK: TaskDef = TaskDef {
    schedule: "every 2s",
    zone: "UTC",
    missed: Missed::All,
    overlap: Overlap::Run,
};

/// What a tick does.
#[job(name = "torture-ticked", idempotency = none, attempts = 4, backoff = "100ms..2s")]
pub(crate) async fn torture_ticked(input: Tick, job: JobContext) -> Result<u64> {
    let sum = input.at.0.cast_unsigned();
    Ok(step!("tick", work(&job, "tick", 20, sum)).await?)
}

/// What a tick of a schedule that was made at run time does.
#[job(
    name = "torture-scheduled",
    idempotency = "scheduled:{input}",
    attempts = 20,
    backoff = "100ms..2s"
)]
pub(crate) async fn torture_scheduled(input: u64, job: JobContext) -> Result<u64> {
    Ok(step!("tick", work(&job, "tick", 20, input)).await?)
}

/// Makes ticks of the task for as long as it is polled. `env` has the store's time.
pub async fn make_ticks(jobs: &Jobs, env: Env) -> Infallible {
    let scheduler = Scheduler::of(jobs.store().clone(), scheduled());
    watch(scheduler, env, &StoreTime::default()).await
}

/// As [`make_ticks`], and those of schedules that were made at run time.
///
/// # Errors
/// If two jobs of the program claim one name.
pub(crate) async fn make_all_ticks(jobs: &Jobs, env: Env) -> Result<Infallible> {
    let registry = Registry::linked()?;
    let scheduler = Scheduler::of(jobs.store().clone(), scheduled()).with_stored(registry);
    Ok(watch(scheduler, env, &StoreTime::default()).await)
}

/// The job as a task; none if the linker left it out.
fn scheduled() -> Option<&'static JobDef> {
    static SCHEDULED: OnceLock<Option<JobDef>> = OnceLock::new();
    let made = SCHEDULED.get_or_init(|| {
        let def = Registry::linked().ok()?.find(SCHEDULE)?;
        Some(JobDef {
            options: JobOptions {
                task: Some(TASK),
                ..def.options
            },
            ..*def
        })
    });
    made.as_ref()
}
