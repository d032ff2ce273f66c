//! Jobs, records and events as cases write them: a plain one, and what is different about it.

use super::{Result, Subject};
use crate::core::{
    EventId, JobId, JobSpec, Millis, NewEvent, NewJob, OnConflict, Payload, Priority, RecordKind,
    RunId, StepOutcome, StepRecord, StoredError, Timestamp, Visible, WaitSpec,
};
use std::collections::BTreeMap;

/// How long an event of a case can be matched unless it says otherwise.
pub(super) const DAY: Millis = Millis::secs(24 * 3600);

/// The queue of every job that names no other.
pub(super) const QUEUE: &str = "default";

impl Subject {
    /// A job of this name, without a key, visible at once, with three tries.
    pub(super) fn job(&self, name: &str) -> NewJob {
        NewJob {
            spec: JobSpec {
                id: JobId::new(self.now(), self.bits()),
                run_id: RunId::new(self.now(), self.bits()),
                name: name.into(),
                scope: name.into(),
                queue: QUEUE.into(),
                key: None,
                input: Payload::json(*b"{}"),
                priority: Priority::DEFAULT,
                tenant: None,
                visibility_timeout: None,
                expires_at: None,
                limit_key: None,
                rate_key: None,
                parent: None,
                tick: None,
                trace_context: None,
                labels: BTreeMap::new(),
                version: 0,
                fork_of: None,
                continued_from: None,
                chain: None,
                on_cancel: None,
            },
            visible: Visible::Now,
            attempts_max: 3,
            on_conflict: OnConflict::Dedupe,
            unique_for: None,
            window: None,
            expires: None,
            prefix: Vec::new(),
        }
    }

    /// An event of this name, without a key.
    pub(super) fn event(&self, name: &str) -> NewEvent {
        NewEvent {
            id: EventId::new(self.now(), self.bits()),
            name: name.into(),
            key: None,
            tenant: None,
            payload: Payload::json(*b"{}"),
            ttl: DAY,
            trace_context: None,
        }
    }
}

/// What is different about a job.
pub(super) trait JobShape: Sized {
    fn shape(self, change: impl FnOnce(&mut NewJob)) -> Self;

    fn attempts(self, max: u32) -> Self {
        self.shape(|job| job.attempts_max = max)
    }
    fn delay(self, span: Millis) -> Self {
        self.shape(|job| job.visible = Visible::After(span))
    }
    fn input(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.shape(|job| job.spec.input = Payload::json(bytes))
    }
    fn key(self, key: &str) -> Self {
        self.shape(|job| job.spec.key = Some(key.into()))
    }
    fn or_error(self) -> Self {
        self.shape(|job| job.on_conflict = OnConflict::Error)
    }
    fn or_replace(self) -> Self {
        self.shape(|job| job.on_conflict = OnConflict::Replace)
    }
    fn priority(self, level: u8) -> Self {
        self.shape(|job| job.spec.priority = Priority::new(level))
    }
    fn queue(self, queue: &str) -> Self {
        self.shape(|job| job.spec.queue = queue.into())
    }
    fn limit_key(self, key: &str) -> Self {
        self.shape(|job| job.spec.limit_key = Some(key.into()))
    }
    fn tenant(self, tenant: &str) -> Self {
        self.shape(|job| job.spec.tenant = Some(tenant.into()))
    }
}

impl JobShape for NewJob {
    fn shape(mut self, change: impl FnOnce(&mut NewJob)) -> Self {
        change(&mut self);
        self
    }
}

/// What is different about an event.
pub(super) trait EventShape: Sized {
    fn shape(self, change: impl FnOnce(&mut NewEvent)) -> Self;

    fn key(self, key: &str) -> Self {
        self.shape(|event| event.key = Some(key.into()))
    }
    fn payload(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.shape(|event| event.payload = Payload::json(bytes))
    }
    fn tenant(self, tenant: &str) -> Self {
        self.shape(|event| event.tenant = Some(tenant.into()))
    }
    fn ttl(self, ttl: Millis) -> Self {
        self.shape(|event| event.ttl = ttl)
    }
}

impl EventShape for NewEvent {
    fn shape(mut self, change: impl FnOnce(&mut NewEvent)) -> Self {
        change(&mut self);
        self
    }
}

/// A wait for an event of this name, pending; `key` as given, counted from `since`.
pub(super) fn wait(step: &str, event: &str, key: Option<&str>, since: Timestamp) -> StepRecord {
    StepRecord {
        wait: Some(WaitSpec {
            names: vec![event.into()],
            key: key.map(Into::into),
            since,
        }),
        wake_at: Some(since.after(DAY)),
        ..StepRecord::pending(step, RecordKind::Event, since)
    }
}

/// A sleep, pending.
pub(super) fn sleep(step: &str, from: Timestamp, until: Timestamp) -> StepRecord {
    StepRecord {
        wake_at: Some(until),
        ..StepRecord::pending(step, RecordKind::Sleep, from)
    }
}

/// An outcome of these bytes.
pub(super) fn done(bytes: impl Into<Vec<u8>>) -> StepOutcome {
    StepOutcome::Done(Payload::json(bytes))
}

/// An error as a body would leave it.
pub(super) fn boom() -> StoredError {
    StoredError {
        chain: vec!["the wire is cut".into(), "by a mouse".into()],
        ..StoredError::new("X_BOOM", "it went wrong")
    }
}

/// Stores so many jobs of a shape.
pub(super) async fn some(
    s: &Subject,
    count: usize,
    job: impl Fn() -> NewJob,
) -> Result<Vec<JobId>> {
    let jobs: Vec<NewJob> = (0..count).map(|_| job()).collect();
    s.enqueue_all(&jobs).await?;
    Ok(jobs.iter().map(|job| job.spec.id).collect())
}
