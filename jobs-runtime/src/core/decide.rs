//! What a claim, a heartbeat and a commit do to a job's head. Drivers store the answer.

use super::{
    Change, Commit, CommitGuard, Head, JobId, JobSpec, Millis, Nudge, Settle, State, StoredError,
    Timestamp, Token, commit::CommitNumber, next,
};
use ::core::cmp::Ordering;
use alloc::{format, vec::Vec};

/// The order in which waiting jobs are taken: priority, then `visible_at`, then id (R9).
#[must_use]
pub fn claim_order(a: (&JobSpec, &Head), b: (&JobSpec, &Head)) -> Ordering {
    let key = |(spec, head): (&JobSpec, &Head)| (spec.priority, head.visible_at, spec.id);
    key(a).cmp(&key(b))
}

/// What a claim makes of a visible row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimVerdict {
    /// Its last worker died, and that was the last attempt: it becomes a dead letter.
    Bury {
        /// The row as it must be stored.
        head: Head,
        /// Why, for people.
        error: StoredError,
    },
    /// It was not started in time.
    Expire {
        /// The row as it must be stored.
        head: Head,
        /// Why, for people.
        error: StoredError,
    },
    /// It is leased.
    Lease {
        /// The row as it must be stored.
        head: Head,
    },
    /// It is not visible: somebody else was faster.
    Skip,
}

/// Leases a row that is visible at `now`. `nonce` makes the new token; `timeout` is the row's own
/// visibility timeout or, without one, the worker's.
#[must_use]
pub fn claim(
    spec: &JobSpec,
    head: &Head,
    now: Timestamp,
    timeout: Millis,
    nonce: u64,
) -> ClaimVerdict {
    if head.visible_at.is_none_or(|at| at > now) {
        return ClaimVerdict::Skip;
    }
    let lost = head.state == State::Running;
    if lost && head.attempt >= head.attempts_max {
        let error = StoredError::new(
            "X_JOB_MAX_ATTEMPTS",
            format!(
                "attempt {} of {} lost its worker: the lease ran out without a heartbeat",
                head.attempt, head.attempts_max
            ),
        );
        return match ended(head, Change::Bury, now) {
            Some(mut head) => {
                head.lease_losses = head.lease_losses.saturating_add(1);
                ClaimVerdict::Bury { head, error }
            }
            None => ClaimVerdict::Skip,
        };
    }
    if head.state == State::Pending
        && head.started_at.is_none()
        && spec.expires_at.is_some_and(|at| at <= now)
    {
        let error = StoredError::new("X_JOB_EXPIRED", "it was not started before it expired");
        return match ended(head, Change::Expire, now) {
            Some(head) => ClaimVerdict::Expire { head, error },
            None => ClaimVerdict::Skip,
        };
    }
    let change = if lost { Change::Reclaim } else { Change::Claim };
    let Ok(state) = next(head.state, change) else {
        return ClaimVerdict::Skip;
    };
    ClaimVerdict::Lease {
        head: Head {
            state,
            revision: head.revision + 1,
            attempt: head.attempt.saturating_add(u32::from(lost)),
            lease_losses: head.lease_losses.saturating_add(u32::from(lost)),
            token: Token {
                epoch: head.token.epoch + 1,
                nonce,
            },
            visible_at: Some(now.after(timeout)),
            started_at: Some(head.started_at.unwrap_or(now)),
            ..head.clone()
        },
    }
}

/// What a heartbeat makes of a row: the lease's new end, or nothing if it is not the holder's.
#[must_use]
pub fn heartbeat(head: &Head, token: Token, now: Timestamp, timeout: Millis) -> Option<Head> {
    let held = head.state == State::Running
        && head.token == token
        && head.visible_at.is_some_and(|end| end > now);
    held.then(|| Head {
        visible_at: Some(now.after(timeout)),
        ..head.clone()
    })
}

/// What putting something into a run's inbox makes of its row. Only a suspended run becomes
/// visible: moving the instant of a running one would end its lease (R5).
#[must_use]
pub fn nudged(head: &Head, now: Timestamp) -> Head {
    let visible_at = match head.state {
        State::Suspended => Some(head.visible_at.map_or(now, |at| at.min(now))),
        _ => head.visible_at,
    };
    Head {
        nudge: head.nudge + 1,
        revision: head.revision + 1,
        visible_at,
        ..head.clone()
    }
}

/// The answer to a commit. All but [`CommitAnswer::Applied`] change nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitAnswer {
    /// It is stored, now or by an earlier try of the same commit.
    Applied(Applied),
    /// The job was cancelled.
    Cancelled,
    /// The row changed since it was read.
    Conflict,
    /// A requeue met a newer holder of its key.
    Duplicate(JobId),
    /// Somebody else holds the job, or nobody does.
    LeaseLost,
    /// Something was put into the inbox that the worker has not seen: look before parking.
    Nudged(Nudge),
}

/// What an applied commit brings back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// The ids of enqueued children, in order; an existing job where one held the key.
    pub children: Vec<JobId>,
    /// News that the writer had not seen.
    pub nudge: Option<Nudge>,
}

/// What a driver must do with a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Answer so, and change nothing.
    Answer(CommitAnswer),
    /// Store this head with everything else the commit carries, and answer `Applied`.
    Apply {
        /// The row as it must be stored.
        head: Head,
        /// The error to note, if the change carries one.
        error: Option<StoredError>,
    },
    /// Answer `Nudged` with the inbox, and change nothing.
    Nudged,
}

/// Decides a commit on a locked row, wherever it stands: live, archived or dead.
#[must_use]
pub fn decide(head: &Head, commit: &Commit, now: Timestamp) -> Decision {
    match commit.guard {
        CommitGuard::Lease(number) => decide_leased(head, commit, number, now),
        CommitGuard::Revision(revision) => decide_revision(head, commit, revision, now),
    }
}

fn decide_leased(head: &Head, commit: &Commit, number: CommitNumber, now: Timestamp) -> Decision {
    let last = head.last_commit;
    if last.token == number.token && number.number <= last.number && last.number > 0 {
        // A retry of what is already stored: its first answer was lost.
        return Decision::Answer(CommitAnswer::Applied(Applied::default()));
    }
    if head.state == State::Cancelled {
        return Decision::Answer(CommitAnswer::Cancelled);
    }
    let expected = if last.token == number.token {
        last.number + 1
    } else {
        1
    };
    let lease_lost = head.state != State::Running
        || head.token != number.token
        || number.number != expected
        || head.visible_at.is_none_or(|end| end <= now)
        || commit.base.is_some_and(|base| base != head.next_position);
    if lease_lost {
        return Decision::Answer(CommitAnswer::LeaseLost);
    }
    if matches!(commit.settle, Some(Settle::Suspend { .. })) && commit.seen_nudge != head.nudge {
        return Decision::Nudged;
    }
    let mut head = Head {
        last_commit: number,
        ..head.clone()
    };
    advance_position(&mut head, commit);
    settle(head, commit.settle.as_ref(), now)
}

fn decide_revision(head: &Head, commit: &Commit, revision: u64, now: Timestamp) -> Decision {
    if commit.change_id.is_some() && commit.change_id == head.last_change {
        // A retry of what is already stored: its first answer was lost.
        return Decision::Answer(CommitAnswer::Applied(Applied::default()));
    }
    if head.revision != revision {
        return Decision::Answer(CommitAnswer::Conflict);
    }
    let head = Head {
        last_change: commit.change_id.or(head.last_change),
        ..head.clone()
    };
    settle(head, commit.settle.as_ref(), now)
}

fn advance_position(head: &mut Head, commit: &Commit) {
    let delivered = commit
        .records
        .iter()
        .filter_map(|record| record.position)
        .max();
    if let Some(last) = delivered {
        head.next_position = head.next_position.max(last.next());
    }
}

fn settle(mut head: Head, how: Option<&Settle>, now: Timestamp) -> Decision {
    head.revision += 1;
    let (change, error) = match how {
        None => return Decision::Apply { head, error: None },
        Some(Settle::Ack { .. } | Settle::Continue { .. }) => (Change::Ack, None),
        Some(Settle::Cancel) => (Change::Cancel, None),
        Some(Settle::Defer { .. }) => (Change::Defer, None),
        Some(Settle::Fail { error }) => (Change::Fail, Some(error.clone())),
        Some(Settle::HandBack) => (Change::HandBack, None),
        Some(Settle::Hold { error }) => (Change::Hold, Some(error.clone())),
        Some(Settle::Requeue) => (Change::Requeue, None),
        Some(Settle::Retry { error, .. }) if head.attempt >= head.attempts_max => {
            (Change::Bury, Some(error.clone()))
        }
        Some(Settle::Retry { error, .. }) => (Change::Retry, Some(error.clone())),
        Some(Settle::Suspend { .. }) => (Change::Suspend, None),
    };
    let Ok(state) = next(head.state, change) else {
        return Decision::Answer(CommitAnswer::Conflict);
    };
    head.state = state;
    head.visible_at = match how {
        Some(Settle::Defer { delay } | Settle::Retry { delay, .. }) => Some(now.after(*delay)),
        Some(Settle::HandBack | Settle::Requeue) => Some(now),
        Some(Settle::Suspend { wake_at }) => *wake_at,
        _ => None,
    };
    match change {
        Change::Retry => head.attempt += 1,
        Change::Requeue => {
            head.attempt = 1;
            head.lease_losses = 0;
            head.ended_at = None;
            head.cancel_requested = false;
            // Whoever revives a job that came too late wants it to run all the same: what has
            // begun does not expire.
            head.started_at = head.started_at.or(Some(now));
        }
        _ => {}
    }
    if !state.is_live() {
        head.visible_at = None;
        head.ended_at = Some(now);
    }
    Decision::Apply { head, error }
}

pub(super) fn ended(head: &Head, change: Change, now: Timestamp) -> Option<Head> {
    let state = next(head.state, change).ok()?;
    Some(Head {
        state,
        revision: head.revision + 1,
        visible_at: None,
        ended_at: Some(now),
        ..head.clone()
    })
}

#[cfg(test)]
mod tests;
