//! Counts by queue, each up to a bound.

use crate::contract::QueueStats;
use crate::core::{State, Timestamp};
use crate::drivers::model::Store;
use std::collections::BTreeSet;

/// Rows of one queue and state that are counted; the answer is a floor beyond.
const COUNT_LIMIT_ROWS: usize = 10_000;

impl Store {
    pub(super) fn stats(&self, now: Timestamp) -> Vec<QueueStats> {
        let dead = self.dead_by_queue.keys();
        let live = self.lanes.queues().map(|(name, _)| name);
        let names: BTreeSet<&String> = dead.chain(live).collect();
        names
            .into_iter()
            .map(|name| self.queue_stats(name, now))
            .collect()
    }

    fn queue_stats(&self, name: &str, now: Timestamp) -> QueueStats {
        let queue = self
            .lanes
            .queues()
            .find_map(|(own, queue)| (own == name).then_some(queue));
        let total = |state| queue.map_or(0, |queue| queue.total(state).min(COUNT_LIMIT_ROWS));
        let ready = queue.map_or(0, |queue| queue.ready(now, COUNT_LIMIT_ROWS));
        let delayed = queue.map_or(0, |queue| queue.delayed(now, COUNT_LIMIT_ROWS));
        let running = total(State::Running);
        let suspended = total(State::Suspended);
        let oldest = queue.and_then(|queue| queue.oldest(State::Pending));
        let dead = self
            .dead_by_queue
            .get(name)
            .map_or(0, |count| (*count).min(COUNT_LIMIT_ROWS as u64));
        let counts = [ready, delayed, running, suspended].map(|count| count as u64);
        QueueStats {
            queue: name.to_owned(),
            ready: counts[0],
            delayed: counts[1],
            running: counts[2],
            suspended: counts[3],
            dead,
            oldest_ready: oldest.filter(|at| *at <= now).map(|at| now.since(at)),
            at_least: counts
                .into_iter()
                .chain([dead])
                .any(|count| count >= COUNT_LIMIT_ROWS as u64),
        }
    }
}
