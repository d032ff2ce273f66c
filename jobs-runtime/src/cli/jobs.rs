//! The verbs over the jobs of a store: `ls`, `show`, `stats`, `dead`, `retry`, `requeue`,
//! `cancel`. What they do is done by `admin`; here it is asked for, and shown.

use super::args::{DeadArgs, JobArgs, LsArgs, PageArgs, RequeueArgs, StoreArgs};
use super::out::{DIM, Out, inert};
use super::{OK, store};
use crate::Error;
use crate::client::Jobs;
use crate::contract::{JobFilter, JobView, PageCursor};
use crate::core::{Job, Payload, State, StepOutcome, StepRecord, Timestamp};
use serde_json::{Value, json};

pub(super) async fn ls(args: &LsArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let filter = JobFilter {
        queue: args.queue.clone(),
        name: args.name.clone(),
        state: args.state.as_deref().map(store::state).transpose()?,
        tenant: args.tenant.clone(),
        key: args.key.clone(),
    };
    page(&args.store, &filter, &args.page, out).await
}

pub(super) async fn dead(args: &DeadArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let filter = JobFilter {
        state: Some(State::Dead),
        ..JobFilter::default()
    };
    page(&args.store, &filter, &args.page, out).await
}

async fn page(
    from: &StoreArgs,
    filter: &JobFilter,
    args: &PageArgs,
    out: &mut Out<'_>,
) -> Result<u8, Error> {
    let after = args.after.as_deref().map(store::id).transpose()?;
    let jobs = store::connect(from).await?;
    let page = jobs
        .admin()
        .list(filter, after.map(PageCursor), usize::from(args.limit))
        .await?;
    jobs.close().await;
    let next = page.next.map(|next| next.0.to_string());
    if out.json {
        let rows: Vec<Value> = page.jobs.iter().map(row).collect();
        out.value(&json!({ "jobs": rows, "next": next }));
        return Ok(OK);
    }
    for job in &page.jobs {
        let (spec, head) = (&job.spec, &job.head);
        out.line(format_args!(
            "{}  {:<9}  {}  {DIM}{} {}/{} {}{DIM:#}",
            spec.id,
            head.state,
            inert(&spec.name),
            inert(&spec.queue),
            head.attempt,
            head.attempts_max,
            inert(spec.key.as_deref().unwrap_or_default()),
        ));
    }
    match next {
        Some(next) => out.line(format_args!("{DIM}more: --after {next}{DIM:#}")),
        None if page.jobs.is_empty() => out.line("no such job"),
        None => {}
    }
    Ok(OK)
}

pub(super) async fn show(args: &JobArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let id = store::id(&args.id)?;
    let jobs = store::connect(&args.store).await?;
    let view = jobs.admin().show(id).await?;
    jobs.close().await;
    let view = view.ok_or_else(|| Error::job_unknown(id))?;
    match out.json {
        true => out.value(&whole(&view)),
        false => lines(&view, out),
    }
    Ok(OK)
}

fn lines(view: &JobView, out: &mut Out<'_>) {
    let (spec, head) = (&view.job.spec, &view.job.head);
    out.line(format_args!("{}  {}", spec.id, inert(&spec.name)));
    out.line(format_args!(
        "state     {}, attempt {} of {}",
        head.state, head.attempt, head.attempts_max
    ));
    out.line(format_args!("queue     {}", inert(&spec.queue)));
    for (word, text) in [("key", &spec.key), ("tenant", &spec.tenant)] {
        if let Some(text) = text {
            out.line(format_args!("{word:<9} {}", inert(text)));
        }
    }
    for (word, at) in [
        ("enqueued", Some(head.enqueued_at)),
        ("started", head.started_at),
        ("ended", head.ended_at),
        ("visible", head.visible_at.filter(|_| head.state.is_live())),
    ] {
        if let Some(at) = at {
            out.line(format_args!("{word:<9} {}", instant(at)));
        }
    }
    out.line(format_args!("input     {}", inert(&text(&spec.input))));
    for record in &view.journal {
        out.line(format_args!(
            "{:>5}  {:<6}  {}  {DIM}{}{DIM:#}",
            record
                .position
                .map_or_else(|| "-".into(), |at| at.0.to_string()),
            record.kind,
            inert(&record.name),
            inert(&outcome(record)),
        ));
    }
    for line in &view.log {
        out.line(format_args!(
            "{DIM}{}{DIM:#}  {}",
            instant(line.at),
            inert(&line.text)
        ));
    }
}

pub(super) async fn stats(args: &StoreArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let jobs = store::connect(args).await?;
    let stats = jobs.admin().stats().await?;
    jobs.close().await;
    if out.json {
        let queues: Vec<Value> = stats
            .iter()
            .map(|it| {
                json!({
                    "queue": it.queue, "ready": it.ready, "delayed": it.delayed,
                    "running": it.running, "suspended": it.suspended, "dead": it.dead,
                    "oldest_ready_ms": it.oldest_ready.map(|age| age.0), "at_least": it.at_least,
                })
            })
            .collect();
        out.value(&json!({ "queues": queues }));
        return Ok(OK);
    }
    for it in &stats {
        let floor = if it.at_least { ", at least" } else { "" };
        let oldest = it.oldest_ready.map(|age| format!(", oldest {age}"));
        out.line(format_args!(
            "{}: {} ready{}, {} delayed, {} running, {} suspended, {} dead{floor}",
            inert(&it.queue),
            it.ready,
            oldest.unwrap_or_default(),
            it.delayed,
            it.running,
            it.suspended,
            it.dead,
        ));
    }
    if stats.is_empty() {
        out.line("no jobs");
    }
    Ok(OK)
}

pub(super) async fn requeue(args: &RequeueArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let id = store::id(&args.id)?;
    let jobs = store::connect(&args.store).await?;
    match &args.from_step {
        Some(step) => jobs.admin().requeue_from(id, step).await?,
        None => jobs.admin().requeue(id).await?,
    }
    done(&jobs, id, "requeued", out).await
}

pub(super) async fn retry(args: &JobArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let id = store::id(&args.id)?;
    let jobs = store::connect(&args.store).await?;
    jobs.admin().requeue(id).await?;
    done(&jobs, id, "requeued", out).await
}

pub(super) async fn cancel(args: &JobArgs, out: &mut Out<'_>) -> Result<u8, Error> {
    let id = store::id(&args.id)?;
    let jobs = store::connect(&args.store).await?;
    jobs.admin().cancel(id).await?;
    done(&jobs, id, "cancelled", out).await
}

async fn done(
    jobs: &Jobs,
    id: crate::core::JobId,
    what: &str,
    out: &mut Out<'_>,
) -> Result<u8, Error> {
    jobs.close().await;
    match out.json {
        true => out.value(&json!({ "id": id.to_string(), "done": what })),
        false => out.line(format_args!("{id} {what}")),
    }
    Ok(OK)
}

fn row(job: &Job) -> Value {
    let (spec, head) = (&job.spec, &job.head);
    json!({
        "id": spec.id.to_string(), "run": spec.run_id.to_string(), "name": spec.name,
        "queue": spec.queue, "key": spec.key, "tenant": spec.tenant,
        "state": head.state.as_str(), "attempt": head.attempt, "attempts_max": head.attempts_max,
        "enqueued_at_ms": head.enqueued_at.0, "started_at_ms": head.started_at.map(|at| at.0),
        "ended_at_ms": head.ended_at.map(|at| at.0), "visible_at_ms": head.visible_at.map(|at| at.0),
    })
}

fn whole(view: &JobView) -> Value {
    let steps: Vec<Value> = view
        .journal
        .iter()
        .map(|record| {
            let value = match &record.outcome {
                Some(StepOutcome::Done(payload)) => payload_value(payload),
                _ => Value::Null,
            };
            json!({
                "name": record.name, "kind": record.kind.as_str(),
                "position": record.position.map(|at| at.0), "attempts": record.attempts,
                "outcome": word(record), "value": value,
                "error": record.outcome.as_ref().and_then(StepOutcome::error).map(|it| it.message),
            })
        })
        .collect();
    let log: Vec<Value> = view
        .log
        .iter()
        .map(|line| json!({ "at_ms": line.at.0, "text": line.text }))
        .collect();
    let mut shown = row(&view.job);
    shown["input"] = payload_value(&view.job.spec.input);
    shown["steps"] = steps.into();
    shown["log"] = log.into();
    shown
}

/// A stored value as it is; one that a codec wrote is not for this program to read.
fn payload_value(payload: &Payload) -> Value {
    serde_json::from_slice(&payload.bytes).unwrap_or(Value::Null)
}

/// The longest value that is shown on a line, in letters.
const MAX_SHOWN_LETTERS: usize = 200;

fn text(payload: &Payload) -> String {
    let text = match std::str::from_utf8(&payload.bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => format!(
            "{} bytes, not readable without their codec",
            payload.bytes.len()
        ),
    };
    match text.char_indices().nth(MAX_SHOWN_LETTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn outcome(record: &StepRecord) -> String {
    match &record.outcome {
        Some(StepOutcome::Done(payload)) => text(payload),
        Some(other) => match other.error() {
            Some(error) => format!("{}: {}", word(record), error.message),
            None => word(record).to_owned(),
        },
        None => match record.wake_at {
            Some(at) => format!("pending, until {}", instant(at)),
            None => "pending".to_owned(),
        },
    }
}

fn word(record: &StepRecord) -> &'static str {
    match &record.outcome {
        None => "pending",
        Some(StepOutcome::Done(_)) => "done",
        Some(StepOutcome::Failed(_)) => "failed",
        Some(StepOutcome::Interrupted) => "interrupted",
        Some(StepOutcome::TimedOut) => "timed_out",
    }
}

/// In the notation of RFC 3339; in milliseconds if it lies outside of all calendars.
pub(super) fn instant(at: Timestamp) -> String {
    match jiff::Timestamp::from_millisecond(at.0) {
        Ok(at) => at.to_string(),
        Err(_) => format!("{} ms", at.0),
    }
}
