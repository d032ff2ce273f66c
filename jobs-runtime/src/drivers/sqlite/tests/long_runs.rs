//! The statements of a run that has recorded ten thousand steps are those of one that has recorded
//! ten.

use super::super::sql;
use super::NOW;
use super::{Sqlite, claim, enqueue, job, open, place};
use crate::contract::{Claimed, Driver};
use crate::core::{
    Commit, CommitAnswer, CommitNumber, Payload, Position, RecordKind, Settle, StepOutcome,
    StepRecord,
};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Every statement that was run, by the file of its store.
static RAN: Mutex<BTreeMap<String, Vec<String>>> = Mutex::new(BTreeMap::new());

/// Called for each statement of a connection.
pub(in super::super) fn ran(connection: &rusqlite::Connection, statement: &str) {
    let Some(path) = connection.path() else {
        return;
    };
    // The watch for other processes looks at its own times.
    if statement.starts_with("PRAGMA") {
        return;
    }
    let mut ran = RAN.lock().unwrap_or_else(PoisonError::into_inner);
    let statements = ran.entry(path.to_owned()).or_default();
    statements.push(statement.to_owned());
}

fn take_ran(path: &std::path::Path) -> Vec<String> {
    let mut ran = RAN.lock().unwrap_or_else(PoisonError::into_inner);
    ran.remove(path.to_str().unwrap()).unwrap_or_default()
}

fn step(n: u32) -> StepRecord {
    StepRecord {
        position: Some(Position(n)),
        outcome: Some(StepOutcome::Done(Payload::json(*b"1"))),
        completed_at: Some(NOW),
        ..StepRecord::pending(format!("step:{n}"), RecordKind::Step, NOW)
    }
}

async fn commit(
    store: &Sqlite,
    claimed: &Claimed,
    number: u64,
    base: u32,
    records: Vec<StepRecord>,
    settle: Option<Settle>,
) {
    let (id, run) = (claimed.job.spec.id, claimed.job.spec.run_id);
    let number = CommitNumber {
        token: claimed.job.head.token,
        number,
    };
    let commit = Commit::steps(id, run, number, Position(base), 0, records);
    let commit = match settle {
        Some(settle) => commit.settling(settle, Default::default()),
        None => commit,
    };
    let answers = store.commit(&[commit], Some(NOW)).await.unwrap();
    assert!(matches!(answers[0], CommitAnswer::Applied(_)));
}

/// The statements of resuming a run with so many records, and those of its next step.
async fn statements(recorded: u32) -> (Vec<String>, Vec<String>) {
    let (_folder, path) = place();
    let store = open(&path).await;
    enqueue(&store, &job("long")).await;
    let first = store.claim(&claim(1)).await.unwrap().jobs.remove(0);
    let records = (0..recorded).map(step).collect();
    let hand_back = Some(Settle::HandBack);
    commit(&store, &first, 1, 0, records, hand_back).await;

    take_ran(&path);
    let resumed = store.claim(&claim(1)).await.unwrap().jobs.remove(0);
    assert_eq!(resumed.journal.len(), recorded as usize);
    let resuming = take_ran(&path);

    commit(&store, &resumed, 1, recorded, vec![step(recorded)], None).await;
    let stepping = take_ran(&path);
    store.close().await;
    (resuming, stepping)
}

#[tokio::test]
async fn a_run_of_ten_thousand_steps_resumes_with_one_read_of_its_journal() {
    let (few, _) = statements(10).await;
    let (many, _) = statements(10_000).await;
    assert_eq!(few, many);
    let reads = many.iter().filter(|ran| **ran == sql::STEP_LOAD);
    assert_eq!(reads.count(), 1);
}

#[tokio::test]
async fn the_step_after_ten_thousand_takes_the_statements_of_the_tenth() {
    let (_, few) = statements(10).await;
    let (_, many) = statements(10_000).await;
    assert_eq!(few, many);
    assert!(!many.contains(&sql::STEP_LOAD.to_owned()));
    assert!((1..=8).contains(&many.len()), "{many:?}");
}
