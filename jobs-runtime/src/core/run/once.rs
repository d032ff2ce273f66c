//! Bodies that may not run twice: their start is made durable before they begin. Whoever finds a
//! start without an end knows only that it began, and gives
//! [`crate::core::StepOutcome::Interrupted`] instead of running it.

use super::{Asked, Removal, Run, SlotState};
use alloc::{string::String, vec::Vec};

impl Run {
    /// Stores the start of the body `name`; the body begins when that is durable.
    pub(super) fn mark_start(&mut self, name: &str) -> Asked {
        let Some(slot) = self.slots.get_mut(name) else {
            return Asked::Later;
        };
        slot.state = SlotState::Marking;
        slot.record.attempts = 1;
        slot.record.wake_at = None;
        slot.record.last_error = None;
        let record = slot.record.clone();
        self.marking.insert(name.into());
        self.save(record);
        Asked::Later
    }

    /// Lets the bodies begin whose start has become durable, as soon as the barrier is down.
    pub(super) fn hold_marked(&mut self) {
        if self.marking.is_empty() {
            return;
        }
        for name in ::core::mem::take(&mut self.marking) {
            let Some(slot) = self.slots.get_mut(&name) else {
                continue;
            };
            if self.dirty.contains_key(&slot.record.name) {
                self.marking.insert(name);
                continue;
            }
            slot.state = SlotState::Held;
            slot.marked = true;
            self.held.insert(name);
        }
    }

    /// Takes back the start of a body that has not begun.
    pub(super) fn unmark(&mut self, name: &str, then: SlotState) {
        self.marking.remove(name);
        let Some(slot) = self.slots.get_mut(name) else {
            return;
        };
        slot.state = then;
        slot.marked = false;
        slot.record.attempts = 0;
        if self.dirty.remove(&slot.record.name).is_none() {
            // Whatever the poll: a body that did not begin may begin in the next lease.
            let removal = Removal {
                poll: 0,
                unsaved: None,
            };
            self.removed.insert(slot.record.name.clone(), removal);
        }
    }

    /// At the end of a lease. Should the lease go on after all, they are asked for again.
    pub(super) fn unmark_all(&mut self) {
        let marked: Vec<String> = self
            .slots
            .iter()
            .filter(|(_, slot)| slot.marked || slot.state == SlotState::Marking)
            .map(|(name, _)| name.clone())
            .collect();
        for name in marked {
            self.unmark(&name, SlotState::Held);
            self.held.insert(name);
        }
    }
}
