//! `jobs schedules`: what is scheduled and when it fires next, and the verbs on it. What they do is
//! done by `admin`; here it is asked for, and shown.

mod args;

pub(super) use args::SchedulesArgs;

use super::jobs::instant;
use super::out::{DIM, Out, inert};
use super::{OK, store};
use crate::Error;
use crate::client::Jobs;
use crate::core::{Missed, Overlap, Timestamp, Why};
use crate::error::codes::X_SCHEDULE_INVALID;
use crate::private::{IntoTick, IntoTimestamp};
use crate::schedule::{JobTemplate, ScheduleView};
use args::{BackfillArgs, ScheduleArgs, ScheduleCommand, SetArgs};
use serde_json::{Value, json};

pub(super) async fn run(args: &SchedulesArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let jobs = store::connect(args.command.store()).await?;
    let done = match &args.command {
        ScheduleCommand::List(_) => list(&jobs, out).await,
        ScheduleCommand::Show(args) => show(&jobs, args, out).await,
        ScheduleCommand::Set(args) => set(&jobs, args, out).await,
        ScheduleCommand::Pause(args) => {
            let done = jobs.admin().pause_schedule(&args.name).await;
            done.map(|()| said(args, "paused", out))
        }
        ScheduleCommand::Resume(args) => {
            let done = jobs.admin().resume_schedule(&args.name).await;
            done.map(|()| said(args, "resumed", out))
        }
        ScheduleCommand::Remove(args) => {
            let done = jobs.admin().remove_schedule(&args.name).await;
            done.map(|()| said(args, "removed", out))
        }
        ScheduleCommand::Backfill(args) => backfill(&jobs, args, out).await,
        ScheduleCommand::Run(args) => by_hand(&jobs, args, out).await,
    };
    jobs.close().await;
    done.map(|()| OK)
}

impl ScheduleCommand {
    fn store(&self) -> &super::args::StoreArgs {
        match self {
            ScheduleCommand::List(store) => store,
            ScheduleCommand::Show(args)
            | ScheduleCommand::Pause(args)
            | ScheduleCommand::Resume(args)
            | ScheduleCommand::Remove(args)
            | ScheduleCommand::Run(args) => &args.store,
            ScheduleCommand::Set(args) => &args.store,
            ScheduleCommand::Backfill(args) => &args.store,
        }
    }
}

async fn list(jobs: &Jobs, out: &mut Out<'_>) -> Result<(), Error> {
    let all = jobs.admin().schedules().await?;
    if out.json {
        let all: Vec<Value> = all.iter().map(value).collect();
        out.value(&json!({ "schedules": all }));
        return Ok(());
    }
    for view in &all {
        headline(view, out);
        ticks(view, out);
    }
    if all.is_empty() {
        out.line("no schedules");
    }
    Ok(())
}

async fn show(jobs: &Jobs, args: &ScheduleArgs, out: &mut Out<'_>) -> Result<(), Error> {
    let view = jobs.admin().show_schedule(&args.name).await?;
    tell(&view, out);
    Ok(())
}

async fn set(jobs: &Jobs, args: &SetArgs, out: &mut Out<'_>) -> Result<(), Error> {
    let mut job = JobTemplate::new(&args.job, &args.input);
    job.queue.clone_from(&args.queue);
    job.tenant.clone_from(&args.tenant);
    (job.priority, job.attempts) = (args.priority, args.attempts);
    let view = jobs
        .admin()
        .schedule(&args.name, &args.when)
        .zone(&args.zone)
        .missed(args.missed.into())
        .overlap(args.overlap.into())
        .set(job)
        .await?;
    tell(&view, out);
    Ok(())
}

async fn backfill(jobs: &Jobs, args: &BackfillArgs, out: &mut Out<'_>) -> Result<(), Error> {
    let (from, until) = (Bound::read(&args.from)?, Bound::read(&args.until)?);
    let filled = jobs.admin().backfill(&args.name, from, until).await?;
    if out.json {
        let millis = |ticks: &[Timestamp]| ticks.iter().map(|at| at.0).collect::<Vec<_>>();
        out.value(&json!({
            "name": args.name, "made_ms": millis(&filled.made), "there_ms": millis(&filled.there),
        }));
        return Ok(());
    }
    for at in &filled.made {
        out.line(format_args!("    {DIM}{}{DIM:#}", instant(*at)));
    }
    let (made, there) = (filled.made.len(), filled.there.len());
    out.line(format_args!("{made} ticks made, {there} were there"));
    Ok(())
}

async fn by_hand(jobs: &Jobs, args: &ScheduleArgs, out: &mut Out<'_>) -> Result<(), Error> {
    let made = jobs.admin().run_schedule(&args.name).await?;
    match out.json {
        true => out.value(&json!({ "name": args.name, "job": made.id.to_string() })),
        false => out.line(format_args!("enqueued {}", made.id)),
    }
    Ok(())
}

fn said(args: &ScheduleArgs, what: &str, out: &mut Out<'_>) {
    match out.json {
        true => out.value(&json!({ "name": args.name, "done": what })),
        false => out.line(format_args!("{what} {}", inert(&args.name))),
    }
}

/// A bound of a span, as people write it.
enum Bound {
    At(Timestamp),
    Shown(jiff::civil::DateTime),
}

impl Bound {
    fn read(text: &str) -> Result<Self, Error> {
        if let Ok(at) = text.parse::<jiff::Timestamp>() {
            return Ok(Bound::At(at.into_timestamp()));
        }
        text.parse().map(Bound::Shown).map_err(|why: jiff::Error| {
            Error::new(
                &X_SCHEDULE_INVALID,
                format!("\"{text}\" is no time: {why}"),
                "write an instant, as in 2026-03-01T00:00:00Z, or a date or time in the schedule's zone, as in 2026-03-01 or 2026-03-01T06:00",
            )
        })
    }
}

impl IntoTick for Bound {
    fn into_tick(self, zone: &jiff::tz::TimeZone) -> Option<Timestamp> {
        match self {
            Bound::At(at) => Some(at),
            Bound::Shown(shown) => shown.into_tick(zone),
        }
    }
}

fn value(view: &ScheduleView) -> Value {
    let next: Vec<i64> = view.next.iter().map(|at| at.0).collect();
    let skipped = view
        .skipped
        .iter()
        .map(|it| json!({ "first_ms": it.first.0, "last_ms": it.last.0, "why": why(it.why) }));
    let job = view.job.as_ref().map(|job| {
        json!({
            "name": job.name, "input": serde_json::from_str::<Value>(&job.input).ok(),
            "queue": job.queue, "tenant": job.tenant, "priority": job.priority,
            "attempts": job.attempts, "labels": job.labels,
        })
    });
    json!({
        "name": view.name, "schedule": view.plan.schedule, "tz": view.plan.zone,
        "missed": missed(view.plan.missed), "overlap": overlap(view.plan.overlap),
        "task": view.defined.is_some(), "job": job, "paused": view.is_paused, "next_ms": next,
        "last_ms": view.last.map(|made| made.tick.0),
        "last_job": view.last.map(|made| made.job.to_string()),
        "skipped": skipped.collect::<Vec<_>>(), "trouble": view.trouble,
    })
}

fn tell(view: &ScheduleView, out: &mut Out<'_>) {
    if out.json {
        return out.value(&value(view));
    }
    headline(view, out);
    let (missed, overlap) = (missed(view.plan.missed), overlap(view.plan.overlap));
    out.line(format_args!("    missed {missed}, overlap {overlap}"));
    if let Some(job) = &view.job {
        let (name, input) = (inert(&job.name), inert(&job.input));
        out.line(format_args!("    enqueues {name} {input}"));
    }
    ticks(view, out);
    for it in &view.skipped {
        let (first, last) = (instant(it.first), instant(it.last));
        out.line(format_args!(
            "    passed over {first} to {last}: {}",
            why(it.why)
        ));
    }
}

fn headline(view: &ScheduleView, out: &mut Out<'_>) {
    let kind = match (&view.job, &view.defined) {
        (None, None) => ", a task of another program",
        (None, Some(_)) => ", a task",
        (Some(_), _) => "",
    };
    let paused = if view.is_paused { ", paused" } else { "" };
    out.line(format_args!(
        "{}  {} in {}{kind}{paused}",
        inert(&view.name),
        inert(&view.plan.schedule),
        inert(&view.plan.zone)
    ));
    if let Some(trouble) = &view.trouble {
        out.line(format_args!(
            "    not made by this program: {}",
            inert(trouble)
        ));
    }
}

fn ticks(view: &ScheduleView, out: &mut Out<'_>) {
    if let Some(last) = &view.last {
        out.line(format_args!(
            "    last {} as {}",
            instant(last.tick),
            last.job
        ));
    }
    for at in &view.next {
        out.line(format_args!("    {DIM}{}{DIM:#}", instant(*at)));
    }
}

fn missed(missed: Missed) -> &'static str {
    match missed {
        Missed::All => "all",
        Missed::Last => "last",
        Missed::Skip => "skip",
    }
}

fn overlap(overlap: Overlap) -> &'static str {
    match overlap {
        Overlap::Run => "run",
        Overlap::Skip => "skip",
    }
}

fn why(why: Why) -> &'static str {
    match why {
        Why::Missed => "missed",
        Why::Overlap => "the job before was live",
    }
}
