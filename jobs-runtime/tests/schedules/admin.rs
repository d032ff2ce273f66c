//! Tasks as an operator sees and changes them.

use crate::support::{DAY, HOUR, World, each_store, instant, jobs_of, task, ticks_of, utc};
use jobs_runtime::prelude::*;

#[task(schedule = "0 6 * * *", tz = "Asia/Tokyo")]
async fn tokyo_morning(tick: Tick) -> Result<String> {
    Ok(tick.local()?.to_string())
}

#[task(every = "1h")]
async fn paused_hourly(tick: Tick) -> Result<()> {
    let _ = tick;
    Ok(())
}

each_store!(a_task_tells_its_next_five_ticks);
async fn a_task_tells_its_next_five_ticks(world: World) {
    let bench = world.bench().await.task::<tokyo_morning>();
    let unseen = task(bench.jobs(), "tokyo_morning").await;
    assert!(unseen.next.is_empty() && unseen.defined.is_some());
    bench.drain().await.unwrap();
    let view = task(bench.jobs(), "tokyo_morning").await;
    let next: Vec<String> = view.next.into_iter().map(utc).collect();
    assert_eq!(next.len(), 5);
    assert_eq!(next[0], "2026-01-01T21:00:00Z");
    assert_eq!(next[4], "2026-01-05T21:00:00Z");
}

each_store!(the_job_of_a_tick_says_which_tick_it_is);
async fn the_job_of_a_tick_says_which_tick_it_is(world: World) {
    let bench = world.bench().await.task::<tokyo_morning>();
    bench.advance(2 * DAY).await.unwrap();
    let jobs = jobs_of(bench.jobs(), "tokyo_morning").await;
    assert_eq!(jobs.len(), 2);
    let inputs: Vec<Tick> = jobs
        .iter()
        .map(|job| serde_json::from_slice(&job.spec.input.bytes).unwrap())
        .collect();
    assert_eq!(inputs[0].previous, None);
    assert_eq!(inputs[1].previous, Some(inputs[0].at));
    let told = jobs[1].notes.output.as_ref().unwrap();
    let told: String = serde_json::from_slice(&told.bytes).unwrap();
    assert_eq!(told, "2026-01-03T06:00:00+09:00[Asia/Tokyo]");
    let last = task(bench.jobs(), "tokyo_morning").await.last.unwrap();
    assert_eq!((last.tick, last.job), (inputs[1].at, jobs[1].spec.id));
}

each_store!(a_paused_task_is_quiet_and_catches_up_as_it_says);
async fn a_paused_task_is_quiet_and_catches_up_as_it_says(world: World) {
    let bench = world.bench().await.task::<paused_hourly>();
    bench.advance(2 * HOUR).await.unwrap();
    let admin = bench.jobs().admin();
    admin.pause_schedule("paused_hourly").await.unwrap();
    bench.advance(5 * HOUR).await.unwrap();
    assert!(task(bench.jobs(), "paused_hourly").await.is_paused);
    assert_eq!(ticks_of(bench.jobs(), "paused_hourly").await.len(), 2);
    admin.resume_schedule("paused_hourly").await.unwrap();
    bench.advance(HOUR).await.unwrap();
    let ticks = ticks_of(bench.jobs(), "paused_hourly").await;
    assert_eq!(ticks[2..], ["2026-01-01T07:00:00Z", "2026-01-01T08:00:00Z"]);
}

each_store!(a_task_that_is_not_there_is_answered_with_the_one_meant);
async fn a_task_that_is_not_there_is_answered_with_the_one_meant(world: World) {
    let bench = world.bench().await;
    let admin = bench.jobs().admin();
    let error = admin.pause_schedule("paused_hurly").await.unwrap_err();
    assert_eq!(error.code(), "X_SCHEDULE_UNKNOWN");
    assert_eq!(error.fix(), "did you mean \"paused_hourly\"?");
}

each_store!(a_backfill_is_bounded_and_runs_forward);
async fn a_backfill_is_bounded_and_runs_forward(world: World) {
    let bench = world.bench().await;
    let admin = bench.jobs().admin();
    let (early, late) = (
        instant("2020-01-01T00:00:00Z"),
        instant("2026-01-01T00:00:00Z"),
    );
    for (from, until) in [(early, late), (late, early)] {
        let error = admin.backfill("paused_hourly", from, until).await;
        assert_eq!(error.unwrap_err().code(), "X_SCHEDULE_INVALID");
    }
    assert!(ticks_of(bench.jobs(), "paused_hourly").await.is_empty());
}
