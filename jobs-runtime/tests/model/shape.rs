//! Jobs, events and records as the drivers take them, from the few numbers of a sequence.

use crate::ops::Asked;
use jobs_runtime::core::{
    CleanUp, Edge, EventId, JobSpec, Millis, NewEvent, NewJob, OnConflict, Payload, Position,
    Priority, RecordKind, StepOutcome, StepRecord, Visible, WaitSpec, Window,
};
use jobs_runtime::{JobId, RunId, Timestamp};
use std::collections::BTreeMap;

/// Gives ids, one after the other.
#[derive(Default)]
pub(crate) struct Ids(u128);

impl Ids {
    pub(crate) fn bits(&mut self) -> u128 {
        self.0 += 1;
        self.0
    }
}

pub(crate) fn queue(number: u8) -> String {
    format!("queue-{number}")
}

pub(crate) fn job(asked: &Asked, now: Timestamp, ids: &mut Ids) -> NewJob {
    let name = "modelled".to_owned();
    let clean_up = |asked: &Asked| CleanUp {
        name: "clean".into(),
        scope: "clean".into(),
        queue: queue(asked.queue),
        priority: Priority::new(2),
        attempts_max: 1,
        visibility_timeout: None,
    };
    NewJob {
        spec: JobSpec {
            id: JobId::new(now, ids.bits()),
            run_id: RunId::new(now, ids.bits()),
            name: name.clone(),
            scope: name,
            queue: queue(asked.queue),
            key: asked.key.map(|key| format!("key-{key}")),
            input: Payload::json(asked.input.to_string()),
            priority: Priority::new(asked.priority),
            tenant: asked.tenant.map(|tenant| format!("tenant-{tenant}")),
            visibility_timeout: None,
            expires_at: asked.expires_secs.map(|secs| now.after(Millis::secs(secs))),
            limit_key: None,
            rate_key: None,
            parent: None,
            tick: None,
            trace_context: None,
            labels: BTreeMap::from([("input".to_owned(), asked.input.to_string())]),
            version: 0,
            fork_of: None,
            continued_from: None,
            chain: None,
            on_cancel: asked.cleans_up.then(|| clean_up(asked)),
        },
        visible: match asked.delay_secs {
            0 => Visible::Now,
            secs => Visible::After(Millis::secs(secs)),
        },
        attempts_max: asked.attempts,
        on_conflict: match asked.conflict {
            0 => OnConflict::Dedupe,
            1 => OnConflict::Error,
            _ => OnConflict::Replace,
        },
        window: asked.conflict.checked_sub(3).map(window),
        expires: None,
        unique_for: asked.unique_secs.map(Millis::secs),
        prefix: Vec::new(),
    }
}

/// One of two kinds with each of three edges.
fn window(which: u8) -> Window {
    let span = Millis::secs(5);
    let window = match which / 3 {
        0 => Window::debounce(span).at_most(Millis::secs(12)),
        _ => Window::throttle(span),
    };
    window.edge(match which % 3 {
        0 => Edge::Leading,
        1 => Edge::Trailing,
        _ => Edge::Both,
    })
}

pub(crate) fn event(
    name: u8,
    key: Option<u8>,
    tenant: Option<u8>,
    ttl_secs: u64,
    now: Timestamp,
    ids: &mut Ids,
) -> NewEvent {
    let id = ids.bits();
    NewEvent {
        id: EventId::new(now, id),
        name: format!("event-{name}"),
        key: key.map(|key| format!("key-{key}")),
        tenant: tenant.map(|tenant| format!("tenant-{tenant}")),
        payload: Payload::json(id.to_string()),
        ttl: Millis::secs(ttl_secs),
        trace_context: None,
    }
}

pub(crate) fn pending(name: String, kind: RecordKind, now: Timestamp) -> StepRecord {
    StepRecord::pending(name, kind, now)
}

pub(crate) fn wait(name: String, event: u8, key: Option<u8>, now: Timestamp) -> StepRecord {
    StepRecord {
        wait: Some(WaitSpec {
            names: vec![format!("event-{event}"), format!("event-{event}-of-old")],
            key: key.map(|key| format!("key-{key}")),
            since: now.before(Millis::secs(30)),
        }),
        ..pending(name, RecordKind::Event, now)
    }
}

pub(crate) fn delivered(record: StepRecord, at: Position, now: Timestamp) -> StepRecord {
    StepRecord {
        position: Some(at),
        outcome: Some(StepOutcome::Done(Payload::json(at.0.to_string()))),
        attempts: record.attempts + 1,
        completed_at: Some(now),
        ..record
    }
}
