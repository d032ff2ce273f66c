//! A `tx` step at every point where its worker or its store can break off: its effect is there
//! once.

use crate::support::{Log, accounts, add, app, bench_on, file, pool};
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use jobs_runtime::{SqliteTx, StoreHook, Verb};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

/// Set for a process that is to be killed: the file it works on, and where.
const FILE: &str = "JOBS_TEST_CRASH_FILE";
const POINT: &str = "JOBS_TEST_CRASH_POINT";

#[job(idempotency = "pay:{input}", backoff = "1m", visibility_timeout = "9s")]
async fn pay(input: i64) -> Result<i64> {
    let paid = step!(
        "pay",
        tx = |tx: &mut SqliteTx| {
            add(tx, input, -5).await?;
            crash("before commit");
            Ok(5)
        }
    )
    .await?;
    step!("tell", async { Ok::<_, Failure>(()) }).await?;
    Ok(paid)
}

/// Ends the process as a power cut would, where it was told to.
fn crash(point: &str) {
    if std::env::var(POINT).is_ok_and(|planned| planned == point) {
        std::process::abort();
    }
}

/// Breaks off one call about a transaction: the n-th, before or after it is made.
struct Break {
    call: usize,
    after: bool,
    seen: Mutex<usize>,
}

impl Break {
    fn before(call: usize) -> Self {
        Break {
            call,
            after: false,
            seen: Mutex::new(0),
        }
    }

    fn after(call: usize) -> Self {
        Break {
            after: true,
            ..Break::before(call)
        }
    }
}

impl StoreHook for Break {
    fn before(&self, verb: Verb) -> Result<(), Error> {
        if verb == Verb::Transact {
            let mut seen = self.seen.lock().unwrap();
            *seen += 1;
            if *seen == self.call && !self.after {
                return Err(Error::driver_unavailable("test", "cut off", "wait"));
            }
        }
        Ok(())
    }

    fn after(&self, verb: Verb) -> Result<(), Error> {
        if verb == Verb::Transact && self.after && *self.seen.lock().unwrap() == self.call {
            return Err(Error::driver_unavailable(
                "test",
                "the answer is lost",
                "wait",
            ));
        }
        Ok(())
    }
}

async fn paid_once_though(hook: Break) -> Log {
    let mut app = app().await;
    app.bench = app.bench.hooked(hook);
    let handle = pay(7).enqueue(app.jobs()).await.unwrap();
    app.bench.advance(Duration::from_secs(600)).await.unwrap();
    assert_eq!(app.state_of(handle.id()).await, JobState::Done);
    assert_eq!(app.accounts().await, [(7, -5)]);
    app.log.clone()
}

#[tokio::test]
async fn a_transaction_that_cannot_begin_is_begun_later() {
    let log = paid_once_though(Break::before(1)).await;
    assert_eq!(log.count("start pay"), 1);
}

#[tokio::test]
async fn a_transaction_whose_begin_was_not_heard_of_is_begun_again() {
    let log = paid_once_though(Break::after(1)).await;
    assert_eq!(log.count("start pay"), 1);
}

#[tokio::test]
async fn a_store_that_breaks_off_before_the_commit_lets_the_body_run_again() {
    let log = paid_once_though(Break::before(2)).await;
    assert_eq!(log.count("start pay"), 2);
    assert_eq!(log.count("lost"), 0);
}

#[tokio::test]
async fn a_commit_whose_answer_is_lost_is_found_by_the_next_lease() {
    let log = paid_once_though(Break::after(2)).await;
    assert_eq!(log.count("start pay"), 1);
    assert_eq!(log.count("lost"), 1);
}

/// Kills the process once the COMMIT of the step is there.
struct KillAfterCommit(Mutex<u32>);

impl StoreHook for KillAfterCommit {
    fn after(&self, verb: Verb) -> Result<(), Error> {
        if verb == Verb::Transact {
            let mut calls = self.0.lock().unwrap();
            *calls += 1;
            if *calls == 2 {
                crash("after commit");
            }
        }
        Ok(())
    }
}

/// The process that is killed; without a file to work on it does nothing.
#[tokio::test]
async fn victim() {
    let Ok(path) = std::env::var(FILE) else {
        return;
    };
    let pool = pool(Path::new(&path)).await;
    let bench = bench_on(&pool, &Log::default()).await;
    bench.clock().advance_to(real_now());
    pay(7).enqueue(bench.jobs()).await.unwrap();
    let bench = bench.hooked(KillAfterCommit(Mutex::new(0)));
    bench.drain().await.unwrap();
}

fn real_now() -> jobs_runtime::Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    jobs_runtime::Timestamp(since.unwrap().as_millis() as i64)
}

async fn killed(point: &str) -> (Vec<(i64, i64)>, Vec<(i64, i64)>) {
    let (_folder, path) = file();
    let this = std::env::current_exe().unwrap();
    let status = Command::new(this)
        .args(["--exact", "crashes::victim", "--quiet"])
        .env(FILE, &path)
        .env(POINT, point)
        .output()
        .unwrap()
        .status;
    assert!(!status.success(), "it was to be killed");
    let pool = pool(&path).await;
    let found = accounts(&pool).await;
    let log = Log::default();
    let bench = bench_on(&pool, &log).await;
    bench
        .clock()
        .advance_to(real_now().after(jobs_runtime::core::Millis::secs(60)));
    bench.advance(Duration::from_secs(600)).await.unwrap();
    let page = bench.jobs().admin();
    let page = page.list(&Default::default(), None, 10).await.unwrap();
    assert_eq!(page.jobs.len(), 1);
    assert_eq!(page.jobs[0].head.state, JobState::Done);
    (found, accounts(&pool).await)
}

#[tokio::test]
async fn a_process_killed_before_the_commit_leaves_nothing_and_the_next_pays() {
    let (found, after) = killed("before commit").await;
    assert_eq!(found, []);
    assert_eq!(after, [(7, -5)]);
}

#[tokio::test]
async fn a_process_killed_after_the_commit_has_paid_and_the_next_does_not() {
    let (found, after) = killed("after commit").await;
    assert_eq!(found, [(7, -5)]);
    assert_eq!(after, [(7, -5)]);
}
