//! All that is told of one job.

use super::{Index, Made, life_of};
use crate::core::{JobId, Timestamp, Token};
use crate::torture::history::{Effect, Entry, Leased, Life, Settled};

/// A lease that somebody was told of.
#[derive(Clone, Debug)]
pub(in crate::torture::check) struct Held<'h> {
    pub(in crate::torture::check) life: Life,
    pub(in crate::torture::check) lease: &'h Leased,
    /// Where it was told.
    pub(in crate::torture::check) told: usize,
    /// Where the claim was made.
    pub(in crate::torture::check) asked: usize,
    /// Its last known end.
    pub(in crate::torture::check) until: Timestamp,
    /// Calls that settle it and may be done.
    pub(in crate::torture::check) settles: Vec<usize>,
}

impl Held<'_> {
    /// The call that settled it for certain.
    pub(in crate::torture::check) fn settled<'h>(
        &self,
        index: &Index<'h>,
    ) -> Option<(Made<'h>, Settled)> {
        let made = self.settles.iter().map(|at| index.made[*at]);
        let mut applied = made.filter(Made::is_applied);
        let made = applied.next()?;
        Some((made, made.settle()?))
    }
}

/// All that is told of a job. Lists are in the order of the history.
#[derive(Default)]
pub(in crate::torture::check) struct Line<'h> {
    pub(in crate::torture::check) id: Option<JobId>,
    /// Calls that ask for this job.
    pub(in crate::torture::check) enqueues: Vec<usize>,
    /// Sorted by epoch.
    pub(in crate::torture::check) leases: Vec<Held<'h>>,
    /// Commits under a lease.
    pub(in crate::torture::check) commits: Vec<usize>,
    /// Changes by people.
    pub(in crate::torture::check) changes: Vec<usize>,
    /// Heartbeats.
    pub(in crate::torture::check) beats: Vec<usize>,
    /// Places of begun effects.
    pub(in crate::torture::check) effects: Vec<usize>,
    /// Places of its rows in the dump.
    pub(in crate::torture::check) dumped: Vec<usize>,
}

impl<'h> Line<'h> {
    pub(in crate::torture::check) fn name(&self) -> String {
        self.id.map_or_else(String::new, |id| format!("job {id}"))
    }

    /// The queue that it was enqueued into.
    pub(in crate::torture::check) fn queue(&self, index: &Index<'h>) -> Option<&'h str> {
        let first = self.enqueues.first()?;
        let call = index.made[*first].enqueue()?;
        Some(&call.queue)
    }

    pub(in crate::torture::check) fn lease(&self, token: Token) -> Option<&Held<'h>> {
        let mut from_last = self.leases.iter().rev();
        from_last.find(|held| held.lease.token == token)
    }

    /// Revivals that may be done.
    pub(in crate::torture::check) fn requeues(
        &self,
        index: &Index<'h>,
    ) -> impl Iterator<Item = Made<'h>> {
        let changes = self.changes.iter().map(|at| index.made[*at]);
        changes.filter(|made| made.may_be_done() && made.settle() == Some(Settled::Requeue))
    }

    /// Whether a revival may be done after the first place and before the second.
    pub(in crate::torture::check) fn is_requeued(
        &self,
        index: &Index<'h>,
        after: usize,
        before: usize,
    ) -> bool {
        self.requeues(index)
            .any(|made| made.begin < before && made.end > after)
    }

    /// The lease in which an effect was begun.
    pub(in crate::torture::check) fn lease_of(
        &self,
        at: usize,
        entry: &Entry,
        effect: &Effect,
    ) -> Option<&Held<'h>> {
        let life = life_of(entry);
        let fits = |held: &&Held<'h>| {
            held.told < at
                && match effect.epoch {
                    Some(epoch) => held.lease.token.epoch == epoch,
                    None => held.life == life && held.lease.attempt == effect.attempt,
                }
        };
        self.leases.iter().rev().find(fits)
    }
}
