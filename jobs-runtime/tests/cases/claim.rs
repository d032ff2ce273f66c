//! Taking work: each job once, in order, never early; and lists and counts that tell the same.

use crate::raw;
use crate::support::{SECOND, World, each_store};
use jobs_runtime::contract::{Claim, JobFilter};
use jobs_runtime::core::{Millis, NewJob, Priority, Visible};
use jobs_runtime::{JobId, Timestamp};
use std::collections::BTreeSet;
use std::time::Duration;

async fn enqueue(world: &World, jobs: &[NewJob]) {
    for batch in jobs.chunks(2_500) {
        let answers = world
            .driver()
            .enqueue(batch, Some(world.now()))
            .await
            .unwrap();
        assert!(answers.iter().all(Result::is_ok));
    }
}

each_store!(b17_sixteen_claimers_of_ten_thousand_jobs_share_none);
async fn b17_sixteen_claimers_of_ten_thousand_jobs_share_none(world: World) {
    const JOBS: usize = 10_000;
    let jobs: Vec<_> = (0..JOBS).map(|_| world.job("shared")).collect();
    enqueue(&world, &jobs).await;
    let mut tasks = Vec::new();
    // Half of them come through another handle, as another process would.
    let another = world.another().await;
    for claimer in 0..16 {
        let world = if claimer % 2 == 0 {
            world.clone()
        } else {
            another.clone()
        };
        tasks.push(tokio::spawn(async move {
            let mut leased = Vec::new();
            loop {
                let held = world.claim_as(&format!("w{claimer}"), 10 + claimer).await;
                if held.is_empty() {
                    return leased;
                }
                leased.extend(held.into_iter().map(|held| held.job));
            }
        }));
    }
    let mut ids = BTreeSet::new();
    for task in tasks {
        for job in task.await.unwrap() {
            assert!(ids.insert(job.spec.id), "{} has two leases", job.spec.id);
            assert_eq!(job.head.token.epoch, 1);
        }
    }
    assert_eq!(ids.len(), JOBS);
}

each_store!(b19_a_job_of_a_later_time_is_not_taken_before_it);
async fn b19_a_job_of_a_later_time_is_not_taken_before_it(world: World) {
    let after = Millis::from(3 * SECOND);
    let mut later = world.job("later");
    later.visible = Visible::After(after);
    let mut at = world.job("at");
    at.visible = Visible::At(world.now().after(after));
    enqueue(&world, &[later, at]).await;
    assert!(world.claim(10).await.is_empty());
    world.clock.advance(3 * SECOND - Duration::from_millis(1));
    assert!(world.claim(10).await.is_empty());
    world.clock.advance(Duration::from_millis(1));
    assert_eq!(world.claim(10).await.len(), 2);
}

each_store!(q12_a_claim_brings_no_more_than_it_asked_for_however_many_there_are);
async fn q12_a_claim_brings_no_more_than_it_asked_for_however_many_there_are(world: World) {
    let jobs: Vec<_> = (0..20_000_u32)
        .map(|n| {
            let mut job = world.job("many");
            job.spec.queue = format!("q{}", n % 7);
            job.spec.priority = Priority::new((n % 10) as u8);
            job
        })
        .collect();
    enqueue(&world, &jobs).await;
    assert!(world.claim(0).await.is_empty());
    for limit in [1, 2, 64, 999] {
        assert_eq!(world.claim(limit).await.len(), limit);
    }
    let running = world.driver().stats(Some(world.now())).await.unwrap();
    let running: u64 = running.iter().map(|queue| queue.running).sum();
    assert_eq!(running, 1 + 2 + 64 + 999);
}

/// What a page of 25 and the next and the next show, to the end.
async fn pages(world: &World, filter: &JobFilter, size: usize) -> Vec<JobId> {
    let mut ids = Vec::new();
    let mut after = None;
    loop {
        let page = world
            .driver()
            .inspect()
            .list(filter, after, size)
            .await
            .unwrap();
        ids.extend(page.jobs.iter().map(|job| job.spec.id));
        match page.next {
            Some(next) => after = Some(next),
            None => return ids,
        }
    }
}

each_store!(b89_a_thousand_jobs_of_one_instant_are_each_on_one_page);
async fn b89_a_thousand_jobs_of_one_instant_are_each_on_one_page(world: World) {
    let jobs: Vec<_> = (0..1_000).map(|_| world.job("same-time")).collect();
    enqueue(&world, &jobs).await;
    let ids = pages(&world, &JobFilter::default(), 25).await;
    let mut all: Vec<_> = jobs.iter().map(|job| job.spec.id).collect();
    all.sort_unstable();
    all.reverse();
    assert_eq!(ids, all);
}

each_store!(q34_turning_pages_of_a_filtered_list_shows_each_job_once_while_jobs_move);
async fn q34_turning_pages_of_a_filtered_list_shows_each_job_once_while_jobs_move(world: World) {
    let jobs: Vec<_> = (0..500).map(|_| world.job("same-time")).collect();
    enqueue(&world, &jobs).await;
    // Every third is running, every fifth of those has ended.
    for (n, held) in world.claim(500).await.into_iter().enumerate() {
        if n % 5 == 0 {
            world.commit(raw::settle(&held, 1, raw::ack())).await;
        }
    }
    let filter = JobFilter {
        name: Some("same-time".into()),
        ..JobFilter::default()
    };
    for size in [1, 7, 100, 499, 500, 501] {
        let ids = pages(&world, &filter, size).await;
        let unique: BTreeSet<_> = ids.iter().collect();
        assert_eq!((ids.len(), unique.len()), (500, 500), "pages of {size}");
    }
}

each_store!(b91_the_order_is_priority_then_time_then_id_at_every_extreme);
async fn b91_the_order_is_priority_then_time_then_id_at_every_extreme(world: World) {
    let mut jobs: Vec<_> = (0..5_000).map(|_| world.job("one-time")).collect();
    for (n, job) in jobs.iter_mut().enumerate() {
        // What is beyond the last priority counts as the last.
        let level = [0, 9, 5, 255, 10][n % 5];
        job.spec.priority = Priority::new(level);
        job.spec.key = Some(match n {
            0 => "007".into(),
            1 => "x".into(),
            2 => "k".repeat(1024),
            _ => format!("{n}"),
        });
    }
    jobs[17].visible = Visible::At(Timestamp(0));
    jobs[18].visible = Visible::At(Timestamp(i64::MIN));
    enqueue(&world, &jobs).await;
    let start = world.now();
    let due = |job: &NewJob| match job.visible {
        Visible::At(at) => at,
        _ => start,
    };
    jobs.sort_by_key(|job| (job.spec.priority, due(job), job.spec.id));
    let mut taken = Vec::new();
    while let held = world.claim(700).await
        && !held.is_empty()
    {
        taken.extend(held.into_iter().map(|held| held.job.spec.id));
    }
    let expected: Vec<_> = jobs.iter().map(|job| job.spec.id).collect();
    assert_eq!(taken, expected);
}

each_store!(q35_counts_stop_at_a_bound_and_say_so_and_are_exact_below_it);
async fn q35_counts_stop_at_a_bound_and_say_so_and_are_exact_below_it(world: World) {
    const BOUND: u64 = 10_000;
    let many = |queue: &str, jobs: u64| -> Vec<_> {
        let job = || {
            let mut job = world.job("counted");
            job.spec.queue = queue.into();
            job
        };
        (0..jobs).map(|_| job()).collect()
    };
    enqueue(&world, &many("large", BOUND + 500)).await;
    enqueue(&world, &many("small", 300)).await;
    let claim = Claim {
        queues: vec!["small".into()],
        limit: 100,
        visibility_timeout: Millis::secs(30),
        worker: "w".into(),
        nonce: raw::bits() as u64,
        now: Some(world.now()),
    };
    assert_eq!(world.driver().claim(&claim).await.unwrap().jobs.len(), 100);
    // Another process counts, and one that comes after a crash counts the same.
    let another = world.another().await;
    for world in [&world, &another] {
        let stats = world.driver().stats(Some(world.now())).await.unwrap();
        let of = |name: &str| stats.iter().find(|queue| queue.queue == name).unwrap();
        assert!(of("large").at_least && of("large").ready >= BOUND);
        let small = of("small");
        assert_eq!(
            (small.at_least, small.ready, small.running),
            (false, 200, 100)
        );
    }
}
