//! Schedules that are made at run time: each tick is one job, whoever looks, and whatever is done to
//! the schedule meanwhile.

use crate::support::{
    DAY, HOUR, SECOND, World, each_store, instant, jobs_by, task as schedule, ticks_by, utc,
};
use futures::future::try_join_all;
use jobs_runtime::core::{State, Why};
use jobs_runtime::prelude::*;
use jobs_runtime::{JobTemplate, Missed, Overlap};
use std::collections::BTreeSet;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

#[derive(Serialize, Deserialize)]
struct Customer {
    id: u64,
    plan: String,
}

#[job(
    name = "set-report",
    idempotency = "set-report:{input.id}",
    tenant = "{input.plan}",
    limit = (key = "{input.id}", concurrency = 2),
    attempts = 2
)]
async fn set_report(input: Customer) -> Result<u64> {
    step!("work", sleep = "90s").await;
    Ok(input.id)
}

#[job(name = "set-quick", idempotency = none)]
async fn set_quick(input: u64) -> Result<u64> {
    Ok(input)
}

fn customer(id: u64) -> Customer {
    let plan = "gold".into();
    Customer { id, plan }
}

each_store!(each_tick_is_a_job_that_says_what_the_request_and_the_definition_say);
async fn each_tick_is_a_job_that_says_what_the_request_and_the_definition_say(world: World) {
    let bench = world.bench().await;
    let admin = bench.jobs().admin();
    let request = set_report(customer(7)).queue("slow").priority(1);
    let set = admin.schedule("report-of-7", "*/30 * * * *");
    let view = set.set(request.label("for", "acme")).await.unwrap();
    assert_eq!(view.next[0], instant("2026-01-01T00:30:00Z"));
    bench.advance(HOUR).await.unwrap();
    let jobs = jobs_by(bench.jobs(), "report-of-7").await;
    assert_eq!(jobs.len(), 2);
    for job in jobs {
        let spec = &job.spec;
        assert_eq!((&*spec.name, &*spec.queue), ("set-report", "slow"));
        assert_eq!(spec.tenant.as_deref(), Some("gold"));
        assert_eq!(spec.limit_key.as_deref(), Some("7"));
        assert_eq!((spec.priority.level(), job.head.attempts_max), (1, 2));
        assert_eq!(spec.labels["for"], "acme");
    }
    let view = schedule(bench.jobs(), "report-of-7").await;
    assert_eq!(view.last.unwrap().tick, instant("2026-01-01T01:00:00Z"));
    assert_eq!(view.job.unwrap().input, r#"{"id":7,"plan":"gold"}"#);
    assert_eq!((view.trouble, view.defined), (None, None));
}

each_store!(a_job_with_a_key_is_made_at_each_tick_also_while_the_one_before_is_live);
async fn a_job_with_a_key_is_made_at_each_tick_also_while_the_one_before_is_live(world: World) {
    let bench = world.bench().await;
    let admin = bench.jobs().admin();
    let set = admin.schedule("report-of-8", "* * * * *");
    set.set(set_report(customer(8))).await.unwrap();
    bench.advance(4 * MINUTE).await.unwrap();
    assert_eq!(ticks_by(bench.jobs(), "report-of-8").await.len(), 4);
}

each_store!(a_tick_that_meets_the_job_before_is_passed_over_if_the_schedule_says_so);
async fn a_tick_that_meets_the_job_before_is_passed_over_if_the_schedule_says_so(world: World) {
    let bench = world.bench().await;
    let admin = bench.jobs().admin();
    let set = admin.schedule("calm-report", "* * * * *");
    let set = set.overlap(Overlap::Skip).set(set_report(customer(9)));
    set.await.unwrap();
    bench.advance(4 * MINUTE).await.unwrap();
    let ticks = ticks_by(bench.jobs(), "calm-report").await;
    assert_eq!(ticks, ["2026-01-01T00:01:00Z", "2026-01-01T00:03:00Z"]);
    let view = schedule(bench.jobs(), "calm-report").await;
    assert!(view.skipped.iter().all(|it| it.why == Why::Overlap));
}

each_store!(schedulers_at_once_and_one_that_is_ahead_make_each_tick_once);
async fn schedulers_at_once_and_one_that_is_ahead_make_each_tick_once(world: World) {
    // A memory store has one clock, whoever asks.
    let ahead = world.ahead(3 * SECOND);
    let (one, two) = (world.bench().await, world.bench().await);
    let fleet = match world.is_shared() {
        true => vec![one, two, ahead.bench().await],
        false => vec![one],
    };
    let admin = fleet[0].jobs().admin();
    let set = admin
        .schedule("fleet-quick", "every 1m")
        .missed(Missed::All);
    set.set(set_quick(1)).await.unwrap();
    for tick in 1..=30_u32 {
        let now = instant("2026-01-01T00:00:00Z").after((MINUTE * tick).into());
        world.clock.advance_to(now);
        ahead.clock.advance_to(now.after((3 * SECOND).into()));
        let drains = fleet.iter().map(|bench| bench.drain());
        try_join_all(drains).await.unwrap();
    }
    let jobs = jobs_by(fleet[0].jobs(), "fleet-quick").await;
    let once: BTreeSet<_> = jobs
        .iter()
        .map(|job| job.spec.tick.clone())
        .map(|tick| tick.unwrap().tick)
        .collect();
    assert_eq!((jobs.len(), once.len()), (30, 30));
    assert!(jobs.iter().all(|job| job.head.state == State::Done));
}

each_store!(what_falls_due_in_a_pause_follows_the_policy_when_it_ends);
async fn what_falls_due_in_a_pause_follows_the_policy_when_it_ends(world: World) {
    let bench = world.bench().await;
    let admin = bench.jobs().admin();
    let policies = [
        ("p-skip", Missed::Skip),
        ("p-last", Missed::Last),
        ("p-all", Missed::All),
    ];
    for (name, missed) in policies {
        let set = admin.schedule(name, "0 * * * *").missed(missed);
        set.set(set_quick(2)).await.unwrap();
        admin.pause_schedule(name).await.unwrap();
    }
    bench.advance(3 * HOUR + 30 * MINUTE).await.unwrap();
    for (name, _) in policies {
        assert!(ticks_by(bench.jobs(), name).await.is_empty());
        admin.resume_schedule(name).await.unwrap();
    }
    bench.advance(HOUR).await.unwrap();
    let hours = [1, 2, 3, 4].map(|hour| format!("2026-01-01T0{hour}:00:00Z"));
    assert_eq!(ticks_by(bench.jobs(), "p-skip").await, hours[3..]);
    assert_eq!(ticks_by(bench.jobs(), "p-last").await, hours[2..]);
    assert_eq!(ticks_by(bench.jobs(), "p-all").await, hours);
}

each_store!(what_falls_due_while_nobody_runs_follows_the_policy);
async fn what_falls_due_while_nobody_runs_follows_the_policy(world: World) {
    let bench = world.bench().await;
    let admin = bench.jobs().admin();
    let policies = [
        ("d-skip", Missed::Skip),
        ("d-last", Missed::Last),
        ("d-all", Missed::All),
    ];
    for (name, missed) in policies {
        let set = admin.schedule(name, "0 3 * * *").missed(missed);
        set.set(set_quick(3)).await.unwrap();
    }
    world.at("2026-01-03T12:00:00Z");
    bench.drain().await.unwrap();
    let nights = [1, 2, 3].map(|day| format!("2026-01-0{day}T03:00:00Z"));
    assert!(ticks_by(bench.jobs(), "d-skip").await.is_empty());
    assert_eq!(ticks_by(bench.jobs(), "d-last").await, nights[2..]);
    assert_eq!(ticks_by(bench.jobs(), "d-all").await, nights);
    let skipped = schedule(bench.jobs(), "d-last").await.skipped;
    assert_eq!(
        (utc(skipped[0].first), utc(skipped[0].last)),
        (nights[0].clone(), nights[1].clone())
    );
}

each_store!(summer_time_is_that_of_the_zone_that_was_given);
async fn summer_time_is_that_of_the_zone_that_was_given(world: World) {
    let bench = world.bench().await;
    world.at("2026-03-28T12:00:00Z");
    let admin = bench.jobs().admin();
    for (name, when) in [("dst-half", "30 2 * * *"), ("dst-quarters", "*/15 * * * *")] {
        let set = admin.schedule(name, when).zone("Europe/Berlin");
        set.missed(Missed::All).set(set_quick(4)).await.unwrap();
    }
    bench.advance(DAY).await.unwrap();
    let half = ticks_by(bench.jobs(), "dst-half").await;
    assert_eq!(half, ["2026-03-29T01:00:00Z"]);
    assert_eq!(ticks_by(bench.jobs(), "dst-quarters").await.len(), 24 * 4);
}

each_store!(a_change_holds_from_its_next_tick_and_what_was_due_comes_first);
async fn a_change_holds_from_its_next_tick_and_what_was_due_comes_first(world: World) {
    let bench = world.bench().await;
    let admin = bench.jobs().admin();
    let set = admin.schedule("changing", "0 * * * *");
    set.set(set_report(customer(1))).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    // A tick is due that nobody has made, and the job of the one before sleeps.
    world.at("2026-01-01T02:00:10Z");
    let set = admin.schedule("changing", "30 * * * *");
    let view = set.set(set_report(customer(2))).await.unwrap();
    assert_eq!(view.next[0], instant("2026-01-01T02:30:00Z"));
    bench.advance(HOUR).await.unwrap();
    let jobs = jobs_by(bench.jobs(), "changing").await;
    let told: Vec<(String, String)> = jobs
        .iter()
        .map(|job| {
            let input: Customer = serde_json::from_slice(&job.spec.input.bytes).unwrap();
            (
                utc(job.spec.tick.as_ref().unwrap().tick),
                format!("for {}", input.id),
            )
        })
        .collect();
    let told: Vec<(&str, &str)> = told.iter().map(|(at, by)| (&**at, &**by)).collect();
    assert_eq!(
        told,
        [
            ("2026-01-01T01:00:00Z", "for 1"),
            ("2026-01-01T02:00:00Z", "for 1"),
            ("2026-01-01T02:30:00Z", "for 2")
        ]
    );
    bench.advance(HOUR).await.unwrap();
    assert!(
        jobs_by(bench.jobs(), "changing")
            .await
            .iter()
            .take(3)
            .all(|job| job.head.state == State::Done)
    );
}

each_store!(a_schedule_that_was_removed_makes_nothing_and_its_jobs_go_on);
async fn a_schedule_that_was_removed_makes_nothing_and_its_jobs_go_on(world: World) {
    let bench = world.bench().await;
    let admin = bench.jobs().admin();
    let set = admin.schedule("leaving", "0 * * * *");
    set.set(set_report(customer(3))).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    admin.remove_schedule("leaving").await.unwrap();
    bench.advance(5 * HOUR).await.unwrap();
    let jobs = jobs_by(bench.jobs(), "leaving").await;
    assert_eq!((jobs.len(), jobs[0].head.state), (1, State::Done));
    let error = admin.remove_schedule("leaving").await.unwrap_err();
    assert_eq!(error.code(), "X_SCHEDULE_UNKNOWN");
    // Made again it begins with its next tick.
    let set = admin.schedule("leaving", "0 * * * *").missed(Missed::All);
    set.set(set_quick(3)).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    let ticks = ticks_by(bench.jobs(), "leaving").await;
    assert_eq!(ticks, ["2026-01-01T01:00:00Z", "2026-01-01T07:00:00Z"]);
}

each_store!(a_span_filled_twice_and_by_two_at_once_has_each_tick_once);
async fn a_span_filled_twice_and_by_two_at_once_has_each_tick_once(world: World) {
    let bench = world.bench().await;
    world.at("2026-02-01T00:30:00Z");
    let admin = bench.jobs().admin();
    let set = admin.schedule("filled", "0 * * * *");
    set.set(set_quick(5)).await.unwrap();
    // A tick that the schedule itself made, in the middle of the span.
    bench.advance(HOUR).await.unwrap();
    let (from, until) = (
        instant("2026-02-01T00:00:00Z"),
        instant("2026-02-01T02:00:00Z"),
    );
    let filled = admin.backfill("filled", from, until).await.unwrap();
    let utcs = |ticks: Vec<jobs_runtime::Timestamp>| -> Vec<String> {
        ticks.into_iter().map(utc).collect()
    };
    assert_eq!(utcs(filled.made), ["2026-02-01T00:00:00Z"]);
    assert_eq!(utcs(filled.there), ["2026-02-01T01:00:00Z"]);
    let day = jiff::civil::date(2026, 1, 31);
    let fill = || admin.backfill("filled", day, day.tomorrow().unwrap());
    let (one, two) = futures::future::try_join(fill(), fill()).await.unwrap();
    assert_eq!(
        (
            one.made.len() + two.made.len(),
            one.there.len() + two.there.len()
        ),
        (24, 24)
    );
    bench.drain().await.unwrap();
    let again = fill().await.unwrap();
    assert_eq!((again.made.len(), again.there.len()), (0, 24));
    assert_eq!(ticks_by(bench.jobs(), "filled").await.len(), 26);
    assert!(
        jobs_by(bench.jobs(), "filled")
            .await
            .iter()
            .all(|job| job.head.state == State::Done)
    );
}

each_store!(what_is_yet_to_come_is_not_filled);
async fn what_is_yet_to_come_is_not_filled(world: World) {
    let bench = world.bench().await;
    world.at("2026-02-01T00:30:00Z");
    let admin = bench.jobs().admin();
    admin
        .schedule("future", "0 * * * *")
        .set(set_quick(6))
        .await
        .unwrap();
    let (from, until) = (
        instant("2026-01-31T22:00:00Z"),
        instant("2026-02-03T00:00:00Z"),
    );
    let filled = admin.backfill("future", from, until).await.unwrap();
    assert_eq!((filled.made.len(), filled.there.len()), (3, 0));
}

each_store!(run_by_hand_a_schedule_makes_one_job_and_its_timetable_stays);
async fn run_by_hand_a_schedule_makes_one_job_and_its_timetable_stays(world: World) {
    let bench = world.bench().await;
    let admin = bench.jobs().admin();
    let set = admin.schedule("by-hand", "@daily");
    let before = set.set(set_quick(11)).await.unwrap();
    admin.pause_schedule("by-hand").await.unwrap();
    let made = admin.run_schedule("by-hand").await.unwrap();
    let drained = bench.drain().await.unwrap();
    assert_eq!(drained.done().count(), 1);
    let view = admin.show(made.id).await.unwrap().unwrap();
    assert_eq!(view.job.notes.output.unwrap().bytes, b"11");
    assert_eq!(view.job.spec.tick, None);
    admin.resume_schedule("by-hand").await.unwrap();
    assert_eq!(schedule(bench.jobs(), "by-hand").await, before);
}

each_store!(a_schedule_can_be_set_by_the_name_of_its_job);
async fn a_schedule_can_be_set_by_the_name_of_its_job(world: World) {
    let bench = world.bench().await;
    let mut job = JobTemplate::new("set-quick", " 12 ");
    job.queue = Some("named".into());
    let admin = bench.jobs().admin();
    let view = admin.schedule("by-name", "@hourly").set(job).await.unwrap();
    assert_eq!(view.job.unwrap().queue.as_deref(), Some("named"));
    let drained = bench.advance(HOUR).await.unwrap();
    assert_eq!(drained.done().count(), 1);
}

each_store!(a_task_is_paused_filled_and_run_by_hand_but_not_removed);
async fn a_task_is_paused_filled_and_run_by_hand_but_not_removed(world: World) {
    let bench = world.bench().await.task::<crate::cases::midnight>();
    world.at("2026-03-05T00:30:00Z");
    bench.drain().await.unwrap();
    let admin = bench.jobs().admin();
    let made = admin.run_schedule("midnight").await.unwrap();
    let view = admin.show(made.id).await.unwrap().unwrap();
    let tick: Tick = serde_json::from_slice(&view.job.spec.input.bytes).unwrap();
    assert_eq!(tick.at, world.now());
    let error = admin.remove_schedule("midnight").await.unwrap_err();
    assert_eq!(error.code(), "X_JOB_DUPLICATE");
    assert!(error.fix().contains("pause_schedule"), "{}", error.fix());
}
