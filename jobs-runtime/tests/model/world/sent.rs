//! Commits that are sent again, and what may come of it. One that its row has stored changes nothing.

use super::*;
use std::collections::BTreeSet;

/// A commit, and whether its row knows nothing of it: it was refused because another job held the
/// key, or the row was removed since and may be there again under its id.
#[derive(Clone)]
pub(super) struct Sent {
    pub(super) commit: Commit,
    is_new: bool,
}

impl World {
    /// To be sent again, in place of the same one if it was sent before.
    pub(super) fn keep(&mut self, commit: Commit, answer: Option<&CommitAnswer>) {
        let is_new = matches!(answer, Some(CommitAnswer::Duplicate(_)));
        self.sent.retain(|sent| sent.commit != commit);
        self.sent.push(Sent { commit, is_new });
    }

    /// What a call amounts to: a person's change that is sent again, and of which the row knows
    /// nothing, is that change.
    pub(super) fn amounts_to(&self, op: &Op) -> Op {
        let Op::CommitAgain(which) = op else {
            return op.clone();
        };
        let sent = pick(&self.sent, which).filter(|sent| sent.is_new);
        match sent.and_then(|sent| sent.commit.settle.as_ref()) {
            Some(Settle::Requeue) => Op::Requeue {
                job: *which,
                from: None,
                stale: false,
            },
            Some(Settle::Cancel) => Op::Cancel(*which, false),
            _ => op.clone(),
        }
    }

    /// Rows that are gone take with them what they knew.
    pub(super) fn forget(&mut self, rows: &[Job]) {
        let there: BTreeSet<JobId> = rows.iter().map(|job| job.spec.id).collect();
        for sent in &mut self.sent {
            sent.is_new |= !there.contains(&sent.commit.job);
        }
    }
}
