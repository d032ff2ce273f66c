//! The job of a tick. Its ids follow from the task and the tick, so that whoever makes the tick,
//! and however often, makes the same job.

use super::Tick;
use crate::Error;
use crate::core::{
    JobId, JobSpec, NewJob, OnConflict, Payload, RunId, TickRef, Timestamp, Visible, derived,
};
use crate::durable::Durable;
use crate::registry::JobDef;
use std::collections::BTreeMap;

/// What the two ids of a job are derived with.
const JOB_SEED: u128 = 1;
const RUN_SEED: u128 = 2;

/// The id of the job of a tick.
pub(super) fn job_id(def: &JobDef, tick: Timestamp) -> JobId {
    JobId::new(tick, bits(JOB_SEED, def, tick))
}

fn bits(seed: u128, def: &JobDef, tick: Timestamp) -> u128 {
    derived(
        seed ^ u128::from(tick.0.cast_unsigned()) << 64,
        def.scope().as_bytes(),
    )
}

/// The row, its input still to be sealed.
pub(crate) fn tick_row(def: &JobDef, tick: &Tick) -> Result<NewJob, Error> {
    let options = &def.options;
    let spec = JobSpec {
        id: job_id(def, tick.at),
        run_id: RunId::new(tick.at, bits(RUN_SEED, def, tick.at)),
        name: def.name.into(),
        scope: def.scope().into(),
        queue: options.queue.into(),
        key: Some(tick.key()),
        input: Payload::json(tick.encode()?),
        priority: options.priority,
        tenant: None,
        visibility_timeout: options.visibility_timeout,
        expires_at: options.expires.map(|span| tick.at.after(span)),
        // A tick is nobody's: all of a task's are counted together.
        limit_key: options.limit.map(|_| String::new()),
        rate_key: None,
        parent: None,
        tick: Some(TickRef {
            schedule: def.scope().into(),
            tick: tick.at,
        }),
        trace_context: None,
        labels: BTreeMap::new(),
        version: 0,
        fork_of: None,
        continued_from: None,
        chain: None,
        on_cancel: options.on_cancel.map(|job| job().clean_up()),
    };
    Ok(NewJob {
        spec,
        // A scheduler whose idea of the time is ahead makes the job early; it runs no earlier.
        visible: Visible::At(tick.at),
        attempts_max: options.attempts,
        on_conflict: OnConflict::Dedupe,
        unique_for: None,
        window: None,
        expires: None,
        prefix: Vec::new(),
    })
}
