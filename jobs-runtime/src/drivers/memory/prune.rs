//! Retention: what may go, oldest first by id, in bounded batches.

use crate::contract::{PruneBounds, Pruned, rules_of};
use crate::core::{JobId, State, Timestamp};
use crate::drivers::model::{Row, Store};
use std::collections::BTreeMap;

/// When a job ended, and which it is: the order in which retention removes.
type EndedJob = (Option<Timestamp>, JobId);

impl Store {
    pub(super) fn prune(&mut self, bounds: &PruneBounds, now: Timestamp) -> Pruned {
        let mut jobs = ended_before(&self.archive, bounds.ended_before, bounds.limit);
        jobs.extend(self.ruled_out(bounds, now));
        let dead = bounds.dead_before.map_or_else(Vec::new, |before| {
            ended_before(&self.dead, before, bounds.limit)
        });
        jobs.sort_unstable();
        jobs.dedup();
        for id in jobs.iter().chain(&dead) {
            self.forget(*id);
        }
        self.drop_stale_keys(bounds.limit, now);
        self.replaced.forget(bounds.limit, now);
        let events = self.prune_events(bounds);
        self.marks.forget(&self.events);
        Pruned {
            jobs: jobs.len() as u64,
            events,
            dead_letters: dead.len() as u64,
            freed_bytes: 0,
        }
    }

    /// What the rules let go, so many for each of them and each name.
    fn ruled_out(&self, bounds: &PruneBounds, now: Timestamp) -> Vec<JobId> {
        let spared = Some(bounds.not_spared(now));
        let mut ended: BTreeMap<(&str, State), Vec<EndedJob>> = BTreeMap::new();
        for (id, row) in &self.archive {
            let place = (row.spec.name.as_str(), row.head.state);
            ended
                .entry(place)
                .or_default()
                .push((row.head.ended_at, *id));
        }
        let mut out = Vec::new();
        for ((name, state), mut jobs) in ended {
            jobs.sort_unstable();
            for rule in rules_of(&bounds.rules, name, state) {
                let may_go = |(at, _): &&EndedJob| *at < spared;
                let old = |(at, _): &&EndedJob| *at < rule.before;
                let aged = jobs.iter().filter(old).filter(may_go).take(bounds.limit);
                out.extend(aged.map(|(_, id)| *id));
                let kept = rule.keep.map_or(jobs.len(), |keep| {
                    usize::try_from(keep).unwrap_or(usize::MAX)
                });
                let surplus = jobs.iter().rev().skip(kept);
                let surplus = surplus.filter(may_go).take(bounds.limit);
                out.extend(surplus.map(|(_, id)| *id));
            }
        }
        out
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
