//! Long transactions of the caller's: what waits for them, and what must not end for it.

use crate::support::{App, add, app, file, open_account, pool};
use jobs_runtime::contract::{Beat, BeatAnswer, Claim, Driver};
use jobs_runtime::core::Millis;
use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
use jobs_runtime::prelude::*;
use jobs_runtime::{Jobs, SqliteTx};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

#[job(idempotency = "told:{input}", outbox = required)]
async fn told(input: u64, ran: State<Arc<Notify>>) -> Result<()> {
    let _ = input;
    ran.notify_one();
    Ok(())
}

#[job(idempotency = "held:{input}", attempts = 1)]
async fn held(input: u64) -> Result<()> {
    step!(
        "wait",
        tx = |tx: &mut SqliteTx| {
            add(tx, 1, 5).await?;
            std::future::pending::<()>().await;
            Ok(())
        }
    )
    .await?;
    let _ = input;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_heartbeat_waits_for_a_transaction_of_the_callers_and_keeps_the_lease() {
    let (_folder, path) = file();
    let pool = pool(&path).await;
    let store = Sqlite::from_pool(pool.clone(), SqliteOptions::default());
    let store = Arc::new(store.await.unwrap());
    let mut tx = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
    told(1).enqueue_in(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
    let claim = Claim {
        queues: Vec::new(),
        limit: 1,
        visibility_timeout: Millis::secs(30),
        worker: "a".into(),
        nonce: 1,
        now: None,
    };
    let claims = store.claim(&claim).await.unwrap();
    let head = &claims.jobs[0].job;
    let beat = Beat {
        job: head.spec.id,
        token: head.head.token,
        visibility_timeout: Millis::secs(30),
        seen_nudge: 0,
    };
    let mut tx = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
    open_account(&mut tx, 7).await;
    let beating = Arc::clone(&store);
    let beating = tokio::spawn(async move { beating.heartbeat(&[beat], None).await });
    open_account(&mut tx, 8).await;
    tx.commit().await.unwrap();
    let answers = beating.await.unwrap().unwrap();
    assert!(
        matches!(answers[..], [BeatAnswer::Held { .. }]),
        "{answers:?}"
    );
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_hears_of_a_commit_without_waiting_for_its_poll() {
    let (_folder, path) = file();
    let pool = pool(&path).await;
    let jobs = Jobs::from_pool(pool.clone()).await.unwrap();
    let (ran, stop) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let worker = jobs
        .worker()
        .state(Arc::clone(&ran))
        .state(crate::support::Log::default())
        .state(jobs_runtime::clock::VirtualClock::default())
        .poll_interval(Duration::from_secs(3600));
    let stopped = Arc::clone(&stop);
    let working = tokio::spawn(worker.run_until(async move { stopped.notified().await }));
    let mut tx = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
    told(2).enqueue_in(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
    tokio::time::timeout(Duration::from_secs(30), ran.notified())
        .await
        .unwrap();
    stop.notify_one();
    working.await.unwrap().unwrap();
    jobs.close().await;
}

async fn error_of(app: &App, id: jobs_runtime::JobId) -> (String, String) {
    let view = app.jobs().admin().show(id).await.unwrap().unwrap();
    let error = view.job.notes.error.unwrap();
    (error.code.clone().unwrap_or_default(), error.to_string())
}

#[tokio::test]
async fn a_step_may_hold_the_lock_for_a_third_of_the_shortest_lease() {
    let app = app().await;
    let handle = held(1).enqueue(app.jobs()).await.unwrap();
    app.bench.drain().await.unwrap();
    let (code, text) = error_of(&app, handle.id()).await;
    assert_eq!(code, "X_JOB_TIMEOUT");
    assert!(
        text.contains("10s, a third of the shortest visibility timeout"),
        "{text}"
    );
    assert_eq!(app.accounts().await, []);
}
