//! Keys, scopes, tenants, and what an enqueue makes of a key that is taken.

use crate::raw;
use crate::support::{DAY, Gate, HOUR, Log, MINUTE, SECOND, World, each_store, within};
use jobs_runtime::core::{Millis, State as JobState};
use jobs_runtime::prelude::*;
use std::time::Duration;

#[job(
    name = "case-unique",
    idempotency = "case-unique:{input}",
    attempts = 3,
    backoff = "10s"
)]
async fn unique(input: u64, log: State<Log>, job: JobContext) -> Result<u64> {
    log.add(format!("unique {input}"));
    if input == 13 && job.attempt() == 1 {
        return Err(Failure::msg("once"));
    }
    Ok(input)
}

each_store!(b47_a_unique_job_that_waits_or_is_tried_again_is_not_its_own_duplicate);
async fn b47_a_unique_job_that_waits_or_is_tried_again_is_not_its_own_duplicate(world: World) {
    let bench = world.bench();
    let delayed = unique(7).delay(SECOND).enqueue(bench.jobs()).await.unwrap();
    let failing = unique(13).enqueue(bench.jobs()).await.unwrap();
    bench.advance(MINUTE).await.unwrap();
    assert_eq!(bench.outcome(&delayed).await.unwrap(), 7);
    assert_eq!(bench.outcome(&failing).await.unwrap(), 13);
    assert_eq!(
        (world.log.count("unique 7"), world.log.count("unique 13")),
        (1, 2)
    );
}

each_store!(b48_removing_an_old_job_frees_no_key_that_a_newer_one_holds);
async fn b48_removing_an_old_job_frees_no_key_that_a_newer_one_holds(world: World) {
    let bench = world.bench();
    let jobs = bench.jobs();
    let first = unique(1).enqueue(jobs).await.unwrap();
    bench.drain().await.unwrap();
    let second = unique(1).delay(DAY).enqueue(jobs).await.unwrap();
    assert!(!second.deduped());
    world.clock.advance(HOUR);
    let bounds = jobs_runtime::contract::PruneBounds {
        ended_before: world.now(),
        rules: Vec::new(),
        spared: Millis(0),
        events_expired_before: world.now(),
        dead_before: None,
        limit: 100,
    };
    assert_eq!(jobs.admin().prune(&bounds).await.unwrap().jobs, 1);
    assert!(jobs.admin().show(first.id()).await.unwrap().is_none());
    let third = unique(1).enqueue(jobs).await.unwrap();
    assert!(third.deduped());
    assert_eq!(third.id(), second.id());
}

#[job(
    name = "case-daily",
    idempotency = "case-daily:{input}",
    unique_for = "1d"
)]
async fn daily(input: String, log: State<Log>) -> Result<()> {
    log.add(format!("daily {input}"));
    Ok(())
}

each_store!(b52_a_job_for_tomorrow_is_one_on_either_side_of_midnight);
async fn b52_a_job_for_tomorrow_is_one_on_either_side_of_midnight(world: World) {
    let bench = world.bench();
    world.clock.advance(DAY - SECOND);
    // A second before midnight it is meant for the day that begins.
    let due = 12 * HOUR;
    let day = "2026-01-02".to_owned();
    let first = daily(day.clone())
        .delay(due)
        .enqueue(bench.jobs())
        .await
        .unwrap();
    world.clock.advance(2 * SECOND);
    let second = daily(day.clone())
        .delay(due)
        .enqueue(bench.jobs())
        .await
        .unwrap();
    assert!(second.deduped());
    assert_eq!(second.id(), first.id());
    bench.advance(13 * HOUR).await.unwrap();
    let third = daily(day).enqueue(bench.jobs()).await.unwrap();
    assert!(third.deduped(), "the day is not over");
    bench.advance(HOUR).await.unwrap();
    assert_eq!(world.log.count("daily 2026-01-02"), 1);
}

#[job(name = "case-first-name", idempotency = "{input}")]
async fn first_name(input: String, log: State<Log>) -> Result<()> {
    log.add(format!("first {input}"));
    Ok(())
}

#[job(name = "case-second-name", idempotency = "{input}", queue = "second")]
async fn second_name(input: String, log: State<Log>) -> Result<()> {
    log.add(format!("second {input}"));
    Ok(())
}

each_store!(q21_one_key_under_two_names_is_two_jobs);
async fn q21_one_key_under_two_names_is_two_jobs(world: World) {
    let bench = world.bench();
    let one = first_name("k".into()).enqueue(bench.jobs()).await.unwrap();
    let two = second_name("k".into()).enqueue(bench.jobs()).await.unwrap();
    assert!(!one.deduped() && !two.deduped());
    bench.drain().await.unwrap();
    assert_eq!(
        (world.log.count("first k"), world.log.count("second k")),
        (1, 1)
    );
}

#[job(
    name = "case-newest",
    idempotency = "case-newest:{input.0}",
    on_conflict = replace
)]
async fn newest(input: (u64, u64), log: State<Log>, gate: State<Gate>) -> Result<()> {
    step!("gate", {
        log.add(format!("began {}", input.1));
        gate.pass().await;
        Ok(())
    })
    .await?;
    log.add(format!("ended {}", input.1));
    Ok(())
}

each_store!(q42_replacing_a_job_that_runs_makes_one_follower_with_the_newest_input);
async fn q42_replacing_a_job_that_runs_makes_one_follower_with_the_newest_input(world: World) {
    let jobs = world.jobs();
    newest((7, 1)).enqueue(&jobs).await.unwrap();
    let working = world.start(world.worker(&jobs, "a"));
    within(world.log.saw("began 1", 1)).await;
    for revision in 2..=5 {
        newest((7, revision)).enqueue(&jobs).await.unwrap();
    }
    world.gate.open(9);
    within(world.log.saw("ended 5", 1)).await;
    working.stopped().await;
    assert_eq!(world.log.count("a ended done"), 2);
    for revision in 2..=4 {
        assert_eq!(world.log.count(&format!("began {revision}")), 0);
    }
}

each_store!(d29_keys_and_tenants_are_bytes_without_a_meaning);
async fn d29_keys_and_tenants_are_bytes_without_a_meaning(world: World) {
    let texts = [
        "*",
        ":",
        "a:b",
        "/",
        "{}",
        "%",
        "\0",
        "a\0b",
        "'; --",
        "é\u{202e}",
        ">",
        ".",
    ];
    for tenant in texts {
        for key in texts {
            let mut job = world.job("opaque");
            job.spec.tenant = Some(tenant.into());
            job.spec.key = Some(format!("{tenant}|{key}"));
            assert!(
                !world.store(&job).await.unwrap().deduped,
                "{tenant:?} {key:?}"
            );
        }
    }
    let all = texts.len() * texts.len();
    assert_eq!(
        world.claim(1_000).await.len(),
        all,
        "no tenant stands for another"
    );
    for tenant in texts {
        let filter = jobs_runtime::contract::JobFilter {
            tenant: Some(tenant.into()),
            ..Default::default()
        };
        let page = world.driver().inspect().list(&filter, None, 1_000).await;
        assert_eq!(page.unwrap().jobs.len(), texts.len(), "{tenant:?}");
    }
    let mut long = world.job("opaque");
    long.spec.key = Some("k".repeat(10_000));
    assert!(!world.store(&long).await.unwrap().deduped);
    for tenant in [String::new(), "t".repeat(10_000)] {
        let mut refused = world.job("opaque");
        refused.spec.tenant = Some(tenant);
        assert!(world.store(&refused).await.is_err());
    }
}

each_store!(b83_names_with_separators_do_not_run_into_each_other);
async fn b83_names_with_separators_do_not_run_into_each_other(world: World) {
    let store = async |tenant: &str, queue: &str, name: &str| {
        let mut job = world.job(name);
        job.spec.tenant = Some(tenant.into());
        job.spec.queue = queue.into();
        job.spec.key = Some("k".into());
        assert!(!world.store(&job).await.unwrap().deduped);
        job.spec.id
    };
    let left = store("a:b", "c", "x").await;
    let right = store("a", "b:c", "y").await;
    let long = "n".repeat(300);
    let odd = [
        ".",
        "*",
        ">",
        "a b",
        "a\r\nb",
        "jobs.>",
        "queue/*",
        long.as_str(),
    ];
    for name in odd {
        store("t", name, name).await;
    }
    let claim = |queue: &str| jobs_runtime::contract::Claim {
        queues: vec![queue.into()],
        limit: 100,
        visibility_timeout: jobs_runtime::core::Millis::secs(30),
        worker: "w".into(),
        nonce: raw::bits() as u64,
        now: Some(world.now()),
    };
    for (queue, expected) in [("c", left), ("b:c", right)] {
        let found = world.driver().claim(&claim(queue)).await.unwrap().jobs;
        let ids: Vec<_> = found.iter().map(|held| held.job.spec.id).collect();
        assert_eq!(ids, [expected], "{queue}");
    }
    for name in odd {
        let found = world.driver().claim(&claim(name)).await.unwrap().jobs;
        assert_eq!(found.len(), 1, "{name:?}");
        assert_eq!(found[0].job.spec.queue, name);
    }
}

#[job(
    name = "case-again",
    idempotency = "case-again:{input}",
    attempts = 2,
    backoff = "1s"
)]
async fn again(input: u64, log: State<Log>) -> Result<u64> {
    step!("kept", {
        log.add("kept");
        Ok(())
    })
    .await?;
    if log.count("mended") == 0 {
        return Err(Failure::msg("it does not work yet"));
    }
    Ok(input)
}

each_store!(q10_a_requeue_of_a_dead_letter_starts_its_counts_anew_and_keeps_its_steps);
async fn q10_a_requeue_of_a_dead_letter_starts_its_counts_anew_and_keeps_its_steps(world: World) {
    let bench = world.bench();
    let handle = again(1).enqueue(bench.jobs()).await.unwrap();
    // One attempt ends with its worker, the other by its own failure.
    assert_eq!(world.claim_as("dead", 1).await.len(), 1);
    world.clock.advance(Duration::from_secs(31));
    bench.advance(MINUTE).await.unwrap();
    let dead = world.row(handle.id()).await;
    assert_eq!(
        (dead.head.state, dead.head.lease_losses),
        (JobState::Dead, 1)
    );
    bench.jobs().admin().requeue(handle.id()).await.unwrap();
    let head = world.row(handle.id()).await.head;
    assert_eq!((head.attempt, head.lease_losses), (1, 0));
    // It has both its attempts again.
    bench.drain().await.unwrap();
    assert_eq!(world.state(handle.id()).await, JobState::Pending);
    world.log.add("mended");
    bench.advance(MINUTE).await.unwrap();
    assert_eq!(bench.outcome(&handle).await.unwrap(), 1);
    assert_eq!(world.log.count("kept"), 1);
}
