//! Idempotency keys: who holds one, and when it is free again (R8).

use super::db::Db;
use super::fault::Fault;
use super::sql;
use crate::core::{JobId, JobSpec, RunId, Timestamp};
use rusqlite::params;

/// The job that a key belongs to.
pub(super) struct Holder {
    pub(super) job: JobId,
    pub(super) run: RunId,
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
        };
        let kept = columns.maybe_instant()?.is_some_and(|until| until > now);
        let live: bool = columns.take()?;
        Ok((live || kept).then_some(holder))
    })?;
    Ok(found.flatten())
}

/// Gives a free key to a job, or leaves it with the job whose own it is.
pub(super) fn take(db: Db<'_>, spec: &JobSpec, until: Option<Timestamp>) -> Result<(), Fault> {
    if let Some(key) = &spec.key {
        db.run(
            sql::KEY_TAKE,
            params![
                spec.scope,
                key,
                spec.id.as_bytes(),
                spec.run_id.as_bytes(),
                until.map(|at| at.0)
            ],
        )?;
    }
    Ok(())
}

/// Frees the key of a job that ends, if it is the job's own and not kept for longer.
pub(super) fn release(db: Db<'_>, spec: &JobSpec, now: Timestamp) -> Result<(), Fault> {
    if let Some(key) = &spec.key {
        db.run(
            sql::KEY_RELEASE,
            params![spec.scope, key, spec.id.as_bytes(), now.0],
        )?;
    }
    Ok(())
}
