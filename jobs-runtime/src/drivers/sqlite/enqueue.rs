//! Enqueue: a new job, or the one that holds the key.

use super::fault::Fault;
use super::group::{Hints, Tx};
use super::keys::{Follower, Holder};
use super::whole::Whole;
use super::{keys, replaced, row, sql};
use crate::contract::{Conflicted, EnqueueAnswer, Enqueued, check_job};
use crate::core::{
    self, Head, Job, JobId, JobNotes, Meeting, NewJob, Payload, RunId, Timestamp, Window,
};
use rusqlite::params;

/// Stores each job that may be stored, apart from the others.
pub(super) fn enqueue(tx: &Tx<'_>, jobs: &[NewJob]) -> Result<Vec<EnqueueAnswer>, Fault> {
    jobs.iter().map(|job| enqueue_one(tx, job)).collect()
}

fn enqueue_one(tx: &Tx<'_>, job: &NewJob) -> Result<EnqueueAnswer, Fault> {
    if let Err(error) = check_job(job, &tx.shared.capabilities) {
        return Ok(Err(Conflicted::Refused(error)));
    }
    match tx.item(|tx| insert(tx, job)) {
        Err(fault) if fault.is_one_items() => {
            let error = fault.before_write(&tx.shared.path);
            Ok(Err(Conflicted::Refused(error)))
        }
        answer => answer,
    }
}

/// Enqueues a job that was found good.
pub(super) fn insert(tx: &Tx<'_>, job: &NewJob) -> Result<EnqueueAnswer, Fault> {
    let spec = &job.spec;
    let known = tx.first(sql::ENQUEUE_FIND, [spec.id.as_bytes()], |columns| {
        columns.id(RunId::from_bytes)
    })?;
    if let Some(run_id) = known {
        return Ok(Ok(Enqueued {
            id: spec.id,
            run_id,
            deduped: false,
            input_differs: input_differs(tx, spec.id, &spec.input)?,
        }));
    }
    if job.may_follow()
        && let Some((id, run_id)) = replaced::by(tx, spec.id)?
    {
        return Ok(Ok(Enqueued::replacing(id, run_id)));
    }
    if let Some(key) = spec.key.as_deref()
        && let Some(holder) = keys::holder(**tx, &spec.scope, key, tx.now)?
    {
        return meet(tx, job, &holder);
    }
    let (head, until) = core::opened(job, tx.now);
    keys::take(**tx, spec, until, job.window.and_then(Window::pace))?;
    add(tx, job, head).map(Ok)
}

/// A new job meets the holder of its key.
fn meet(tx: &Tx<'_>, job: &NewJob, holder: &Holder) -> Result<EnqueueAnswer, Fault> {
    let spec = &job.spec;
    let head = match job.may_follow() {
        true => head(tx, holder.job)?,
        // Nothing depends on it.
        false => None,
    };
    Ok(match core::meet(job, head.as_ref(), holder.until, tx.now) {
        Meeting::Answer { until } => {
            keys::keep(**tx, spec, until)?;
            Ok(Enqueued {
                id: holder.job,
                run_id: holder.run,
                deduped: true,
                input_differs: input_differs(tx, holder.job, &spec.input)?,
            })
        }
        Meeting::Refuse => Err(Conflicted::KeyTaken(holder.job)),
        Meeting::Replace { visible_at, until } => {
            keys::keep(**tx, spec, until)?;
            Ok(replace(tx, holder.job, holder.run, job, visible_at)?)
        }
        Meeting::Follow { from, until } => {
            keys::keep(**tx, spec, until)?;
            Ok(follow(tx, job, holder, from)?)
        }
        Meeting::Succeed { head, until } => {
            let span = job.window.and_then(Window::pace);
            keys::take(**tx, spec, Some(until), span)?;
            Ok(add(tx, job, head)?)
        }
    })
}

fn head(tx: &Tx<'_>, id: JobId) -> Result<Option<Head>, Fault> {
    tx.first(sql::HEAD_LOAD, [id.as_bytes()], row::read_head)
}

fn follow(tx: &Tx<'_>, job: &NewJob, holder: &Holder, from: Timestamp) -> Result<Enqueued, Fault> {
    let spec = &job.spec;
    let span = job.window.and_then(Window::pace);
    let Some(next) = holder.next else {
        let next = Follower {
            job: spec.id,
            run: spec.run_id,
            from,
        };
        keys::follow(**tx, spec, next, span)?;
        return add(tx, job, core::follower(job, tx.now));
    };
    if job.window.is_some()
        && let Some(head) = head(tx, next.job)?
    {
        let from = core::put_off(job, &head, next.from, tx.now);
        keys::follow(**tx, spec, Follower { from, ..next }, span)?;
    }
    replace(tx, next.job, next.run, job, None)
}

/// Gives a job that has not begun the input and the expiry of another.
fn replace(
    tx: &Tx<'_>,
    id: JobId,
    run_id: RunId,
    by: &NewJob,
    visible_at: Option<Timestamp>,
) -> Result<Enqueued, Fault> {
    let (input, expires_at) = (&by.spec.input, by.expires_at(tx.now));
    tx.run(
        sql::REPLACE_INPUT,
        params![id.as_bytes(), input.codec, input.bytes],
    )?;
    tx.run(
        sql::REPLACE_EXPIRY,
        params![
            id.as_bytes(),
            row::instant(expires_at),
            row::instant(visible_at)
        ],
    )?;
    replaced::remember(tx, by.spec.id, (id, run_id))?;
    Ok(Enqueued::replacing(id, run_id))
}

fn add(tx: &Tx<'_>, job: &NewJob, head: Head) -> Result<Enqueued, Fault> {
    let spec = job.stored_spec(tx.now);
    let stored = Job {
        spec,
        head,
        notes: JobNotes::default(),
    };
    row::insert_job(**tx, &stored)?;
    let spec = &stored.spec;
    for record in &job.prefix {
        row::upsert_step(**tx, spec.id, record)?;
    }
    if let Some(parent) = &spec.parent {
        tell(tx, spec.id, parent.job)?;
    }
    tx.hint(Hints {
        ready: true,
        ..Hints::default()
    });
    Ok(Enqueued {
        id: spec.id,
        run_id: spec.run_id,
        deduped: false,
        input_differs: false,
    })
}

/// Notes that a job shall hear of the end of a live one. False if there is no such live job.
pub(super) fn tell(tx: &Tx<'_>, child: JobId, parent: JobId) -> Result<bool, Fault> {
    let noted = tx.run(
        sql::TOLD_INSERT,
        params![child.as_bytes(), parent.as_bytes()],
    )?;
    Ok(noted > 0)
}

/// Whether a stored job has another input. One that retention has removed cannot be compared.
fn input_differs(tx: &Tx<'_>, id: JobId, wanted: &Payload) -> Result<bool, Fault> {
    let live = tx.first(sql::ENQUEUE_INPUT, [id.as_bytes()], |columns| {
        Ok(Payload {
            codec: columns.take()?,
            bytes: columns.take()?,
        })
    })?;
    if let Some(input) = live {
        return Ok(input != *wanted);
    }
    let ended = Whole::archived(**tx, id)?;
    Ok(ended.is_some_and(|whole| whole.job.spec.input != *wanted))
}
