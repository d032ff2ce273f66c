//! Counts by queue, each up to a bound, so that a long queue costs no more than a short one.

use super::db::{Db, Values};
use super::fault::Fault;
use super::{lanes, sql};
use crate::contract::QueueStats;
use crate::core::{State, Timestamp};
use rusqlite::params;

/// Rows of one queue and state that are counted; the answer is a floor beyond.
const COUNT_LIMIT_ROWS: u64 = 10_000;

/// Lanes of one queue, state and priority that are looked at; the answer is a floor beyond.
const STRIP_LIMIT: usize = 1_000;

pub(super) fn stats(db: Db<'_>, now: Timestamp) -> Result<Vec<QueueStats>, Fault> {
    let next =
        |sql| lanes::walk(move |after| db.first(sql, [after], |columns| columns.take::<String>()));
    let mut queues = lanes::queues(db)?;
    queues.extend(next(sql::STATS_PARKED_QUEUE)?);
    queues.extend(next(sql::STATS_DEAD_QUEUE)?);
    queues.sort_unstable();
    queues.dedup();
    queues
        .into_iter()
        .map(|queue| queue_stats(db, queue, now))
        .collect()
}

fn queue_stats(db: Db<'_>, queue: String, now: Timestamp) -> Result<QueueStats, Fault> {
    let strips = lanes::strips(db, std::slice::from_ref(&queue), STRIP_LIMIT)?;
    let pending = || strips.iter().filter(|strip| strip.state == State::Pending);
    let (mut ready, mut delayed) = (0, 0);
    for strip in pending() {
        let left = |counted: u64| (COUNT_LIMIT_ROWS - counted).cast_signed();
        let (priority, lane) = (strip.priority, &strip.lane);
        let seen = params![queue, priority, lane, now.0, left(ready)];
        ready += count(db, sql::STATS_READY, seen)?;
        let seen = params![queue, priority, lane, now.0, left(delayed)];
        delayed += count(db, sql::STATS_DELAYED, seen)?;
    }
    // Each strip that was left out has at least one row.
    let is_cut = pending().count() >= STRIP_LIMIT;
    let limit = COUNT_LIMIT_ROWS.cast_signed();
    let state = |state: State| count(db, sql::STATS_STATE, params![state.as_str(), queue, limit]);
    let parked = count(db, sql::STATS_PARKED, params![queue, limit])?;
    let running = state(State::Running)?;
    let suspended = (state(State::Suspended)? + parked).min(COUNT_LIMIT_ROWS);
    let dead = count(db, sql::STATS_DEAD, params![queue, limit])?;
    let oldest = pending().map(|strip| strip.first.0).min();
    Ok(QueueStats {
        queue,
        ready,
        delayed,
        running,
        suspended,
        dead,
        oldest_ready: oldest.filter(|at| *at <= now).map(|at| now.since(at)),
        at_least: [ready, delayed, running, suspended, dead]
            .into_iter()
            .any(|counted| counted >= COUNT_LIMIT_ROWS)
            || is_cut,
    })
}

fn count(db: Db<'_>, sql: &str, params: impl Values) -> Result<u64, Fault> {
    Ok(db
        .first(sql, params, |columns| columns.bits())?
        .unwrap_or(0))
}
