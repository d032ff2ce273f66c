//! The way to the store: outages, callers that give up, and threads that are blocked.

use crate::faults::{Fault, Faults};
use crate::logs;
use crate::support::{LEASE, Log, MINUTE, SECOND, World, each_store, within};
use jobs_runtime::clock::VirtualClock;
use jobs_runtime::contract::JobFilter;
use jobs_runtime::prelude::*;
use jobs_runtime::{StoreHook, Verb};
use std::time::Duration;

use crate::jobs::quick;

const ALL_VERBS: [Verb; 5] = [
    Verb::Claim,
    Verb::Commit,
    Verb::Enqueue,
    Verb::Heartbeat,
    Verb::Publish,
];

each_store!(b20_a_claim_that_was_stored_and_never_heard_of_is_claimed_again);
async fn b20_a_claim_that_was_stored_and_never_heard_of_is_claimed_again(world: World) {
    let faults = Faults::of(&world).once(Verb::Claim, Fault::After);
    let jobs = world.jobs().hooked(faults);
    let mut handles = Vec::new();
    for (n, tenant) in ["a", "b", "c"].into_iter().enumerate() {
        let request = quick(n as u64).tenant(tenant);
        handles.push(request.enqueue(&jobs).await.unwrap());
    }
    let working = world.start(world.worker(&jobs, "a"));
    world.pass(LEASE / 6, "a ended done", 3).await;
    working.stopped().await;
    for handle in &handles {
        assert_eq!(world.row(handle.id()).await.head.token.epoch, 2);
    }
    assert_eq!(world.log.count("quick"), 3);
}

each_store!(b68_callers_that_give_up_half_way_leave_nothing_that_others_wait_for);
async fn b68_callers_that_give_up_half_way_leave_nothing_that_others_wait_for(world: World) {
    let jobs = world.jobs();
    for n in 0..1_000 {
        // Polled once or not at all, and dropped where it stands.
        tokio::select! {
            biased;
            enqueued = quick(n).enqueue(&jobs) => drop(enqueued.unwrap()),
            () = std::future::ready(()) => {}
        }
    }
    for n in 10_000..10_100 {
        let enqueued = tokio::time::timeout(Duration::from_secs(30), quick(n).enqueue(&jobs));
        enqueued.await.unwrap().unwrap();
    }
    let mut stored = 0;
    let mut after = None;
    loop {
        let page = jobs
            .admin()
            .list(&JobFilter::default(), after, 500)
            .await
            .unwrap();
        stored += page.jobs.len();
        for job in &page.jobs {
            assert!(job.spec.key.is_some() && !job.spec.input.bytes.is_empty());
        }
        let Some(next) = page.next else { break };
        after = Some(next);
    }
    assert!((100..=1_100).contains(&stored));
    let working = world.start(world.worker(&jobs, "a"));
    within(world.log.saw("quick", stored)).await;
    working.stopped().await;
    assert_eq!(world.log.count("quick"), stored);
}

each_store!(b78_two_hundred_outages_leave_nothing_behind_in_memory);
async fn b78_two_hundred_outages_leave_nothing_behind_in_memory(world: World) {
    let cut = Faults::default();
    let jobs = world.jobs().hooked(cut.clone());
    let working = world.start(world.worker(&jobs, "a"));
    let mut resident = Vec::new();
    for blip in 0..200_u64 {
        cut.cut(&ALL_VERBS);
        assert!(quick(blip).enqueue(&jobs).await.is_err());
        world.clock.advance(2 * SECOND);
        tokio::task::yield_now().await;
        cut.mend();
        if blip % 10 == 0 {
            quick(blip).enqueue(&jobs).await.unwrap();
            // Its commit may meet the next outage, and is tried again when time has passed.
            world
                .pass(SECOND, "a ended done", blip as usize / 10 + 1)
                .await;
        }
        if blip == 20 || blip == 199 {
            resident.push(resident_pages());
        }
    }
    working.stopped().await;
    if let [Some(early), Some(late)] = resident[..] {
        // A tenth, and what an allocator keeps at hand.
        assert!(
            late < early + early / 10 + 512,
            "{early} pages became {late}"
        );
    }
}

/// Pages of this process in memory, where the system tells.
fn resident_pages() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    text.split(' ').nth(1)?.parse().ok()
}

each_store!(q26_after_a_minute_without_its_store_a_worker_goes_on_by_itself);
async fn q26_after_a_minute_without_its_store_a_worker_goes_on_by_itself(world: World) {
    let cut = Faults::of(&world);
    let jobs = world.jobs().hooked(cut.clone());
    let before = quick(1).enqueue(&jobs).await.unwrap();
    let working = world.start(world.worker(&jobs, "a"));
    within(jobs.wait(&before)).await.unwrap();
    cut.cut(&ALL_VERBS);
    let refused = quick(2).enqueue(&jobs).await.unwrap_err();
    assert_eq!(refused.code(), "X_DRIVER_UNAVAILABLE");
    let claims = world.log.count("store Claim");
    let since = world.now();
    while world.now().since(since).0 < MINUTE.as_millis() as u64 {
        let seen = world.log.count("store Claim");
        world.pass(SECOND, "store Claim", seen + 1).await;
    }
    let tries = world.log.count("store Claim") - claims;
    assert!((3..=40).contains(&tries), "{tries} tries in a minute");
    cut.mend();
    let after = quick(3).enqueue(&jobs).await.unwrap();
    world.pass(SECOND, "quick", 2).await;
    within(jobs.wait(&after)).await.unwrap();
    working.stopped().await;
}

/// A store that answers a claim with an error which trying again cannot mend.
struct Broken;

impl StoreHook for Broken {
    fn before(&self, verb: Verb) -> Result<(), Error> {
        match verb {
            Verb::Claim => Err(Error::store_corrupt("the table of jobs is gone")),
            _ => Ok(()),
        }
    }
}

each_store!(q27_a_worker_that_cannot_fetch_ever_again_ends_with_the_error);
async fn q27_a_worker_that_cannot_fetch_ever_again_ends_with_the_error(world: World) {
    let jobs = world.jobs().hooked(Broken);
    let working = world.start(world.worker(&jobs, "a"));
    let ended = within(working.task).await.unwrap();
    let error = ended.unwrap_err();
    assert!(
        error.to_string().contains("the table of jobs is gone"),
        "{error}"
    );
}

#[job(name = "case-blocks", idempotency = "case-blocks:{input}")]
async fn blocks(input: u64, log: State<Log>, clock: State<VirtualClock>) -> Result<u64> {
    step!("block", {
        log.add("block");
        block(&log, &clock);
        Ok(())
    })
    .await?;
    Ok(input)
}

/// Blocks its thread for three leases, in which only other threads get on.
fn block(log: &Log, clock: &VirtualClock) {
    for _ in 0..9 {
        let beats = log.count("store Heartbeat");
        clock.advance(LEASE / 3);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_time()
                    .build();
                runtime
                    .unwrap()
                    .block_on(within(log.saw("store Heartbeat", beats + 1)));
            });
        });
    }
}

/// What a body that blocks the only thread of its program does to its lease.
async fn q31_play(world: World) {
    logs::keep();
    let jobs = world.jobs().hooked(Faults::of(&world));
    let handle = blocks(1).enqueue(&jobs).await.unwrap();
    let working = world.start(world.worker(&jobs, "a"));
    within(world.log.saw("a ended done", 1)).await;
    working.stopped().await;
    let head = world.row(handle.id()).await.head;
    assert_eq!((head.attempt, head.token.epoch), (1, 1));
    assert_eq!(world.log.count("block"), 1);
    let warned = logs::with("blocks its thread");
    assert_eq!(warned.len(), 1, "once, not at every heartbeat: {warned:?}");
    assert!(warned[0].contains("case-blocks"), "{warned:?}");
}

mod q31_a_body_that_blocks_the_only_thread_keeps_its_lease_and_is_named_in_a_warning {
    #[tokio::test(flavor = "current_thread")]
    async fn memory() {
        super::q31_play(crate::support::World::memory()).await;
    }

    #[cfg(feature = "sqlite")]
    #[tokio::test(flavor = "current_thread")]
    async fn sqlite() {
        super::q31_play(crate::support::World::sqlite().await).await;
    }
}
