//! What becomes of a new job when its key is taken, and which jobs follow from the end of another.

use super::{
    CleanUp, Edge, Head, JobId, JobSpec, Millis, NewJob, OnConflict, Position, RunId, State,
    Timestamp, Visible, Window, WindowKind, mix::mix,
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// Answer with the holder.
    Answer {
        /// The key is kept until then at least.
        until: Option<Timestamp>,
    },
    /// Store it as the one job that follows the holder; if there is one already, replace its
    /// input and expiry, and let it run from [`put_off`] on.
    Follow {
        /// It does not run before that.
        from: Timestamp,
        /// The key is kept until then at least.
        until: Option<Timestamp>,
    },
    /// Refuse it, naming the holder.
    Refuse,
    /// Replace the input and expiry of the holder.
    Replace {
        /// When it may be taken from now on, if that changes.
        visible_at: Option<Timestamp>,
        /// The key is kept until then at least.
        until: Option<Timestamp>,
    },
    /// The holder has ended: store it with this head, and give it the key.
    Succeed {
        /// The head of the new holder.
        head: Head,
        /// The key is kept until then.
        until: Timestamp,
    },
}

/// The head of a job that finds its key free, and until when the key is kept for it at least.
#[must_use]
pub fn opened(job: &NewJob, now: Timestamp) -> (Head, Option<Timestamp>) {
    let head = Head::new(job, now);
    let unique = job.unique_for.map(|span| now.after(span));
    let Some(window) = job.window else {
        return (head, unique);
    };
    let start = window.first(head.visible_at.unwrap_or(now), now);
    let head = Head {
        visible_at: Some(start),
        ..head
    };
    (head, unique.max(Some(window.until(start, now))))
}

/// Decides what becomes of a job whose key is held by a job with this head, or by one that was
/// removed since. `until` is the instant until which the key is kept beyond the holder's end.
#[must_use]
pub fn meet(
    job: &NewJob,
    holder: Option<&Head>,
    until: Option<Timestamp>,
    now: Timestamp,
) -> Meeting {
    let live = holder.filter(|head| head.state.is_live());
    if let Some(window) = job.window {
        return meet_in(window, job, live, until, now);
    }
    match (job.on_conflict, live) {
        (OnConflict::Dedupe, _) => Meeting::Answer { until: None },
        (OnConflict::Error, _) => Meeting::Refuse,
        (OnConflict::Replace, Some(head)) if has_not_begun(head) => Meeting::Replace {
            visible_at: None,
            until: None,
        },
        (OnConflict::Replace, Some(_)) => Meeting::Follow {
            from: Head::new(job, now).visible_at.unwrap_or(now),
            until: job.unique_for.map(|span| now.after(span)),
        },
        // Ended, and its key is kept: the window that was asked for is not over.
        (OnConflict::Replace, None) => Meeting::Answer { until: None },
    }
}

fn meet_in(
    window: Window,
    job: &NewJob,
    live: Option<&Head>,
    until: Option<Timestamp>,
    now: Timestamp,
) -> Meeting {
    let quiet = match window.kind {
        WindowKind::Debounce => Some(now.after(window.span)),
        WindowKind::Throttle => None,
    };
    let asked = Head::new(job, now);
    let from = window
        .after(until, now)
        .max(asked.visible_at.unwrap_or(now));
    match (window.edge, live) {
        (Edge::Leading, _) => Meeting::Answer { until: quiet },
        (_, Some(head)) if has_not_begun(head) => Meeting::Replace {
            visible_at: put_off_waiting(window, head, now),
            until: quiet,
        },
        (_, Some(_)) => Meeting::Follow { from, until: quiet },
        (_, None) => Meeting::Succeed {
            head: Head {
                visible_at: Some(from),
                ..asked
            },
            until: window.until(from, now),
        },
    }
}

/// When a job runs that waits in a window, after one more enqueue of its key. What is due already
/// is not put off: it only waits for a worker.
fn put_off_waiting(window: Window, head: &Head, now: Timestamp) -> Option<Timestamp> {
    let at = head.visible_at.filter(|at| *at > now)?;
    match window.kind {
        WindowKind::Debounce => Some(at.max(window.put_off(head.enqueued_at, now))),
        WindowKind::Throttle => None,
    }
}

/// From when on a follower runs whose place is kept for `from`, after one more enqueue of its key.
/// `head` is the follower's.
#[must_use]
pub fn put_off(job: &NewJob, head: &Head, from: Timestamp, now: Timestamp) -> Timestamp {
    match job.window {
        Some(window) if window.kind == WindowKind::Debounce => {
            from.max(window.put_off(head.enqueued_at, now))
        }
        _ => from,
    }
}

/// Until when a key is kept that a follower gets, if that is decided then: a throttled run begins
/// a span of its own.
#[must_use]
pub fn passed_until(span: Option<Millis>, from: Timestamp, now: Timestamp) -> Option<Timestamp> {
    span.map(|span| from.max(now).after(span))
}

/// Nothing of it was done with the old input, in this run or in the one it was forked from.
fn has_not_begun(head: &Head) -> bool {
    head.state == State::Pending
        && head.started_at.is_none()
        && head.next_position == Position::default()
}

/// The head of a job that follows another.
#[must_use]
pub fn follower(job: &NewJob, now: Timestamp) -> Head {
    Head {
        visible_at: Some(NEVER),
        ..Head::new(job, now)
    }
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
            chain: None,
            on_cancel: None,
        },
        visible: lease_end.map_or(Visible::Now, Visible::At),
        attempts_max,
        on_conflict: OnConflict::Dedupe,
        unique_for: None,
        window: None,
        expires: None,
        prefix: Vec::new(),
    })
}
