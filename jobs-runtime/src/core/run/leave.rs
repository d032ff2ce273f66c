//! What a body does beside its steps: it may end its lease by itself, and write about itself.

use super::Run;
use super::settle::hold;
use crate::core::{Commit, Millis, NewJob, Settle, Timestamp};
use alloc::boxed::Box;

/// The shortest time for which a body can send itself away: without one a job that has nothing to
/// do would keep its store busy.
const MIN_SNOOZE: Millis = Millis(100);

/// How a body ends its lease without an end of its own.
#[derive(Clone, Debug)]
pub enum Leave {
    /// Done, and another run goes on.
    Continue(Box<NewJob>),
    /// Once more from the top, later. Costs no attempt.
    Snooze(Millis),
}

impl Run {
    /// Says that the body ends its lease. The first word counts.
    pub fn leave(&mut self, how: Leave) {
        if !self.closed {
            self.leaving.get_or_insert(how);
        }
    }

    /// Whether the body ends its lease.
    #[must_use]
    pub fn is_leaving(&self) -> bool {
        self.leaving.is_some()
    }

    /// The last commit of a lease that the body ended.
    pub fn settle_leaving(&mut self) -> Commit {
        let settle = match self.leaving.take() {
            Some(Leave::Snooze(span)) => Settle::Defer {
                delay: span.max(MIN_SNOOZE),
            },
            Some(Leave::Continue(next)) => match self.unclaimed() {
                None => Settle::Continue { next },
                Some(mismatch) => hold(&mismatch),
            },
            None => Settle::HandBack,
        };
        self.settle(settle)
    }

    /// Says how far the body is. Forgotten while it replays: it has been said.
    pub fn note_progress(&mut self, done: u64, total: u64, message: &str) {
        if self.is_new() {
            self.notes.progress(done, total, message);
        }
    }

    /// Adds a line to the job's log. Forgotten while the body replays: it stands there.
    pub fn note_line(&mut self, text: &str, at: Timestamp) {
        if self.is_new() {
            self.notes.line(text, at);
        }
    }

    /// The body is past everything recorded.
    fn is_new(&self) -> bool {
        !self.closed && self.cursor == self.order.len()
    }
}
