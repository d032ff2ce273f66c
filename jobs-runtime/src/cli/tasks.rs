//! `jobs tasks`: what is scheduled, and when it fires next.

use super::args::StoreArgs;
use super::jobs::instant;
use super::out::{DIM, Out, inert};
use super::{OK, store};
use crate::Error;
use serde_json::{Value, json};

pub(super) async fn run(args: &StoreArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let jobs = store::connect(args).await?;
    let tasks = jobs.admin().tasks().await?;
    jobs.close().await;
    if out.json {
        let tasks: Vec<Value> = tasks
            .iter()
            .map(|task| {
                let next: Vec<i64> = task.next.iter().map(|at| at.0).collect();
                json!({
                    "name": task.name, "schedule": task.plan.schedule, "tz": task.plan.zone,
                    "paused": task.is_paused, "defined": task.defined.is_some(), "next_ms": next,
                    "last_ms": task.last.map(|made| made.tick.0),
                })
            })
            .collect();
        out.value(&json!({ "tasks": tasks }));
        return Ok(OK);
    }
    for task in &tasks {
        let note = match (&task.defined, task.is_paused) {
            (None, _) => ", not defined in this program",
            (_, true) => ", paused",
            _ => "",
        };
        out.line(format_args!(
            "{}  {} in {}{note}",
            inert(&task.name),
            inert(&task.plan.schedule),
            inert(&task.plan.zone)
        ));
        for at in &task.next {
            out.line(format_args!("    {DIM}{}{DIM:#}", instant(*at)));
        }
    }
    if tasks.is_empty() {
        out.line("no tasks");
    }
    Ok(OK)
}
