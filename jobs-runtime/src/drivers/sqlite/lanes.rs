//! The index of visible rows as lanes: one for each state, queue and priority, sorted by instant.
//!
//! Every question is a seek or two for each lane, however many rows there are in it.

use super::db::Db;
use super::fault::Fault;
use super::sql;
use crate::core::{JobId, State, Timestamp};
use rusqlite::params;

/// Queues with work that are looked at in one call.
pub(super) const QUEUE_LIMIT: usize = 10_000;

/// The states in which a row can be visible.
const STATES: [State; 3] = [State::Pending, State::Running, State::Suspended];

/// Rows of one state, queue and priority.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub(super) state: State,
    pub(super) queue: String,
    pub(super) priority: i64,
    /// The earliest instant in it.
    pub(super) first: Timestamp,
}

impl Lane {
    /// Its first visible rows, in the order of the claim.
    pub(super) fn visible(
        &self,
        db: Db<'_>,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<(Timestamp, JobId)>, Fault> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        db.all(
            sql::CLAIM_VISIBLE,
            params![self.state.as_str(), self.queue, self.priority, now.0, limit],
            |columns| Ok((columns.instant()?, columns.id(JobId::from_bytes)?)),
        )
    }
}

/// The queues that have rows with an instant, in any state, each once and sorted.
pub(super) fn queues(db: Db<'_>) -> Result<Vec<String>, Fault> {
    let mut found = Vec::new();
    for state in STATES {
        found.extend(walk(|after| {
            db.first(
                sql::CLAIM_QUEUE,
                params![state.as_str(), after],
                |columns| columns.take(),
            )
        })?);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Steps from name to name until there is none, or [`QUEUE_LIMIT`] have been found.
pub(super) fn walk(
    next: impl Fn(&str) -> Result<Option<String>, Fault>,
) -> Result<Vec<String>, Fault> {
    let mut found: Vec<String> = Vec::new();
    while found.len() < QUEUE_LIMIT
        && let Some(name) = next(found.last().map_or("", String::as_str))?
    {
        found.push(name);
    }
    Ok(found)
}

/// The lanes of these queues.
pub(super) fn lanes(db: Db<'_>, queues: &[String]) -> Result<Vec<Lane>, Fault> {
    let mut lanes = Vec::new();
    for queue in queues {
        for state in STATES {
            // Priorities are 0 to 9, so this loop is short.
            let mut after = -1;
            while let Some((priority, first)) = db.first(
                sql::CLAIM_LANE,
                params![state.as_str(), queue, after],
                |columns| Ok((columns.take()?, columns.instant()?)),
            )? {
                lanes.push(Lane {
                    state,
                    queue: queue.clone(),
                    priority,
                    first,
                });
                after = priority;
            }
        }
    }
    Ok(lanes)
}
