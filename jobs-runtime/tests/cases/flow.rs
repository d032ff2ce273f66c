//! Children, cancelled trees, and runs that begin again in the middle.

use crate::faults::{Fault, Faults};
use crate::support::{DAY, Gate, HOUR, Log, MINUTE, SECOND, World, each_store, within};
use jobs_runtime::Verb;
use jobs_runtime::contract::JobFilter;
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;

#[job(
    name = "case-bad-child",
    idempotency = "case-bad-child:{input}",
    attempts = 1
)]
async fn bad_child(input: u64) -> Result<u64> {
    Err(Failure::msg(format!("card {input} was declined")))
}

#[job(
    name = "case-mother",
    idempotency = "case-mother:{input}",
    attempts = 4,
    backoff = "1m"
)]
async fn mother(input: u64, log: State<Log>) -> Result<String> {
    let child = step!("child", job = bad_child(input)).await;
    let told = match child {
        Ok(value) => format!("ok {value}"),
        Err(error) => format!("{:?} {}", error.code(), error.message()),
    };
    log.add(told.as_str());
    step!("nap", sleep = "1h").await;
    if log.count("again") == 0 {
        log.add("again");
        return Err(Failure::msg("once more"));
    }
    Ok(told)
}

each_store!(d22_a_child_that_failed_is_the_same_error_on_every_replay);
async fn d22_a_child_that_failed_is_the_same_error_on_every_replay(world: World) {
    let bench = world.bench();
    let handle = mother(7).enqueue(bench.jobs()).await.unwrap();
    bench.advance(DAY).await.unwrap();
    let told = bench.outcome(&handle).await.unwrap();
    assert!(told.contains("card 7 was declined"), "{told}");
    let lines = world.log.lines();
    let times = lines.iter().filter(|line| **line == told).count();
    assert!(
        times >= 3,
        "live, after the sleep, and in the next attempt: {lines:?}"
    );
    assert!(
        !lines.iter().any(|line| line.starts_with("ok")),
        "{lines:?}"
    );
}

#[job(name = "case-three-parts", idempotency = "case-three-parts:{input}")]
async fn three_parts(input: u64, log: State<Log>) -> Result<u64> {
    for k in 1..=3 {
        step!("part:{k}", {
            log.add(format!("part {k}"));
            Ok(())
        })
        .await?;
    }
    Ok(input)
}

each_store!(d23_a_run_reset_to_a_step_keeps_what_came_before_and_runs_the_rest_once);
async fn d23_a_run_reset_to_a_step_keeps_what_came_before_and_runs_the_rest_once(world: World) {
    let bench = world.bench();
    let handle = three_parts(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let admin = bench.jobs().admin();
    admin.requeue_from(handle.id(), "part:1").await.unwrap();
    bench.drain().await.unwrap();
    let counts = |world: &World| [1, 2, 3].map(|k| world.log.count(&format!("part {k}")));
    assert_eq!(counts(&world), [2, 2, 2]);
    admin.requeue_from(handle.id(), "part:2").await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(counts(&world), [2, 3, 3]);
    assert_eq!(bench.outcome(&handle).await.unwrap(), 1);
    assert_eq!(
        world.journal(handle.id()).await,
        ["part:1", "part:2", "part:3"]
    );
}

#[job(name = "case-grandchild", idempotency = "case-grandchild:{input}")]
async fn grandchild(input: u64, log: State<Log>) -> Result<u64> {
    log.add("grandchild ran");
    Ok(input)
}

#[job(name = "case-child", idempotency = "case-child:{input}")]
async fn child(input: u64, log: State<Log>, gate: State<Gate>) -> Result<u64> {
    step!("gate", {
        log.add("gate");
        gate.pass().await;
        Ok(())
    })
    .await?;
    Ok(step!("grandchild", job = grandchild(input)).await?)
}

#[job(name = "case-parent", idempotency = "case-parent:{input}")]
async fn parent(input: u64) -> Result<u64> {
    Ok(step!("child", job = child(input)).await?)
}

each_store!(d31_a_cancelled_tree_lets_no_grandchild_escape_that_is_just_being_enqueued);
async fn d31_a_cancelled_tree_lets_no_grandchild_escape_that_is_just_being_enqueued(world: World) {
    let jobs = world.jobs();
    for round in 0..8 {
        let handle = parent(round).enqueue(&jobs).await.unwrap();
        let working = world.start(world.worker(&jobs, "a"));
        within(world.log.saw("gate", round as usize + 1)).await;
        // The child goes on to its own child in the moment of the cancel.
        world.gate.open(1);
        for _ in 0..round {
            tokio::task::yield_now().await;
        }
        let cancelled = jobs.admin().cancel(handle.id()).await;
        working.stop();
        world.pass(SECOND, "nobody", 0).await;
        within(working.task).await.unwrap().unwrap();
        if cancelled.is_err() {
            assert_eq!(
                world.state(handle.id()).await,
                JobState::Done,
                "it was faster"
            );
            continue;
        }
        let page = jobs
            .admin()
            .list(&JobFilter::default(), None, 100)
            .await
            .unwrap();
        for job in &page.jobs {
            let state = job.head.state;
            assert!(
                !state.is_live(),
                "{} is {state} in round {round}",
                job.spec.name
            );
        }
    }
}

#[job(
    name = "case-one-commit",
    idempotency = "case-one-commit:{input}",
    visibility_timeout = "30s"
)]
async fn one_commit(input: u64, log: State<Log>) -> Result<u64> {
    step!("before", {
        log.add("before");
        Ok(())
    })
    .await?;
    Ok(step!("child", job = counted_child(input)).await?)
}

#[job(
    name = "case-counted-child",
    idempotency = "case-counted-child:{input}"
)]
async fn counted_child(input: u64, log: State<Log>) -> Result<u64> {
    log.add("child ran");
    Ok(input + 1)
}

each_store!(d15_a_step_its_wait_and_its_child_are_stored_together_or_not_at_all);
async fn d15_a_step_its_wait_and_its_child_are_stored_together_or_not_at_all(world: World) {
    for call in 0..4 {
        for fault in [Fault::Before, Fault::After] {
            let world = world.twin().await;
            let mut faults = Faults::of(&world);
            for _ in 0..call {
                faults = faults.once(Verb::Commit, Fault::After);
            }
            let bench = world.bench().hooked(faults.once(Verb::Commit, fault));
            let handle = one_commit(1).enqueue(bench.jobs()).await.unwrap();
            bench.advance(HOUR).await.unwrap();
            assert_eq!(bench.outcome(&handle).await.unwrap(), 2);
            assert_eq!(
                (world.log.count("before"), world.log.count("child ran")),
                (1, 1)
            );
            let page = bench
                .jobs()
                .admin()
                .list(&JobFilter::default(), None, 10)
                .await;
            assert_eq!(page.unwrap().jobs.len(), 2);
        }
    }
}

#[job(
    name = "case-put-off",
    idempotency = "case-put-off:{input.0}",
    attempts = 2
)]
async fn put_off(input: (u64, String), job: JobContext, log: State<Log>) -> Result<String> {
    log.add(format!("attempt {} of {}", job.attempt(), input.1));
    if log.lines().len() < 4 {
        job.snooze(MINUTE).await;
    }
    Ok(input.1)
}

each_store!(q19_a_job_that_is_put_off_three_times_keeps_its_input_and_its_attempt);
async fn q19_a_job_that_is_put_off_three_times_keeps_its_input_and_its_attempt(world: World) {
    let bench = world.bench();
    let handle = put_off((1, "kept".into()))
        .enqueue(bench.jobs())
        .await
        .unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.outcome(&handle).await.unwrap(), "kept");
    assert_eq!(world.log.lines(), vec!["attempt 1 of kept"; 4]);
}
