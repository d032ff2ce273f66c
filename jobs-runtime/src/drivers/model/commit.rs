//! Commit: what `core` decided, with everything that changes together.

use super::children::children_of;
use super::lacks::{Need, Part};
use super::row::Row;
use super::store::{Hint, KeyHold, Store};
use crate::contract::{Capabilities, Conflicted};
use crate::core::{
    self, Applied, Commit, CommitAnswer, CommitGuard, Decision, Head, JobId, NewJob, Nudge, Settle,
    State, StoredError, Timestamp,
};
use crate::torture::seeded;

impl Store {
    pub(crate) fn commit(
        &mut self,
        commit: &Commit,
        capabilities: &Capabilities,
        now: Timestamp,
    ) -> CommitAnswer {
        let Some(row) = self.find(commit.job) else {
            return match commit.guard {
                CommitGuard::Lease(_) => CommitAnswer::LeaseLost,
                CommitGuard::Revision(_) => CommitAnswer::Conflict,
            };
        };
        match seeded::decide(&row.head, commit, now) {
            // An earlier try was applied. What the writer has not seen must be in this answer
            // too: it takes its absence for "there was nothing".
            Decision::Answer(CommitAnswer::Applied(_)) => {
                if !commit.children.is_empty() {
                    self.needs_part(commit.job, Part::Whole);
                }
                CommitAnswer::Applied(Applied {
                    children: children_of(row, commit),
                    nudge: self.news(row, commit.seen_nudge),
                })
            }
            Decision::Answer(answer) => answer,
            Decision::Nudged => {
                self.needs_part(commit.job, Part::News);
                CommitAnswer::Nudged(row.nudge())
            }
            Decision::Apply { head, error } => {
                if let Some(holder) = self.newer_holder(row, commit, now) {
                    return CommitAnswer::Duplicate(holder);
                }
                self.apply(commit, head, error, capabilities, now)
            }
        }
    }

    /// The job that took a requeued job's key in the meantime.
    fn newer_holder(&self, row: &Row, commit: &Commit, now: Timestamp) -> Option<JobId> {
        if commit.settle != Some(Settle::Requeue) {
            return None;
        }
        let key = row.spec.key.as_deref()?;
        let hold = self.holder(&row.spec.scope, key, now)?;
        (hold.job != row.spec.id).then_some(hold.job)
    }

    fn apply(
        &mut self,
        commit: &Commit,
        head: Head,
        error: Option<StoredError>,
        capabilities: &Capabilities,
        now: Timestamp,
    ) -> CommitAnswer {
        if !commit.removed.is_empty() {
            self.needs_part(commit.job, Part::Whole);
        }
        if head.state == State::Cancelled {
            self.needs_part(commit.job, Part::Spec);
        }
        self.stop_waiting(commit);
        let Some(mut row) = self.take(commit.job) else {
            return CommitAnswer::LeaseLost;
        };
        let clean_up = (head.state == State::Cancelled)
            .then(|| core::clean_up(&row.spec, &row.head, now))
            .flatten();
        if row.head.state == State::Running && commit.settle.is_some() {
            self.hint(Hint::Freed);
        }
        write_down(&mut row, commit, head);
        if commit.settle == Some(Settle::Requeue) {
            self.retake_key(&row);
        }
        if row.head.state.is_live() {
            if error.is_some() {
                row.notes.error = error;
            }
            if row.head.visible_at.is_some() && commit.settle.is_some() {
                self.hint(Hint::Ready);
            }
            self.put(row);
            if touches_waits(commit) {
                self.match_stored(commit.job, now);
            }
            if commit.settle == Some(Settle::Requeue) {
                self.wait_again(commit.job, now);
            }
        } else {
            if let Some(Settle::Continue { next }) = &commit.settle {
                self.go_on(&mut row, next, now);
            }
            // Before the children: one of them may carry the key that becomes free here.
            self.put_ended(row, error, now);
            if commit.settle == Some(Settle::Cancel) {
                self.cancel_owned(commit.job, now);
            }
        }
        if let Some(clean_up) = clean_up {
            // Refused only if it is there already.
            drop(self.insert(&clean_up, now));
        }
        let (children, nudge) = self.consequences(commit, capabilities, now);
        CommitAnswer::Applied(Applied { children, nudge })
    }

    /// Stores the children and events that a commit carries, and gives the news of its job.
    pub(crate) fn consequences(
        &mut self,
        commit: &Commit,
        capabilities: &Capabilities,
        now: Timestamp,
    ) -> (Vec<JobId>, Option<Nudge>) {
        let children = commit
            .children
            .iter()
            .map(|child| self.adopt(commit.job, child, capabilities, now))
            .collect();
        for event in &commit.events {
            self.publish(event, now);
        }
        let row = self.find(commit.job);
        (
            children,
            row.and_then(|row| self.news(row, commit.seen_nudge)),
        )
    }

    /// The news of a row for somebody who has seen this nudge.
    fn news(&self, row: &Row, seen: u64) -> Option<Nudge> {
        if row.head.nudge > seen {
            self.needs_part(row.spec.id, Part::News);
        }
        row.news(seen)
    }

    fn retake_key(&mut self, row: &Row) {
        let Some(key) = &row.spec.key else { return };
        self.needs(|| Need::Key(row.spec.scope.clone(), key.clone()));
        let hold = self
            .keys
            .entry((row.spec.scope.clone(), key.clone()))
            .or_insert(KeyHold {
                job: row.spec.id,
                run: row.spec.run_id,
                until: None,
                span: None,
                next: None,
            });
        if hold.job != row.spec.id {
            // Its former holder has ended and its time is over, or this would be a duplicate.
            *hold = KeyHold {
                job: row.spec.id,
                run: row.spec.run_id,
                until: None,
                span: None,
                next: None,
            };
        }
    }

    /// Enqueues the run that goes on where this one ends. It takes the key over, also one that is
    /// kept for longer; a job that follows already goes before it. Either gets the events.
    fn go_on(&mut self, row: &mut Row, next: &NewJob, now: Timestamp) {
        self.release_key(row, Timestamp(i64::MAX), now);
        row.notes.continued_to = match self.insert(next, now) {
            Ok(enqueued) => Some(enqueued.id),
            Err(Conflicted::KeyTaken(holder)) => Some(holder),
            Err(Conflicted::Refused(_)) => None,
        };
        if let Some(next) = row.notes.continued_to {
            self.carry(row, next, now);
        }
    }
}

/// Whether a stored event may serve the run after this commit that did not before: there are new
/// waits, or room for more. Most commits are of plain steps, and must not cost a look at all.
fn touches_waits(commit: &Commit) -> bool {
    let mut records = commit.records.iter();
    !commit.removed.is_empty()
        || commit.settle == Some(Settle::Requeue)
        || records.any(|record| record.wait.is_some() || record.event.is_some())
}

/// Everything of a commit that touches only its own row.
fn write_down(row: &mut Row, commit: &Commit, head: Head) {
    row.head = head;
    for name in &commit.removed {
        row.journal.remove(name);
    }
    for record in &commit.records {
        row.journal.insert(record.clone());
    }
    if let Some(Settle::Ack { output }) = &commit.settle {
        row.notes.output = Some(output.clone());
    }
    if let Some(progress) = &commit.progress {
        row.notes.progress = Some(progress.clone());
    }
    if let Some(trace) = &commit.trace {
        row.notes.trace = Some(trace.clone());
    }
    row.append_log(&commit.log);
}
