//! `tx` steps: what the body wrote and the record that it ran are stored together, or not at all.

use crate::support::{App, Log, add, app};
use futures::future::{join, join3};
use jobs_runtime::clock::VirtualClock;
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use jobs_runtime::{Jobs, SqliteTx};
use std::time::Duration;

#[job(idempotency = "debit:{input}", backoff = "1m")]
async fn debit(input: i64, log: State<Log>) -> Result<i64> {
    let cents = step!(
        "debit",
        tx = |tx: &mut SqliteTx| debit_once(tx, input, &log)
    )
    .await?;
    step!("after", {
        if log.count("after") == 0 {
            log.add("after");
            return Err(Failure::msg("the attempt fails after the step"));
        }
        Ok(())
    })
    .await?;
    Ok(cents)
}

async fn debit_once(tx: &mut SqliteTx, account: i64, log: &Log) -> Result<i64> {
    add(tx, account, -5).await?;
    log.add("debited");
    Ok(5)
}

#[tokio::test]
async fn a_replay_finds_the_record_and_writes_nothing_again() {
    let app = app().await;
    let handle = debit(7).enqueue(app.jobs()).await.unwrap();
    app.bench.advance(Duration::from_secs(120)).await.unwrap();
    assert_eq!(app.jobs().wait(&handle).await.unwrap(), 5);
    assert_eq!(app.accounts().await, [(7, -5)]);
    assert_eq!(app.log.count("debited"), 1);
}

#[job(idempotency = "shaky:{input}", backoff = "1m")]
async fn shaky(input: i64, log: State<Log>) -> Result<()> {
    step!(
        "write",
        tx = |tx: &mut SqliteTx| {
            add(tx, input, 1).await?;
            log.add("try");
            if log.count("try") < 3 {
                return Err(Failure::msg("not yet"));
            }
            Ok(())
        }
    )
    .await?;
    Ok(())
}

#[tokio::test]
async fn a_body_that_fails_is_rolled_back_and_its_failure_is_recorded() {
    let app = app().await;
    let handle = shaky(7).enqueue(app.jobs()).await.unwrap();
    app.bench.drain().await.unwrap();
    assert_eq!(app.accounts().await, []);
    let view = app.jobs().admin().show(handle.id()).await.unwrap().unwrap();
    let failed = view.journal[0].last_error.clone().unwrap();
    assert_eq!(failed.message, "not yet");
    app.bench.advance(Duration::from_secs(300)).await.unwrap();
    assert_eq!(app.state_of(handle.id()).await, JobState::Done);
    assert_eq!(app.accounts().await, [(7, 1)]);
}

#[job(idempotency = "patient:{input}", attempts = 1)]
async fn patient(input: i64, log: State<Log>) -> Result<()> {
    step!(
        "write",
        attempts = 3,
        backoff = "1s",
        tx = |tx: &mut SqliteTx| {
            add(tx, input, 1).await?;
            log.add("try");
            if log.count("try") < 3 {
                return Err(Failure::msg("not yet"));
            }
            Ok(())
        }
    )
    .await?;
    Ok(())
}

#[tokio::test]
async fn each_try_within_an_attempt_has_a_transaction_of_its_own() {
    let app = app().await;
    let handle = patient(7).enqueue(app.jobs()).await.unwrap();
    app.bench.advance(Duration::from_secs(60)).await.unwrap();
    assert_eq!(app.state_of(handle.id()).await, JobState::Done);
    assert_eq!(app.accounts().await, [(7, 1)]);
}

#[job(idempotency = "overslept:{input}", backoff = "1m")]
async fn overslept(input: i64, log: State<Log>, clock: State<VirtualClock>) -> Result<()> {
    step!(
        "write",
        tx = |tx: &mut SqliteTx| {
            add(tx, input, 1).await?;
            log.add("try");
            if log.count("try") == 1 {
                clock.advance(Duration::from_secs(3600));
            }
            Ok(())
        }
    )
    .await?;
    Ok(())
}

#[tokio::test]
async fn a_lease_that_ended_meanwhile_rolls_the_body_back() {
    let app = app().await;
    let handle = overslept(7).enqueue(app.jobs()).await.unwrap();
    app.bench.drain().await.unwrap();
    assert_eq!(app.log.count("lost"), 1, "{:?}", app.log.lines());
    app.bench.advance(Duration::from_secs(60)).await.unwrap();
    assert_eq!(app.state_of(handle.id()).await, JobState::Done);
    assert_eq!(app.accounts().await, [(7, 1)]);
    assert_eq!(app.log.count("try"), 2);
}

#[job(idempotency = "beside:{input}", backoff = "1m")]
async fn beside(input: i64, log: State<Log>) -> Result<()> {
    let one = step!("one", async { Ok::<_, Failure>(1) });
    let write = step!("write", tx = |tx: &mut SqliteTx| add(tx, input, 1));
    let two = async {
        let two = step!("two", async { Ok::<_, Failure>(2) }).await;
        step!("nap", sleep = "10ms").await;
        step!("three", async { Ok::<_, Failure>(3) }).await?;
        two
    };
    let (one, write, two) = join3(one, write, two).await;
    write?;
    assert_eq!((one?, two?), (1, 2));
    step!("after", {
        log.add("after");
        if log.count("after") == 1 {
            return Err(Failure::msg("once more"));
        }
        Ok(())
    })
    .await?;
    Ok(())
}

#[tokio::test]
async fn other_branches_go_on_beside_a_transaction_and_replay_in_the_same_order() {
    let app = app().await;
    let handle = beside(7).enqueue(app.jobs()).await.unwrap();
    app.bench.advance(Duration::from_secs(120)).await.unwrap();
    assert_eq!(app.state_of(handle.id()).await, JobState::Done);
    assert_eq!(app.accounts().await, [(7, 1)]);
    for step in ["one", "two", "three", "write"] {
        assert_eq!(app.log.count(&format!("start {step}")), 1, "{step}");
    }
}

#[job(idempotency = "pair:{input}", attempts = 1)]
async fn pair(input: i64, log: State<Log>) -> Result<()> {
    let first = step!(
        "first",
        tx = |tx: &mut SqliteTx| {
            log.add("begin 1");
            add(tx, input, 1).await?;
            log.add("end 1");
            Ok(())
        }
    );
    let second = step!(
        "second",
        tx = |tx: &mut SqliteTx| {
            log.add("begin 2");
            add(tx, input, 1).await?;
            log.add("end 2");
            Ok(())
        }
    );
    let (first, second) = join(first, second).await;
    first?;
    second?;
    Ok(())
}

#[tokio::test]
async fn two_transactions_of_one_run_follow_each_other() {
    let app = app().await;
    let handle = pair(7).enqueue(app.jobs()).await.unwrap();
    app.bench.drain().await.unwrap();
    assert_eq!(app.state_of(handle.id()).await, JobState::Done);
    assert_eq!(app.accounts().await, [(7, 2)]);
    let lines = app.log.lines();
    let turns: Vec<&str> = lines
        .iter()
        .map(String::as_str)
        .filter(|line| line.starts_with("begin") || line.starts_with("end"))
        .collect();
    assert_eq!(turns, ["begin 1", "end 1", "begin 2", "end 2"]);
}

#[job(idempotency = "raced:{input}", attempts = 1)]
async fn raced(input: i64) -> Result<String> {
    tokio::select! {
        biased;
        _ = step!("write", tx = |tx: &mut SqliteTx| {
            add(tx, input, 1).await?;
            std::future::pending::<()>().await;
            Ok(())
        }) => Ok("write".into()),
        () = step!("nap", sleep = "1s") => Ok("nap".into()),
    }
}

#[tokio::test]
async fn a_branch_that_loses_is_rolled_back_and_leaves_no_record() {
    let app = app().await;
    let handle = raced(7).enqueue(app.jobs()).await.unwrap();
    app.bench.advance(Duration::from_secs(5)).await.unwrap();
    assert_eq!(app.state_of(handle.id()).await, JobState::Done);
    assert_eq!(app.accounts().await, []);
    let view = app.jobs().admin().show(handle.id()).await.unwrap().unwrap();
    assert!(view.journal.iter().all(|record| record.name != "write"));
}

#[job(idempotency = "owned:{input}", attempts = 1)]
async fn owned(input: i64) -> Result<()> {
    step!(
        "write",
        tx = |tx: &mut SqliteTx| {
            add(tx, input, 1).await?;
            sqlx::query("UPDATE account SET owner = 99")
                .execute(&mut **tx)
                .await?;
            Ok(())
        }
    )
    .await?;
    Ok(())
}

#[tokio::test]
async fn what_the_database_refuses_at_commit_is_the_bodys_failure() {
    let app = app().await;
    let handle = owned(7).enqueue(app.jobs()).await.unwrap();
    app.bench.drain().await.unwrap();
    assert_eq!(app.state_of(handle.id()).await, JobState::Dead);
    assert_eq!(app.accounts().await, []);
    let view = app.jobs().admin().show(handle.id()).await.unwrap().unwrap();
    let error = view.job.notes.error.unwrap();
    assert_eq!(error.code.as_deref(), Some("X_TX_REFUSED"), "{error}");
}

#[job(idempotency = "endless-output:{input}", attempts = 1)]
async fn endless_output(input: i64) -> Result<()> {
    step!(
        "write",
        tx = |tx: &mut SqliteTx| {
            add(tx, input, 1).await?;
            Ok("x".repeat(2 * 1024 * 1024))
        }
    )
    .await?;
    Ok(())
}

#[tokio::test]
async fn an_output_that_cannot_be_stored_rolls_the_body_back() {
    let app = app().await;
    let handle = endless_output(7).enqueue(app.jobs()).await.unwrap();
    app.bench.drain().await.unwrap();
    assert_eq!(app.state_of(handle.id()).await, JobState::Dead);
    assert_eq!(app.accounts().await, []);
}

#[job(idempotency = "receipt:{input}")]
async fn receipt(input: i64, log: State<Log>) -> Result<()> {
    log.add(format!("receipt {input}"));
    Ok(())
}

#[job(idempotency = "with-receipt:{input}", backoff = "1m")]
async fn with_receipt(input: i64, log: State<Log>) -> Result<()> {
    step!(
        "write",
        tx = |tx: &mut SqliteTx| {
            add(tx, input, 1).await?;
            receipt(input).enqueue_in(tx).await?;
            log.add("try");
            if log.count("try") == 1 {
                return Err(Failure::msg("after the receipt was enqueued"));
            }
            Ok(())
        }
    )
    .await?;
    Ok(())
}

#[tokio::test]
async fn a_job_enqueued_in_a_step_stands_or_falls_with_it() {
    let app = app().await;
    with_receipt(7).enqueue(app.jobs()).await.unwrap();
    app.bench.drain().await.unwrap();
    assert_eq!(app.log.count("receipt 7"), 0);
    app.bench.advance(Duration::from_secs(120)).await.unwrap();
    assert_eq!(app.log.count("receipt 7"), 1);
    assert_eq!(app.accounts().await, [(7, 1)]);
}

#[tokio::test]
async fn a_store_by_url_opens_a_pool_for_its_steps() {
    let app = App::by_url().await;
    let handle = debit(7).enqueue(app.jobs()).await.unwrap();
    app.bench.advance(Duration::from_secs(120)).await.unwrap();
    assert_eq!(app.jobs().wait(&handle).await.unwrap(), 5);
    assert_eq!(app.accounts().await, [(7, -5)]);
}

#[tokio::test]
async fn a_store_without_transactions_is_refused_when_the_worker_starts() {
    let jobs = Jobs::connect("memory:").await.unwrap();
    let worker = jobs
        .worker()
        .state(Log::default())
        .state(VirtualClock::default())
        .state(std::sync::Arc::new(tokio::sync::Notify::new()));
    let refused = worker.run_until(std::future::ready(())).await.unwrap_err();
    let text = refused.to_string();
    assert!(text.contains("and the memory store has none"), "{text}");
}

#[tokio::test]
async fn on_a_store_without_transactions_the_step_fails_for_good() {
    let log = Log::default();
    let state = log.clone();
    let bench = Bench::new().worker(move |worker| worker.state(state.clone()));
    let handle = debit(7).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let view = bench
        .jobs()
        .admin()
        .show(handle.id())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(view.job.head.state, JobState::Failed);
    let error = view.job.notes.error.unwrap();
    assert_eq!(error.code.as_deref(), Some("X_NOT_IMPLEMENTED"), "{error}");
}
