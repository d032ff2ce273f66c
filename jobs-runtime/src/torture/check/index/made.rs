//! A call to the store, with what is known of its end.

use crate::torture::history::{Answer, Call, CommitCall, EnqueueCall, Life, PublishCall, Settled};

/// What is known of the end of a call.
#[derive(Clone, Copy, Debug)]
pub(in crate::torture::check) enum Outcome<'h> {
    /// Nothing was done.
    Fail,
    /// It was answered.
    Ok(&'h Answer),
    /// It may have been done.
    Open,
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub(in crate::torture::check) struct Made<'h> {
    pub(in crate::torture::check) life: Life,
    pub(in crate::torture::check) call: &'h Call,
    /// Where it was made.
    pub(in crate::torture::check) begin: usize,
    /// Where it was answered, or where the life that made it ended.
    pub(in crate::torture::check) end: usize,
    pub(in crate::torture::check) outcome: Outcome<'h>,
}

impl<'h> Made<'h> {
    pub(in crate::torture::check) fn answer(&self) -> Option<&'h Answer> {
        match self.outcome {
            Outcome::Ok(answer) => Some(answer),
            Outcome::Fail | Outcome::Open => None,
        }
    }

    /// A commit that is in the store.
    pub(in crate::torture::check) fn is_applied(&self) -> bool {
        matches!(self.outcome, Outcome::Ok(Answer::Applied))
    }

    /// Whether the store may have changed by it.
    pub(in crate::torture::check) fn may_be_done(&self) -> bool {
        match self.outcome {
            Outcome::Fail => false,
            Outcome::Open => true,
            Outcome::Ok(answer) => !matches!(
                answer,
                Answer::Cancelled
                    | Answer::Conflict
                    | Answer::Duplicate(_)
                    | Answer::KeyTaken(_)
                    | Answer::LeaseLost
                    | Answer::Nudged
            ),
        }
    }

    pub(in crate::torture::check) fn commit(&self) -> Option<&'h CommitCall> {
        match self.call {
            Call::Commit(commit) => Some(commit),
            _ => None,
        }
    }

    pub(in crate::torture::check) fn enqueue(&self) -> Option<&'h EnqueueCall> {
        match self.call {
            Call::Enqueue(call) => Some(call),
            _ => None,
        }
    }

    pub(in crate::torture::check) fn publish(&self) -> Option<&'h PublishCall> {
        match self.call {
            Call::Publish(call) => Some(call),
            _ => None,
        }
    }

    pub(in crate::torture::check) fn settle(&self) -> Option<Settled> {
        self.commit()?.settle
    }
}
