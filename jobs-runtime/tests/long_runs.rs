//! A run of ten thousand steps: it resumes with one read, and its next step costs what its first
//! one did. Counted, not timed; `scripts/measure/step-cost` counts instructions too.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use jobs_runtime::clock::Env;
use jobs_runtime::contract::{Claim, Driver};
use jobs_runtime::core::{
    Commit, CommitAnswer, CommitNumber, JobId, JobSpec, Millis, NewJob, Payload, Position,
    Priority, RecordKind, RunId, Settle, StepOutcome, StepRecord, Timestamp, Visible,
};
use jobs_runtime::prelude::*;
use jobs_runtime::{Handle, StoreHook, Verb};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// When the run was stored, by the store's clock: long ago, so that its first lease is over.
const START: Timestamp = Timestamp(1_767_225_600_000);

/// New steps that the run makes after it was resumed.
const NEW_STEPS: u32 = 100;

#[derive(Serialize, Deserialize)]
struct Lap {
    run: u32,
    steps: u32,
}

#[job(name = "bench-laps", idempotency = "laps:{input.run}")]
async fn laps(input: Lap) -> Result<u64> {
    let mut sum = 0;
    for n in 0..input.steps {
        sum += step!("lap:{n}", async { Ok::<_, Failure>(u64::from(n)) }).await?;
    }
    Ok(sum)
}

/// Counts calls by verb.
#[derive(Clone, Default)]
struct Calls(Arc<Mutex<BTreeMap<Verb, u32>>>);

impl Calls {
    fn of(&self, verb: Verb) -> u32 {
        self.0.lock().unwrap().get(&verb).copied().unwrap_or(0)
    }
}

impl StoreHook for Calls {
    fn before(&self, verb: Verb) -> Result<(), Error> {
        *self.0.lock().unwrap().entry(verb).or_default() += 1;
        Ok(())
    }
}

fn new_job(input: &Lap) -> NewJob {
    let bits = u128::from(input.run) << 32;
    NewJob {
        spec: JobSpec {
            id: JobId::new(START, bits),
            run_id: RunId::new(START, bits),
            name: laps::def().name.into(),
            scope: laps::def().name.into(),
            queue: "default".into(),
            key: None,
            input: Payload::json(serde_json::to_vec(input).unwrap()),
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

/// Stores a run as a worker leaves it that has recorded so many steps of it.
async fn record(driver: &dyn Driver, job: &NewJob, steps: u32) {
    let now = START;
    let jobs = std::slice::from_ref(job);
    driver.enqueue(jobs, Some(now)).await.unwrap();
    let claim = Claim {
        queues: Vec::new(),
        limit: 1,
        visibility_timeout: Millis::secs(30),
        worker: "former".into(),
        nonce: 1,
        now: Some(now),
    };
    let claimed = driver.claim(&claim).await.unwrap().jobs.remove(0);
    let records = (0..steps).map(|n| StepRecord {
        position: Some(Position(n)),
        outcome: Some(StepOutcome::Done(Payload::json(n.to_string().into_bytes()))),
        attempts: 1,
        completed_at: Some(now),
        ..StepRecord::pending(format!("lap:{n}"), RecordKind::Step, now)
    });
    let number = CommitNumber {
        token: claimed.job.head.token,
        number: 1,
    };
    let (id, run) = (job.spec.id, job.spec.run_id);
    let commit = Commit::steps(id, run, number, Position(0), 0, records.collect())
        .settling(Settle::HandBack, Default::default());
    let answers = driver.commit(&[commit], Some(now)).await.unwrap();
    assert!(matches!(answers[0], CommitAnswer::Applied(_)));
}

/// The calls of a worker that resumes a run with so many recorded steps and makes so many new
/// ones.
async fn resumed(driver: impl Driver, env: Env, steps: u32, new: u32) -> Calls {
    let all = steps + new;
    let job = new_job(&Lap {
        run: steps,
        steps: all,
    });
    record(&driver, &job, steps).await;
    let calls = Calls::default();
    let jobs = Jobs::with_driver(driver, env);
    let worker = jobs
        .clone()
        .hooked(calls.clone())
        .worker()
        .concurrency(1)
        .poll_interval(Duration::from_secs(3600));
    let handle = Handle::<laps>::of(job.spec.id, job.spec.run_id);
    let wait = async {
        let sum = jobs.wait(&handle).await.unwrap();
        assert_eq!(sum, u64::from(all) * u64::from(all - 1) / 2);
    };
    worker.run_until(wait).await.unwrap();
    calls
}

fn assert_flat(few: &Calls, many: &Calls) {
    for calls in [few, many] {
        // The last record shares the write that ends the job.
        assert_eq!(calls.of(Verb::Commit), NEW_STEPS);
        // The one that brings the journal, and looks for other work once the job has ended.
        assert!(
            (1..=3).contains(&calls.of(Verb::Claim)),
            "{}",
            calls.of(Verb::Claim)
        );
        assert_eq!(calls.of(Verb::Inspect), 0);
    }
}

#[tokio::test]
async fn on_memory_ten_thousand_recorded_steps_are_read_once_and_cost_no_further_calls() {
    let mut calls = Vec::new();
    for steps in [10, 10_000] {
        let env = Env::system();
        let driver = jobs_runtime::drivers::memory::Memory::new(env.clone());
        calls.push(resumed(driver, env, steps, NEW_STEPS).await);
    }
    assert_flat(&calls[0], &calls[1]);
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn on_sqlite_ten_thousand_recorded_steps_are_read_once_and_cost_no_further_calls() {
    use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
    let mut calls = Vec::new();
    for steps in [10, 10_000] {
        let env = Env::system();
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::default().env(env.clone());
        let path = folder.path().join("jobs.db");
        let driver = Sqlite::open(&path, options).await.unwrap();
        calls.push(resumed(driver, env, steps, NEW_STEPS).await);
    }
    assert_flat(&calls[0], &calls[1]);
}

/// How many steps; `scripts/measure/step-cost` says so when it counts instructions.
fn measured(name: &str) -> u32 {
    let told = std::env::var(name).ok();
    told.map_or(NEW_STEPS, |steps| steps.parse().unwrap())
}

#[tokio::test]
async fn a_resumed_run_on_memory_gives_what_its_steps_gave() {
    let env = Env::system();
    let driver = jobs_runtime::drivers::memory::Memory::new(env.clone());
    resumed(driver, env, measured("RECORDED"), measured("NEW")).await;
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn a_resumed_run_on_sqlite_gives_what_its_steps_gave() {
    use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.db");
    let driver = Sqlite::open(&path, SqliteOptions::default()).await.unwrap();
    resumed(driver, Env::system(), measured("RECORDED"), measured("NEW")).await;
}
