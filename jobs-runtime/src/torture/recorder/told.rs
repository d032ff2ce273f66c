//! The contract's values as a history tells them.

use crate::Error;
use crate::contract::{
    BeatAnswer, Claimed, Conflicted, EnqueueAnswer, PruneBounds, PruneRule, Pruned,
};
use crate::core::{
    Commit, CommitAnswer, CommitGuard, InboxContent, NewEvent, NewJob, OnConflict, Settle,
    Timestamp, Visible,
};
use crate::torture::history::{
    Answer, Bounds, CommitCall, EndedRule, EnqueueCall, Leased, Op, ParentStep, PublishCall,
    Recorded, Settled, Tick, What,
};
use crate::torture::log::{clip, hash};

/// The code of a call that was carried by another, which changed nothing.
const NOT_CARRIED: &str = "not-carried";

impl EnqueueCall {
    /// What is written down of a new job, and of the call that carries it, if one does.
    #[must_use]
    pub fn of(job: &NewJob, within: Option<Op>) -> Self {
        let spec = &job.spec;
        let (visible_at, delay) = match job.visible {
            Visible::After(delay) => (None, Some(delay)),
            Visible::At(at) => (Some(at), None),
            Visible::Now => (None, None),
        };
        EnqueueCall {
            job: spec.id,
            run: spec.run_id,
            name: clip(&spec.name),
            key: key(&spec.scope, spec.key.as_deref()),
            tenant: spec.tenant.as_deref().map(clip),
            queue: clip(&spec.queue),
            priority: spec.priority,
            input: hash(&spec.input.bytes),
            visible_at,
            delay,
            attempts_max: job.attempts_max.max(1),
            // In a window the newest input wins, too.
            on_conflict: match job.window {
                Some(_) if job.may_follow() => OnConflict::Replace.into(),
                Some(_) => OnConflict::Dedupe.into(),
                None => job.on_conflict.into(),
            },
            unique_for: job.unique_for,
            parent: spec.parent.as_ref().map(|parent| ParentStep {
                job: parent.job,
                step: clip(&parent.step),
            }),
            tick: spec.tick.as_ref().map(tick),
            within,
        }
    }
}

impl PublishCall {
    /// What is written down of a new event, and of the commit that carries it, if one does.
    #[must_use]
    pub fn of(event: &NewEvent, within: Option<Op>) -> Self {
        PublishCall {
            event: event.id,
            name: clip(&event.name),
            key: event.key.as_deref().map(clip),
            tenant: event.tenant.as_deref().map(clip),
            ttl: event.ttl,
            payload: hash(&event.payload.bytes),
            within,
        }
    }
}

impl CommitCall {
    /// What is written down of a commit.
    #[must_use]
    pub fn of(commit: &Commit) -> Self {
        let (lease, revision) = match commit.guard {
            CommitGuard::Lease(number) => (Some(number), None),
            CommitGuard::Revision(revision) => (None, Some(revision)),
        };
        CommitCall {
            job: commit.job,
            run: commit.run,
            lease,
            revision,
            change: commit.change_id,
            records: commit.records.iter().map(Recorded::of).collect(),
            removed: commit.removed.iter().map(|name| clip(name)).collect(),
            settle: commit.settle.as_ref().map(settled),
        }
    }
}

/// Scope and key as one text. A scope is the name of a job, so that two keys of two scopes may
/// only be one text by intent.
pub(super) fn key(scope: &str, key: Option<&str>) -> Option<String> {
    key.map(|key| clip(&format!("{scope}\u{1f}{key}")))
}

pub(super) fn tick(tick: &crate::core::TickRef) -> Tick {
    Tick {
        schedule: clip(&tick.schedule),
        tick: tick.tick,
    }
}

fn settled(settle: &Settle) -> Settled {
    match settle {
        Settle::Ack { output } => Settled::Ack {
            output: hash(&output.bytes),
        },
        Settle::Cancel => Settled::Cancel,
        Settle::Continue { next } => Settled::Continue { next: next.spec.id },
        Settle::Defer { delay } => Settled::Defer { delay: *delay },
        Settle::Fail { .. } => Settled::Fail,
        Settle::HandBack => Settled::HandBack,
        Settle::Hold { .. } => Settled::Hold,
        Settle::Requeue => Settled::Requeue,
        Settle::Retry { delay, .. } => Settled::Retry { delay: *delay },
        Settle::Suspend { wake_at } => Settled::Suspend { wake_at: *wake_at },
    }
}

/// The jobs that a commit brings: its children, and the run that goes on.
pub(super) fn jobs_of(commit: &Commit) -> Vec<NewJob> {
    let mut jobs = commit.children.clone();
    if let Some(Settle::Continue { next }) = &commit.settle {
        jobs.push((**next).clone());
    }
    jobs
}

pub(super) fn failure(op: Op, error: &Error) -> What {
    let code = error.code().to_owned();
    match error.is_outcome_unknown() {
        true => What::Unknown { op, code },
        false => What::Fail { op, code },
    }
}

pub(super) fn carried(op: Op) -> What {
    let answer = Answer::Carried;
    What::Ok { op, answer }
}

pub(super) fn not_carried(op: Op) -> What {
    let code = NOT_CARRIED.to_owned();
    What::Fail { op, code }
}

pub(super) fn enqueue_answer(op: Op, answer: &EnqueueAnswer) -> What {
    let answer = match answer {
        Ok(enqueued) => Answer::Enqueued {
            job: enqueued.id,
            deduped: enqueued.deduped,
            input_differs: enqueued.input_differs,
        },
        Err(Conflicted::KeyTaken(holder)) => Answer::KeyTaken(*holder),
        Err(Conflicted::Refused(error)) => return failure(op, error),
    };
    What::Ok { op, answer }
}

pub(super) fn commit_answer(answer: &CommitAnswer) -> Answer {
    match answer {
        CommitAnswer::Applied(_) => Answer::Applied,
        CommitAnswer::Cancelled => Answer::Cancelled,
        CommitAnswer::Conflict => Answer::Conflict,
        CommitAnswer::Duplicate(holder) => Answer::Duplicate(*holder),
        CommitAnswer::LeaseLost => Answer::LeaseLost,
        CommitAnswer::Nudged(_) => Answer::Nudged,
    }
}

pub(super) fn beat_answer(answer: &BeatAnswer) -> Answer {
    match answer {
        BeatAnswer::Cancelled => Answer::Cancelled,
        BeatAnswer::Held {
            until,
            cancel_requested,
            ..
        } => Answer::Held {
            until: *until,
            cancel_requested: *cancel_requested,
        },
        BeatAnswer::Lost => Answer::LeaseLost,
    }
}

pub(super) fn leased(claimed: &Claimed, now: Timestamp) -> Leased {
    let (spec, head) = (&claimed.job.spec, &claimed.job.head);
    let event = |content: &InboxContent| match content {
        InboxContent::Event { id, .. } => Some(*id),
        InboxContent::Child { .. } | InboxContent::Detached { .. } => None,
    };
    let inbox = &claimed.nudge.inbox;
    Leased {
        job: spec.id,
        run: spec.run_id,
        token: head.token,
        attempt: head.attempt,
        attempts_max: head.attempts_max,
        lease_losses: head.lease_losses,
        from: now,
        until: head.visible_at.unwrap_or(now),
        tenant: spec.tenant.as_deref().map(clip),
        limit_key: spec.limit_key.as_deref().map(clip),
        input: hash(&spec.input.bytes),
        journal: claimed.journal.iter().map(Recorded::of).collect(),
        inbox: inbox
            .iter()
            .filter_map(|item| event(&item.content))
            .collect(),
    }
}

pub(super) fn bounds(bounds: &PruneBounds) -> Bounds {
    let rule = |rule: &PruneRule| EndedRule {
        name: rule.name.as_deref().map(clip),
        state: rule.state,
        before: rule.before,
        keep: rule.keep,
    };
    Bounds {
        ended_before: bounds.ended_before,
        events_expired_before: bounds.events_expired_before,
        dead_before: bounds.dead_before,
        rules: bounds.rules.iter().map(rule).collect(),
        spared: bounds.spared,
    }
}

pub(super) fn pruned(pruned: Pruned) -> Answer {
    Answer::Pruned {
        jobs: pruned.jobs,
        dead_letters: pruned.dead_letters,
        events: pruned.events,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_outcome_that_is_open_is_told_as_unknown() {
        let told = |error: &Error| failure(Op(1), error);
        let open = told(&Error::outcome_unknown("memory", "the answer was lost"));
        assert!(matches!(open, What::Unknown { .. }), "{open:?}");
        let shut = told(&Error::driver_unavailable("memory", "gone", "wait"));
        assert!(matches!(shut, What::Fail { .. }), "{shut:?}");
    }
}
