//! Idempotency keys: who holds one, and when it is free again (R8).

use super::db::{Columns, Db};
use super::fault::Fault;
use super::{row, sql};
use crate::core::{JobId, JobSpec, Millis, RunId, Timestamp, passed_until};
use crate::torture::Bug;
use crate::torture::seeded::seeded;
use rusqlite::params;

/// A planted bug: the key is freed, although another job holds it.
const FREE_WHOSEVER: &str = "DELETE FROM jobs_key WHERE scope = ?1 AND key = ?2 AND job <> ?3";

/// The job that a key belongs to.
pub(super) struct Holder {
    pub(super) job: JobId,
    pub(super) run: RunId,
    pub(super) next: Option<Follower>,
    /// Until when the key is kept beyond the job's end.
    pub(super) until: Option<Timestamp>,
}

/// A job that gets the key when its holder has ended.
#[derive(Clone, Copy)]
pub(super) struct Follower {
    pub(super) job: JobId,
    pub(super) run: RunId,
    /// It does not run before this instant.
    pub(super) from: Timestamp,
}

/// Who holds the key at `now`: a live job, or an ended one whose time with it is not over.
pub(super) fn holder(
    db: Db<'_>,
    scope: &str,
    key: &str,
    now: Timestamp,
) -> Result<Option<Holder>, Fault> {
    let found = db.first(sql::KEY_HOLDER, params![scope, key], |columns| {
        let holder = Holder {
            job: columns.id(JobId::from_bytes)?,
            run: columns.id(RunId::from_bytes)?,
            next: follower(columns)?,
            until: columns.maybe_instant()?,
        };
        let kept = holder.until.is_some_and(|until| until > now);
        let live: bool = columns.take()?;
        Ok((live || kept).then_some(holder))
    })?;
    Ok(found.flatten())
}

/// Gives a free key to a job, or leaves it with the job whose own it is. `span` is for how long each
/// run that gets the key keeps it.
pub(super) fn take(
    db: Db<'_>,
    spec: &JobSpec,
    until: Option<Timestamp>,
    span: Option<Millis>,
) -> Result<(), Fault> {
    if let Some(key) = &spec.key {
        db.run(
            sql::KEY_TAKE,
            params![
                spec.scope,
                key,
                spec.id.as_bytes(),
                spec.run_id.as_bytes(),
                row::instant(until),
                row::millis(span)
            ],
        )?;
    }
    Ok(())
}

/// Keeps a key until an instant at least, whatever becomes of its holder.
pub(super) fn keep(db: Db<'_>, spec: &JobSpec, until: Option<Timestamp>) -> Result<(), Fault> {
    if let (Some(key), Some(until)) = (&spec.key, until) {
        db.run(sql::KEY_KEEP, params![spec.scope, key, until.0])?;
    }
    Ok(())
}

/// Lines a job up behind the holder of the key in this spec.
pub(super) fn follow(
    db: Db<'_>,
    spec: &JobSpec,
    next: Follower,
    span: Option<Millis>,
) -> Result<(), Fault> {
    db.run(
        sql::KEY_FOLLOW,
        params![
            spec.scope,
            spec.key,
            next.job.as_bytes(),
            next.run.as_bytes(),
            next.from.0,
            row::millis(span)
        ],
    )?;
    Ok(())
}

/// Frees the key of a job that ends, if it is the job's own and not kept beyond `kept`. The job that
/// follows has the key then, and is given back.
pub(super) fn release(
    db: Db<'_>,
    spec: &JobSpec,
    kept: Timestamp,
    now: Timestamp,
) -> Result<Option<Follower>, Fault> {
    let Some(key) = &spec.key else {
        return Ok(None);
    };
    let id = spec.id.as_bytes();
    if seeded(Bug::KeyFreed) {
        db.run(FREE_WHOSEVER, params![spec.scope, key, id])?;
    }
    let next = db.first(sql::KEY_NEXT, params![spec.scope, key, id], |columns| {
        Ok((follower(columns)?, columns.take::<Option<i64>>()?))
    })?;
    if let Some((Some(next), span)) = next {
        let span = span.map(|span| Millis(span.cast_unsigned()));
        let until = passed_until(span, next.from, now);
        let params = params![spec.scope, key, row::instant(until)];
        db.run(sql::KEY_PASS, params)?;
        return Ok(Some(next));
    }
    db.run(sql::KEY_RELEASE, params![spec.scope, key, id, kept.0])?;
    // A follower that ends before its turn leaves its place.
    db.run(sql::KEY_UNFOLLOW, params![spec.scope, key, id])?;
    Ok(None)
}

fn follower(columns: &mut Columns<'_, '_>) -> Result<Option<Follower>, Fault> {
    let job = columns.maybe_id(JobId::from_bytes)?;
    let run = columns.maybe_id(RunId::from_bytes)?;
    let from = columns.maybe_instant()?;
    Ok(match (job, run, from) {
        (Some(job), Some(run), Some(from)) => Some(Follower { job, run, from }),
        _ => None,
    })
}
