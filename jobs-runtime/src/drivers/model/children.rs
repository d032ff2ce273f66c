//! Children: enqueued with the commit that wants them, told of, and cancelled with their parent
//! (R10).

use super::lacks::{Need, Part};
use super::row::Row;
use super::store::Store;
use crate::Error;
use crate::contract::{Capabilities, Conflicted, check_job};
use crate::core::{
    Commit, InboxContent, JobId, NewJob, StepOutcome, StoredError, Timestamp,
    cancelled_with_parent, child_cycle, child_gone, clean_up,
};
use std::collections::{BTreeSet, VecDeque};

impl Store {
    /// Enqueues a child, or joins the job that holds its key. A child that is refused has ended by
    /// that: its parent is told, and the rest of the commit is not at fault.
    pub(crate) fn adopt(
        &mut self,
        parent: JobId,
        child: &NewJob,
        capabilities: &Capabilities,
        now: Timestamp,
    ) -> JobId {
        let asked = child.spec.id;
        let waits = child.spec.parent.is_some();
        if waits && let Some(error) = self.would_follow_an_ancestor(parent, child, now) {
            self.tell(parent, asked, StepOutcome::Failed(error), now);
            return asked;
        }
        let stored = check_job(child, capabilities)
            .map_err(Conflicted::Refused)
            .and_then(|()| self.insert(child, now));
        let verdict = match stored {
            Ok(enqueued) if waits => self.join(parent, asked, enqueued.id, now),
            Ok(enqueued) => {
                self.tell_detached(parent, asked, StepOutcome::Done(enqueued.payload()), now);
                return enqueued.id;
            }
            Err(Conflicted::KeyTaken(holder)) => {
                let key = child.spec.key.as_deref().unwrap_or_default();
                Err(Error::key_taken(&child.spec.name, key, holder).stored())
            }
            Err(Conflicted::Refused(error)) => Err(error.stored()),
        };
        match verdict {
            Ok(joined) => joined,
            Err(error) if waits => {
                self.tell(parent, asked, StepOutcome::Failed(error), now);
                asked
            }
            Err(error) => {
                self.tell_detached(parent, asked, StepOutcome::Failed(error), now);
                asked
            }
        }
    }

    /// A child that may take the place of another waits until that has ended; if that one waits
    /// for the parent, neither ever would.
    fn would_follow_an_ancestor(
        &self,
        parent: JobId,
        child: &NewJob,
        now: Timestamp,
    ) -> Option<StoredError> {
        let key = child.spec.key.as_ref().filter(|_| child.may_follow())?;
        let holder = self.holder(&child.spec.scope, key, now)?.job;
        let row = self.find(holder)?;
        self.waits_for(holder, parent)
            .then(|| child_cycle(&row.spec))
    }

    /// Lets a parent hear of a job's end, at once if it has ended.
    fn join(
        &mut self,
        parent: JobId,
        asked: JobId,
        joined: JobId,
        now: Timestamp,
    ) -> Result<JobId, StoredError> {
        if joined != asked {
            if self.waits_for(joined, parent)
                && let Some(row) = self.find(joined)
            {
                return Err(child_cycle(&row.spec));
            }
            self.rename_child(parent, asked, joined);
            self.forget_end(parent, joined);
        }
        self.hear_of(parent, joined, now);
        Ok(joined)
    }

    fn hear_of(&mut self, parent: JobId, child: JobId, now: Timestamp) {
        let Some(mut row) = self.take(child) else {
            return self.tell(parent, child, StepOutcome::Failed(child_gone(child)), now);
        };
        let outcome = row.outcome();
        if outcome.is_none() {
            row.told.insert(parent);
        }
        self.put(row);
        if let Some(outcome) = outcome {
            self.tell(parent, child, outcome, now);
        }
    }

    fn tell(&mut self, parent: JobId, job: JobId, outcome: StepOutcome, now: Timestamp) {
        let seq = self.next_seq();
        self.pin(parent, seq, InboxContent::Child { job, outcome }, now);
    }

    fn tell_detached(&mut self, parent: JobId, job: JobId, outcome: StepOutcome, now: Timestamp) {
        let seq = self.next_seq();
        self.pin(parent, seq, InboxContent::Detached { job, outcome }, now);
    }

    /// Whether `waiter` is `job`, or waits for its end directly or through others.
    fn waits_for(&self, waiter: JobId, job: JobId) -> bool {
        let mut seen = BTreeSet::from([job]);
        let mut next = VecDeque::from([job]);
        while let Some(job) = next.pop_front() {
            if job == waiter {
                return true;
            }
            let row = self.alive(job);
            if row.is_some() {
                self.needs_part(job, Part::Told);
            }
            let told = row.map(|row| &row.told);
            next.extend(told.into_iter().flatten().filter(|job| seen.insert(**job)));
        }
        false
    }

    /// What a parent was told of the end of a job that it joins: if a person has revived that
    /// since, it is not its end any more.
    fn forget_end(&mut self, parent: JobId, joined: JobId) {
        self.needs_part(parent, Part::Whole);
        if let Some(mut row) = self.take(parent) {
            let is_its = |content: &InboxContent| matches!(content, InboxContent::Child { job, .. } if *job == joined);
            row.inbox.retain(|_, content| !is_its(content));
            self.put(row);
        }
    }

    /// The step waits for the job that was joined, under its own id.
    fn rename_child(&mut self, parent: JobId, asked: JobId, joined: JobId) {
        if let Some(mut row) = self.take(parent) {
            row.journal.rename_child(asked, joined);
            self.put(row);
        }
    }

    /// The ends of children whose pending records go are not told any more. To be called before
    /// the records go.
    pub(crate) fn stop_waiting(&mut self, commit: &Commit) {
        if commit.removed.is_empty() {
            return;
        }
        let Some(row) = self.alive(commit.job) else {
            return;
        };
        let goes = |name: &String| commit.removed.contains(name);
        let pending = row.journal.values().filter(|r| r.position.is_none());
        let (going, staying): (Vec<_>, Vec<_>) = pending
            .filter_map(|record| Some((goes(&record.name), record.child?)))
            .partition(|(goes, _)| *goes);
        for (_, child) in &going {
            if !staying.iter().any(|(_, other)| other == child)
                && let Some(mut row) = self.take(*child)
            {
                row.told.remove(&commit.job);
                self.put(row);
                self.needs_part(*child, Part::Told);
            }
        }
    }

    /// A revived run hears of the children that have ended while it was not live.
    pub(crate) fn wait_again(&mut self, parent: JobId, now: Timestamp) {
        let Some(row) = self.alive(parent) else {
            return;
        };
        self.needs_part(parent, Part::Whole);
        let known: BTreeSet<JobId> = row
            .inbox
            .values()
            .filter_map(|content| match content {
                InboxContent::Child { job, .. } | InboxContent::Detached { job, .. } => Some(*job),
                InboxContent::Event { .. } => None,
            })
            .collect();
        let awaited: BTreeSet<JobId> = row.awaited().collect();
        for child in awaited.difference(&known) {
            self.hear_of(parent, *child, now);
        }
    }

    /// Cancels the live children that a cancelled job owns, and theirs. What is joined belongs to
    /// somebody else.
    pub(crate) fn cancel_owned(&mut self, parent: JobId, now: Timestamp) {
        let mut parents = VecDeque::from([parent]);
        while let Some(parent) = parents.pop_front() {
            self.needs(|| Need::Owned(parent));
            for child in self.owned.get(&parent).cloned().unwrap_or_default() {
                let Some(mut row) = self.take(child) else {
                    continue;
                };
                match cancelled_with_parent(&row.head, now) {
                    Some(head) => {
                        self.needs_part(child, Part::Spec);
                        let clean_up = clean_up(&row.spec, &row.head, now);
                        row.head = head;
                        self.put_ended(row, None, now);
                        if let Some(clean_up) = clean_up {
                            // Refused only if it is there already.
                            drop(self.insert(&clean_up, now));
                        }
                        parents.push_back(child);
                    }
                    None => self.put(row),
                }
            }
        }
    }
}

/// The jobs that the children of a stored commit have become: another one where it held the key.
pub(crate) fn children_of(parent: &Row, commit: &Commit) -> Vec<JobId> {
    let become_of = |child: &NewJob| {
        let step = child.spec.parent.as_ref()?;
        parent.journal.get(&step.step)?.child
    };
    commit
        .children
        .iter()
        .map(|child| become_of(child).unwrap_or(child.spec.id))
        .collect()
}
