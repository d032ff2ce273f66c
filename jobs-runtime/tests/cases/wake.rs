//! Events, sleeps and hints: nothing that shall wake a run is missed, and nothing wakes it early.

use crate::faults::Faults;
use crate::raw;
use crate::shared::Deaf;
use crate::support::{DAY, Gate, HOUR, LEASE, Log, MINUTE, SECOND, World, each_store, within};
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use jobs_runtime::{StoreHook, Verb};
use std::sync::Arc;
use std::time::Duration;

use crate::jobs::quick;

#[derive(Serialize, Deserialize, Debug, PartialEq, Clone, Event)]
#[event(name = "case-paid", key = String)]
struct Paid {
    cents: u64,
}

#[derive(Serialize, Deserialize, Debug, PartialEq, Event)]
#[event(name = "case-note", key = none)]
struct Note(Option<String>);

#[job(name = "case-waits", idempotency = "case-waits:{input}")]
async fn waits(input: String, log: State<Log>) -> Result<Option<u64>> {
    log.add(format!("waits {input}"));
    let paid = step!("paid", event = Paid, key = input.clone(), timeout = "1d").await?;
    Ok(paid.map(|paid| paid.cents))
}

fn paid(cents: u64) -> Paid {
    Paid { cents }
}

each_store!(b29_without_any_hint_every_command_is_obeyed_within_a_poll);
async fn b29_without_any_hint_every_command_is_obeyed_within_a_poll(world: World) {
    let deaf = world.behind(|driver| Arc::new(Deaf(driver)));
    let jobs = deaf.jobs();
    jobs.admin().pause("default").await.unwrap();
    let working = world.start(deaf.worker(&jobs, "a"));
    let handle = quick(1).enqueue(&jobs).await.unwrap();
    let waiting = waits("k".into()).enqueue(&jobs).await.unwrap();
    for _ in 0..5 {
        world.clock.advance(SECOND);
        tokio::task::yield_now().await;
    }
    assert_eq!(world.log.count("a claimed"), 0);
    jobs.admin().resume("default").await.unwrap();
    world.pass(SECOND, "quick", 1).await;
    world.pass(SECOND, "a suspended", 1).await;
    jobs.publish(paid(3), "k".to_owned()).await.unwrap();
    world.pass(SECOND, "a ended done", 2).await;
    let doomed = waits("doomed".into()).enqueue(&jobs).await.unwrap();
    world.pass(SECOND, "a suspended", 2).await;
    jobs.admin().cancel(doomed.id()).await.unwrap();
    working.stopped().await;
    assert_eq!(world.state(handle.id()).await, JobState::Done);
    assert_eq!(world.state(waiting.id()).await, JobState::Done);
    assert_eq!(world.state(doomed.id()).await, JobState::Cancelled);
}

/// Enqueues a job right after the store has said that there is nothing to do.
struct JustAfter {
    world: World,
    done: std::sync::atomic::AtomicBool,
}

impl StoreHook for JustAfter {
    fn after(&self, verb: Verb) -> Result<(), Error> {
        use std::sync::atomic::Ordering;
        if verb == Verb::Claim && !self.done.swap(true, Ordering::SeqCst) {
            let jobs = self.world.jobs();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let runtime = tokio::runtime::Builder::new_current_thread().build();
                    let enqueued = runtime.unwrap().block_on(async {
                        quick(1).enqueue(&jobs).await.map(|handle| handle.id())
                    });
                    enqueued.unwrap();
                });
            });
        }
        Ok(())
    }
}

each_store!(b30_a_hint_between_the_look_and_the_wait_is_kept);
async fn b30_a_hint_between_the_look_and_the_wait_is_kept(world: World) {
    let hook = JustAfter {
        world: world.clone(),
        done: false.into(),
    };
    let jobs = world.jobs().hooked(hook);
    let working = world.start(world.worker(&jobs, "a"));
    // The clock stands, so no poll comes: only the hint can bring the job.
    within(world.log.saw("quick", 1)).await;
    working.stopped().await;
}

each_store!(b32_a_wait_that_was_met_while_its_worker_was_cut_off_goes_on_afterwards);
async fn b32_a_wait_that_was_met_while_its_worker_was_cut_off_goes_on_afterwards(world: World) {
    let cut = Faults::of(&world);
    let jobs = world.jobs().hooked(cut.clone());
    let handle = waits("k".into()).enqueue(&jobs).await.unwrap();
    let working = world.start(world.worker(&jobs, "a"));
    within(world.log.saw("a suspended", 1)).await;
    cut.cut(&[Verb::Claim, Verb::Heartbeat, Verb::Commit]);
    // The next claim is refused, and none is on its way any more.
    let claims = world.log.count("store Claim");
    world.pass(SECOND, "store Claim", claims + 1).await;
    world.jobs().publish(paid(7), "k".to_owned()).await.unwrap();
    world.pass(SECOND, "store Claim", claims + 4).await;
    assert_eq!(world.log.count("waits k"), 1);
    cut.mend();
    world.pass(SECOND, "a ended done", 1).await;
    assert_eq!(within(jobs.wait(&handle)).await.unwrap(), Some(7));
    working.stopped().await;
}

each_store!(b33_an_event_wakes_only_its_tenant_and_only_its_whole_key);
async fn b33_an_event_wakes_only_its_tenant_and_only_its_whole_key(world: World) {
    let bench = world.bench();
    let jobs = bench.jobs();
    let mut waiting = Vec::new();
    for (tenant, key) in [("A", "k"), ("B", "k"), ("B", "ke"), ("B", "kk"), ("B", "")] {
        let key = format!("{key}.");
        let request = waits(key.clone()).tenant(tenant);
        // One key of the wait, but two jobs.
        let request = request.on_conflict(OnConflict::Error);
        match request.enqueue(jobs).await {
            Ok(handle) => waiting.push((tenant, key, handle)),
            Err(error) => {
                assert_eq!(error.code(), "X_JOB_DUPLICATE");
                let mut twin = world.row(waiting[0].2.id()).await.spec;
                twin.id = jobs_runtime::JobId::new(world.now(), raw::bits());
                twin.run_id = jobs_runtime::RunId::new(world.now(), raw::bits());
                twin.key = None;
                twin.tenant = Some(tenant.into());
                let mut job = world.job("case-waits");
                job.spec = twin;
                let stored = world.store(&job).await.unwrap();
                let handle = jobs_runtime::Handle::of(stored.id, stored.run_id);
                waiting.push((tenant, key, handle));
            }
        }
    }
    bench.drain().await.unwrap();
    let mut event = raw::event(world.now(), "case-paid", Some("k."));
    event.tenant = Some("B".into());
    event.payload = jobs_runtime::core::Payload::json(*br#"{"cents":5}"#);
    world
        .driver()
        .publish(&[event], Some(world.now()))
        .await
        .unwrap();
    bench.drain().await.unwrap();
    for (tenant, key, handle) in waiting {
        let woken = (tenant, key.as_str()) == ("B", "k.");
        let expected = if woken {
            JobState::Done
        } else {
            JobState::Suspended
        };
        assert_eq!(world.state(handle.id()).await, expected, "{tenant} {key}");
    }
}

#[job(
    name = "case-gives-up-waiting",
    idempotency = "case-gives-up-waiting:{input}"
)]
async fn gives_up_waiting(input: String) -> Result<u64> {
    for round in 0..3 {
        tokio::select! {
            biased;
            _ = step!("early:{round}", event = Paid, key = input.clone(), timeout = "1d") => {
                return Err(Failure::msg("nobody has paid yet"));
            }
            () = step!("tick:{round}", sleep = "1ms") => {}
        }
    }
    let paid = step!("paid", event = Paid, key = input, required).await?;
    Ok(paid.cents)
}

each_store!(b35_a_wait_that_was_dropped_leaves_nothing_behind_and_the_next_one_works);
async fn b35_a_wait_that_was_dropped_leaves_nothing_behind_and_the_next_one_works(world: World) {
    let bench = world.bench();
    let handle = gives_up_waiting("k".into())
        .enqueue(bench.jobs())
        .await
        .unwrap();
    bench.advance(SECOND).await.unwrap();
    let view = world.view(handle.id()).await;
    let waits = view.journal.iter().filter(|record| record.wait.is_some());
    let names: Vec<_> = waits.map(|record| record.name.as_str()).collect();
    assert_eq!(names, ["paid"]);
    bench.jobs().publish(paid(9), "k".to_owned()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(bench.outcome(&handle).await.unwrap(), 9);
}

#[job(
    name = "case-too-long",
    idempotency = "case-too-long:{input}",
    timeout = "5s",
    visibility_timeout = "3s",
    attempts = 1
)]
async fn too_long(input: u64, log: State<Log>, gate: State<Gate>) -> Result<u64> {
    step!("gate", {
        log.add("gate");
        gate.pass().await;
        Ok(())
    })
    .await?;
    Ok(input)
}

each_store!(b36_a_timeout_comes_in_time_however_often_a_heartbeat_ticks_before);
async fn b36_a_timeout_comes_in_time_however_often_a_heartbeat_ticks_before(world: World) {
    let jobs = world.jobs().hooked(Faults::of(&world));
    let handle = too_long(1).enqueue(&jobs).await.unwrap();
    let working = world.start(world.worker(&jobs, "a"));
    within(world.log.saw("gate", 1)).await;
    world.beat(SECOND, 4).await;
    world.clock.advance(SECOND - Duration::from_millis(1));
    assert_eq!(world.state(handle.id()).await, JobState::Running);
    world.clock.advance(Duration::from_millis(1));
    within(world.log.saw("a ended dead", 1)).await;
    assert_eq!(world.code(handle.id()).await, "X_JOB_TIMEOUT");
    working.stopped().await;
}

#[job(name = "case-sleeps", idempotency = "case-sleeps:{input}")]
async fn sleeps(input: u64, log: State<Log>) -> Result<u64> {
    step!("nap", sleep = Duration::from_millis(input)).await;
    log.add(format!("woke {input}"));
    Ok(input)
}

each_store!(b37_sleeps_of_any_length_end_when_they_are_due_and_never_before);
async fn b37_sleeps_of_any_length_end_when_they_are_due_and_never_before(world: World) {
    let bench = world.bench();
    let seconds = [59, 60, 61, 3_600, 86_400, 366 * 86_400_u64];
    for secs in seconds {
        let millis = secs * 1_000;
        let handle = sleeps(millis).enqueue(bench.jobs()).await.unwrap();
        bench
            .advance(Duration::from_millis(millis - 1))
            .await
            .unwrap();
        assert_eq!(world.log.count(&format!("woke {millis}")), 0, "{secs} s");
        bench.advance(Duration::from_millis(1)).await.unwrap();
        assert_eq!(bench.outcome(&handle).await.unwrap(), millis, "{secs} s");
        assert_eq!(world.row(handle.id()).await.head.attempt, 1);
    }
    let for_ever = sleeps(u64::MAX).enqueue(bench.jobs()).await.unwrap();
    bench.advance(1_000 * 366 * DAY).await.unwrap();
    assert_eq!(world.state(for_ever.id()).await, JobState::Suspended);
}

each_store!(b38_a_delay_of_three_years_is_taken_listed_and_kept);
async fn b38_a_delay_of_three_years_is_taken_listed_and_kept(world: World) {
    let long = Duration::from_secs(99_999_999);
    let jobs = world.jobs();
    let handle = quick(1).delay(long).enqueue(&jobs).await.unwrap();
    let due = world.now().after(long.into());
    let page = jobs
        .admin()
        .list(&Default::default(), None, 10)
        .await
        .unwrap();
    assert_eq!(page.jobs[0].head.visible_at, Some(due));
    // A worker that has nothing else to do waits for it, and neither panics nor spins.
    let working = world.start(world.worker(&jobs, "a"));
    world.clock.advance(long - SECOND);
    tokio::task::yield_now().await;
    assert_eq!(world.log.count("quick"), 0);
    world.pass(SECOND, "quick", 1).await;
    within(jobs.wait(&handle)).await.unwrap();
    working.stopped().await;
}

#[job(name = "case-races", idempotency = "case-races:{input.0}:{input.1}")]
async fn races(input: (String, bool)) -> Result<String> {
    let (key, event_first) = input;
    let paid = async {
        step!("paid", event = Paid, key = key, timeout = "1d").await?;
        Ok::<_, Failure>("event")
    };
    let timer = async {
        step!("timer", sleep = "1h").await;
        Ok::<_, Failure>("timer")
    };
    let arm = if event_first {
        tokio::select! { biased; arm = paid => arm?, arm = timer => arm? }
    } else {
        tokio::select! { biased; arm = timer => arm?, arm = paid => arm? }
    };
    step!("took-{arm}", { Ok(()) }).await?;
    step!("rest", sleep = "1d").await;
    Ok(arm.into())
}

each_store!(d04_the_arm_that_won_live_wins_on_every_replay);
async fn d04_the_arm_that_won_live_wins_on_every_replay(world: World) {
    let bench = world.bench();
    for (round, (event_first, at, winner)) in [
        (true, 30 * MINUTE, "event"),
        (false, 30 * MINUTE, "event"),
        (true, 2 * HOUR, "timer"),
        (false, 2 * HOUR, "timer"),
    ]
    .into_iter()
    .enumerate()
    {
        let key = format!("k{round}");
        let handle = races((key.clone(), event_first))
            .enqueue(bench.jobs())
            .await
            .unwrap();
        bench.advance(at).await.unwrap();
        bench.jobs().publish(paid(1), key).await.unwrap();
        // While it rests, a worker takes it up for nothing, and another one later.
        bench.advance(2 * DAY).await.unwrap();
        assert_eq!(
            bench.outcome(&handle).await.unwrap(),
            winner,
            "{event_first} {at:?}"
        );
    }
}

#[job(name = "case-null", idempotency = "case-null:{input}")]
async fn null(input: u64) -> Result<String> {
    let _ = input;
    let note = step!("note", event = Note, timeout = "1h").await?;
    Ok(format!("{note:?}"))
}

each_store!(d08_an_event_of_nothing_is_no_timeout_and_a_cancel_beats_one);
async fn d08_an_event_of_nothing_is_no_timeout_and_a_cancel_beats_one(world: World) {
    let bench = world.bench();
    let handle = null(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    bench.jobs().publish(Note(None), ()).await.unwrap();
    bench.advance(2 * HOUR).await.unwrap();
    assert_eq!(bench.outcome(&handle).await.unwrap(), "Some(Note(None))");

    let late = null(2).enqueue(bench.jobs()).await.unwrap();
    let doomed = null(3).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    world.clock.advance(HOUR);
    bench.jobs().admin().cancel(doomed.id()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(bench.outcome(&late).await.unwrap(), "None");
    let error = bench.outcome(&doomed).await.unwrap_err();
    assert_eq!(error.code(), "X_JOB_CANCELLED");
}

#[job(name = "case-waits-after", idempotency = "case-waits-after:{input}")]
async fn waits_after(input: String, log: State<Log>, gate: State<Gate>) -> Result<u64> {
    step!("gate", {
        log.add("gate");
        gate.pass().await;
        Ok(())
    })
    .await?;
    let paid = step!("paid", event = Paid, key = input, required).await?;
    Ok(paid.cents)
}

each_store!(d09_an_event_before_during_and_after_its_wait_is_delivered);
async fn d09_an_event_before_during_and_after_its_wait_is_delivered(world: World) {
    let jobs = world.jobs();
    let working = world.start(world.worker(&jobs, "a"));
    for (round, when) in ["before", "during", "after"].into_iter().enumerate() {
        let before = jobs.publish(paid(1), "before".to_owned());
        if when == "before" {
            before.await.unwrap();
        }
        let handle = waits_after(when.into()).enqueue(&jobs).await.unwrap();
        within(world.log.saw("gate", round + 1)).await;
        if when == "during" {
            jobs.publish(paid(1), when.to_owned()).await.unwrap();
        }
        world.gate.open(1);
        if when == "after" {
            within(world.log.saw("a suspended", 1)).await;
            jobs.publish(paid(1), when.to_owned()).await.unwrap();
        }
        assert_eq!(within(jobs.wait(&handle)).await.unwrap(), 1, "{when}");
    }
    working.stopped().await;
}

each_store!(d10_an_event_whose_hint_was_lost_wakes_its_run_at_the_next_poll);
async fn d10_an_event_whose_hint_was_lost_wakes_its_run_at_the_next_poll(world: World) {
    let deaf = world.behind(|driver| Arc::new(Deaf(driver)));
    let jobs = deaf.jobs();
    let handle = waits("k".into()).enqueue(&jobs).await.unwrap();
    let poll = Duration::from_secs(3);
    let working = world.start(deaf.worker(&jobs, "a").poll_interval(poll));
    within(world.log.saw("a suspended", 1)).await;
    jobs.publish(paid(2), "k".to_owned()).await.unwrap();
    world.pass(poll, "a ended done", 1).await;
    let ended = world.row(handle.id()).await;
    let waited = ended.head.ended_at.unwrap().since(ended.head.enqueued_at);
    assert!(waited.0 <= 5 * 3_000, "{waited}: not its timeout of a day");
    working.stopped().await;
}

each_store!(d16_a_sleep_that_ended_while_nobody_ran_goes_on_at_the_next_start);
async fn d16_a_sleep_that_ended_while_nobody_ran_goes_on_at_the_next_start(world: World) {
    let jobs = world.jobs();
    let handle = sleeps(3_600_000).enqueue(&jobs).await.unwrap();
    let first = world.start(world.worker(&jobs, "a"));
    within(world.log.saw("a suspended", 1)).await;
    first.stopped().await;
    world.clock.advance(10 * HOUR + LEASE);
    let next = world.start(world.worker(&jobs, "b"));
    assert_eq!(within(jobs.wait(&handle)).await.unwrap(), 3_600_000);
    next.stopped().await;
    assert_eq!(world.row(handle.id()).await.head.attempt, 1);
}
