//! A step whose record is stored together with what its body wrote, in one transaction (R7).
//!
//! While the body holds the right to write, no other commit of the run may be on its way: it would
//! wait for the body, and the body's own record for it. So the body begins when all is stored,
//! what is delivered meanwhile waits, and goes with the record of the step, just before COMMIT.
//! From there to the delivery of that record nothing else is delivered.

use super::{Removal, Run, SlotState};
use crate::core::{Commit, StoredError, Timestamp};
use alloc::string::String;

/// How far the transaction of a run is.
#[derive(Debug)]
pub(super) struct Tx {
    pub(super) step: String,
    /// The step has its position, and its commit is the one that ends the transaction.
    pub(super) storing: bool,
}

/// Why a transaction was rolled back after its step had got a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undone {
    /// The store was not able to end it: the body runs again at this instant.
    Again(Timestamp),
    /// What the body wrote may not stand: that is how the body failed.
    Failed(StoredError),
}

impl Run {
    /// A transaction may begin: nothing of this run is on its way, or about to be.
    pub(super) fn is_quiet(&self) -> bool {
        self.tx.is_none()
            && self.committing.is_none()
            && self.finished.is_empty()
            && self.dirty.is_empty()
            && self.removed.is_empty()
            && self.storing.is_empty()
            && self.marking.is_empty()
    }

    /// The body of a `tx` step runs, or its result waits for its turn.
    #[must_use]
    pub fn is_in_tx(&self) -> bool {
        self.tx.as_ref().is_some_and(|tx| !tx.storing)
    }

    /// The record of a `tx` step is being stored.
    pub(super) fn is_ending_tx(&self) -> bool {
        self.tx.as_ref().is_some_and(|tx| tx.storing)
    }

    pub(super) fn is_tx_of(&self, step: &str) -> bool {
        self.tx.as_ref().is_some_and(|tx| tx.step == step)
    }

    /// The transaction of this step is over, or was rolled back.
    pub(super) fn leave_tx(&mut self, step: &str) {
        if self.is_tx_of(step) {
            self.tx = None;
        }
    }

    /// Wakes the held bodies that may begin now.
    pub(super) fn wake_startable(&mut self) -> bool {
        if self.is_quiet() {
            return self.wake_held();
        }
        let slots = &self.slots;
        let waits = |name: &String| slots.get(name).is_some_and(|slot| slot.tx);
        let (waiting, startable) = ::core::mem::take(&mut self.held)
            .into_iter()
            .partition(waits);
        self.held = waiting;
        let any = !alloc::collections::BTreeSet::is_empty(&startable);
        self.woken.extend(startable);
        any
    }

    /// Takes back the commit that was to end a transaction: it was rolled back, and nothing of it
    /// is stored. What else it carried goes with the next one.
    pub fn undone(&mut self, commit: Commit, why: Undone) {
        let Some(tx) = self.tx.take() else { return };
        self.put_back(commit);
        self.storing.retain(|name| *name != tx.step);
        let Some(slot) = self.slots.get_mut(&tx.step) else {
            return;
        };
        // It was the last to be delivered, so its place is free again.
        self.next = slot.record.position.take().unwrap_or(self.next);
        slot.record.outcome = None;
        slot.record.completed_at = None;
        self.dirty.remove(&slot.record.name);
        if !slot.awaited {
            slot.state = SlotState::Gone;
            return;
        }
        match why {
            Undone::Again(at) => {
                slot.state = SlotState::BackOff;
                slot.record.wake_at = Some(at);
                self.live.enter(slot);
            }
            Undone::Failed(error) => {
                // Its future says how that ends, as of any body.
                slot.state = SlotState::Undone(error);
                self.in_flight += 1;
                self.wake(&tx.step);
            }
        }
    }

    /// What a commit carried that changed nothing.
    pub(super) fn put_back(&mut self, commit: Commit) {
        self.number -= 1;
        self.committing = None;
        self.base = commit.base.unwrap_or(self.base);
        self.notes.put_back(commit.progress, commit.log);
        self.children.put_back(commit.children);
        for record in commit.records {
            self.dirty.entry(record.name.clone()).or_insert(record);
        }
        for name in commit.removed {
            let removal = Removal {
                poll: 0,
                unsaved: None,
            };
            self.removed.entry(name).or_insert(removal);
        }
    }
}
