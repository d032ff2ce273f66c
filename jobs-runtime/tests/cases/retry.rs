//! Failures: how often, how far apart, and where they end.

use crate::faults::{Fault, Faults};
use crate::support::{DAY, Gate, HOUR, LEASE, Log, MINUTE, SECOND, World, each_store, within};
use jobs_runtime::Verb;
use jobs_runtime::contract::PruneBounds;
use jobs_runtime::core::{Backoff, Millis, Payload, Settle, State as JobState};
use jobs_runtime::prelude::*;

use crate::jobs::quick;
use crate::raw;

#[job(name = "case-default", idempotency = "case-default:{input}")]
async fn default_policy(
    input: u64,
    log: State<Log>,
    clock: State<jobs_runtime::clock::VirtualClock>,
) -> Result<u64> {
    let now = jobs_runtime::clock::Clock::now(&*clock);
    log.add(format!("at {}", now.0));
    if input > 0 {
        return Err(Failure::msg("it never works"));
    }
    Ok(input)
}

each_store!(q08_a_job_without_a_policy_is_tried_at_growing_distances_and_then_buried);
async fn q08_a_job_without_a_policy_is_tried_at_growing_distances_and_then_buried(world: World) {
    let bench = world.bench();
    let handle = default_policy(1).enqueue(bench.jobs()).await.unwrap();
    let drained = bench.advance(30 * DAY).await.unwrap();
    assert_eq!(world.state(handle.id()).await, JobState::Dead);
    let attempts_max = world.row(handle.id()).await.head.attempts_max;
    assert_eq!(drained.leases(), attempts_max as usize);
    let times: Vec<i64> = world
        .log
        .lines()
        .iter()
        .filter_map(|line| line.strip_prefix("at ")?.parse().ok())
        .collect();
    assert_eq!(times.len(), attempts_max as usize);
    for pair in times.windows(2) {
        assert!(pair[1] - pair[0] >= 500, "{times:?}");
    }
}

#[job(
    name = "case-fails",
    idempotency = "case-fails:{input}",
    attempts = 2,
    backoff = "1m"
)]
async fn fails(input: u64, log: State<Log>) -> Result<u64> {
    log.add("tried");
    if log.count("tried") == 1 {
        return Err(Failure::msg("the first time"));
    }
    Ok(input)
}

each_store!(b53_a_failure_whose_write_is_cut_off_loses_no_job_and_acks_nothing);
async fn b53_a_failure_whose_write_is_cut_off_loses_no_job_and_acks_nothing(world: World) {
    for fault in [Fault::Before, Fault::After] {
        let world = world.twin().await;
        let faults = Faults::of(&world).once(Verb::Commit, fault);
        let bench = world.bench().hooked(faults);
        let handle = fails(1).enqueue(bench.jobs()).await.unwrap();
        bench.advance(30 * SECOND).await.unwrap();
        let head = world.row(handle.id()).await.head;
        assert_eq!((head.state, head.attempt), (JobState::Pending, 2));
        bench.advance(MINUTE).await.unwrap();
        assert_eq!(bench.outcome(&handle).await.unwrap(), 1);
        assert_eq!(world.log.count("tried"), 2);
    }
    // The write never gets through at all: the lease runs out, and the job is tried again.
    let cut = Faults::of(&world);
    let jobs = world.jobs().hooked(cut.clone());
    let handle = fails(2).enqueue(&jobs).await.unwrap();
    cut.cut(&[Verb::Commit, Verb::Heartbeat]);
    let working = world.start(world.worker(&jobs, "a"));
    within(world.log.saw("tried", 1)).await;
    world.pass(LEASE / 3, "a lost", 1).await;
    cut.mend();
    world.pass(LEASE / 3, "a ended done", 1).await;
    working.stopped().await;
    assert_eq!(world.row(handle.id()).await.head.lease_losses, 1);
}

each_store!(b54_retention_takes_what_is_done_and_leaves_what_is_dead);
async fn b54_retention_takes_what_is_done_and_leaves_what_is_dead(world: World) {
    let bench = world.bench();
    let done = quick(1).enqueue(bench.jobs()).await.unwrap();
    let dead = default_policy(1)
        .attempts(1)
        .enqueue(bench.jobs())
        .await
        .unwrap();
    bench.drain().await.unwrap();
    world.clock.advance(365 * DAY);
    let bounds = PruneBounds {
        ended_before: world.now(),
        rules: Vec::new(),
        spared: Millis(0),
        events_expired_before: world.now(),
        dead_before: None,
        limit: 100,
    };
    let admin = bench.jobs().admin();
    let pruned = admin.prune(&bounds).await.unwrap();
    assert_eq!((pruned.jobs, pruned.dead_letters), (1, 0));
    assert!(admin.show(done.id()).await.unwrap().is_none());
    assert_eq!(world.state(dead.id()).await, JobState::Dead);
    let by_name = PruneBounds {
        dead_before: Some(world.now()),
        ..bounds
    };
    assert_eq!(admin.prune(&by_name).await.unwrap().dead_letters, 1);
}

#[derive(Serialize, Deserialize)]
struct Amount {
    cents: u32,
}

#[job(name = "case-amount", idempotency = none, attempts = 3, backoff = "1m")]
async fn amount(input: Amount, log: State<Log>) -> Result<u32> {
    log.add("amount");
    Ok(input.cents)
}

/// A job whose input an older version wrote.
fn old_amount(world: &World) -> jobs_runtime::core::NewJob {
    let mut old = world.job("case-amount");
    old.spec.input = Payload::json(*br#"{"cents":"seven"}"#);
    old
}

each_store!(b55_an_input_that_no_longer_reads_backs_off_and_is_buried_with_its_bytes);
async fn b55_an_input_that_no_longer_reads_backs_off_and_is_buried_with_its_bytes(world: World) {
    let bench = world.bench();
    let old = old_amount(&world);
    world.store(&old).await.unwrap();
    bench.drain().await.unwrap();
    let head = world.row(old.spec.id).await.head;
    assert_eq!((head.state, head.attempt), (JobState::Pending, 2));
    assert!(head.visible_at.is_some_and(|at| at > world.now()));
    bench.advance(HOUR).await.unwrap();
    let row = world.row(old.spec.id).await;
    assert_eq!(row.head.state, JobState::Dead);
    assert_eq!(world.code(old.spec.id).await, "X_INPUT_UNDECODABLE");
    assert_eq!(row.spec.input, old.spec.input);
    let after = quick(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    bench.outcome(&after).await.unwrap();
}

each_store!(q33_one_unreadable_job_among_a_hundred_stops_none_of_the_others);
async fn q33_one_unreadable_job_among_a_hundred_stops_none_of_the_others(world: World) {
    let bench = world.bench();
    let bad = old_amount(&world);
    let good = |cents| amount(Amount { cents });
    for cents in 0..50 {
        good(cents).enqueue(bench.jobs()).await.unwrap();
    }
    world.store(&bad).await.unwrap();
    for cents in 50..99 {
        good(cents).enqueue(bench.jobs()).await.unwrap();
    }
    let drained = bench.advance(HOUR).await.unwrap();
    assert_eq!(drained.done().count(), 99);
    assert_eq!(world.log.count("amount"), 99);
    assert_eq!(world.state(bad.spec.id).await, JobState::Dead);
    assert_eq!(drained.leases(), 99 + 3);
}

each_store!(b56_jobs_of_a_name_that_nobody_knows_wait_and_block_no_queue);
async fn b56_jobs_of_a_name_that_nobody_knows_wait_and_block_no_queue(world: World) {
    let bench = world.bench();
    for _ in 0..20 {
        let mut gone = world.job("case-that-is-gone");
        gone.spec.tenant = Some("t".into());
        gone.attempts_max = 1;
        world.store(&gone).await.unwrap();
    }
    let handle = quick(1).tenant("t").enqueue(bench.jobs()).await.unwrap();
    bench.advance(MINUTE).await.unwrap();
    bench.outcome(&handle).await.unwrap();
    let page = bench
        .jobs()
        .admin()
        .list(&Default::default(), None, 500)
        .await
        .unwrap();
    let gone = page
        .jobs
        .iter()
        .filter(|job| job.spec.name == "case-that-is-gone");
    let mut left = 0;
    for job in gone {
        left += 1;
        assert_eq!((job.head.state, job.head.attempt), (JobState::Pending, 1));
        assert!(
            job.head.token.epoch <= 5,
            "it is looked at now and then only"
        );
    }
    assert_eq!(left, 20);
}

#[test]
fn b58_a_backoff_never_overflows_and_is_never_nothing() {
    let day = Millis::secs(86_400);
    for least in [Millis(0), Millis(1), Millis(1_000), day, Millis(u64::MAX)] {
        for most in [Millis(0), day, Millis(u64::MAX)] {
            let backoff = Backoff::exponential(least, most);
            for attempt in [1, 2, 63, 64, 65, 400, u32::MAX] {
                let delay = backoff.delay(attempt, u64::MAX - 7);
                assert!(delay >= Millis(1), "{least} {most} {attempt}");
                assert!(
                    delay <= most.max(least).max(Millis(1)),
                    "{least} {most} {attempt}"
                );
            }
        }
    }
    let capped = Backoff::exponential(Millis::secs(1), day).delay(400, 0);
    assert!(capped >= Millis(day.0 / 2));
}

each_store!(b21_a_job_put_back_fifty_times_keeps_its_first_attempt);
async fn b21_a_job_put_back_fifty_times_keeps_its_first_attempt(world: World) {
    for _ in 0..5 {
        world.store(&world.job("put-back")).await.unwrap();
    }
    for round in 1..=50 {
        let held = world.claim(5).await;
        assert_eq!(held.len(), 5, "round {round}");
        for held in &held[1..] {
            let back = raw::settle(held, 1, Settle::HandBack);
            world.commit(back).await;
        }
        let back = raw::settle(&held[0], 1, Settle::Defer { delay: Millis(0) });
        world.commit(back).await;
    }
    let held = world.claim(5).await;
    for held in &held {
        assert_eq!(held.job.head.attempt, 1);
        assert_eq!(held.job.spec.input, Payload::json(*b"1"));
    }
    assert_eq!(held.len(), 5);
}

#[job(
    name = "case-panics",
    idempotency = "case-panics:{input}",
    attempts = 2,
    backoff = "1m",
    visibility_timeout = "9s"
)]
async fn panics(input: String, log: State<Log>, gate: State<Gate>) -> Result<String> {
    let _here = log.at_drop("left");
    log.add("entered");
    if input == "body" && log.count("entered") == 1 {
        panic!("a panic in the body");
    }
    step!("work", {
        if input == "step" && log.count("entered") == 1 {
            panic!("a panic in the step");
        }
        if input == "gate" && log.count("entered") == 1 {
            log.add("gate");
            gate.pass().await;
        }
        Ok(())
    })
    .await?;
    Ok(input)
}

each_store!(q30_a_panic_is_a_failed_attempt_and_holds_neither_slot_nor_lease);
async fn q30_a_panic_is_a_failed_attempt_and_holds_neither_slot_nor_lease(world: World) {
    for place in ["body", "step"] {
        let world = world.twin().await;
        let jobs = world.jobs().hooked(Faults::of(&world));
        let handle = panics(place.into()).enqueue(&jobs).await.unwrap();
        let working = world.start(world.worker(&jobs, "a").concurrency(1));
        within(world.log.saw("a ended pending", 1)).await;
        let row = world.row(handle.id()).await;
        let error = row.notes.error.unwrap();
        assert_eq!(error.code.as_deref(), Some("X_JOB_PANIC"));
        assert!(
            error.message.contains(&format!("a panic in the {place}")),
            "{error}"
        );
        assert!(
            error
                .backtrace
                .is_some_and(|text| text.contains("retry.rs"))
        );
        assert_eq!(world.log.count("left"), 1);
        // Its only slot is free.
        let other = quick(1).enqueue(&jobs).await.unwrap();
        within(jobs.wait(&other)).await.unwrap();
        world.pass(2 * SECOND, "a ended done", 2).await;
        assert_eq!(world.row(handle.id()).await.head.attempt, 2);
        working.stopped().await;
        // A heartbeat for a body that is gone would have come each three seconds of the minute.
        let beats = world.log.count("store Heartbeat");
        assert!(beats <= 4, "{beats}");
    }
}

each_store!(q30_a_run_that_is_dropped_stops_its_heartbeat_at_once);
async fn q30_a_run_that_is_dropped_stops_its_heartbeat_at_once(world: World) {
    let jobs = world.jobs().hooked(Faults::of(&world));
    panics("gate".into()).enqueue(&jobs).await.unwrap();
    let working = world.start(world.worker(&jobs, "a"));
    within(world.log.saw("gate", 1)).await;
    working.killed().await;
    within(world.log.saw("left", 1)).await;
    let before = world.log.count("store Heartbeat");
    world.clock.advance(8 * SECOND);
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.log.count("store Heartbeat"), before);
    world.clock.advance(2 * SECOND);
    assert_eq!(world.claim(1).await[0].job.head.attempt, 2);
}

#[job(
    name = "case-two-parts",
    idempotency = "case-two-parts:{input}",
    timeout = "10s",
    attempts = 2,
    backoff = "1s"
)]
async fn two_parts(input: u64, log: State<Log>, gate: State<Gate>) -> Result<u64> {
    step!("one", {
        let _left = log.at_drop("one left");
        log.add("one");
        gate.pass().await;
        Ok(())
    })
    .await?;
    step!("two", {
        log.add("two");
        Ok(())
    })
    .await?;
    Ok(input)
}

each_store!(d19_an_attempt_that_timed_out_is_dropped_before_the_next_begins);
async fn d19_an_attempt_that_timed_out_is_dropped_before_the_next_begins(world: World) {
    let jobs = world.jobs();
    let handle = two_parts(1).enqueue(&jobs).await.unwrap();
    let working = world.start(world.worker(&jobs, "a"));
    within(world.log.saw("one", 1)).await;
    world.pass(SECOND, "one left", 1).await;
    world.pass(SECOND, "one", 2).await;
    world.gate.open(5);
    assert_eq!(within(jobs.wait(&handle)).await.unwrap(), 1);
    working.stopped().await;
    assert_eq!(world.log.count("two"), 1);
    let lines = world.log.lines();
    let at = |line: &str| lines.iter().position(|other| other == line).unwrap();
    let second = lines.iter().rposition(|other| other == "one").unwrap();
    assert!(at("one left") < second && second < at("two"), "{lines:?}");
}
