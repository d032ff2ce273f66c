//! The index of visible rows as strips: one for each state, queue, priority and lane, sorted by
//! instant.
//!
//! Every question is a seek or two for each strip, however many rows there are in it.

use super::db::{Columns, Db};
use super::fault::Fault;
use super::sql;
use crate::core::{JobId, State, Timestamp, VisibleJob};
use rusqlite::params;

/// Queues with work that are looked at in one call.
pub(super) const QUEUE_LIMIT: usize = 10_000;

/// The states in which a row can be visible.
const STATES: [State; 3] = [State::Pending, State::Running, State::Suspended];

/// Rows of one state, queue, priority and lane.
#[derive(Clone, Debug)]
pub(super) struct Strip {
    pub(super) state: State,
    pub(super) queue: String,
    pub(super) priority: i64,
    /// The text of the lane.
    pub(super) lane: String,
    /// The row with the earliest instant in it.
    pub(super) first: VisibleJob,
}

impl Strip {
    /// Its visible rows after this one, in the order of the claim.
    pub(super) fn visible_after(
        &self,
        db: Db<'_>,
        now: Timestamp,
        (at, id): VisibleJob,
        limit: usize,
    ) -> Result<Vec<VisibleJob>, Fault> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let (state, queue) = (self.state.as_str(), &self.queue);
        db.all(
            sql::CLAIM_VISIBLE,
            params![
                state,
                queue,
                self.priority,
                self.lane,
                now.0,
                at.0,
                id.as_bytes(),
                limit
            ],
            |columns| Ok((columns.instant()?, columns.id(JobId::from_bytes)?)),
        )
    }

    /// When its first row becomes visible that is not so at `now`.
    pub(super) fn later(&self, db: Db<'_>, now: Timestamp) -> Result<Option<Timestamp>, Fault> {
        let (state, queue) = (self.state.as_str(), &self.queue);
        db.first(
            sql::CLAIM_LATER,
            params![state, queue, self.priority, self.lane, now.0],
            |columns| columns.instant(),
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

/// The strips of these queues, at most `limit` of each state, queue and priority.
pub(super) fn strips(db: Db<'_>, queues: &[String], limit: usize) -> Result<Vec<Strip>, Fault> {
    let mut strips: Vec<Strip> = Vec::new();
    for queue in queues {
        for state in STATES {
            let mut found = next_priority(db, state, queue, -1)?;
            let mut of_priority = 0;
            while let Some(strip) = found {
                of_priority += 1;
                found = match of_priority < limit {
                    true => next(
                        db,
                        sql::CLAIM_LANE,
                        state,
                        queue,
                        strip.priority,
                        &strip.lane,
                    )?,
                    // Enough of this priority.
                    false => None,
                };
                if found.is_none() {
                    of_priority = 0;
                    found = next_priority(db, state, queue, strip.priority)?;
                }
                strips.push(strip);
            }
        }
    }
    Ok(strips)
}

/// The strips of one queue and priority from a lane on, at most `limit` of each state.
pub(super) fn strips_from(
    db: Db<'_>,
    queue: &str,
    priority: i64,
    lane: &str,
    limit: usize,
) -> Result<Vec<Strip>, Fault> {
    let mut strips = Vec::new();
    for state in STATES {
        let mut found = next(db, sql::CLAIM_LANE_FROM, state, queue, priority, lane)?;
        let mut of_state = 0;
        while let Some(strip) = found {
            of_state += 1;
            found = match of_state < limit {
                true => next(db, sql::CLAIM_LANE, state, queue, priority, &strip.lane)?,
                false => None,
            };
            strips.push(strip);
        }
    }
    Ok(strips)
}

/// The strips of one lane, one for each state that it has rows in.
pub(super) fn strips_of(
    db: Db<'_>,
    queue: &str,
    priority: i64,
    lane: &str,
) -> Result<Vec<Strip>, Fault> {
    let mut strips = Vec::new();
    for state in STATES {
        let found = next(db, sql::CLAIM_LANE_FROM, state, queue, priority, lane)?;
        strips.extend(found.filter(|it| it.lane == lane));
    }
    Ok(strips)
}

/// The first strip of a state, queue and priority after, or from, this lane.
fn next(
    db: Db<'_>,
    statement: &'static str,
    state: State,
    queue: &str,
    priority: i64,
    lane: &str,
) -> Result<Option<Strip>, Fault> {
    db.first(
        statement,
        params![state.as_str(), queue, priority, lane],
        |columns| read(columns, state, queue),
    )
}

/// The first strip of a state and queue with a priority after this one.
fn next_priority(
    db: Db<'_>,
    state: State,
    queue: &str,
    priority: i64,
) -> Result<Option<Strip>, Fault> {
    db.first(
        sql::CLAIM_PRIORITY,
        params![state.as_str(), queue, priority],
        |columns| read(columns, state, queue),
    )
}

fn read(columns: &mut Columns<'_, '_>, state: State, queue: &str) -> Result<Strip, Fault> {
    Ok(Strip {
        state,
        queue: queue.to_owned(),
        priority: columns.take()?,
        lane: columns.take()?,
        first: (columns.instant()?, columns.id(JobId::from_bytes)?),
    })
}
