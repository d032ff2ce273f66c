//! Between two polls of the body: deliver one thing, or say what to wait for.

use super::{Run, SlotState};
use crate::core::{RecordKind, StepOutcome, StepRecord, StoredError, Timestamp};
use alloc::{format, string::String};

/// What the executor does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Stop: the run is at fault.
    Broken,
    /// Wait for the commit: nothing goes on before it is durable.
    Commit,
    /// Wait for something the run knows nothing of.
    Foreign,
    /// Park: nothing runs, and nothing is due soon.
    Park {
        /// When to look again.
        wake_at: Option<Timestamp>,
    },
    /// Fire the woken wakers and poll again.
    Poll,
    /// Ask the store for the inbox: a deadline passed, and an event may have come before it.
    Refresh,
    /// Wait for a body, or for an instant.
    Wait {
        /// The instant, if one is known.
        wake_at: Option<Timestamp>,
    },
}

impl Run {
    /// Moves on after a poll that returned `Pending` and that the body did not wake itself from.
    pub fn advance(&mut self, now: Timestamp) -> Next {
        if self.fault.is_some() {
            return Next::Broken;
        }
        if self.replay_one() {
            return Next::Poll;
        }
        if !self.open {
            self.open = true;
            if self.wake_held() {
                return Next::Poll;
            }
        }
        // This poll has asked for nothing that is recorded: what it holds may start.
        self.unsettled = false;
        self.cleared.clone_from(&self.held);
        if self.give_out_stored() {
            return Next::Poll;
        }
        if self.is_ending_tx() {
            return Next::Commit;
        }
        let holding = !self.held.is_empty() && self.late.is_empty();
        // With bodies held at the barrier, more deliveries would only raise it.
        if !(holding && self.committing.is_some()) {
            while let Some(next) = self.deliver_one(now) {
                // In a transaction there is no commit to wait for: go on to what there is.
                if next != Next::Commit || !self.is_in_tx() {
                    return next;
                }
            }
        }
        if holding && self.barrier_is_down() && self.wake_startable() {
            return Next::Poll;
        }
        if self.expire_one(now) {
            return Next::Poll;
        }
        self.idle(now, holding)
    }

    /// Delivers the next recorded result to whoever awaits it; passes over what nobody awaits.
    fn replay_one(&mut self) -> bool {
        if let Some(name) = self.late.pop_front() {
            self.unsettled = true;
            self.replay_to(&name);
            return true;
        }
        while let Some(name) = self.order.get(self.cursor).cloned() {
            self.cursor += 1;
            let awaited = self.slots.get(&name).is_some_and(|slot| slot.awaited);
            if awaited {
                self.replay_to(&name);
                return true;
            }
            if let Some(slot) = self.slots.get_mut(&name)
                && slot.state == SlotState::Recorded
            {
                slot.state = SlotState::Passed;
                self.passed += 1;
            }
        }
        false
    }

    fn replay_to(&mut self, name: &str) {
        self.replayed.push(name.into());
        self.give(name);
    }

    pub(super) fn wake_held(&mut self) -> bool {
        let held = ::core::mem::take(&mut self.held);
        let any = !held.is_empty();
        self.woken.extend(held);
        any
    }

    /// Careful mode: gives out the first result that has become durable.
    fn give_out_stored(&mut self) -> bool {
        let durable = self.durable;
        let first = self.storing.front().and_then(|name| self.slots.get(name));
        if first.is_none_or(|slot| slot.record.position >= Some(durable)) {
            return false;
        }
        if let Some(name) = self.storing.pop_front() {
            self.leave_tx(&name);
            self.give(&name);
        }
        true
    }

    /// Delivers one new result: a finished body, then an event, then a child, then what is due.
    fn deliver_one(&mut self, now: Timestamp) -> Option<Next> {
        if let Some(name) = self.finished.pop_front() {
            let slot = self.slots.get_mut(&name)?;
            if let SlotState::Finished(outcome) =
                ::core::mem::replace(&mut slot.state, SlotState::Gone)
            {
                return Some(self.deliver(&name, outcome, now));
            }
        }
        if let Some((name, event, outcome)) = self.next_event() {
            if let Some(slot) = self.slots.get_mut(&name) {
                slot.record.event = Some(event);
            }
            self.live.consume(event);
            return Some(self.deliver(&name, outcome, now));
        }
        if let Some((name, outcome)) = self.children.next() {
            return Some(self.deliver(&name, outcome, now));
        }
        let name = self.used.get(self.live.due(now)?)?.clone();
        let slot = self.slots.get(&name)?;
        if slot.record.kind == RecordKind::Sleep {
            let fired = StepOutcome::Done(crate::core::Payload::json(*b"null"));
            return Some(self.deliver(&name, fired, now));
        }
        // A stored event beats a passed deadline (R5): be sure that there is none.
        if slot.record.wake_at > Some(self.inbox_at) {
            return Some(Next::Refresh);
        }
        let outcome = if slot.required {
            required_timeout(&slot.record)
        } else {
            StepOutcome::TimedOut
        };
        Some(self.deliver(&name, outcome, now))
    }

    /// Gives the result the next position. In careful mode, and where it ends a transaction, it is
    /// stored before it is given out.
    fn deliver(&mut self, name: &str, outcome: StepOutcome, now: Timestamp) -> Next {
        let position = self.next;
        let at = now.max(self.last_time);
        let Some(slot) = self.slots.get_mut(name) else {
            return Next::Poll;
        };
        self.live.leave(slot);
        slot.record.position = Some(position);
        slot.record.outcome = Some(outcome);
        slot.record.completed_at = Some(at);
        slot.state = SlotState::Storing;
        let record = slot.record.clone();
        self.save(record);
        self.next = position.next();
        self.last_time = at;
        let ends_tx = self.tx.as_mut().filter(|tx| tx.step == name);
        let ends_tx = ends_tx.map(|tx| tx.storing = true).is_some();
        if self.replay.careful || ends_tx {
            self.storing.push_back(name.into());
            return Next::Commit;
        }
        self.give(name);
        Next::Poll
    }

    /// The first wait, in order of asking, that a pinned event serves.
    fn next_event(&mut self) -> Option<(String, crate::core::EventId, StepOutcome)> {
        while let Some(asked) = self.live.next_unchecked() {
            let name = self.used.get(asked)?;
            let slot = self.slots.get(name)?;
            if let Some((event, outcome)) = self.live.served_by(&slot.record) {
                return Some((name.clone(), event, outcome));
            }
            self.live.checked(asked);
        }
        None
    }

    /// Wakes a future whose back-off is over or whose body has run out of time.
    fn expire_one(&mut self, now: Timestamp) -> bool {
        let expired = self.live.expired(now);
        let Some(name) = expired.and_then(|asked| self.used.get(asked)).cloned() else {
            return false;
        };
        let Some(slot) = self.slots.get_mut(&name) else {
            return false;
        };
        self.live.leave(slot);
        // A new state, so that a future nobody polls is woken once and not for ever.
        slot.state = match slot.state {
            SlotState::BackOff => SlotState::Held,
            _ => SlotState::Overrun,
        };
        self.wake(&name);
        true
    }

    fn idle(&self, now: Timestamp, holding: bool) -> Next {
        let storing = !self.storing.is_empty() || !self.marking.is_empty();
        // No commit goes while a body is in its transaction: the body is what to wait for.
        if (holding || storing) && !self.is_in_tx() {
            return Next::Commit;
        }
        let wake_at = self.live.wake_at();
        if self.in_flight > 0 {
            return Next::Wait { wake_at };
        }
        if !self.live.can_park() {
            return Next::Foreign;
        }
        if wake_at.is_some_and(|at| at <= now.after(self.replay.park_after)) {
            return Next::Wait { wake_at };
        }
        if !self.children.can_go_with_the_park() {
            return Next::Commit;
        }
        Next::Park { wake_at }
    }
}

fn required_timeout(record: &StepRecord) -> StepOutcome {
    let waited = record.wake_at.unwrap_or_default().since(record.started_at);
    let names = record
        .wait
        .as_ref()
        .map(|wait| wait.names.as_slice())
        .unwrap_or_default();
    let event = names.first().map_or("", String::as_str);
    StepOutcome::Failed(StoredError::new(
        "X_JOB_TIMEOUT",
        format!("no event \"{event}\" came within {waited}, and the step requires one"),
    ))
}
