//! What the field reported of other schedulers.

use crate::support::{
    DAY, Fault, Faults, HOUR, SECOND, World, each_store, instant, task, ticks_of, utc,
};
use jobs_runtime::Task;
use jobs_runtime::core::Why;
use jobs_runtime::prelude::*;
use std::time::Duration;

#[task(schedule = "30 2 * * *", tz = "Europe/Berlin")]
async fn berlin_half_past_two(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

#[task(schedule = "0 2 * * *", tz = "Europe/Berlin")]
async fn berlin_at_two(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

#[task(schedule = "*/15 * * * *", tz = "Europe/Berlin")]
async fn berlin_quarters(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

#[task(schedule = "30 2 * * *", tz = "America/New_York")]
async fn new_york_half_past_two(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

#[task(schedule = "45 1 * * *", tz = "Australia/Lord_Howe")]
async fn lord_howe_quarter_to_two(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

#[task(schedule = "30 0 * * *", tz = "Africa/Cairo")]
async fn cairo_half_past_midnight(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

#[task(schedule = "0 0 29 2 *")]
async fn leap_day(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

#[task(schedule = "0 0 * * *")]
pub(crate) async fn midnight(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

#[task(schedule = "0 0 * * *")]
async fn midnight_too(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

#[task(schedule = "0 3 * * *", missed = skip)]
async fn three_unless_missed(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

#[task(schedule = "0 3 * * *", missed = all)]
async fn three_each_night(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

#[task(schedule = "0 3 * * *")]
async fn three_or_later(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

#[task(every = "1s", overlap = skip)]
async fn slow_second(tick: Tick) -> Result<()> {
    let _ = tick;
    step!("work", sleep = "3s").await;
    Ok(())
}

/// The ticks after one instant of UTC and up to another.
async fn between<T: Task>(world: &World, from: &str, until: &str) -> Vec<String> {
    let bench = world.bench().await.task::<T>();
    world.at(from);
    bench.drain().await.unwrap();
    let span = instant(until).since(world.now());
    bench.advance(span.into()).await.unwrap();
    let mut ticks = ticks_of(bench.jobs(), T::def().name).await;
    ticks.retain(|tick| tick.as_str() > from);
    ticks
}

each_store!(b59_a_look_before_its_time_and_one_after_make_one_job);
async fn b59_a_look_before_its_time_and_one_after_make_one_job(world: World) {
    let bench = world.bench().await.task::<midnight>();
    bench.drain().await.unwrap();
    // Timers that fire early, by 20 ms down to one.
    bench
        .advance(DAY - Duration::from_millis(20))
        .await
        .unwrap();
    for _ in 0..19 {
        bench.advance(Duration::from_millis(1)).await.unwrap();
        assert!(ticks_of(bench.jobs(), "midnight").await.is_empty());
    }
    for _ in 0..20 {
        bench.advance(Duration::from_millis(1)).await.unwrap();
    }
    assert_eq!(
        ticks_of(bench.jobs(), "midnight").await,
        ["2026-01-02T00:00:00Z"]
    );
}

each_store!(b60_a_time_of_the_day_fires_once_on_the_days_the_clock_changes);
async fn b60_a_time_of_the_day_fires_once_on_the_days_the_clock_changes(world: World) {
    let (from, until) = ("2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z");
    let two = between::<berlin_at_two>(&world, from, until).await;
    assert_eq!(two, ["2026-10-25T00:00:00Z", "2026-10-26T01:00:00Z"]);
    let (from, until) = ("2027-03-27T12:00:00Z", "2027-03-29T12:00:00Z");
    let half = between::<berlin_half_past_two>(&world, from, until).await;
    assert_eq!(half, ["2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z"]);
}

each_store!(b60_half_hours_and_midnights_are_changes_like_any_other);
async fn b60_half_hours_and_midnights_are_changes_like_any_other(world: World) {
    // Lord Howe goes back by half an hour: a quarter to two is shown twice.
    let (from, until) = ("2026-04-03T20:00:00Z", "2026-04-05T20:00:00Z");
    let lord_howe = between::<lord_howe_quarter_to_two>(&world, from, until).await;
    assert_eq!(lord_howe, ["2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"]);
    // Cairo jumps from midnight to one.
    let (from, until) = ("2026-04-23T12:00:00Z", "2026-04-24T12:00:00Z");
    let cairo = between::<cairo_half_past_midnight>(&world, from, until).await;
    assert_eq!(cairo, ["2026-04-23T22:00:00Z"]);
}

each_store!(b60_quarters_of_an_hour_follow_elapsed_time);
async fn b60_quarters_of_an_hour_follow_elapsed_time(world: World) {
    let (from, until) = ("2026-10-24T23:00:00Z", "2026-10-25T03:00:00Z");
    let autumn = between::<berlin_quarters>(&world, from, until).await;
    assert_eq!(autumn.len(), 16);
    let (from, until) = ("2027-03-27T23:00:00Z", "2027-03-28T03:00:00Z");
    let spring = between::<berlin_quarters>(&world, from, until).await;
    assert_eq!(spring.len(), 16);
}

each_store!(d32_half_past_two_in_new_york_fires_once_on_both_days);
async fn d32_half_past_two_in_new_york_fires_once_on_both_days(world: World) {
    let (from, until) = ("2026-03-07T12:00:00Z", "2026-03-09T12:00:00Z");
    let spring = between::<new_york_half_past_two>(&world, from, until).await;
    assert_eq!(spring, ["2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z"]);
    let (from, until) = ("2026-10-31T12:00:00Z", "2026-11-02T12:00:00Z");
    let autumn = between::<new_york_half_past_two>(&world, from, until).await;
    assert_eq!(autumn, ["2026-11-01T07:30:00Z", "2026-11-02T07:30:00Z"]);
}

each_store!(b61_the_leap_day_fires_when_it_comes);
async fn b61_the_leap_day_fires_when_it_comes(world: World) {
    let bench = world.bench().await.task::<leap_day>();
    bench.drain().await.unwrap();
    let told: Vec<String> = task(bench.jobs(), "leap_day")
        .await
        .next
        .into_iter()
        .map(utc)
        .collect();
    let leap_years = ["2028", "2032", "2036", "2040", "2044"];
    assert_eq!(
        told,
        leap_years.map(|year| format!("{year}-02-29T00:00:00Z"))
    );
}

each_store!(b63_a_daily_task_fires_three_times_in_three_days);
async fn b63_a_daily_task_fires_three_times_in_three_days(world: World) {
    let bench = world.bench().await.task::<midnight>();
    bench.drain().await.unwrap();
    for _ in 0..72 * 4 {
        bench.advance(HOUR / 4).await.unwrap();
    }
    assert_eq!(ticks_of(bench.jobs(), "midnight").await.len(), 3);
}

each_store!(b64_a_backfill_reads_times_without_a_zone_in_the_zone_of_the_schedule);
async fn b64_a_backfill_reads_times_without_a_zone_in_the_zone_of_the_schedule(world: World) {
    let bench = world.bench().await;
    world.at("2026-04-01T00:00:00Z");
    let day = jiff::civil::date(2026, 3, 29);
    let admin = bench.jobs().admin();
    let (from, until) = (day.at(0, 0, 0, 0), day.at(4, 0, 0, 0));
    let made = admin
        .backfill("berlin_quarters", from, until)
        .await
        .unwrap();
    assert!(made.there.is_empty());
    let made: Vec<String> = made.made.into_iter().map(utc).collect();
    // Three hours, because the clock jumps over one; and nothing of the machine's zone is in it.
    assert_eq!(made.len(), 12);
    assert_eq!(made.first().unwrap(), "2026-03-28T23:00:00Z");
    assert_eq!(made.last().unwrap(), "2026-03-29T01:45:00Z");
    // Once more: the same jobs.
    let again = admin.backfill("berlin_quarters", from, until);
    let again = again.await.unwrap();
    assert_eq!((again.made.len(), again.there.len()), (0, 12));
    assert_eq!(ticks_of(bench.jobs(), "berlin_quarters").await, made);
    assert_eq!(bench.drain().await.unwrap().leases(), 12);
}

each_store!(b50_a_tick_that_meets_the_one_before_is_passed_over_and_noted);
async fn b50_a_tick_that_meets_the_one_before_is_passed_over_and_noted(world: World) {
    let bench = world.bench().await.task::<slow_second>();
    bench.drain().await.unwrap();
    for _ in 0..12 {
        bench.advance(SECOND).await.unwrap();
    }
    let ticks = ticks_of(bench.jobs(), "slow_second").await;
    assert!((3..=4).contains(&ticks.len()), "{ticks:?}");
    let view = task(bench.jobs(), "slow_second").await;
    assert!(
        view.skipped
            .iter()
            .all(|skipped| skipped.why == Why::Overlap)
    );
    assert!(view.skipped.len() >= 3, "{:?}", view.skipped);
}

each_store!(q15_what_fell_due_during_a_deploy_follows_the_policy);
async fn q15_what_fell_due_during_a_deploy_follows_the_policy(world: World) {
    let bench = world
        .bench()
        .await
        .task::<three_unless_missed>()
        .task::<three_or_later>()
        .task::<three_each_night>();
    bench.drain().await.unwrap();
    // Three nights without anybody.
    world.at("2026-01-03T12:00:00Z");
    bench.drain().await.unwrap();
    let jobs = bench.jobs();
    let nights = [1, 2, 3].map(|day| format!("2026-01-0{day}T03:00:00Z"));
    assert!(ticks_of(jobs, "three_unless_missed").await.is_empty());
    assert_eq!(ticks_of(jobs, "three_or_later").await, nights[2..]);
    assert_eq!(ticks_of(jobs, "three_each_night").await, nights);
    // From here on nobody is late.
    bench.advance(DAY).await.unwrap();
    for name in ["three_unless_missed", "three_or_later", "three_each_night"] {
        let last = ticks_of(jobs, name).await.pop();
        assert_eq!(last.as_deref(), Some("2026-01-04T03:00:00Z"), "{name}");
    }
}

each_store!(q17_two_tasks_due_together_make_two_jobs);
async fn q17_two_tasks_due_together_make_two_jobs(world: World) {
    let bench = world
        .bench()
        .await
        .task::<midnight>()
        .task::<midnight_too>();
    bench.drain().await.unwrap();
    let drained = bench.advance(DAY).await.unwrap();
    assert_eq!(drained.done().count(), 2);
    assert_eq!(ticks_of(bench.jobs(), "midnight").await.len(), 1);
    assert_eq!(ticks_of(bench.jobs(), "midnight_too").await.len(), 1);
}

each_store!(q18_a_write_that_fails_loses_no_tick_and_one_whose_answer_is_lost_makes_none_twice);
async fn q18_a_write_that_fails_loses_no_tick_and_one_whose_answer_is_lost_makes_none_twice(
    world: World,
) {
    for fault in [Fault::Before, Fault::After] {
        // The read, then the write that makes the tick.
        for nth in [1, 2] {
            let faults = Faults::default();
            let bench = world
                .bench()
                .await
                .hooked(faults.clone())
                .task::<midnight>();
            bench.drain().await.unwrap();
            let before = ticks_of(bench.jobs(), "midnight").await.len();
            faults.plan(nth, fault);
            world.clock.advance(DAY);
            bench.drain().await.unwrap_err();
            bench.drain().await.unwrap();
            let ticks = ticks_of(bench.jobs(), "midnight").await;
            assert_eq!(
                ticks.len(),
                before + 1,
                "{fault:?} at call {nth}: {ticks:?}"
            );
        }
    }
}
