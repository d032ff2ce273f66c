//! One step of a run in this lease: where it stands, and its record.

use crate::core::{StepOutcome, StepRecord, StoredError, Timestamp};

#[derive(Debug)]
pub(super) struct Slot {
    pub(super) state: SlotState,
    pub(super) record: StepRecord,
    /// Its place among the names that were taken.
    pub(super) asked: usize,
    /// A future has taken the name in this lease.
    pub(super) claimed: bool,
    /// That future is still alive.
    pub(super) awaited: bool,
    /// Its failure may never be taken back, and its body never runs twice.
    pub(super) once: bool,
    /// The start of such a body is durable, and it has not begun.
    pub(super) marked: bool,
    /// A passed deadline is an error.
    pub(super) required: bool,
    /// Its record is stored with what its body wrote.
    pub(super) tx: bool,
    /// Its child is not waited for.
    pub(super) detached: bool,
    /// The poll to which its result was delivered.
    pub(super) delivered_in: u64,
    /// The body asked for something new in that poll, or in any since.
    pub(super) asked_in: bool,
    pub(super) asked_since: bool,
}

#[derive(Debug, PartialEq)]
pub(super) enum SlotState {
    /// A failed body waits for its next try. Stands in [`super::live::Live`].
    BackOff,
    /// Its outcome is what the future gets.
    Delivered,
    /// The body has ended; its result waits to be delivered.
    Finished(StepOutcome),
    /// Asked for, and may not start yet.
    Held,
    /// Its start is being stored, before the body begins.
    Marking,
    /// The future was dropped before it got anything.
    Gone,
    /// Only a pending record of an earlier lease, not asked for yet.
    Pending,
    /// The body runs on past its deadline, until its future is polled and drops it.
    Overrun,
    /// The body runs, until the deadline if it has one. Stands in [`super::live::Live`].
    Running(Option<Timestamp>),
    /// In the journal, its position not reached yet.
    Recorded,
    /// Its position came and nobody asked.
    Passed,
    /// Stored ahead of its delivery (careful mode): given out once durable.
    Storing,
    /// A sleep or a wait. Stands in [`super::live::Live`].
    Suspended,
    /// The transaction of a body was refused when it was to end, until its future hears of it.
    Undone(StoredError),
}

impl Slot {
    pub(super) fn recorded(record: StepRecord) -> Self {
        let state = if record.position.is_some() {
            SlotState::Recorded
        } else {
            SlotState::Pending
        };
        Slot {
            state,
            record,
            asked: 0,
            claimed: false,
            awaited: false,
            once: false,
            marked: false,
            required: false,
            tx: false,
            detached: false,
            delivered_in: 0,
            asked_in: false,
            asked_since: false,
        }
    }
}
