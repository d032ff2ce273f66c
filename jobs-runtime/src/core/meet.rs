//! What becomes of a new job when its key is taken, and which jobs follow from the end of another.

use super::{
    CleanUp, Head, JobId, JobSpec, Millis, NewJob, OnConflict, Position, RunId, State, Timestamp,
    Visible, mix::mix,
};
use alloc::{collections::BTreeMap, format, string::ToString, vec::Vec};

/// The instant of a job that waits for the end of another.
pub const NEVER: Timestamp = Timestamp(i64::MAX);

/// How long a driver remembers an enqueue that gave its input to another job. It has no row of its
/// own, so that without this a caller who missed the answer and sent it again would store it a
/// second time. Callers try for some seconds.
pub const REPLACED_KEPT: Millis = Millis::secs(600);

/// How many of these a driver forgets, at most, when it remembers a new one: more than one, so that
/// they cannot pile up.
pub const REPLACED_FORGOTTEN: usize = 2;

/// What a driver does with a new job whose key is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// Answer with the holder.
    Answer,
    /// Store it as the one job that follows the holder; if there is one already, replace its
    /// input and expiry.
    Follow,
    /// Refuse it, naming the holder.
    Refuse,
    /// Replace the input and expiry of the holder.
    Replace,
}

/// Decides what becomes of a job whose key is held by a job with this head, or by one that was
/// removed since.
#[must_use]
pub fn meet(policy: OnConflict, holder: Option<&Head>) -> Meeting {
    match (policy, holder) {
        (OnConflict::Dedupe, _) => Meeting::Answer,
        (OnConflict::Error, _) => Meeting::Refuse,
        (OnConflict::Replace, Some(head)) if has_not_begun(head) => Meeting::Replace,
        (OnConflict::Replace, Some(head)) if head.state.is_live() => Meeting::Follow,
        // Ended, and its key is kept: the window that was asked for is not over.
        (OnConflict::Replace, _) => Meeting::Answer,
    }
}

/// Nothing of it was done with the old input, in this run or in the one it was forked from.
fn has_not_begun(head: &Head) -> bool {
    head.state == State::Pending
        && head.started_at.is_none()
        && head.next_position == Position::default()
}

/// The head of a job that follows another, and the instant from which it may run after that.
#[must_use]
pub fn follower(job: &NewJob, now: Timestamp) -> (Head, Timestamp) {
    let head = Head::new(job, now);
    let from = head.visible_at.unwrap_or(now);
    let waiting = Head {
        visible_at: Some(NEVER),
        ..head
    };
    (waiting, from)
}

/// The head of a follower whose turn has come.
#[must_use]
pub fn released(head: &Head, from: Timestamp, now: Timestamp) -> Head {
    Head {
        visible_at: Some(from.max(now)),
        revision: head.revision + 1,
        ..head.clone()
    }
}

/// The job that cleans up after one that is cancelled at `now`; `before` is its head until then.
/// It starts when the cancelled body has let go: at once, or at the end of the lease.
#[must_use]
pub fn clean_up(spec: &JobSpec, before: &Head, now: Timestamp) -> Option<NewJob> {
    let CleanUp {
        name,
        scope,
        queue,
        priority,
        attempts_max,
        visibility_timeout,
    } = spec.on_cancel.clone()?;
    // The same each time it is asked, and another one if the job is revived and cancelled again.
    let bits = mix(u128::from_le_bytes(*spec.id.as_bytes()) ^ u128::from(before.revision));
    let lease_end = before.visible_at.filter(|_| before.state == State::Running);
    Some(NewJob {
        spec: JobSpec {
            id: JobId::new(now, bits),
            run_id: RunId::new(now, mix(bits)),
            name,
            scope,
            queue,
            key: Some(format!("cancelled:{}:{}", spec.id, before.revision)),
            input: spec.input.clone(),
            priority,
            tenant: spec.tenant.clone(),
            visibility_timeout,
            expires_at: None,
            limit_key: None,
            rate_key: None,
            parent: None,
            tick: None,
            trace_context: spec.trace_context.clone(),
            labels: BTreeMap::from([("cancelled".to_string(), spec.id.to_string())]),
            version: 0,
            fork_of: None,
            continued_from: None,
            on_cancel: None,
        },
        visible: lease_end.map_or(Visible::Now, Visible::At),
        attempts_max,
        on_conflict: OnConflict::Dedupe,
        unique_for: None,
        prefix: Vec::new(),
    })
}
