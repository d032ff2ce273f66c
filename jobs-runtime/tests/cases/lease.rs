//! Who holds a job: late writers, zombies, shutdowns, and workers of one name.

use crate::faults::{Fault, Faults};
use crate::raw;
use crate::shared::Slow;
use crate::support::{DAY, LEASE, SECOND, World, each_store, within};
use jobs_runtime::Verb;
use jobs_runtime::contract::{Beat, BeatAnswer};
use jobs_runtime::core::{CommitAnswer, Millis, Settle, State as JobState, StoredError};
use std::sync::Arc;
use std::time::Duration;

use crate::jobs::{gated, quick};

each_store!(b03_a_worker_that_lost_its_job_can_write_nothing_more_of_it);
async fn b03_a_worker_that_lost_its_job_can_write_nothing_more_of_it(world: World) {
    let job = world.job("orphan");
    world.store(&job).await.unwrap();
    let old = world.claim_as("old", 1).await.remove(0);
    world.clock.advance(LEASE + SECOND);
    let new = world.claim_as("new", 1).await.remove(0);
    let before = world.view(job.spec.id).await;
    let retry = Settle::Retry {
        delay: Millis(1),
        error: StoredError::new("X_LATE", "too late"),
    };
    for commit in [
        raw::step(&old, 1, "late"),
        raw::settle(&old, 1, raw::ack()),
        raw::settle(&old, 1, retry),
    ] {
        assert_eq!(world.commit(commit).await, CommitAnswer::LeaseLost);
    }
    assert_eq!(beat(&world, &old).await, BeatAnswer::Lost);
    let after = world.view(job.spec.id).await;
    assert_eq!((after.job, after.journal), (before.job, before.journal));
    let ack = raw::settle(&new, 1, raw::ack());
    assert!(matches!(world.commit(ack).await, CommitAnswer::Applied(_)));
}

async fn beat(world: &World, held: &jobs_runtime::contract::Claimed) -> BeatAnswer {
    let beat = Beat {
        job: held.job.spec.id,
        token: held.job.head.token,
        visibility_timeout: Millis::from(LEASE),
        seen_nudge: held.nudge.count,
    };
    let answers = world.driver().heartbeat(&[beat], Some(world.now())).await;
    answers.unwrap().remove(0)
}

each_store!(b05_a_cancelled_job_stays_cancelled_though_its_last_step_ends_well);
async fn b05_a_cancelled_job_stays_cancelled_though_its_last_step_ends_well(world: World) {
    let jobs = world.jobs().hooked(Faults::of(&world));
    let handle = gated(1).enqueue(&jobs).await.unwrap();
    let working = world.start(world.worker(&jobs, "a"));
    within(world.log.saw("gate", 1)).await;
    jobs.admin().cancel(handle.id()).await.unwrap();
    // Its last step ends in the moment of the cancel, and the body returns `Ok`.
    world.gate.open(1);
    within(world.log.saw("a lost", 1)).await;
    working.stopped().await;
    assert_eq!(world.state(handle.id()).await, JobState::Cancelled);
    assert_eq!(world.log.count("a lost"), 1);
    assert_eq!(world.log.count("a ended done"), 0);
}

each_store!(b06_five_thousand_jobs_of_one_millisecond_run_once_each);
async fn b06_five_thousand_jobs_of_one_millisecond_run_once_each(world: World) {
    // On a disk that others use too, a thousand are as many as a test can wait for.
    let count = if world.is_sqlite() { 1_000 } else { 5_000 };
    let jobs = world.jobs();
    // The clock stands: workers start, and jobs are stored and run, all in one millisecond.
    let first = world.start(world.worker(&jobs, "a").concurrency(500));
    for wave in 0..10 {
        let requests = (0..count / 10).map(|n| quick(wave * count / 10 + n));
        for handle in jobs.enqueue_all(requests).await.unwrap() {
            assert!(!handle.unwrap().deduped());
        }
        let other = world.start(world.worker(&jobs, "b").concurrency(50));
        within(world.log.saw("quick", 1)).await;
        other.stopped().await;
    }
    within(world.log.saw("quick", count as usize)).await;
    first.stopped().await;
    assert_eq!(world.log.count("quick"), count as usize);
    let stats = jobs.admin().stats().await.unwrap();
    assert!(
        stats
            .iter()
            .all(|queue| queue.running == 0 && queue.ready == 0)
    );
}

each_store!(b07_a_draining_worker_claims_nothing_and_what_it_leaves_runs_elsewhere);
async fn b07_a_draining_worker_claims_nothing_and_what_it_leaves_runs_elsewhere(world: World) {
    let jobs = world.jobs();
    let handle = gated(1).enqueue(&jobs).await.unwrap();
    let old = world.start(world.worker(&jobs, "one-name"));
    within(world.log.saw("gate", 1)).await;
    old.stop();
    within(world.log.saw("stopping", 1)).await;
    // The new process has the same name, and is there before the old one is gone.
    let (log, name) = (world.log.clone(), "one-name");
    let observed = world
        .equip(jobs.worker())
        .name(name)
        .observe(move |run, event| {
            if let jobs_runtime::RunEvent::Claimed { .. } = event {
                log.add(format!("new claimed {}", run.attempt));
            }
        });
    let new = world.start(observed);
    let second = quick(1).enqueue(&jobs).await.unwrap();
    within(jobs.wait(&second)).await.unwrap();
    assert_eq!(world.log.count("new claimed 1"), 1, "not the draining one");
    old.killed().await;
    world.pass(LEASE / 6, "new claimed 2", 1).await;
    world.gate.open(1);
    assert_eq!(within(jobs.wait(&handle)).await.unwrap(), 1);
    new.stopped().await;
}

each_store!(b11_the_one_lapsed_lease_behind_a_thousand_good_ones_is_found);
async fn b11_the_one_lapsed_lease_behind_a_thousand_good_ones_is_found(world: World) {
    let held: Vec<_> = (0..1_000)
        .map(|_| {
            let mut job = world.job("held");
            job.spec.visibility_timeout = Some(Millis::from(DAY));
            job
        })
        .collect();
    world
        .driver()
        .enqueue(&held, Some(world.now()))
        .await
        .unwrap();
    assert_eq!(world.claim(1_000).await.len(), 1_000);
    let lost = world.job("lost");
    world.store(&lost).await.unwrap();
    assert_eq!(world.claim(1).await.len(), 1);
    world.clock.advance(LEASE + SECOND);
    let found = world.claim(1).await;
    assert_eq!(found[0].job.spec.id, lost.spec.id);
    assert_eq!(found[0].job.head.attempt, 2);
}

each_store!(b14_heartbeats_go_on_until_the_last_job_of_a_shutdown_has_ended);
async fn b14_heartbeats_go_on_until_the_last_job_of_a_shutdown_has_ended(world: World) {
    let jobs = world.jobs().hooked(Faults::of(&world));
    let handle = gated(1).enqueue(&jobs).await.unwrap();
    let working = world.start(world.worker(&jobs, "a").grace(5 * LEASE));
    within(world.log.saw("gate", 1)).await;
    working.stop();
    let other = world.start(world.worker(&jobs, "b"));
    // Three leases of the job, a third of one at a time.
    world.beat(LEASE / 3, 9).await;
    world.gate.open(1);
    within(working.task).await.unwrap().unwrap();
    other.stopped().await;
    let head = world.row(handle.id()).await.head;
    assert_eq!((head.state, head.token.epoch), (JobState::Done, 1));
    assert_eq!(world.log.count("b claimed"), 0);
}

each_store!(b15_a_pool_that_stops_leaves_the_running_jobs_of_its_neighbour_alone);
async fn b15_a_pool_that_stops_leaves_the_running_jobs_of_its_neighbour_alone(world: World) {
    let jobs = world.jobs();
    let neighbours = gated(1).enqueue(&jobs).await.unwrap();
    let second = world.start(world.worker(&jobs, "second").concurrency(1));
    within(world.log.saw("second claimed", 1)).await;
    let own = gated(2).enqueue(&jobs).await.unwrap();
    let first = world.start(world.worker(&jobs, "first").grace(Duration::ZERO));
    within(world.log.saw("first claimed", 1)).await;
    within(world.log.saw("gate", 2)).await;
    first.stopped().await;
    assert_eq!(world.state(own.id()).await, JobState::Pending);
    let head = world.row(neighbours.id()).await.head;
    assert_eq!((head.state, head.token.epoch), (JobState::Running, 1));
    world.gate.open(1);
    within(jobs.wait(&neighbours)).await.unwrap();
    within(world.log.saw("gate", 3)).await;
    world.gate.open(1);
    within(jobs.wait(&own)).await.unwrap();
    second.stopped().await;
    assert_eq!(world.row(own.id()).await.head.attempt, 1);
}

each_store!(b72_a_job_delayed_beyond_its_lease_runs_once);
async fn b72_a_job_delayed_beyond_its_lease_runs_once(world: World) {
    let jobs = world.jobs().hooked(Faults::of(&world));
    let delayed = quick(1).delay(10 * SECOND);
    let handle = delayed.enqueue(&jobs).await.unwrap();
    let lease = |name| world.worker(&jobs, name).visibility_timeout(2 * SECOND);
    let four = ["a", "b", "c", "d"].map(|name| world.start(lease(name)));
    for _ in 0..9 {
        world.clock.advance(SECOND);
        tokio::task::yield_now().await;
    }
    let waiting = world.row(handle.id()).await.head;
    assert_eq!((waiting.state, waiting.token.epoch), (JobState::Pending, 0));
    world.pass(SECOND, "quick", 1).await;
    within(jobs.wait(&handle)).await.unwrap();
    for working in four {
        working.stopped().await;
    }
    assert_eq!(world.log.count("quick"), 1);
    assert_eq!(world.row(handle.id()).await.head.token.epoch, 1);
}

each_store!(q02_a_job_of_five_leases_is_one_attempt);
async fn q02_a_job_of_five_leases_is_one_attempt(world: World) {
    let jobs = world.jobs().hooked(Faults::of(&world));
    let handle = gated(1).enqueue(&jobs).await.unwrap();
    let working = world.start(world.worker(&jobs, "a"));
    within(world.log.saw("gate", 1)).await;
    let rival = world.start(world.worker(&jobs, "b"));
    world.beat(LEASE / 3, 15).await;
    world.gate.open(1);
    assert_eq!(within(jobs.wait(&handle)).await.unwrap(), 1);
    working.stopped().await;
    rival.stopped().await;
    let head = world.row(handle.id()).await.head;
    assert_eq!((head.attempt, head.token.epoch), (1, 1));
    assert_eq!(world.log.count("gate"), 1);
}

each_store!(q03_a_zombie_hears_that_it_lost_and_its_successor_is_undisturbed);
async fn q03_a_zombie_hears_that_it_lost_and_its_successor_is_undisturbed(world: World) {
    let cut = Faults::of(&world);
    let cut_off = world.jobs().hooked(cut.clone());
    let jobs = world.jobs();
    let handle = gated(1).enqueue(&jobs).await.unwrap();
    let zombie = world.start(world.worker(&cut_off, "zombie"));
    within(world.log.saw("gate", 1)).await;
    cut.cut(&[Verb::Heartbeat, Verb::Claim, Verb::Commit]);
    world.clock.advance(LEASE + SECOND);
    world.pass(SECOND, "gate left", 1).await;
    within(world.log.saw("zombie lost", 1)).await;
    let next = world.start(world.worker(&jobs, "next"));
    within(world.log.saw("gate", 2)).await;
    cut.mend();
    world.gate.open(1);
    assert_eq!(within(jobs.wait(&handle)).await.unwrap(), 1);
    let head = world.row(handle.id()).await.head;
    assert_eq!((head.attempt, head.token.epoch), (2, 2));
    next.stopped().await;
    zombie.killed().await;
}

each_store!(q05_expiry_depends_on_the_lease_of_the_job_alone);
async fn q05_expiry_depends_on_the_lease_of_the_job_alone(world: World) {
    let job = world.job("left");
    world.store(&job).await.unwrap();
    // A worker that never existed for anybody but this one row.
    assert_eq!(world.claim_as("ghost", 1).await.len(), 1);
    world.clock.advance(LEASE - Duration::from_millis(1));
    assert!(world.claim(10).await.is_empty());
    world.clock.advance(Duration::from_millis(1));
    let again = world.claim_as("next", 10).await;
    assert_eq!(again.len(), 1);
    let workers = world.driver().inspect().workers().await.unwrap();
    let names: Vec<_> = workers.iter().map(|seen| seen.worker.as_str()).collect();
    assert_eq!(names, ["next"]);
}

each_store!(q32_a_stop_without_grace_gives_every_job_back_with_its_attempt);
async fn q32_a_stop_without_grace_gives_every_job_back_with_its_attempt(world: World) {
    let jobs = world.jobs();
    let mut handles = Vec::new();
    for n in 0..6 {
        handles.push(gated(n).enqueue(&jobs).await.unwrap());
    }
    let worker = world.worker(&jobs, "a").concurrency(4);
    let working = world.start(worker.grace(Duration::ZERO));
    within(world.log.saw("gate", 4)).await;
    working.stopped().await;
    for handle in &handles {
        let head = world.row(handle.id()).await.head;
        assert_eq!((head.state, head.attempt), (JobState::Pending, 1));
        assert!(head.visible_at.is_some_and(|at| at <= world.now()));
    }
    assert_eq!(world.log.count("a claimed"), 4, "nothing beyond its slots");
    assert_eq!(world.log.count("gate left"), 4);
    let next = world.start(world.worker(&jobs, "b"));
    world.gate.open(6);
    for handle in &handles {
        within(jobs.wait(handle)).await.unwrap();
    }
    next.stopped().await;
    assert_eq!(world.log.count("gate"), 4 + 6);
    assert_eq!(world.log.count("a ended pending"), 4);
}

each_store!(q32_a_claim_on_its_way_at_a_stop_costs_its_jobs_no_attempt);
async fn q32_a_claim_on_its_way_at_a_stop_costs_its_jobs_no_attempt(world: World) {
    let answer = crate::support::Gate::default();
    let (log, gate) = (world.log.clone(), answer.clone());
    let slow = world.behind(|driver| Arc::new(Slow(driver, log, gate)));
    let jobs = slow.jobs();
    let handle = gated(1).enqueue(&jobs).await.unwrap();
    let working = slow.start(slow.worker(&jobs, "a").grace(Duration::ZERO));
    within(world.log.saw("claim stored", 1)).await;
    assert_eq!(world.state(handle.id()).await, JobState::Running);
    working.stop();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    answer.open(1);
    within(working.task).await.unwrap().unwrap();
    let head = world.row(handle.id()).await.head;
    assert_eq!((head.state, head.attempt), (JobState::Pending, 1));
    assert!(head.visible_at.is_some_and(|at| at <= world.now()));
}

each_store!(q45_clocks_of_workers_ten_minutes_apart_expire_nothing_and_start_nothing_early);
async fn q45_clocks_of_workers_ten_minutes_apart_expire_nothing_and_start_nothing_early(
    world: World,
) {
    const TEN_MINUTES_MS: i64 = 600_000;
    let skewed = |ahead_ms| {
        let clock = raw::Skewed {
            follows: world.clock.clone(),
            ahead_ms,
        };
        let entropy = jobs_runtime::clock::SeededEntropy::new(ahead_ms.unsigned_abs());
        world.jobs_in(jobs_runtime::clock::Env::new(clock, entropy))
    };
    let ahead = skewed(TEN_MINUTES_MS);
    // Only its heartbeats are told of: it is the one whose lease is to be kept.
    let behind = skewed(-TEN_MINUTES_MS).hooked(Faults::of(&world));
    let held = gated(1).enqueue(&behind).await.unwrap();
    let slow = world.start(world.worker(&behind, "behind").concurrency(1));
    within(world.log.saw("gate", 1)).await;
    let early = quick(1).delay(20 * SECOND).enqueue(&ahead).await.unwrap();
    let fast = world.start(world.worker(&ahead, "ahead"));
    world.beat(LEASE / 3, 1).await;
    assert_eq!(
        world.log.count("quick"),
        0,
        "not before its time by the store"
    );
    world.beat(LEASE / 3, 1).await;
    // In small steps: its own lease shall not be over before it has had a chance to run.
    world.pass(SECOND / 10, "ahead ended done", 1).await;
    world.beat(LEASE / 3, 4).await;
    world.gate.open(1);
    within(world.log.saw("behind ended done", 1)).await;
    let head = world.row(held.id()).await.head;
    assert_eq!((head.attempt, head.token.epoch), (1, 1));
    assert_eq!(world.row(early.id()).await.head.attempt, 1);
    slow.stopped().await;
    fast.stopped().await;
}

each_store!(q46_with_every_default_a_killed_workers_job_runs_again_after_its_lease);
async fn q46_with_every_default_a_killed_workers_job_runs_again_after_its_lease(world: World) {
    let jobs = world.jobs();
    let handle = gated(1).enqueue(&jobs).await.unwrap();
    let first = world.start(world.equip(jobs.worker()));
    within(world.log.saw("gate", 1)).await;
    first.killed().await;
    let next = world.start(world.equip(jobs.worker()));
    let lease = jobs_runtime::DEFAULT_VISIBILITY_TIMEOUT;
    world.clock.advance(lease);
    world.pass(SECOND, "gate", 2).await;
    world.gate.open(1);
    assert_eq!(within(jobs.wait(&handle)).await.unwrap(), 1);
    next.stopped().await;
}

each_store!(d11_two_that_look_for_lost_jobs_at_once_run_each_once);
async fn d11_two_that_look_for_lost_jobs_at_once_run_each_once(world: World) {
    let jobs: Vec<_> = (0..40).map(|_| world.job("lost")).collect();
    world
        .driver()
        .enqueue(&jobs, Some(world.now()))
        .await
        .unwrap();
    assert_eq!(world.claim(40).await.len(), 40);
    world.clock.advance(LEASE + SECOND);
    let other = world.another().await;
    let (mine, yours) = tokio::join!(world.claim_as("a", 40), other.claim_as("b", 40));
    let all = mine.iter().chain(&yours);
    let mut ids: Vec<_> = all.map(|held| held.job.spec.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((mine.len() + yours.len(), ids.len()), (40, 40));
}

each_store!(d12_jobs_of_a_worker_that_lost_its_store_while_it_took_them_over_run_later);
async fn d12_jobs_of_a_worker_that_lost_its_store_while_it_took_them_over_run_later(world: World) {
    let faults = Faults::of(&world).once(Verb::Claim, Fault::After);
    let jobs = world.jobs().hooked(faults);
    let handle = quick(1).enqueue(&jobs).await.unwrap();
    assert_eq!(world.claim_as("dead", 1).await.len(), 1);
    world.clock.advance(LEASE + SECOND);
    // The take-over is stored, and the store goes away before it has answered.
    let working = world.start(world.worker(&jobs, "a"));
    world.pass(LEASE / 4, "quick", 1).await;
    within(jobs.wait(&handle)).await.unwrap();
    working.stopped().await;
    assert_eq!(world.log.count("quick"), 1);
}

each_store!(d18_a_step_that_ends_after_its_lease_leaves_no_record);
async fn d18_a_step_that_ends_after_its_lease_leaves_no_record(world: World) {
    let job = world.job("late");
    world.store(&job).await.unwrap();
    let held = world.claim(1).await.remove(0);
    world.clock.advance(LEASE);
    let late = raw::step(&held, 1, "charge");
    assert_eq!(world.commit(late).await, CommitAnswer::LeaseLost);
    assert!(world.view(job.spec.id).await.journal.is_empty());
}
