//! What of a run is under way, found without looking at the whole of it: a run of ten thousand
//! steps has a handful of bodies, sleeps and waits at a time, and each new step must cost what the
//! first one did.
//!
//! Every slot that becomes [`SlotState::BackOff`], [`SlotState::Running`] or
//! [`SlotState::Suspended`] is entered here, and left before its state or its `wake_at` changes
//! again. Slots stand here by their place in the order of asking.

use super::{Slot, SlotState};
use crate::core::{
    EventId, InboxContent, InboxItem, RecordKind, StepOutcome, StepRecord, Timestamp,
};
use alloc::{collections::BTreeSet, vec::Vec};

/// The slots of a run that wait for an instant, an event or a child, and the inbox they look at.
#[derive(Debug, Default)]
pub(super) struct Live {
    /// Ends of sleeps, deadlines of waits.
    due: BTreeSet<(Timestamp, usize)>,
    /// Ends of back-offs, deadlines of bodies.
    limits: BTreeSet<(Timestamp, usize)>,
    /// What lets the run park: sleeps, waits and back-offs.
    parked: usize,
    /// Waits for an event.
    waits: BTreeSet<usize>,
    /// Those that have not looked at the inbox as it is.
    unchecked: BTreeSet<usize>,
    /// What was pinned and no record has consumed.
    inbox: Vec<InboxItem>,
    /// The events that records have consumed.
    consumed: BTreeSet<EventId>,
}

impl Live {
    /// The inbox of a run whose journal has consumed these events.
    pub(super) fn new(consumed: BTreeSet<EventId>, inbox: Vec<InboxItem>) -> Self {
        let mut live = Live {
            consumed,
            ..Live::default()
        };
        live.news(inbox);
        live
    }

    /// The slot has a state that stands here.
    pub(super) fn enter(&mut self, slot: &Slot) {
        let (asked, wake_at) = (slot.asked, slot.record.wake_at);
        match slot.state {
            SlotState::BackOff => {
                self.limits.extend(wake_at.map(|at| (at, asked)));
                self.parked += 1;
            }
            SlotState::Running(deadline) => self.limits.extend(deadline.map(|at| (at, asked))),
            SlotState::Suspended => {
                self.due.extend(wake_at.map(|at| (at, asked)));
                self.parked += 1;
                if slot.is_wait() {
                    self.waits.insert(asked);
                    self.unchecked.insert(asked);
                }
            }
            _ => {}
        }
    }

    /// The slot is about to change.
    pub(super) fn leave(&mut self, slot: &Slot) {
        let (asked, wake_at) = (slot.asked, slot.record.wake_at);
        match slot.state {
            SlotState::BackOff => {
                if let Some(at) = wake_at {
                    self.limits.remove(&(at, asked));
                }
                self.parked = self.parked.saturating_sub(1);
            }
            SlotState::Running(Some(at)) => {
                self.limits.remove(&(at, asked));
            }
            SlotState::Suspended => {
                if let Some(at) = wake_at {
                    self.due.remove(&(at, asked));
                }
                self.parked = self.parked.saturating_sub(1);
                self.waits.remove(&asked);
                self.unchecked.remove(&asked);
            }
            _ => {}
        }
    }

    /// Takes in the inbox as it is now.
    pub(super) fn news(&mut self, inbox: Vec<InboxItem>) {
        self.inbox = inbox;
        let consumed = &self.consumed;
        self.inbox
            .retain(|item| item.event().is_none_or(|id| !consumed.contains(&id)));
        self.unchecked.clone_from(&self.waits);
    }

    /// A record consumes this event: it serves no other wait of the run.
    pub(super) fn consume(&mut self, event: EventId) {
        self.consumed.insert(event);
        self.inbox.retain(|item| item.event() != Some(event));
    }

    /// The next wait, in order of asking, that has not looked at the inbox as it is.
    pub(super) fn next_unchecked(&self) -> Option<usize> {
        self.unchecked.first().copied()
    }

    /// The earliest pinned event that serves this wait and no other has consumed.
    pub(super) fn served_by(&self, record: &StepRecord) -> Option<(EventId, StepOutcome)> {
        let wait = record.wait.as_ref()?;
        self.inbox
            .iter()
            .filter_map(|item| match &item.content {
                InboxContent::Event {
                    id,
                    name,
                    key,
                    payload,
                    published_at,
                } if wait.matches(name, key.as_deref(), *published_at) => {
                    Some((item.seq, *id, payload))
                }
                _ => None,
            })
            .min_by_key(|(seq, ..)| *seq)
            .map(|(_, id, payload)| (id, StepOutcome::Done(payload.clone())))
    }

    /// Nothing in the inbox is for this wait.
    pub(super) fn checked(&mut self, asked: usize) {
        self.unchecked.remove(&asked);
    }

    /// The sleep or wait that has been due for longest.
    pub(super) fn due(&self, now: Timestamp) -> Option<usize> {
        self.due.first().filter(|(at, _)| *at <= now).map(place)
    }

    /// The back-off that is over, or the body out of time, for longest.
    pub(super) fn expired(&self, now: Timestamp) -> Option<usize> {
        self.limits.first().filter(|(at, _)| *at <= now).map(place)
    }

    /// When time alone moves the run on.
    pub(super) fn wake_at(&self) -> Option<Timestamp> {
        let firsts = [self.due.first(), self.limits.first()];
        firsts.into_iter().flatten().map(|(at, _)| *at).min()
    }

    /// Whether anything in the run can wait without a worker.
    pub(super) fn can_park(&self) -> bool {
        self.parked > 0
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.waits.is_empty()
    }
}

fn place((_, asked): &(Timestamp, usize)) -> usize {
    *asked
}

impl Slot {
    fn is_wait(&self) -> bool {
        self.record.kind == RecordKind::Event
    }
}
