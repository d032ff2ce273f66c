//! What only this driver does; everything else is in the conformance suite.

use super::*;
use crate::clock::{SeededEntropy, VirtualClock};
use crate::core::{
    CommitNumber, EventId, JobId, JobSpec, Millis, OnConflict, Payload, Priority, RecordKind,
    RunId, Settle, StepRecord, Visible, WaitSpec,
};
use std::collections::BTreeMap;

const NOW: Timestamp = VirtualClock::START;

fn memory() -> Memory {
    Memory::new(Env::new(VirtualClock::default(), SeededEntropy::new(1)))
}

fn job(n: u128) -> NewJob {
    NewJob {
        spec: JobSpec {
            id: JobId::new(NOW, n),
            run_id: RunId::new(NOW, n),
            name: "mail".into(),
            scope: "mail".into(),
            queue: "default".into(),
            key: Some(format!("{n}")),
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
        attempts_max: 1,
        on_conflict: OnConflict::Dedupe,
        unique_for: None,
        window: None,
        expires: None,
        prefix: Vec::new(),
    }
}

fn event(n: u128) -> NewEvent {
    NewEvent {
        id: EventId::new(NOW, n),
        name: "paid".into(),
        key: None,
        tenant: None,
        payload: Payload::json(*b"{}"),
        ttl: Millis::secs(60),
        trace_context: None,
    }
}

fn claim() -> Claim {
    Claim {
        queues: Vec::new(),
        limit: 100,
        visibility_timeout: Millis::secs(30),
        worker: "worker".into(),
        nonce: 1,
        now: None,
    }
}

/// The first commit of a lease, with a wait for any `paid`.
fn waiting(claimed: &crate::contract::Claimed) -> Commit {
    let spec = WaitSpec {
        names: vec!["paid".into()],
        key: None,
        since: NOW,
    };
    let record = StepRecord {
        wait: Some(spec),
        ..StepRecord::pending("paid", RecordKind::Event, NOW)
    };
    let (job, number) = (&claimed.job, number(claimed, 1));
    let base = job.head.next_position;
    Commit::steps(job.spec.id, job.spec.run_id, number, base, 0, vec![record])
}

fn number(claimed: &crate::contract::Claimed, number: u64) -> CommitNumber {
    CommitNumber {
        token: claimed.job.head.token,
        number,
    }
}

#[tokio::test]
async fn each_change_gives_its_hint() {
    let memory = memory();
    let mut hints = memory.wake_ups();
    let mut told = move || {
        let mut all = Vec::new();
        while let Ok(hint) = hints.try_recv() {
            all.push(hint);
        }
        all
    };
    memory.enqueue(&[job(1)], None).await.unwrap();
    assert_eq!(told(), [WakeUp::Ready]);
    let claims = memory.claim(&claim()).await.unwrap();
    assert_eq!(told(), []);
    let wait = waiting(&claims.jobs[0]);
    memory.commit(&[wait], None).await.unwrap();
    assert_eq!(told(), []);
    memory.publish(&[event(1)], None).await.unwrap();
    assert_eq!(told(), [WakeUp::Inbox]);
    let spec = &claims.jobs[0].job.spec;
    let cancel = Settle::Cancel;
    let cancel = Commit::settle(spec.id, spec.run_id, number(&claims.jobs[0], 2), cancel);
    memory.commit(&[cancel], None).await.unwrap();
    assert_eq!(told(), [WakeUp::Ended, WakeUp::Freed]);
}

#[tokio::test]
async fn nothing_of_an_ended_job_stays_in_an_index() {
    let memory = memory();
    let jobs: Vec<NewJob> = (1..=20).map(job).collect();
    memory.enqueue(&jobs, None).await.unwrap();
    let claims = memory.claim(&claim()).await.unwrap();
    for claimed in &claims.jobs {
        let spec = &claimed.job.spec;
        let cancel = Commit::settle(spec.id, spec.run_id, number(claimed, 2), Settle::Cancel);
        memory
            .commit(&[waiting(claimed), cancel], None)
            .await
            .unwrap();
    }
    let store = memory.open().unwrap();
    assert_eq!(store.archive.len(), 20);
    assert_eq!(store.lanes.queues().count(), 0);
    assert!(store.live.is_empty() && store.waits.is_empty() && store.keys.is_empty());
}

#[tokio::test]
async fn a_flood_of_events_pins_one_for_each_wait() {
    let memory = memory();
    memory.enqueue(&[job(1)], None).await.unwrap();
    let claims = memory.claim(&claim()).await.unwrap();
    memory
        .commit(&[waiting(&claims.jobs[0])], None)
        .await
        .unwrap();
    let flood: Vec<NewEvent> = (1..=1_010).map(event).collect();
    let published = memory.publish(&flood, None).await.unwrap();
    let pinned: u64 = published.iter().map(|published| published.woken).sum();
    assert_eq!(pinned, 1);
    let store = memory.open().unwrap();
    assert_eq!(store.events.len(), 1_010, "none is lost");
}

#[test]
fn a_payload_limit_beyond_the_largest_is_the_largest() {
    let memory = memory().with_payload_limit(usize::MAX);
    let limit = memory.capabilities().payload_limit;
    assert_eq!(limit, MAX_PAYLOAD_LIMIT_BYTES);
}
