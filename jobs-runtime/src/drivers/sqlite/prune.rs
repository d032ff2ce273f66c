//! Retention: what may go, oldest first, in bounded batches, and the room on disk it gives back.

use super::fault::Fault;
use super::group::Tx;
use super::{lanes, sql};
use crate::contract::{PruneBounds, Pruned, rules_of};
use crate::core::State;
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
    let mut pruned = Pruned {
        jobs: delete(sql::ENDED_PRUNE, bounds.ended_before)? + ruled_out(tx, bounds)?,
        events: delete(sql::EVENT_PRUNE, bounds.events_expired_before)?,
        dead_letters: match bounds.dead_before {
            Some(before) => delete(sql::DEAD_PRUNE, before)?,
            None => 0,
        },
        freed_bytes: 0,
    };
    delete(sql::KEY_PRUNE, tx.now)?;
    delete(sql::REPLACED_PRUNE, tx.now)?;
    tx.run(sql::MARK_PRUNE, [limit])?;
    // A pace in the past says what none says, whatever its rate.
    let micros = tx.now.0.saturating_mul(1000);
    tx.run(sql::PACE_PRUNE, params![micros, limit])?;
    pruned.freed_bytes = vacuum(tx)?;
    Ok(pruned)
}

/// Removes what the rules let go, so many for each of them and each name.
fn ruled_out(tx: &Tx<'_>, bounds: &PruneBounds) -> Result<u64, Fault> {
    if bounds.rules.is_empty() {
        return Ok(0);
    }
    let limit = i64::try_from(bounds.limit).unwrap_or(i64::MAX);
    let spared = bounds.not_spared(tx.now);
    let names = lanes::walk(|after| tx.first(sql::ENDED_NAME, [after], |columns| columns.take()))?;
    let mut removed = 0;
    for name in &names {
        for state in [State::Done, State::Failed, State::Cancelled] {
            for rule in rules_of(&bounds.rules, name, state) {
                if let Some(before) = rule.before {
                    let params = params![name, state.as_str(), before.min(spared).0, limit];
                    removed += tx.run(sql::ENDED_PRUNE_AGE, params)?;
                }
                if let Some(keep) = rule.keep {
                    let keep = i64::try_from(keep).unwrap_or(i64::MAX);
                    let params = params![name, state.as_str(), keep, limit, spared.0];
                    removed += tx.run(sql::ENDED_PRUNE_COUNT, params)?;
                }
            }
        }
    }
    Ok(removed as u64)
}

/// Each step of the pragma frees a page, so it is stepped to its end. It does nothing to a file
/// that was made without `auto_vacuum = incremental`.
fn vacuum(tx: &Tx<'_>) -> Result<u64, Fault> {
    let Some(connection) = tx.own() else {
        return Ok(0);
    };
    let page: u32 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let pragma = format!("PRAGMA incremental_vacuum({VACUUM_LIMIT_PAGES})");
    let mut statement = connection.prepare(&pragma)?;
    let mut rows = statement.query([])?;
    let mut freed = 0;
    while rows.next()?.is_some() {
        freed += u64::from(page);
    }
    Ok(freed)
}
