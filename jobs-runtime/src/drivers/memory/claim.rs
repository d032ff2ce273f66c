//! Claim and heartbeat: leases given and made longer.

use super::store::Store;
use crate::contract::{Beat, BeatAnswer, Claim, Claimed, Claims, QueueSetting};
use crate::core::{self, ClaimVerdict, JobId, Millis, State, Timestamp};
use crate::torture::seeded;
use std::collections::BTreeSet;

impl Store {
    pub(super) fn claim(&mut self, claim: &Claim, now: Timestamp) -> Claims {
        let queues = self.open_queues(claim);
        let mut leased: Vec<(JobId, Option<Timestamp>)> = Vec::new();
        while leased.len() < claim.limit
            && let Some(id) = self.first_visible(&queues, now)
            && let Some(mut row) = self.take(id)
        {
            let timeout = row
                .spec
                .visibility_timeout
                .unwrap_or(claim.visibility_timeout);
            match core::claim(&row.spec, &row.head, now, timeout, claim.nonce) {
                ClaimVerdict::Bury { head, error } | ClaimVerdict::Expire { head, error } => {
                    row.head = head;
                    self.put_ended(row, Some(error), now);
                }
                ClaimVerdict::Lease { head } => {
                    row.head = head;
                    row.notes.worker = Some(claim.worker.clone());
                    leased.push((id, row.head.visible_at));
                    // Back at once: a job that ends further down may have something to tell it. A
                    // lease of no length must not be found twice by one claim.
                    let later = now.after(Millis(1));
                    row.head.visible_at = row.head.visible_at.max(Some(later));
                    self.put(row);
                }
                ClaimVerdict::Skip => {
                    // Only what is visible was looked at, so the core cannot say so; if it does,
                    // going on would find the same row for ever.
                    self.put(row);
                    break;
                }
            }
        }
        let jobs = leased
            .into_iter()
            .filter_map(|(id, end)| self.claimed(id, end, now))
            .collect();
        Claims {
            jobs,
            now,
            next_visible_at: self.next_visible_at(&queues),
        }
    }

    /// What is told of a leased row, which ends when it was decided to.
    fn claimed(&mut self, id: JobId, end: Option<Timestamp>, now: Timestamp) -> Option<Claimed> {
        let mut row = self.take(id)?;
        row.head.visible_at = end;
        let claimed = Claimed {
            job: row.job(),
            journal: row.records(),
            nudge: row.nudge(),
        };
        row.head.visible_at = end.map(|end| seeded::lease_end(now, end));
        self.put(row);
        Some(claimed)
    }

    /// The names of the queues that may be served: those asked for, or all, less the paused.
    fn open_queues(&self, claim: &Claim) -> BTreeSet<String> {
        self.lanes
            .queues()
            .map(|(name, _)| name)
            .filter(|name| claim.queues.is_empty() || claim.queues.contains(name))
            .filter(|name| !self.is_paused(name))
            .cloned()
            .collect()
    }

    fn is_paused(&self, queue: &str) -> bool {
        self.settings
            .get(&QueueSetting::key(queue))
            .is_some_and(|setting| QueueSetting::read(&setting.value).paused)
    }

    fn first_visible(&self, queues: &BTreeSet<String>, now: Timestamp) -> Option<JobId> {
        self.lanes
            .queues()
            .filter(|(name, _)| queues.contains(*name))
            .filter_map(|(_, queue)| queue.first(now))
            .min()
            .map(|(_, _, id)| id)
    }

    fn next_visible_at(&self, queues: &BTreeSet<String>) -> Option<Timestamp> {
        self.lanes
            .queues()
            .filter(|(name, _)| queues.contains(*name))
            .filter_map(|(_, queue)| queue.next_visible_at())
            .min()
    }

    pub(super) fn heartbeat(&mut self, beat: &Beat, now: Timestamp) -> BeatAnswer {
        let Some(row) = self.find(beat.job) else {
            return BeatAnswer::Lost;
        };
        if row.head.state == State::Cancelled {
            return BeatAnswer::Cancelled;
        }
        let Some(head) = core::heartbeat(&row.head, beat.token, now, beat.visibility_timeout)
        else {
            return BeatAnswer::Lost;
        };
        let Some(mut row) = self.take(beat.job) else {
            return BeatAnswer::Lost;
        };
        let answer = BeatAnswer::Held {
            until: head.visible_at.unwrap_or(now),
            nudge: row.news(beat.seen_nudge),
            cancel_requested: head.cancel_requested,
        };
        let end = head.visible_at;
        row.head = head;
        row.head.visible_at = end.map(|end| seeded::lease_end(now, end));
        self.put(row);
        answer
    }
}
