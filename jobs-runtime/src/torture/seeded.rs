//! The planted bug of this process, and the bugs that change what `core` decides.
//!
//! `core` itself stays as it is: the drivers ask through here, and without a planted bug they get
//! its own answer. The other bugs stand where they belong, behind `seeded`.

use super::Bug;
use crate::core::{
    self, Applied, Commit, CommitAnswer, CommitGuard, CommitNumber, Decision, EventId, Head, JobId,
    Millis, NextTick, Settle, State, TickToMake, Timestamp, Timetable,
};
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

/// The planted bug as its place in [`Bug::ALL`], from 1; 0 for none.
static PLANTED: AtomicU8 = AtomicU8::new(0);

/// Plants a bug in this process, in place of the one before.
pub fn plant(bug: Option<Bug>) {
    PLANTED.store(bug.map_or(0, Bug::number), Ordering::Relaxed);
}

/// Whether this bug is planted.
pub(crate) fn seeded(bug: Bug) -> bool {
    PLANTED.load(Ordering::Relaxed) == bug.number()
}

impl Bug {
    /// Every bug.
    pub const ALL: [Bug; 12] = [
        Bug::AckBeforeRetry,
        Bug::AttemptOnSuspend,
        Bug::HalfLease,
        Bug::IgnoredRows,
        Bug::KeyFreed,
        Bug::LeakedSlot,
        Bug::NakUnknown,
        Bug::NoFence,
        Bug::ParkUnchecked,
        Bug::StepApart,
        Bug::SwallowedPublish,
        Bug::TickFromNow,
    ];

    fn number(self) -> u8 {
        self as u8 + 1
    }

    /// Its name, as it is given on a command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Bug::AckBeforeRetry => "ack-before-retry",
            Bug::AttemptOnSuspend => "attempt-on-suspend",
            Bug::HalfLease => "half-lease",
            Bug::IgnoredRows => "ignored-rows",
            Bug::KeyFreed => "key-freed",
            Bug::LeakedSlot => "leaked-slot",
            Bug::NakUnknown => "nak-unknown",
            Bug::NoFence => "no-fence",
            Bug::ParkUnchecked => "park-unchecked",
            Bug::StepApart => "step-apart",
            Bug::SwallowedPublish => "swallowed-publish",
            Bug::TickFromNow => "tick-from-now",
        }
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Bug {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Bug::ALL.into_iter().find(|bug| bug.as_str() == name);
        found.ok_or_else(|| {
            let names = Bug::ALL.map(Bug::as_str).join(", ");
            format!("there is no planted bug \"{name}\"; there are {names}")
        })
    }
}

/// What becomes of a commit: the decision of `core`, unless a bug is planted.
pub(crate) fn decide(head: &Head, commit: &Commit, now: Timestamp) -> Decision {
    if seeded(Bug::ParkUnchecked) && is_suspend(commit) {
        let blind = Commit {
            seen_nudge: head.nudge,
            ..commit.clone()
        };
        return core::decide(head, &blind, now);
    }
    match core::decide(head, commit, now) {
        Decision::Apply { mut head, error } if seeded(Bug::AttemptOnSuspend) => {
            head.attempt += u32::from(is_suspend(commit));
            Decision::Apply { head, error }
        }
        Decision::Answer(CommitAnswer::LeaseLost) if seeded(Bug::NoFence) => {
            unfenced(head, commit, now)
        }
        Decision::Answer(
            CommitAnswer::LeaseLost | CommitAnswer::Conflict | CommitAnswer::Cancelled,
        ) if seeded(Bug::IgnoredRows) => {
            Decision::Answer(CommitAnswer::Applied(Applied::default()))
        }
        decision => decision,
    }
}

/// The same commit, as if its lease were the current one.
fn unfenced(head: &Head, commit: &Commit, now: Timestamp) -> Decision {
    let running = Head {
        state: State::Running,
        visible_at: Some(
            head.visible_at
                .map_or(now, |end| end.max(now))
                .after(Millis(1)),
        ),
        ..head.clone()
    };
    let head = if head.state.is_live() { &running } else { head };
    let token = head.token;
    let last = head.last_commit;
    let number = if last.token == token { last.number } else { 0 } + 1;
    let current = Commit {
        guard: CommitGuard::Lease(CommitNumber { token, number }),
        base: commit.base.map(|_| head.next_position),
        ..commit.clone()
    };
    core::decide(head, &current, now)
}

fn is_suspend(commit: &Commit) -> bool {
    matches!(commit.settle, Some(Settle::Suspend { .. }))
}

/// When the store gives a leased job to somebody else.
pub(crate) fn lease_end(now: Timestamp, end: Timestamp) -> Timestamp {
    if seeded(Bug::HalfLease) {
        return now.after(Millis(end.since(now).0 / 2));
    }
    end
}

/// Whether a bug stores this commit in two transactions.
pub(crate) fn takes_apart(commit: &Commit) -> bool {
    leaves_between(commit) || has_afterthought(commit)
}

/// Whether its job is out of the store between the two.
pub(crate) fn leaves_between(commit: &Commit) -> bool {
    seeded(Bug::AckBeforeRetry) && matches!(commit.settle, Some(Settle::Retry { .. }))
}

fn has_afterthought(commit: &Commit) -> bool {
    seeded(Bug::StepApart) && !(commit.children.is_empty() && commit.events.is_empty())
}

/// What is sent after a commit whose answer was lost, by a worker that takes it for a failure.
pub(crate) fn nak(commit: &Commit) -> Commit {
    let guard = match commit.guard {
        CommitGuard::Lease(last) => CommitGuard::Lease(CommitNumber {
            number: last.number + 1,
            ..last
        }),
        revision @ CommitGuard::Revision(_) => revision,
    };
    let records = commit.records.iter();
    Commit {
        guard,
        base: None,
        removed: records.map(|record| record.name.clone()).collect(),
        records: Vec::new(),
        settle: Some(Settle::HandBack),
        ..without_afterthought(commit)
    }
}

/// The ticks to make now and the timetable after them: those of `core`, unless a bug is planted.
pub(crate) fn fire(
    table: &Timetable,
    now: Timestamp,
    is_busy: bool,
    next: NextTick<'_>,
    job: impl Fn(Timestamp) -> JobId,
) -> (Vec<TickToMake>, Timetable) {
    if !seeded(Bug::TickFromNow) {
        return table.fire(now, is_busy, next, job);
    }
    // At its own instant a tick is the only one that is due.
    let (make, after) = table.fire(table.next.unwrap_or(now), is_busy, next, job);
    let next = next(now);
    (make, Timetable { next, ..after })
}

/// Whether this event cannot be stored, and nobody is told.
pub(crate) fn swallows(event: EventId) -> bool {
    let last = event.as_bytes().last();
    seeded(Bug::SwallowedPublish) && last.is_some_and(|byte| byte.is_multiple_of(4))
}

/// The slots that a worker has lost to a planted bug.
#[derive(Debug, Default)]
pub(crate) struct Leaked(AtomicUsize);

impl Leaked {
    /// A run lets go of its slot without an end.
    pub(crate) fn leak(&self) {
        self.0
            .fetch_add(usize::from(seeded(Bug::LeakedSlot)), Ordering::Relaxed);
    }

    pub(crate) fn slots(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// What is stored in the first of the two.
pub(crate) fn without_afterthought(commit: &Commit) -> Commit {
    Commit {
        children: Vec::new(),
        events: Vec::new(),
        ..commit.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bug_is_found_by_its_name() {
        for bug in Bug::ALL {
            assert_eq!(bug.as_str().parse(), Ok(bug));
        }
        let unknown = "no-such-bug".parse::<Bug>();
        assert!(unknown.is_err_and(|why| why.contains("no-fence")));
    }
}
