//! Retention: what may go, oldest first by id, in bounded batches.

use super::row::Row;
use super::store::Store;
use crate::contract::{PruneBounds, Pruned};
use crate::core::{JobId, Timestamp};
use std::collections::BTreeMap;

impl Store {
    pub(super) fn prune(&mut self, bounds: &PruneBounds, now: Timestamp) -> Pruned {
        let jobs = ended_before(&self.archive, bounds.ended_before, bounds.limit);
        let dead = bounds.dead_before.map_or_else(Vec::new, |before| {
            ended_before(&self.dead, before, bounds.limit)
        });
        for id in jobs.iter().chain(&dead) {
            self.forget(*id);
        }
        self.drop_stale_keys(bounds.limit, now);
        self.replaced.forget(bounds.limit, now);
        Pruned {
            jobs: jobs.len() as u64,
            events: self.prune_events(bounds),
            dead_letters: dead.len() as u64,
        }
    }

    fn forget(&mut self, id: JobId) {
        let Some(row) = self.take(id) else { return };
        if self.runs.get(&row.spec.run_id) == Some(&id) {
            self.runs.remove(&row.spec.run_id);
        }
    }

    fn prune_events(&mut self, bounds: &PruneBounds) -> u64 {
        let over: Vec<u64> = self
            .events
            .iter()
            .filter(|(_, row)| row.event.expires_at < bounds.events_expired_before)
            .map(|(seq, _)| *seq)
            .take(bounds.limit)
            .collect();
        for seq in &over {
            if let Some(row) = self.events.remove(seq) {
                self.event_ids.remove(&row.event.id);
            }
        }
        over.len() as u64
    }

    fn drop_stale_keys(&mut self, limit: usize, now: Timestamp) {
        let stale: Vec<_> = self
            .keys
            .iter()
            .filter(|(_, hold)| {
                !self.live.contains_key(&hold.job) && hold.until.is_none_or(|until| until <= now)
            })
            .map(|(key, _)| key.clone())
            .take(limit)
            .collect();
        for key in stale {
            self.keys.remove(&key);
        }
    }
}

fn ended_before(rows: &BTreeMap<JobId, Box<Row>>, before: Timestamp, limit: usize) -> Vec<JobId> {
    rows.iter()
        .filter(|(_, row)| row.head.ended_at.is_some_and(|at| at < before))
        .map(|(id, _)| *id)
        .take(limit)
        .collect()
}
