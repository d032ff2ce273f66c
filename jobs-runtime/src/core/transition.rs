//! The life cycle of a job: one match, and nothing else changes a state.

use super::Timestamp;
use ::core::{fmt, str::FromStr};
use serde::{Deserialize, Serialize};

/// The state of a job as it is stored. `ready` and `delayed` are two views of [`State::Pending`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Waits for a worker, now or from its `visible_at` on.
    Pending,
    /// Leased to a worker.
    Running,
    /// Parked: for a sleep, an event, a child, or for a person.
    Suspended,
    /// Ended well.
    Done,
    /// Ended by an error that no further attempt can mend.
    Failed,
    /// Attempts used up; kept until a person purges or requeues it.
    Dead,
    /// Ended by request.
    Cancelled,
}

impl State {
    /// Every state, in the order of a life.
    pub const ALL: [State; 7] = [
        State::Pending,
        State::Running,
        State::Suspended,
        State::Done,
        State::Failed,
        State::Dead,
        State::Cancelled,
    ];

    /// The one text form, for stores and for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            State::Pending => "pending",
            State::Running => "running",
            State::Suspended => "suspended",
            State::Done => "done",
            State::Failed => "failed",
            State::Dead => "dead",
            State::Cancelled => "cancelled",
        }
    }

    /// Whether the job may still run: it holds its idempotency key.
    #[must_use]
    pub const fn is_live(self) -> bool {
        matches!(self, State::Pending | State::Running | State::Suspended)
    }

    /// What a person is shown.
    #[must_use]
    pub fn view(self, visible_at: Option<Timestamp>, now: Timestamp) -> View {
        match self {
            State::Pending if visible_at.is_some_and(|at| at > now) => View::Delayed,
            State::Pending => View::Ready,
            State::Running => View::Running,
            State::Suspended => View::Suspended,
            State::Done => View::Done,
            State::Failed => View::Failed,
            State::Dead => View::Dead,
            State::Cancelled => View::Cancelled,
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A state text that no version of this library wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownState;

impl fmt::Display for UnknownState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a job state")
    }
}

impl FromStr for State {
    type Err = UnknownState;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        State::ALL
            .into_iter()
            .find(|state| state.as_str() == text)
            .ok_or(UnknownState)
    }
}

/// The state of a job as people see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum View {
    /// A worker may take it now.
    Ready,
    /// A worker may take it later.
    Delayed,
    /// See [`State::Running`].
    Running,
    /// See [`State::Suspended`].
    Suspended,
    /// See [`State::Done`].
    Done,
    /// See [`State::Failed`].
    Failed,
    /// See [`State::Dead`].
    Dead,
    /// See [`State::Cancelled`].
    Cancelled,
}

impl View {
    /// The word people are shown.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            View::Ready => "ready",
            View::Delayed => "delayed",
            View::Running => "running",
            View::Suspended => "suspended",
            View::Done => "done",
            View::Failed => "failed",
            View::Dead => "dead",
            View::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What can happen to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// The body returned a value.
    Ack,
    /// The last attempt failed.
    Bury,
    /// Somebody asked for its end.
    Cancel,
    /// A worker leases it.
    Claim,
    /// Its worker has no handler of its name.
    Defer,
    /// It was not started before its time was up.
    Expire,
    /// An error that no further attempt can mend.
    Fail,
    /// Its worker shuts down.
    HandBack,
    /// The journal no longer fits the code: parked for a person.
    Hold,
    /// A worker leases it after another let its lease run out.
    Reclaim,
    /// A person revives it.
    Requeue,
    /// An attempt failed and another follows.
    Retry,
    /// The body waits for a sleep, an event or a child.
    Suspend,
}

impl Change {
    /// Every change.
    pub const ALL: [Change; 13] = [
        Change::Ack,
        Change::Bury,
        Change::Cancel,
        Change::Claim,
        Change::Defer,
        Change::Expire,
        Change::Fail,
        Change::HandBack,
        Change::Hold,
        Change::Reclaim,
        Change::Requeue,
        Change::Retry,
        Change::Suspend,
    ];
}

/// A change that makes no sense in a state; whoever asked for it changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalTransition {
    /// The state the job is in.
    pub from: State,
    /// What was asked of it.
    pub change: Change,
}

impl fmt::Display for IllegalTransition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a {} job cannot {:?}", self.from, self.change)
    }
}

/// The whole life cycle.
///
/// # Errors
/// [`IllegalTransition`] for every pair that is not listed.
pub const fn next(from: State, change: Change) -> Result<State, IllegalTransition> {
    Ok(match (from, change) {
        (State::Pending | State::Suspended, Change::Claim) => State::Running,
        (State::Running, Change::Reclaim) => State::Running,

        (State::Running, Change::Ack) => State::Done,
        (State::Running, Change::Fail) => State::Failed,
        (State::Running, Change::Bury) => State::Dead,
        (State::Running, Change::Retry | Change::HandBack | Change::Defer) => State::Pending,
        (State::Running, Change::Suspend | Change::Hold) => State::Suspended,

        (State::Pending, Change::Expire) => State::Failed,
        (State::Pending | State::Running | State::Suspended, Change::Cancel) => State::Cancelled,
        (
            State::Suspended | State::Done | State::Failed | State::Dead | State::Cancelled,
            Change::Requeue,
        ) => State::Pending,

        (from, change) => return Err(IllegalTransition { from, change }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table, written a second time as rows of a picture, so that neither can drift alone.
    const LEGAL: &[(State, Change, State)] = &[
        (State::Pending, Change::Claim, State::Running),
        (State::Pending, Change::Expire, State::Failed),
        (State::Pending, Change::Cancel, State::Cancelled),
        (State::Running, Change::Ack, State::Done),
        (State::Running, Change::Bury, State::Dead),
        (State::Running, Change::Cancel, State::Cancelled),
        (State::Running, Change::Defer, State::Pending),
        (State::Running, Change::Fail, State::Failed),
        (State::Running, Change::HandBack, State::Pending),
        (State::Running, Change::Hold, State::Suspended),
        (State::Running, Change::Reclaim, State::Running),
        (State::Running, Change::Retry, State::Pending),
        (State::Running, Change::Suspend, State::Suspended),
        (State::Suspended, Change::Cancel, State::Cancelled),
        (State::Suspended, Change::Claim, State::Running),
        (State::Suspended, Change::Requeue, State::Pending),
        (State::Done, Change::Requeue, State::Pending),
        (State::Failed, Change::Requeue, State::Pending),
        (State::Dead, Change::Requeue, State::Pending),
        (State::Cancelled, Change::Requeue, State::Pending),
    ];

    #[test]
    fn every_pair_of_state_and_change_is_either_in_the_table_or_refused() {
        for from in State::ALL {
            for change in Change::ALL {
                let expected = LEGAL
                    .iter()
                    .find(|(f, c, _)| (*f, *c) == (from, change))
                    .map(|(_, _, to)| *to)
                    .ok_or(IllegalTransition { from, change });
                assert_eq!(next(from, change), expected, "{from} {change:?}");
            }
        }
    }

    #[test]
    fn nothing_but_a_requeue_leaves_an_ended_state() {
        for from in State::ALL.into_iter().filter(|state| !state.is_live()) {
            for change in Change::ALL
                .into_iter()
                .filter(|change| *change != Change::Requeue)
            {
                assert!(next(from, change).is_err(), "{from} {change:?}");
            }
        }
    }

    #[test]
    fn a_state_reads_back_from_its_text() {
        for state in State::ALL {
            assert_eq!(state.as_str().parse(), Ok(state));
        }
        assert_eq!("Running".parse::<State>(), Err(UnknownState));
    }
}
