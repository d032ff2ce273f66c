//! Jobs, events and commits as another program might write them.

use jobs_runtime::contract::Claimed;
use jobs_runtime::core::{
    Commit, CommitNumber, EventId, JobSpec, NewEvent, NewJob, Payload, Position, Priority,
    RecordKind, Settle, StepOutcome, StepRecord, Visible,
};
use jobs_runtime::{JobId, OnConflict, RunId, Timestamp};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

static BITS: AtomicU64 = AtomicU64::new(1);

/// Bits that no other call of this test gets.
pub(crate) fn bits() -> u128 {
    u128::from(BITS.fetch_add(1, Ordering::SeqCst))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)
}

/// A job of this name, without a key, visible at once, with three tries.
pub(crate) fn job(now: Timestamp, name: &str) -> NewJob {
    NewJob {
        spec: JobSpec {
            id: JobId::new(now, bits()),
            run_id: RunId::new(now, bits()),
            name: name.into(),
            scope: name.into(),
            queue: "default".into(),
            key: None,
            input: Payload::json(*b"1"),
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

/// An event of this name and key.
pub(crate) fn event(now: Timestamp, name: &str, key: Option<&str>) -> NewEvent {
    NewEvent {
        id: EventId::new(now, bits()),
        name: name.into(),
        key: key.map(Into::into),
        tenant: None,
        payload: Payload::json(*b"1"),
        ttl: jobs_runtime::core::Millis::secs(86_400),
        trace_context: None,
    }
}

fn number(held: &Claimed, number: u64) -> CommitNumber {
    CommitNumber {
        token: held.job.head.token,
        number,
    }
}

/// The `n`-th commit of a lease: one step, delivered at the next position.
pub(crate) fn step(held: &Claimed, n: u64, name: &str) -> Commit {
    let spec = &held.job.spec;
    let base = held.job.head.next_position;
    let position = Position(base.0 + u32::try_from(n).unwrap() - 1);
    let record = StepRecord {
        position: Some(position),
        outcome: Some(StepOutcome::Done(Payload::json(*b"null"))),
        attempts: 1,
        ..StepRecord::pending(name, RecordKind::Step, held.job.head.enqueued_at)
    };
    let (id, run) = (spec.id, spec.run_id);
    Commit::steps(
        id,
        run,
        number(held, n),
        position,
        held.nudge.count,
        vec![record],
    )
}

/// The `n`-th commit of a lease, which settles the job.
pub(crate) fn settle(held: &Claimed, n: u64, how: Settle) -> Commit {
    let spec = &held.job.spec;
    Commit::settle(spec.id, spec.run_id, number(held, n), how)
}

/// It ended well.
pub(crate) fn ack() -> Settle {
    Settle::Ack {
        output: Payload::json(*b"null"),
    }
}

/// A clock that shows another time than the one it follows, and imposes none.
pub(crate) struct Skewed {
    pub(crate) follows: jobs_runtime::clock::VirtualClock,
    pub(crate) ahead_ms: i64,
}

impl jobs_runtime::clock::Clock for Skewed {
    fn now(&self) -> Timestamp {
        Timestamp(self.follows.now().0 + self.ahead_ms)
    }

    fn monotonic(&self) -> std::time::Duration {
        self.follows.monotonic()
    }

    fn sleep(&self, span: std::time::Duration) -> jobs_runtime::clock::Sleeping {
        self.follows.sleep(span)
    }

    fn sleep_until(&self, at: std::time::Duration) -> jobs_runtime::clock::Sleeping {
        self.follows.sleep_until(at)
    }
}
