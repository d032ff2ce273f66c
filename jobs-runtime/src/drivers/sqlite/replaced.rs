//! Enqueues that gave another job their input: what they are answered if they are sent again.

use super::fault::Fault;
use super::group::Tx;
use super::sql;
use crate::core::{JobId, REPLACED_FORGOTTEN, REPLACED_KEPT, RunId};
use rusqlite::params;

/// The job that got the input of this enqueue.
pub(super) fn by(tx: &Tx<'_>, request: JobId) -> Result<Option<(JobId, RunId)>, Fault> {
    tx.first(
        sql::REPLACED_FIND,
        params![request.as_bytes(), tx.now.0],
        |columns| {
            Ok((
                columns.id(JobId::from_bytes)?,
                columns.id(RunId::from_bytes)?,
            ))
        },
    )
}

/// Remembers which job got its input, and forgets some of those whose time is over.
pub(super) fn remember(
    tx: &Tx<'_>,
    request: JobId,
    (job, run): (JobId, RunId),
) -> Result<(), Fault> {
    let limit = i64::try_from(REPLACED_FORGOTTEN).unwrap_or(i64::MAX);
    tx.run(sql::REPLACED_PRUNE, params![tx.now.0, limit])?;
    tx.run(
        sql::REPLACED_INSERT,
        params![
            request.as_bytes(),
            job.as_bytes(),
            run.as_bytes(),
            tx.now.after(REPLACED_KEPT).0
        ],
    )?;
    Ok(())
}
