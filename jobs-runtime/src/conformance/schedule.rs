//! Ticks of a schedule: the write that makes a tick's job moves the timetable on, so that one tick
//! is one job whoever makes it, however often, and whatever is lost on the way.

use super::shapes::JobShape;
use super::{Failure, Result, Subject};
use crate::contract::{Setting, SettingWrite};
use crate::core::{JobId, Millis, NewJob, RunId, TickRef, Timestamp, Visible};
use std::collections::BTreeSet;
use tokio::task::JoinSet;

const KEY: &str = "schedule/sweep";
const MINUTE: Millis = Millis::secs(60);
/// Schedulers at once.
const SCHEDULERS: usize = 5;

case!(q13_one_tick_is_one_job_when_schedulers_race);
async fn q13_one_tick_is_one_job_when_schedulers_race(s: Subject) -> Result {
    begin(&s).await?;
    let end = s.now().after(Millis::secs(60 * 20));
    let mut schedulers = JoinSet::new();
    for _ in 0..SCHEDULERS {
        let s = s.clone();
        schedulers.spawn(async move {
            let mut won = 0;
            loop {
                let setting = stored(&s).await?;
                let tick = next(&setting)?;
                if tick > end {
                    return Ok::<usize, Failure>(won);
                }
                won += usize::from(fire(&s, &setting).await?.is_some());
                tokio::task::yield_now().await;
            }
        });
    }
    let mut won = 0;
    while let Some(one) = schedulers.join_next().await {
        won += one.map_err(|error| Failure::here(error.to_string()))??;
    }
    check_eq!(won, 20);
    s.advance_to(end);
    check_eq!(ticks(&s).await?.len(), 20);
    Ok(())
}

case!(b67_a_scheduler_that_was_stopped_makes_no_tick_with_what_it_read_before);
async fn b67_a_scheduler_that_was_stopped_makes_no_tick_with_what_it_read_before(
    s: Subject,
) -> Result {
    begin(&s).await?;
    let stale = stored(&s).await?;
    for _ in 0..3 {
        let current = stored(&s).await?;
        check!(fire(&s, &current).await?.is_some());
    }
    // It goes on where it was, and believes that its turn is now.
    check!(fire(&s, &stale).await?.is_none());
    check_eq!(ticks(&s).await?.len(), 3);
    Ok(())
}

case!(a_write_that_was_not_answered_is_seen_when_the_timetable_is_read_again);
async fn a_write_that_was_not_answered_is_seen_when_the_timetable_is_read_again(
    s: Subject,
) -> Result {
    begin(&s).await?;
    let before = stored(&s).await?;
    fire(&s, &before).await?;
    // The answer was lost: the same write again, and then a look at what is there.
    check!(fire(&s, &before).await?.is_none());
    let after = stored(&s).await?;
    check!(next(&after)? > next(&before)?);
    check_eq!(ticks(&s).await?.len(), 1);
    Ok(())
}

case!(a_tick_made_once_more_without_its_timetable_is_the_same_job);
async fn a_tick_made_once_more_without_its_timetable_is_the_same_job(s: Subject) -> Result {
    begin(&s).await?;
    let first = stored(&s).await?;
    fire(&s, &first).await?;
    s.advance_to(next(&first)?);
    let mut holder = s.claim_one().await?;
    s.apply(&holder.ack("1")).await?;
    // Somebody removes the timetable, and another scheduler begins it anew.
    let removed = SettingWrite {
        value: None,
        ..write(&stored(&s).await?, next(&first)?, Vec::new())
    };
    check!(
        s.driver()
            .write_setting(&removed, Some(s.now()))
            .await?
            .is_some()
    );
    let again = Setting {
        revision: 0,
        ..first
    };
    check!(fire(&s, &again).await?.is_some());
    s.claim_nothing().await?;
    check_eq!(ticks(&s).await?.len(), 1);
    Ok(())
}

case!(a_tick_without_a_key_is_the_same_job_live_and_ended);
async fn a_tick_without_a_key_is_the_same_job_live_and_ended(s: Subject) -> Result {
    // So it is of a schedule that was made at run time: the ids alone say it.
    begin(&s).await?;
    let due = next(&stored(&s).await?)?;
    let mut tick = job(&s, due);
    tick.spec.key = None;
    s.advance_to(due);
    for ended in [false, true] {
        let setting = stored(&s).await?;
        let again = write(&setting, due, vec![tick.clone(), tick.clone()]);
        let written = s.driver().write_setting(&again, Some(s.now())).await?;
        check!(written.is_some(), "ended: {ended}");
        if !ended {
            let mut holder = s.claim_one().await?;
            s.apply(&holder.ack("1")).await?;
        }
    }
    s.claim_nothing().await?;
    check_eq!(ticks(&s).await?.len(), 1);
    Ok(())
}

case!(a_tick_that_is_there_is_answered_with_the_run_it_has);
async fn a_tick_that_is_there_is_answered_with_the_run_it_has(s: Subject) -> Result {
    // By this a backfill counts what it made.
    let mut first = job(&s, s.now());
    first.spec.key = None;
    let mut second = first.clone();
    second.spec.run_id = RunId::new(s.now(), 8);
    let one = s.enqueue(&first).await?;
    let two = s.enqueue(&second).await?;
    check_eq!(
        (one.run_id, two.run_id),
        (first.spec.run_id, first.spec.run_id)
    );
    let mut holder = s.claim_one().await?;
    s.apply(&holder.ack("1")).await?;
    let ended = s.enqueue(&second).await?;
    check_eq!(ended.run_id, first.spec.run_id);
    Ok(())
}

case!(a_tick_made_early_waits_for_its_time);
async fn a_tick_made_early_waits_for_its_time(s: Subject) -> Result {
    begin(&s).await?;
    let setting = stored(&s).await?;
    let due = next(&setting)?.after(MINUTE);
    // A scheduler whose clock is ahead.
    let mut early = write(&setting, due, Vec::new());
    early.jobs = vec![job(&s, due)];
    check!(
        s.driver()
            .write_setting(&early, Some(s.now()))
            .await?
            .is_some()
    );
    s.claim_nothing().await?;
    s.advance_to(Timestamp(due.0 - 1));
    s.claim_nothing().await?;
    s.advance_to(due);
    check_eq!(
        s.claim_one()
            .await?
            .claimed
            .job
            .spec
            .tick
            .as_ref()
            .map(|tick| tick.tick),
        Some(due)
    );
    Ok(())
}

case!(a_hundred_ticks_are_one_write);
async fn a_hundred_ticks_are_one_write(s: Subject) -> Result {
    begin(&s).await?;
    let setting = stored(&s).await?;
    let first = next(&setting)?;
    let jobs: Vec<NewJob> = (0..100)
        .map(|at| job(&s, first.after(Millis(MINUTE.0 * at))))
        .collect();
    let mut all = write(&setting, first, jobs);
    check!(
        s.driver()
            .write_setting(&all, Some(s.now()))
            .await?
            .is_some()
    );
    all.expected = 0;
    check!(
        s.driver()
            .write_setting(&all, Some(s.now()))
            .await?
            .is_none()
    );
    check_eq!(ticks(&s).await?.len(), 100);
    Ok(())
}

case!(two_schedules_due_together_make_two_jobs);
async fn two_schedules_due_together_make_two_jobs(s: Subject) -> Result {
    let at = s.now();
    for (key, name) in [(KEY, "sweep"), ("schedule/report", "report")] {
        let mut due = job(&s, at);
        due.spec = crate::core::JobSpec {
            id: JobId::new(at, s.bits()),
            run_id: RunId::new(at, s.bits()),
            name: name.into(),
            scope: name.into(),
            ..due.spec
        };
        let write = SettingWrite {
            key: key.into(),
            value: Some(b"1".to_vec()),
            expected: 0,
            jobs: vec![due],
        };
        check!(
            s.driver()
                .write_setting(&write, Some(s.now()))
                .await?
                .is_some()
        );
    }
    check_eq!(s.claim(10).await?.len(), 2);
    Ok(())
}

/// The timetable of these cases is the instant of the next tick, in milliseconds.
async fn begin(s: &Subject) -> Result {
    let first = s.now().after(MINUTE);
    s.write_setting(KEY, first.0.to_string().as_bytes(), 0)
        .await
}

async fn stored(s: &Subject) -> Result<Setting> {
    let found = s.driver().settings(KEY).await?;
    let setting = found.into_iter().next();
    setting.ok_or_else(|| Failure::here("the timetable is gone"))
}

fn next(setting: &Setting) -> Result<Timestamp> {
    let text = String::from_utf8_lossy(&setting.value);
    let at = text.parse();
    at.map(Timestamp)
        .map_err(|_| Failure::here("another value"))
}

/// Makes the next tick, if the timetable is still the one that was read.
async fn fire(s: &Subject, setting: &Setting) -> Result<Option<Setting>> {
    let tick = next(setting)?;
    let write = write(setting, tick.after(MINUTE), vec![job(s, tick)]);
    Ok(s.driver().write_setting(&write, Some(tick)).await?)
}

fn write(setting: &Setting, next: Timestamp, jobs: Vec<NewJob>) -> SettingWrite {
    SettingWrite {
        key: KEY.into(),
        value: Some(next.0.to_string().into_bytes()),
        expected: setting.revision,
        jobs,
    }
}

/// The job of a tick: its ids follow from it.
fn job(s: &Subject, tick: Timestamp) -> NewJob {
    let mut job = s.job("sweep").key(&format!("tick:{}", tick.0));
    job.spec.id = JobId::new(tick, 7);
    job.spec.run_id = RunId::new(tick, 7);
    job.spec.tick = Some(TickRef {
        schedule: "sweep".into(),
        tick,
    });
    job.visible = Visible::At(tick);
    job
}

/// The ticks that there are jobs of.
async fn ticks(s: &Subject) -> Result<BTreeSet<Timestamp>> {
    let page = s.inspect().list(&Default::default(), None, 500).await?;
    let ticks: Vec<Timestamp> = page
        .jobs
        .iter()
        .filter_map(|job| Some(job.spec.tick.as_ref()?.tick))
        .collect();
    let set: BTreeSet<Timestamp> = ticks.iter().copied().collect();
    check_eq!(set.len(), ticks.len(), "a tick has two jobs");
    Ok(set)
}
