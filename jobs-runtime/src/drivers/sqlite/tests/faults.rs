//! What happens around a fault: to one item, to a whole transaction, and after the end.

use super::super::row;
use super::super::writer::Load;
use super::*;
use crate::contract::{Beat, BeatAnswer, Conflicted};
use crate::core::{
    Commit, CommitAnswer, CommitNumber, LogLine, Position, Progress, RecordKind, Settle,
    StepOutcome, StepRecord, StoredError, Token, Trace, WaitSpec,
};
use crate::torture::write_points;
use std::sync::Arc;

/// A request of so many items; which verb it stands for does not matter here.
fn load(items: usize) -> Load {
    Load {
        items,
        bytes: 0,
        points: write_points!("driver.sqlite.test"),
    }
}

#[tokio::test]
async fn one_bad_row_stops_nobody_else() {
    let (_folder, path) = place();
    let store = open(&path).await;
    let (bad, good) = (job("bad"), job("good"));
    enqueue(&store, &bad).await;
    enqueue(&store, &good).await;
    raw(&path)
        .execute(
            "UPDATE jobs_spec SET labels = 'no json' WHERE job = ?1",
            [bad.spec.id.as_bytes()],
        )
        .unwrap();
    let leased = store.claim(&claim(10)).await.unwrap().jobs;
    assert_eq!(leased.len(), 1);
    assert_eq!(leased[0].job.spec.id, good.spec.id);
    let error = store.inspect().job(bad.spec.id).await.unwrap_err();
    assert_eq!(error.code(), "X_STORE_CORRUPT");
    assert!(error.to_string().contains(path.to_str().unwrap()));
    store.close().await;
}

#[tokio::test]
async fn an_item_the_schema_refuses_leaves_its_batch_alone() {
    let (_folder, path) = place();
    let store = open(&path).await;
    raw(&path)
        .execute_batch(
            "CREATE TRIGGER jobs_test BEFORE INSERT ON jobs_spec WHEN new.version = 13
             BEGIN SELECT raise(ABORT, 'unlucky'); END",
        )
        .unwrap();
    let mut unlucky = job("unlucky");
    unlucky.spec.version = 13;
    unlucky.spec.key = Some("k".into());
    let batch = [job("before"), unlucky.clone(), job("after")];
    let answers = store.enqueue(&batch, Some(NOW)).await.unwrap();
    assert!(matches!(answers[1], Err(Conflicted::Refused(_))));
    assert!(answers[0].is_ok() && answers[2].is_ok());
    assert_eq!(store.claim(&claim(10)).await.unwrap().jobs.len(), 2);
    // Nothing of it was left behind, the key neither.
    unlucky.spec.version = 0;
    assert!(!enqueue(&store, &unlucky).await.deduped);
    store.close().await;
}

#[tokio::test]
async fn a_fault_of_the_transaction_reaches_everybody_in_it_and_writes_nothing() {
    let (_folder, path) = place();
    let store = open(&path).await;
    raw(&path)
        .execute_batch(
            "CREATE TRIGGER jobs_test BEFORE INSERT ON jobs_spec WHEN new.version = 13
             BEGIN SELECT raise(ROLLBACK, 'gone'); END",
        )
        .unwrap();
    let mut fatal = job("fatal");
    fatal.spec.version = 13;
    let batch = [job("before"), fatal];
    let error = store.enqueue(&batch, Some(NOW)).await.unwrap_err();
    assert!(error.is_unavailable(), "{error:?}");
    assert!(store.claim(&claim(10)).await.unwrap().jobs.is_empty());
    // The store goes on by itself.
    enqueue(&store, &job("next")).await;
    assert_eq!(store.claim(&claim(10)).await.unwrap().jobs.len(), 1);
    store.close().await;
}

#[tokio::test]
async fn a_full_disk_is_a_named_error_and_passes() {
    let (_folder, path) = place();
    let store = open(&path).await;
    // As large as it is now: the next page that is needed is one too many.
    let limit = |pages: i64| {
        store
            .writer
            .write(load(1), None, move |tx: &super::super::group::Tx<'_>| {
                let connection = tx.own().unwrap();
                let page: i64 =
                    connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
                let most = page + pages;
                connection.pragma_update_and_check(None, "max_page_count", most, |_| Ok(()))?;
                Ok(())
            })
    };
    limit(0).await.unwrap();
    let mut large = job("large");
    large.spec.input = Payload::json(vec![b' '; 500_000]);
    let batch = std::slice::from_ref(&large);
    let error = store.enqueue(batch, Some(NOW)).await.unwrap_err();
    assert!(error.is_transient(), "{error:?}");
    assert!(error.to_string().contains("full"));
    limit(1_000).await.unwrap();
    enqueue(&store, &large).await;
    assert_eq!(store.claim(&claim(10)).await.unwrap().jobs.len(), 1);
    store.close().await;
}

#[tokio::test]
async fn a_request_nobody_waits_for_any_more_is_not_begun() {
    let (_folder, path) = place();
    let store = open(&path).await;
    enqueue(&store, &job("left")).await;
    // The thread waits here while the claim is queued behind it and given up.
    let (go, gate) = std::sync::mpsc::channel::<()>();
    let blocking = store.writer.write(load(1), None, move |_| {
        let _ = gate.recv();
        Ok(())
    });
    let asked = claim(1);
    let mut blocking = Box::pin(blocking);
    let mut given_up = Box::pin(store.claim(&asked));
    std::future::poll_fn(|context| {
        assert!(blocking.as_mut().poll(context).is_pending());
        assert!(given_up.as_mut().poll(context).is_pending());
        std::task::Poll::Ready(())
    })
    .await;
    drop(given_up);
    drop(go);
    blocking.await.unwrap();
    let leased = store.claim(&claim(1)).await.unwrap().jobs;
    assert_eq!(leased[0].job.head.token.epoch, 1);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_is_written_before_a_close_ends() {
    let (_folder, path) = place();
    let store = Arc::new(open(&path).await);
    let writers: Vec<_> = (0..50)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { store.enqueue(&[job("last")], Some(NOW)).await })
        })
        .collect();
    store.close().await;
    let mut stored = 0;
    for writer in writers {
        match writer.await.unwrap() {
            Ok(_) => stored += 1,
            Err(error) => assert!(error.is_unavailable(), "{error:?}"),
        }
    }
    let store = open(&path).await;
    assert_eq!(store.claim(&claim(100)).await.unwrap().jobs.len(), stored);
    store.close().await;
}

#[tokio::test]
async fn every_field_of_a_job_and_its_records_comes_back() {
    let (_folder, path) = place();
    let store = open(&path).await;
    let mut full = job("full\0name");
    let spec = &mut full.spec;
    spec.key = Some("k\0ey".into());
    spec.input = Payload {
        codec: u16::MAX,
        bytes: vec![0, 255, 1],
    };
    spec.priority = Priority::new(9);
    spec.tenant = Some("t".into());
    spec.visibility_timeout = Some(Millis(u64::MAX));
    spec.expires_at = Some(Timestamp(i64::MAX));
    spec.limit_key = Some("l".into());
    spec.rate_key = Some("r".into());
    spec.parent = Some(crate::core::Parent {
        job: JobId::new(NOW, 5),
        run: RunId::new(NOW, 6),
        step: "s".into(),
    });
    spec.tick = Some(crate::core::TickRef {
        schedule: "nightly".into(),
        tick: Timestamp(-1),
    });
    spec.trace_context = Some("00-ab".into());
    spec.labels = [("a".into(), "b".into())].into();
    spec.version = u32::MAX;
    spec.fork_of = Some(RunId::new(NOW, 7));
    spec.continued_from = Some(RunId::new(NOW, 8));
    enqueue(&store, &full).await;
    let asked = claim(1);
    let held = store.claim(&asked).await.unwrap().jobs.remove(0);
    assert_eq!(held.job.spec, full.spec);
    assert_eq!(held.job.notes.worker.as_deref(), Some("w"));
    let token = Token {
        epoch: 1,
        nonce: asked.nonce,
    };
    assert_eq!(held.job.head.token, token);

    let error = StoredError {
        chain: vec!["why".into()],
        fatal: true,
        ..StoredError::new("X", "what")
    };
    let records = every_record(&error);
    let mut commit = Commit::steps(
        full.spec.id,
        full.spec.run_id,
        CommitNumber { token, number: 1 },
        Position(0),
        0,
        records.clone(),
    );
    commit.progress = Some(Progress {
        done: 1,
        total: u64::MAX,
        message: "m".into(),
    });
    commit.log = vec![LogLine {
        at: NOW,
        text: "line".into(),
    }];
    commit.trace = Some(Trace {
        used: vec!["a".into()],
        replayed: vec!["b".into()],
    });
    commit.settle = Some(Settle::Retry {
        delay: Millis(0),
        error: error.clone(),
    });
    let answers = store.commit(&[commit.clone()], Some(NOW)).await.unwrap();
    assert!(
        matches!(answers[0], CommitAnswer::Applied(_)),
        "{answers:?}"
    );

    let inspect = store.inspect();
    let view = inspect.view(full.spec.id).await.unwrap().unwrap();
    assert_eq!(view.journal, records);
    assert_eq!(view.log, commit.log);
    assert_eq!(view.job.spec, full.spec);
    assert_eq!(view.job.notes.error, Some(error));
    assert_eq!(view.job.notes.progress, commit.progress);
    assert_eq!(view.job.notes.trace, commit.trace);

    let cancel = Commit::cancel(full.spec.id, full.spec.run_id, view.job.head.revision);
    store.commit(&[cancel], Some(NOW)).await.unwrap();
    let ended = inspect.view(full.spec.id).await.unwrap().unwrap();
    assert_eq!(ended.journal, records);
    assert_eq!(ended.log, commit.log);
    assert_eq!(ended.job.spec, full.spec);
    assert_eq!(ended.job.notes, view.job.notes);
    store.close().await;
}

/// A record for each kind and outcome, with every field used.
fn every_record(error: &StoredError) -> Vec<StepRecord> {
    let outcomes = [
        StepOutcome::Done(Payload {
            codec: 3,
            bytes: Vec::new(),
        }),
        StepOutcome::Failed(error.clone()),
        StepOutcome::Interrupted,
        StepOutcome::TimedOut,
    ];
    let delivered = outcomes.into_iter().zip(RecordKind::ALL).enumerate();
    let mut records: Vec<StepRecord> = delivered
        .map(|(at, (outcome, kind))| StepRecord {
            position: Some(Position(at as u32)),
            outcome: Some(outcome),
            fingerprint: u64::MAX,
            attempts: 2,
            completed_at: Some(NOW),
            event: Some(crate::core::EventId::new(NOW, at as u128)),
            child: Some(JobId::new(NOW, at as u128)),
            ..StepRecord::pending(format!("step {at}"), kind, NOW)
        })
        .collect();
    records.push(StepRecord {
        wake_at: Some(NOW),
        wait: Some(WaitSpec {
            names: vec!["new".into(), "old".into()],
            key: Some("k".into()),
            since: NOW,
        }),
        last_error: Some(error.clone()),
        ..StepRecord::pending("wait", RecordKind::Event, NOW)
    });
    records
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_heartbeat_does_not_wait_for_the_requests_before_it() {
    let (_folder, path) = place();
    let store = Arc::new(open(&path).await);
    enqueue(&store, &job("held")).await;
    let held = store.claim(&claim(1)).await.unwrap().jobs.remove(0);
    // A transaction that has begun, and more behind it than one transaction takes.
    let (go, gate) = std::sync::mpsc::channel::<()>();
    let (begun, has_begun) = std::sync::mpsc::channel::<()>();
    let spawn = |work: Box<dyn FnOnce() + Send>| {
        let store = store.clone();
        tokio::spawn(async move {
            let load = load(1_000);
            store
                .writer
                .write(load, None, move |_| {
                    work();
                    Ok(())
                })
                .await
        })
    };
    let first = spawn(Box::new(move || {
        let _ = begun.send(());
        let _ = gate.recv();
    }));
    has_begun.recv().unwrap();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let behind = spawn(Box::new(move || {
        let _ = stopped.recv();
    }));
    let beat = Beat {
        job: held.job.spec.id,
        token: held.job.head.token,
        visibility_timeout: Millis::secs(90),
        seen_nudge: 0,
    };
    let beating = {
        let store = store.clone();
        tokio::spawn(async move { store.heartbeat(&[beat], Some(NOW)).await })
    };
    // The heartbeat must stand in line before the first transaction ends.
    while store.shared.turns.standing() < 2 {
        tokio::task::yield_now().await;
    }
    drop(go);
    first.await.unwrap().unwrap();
    // The next transaction cannot end yet, and the heartbeat was answered all the same.
    let answers = beating.await.unwrap().unwrap();
    assert!(matches!(answers[0], BeatAnswer::Held { .. }));
    drop(stop);
    behind.await.unwrap().unwrap();
    store.close().await;
}

#[test]
fn the_text_forms_of_kinds_are_those_of_the_schema() {
    let schema = super::super::migrations()[0].sql;
    for kind in RecordKind::ALL {
        assert!(schema.contains(&format!("'{kind}'")), "{kind}");
    }
    for state in crate::core::State::ALL {
        assert!(schema.contains(&format!("'{state}'")), "{state}");
    }
    assert_eq!(row::millis(Some(Millis(u64::MAX))), Some(-1));
}
