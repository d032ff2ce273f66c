//! `tasks`: when each task fires next, and what it passed over.

use super::args::StoreArgs;
use super::out::{BAD, DIM, Out, inert};
use super::{OK, store};
use crate::core::{Missed, Overlap, Plan, Skipped, Timestamp, Why};
use crate::{Error, TaskView};
use serde_json::{Value, json};

pub(super) async fn run(args: &StoreArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let jobs = store::connect(args).await?;
    let tasks = jobs.admin().tasks().await?;
    jobs.close().await;
    if out.json {
        let tasks: Vec<Value> = tasks.iter().map(value).collect();
        out.value(&json!({ "tasks": tasks }));
        return Ok(OK);
    }
    if tasks.is_empty() {
        out.line("no task");
    }
    for task in &tasks {
        lines(task, out);
    }
    Ok(OK)
}

fn lines(task: &TaskView, out: &mut Out<'_>) {
    let Plan { schedule, zone, .. } = &task.plan;
    out.line(format_args!(
        "{}  {DIM}{} in {}{DIM:#}",
        inert(&task.name),
        inert(schedule),
        inert(zone)
    ));
    let quiet = match (task.is_paused, &task.defined) {
        (true, _) => Some("paused"),
        (false, None) => Some("not defined in this program"),
        (false, Some(_)) if task.next.is_empty() => Some("no worker has seen it yet"),
        (false, Some(_)) => None,
    };
    if let Some(why) = quiet {
        out.line(format_args!("  {BAD}{why}{BAD:#}"));
    }
    for at in &task.next {
        out.line(format_args!("  next     {}", shown(*at, zone)));
    }
    if let Some(last) = &task.last {
        out.line(format_args!(
            "  last     {}  {DIM}{}{DIM:#}",
            shown(last.tick, zone),
            last.job
        ));
    }
    for Skipped { first, last, why } in &task.skipped {
        let why = match why {
            Why::Missed => "missed",
            Why::Overlap => "overlap",
        };
        out.line(format_args!(
            "  {why:<8} {} to {}",
            shown(*first, zone),
            shown(*last, zone)
        ));
    }
}

/// As the clock of the schedule's zone shows it.
fn shown(at: Timestamp, zone: &str) -> String {
    let local = crate::Tick::new(at, zone).local();
    local.map_or_else(|_| at.to_string(), |local| local.to_string())
}

fn value(task: &TaskView) -> Value {
    json!({
        "name": task.name,
        "plan": plan(&task.plan),
        "defined": task.defined.as_ref().map(plan),
        "paused": task.is_paused,
        "next": task.next,
        "last": task.last,
        "skipped": task.skipped,
    })
}

fn plan(plan: &Plan) -> Value {
    let missed = match plan.missed {
        Missed::All => "all",
        Missed::Last => "last",
        Missed::Skip => "skip",
    };
    let overlap = match plan.overlap {
        Overlap::Run => "run",
        Overlap::Skip => "skip",
    };
    json!({ "schedule": plan.schedule, "zone": plan.zone, "missed": missed, "overlap": overlap })
}
