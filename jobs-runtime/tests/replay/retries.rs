//! Retries of one step within an attempt of its job: pauses, counts and time limits.

use crate::support::{HOUR, Log, bench, crash_at, state_of};
use jobs_runtime::JobId;
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Plan {
    failures: usize,
    /// The try that hangs, so that its lease is lost with it.
    hangs: usize,
}

async fn flaky(log: &Log, plan: Plan) -> Result<usize> {
    log.add("try");
    let tried = log.count("try");
    if tried == plan.hangs {
        log.add(format!("try {tried} hangs"));
        std::future::pending::<()>().await;
    }
    if tried <= plan.failures {
        return Err(Failure::msg(format!("try {tried} failed")));
    }
    Ok(tried)
}

#[job(
    idempotency = "long-pauses:{input.failures}:{input.hangs}",
    attempts = 2,
    backoff = "1s",
    visibility_timeout = "30s"
)]
async fn long_pauses(input: Plan, log: State<Log>) -> Result<usize> {
    log.add("body");
    Ok(step!("charge", attempts = 4, backoff = "30m", flaky(&log, input)).await?)
}

async fn attempt(bench: &Bench, id: JobId) -> u32 {
    let view = bench.jobs().admin().show(id).await.unwrap().unwrap();
    view.job.head.attempt
}

#[tokio::test]
async fn a_long_pause_parks_the_run_and_costs_no_attempt() {
    let (bench, log) = bench();
    let plan = Plan {
        failures: 3,
        hangs: 0,
    };
    let handle = long_pauses(plan).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Suspended);
    bench.advance(29 * MINUTE).await.unwrap();
    assert_eq!(log.count("try"), 1);
    bench.advance(MINUTE).await.unwrap();
    assert_eq!(log.count("try"), 2);
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 4);
    assert_eq!(attempt(&bench, handle.id()).await, 1);
    assert_eq!(log.count("body"), 4, "one lease for each try");
}

#[tokio::test]
async fn the_tries_that_are_used_up_fail_the_step() {
    let (bench, log) = bench();
    let plan = Plan {
        failures: 99,
        hangs: 0,
    };
    let handle = long_pauses(plan).enqueue(bench.jobs()).await.unwrap();
    bench.advance(2 * HOUR).await.unwrap();
    assert_eq!(
        log.count("try"),
        5,
        "four in the first attempt, one in the second"
    );
    bench.advance(2 * HOUR).await.unwrap();
    assert_eq!(log.count("try"), 8);
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Dead);
}

#[tokio::test]
async fn d24_the_count_of_tries_survives_a_crash_in_one() {
    let (bench, log) = bench();
    let plan = Plan {
        failures: 99,
        hangs: 2,
    };
    let handle = long_pauses(plan).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    bench.clock().advance(30 * MINUTE);
    crash_at(&bench, &log, "try 2 hangs").await;
    bench.advance(4 * HOUR).await.unwrap();
    assert_eq!(
        attempt(&bench, handle.id()).await,
        2,
        "the lost lease is one"
    );
    // One before the crash, one lost in it, and three that were left of four.
    assert_eq!(log.count("try"), 5, "{:?}", log.lines());
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Dead);
}

#[job(idempotency = "slow-steps:{input}", step_timeout = "10s", attempts = 1)]
async fn slow_steps(input: u64, log: State<Log>, clock: State<Sleeper>) -> Result<String> {
    let mut told = Vec::new();
    let default = step!("default", clock.sleep(11)).await;
    told.push(default.is_err_and(|error| error.is_timeout()));
    told.push(step!("own", timeout = "20s", clock.sleep(11)).await.is_ok());
    told.push(step!("quick", clock.sleep(9)).await.is_ok());
    let tries = step!("tries", attempts = 3, backoff = "1ms", {
        log.add("tries");
        clock.sleep(60).await
    });
    told.push(tries.await.is_err_and(|error| error.is_timeout()));
    let _ = input;
    Ok(format!("{told:?}"))
}

/// Sleeps by the clock of the bench.
#[derive(Clone)]
struct Sleeper(jobs_runtime::clock::VirtualClock);

impl Sleeper {
    async fn sleep(&self, secs: u64) -> Result<()> {
        use jobs_runtime::clock::Clock;
        self.0.sleep(Duration::from_secs(secs)).await;
        Ok(())
    }
}

#[tokio::test]
async fn a_step_that_does_not_say_has_the_time_limit_of_its_job() {
    let (bench, log) = bench();
    let (own, clock) = (log.clone(), Sleeper(bench.clock().clone()));
    let bench = bench.worker(move |worker| worker.state(own.clone()).state(clock.clone()));
    let handle = slow_steps(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    let told = bench.jobs().wait(&handle).await.unwrap();
    assert_eq!(told, "[true, true, true, true]");
    assert_eq!(log.count("tries"), 3, "each try has it anew");
}
