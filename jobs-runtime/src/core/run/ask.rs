//! What a step future may ask of its run, and what it says when its body ends or it is dropped.

use super::children::{DETACHED, Wanted, detached_or_not};
use super::tx::Tx;
use super::{Removal, Run, RunFault, Slot, SlotState};
use crate::core::{
    MAX_STEP_NAME_BYTES, Millis, Mismatch, RecordKind, StepOutcome, StepRecord, StoredError,
    Timestamp, WaitSpec,
};
use alloc::{string::String, vec::Vec};

/// What a future wants.
#[derive(Clone, Debug)]
pub enum Ask {
    /// To enqueue a child job.
    Child {
        /// It is recorded once it is stored, and its end is not waited for.
        detached: bool,
        /// A hash of the output's type.
        fingerprint: u64,
    },
    /// Any event of these names and this key.
    Event {
        /// The event's durable name and former names.
        names: Vec<String>,
        /// The rendered correlation key.
        key: Option<String>,
        /// How long to wait.
        timeout: Millis,
        /// Only events published after the wait began count.
        since_step: bool,
        /// A passed deadline is an error.
        required: bool,
    },
    /// To be woken so long after the first asking.
    SleepFor(Millis),
    /// To be woken at an instant.
    SleepUntil(Timestamp),
    /// To run a body.
    Step {
        /// A hash of the output's type.
        fingerprint: u64,
        /// Its failure is final, and it never runs twice.
        once: bool,
        /// How long one try of the body may take.
        timeout: Option<Millis>,
        /// Its body writes in a transaction, which ends with the record of the step in it.
        tx: bool,
    },
}

impl Ask {
    fn kind(&self) -> RecordKind {
        match self {
            Ask::Child { .. } => RecordKind::Child,
            Ask::Event { .. } => RecordKind::Event,
            Ask::SleepFor(_) | Ask::SleepUntil(_) => RecordKind::Sleep,
            Ask::Step { .. } => RecordKind::Step,
        }
    }
}

/// What a future is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The body took too long: drop it, and say how that ends.
    Expired,
    /// Keep the waker; it is fired when there is news.
    Later,
    /// The result, as it is stored.
    Ready(StepOutcome),
    /// The body runs: poll it.
    Running,
    /// Start the body, or make the request for the child.
    Start {
        /// Tries of it so far in this attempt of the job.
        tried: u32,
    },
    /// The transaction of the body was refused when it was to end: say how that ends.
    Undone(StoredError),
}

impl Run {
    /// Asks for the step `name`. `first` says that this future has not asked before.
    pub fn ask(&mut self, name: &str, ask: &Ask, first: bool, now: Timestamp) -> Asked {
        if self.closed || self.fault.is_some() || self.is_leaving() {
            return Asked::Later;
        }
        if first && !self.claim_name(name, ask, now) {
            return Asked::Later;
        }
        // A poll that asks for what was passed over may do so after it has asked for something
        // new: whatever is recorded goes first, and may make the new obsolete.
        let is_settled = self.passed == 0 && !self.unsettled;
        let may_start =
            self.open && self.late.is_empty() && (is_settled || self.cleared.contains(name));
        let (barrier_is_down, is_quiet) = (self.barrier_is_down(), self.is_quiet());
        let Some(slot) = self.slots.get_mut(name) else {
            return Asked::Later;
        };
        match &slot.state {
            SlotState::Delivered => match &slot.record.outcome {
                Some(outcome) => return Asked::Ready(outcome.clone()),
                None => return Asked::Later,
            },
            SlotState::Overrun => return Asked::Expired,
            SlotState::Running(_) => return Asked::Running,
            SlotState::Undone(error) => return Asked::Undone(error.clone()),
            SlotState::Passed => {
                slot.state = SlotState::Recorded;
                self.passed -= 1;
                self.late.push_back(name.into());
                return Asked::Later;
            }
            SlotState::Held => {}
            SlotState::BackOff if slot.record.wake_at.is_none_or(|at| at <= now) => {}
            _ => return Asked::Later,
        }
        let may_write = barrier_is_down && (is_quiet || !slot.tx);
        if !may_start || (slot.record.kind == RecordKind::Step && !may_write) {
            if slot.state == SlotState::Held {
                self.held.insert(name.into());
            }
            return Asked::Later;
        }
        self.held.remove(name);
        self.cleared.remove(name);
        match ask {
            Ask::Step { once: true, .. } if !slot.marked => self.mark_start(name),
            Ask::Step { timeout, .. } => self.start(name, *timeout, now),
            Ask::Child { .. } if slot.record.child.is_none() => Asked::Start { tried: 0 },
            _ => self.suspend(name, ask, now),
        }
    }

    /// Takes the name for a future; false, and the run is broken, if it cannot be had.
    fn claim_name(&mut self, name: &str, ask: &Ask, now: Timestamp) -> bool {
        self.note_asking();
        if name.len() > MAX_STEP_NAME_BYTES {
            self.break_with(RunFault::NameTooLong(name.into()));
            return false;
        }
        let slot = self
            .slots
            .entry(name.into())
            .or_insert_with(|| Slot::recorded(StepRecord::pending(name, ask.kind(), now)));
        if slot.claimed {
            self.break_with(RunFault::Duplicate(name.into()));
            return false;
        }
        if slot.record.kind != ask.kind() {
            let mismatch = Mismatch::Kind {
                step: name.into(),
                recorded: slot.record.kind,
                asked: ask.kind(),
            };
            self.break_with(RunFault::Mismatch(mismatch));
            return false;
        }
        if let Ask::Child {
            detached,
            fingerprint,
        } = ask
        {
            slot.detached = *detached;
            let fingerprint = if *detached { DETACHED } else { *fingerprint };
            let was_detached = slot.record.fingerprint == DETACHED;
            if slot.record.child.is_some() && was_detached != *detached {
                let mismatch = detached_or_not(&slot.record.name, *detached);
                self.break_with(RunFault::Mismatch(mismatch));
                return false;
            }
            if slot.record.position.is_none() {
                slot.record.fingerprint = fingerprint;
            }
        }
        slot.claimed = true;
        slot.awaited = true;
        slot.asked = self.used.len();
        if let Ask::Step {
            fingerprint,
            once,
            tx,
            ..
        } = ask
        {
            slot.once = *once;
            slot.tx = *tx;
            if *once && slot.state == SlotState::Pending && slot.record.is_start() {
                // Nobody knows how far it came: that is how it ended.
                slot.state = SlotState::Finished(StepOutcome::Interrupted);
                self.finished.push_back(name.into());
            }
            if slot.record.position.is_none() {
                slot.record.fingerprint = *fingerprint;
            }
        }
        if let Ask::Event { required, .. } = ask {
            slot.required = *required;
        }
        if slot.state == SlotState::Pending {
            // A long back-off of an earlier lease goes on; everything else starts when it may.
            let backing_off = slot.record.kind == RecordKind::Step && slot.record.wake_at.is_some();
            slot.state = if backing_off {
                SlotState::BackOff
            } else {
                SlotState::Held
            };
            self.live.enter(slot);
        }
        self.used.push(name.into());
        true
    }

    /// Marks the delivered failures after which the body asked for something (R3). A failure of
    /// an earlier poll is marked for good by the first asking after it.
    fn note_asking(&mut self) {
        let polls = self.polls;
        for name in ::core::mem::take(&mut self.failures) {
            let Some(slot) = self.slots.get_mut(&name) else {
                continue;
            };
            slot.asked_since = true;
            slot.asked_in |= slot.delivered_in == polls;
        }
    }

    fn start(&mut self, name: &str, timeout: Option<Millis>, now: Timestamp) -> Asked {
        let Some(slot) = self.slots.get_mut(name) else {
            return Asked::Later;
        };
        self.live.leave(slot);
        // Without a back-off, earlier tries belong to earlier attempts of the job.
        let tried = if slot.record.wake_at.is_some() {
            slot.record.attempts
        } else {
            0
        };
        if tried == 0 {
            slot.record.attempts = 0;
        }
        slot.record.attempts += 1;
        slot.record.wake_at = None;
        slot.marked = false;
        slot.state = SlotState::Running(timeout.map(|span| now.after(span)));
        self.live.enter(slot);
        if slot.tx {
            self.tx = Some(Tx {
                step: name.into(),
                storing: false,
            });
        }
        self.in_flight += 1;
        Asked::Start { tried }
    }

    /// Registers a sleep or a wait: its record is stored without a position at once (R4).
    fn suspend(&mut self, name: &str, ask: &Ask, now: Timestamp) -> Asked {
        let events_since = self.events_since;
        let Some(slot) = self.slots.get_mut(name) else {
            return Asked::Later;
        };
        slot.state = SlotState::Suspended;
        if let Some(job) = slot.record.child {
            let detached = slot.detached;
            self.live.enter(slot);
            self.children.wait(Wanted { job, detached }, name);
            return Asked::Later;
        }
        if slot.record.wake_at.is_some() {
            self.live.enter(slot);
            return Asked::Later;
        }
        let record = &mut slot.record;
        record.started_at = now;
        match ask {
            Ask::Event {
                names,
                key,
                timeout,
                since_step,
                ..
            } => {
                record.wake_at = Some(now.after(*timeout));
                record.wait = Some(WaitSpec {
                    names: names.clone(),
                    key: key.clone(),
                    since: if *since_step { now } else { events_since },
                });
            }
            Ask::SleepFor(span) => record.wake_at = Some(now.after(*span)),
            Ask::SleepUntil(at) => record.wake_at = Some(*at),
            Ask::Child { .. } | Ask::Step { .. } => {}
        }
        let record = record.clone();
        self.live.enter(slot);
        self.save(record);
        Asked::Later
    }

    /// Says that the body of `name` has ended for good. Its result waits for its delivery.
    pub fn finish(&mut self, name: &str, outcome: StepOutcome) {
        let Some(slot) = self.slots.get_mut(name) else {
            return;
        };
        if slot.is_running() {
            self.live.leave(slot);
            self.in_flight -= 1;
            let is_done = matches!(outcome, StepOutcome::Done(_));
            slot.state = SlotState::Finished(outcome);
            self.finished.push_back(name.into());
            if !is_done {
                self.leave_tx(name);
            }
        }
    }

    /// Says that the body of `name` failed and shall be tried again after `delay`. A delay worth
    /// parking for is stored, so that it survives the worker.
    pub fn back_off(&mut self, name: &str, error: StoredError, delay: Millis, now: Timestamp) {
        let park = delay > self.replay.park_after;
        let Some(slot) = self.slots.get_mut(name) else {
            return;
        };
        if !slot.is_running() {
            return;
        }
        self.live.leave(slot);
        self.in_flight -= 1;
        slot.state = SlotState::BackOff;
        slot.record.last_error = Some(error);
        slot.record.wake_at = Some(now.after(delay));
        self.live.enter(slot);
        let record = slot.record.clone();
        self.leave_tx(name);
        if park {
            self.save(record);
        }
    }

    /// Says that the future of `name` was dropped. What was not delivered is not recorded, and a
    /// wait that lost is removed with the next commit.
    pub fn forget(&mut self, name: &str) {
        if self.closed {
            return;
        }
        let is_unsent = self.forget_child(name);
        let Some(slot) = self.slots.get_mut(name) else {
            return;
        };
        slot.awaited = false;
        self.held.remove(name);
        self.cleared.remove(name);
        if slot.state == SlotState::Marking || slot.marked {
            return self.unmark(name, SlotState::Gone);
        }
        match slot.state {
            SlotState::Overrun | SlotState::Running(_) | SlotState::Undone(_) => {
                self.in_flight -= 1;
            }
            SlotState::Finished(_) => self.finished.retain(|other| other != name),
            SlotState::BackOff | SlotState::Held | SlotState::Suspended => {}
            // What is recorded stays recorded.
            _ => return,
        }
        self.live.leave(slot);
        slot.state = SlotState::Gone;
        if self.tx.as_ref().is_some_and(|tx| tx.step == name) {
            self.tx = None;
        }
        let child = slot.record.child.is_some() && !is_unsent;
        let stored_before = child || slot.record.wake_at.is_some();
        let stored_name = slot.record.name.clone();
        let unsaved = self.dirty.remove(&stored_name);
        if stored_before {
            let removal = Removal {
                poll: self.polls,
                unsaved,
            };
            self.removed.insert(stored_name, removal);
        }
    }
}

impl Slot {
    fn is_running(&self) -> bool {
        matches!(
            self.state,
            SlotState::Overrun | SlotState::Running(_) | SlotState::Undone(_)
        )
    }
}
