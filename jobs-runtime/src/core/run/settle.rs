//! What must be stored: records while the body runs, and the end of the lease.

use super::{Run, RunFault, Slot, SlotState, former};
use crate::core::{
    Commit, CommitNumber, MAX_STEP_NAME_BYTES, Millis, Mismatch, Nudge, Payload, Settle,
    StepRecord, StoredError, Timestamp, Trace,
};
use alloc::{format, string::String, vec::Vec};

/// How the body ended.
#[derive(Clone, Debug)]
pub enum Ended {
    /// With a value.
    Done(Payload),
    /// With an error, a panic or a timeout.
    Failed {
        /// The error.
        error: StoredError,
        /// The step whose failure stands in its chain of causes.
        culprit: Option<String>,
        /// How long until the next attempt.
        delay: Millis,
    },
}

impl Run {
    /// The records that are not stored yet, as the next commit; `None` if there are none or one
    /// is in flight. The caller sends it, again if it must, and then calls [`Run::committed`].
    pub fn take_commit(&mut self) -> Option<Commit> {
        let nothing = self.dirty.is_empty() && self.removed.is_empty();
        if nothing || self.committing.is_some() || self.is_in_tx() {
            return None;
        }
        Some(self.commit_records())
    }

    /// The notes that are not stored yet, as a commit of their own, if their time has come and
    /// nothing is in flight.
    pub fn take_notes(&mut self, now: Timestamp) -> Option<Commit> {
        let due = self.notes.due_at().is_some_and(|at| at <= now);
        // In a transaction there is no way for them, and its own commit takes them along.
        let no_way = self.committing.is_some() || self.tx.is_some();
        if !due || no_way {
            return None;
        }
        self.notes.note_sent(now);
        Some(self.commit_records())
    }

    /// When [`Run::take_notes`] will have something; `None` if there are no notes.
    #[must_use]
    pub fn notes_due_at(&self) -> Option<Timestamp> {
        // In a `tx` step they are not taken, and a passed instant would be waited for in vain.
        self.notes.due_at().filter(|_| self.tx.is_none())
    }

    /// Whether a commit was taken and not reported back.
    #[must_use]
    pub fn is_committing(&self) -> bool {
        self.committing.is_some()
    }

    fn commit_records(&mut self) -> Commit {
        self.number += 1;
        let number = CommitNumber {
            token: self.token,
            number: self.number,
        };
        let children = self.children.take();
        let records = self.records_without_unsent_children();
        let removed = ::core::mem::take(&mut self.removed).into_keys().collect();
        let base = self.base;
        self.base = self.next;
        self.committing = Some(self.next);
        let (progress, log) = self.notes.take();
        Commit {
            children,
            ..Commit::steps(self.job, self.run, number, base, self.seen_nudge, records)
        }
        .removing(removed)
        .noting(progress, log)
    }

    /// Takes back a commit that was refused and changed nothing, because of `nudge`.
    pub fn refused(&mut self, commit: Commit, nudge: Nudge, at: Timestamp) {
        self.put_back(commit);
        self.news(Some(nudge), at);
    }

    /// The last commit of this lease, with everything not stored yet. Call it when no commit is
    /// in flight.
    pub fn settle(&mut self, settle: Settle) -> Commit {
        self.unmark_all();
        if !matches!(settle, Settle::Suspend { .. }) {
            self.drop_unsent_children();
        }
        let trace = Trace {
            used: self.stored_names(&self.used),
            replayed: self.stored_names(&self.replayed),
        };
        self.commit_records().settling(settle, trace)
    }

    /// The last commit after the body ended, by R3.
    pub fn settle_ended(&mut self, ended: Ended) -> Commit {
        let settle = match ended {
            Ended::Done(output) => match self.unclaimed() {
                None => Settle::Ack { output },
                Some(mismatch) => hold(&mismatch),
            },
            Ended::Failed {
                error,
                culprit,
                delay,
            } => {
                self.keep_what_the_end_dropped();
                let culprit_is_final = self.take_back_failures(culprit.as_deref());
                if error.fatal || culprit_is_final {
                    Settle::Fail { error }
                } else {
                    Settle::Retry { delay, error }
                }
            }
        };
        self.settle(settle)
    }

    /// The last commit of a run at fault.
    pub fn settle_fault(&mut self) -> Commit {
        let settle = match self.fault.take() {
            Some(RunFault::Mismatch(mismatch)) => hold(&mismatch),
            Some(RunFault::Duplicate(step)) => Settle::Fail {
                error: StoredError::new(
                    "X_STEP_DUPLICATE",
                    format!(
                        "two steps of this run are named \"{step}\": a step is found again by its name, so each needs its own"
                    ),
                ),
            },
            Some(RunFault::NameTooLong(step)) => Settle::Fail {
                error: StoredError::new(
                    "X_NAME_INVALID",
                    format!(
                        "the step name \"{step}\" has {} bytes, and {MAX_STEP_NAME_BYTES} is the most: make it from ids instead of from whole values",
                        step.len()
                    ),
                ),
            },
            None => Settle::HandBack,
        };
        self.settle(settle)
    }

    /// A completed step that the body never asked for, though it ended well.
    pub(super) fn unclaimed(&self) -> Option<Mismatch> {
        self.order
            .iter()
            .filter(|name| !former::any_matches(self.replay.removed, name))
            .filter_map(|name| self.slots.get(name))
            .find(|slot| !slot.claimed)
            .map(|slot| Mismatch::Unclaimed {
                step: slot.record.name.clone(),
                recorded: slot.record.kind,
            })
    }

    /// An error that leaves a body drops its branches in its last poll: their sleeps and waits did
    /// not lose, and go on in the next attempt (R4).
    fn keep_what_the_end_dropped(&mut self) {
        let last = self.polls;
        let removed = ::core::mem::take(&mut self.removed);
        for (name, removal) in removed {
            if removal.poll < last {
                self.removed.insert(name, removal);
            } else if let Some(record) = removal.unsaved {
                self.dirty.insert(name, record);
            }
        }
    }

    /// Turns the failures that the next attempt shall try again into pending records. True if the
    /// failure that left the body is a final one.
    fn take_back_failures(&mut self, culprit: Option<&str>) -> bool {
        let last = self
            .slots
            .values()
            .filter_map(|slot| slot.record.position)
            .max();
        let untouched: Vec<StepRecord> = self
            .slots
            .values()
            .filter(|slot| slot.state == SlotState::Pending)
            .map(|slot| slot.record.clone())
            .collect();
        let mut culprit_is_final = false;
        for (name, slot) in &mut self.slots {
            if !slot.has_outcome() || !slot.record.is_failure() {
                continue;
            }
            let is_culprit = culprit == Some(name.as_str());
            let is_last = slot.record.position == last
                && !slot.asked_since
                && !untouched
                    .iter()
                    .any(|p| Some(p.started_at) > slot.record.completed_at);
            if !slot.once && (is_last || (is_culprit && !slot.asked_in)) {
                slot.take_back();
                self.dirty
                    .insert(slot.record.name.clone(), slot.record.clone());
            } else {
                culprit_is_final |= is_culprit;
            }
        }
        culprit_is_final
    }
}

impl Slot {
    /// It has a position, whether or not the body has got it already (careful mode).
    fn has_outcome(&self) -> bool {
        let is_settled = matches!(self.state, SlotState::Delivered | SlotState::Storing);
        is_settled && self.record.outcome.is_some()
    }

    /// Keeps what people want to know of a failure, and lets the step run again. The deadline of
    /// a required wait stays.
    fn take_back(&mut self) {
        let record = &mut self.record;
        record.position = None;
        record.completed_at = None;
        record.event = None;
        // Its next try is another job.
        record.child = None;
        record.last_error = record.outcome.take().and_then(|outcome| outcome.error());
    }
}

pub(super) fn hold(mismatch: &Mismatch) -> Settle {
    Settle::Hold {
        error: StoredError::new("X_JOURNAL_MISMATCH", format!("{mismatch}")),
    }
}
