//! What came of one job; and if it has not ended, what it waits for.

use super::Bench;
use crate::clock::Clock;
use crate::contract::JobView;
use crate::core::{Millis, RecordKind, State, StepRecord, Timestamp};
use crate::{Error, Handle, Job};

impl Bench {
    /// What the body returned, or how it failed. It never waits, since nothing would move the
    /// clock meanwhile: for a job that has not ended the error says what it waits for, and what
    /// would let it go on.
    ///
    /// # Errors
    /// `X_JOB_NOT_ENDED` if there is no outcome yet; else as [`Jobs::wait`](crate::Jobs::wait).
    pub async fn outcome<J: Job>(&self, handle: &Handle<J>) -> Result<J::Output, Error> {
        let view = self.store.admin().show(handle.id()).await?;
        let view = view.ok_or_else(|| Error::job_unknown(handle.id()))?;
        if view.job.head.state.is_live() {
            let why = why(&view, self.clock.now());
            return Err(Error::job_not_ended(handle.id(), &view.job.spec.name, &why));
        }
        self.store.wait(handle).await
    }
}

/// Why a job stands where it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stuck {
    /// It has ended.
    Ended {
        /// With an error.
        failed: bool,
    },
    /// It is ready or was put back, and no worker of the bench takes it.
    NotServed,
    /// A worker has it.
    Runs,
    /// It goes on by itself at this instant.
    Sleeps(Timestamp),
    /// An attempt failed, and another one follows.
    TriedAgain,
    /// It waits for an event, a child or a person.
    Waits,
}

pub(super) fn stuck(view: &JobView, now: Timestamp) -> Stuck {
    let (head, error) = (&view.job.head, &view.job.notes.error);
    match head.state {
        State::Done | State::Cancelled => Stuck::Ended { failed: false },
        State::Failed | State::Dead => Stuck::Ended { failed: true },
        State::Running => Stuck::Runs,
        State::Pending if head.attempt > 1 && error.is_some() => Stuck::TriedAgain,
        State::Pending => match head.visible_at {
            Some(at) if at > now && head.started_at.is_none() => Stuck::Sleeps(at),
            _ => Stuck::NotServed,
        },
        State::Suspended => match head.visible_at {
            Some(at) if at > now && wakes_by_itself(view, at) => Stuck::Sleeps(at),
            _ => Stuck::Waits,
        },
    }
}

/// Whether the instant is the end of a sleep or a back-off, and no deadline of a wait.
fn wakes_by_itself(view: &JobView, at: Timestamp) -> bool {
    pending(view).any(|record| {
        record.wake_at == Some(at) && !matches!(record.kind, RecordKind::Child | RecordKind::Event)
    })
}

fn pending(view: &JobView) -> impl Iterator<Item = &StepRecord> {
    view.journal
        .iter()
        .filter(|record| record.position.is_none())
}

/// What a live job waits for, in words.
pub(super) fn why(view: &JobView, now: Timestamp) -> String {
    let (head, notes) = (&view.job.head, &view.job.notes);
    let later = head.visible_at.filter(|at| *at > now);
    match (head.state, later, &notes.error) {
        (State::Running, ..) => "it is running".into(),
        (State::Suspended, None, Some(error)) if head.visible_at.is_none() => {
            format!("it is parked until somebody requeues it: {error}")
        }
        (State::Suspended, ..) => {
            let waits: Vec<String> = pending(view)
                .filter_map(|record| waits_for(record, now))
                .collect();
            waits.join("; ")
        }
        (_, Some(at), Some(error)) => format!(
            "attempt {} of {} begins in {}; the last one failed: {error}",
            head.attempt,
            head.attempts_max,
            at.since(now)
        ),
        (_, Some(at), None) if head.started_at.is_some() => format!(
            "no job of this name is linked into this program; it is looked at again in {}",
            at.since(now)
        ),
        (_, Some(at), None) => format!("it begins in {}", at.since(now)),
        (_, None, _) => format!(
            "it is ready in queue \"{}\", and nothing has run it",
            view.job.spec.queue
        ),
    }
}

/// What one pending step waits for; nothing, if it is only kept for people.
fn waits_for(record: &StepRecord, now: Timestamp) -> Option<String> {
    let name = &record.name;
    let in_span = |at: Timestamp| in_words(at.since(now));
    match (record.kind, record.wake_at) {
        (RecordKind::Event, until) => {
            let wait = record.wait.as_ref()?;
            let event = wait.names.first().map_or("", String::as_str);
            let key = match &wait.key {
                Some(key) => format!(" with the key \"{key}\""),
                None => " with any key".into(),
            };
            let until = until.map(|at| format!(", or until its time is over {}", in_span(at)));
            let until = until.unwrap_or_default();
            Some(format!(
                "\"{name}\" waits for the event \"{event}\"{key}{until}"
            ))
        }
        (RecordKind::Child, _) => Some(match record.child {
            Some(child) => format!("\"{name}\" waits for its child {child}"),
            None => format!("\"{name}\" waits for its child"),
        }),
        (RecordKind::Sleep, Some(at)) => Some(format!("the sleep \"{name}\" ends {}", in_span(at))),
        (_, Some(at)) => {
            let error = record.last_error.as_ref();
            let failed = error.map(|error| format!(", after it failed: {error}"));
            let failed = failed.unwrap_or_default();
            Some(format!("\"{name}\" is tried again {}{failed}", in_span(at)))
        }
        (_, None) => None,
    }
}

fn in_words(span: Millis) -> String {
    match span {
        Millis::ZERO => "now".into(),
        span => format!("in {span}"),
    }
}
