//! Retention: what may go, oldest first, in bounded batches, and the room on disk it gives back.

use super::fault::Fault;
use super::group::Tx;
use super::sql;
use crate::contract::{PruneBounds, Pruned};
use rusqlite::params;

/// Free pages given back to the file system by one call.
const VACUUM_LIMIT_PAGES: u32 = 1_000;

pub(super) fn prune(tx: &Tx<'_>, bounds: &PruneBounds) -> Result<Pruned, Fault> {
    tx.item(|tx| remove(tx, bounds))
}

fn remove(tx: &Tx<'_>, bounds: &PruneBounds) -> Result<Pruned, Fault> {
    let limit = i64::try_from(bounds.limit).unwrap_or(i64::MAX);
    let delete = |sql, before: crate::core::Timestamp| {
        tx.run(sql, params![before.0, limit])
            .map(|rows| rows as u64)
    };
    let pruned = Pruned {
        jobs: delete(sql::ENDED_PRUNE, bounds.ended_before)?,
        events: delete(sql::EVENT_PRUNE, bounds.events_expired_before)?,
        dead_letters: match bounds.dead_before {
            Some(before) => delete(sql::DEAD_PRUNE, before)?,
            None => 0,
        },
    };
    delete(sql::KEY_PRUNE, tx.now)?;
    delete(sql::REPLACED_PRUNE, tx.now)?;
    vacuum(tx)?;
    Ok(pruned)
}

/// Each step of the pragma frees a page, so it is stepped to its end. It does nothing to a file
/// that was made without `auto_vacuum = incremental`.
fn vacuum(tx: &Tx<'_>) -> Result<(), Fault> {
    let Some(connection) = tx.own() else {
        return Ok(());
    };
    let pragma = format!("PRAGMA incremental_vacuum({VACUUM_LIMIT_PAGES})");
    let mut statement = connection.prepare(&pragma)?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}
