//! The one index of live jobs: by queue, state, priority and `visible_at`, so that neither a
//! claim nor a count ever walks over jobs that it does not want.

use super::row::Row;
use crate::core::{JobId, Priority, State, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(super) struct Lanes {
    queues: BTreeMap<String, Queue>,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    lanes: BTreeMap<(State, Priority), BTreeSet<(Timestamp, JobId)>>,
    /// Suspended without an instant: only an event, a child or a person moves them.
    parked: BTreeSet<JobId>,
}

impl Lanes {
    pub(super) fn insert(&mut self, row: &Row) {
        let queue = self.queues.entry(row.spec.queue.clone()).or_default();
        match row.head.visible_at {
            Some(at) => {
                let lane = (row.head.state, row.spec.priority);
                queue
                    .lanes
                    .entry(lane)
                    .or_default()
                    .insert((at, row.spec.id));
            }
            None => {
                queue.parked.insert(row.spec.id);
            }
        }
    }

    /// Removes a row, which must still be as it was when it was inserted.
    pub(super) fn remove(&mut self, row: &Row) {
        let Some(queue) = self.queues.get_mut(&row.spec.queue) else {
            return;
        };
        match row.head.visible_at {
            Some(at) => {
                let key = (row.head.state, row.spec.priority);
                if let Some(lane) = queue.lanes.get_mut(&key) {
                    lane.remove(&(at, row.spec.id));
                    if lane.is_empty() {
                        queue.lanes.remove(&key);
                    }
                }
            }
            None => {
                queue.parked.remove(&row.spec.id);
            }
        }
        if queue.lanes.is_empty() && queue.parked.is_empty() {
            self.queues.remove(&row.spec.queue);
        }
    }

    pub(super) fn queues(&self) -> impl Iterator<Item = (&String, &Queue)> {
        self.queues.iter()
    }
}

impl Queue {
    /// The job that comes first among those visible at `now`, with what it is ordered by.
    pub(super) fn first(&self, now: Timestamp) -> Option<(Priority, Timestamp, JobId)> {
        self.lanes
            .iter()
            .filter_map(|((_, priority), lane)| {
                let (at, id) = lane.first()?;
                (*at <= now).then_some((*priority, *at, *id))
            })
            .min()
    }

    /// When the next job becomes visible.
    pub(super) fn next_visible_at(&self) -> Option<Timestamp> {
        let firsts = self.lanes.values().filter_map(BTreeSet::first);
        firsts.map(|(at, _)| *at).min()
    }

    /// When the longest waiting of the jobs in this state became or becomes visible.
    pub(super) fn oldest(&self, state: State) -> Option<Timestamp> {
        self.of(state)
            .filter_map(BTreeSet::first)
            .map(|(at, _)| *at)
            .min()
    }

    /// Pending jobs that are visible at `now`, counted no further than `limit`.
    pub(super) fn ready(&self, now: Timestamp, limit: usize) -> usize {
        let lanes = self.of(State::Pending);
        lanes
            .flat_map(|lane| lane.iter().take_while(|(at, _)| *at <= now))
            .take(limit)
            .count()
    }

    /// Pending jobs that are not visible yet, counted no further than `limit`.
    pub(super) fn delayed(&self, now: Timestamp, limit: usize) -> usize {
        let lanes = self.of(State::Pending);
        lanes
            .flat_map(|lane| lane.iter().rev().take_while(|(at, _)| *at > now))
            .take(limit)
            .count()
    }

    /// Jobs in this state.
    pub(super) fn total(&self, state: State) -> usize {
        let timed: usize = self.of(state).map(BTreeSet::len).sum();
        match state {
            State::Suspended => timed + self.parked.len(),
            _ => timed,
        }
    }

    fn of(&self, state: State) -> impl Iterator<Item = &BTreeSet<(Timestamp, JobId)>> {
        self.lanes
            .iter()
            .filter(move |((own, _), _)| *own == state)
            .map(|(_, lane)| lane)
    }
}
