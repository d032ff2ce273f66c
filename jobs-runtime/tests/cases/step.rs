//! What is recorded of a step, and what a replay makes of it.

use crate::faults::Faults;
use crate::support::{DAY, Gate, HOUR, LEASE, Log, MINUTE, World, each_store, within};
use futures::future::{BoxFuture, join_all};
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

/// The steps of [`nothings`].
const NOTHINGS: [&str; 8] = [
    "unit", "none", "result", "text", "zero", "false", "list", "map",
];

/// Makes outputs that look like nothing; each attempt ends right after one of them.
#[job(
    name = "case-nothings",
    idempotency = "case-nothings:{input}",
    attempts = 20,
    backoff = "1s"
)]
async fn nothings(input: u64, log: State<Log>) -> Result<u64> {
    step!("unit", made(&log, "unit", ())).await?;
    cut_off(&log, "unit")?;
    step!("none", made(&log, "none", None::<u64>)).await?;
    cut_off(&log, "none")?;
    let _result = step!("result", made(&log, "result", Ok::<(), u8>(()))).await?;
    cut_off(&log, "result")?;
    step!("text", made(&log, "text", String::new())).await?;
    cut_off(&log, "text")?;
    step!("zero", made(&log, "zero", 0_u8)).await?;
    cut_off(&log, "zero")?;
    step!("false", made(&log, "false", false)).await?;
    cut_off(&log, "false")?;
    step!("list", made(&log, "list", Vec::<u8>::new())).await?;
    cut_off(&log, "list")?;
    step!("map", made(&log, "map", BTreeMap::<String, u8>::new())).await?;
    cut_off(&log, "map")?;
    Ok(input)
}

async fn made<T>(log: &Log, step: &str, value: T) -> Result<T> {
    log.add(step);
    Ok(value)
}

fn cut_off(log: &Log, step: &str) -> Result<()> {
    let line = format!("cut off after {step}");
    if log.count(&line) > 0 {
        return Ok(());
    }
    log.add(line.as_str());
    Err(Failure::msg(line))
}

each_store!(b41_a_step_whose_output_looks_like_nothing_runs_once);
async fn b41_a_step_whose_output_looks_like_nothing_runs_once(world: World) {
    let bench = world.bench();
    let handle = nothings(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.outcome(&handle).await.unwrap(), 1);
    for step in NOTHINGS {
        assert_eq!(world.log.count(step), 1, "{step}");
    }
    assert_eq!(world.journal(handle.id()).await, NOTHINGS);
}

#[job(
    name = "case-large",
    idempotency = "case-large:{input.0}:{input.1}",
    attempts = 1
)]
async fn large(input: (String, usize)) -> Result<String> {
    let (place, bytes) = input;
    let text = "x".repeat(bytes);
    if place == "step" {
        step!("bulk", { Ok(text.clone()) }).await?;
        return Ok(String::new());
    }
    Ok(text)
}

each_store!(b46_one_byte_over_the_limit_fails_its_step_by_name_and_size_and_stores_nothing);
async fn b46_one_byte_over_the_limit_fails_its_step_by_name_and_size_and_stores_nothing(
    world: World,
) {
    let bench = world.bench();
    let limit = world.driver().capabilities().payload_limit;
    for place in ["step", "job"] {
        // Two bytes are the quotes.
        let fits = large((place.into(), limit - 2))
            .enqueue(bench.jobs())
            .await
            .unwrap();
        let over = large((place.into(), limit - 1))
            .enqueue(bench.jobs())
            .await
            .unwrap();
        bench.drain().await.unwrap();
        bench.outcome(&fits).await.unwrap();
        let error = bench.outcome(&over).await.unwrap_err().to_string();
        let named = if place == "step" {
            "\"bulk\""
        } else {
            "\"case-large\""
        };
        let (size, most) = ((limit + 1).to_string(), limit.to_string());
        assert!(error.contains(named), "{error}");
        assert!(error.contains(&size) && error.contains(&most), "{error}");
        assert_eq!(world.code(over.id()).await, "X_PAYLOAD_TOO_LARGE");
    }
    let too_much = large(("x".repeat(limit), 0)).enqueue(bench.jobs()).await;
    assert_eq!(too_much.unwrap_err().code(), "X_PAYLOAD_TOO_LARGE");
}

#[job(
    name = "case-fixed-later",
    idempotency = "case-fixed-later:{input}",
    attempts = 1
)]
async fn fixed_later(input: u64, log: State<Log>) -> Result<u64> {
    step!("before", {
        log.add("before");
        Ok(())
    })
    .await?;
    let bytes = if log.count("fixed") == 0 { 8 << 20 } else { 8 };
    let text = step!("bulk", { Ok("x".repeat(bytes)) }).await?;
    Ok(input + text.len() as u64)
}

each_store!(d27_an_output_over_the_limit_is_an_error_with_step_and_size_and_the_run_can_go_on);
async fn d27_an_output_over_the_limit_is_an_error_with_step_and_size_and_the_run_can_go_on(
    world: World,
) {
    let bench = world.bench();
    let handle = fixed_later(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let error = bench.outcome(&handle).await.unwrap_err().to_string();
    assert!(
        error.contains("\"bulk\"") && error.contains("8388610"),
        "{error}"
    );
    assert_eq!(world.journal(handle.id()).await, ["before"]);
    world.log.add("fixed");
    bench.jobs().admin().requeue(handle.id()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(bench.outcome(&handle).await.unwrap(), 9);
    assert_eq!(world.log.count("before"), 1);
}

#[job(
    name = "case-shuffled",
    idempotency = "case-shuffled:{input}",
    backoff = "1s"
)]
async fn shuffled(input: u64, job: JobContext) -> Result<Vec<String>> {
    let one = async { step!("one", { Ok("1".to_owned()) }).await };
    let two = async { step!("two", { Ok("2".to_owned()) }).await };
    let three = async { step!("three", { Ok("3".to_owned()) }).await };
    let mut all: Vec<BoxFuture<'_, std::result::Result<String, StepError>>> =
        vec![Box::pin(one), Box::pin(two), Box::pin(three)];
    let turn = job.attempt() as usize % 3;
    all.rotate_left(turn);
    let mut values = Vec::new();
    for value in join_all(all).await {
        values.push(value?);
    }
    values.rotate_right(turn);
    if job.attempt() < 4 {
        return Err(Failure::msg("another worker goes on"));
    }
    let _ = input;
    Ok(values)
}

each_store!(d01_steps_awaited_together_keep_their_outputs_in_whatever_order_they_are_polled);
async fn d01_steps_awaited_together_keep_their_outputs_in_whatever_order_they_are_polled(
    world: World,
) {
    let bench = world.bench();
    let handle = shuffled(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(MINUTE).await.unwrap();
    assert_eq!(bench.outcome(&handle).await.unwrap(), ["1", "2", "3"]);
    for step in ["start one", "start two", "start three"] {
        assert_eq!(world.log.count(step), 1, "{step}");
    }
}

#[job(name = "case-long-beside", idempotency = "case-long-beside:{input}")]
async fn long_beside(input: u64) -> Result<u64> {
    let long = step!("c", async {
        std::future::pending::<()>().await;
        Ok::<_, Failure>(())
    });
    let short = async {
        step!("a", { Ok(()) }).await?;
        step!("nap", sleep = "10s").await;
        step!("b", { Ok(()) }).await
    };
    tokio::select! {
        biased;
        _ = long => {}
        done = short => done?,
    }
    step!("rest", sleep = "1d").await;
    step!("after", { Ok(()) }).await?;
    Ok(input)
}

each_store!(d20_a_long_step_beside_a_sequence_starts_once);
async fn d20_a_long_step_beside_a_sequence_starts_once(world: World) {
    let bench = world.bench();
    let handle = long_beside(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(2 * DAY).await.unwrap();
    assert_eq!(bench.outcome(&handle).await.unwrap(), 1);
    assert_eq!(world.log.count("start c"), 1, "{:?}", world.log.lines());
    let delivered = ["a", "nap", "b", "rest", "after"];
    assert_eq!(world.journal(handle.id()).await, delivered);
}

#[job(name = "case-backing-off", idempotency = "case-backing-off:{input}")]
async fn backing_off(input: u64, log: State<Log>) -> Result<u64> {
    let tried = step!("try", attempts = 4, backoff = "10m", {
        log.add("try");
        if log.count("try") < 4 {
            return Err(Failure::msg("not yet"));
        }
        Ok(input)
    });
    Ok(tried.await?)
}

each_store!(d24_a_worker_killed_while_a_step_backs_off_leaves_the_count_of_its_tries);
async fn d24_a_worker_killed_while_a_step_backs_off_leaves_the_count_of_its_tries(world: World) {
    let bench = world.bench();
    let handle = backing_off(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(11 * MINUTE).await.unwrap();
    assert_eq!(world.log.count("try"), 2);
    // Somebody takes it up in its back-off, and dies.
    world.clock.advance(10 * MINUTE);
    assert_eq!(world.claim_as("dead", 1).await.len(), 1);
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.outcome(&handle).await.unwrap(), 1);
    assert_eq!(
        world.log.count("try"),
        4,
        "no try is counted twice or forgotten"
    );
    assert_eq!(world.view(handle.id()).await.journal[0].attempts, 4);
}

#[job(
    name = "case-single",
    idempotency = "case-single:{input}",
    attempts = 1
)]
async fn single(input: u64, log: State<Log>) -> Result<u64> {
    step!("only", attempts = 1, {
        log.add("only");
        if input > 0 {
            return Err(Failure::msg("no"));
        }
        Ok(())
    })
    .await?;
    Ok(input)
}

each_store!(d25_one_attempt_is_exactly_one);
async fn d25_one_attempt_is_exactly_one(world: World) {
    let bench = world.bench();
    let good = single(0).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(bench.outcome(&good).await.unwrap(), 0);
    assert_eq!(world.log.count("only"), 1);
    let bad = single(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(world.state(bad.id()).await, JobState::Dead);
    assert_eq!(world.log.count("only"), 2);
}

#[job(name = "case-branches", idempotency = "case-branches:{input}")]
async fn branches(input: u64, log: State<Log>) -> Result<u64> {
    let branches = (0..input).map(|k| async move {
        step!("nap:{k}", sleep = Duration::from_secs(k % 5)).await;
        step!("work:{k}", move { Ok(k) }).await
    });
    let mut sum = 0;
    for value in join_all(branches).await {
        sum += value?;
    }
    step!("rest", sleep = "1h").await;
    log.add("end");
    Ok(sum)
}

each_store!(d34_two_runs_of_one_seed_do_the_same_in_the_same_order);
async fn d34_two_runs_of_one_seed_do_the_same_in_the_same_order(world: World) {
    let twin = world.twin().await;
    let mut seen = Vec::new();
    for world in [&world, &twin] {
        let bench = world.bench();
        let handle = branches(40).enqueue(bench.jobs()).await.unwrap();
        bench.advance(DAY).await.unwrap();
        assert_eq!(bench.outcome(&handle).await.unwrap(), (0..40).sum::<u64>());
        seen.push((world.log.lines(), world.journal(handle.id()).await));
    }
    assert_eq!(seen[0], seen[1]);
}

#[job(name = "case-thousand", idempotency = "case-thousand:{input}")]
async fn thousand(input: u64, log: State<Log>, gate: State<Gate>) -> Result<u64> {
    for k in 0..input {
        step!("part:{k}", {
            log.add("part");
            if k == input / 2 {
                log.add("half way");
                gate.pass().await;
            }
            Ok(k)
        })
        .await?;
    }
    Ok(input)
}

each_store!(d35_a_step_of_a_long_run_reads_nothing_and_a_resume_reads_once);
async fn d35_a_step_of_a_long_run_reads_nothing_and_a_resume_reads_once(world: World) {
    // On a disk each step is a wait for it.
    let steps = if world.is_sqlite() { 200 } else { 1_000 };
    let jobs = world.jobs().hooked(Faults::of(&world));
    let handle = thousand(steps).enqueue(&jobs).await.unwrap();
    let calls = |verb: &str| world.log.count(&format!("store {verb}"));
    let first = world.start(world.worker(&jobs, "a"));
    within(world.log.saw("half way", 1)).await;
    let (commits, claims) = (calls("Commit"), calls("Claim"));
    assert!(commits <= steps as usize / 2 + 1, "{commits}");
    // A worker with free slots looks for more when the file has changed, not at every step.
    assert!(claims < steps as usize / 4, "{claims}");
    first.killed().await;
    world.clock.advance(LEASE);
    let next = world.start(world.worker(&jobs, "b"));
    within(world.log.saw("half way", 2)).await;
    world.gate.open(1);
    assert_eq!(within(jobs.wait(&handle)).await.unwrap(), steps);
    next.stopped().await;
    assert!(calls("Claim") < steps as usize / 2, "{}", calls("Claim"));
    assert!(calls("Commit") <= steps as usize + 2, "{}", calls("Commit"));
    assert_eq!(world.log.count("part"), steps as usize + 1);
}

#[job(name = "case-many-ready", idempotency = "case-many-ready:{input}", allow = (raw_await))]
async fn many_ready(input: u64) -> Result<u64> {
    for _ in 0..input {
        std::future::ready(()).await;
        tokio::task::yield_now().await;
    }
    let steps = (0..input).map(|k| step!("ready:{k}", move { Ok(k) }));
    let mut sum = 0;
    for value in join_all(steps).await {
        sum += value?;
    }
    Ok(sum)
}

each_store!(d36_hundreds_of_ready_awaits_starve_nobody);
async fn d36_hundreds_of_ready_awaits_starve_nobody(world: World) {
    let bench = world.bench();
    let handle = many_ready(300).enqueue(bench.jobs()).await.unwrap();
    let other = single(0).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(bench.outcome(&handle).await.unwrap(), (0..300).sum::<u64>());
    assert_eq!(bench.outcome(&other).await.unwrap(), 0);
}
