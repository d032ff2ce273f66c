//! The one index of live jobs: by queue, state, priority, lane and `visible_at`, so that neither a
//! claim nor a count ever walks over jobs that it does not want.

use super::row::Row;
use crate::core::{Group, JobId, Lane, Millis, Priority, State, Timestamp, VisibleJob};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes {
    queues: BTreeMap<String, Queue>,
}

/// Jobs in the order of the claim.
type Rows = BTreeSet<VisibleJob>;

#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    lanes: BTreeMap<(State, Priority), BTreeMap<Lane, Rows>>,
    /// Suspended without an instant: only an event, a child or a person moves them.
    parked: BTreeSet<JobId>,
}

impl Lanes {
    pub(crate) fn insert(&mut self, row: &Row) {
        let queue = self.queues.entry(row.spec.queue.clone()).or_default();
        match row.head.visible_at {
            Some(at) => {
                let lane = (row.head.state, row.spec.priority);
                queue
                    .lanes
                    .entry(lane)
                    .or_default()
                    .entry(Lane::of(&row.spec))
                    .or_default()
                    .insert((at, row.spec.id));
            }
            None => {
                queue.parked.insert(row.spec.id);
            }
        }
    }

    /// Removes a row, which must still be as it was when it was inserted.
    pub(crate) fn remove(&mut self, row: &Row) {
        let Some(queue) = self.queues.get_mut(&row.spec.queue) else {
            return;
        };
        match row.head.visible_at {
            Some(at) => {
                let key = (row.head.state, row.spec.priority);
                let own = Lane::of(&row.spec);
                if let Some(lanes) = queue.lanes.get_mut(&key)
                    && let Some(lane) = lanes.get_mut(&own)
                {
                    lane.remove(&(at, row.spec.id));
                    if lane.is_empty() {
                        lanes.remove(&own);
                    }
                    if lanes.is_empty() {
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

    pub(crate) fn queues(&self) -> impl Iterator<Item = (&String, &Queue)> {
        self.queues.iter()
    }
}

impl Queue {
    /// The priorities that have rows with an instant.
    pub(crate) fn priorities(&self) -> BTreeSet<Priority> {
        self.lanes.keys().map(|(_, priority)| *priority).collect()
    }

    /// The lanes with rows of a priority, each once and sorted.
    pub(crate) fn lanes(&self, priority: Priority) -> BTreeSet<&Lane> {
        let of_priority = self.lanes.iter().filter(|((_, own), _)| *own == priority);
        of_priority.flat_map(|(_, lanes)| lanes.keys()).collect()
    }

    /// The job that comes first among those of a lane in these states that are visible at `now`.
    pub(crate) fn first(
        &self,
        states: &[State],
        priority: Priority,
        lane: &Lane,
        now: Timestamp,
    ) -> Option<VisibleJob> {
        let firsts = states.iter().filter_map(|state| {
            let lane = self.lanes.get(&(*state, priority))?.get(lane)?;
            lane.first().copied()
        });
        firsts.filter(|(at, _)| *at <= now).min()
    }

    /// When the next job becomes visible that may then be taken: jobs that are visible in a lane
    /// which is `held` back do not count.
    pub(crate) fn next_visible_at(
        &self,
        now: Timestamp,
        held: impl Fn(&Lane) -> bool,
    ) -> Option<Timestamp> {
        let lanes = self.lanes.values().flatten();
        let next = |(lane, rows): (&Lane, &Rows)| {
            let (first, _) = rows.first()?;
            if *first > now || !held(lane) {
                return Some(*first);
            }
            let later = (now.after(Millis(1)), JobId::from_bytes([0; 16]));
            rows.range(later..).map(|(at, _)| *at).next()
        };
        lanes.filter_map(next).min()
    }

    /// Leases of a group in this queue, whose name is given, that are live at `now`.
    pub(crate) fn live(&self, name: &str, group: &Group, now: Timestamp) -> usize {
        self.lanes
            .iter()
            .filter(|((state, _), _)| *state == State::Running)
            .flat_map(|(_, lanes)| lanes)
            .filter(|(lane, _)| Group::of(name, lane).contains(group))
            .flat_map(|(_, rows)| rows.iter().rev().take_while(|(at, _)| *at > now))
            .count()
    }

    /// When the longest waiting of the jobs in this state became or becomes visible.
    pub(crate) fn oldest(&self, state: State) -> Option<Timestamp> {
        self.of(state)
            .filter_map(BTreeSet::first)
            .map(|(at, _)| *at)
            .min()
    }

    /// Pending jobs that are visible at `now`, counted no further than `limit`.
    pub(crate) fn ready(&self, now: Timestamp, limit: usize) -> usize {
        let lanes = self.of(State::Pending);
        lanes
            .flat_map(|lane| lane.iter().take_while(|(at, _)| *at <= now))
            .take(limit)
            .count()
    }

    /// Pending jobs that are not visible yet, counted no further than `limit`.
    pub(crate) fn delayed(&self, now: Timestamp, limit: usize) -> usize {
        let lanes = self.of(State::Pending);
        lanes
            .flat_map(|lane| lane.iter().rev().take_while(|(at, _)| *at > now))
            .take(limit)
            .count()
    }

    /// Jobs in this state.
    pub(crate) fn total(&self, state: State) -> usize {
        let timed: usize = self.of(state).map(BTreeSet::len).sum();
        match state {
            State::Suspended => timed + self.parked.len(),
            _ => timed,
        }
    }

    fn of(&self, state: State) -> impl Iterator<Item = &Rows> {
        self.lanes
            .iter()
            .filter(move |((own, _), _)| *own == state)
            .flat_map(|(_, lanes)| lanes.values())
    }
}
