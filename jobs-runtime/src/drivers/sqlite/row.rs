//! How values lie in rows: a column of the schema for each field, in the order of the statements.

use super::db::{Columns, Db, write_json};
use super::fault::Fault;
use super::sql;
use crate::core::{
    Chain, CommitNumber, Head, Job, JobId, JobNotes, JobSpec, Lane, Millis, Parent, Payload,
    Position, Priority, RecordKind, RunId, StepOutcome, StepRecord, TickRef, Timestamp, Token,
};
use rusqlite::params;
use std::str::FromStr;

pub(super) fn millis(span: Option<Millis>) -> Option<i64> {
    span.map(|span| span.0.cast_signed())
}

pub(super) fn instant(at: Option<Timestamp>) -> Option<i64> {
    at.map(|at| at.0)
}

fn number<T: TryFrom<i64>>(value: i64) -> Result<T, Fault> {
    T::try_from(value).map_err(|_| Fault::Corrupt(format!("{value} is out of range")))
}

/// Stores the row of a live job and what does not change of it.
pub(super) fn insert_job(db: Db<'_>, job: &Job) -> Result<(), Fault> {
    let (spec, head) = (&job.spec, &job.head);
    db.run(
        sql::ENQUEUE_INSERT,
        params![
            spec.id.as_bytes(),
            spec.run_id.as_bytes(),
            spec.name,
            spec.scope,
            spec.queue,
            spec.key,
            spec.priority.level(),
            spec.tenant,
            millis(spec.visibility_timeout),
            instant(spec.expires_at),
            spec.limit_key,
            spec.rate_key,
            head.state.as_str(),
            head.revision.cast_signed(),
            head.attempt,
            head.attempts_max,
            head.lease_losses,
            head.token.epoch.cast_signed(),
            head.token.nonce.cast_signed(),
            instant(head.visible_at),
            head.nudge.cast_signed(),
            head.next_position.0,
            head.last_commit.token.epoch.cast_signed(),
            head.last_commit.token.nonce.cast_signed(),
            head.last_commit.number.cast_signed(),
            head.cancel_requested,
            head.enqueued_at.0,
            instant(head.started_at),
            head.last_change.map(u64::cast_signed),
            job.notes.worker,
            Lane::of(spec).text(),
        ],
    )?;
    let parent = spec.parent.as_ref();
    let tick = spec.tick.as_ref();
    db.run(
        sql::ENQUEUE_SPEC,
        params![
            spec.id.as_bytes(),
            parent.map(|parent| parent.job.as_bytes()),
            parent.map(|parent| parent.run.as_bytes()),
            parent.map(|parent| &parent.step),
            tick.map(|tick| &tick.schedule),
            tick.map(|tick| tick.tick.0),
            spec.trace_context,
            write_json(&spec.labels)?,
            spec.version,
            spec.fork_of.as_ref().map(RunId::as_bytes),
            spec.continued_from.as_ref().map(RunId::as_bytes),
            spec.input.codec,
            spec.input.bytes,
            spec.on_cancel.as_ref().map(write_json).transpose()?,
            spec.chain.as_ref().map(|chain| chain.run.as_bytes()),
            spec.chain.map(|chain| chain.since.0),
        ],
    )?;
    Ok(())
}

/// Replaces the head of a live row.
pub(super) fn update_head(db: Db<'_>, id: JobId, head: &Head) -> Result<(), Fault> {
    db.run(
        sql::HEAD_UPDATE,
        params![
            id.as_bytes(),
            head.state.as_str(),
            head.revision.cast_signed(),
            head.attempt,
            head.attempts_max,
            head.lease_losses,
            head.token.epoch.cast_signed(),
            head.token.nonce.cast_signed(),
            instant(head.visible_at),
            head.nudge.cast_signed(),
            head.next_position.0,
            head.last_commit.token.epoch.cast_signed(),
            head.last_commit.token.nonce.cast_signed(),
            head.last_commit.number.cast_signed(),
            head.cancel_requested,
            instant(head.started_at),
            head.last_change.map(u64::cast_signed),
        ],
    )?;
    Ok(())
}

/// Reads a live head: seventeen columns.
pub(super) fn read_head(columns: &mut Columns<'_, '_>) -> Result<Head, Fault> {
    Ok(Head {
        state: named(&columns.take::<String>()?)?,
        revision: columns.bits()?,
        attempt: number(columns.take()?)?,
        attempts_max: number(columns.take()?)?,
        lease_losses: number(columns.take()?)?,
        token: Token {
            epoch: columns.bits()?,
            nonce: columns.bits()?,
        },
        visible_at: columns.maybe_instant()?,
        nudge: columns.bits()?,
        next_position: Position(number(columns.take()?)?),
        last_commit: CommitNumber {
            token: Token {
                epoch: columns.bits()?,
                nonce: columns.bits()?,
            },
            number: columns.bits()?,
        },
        cancel_requested: columns.take()?,
        enqueued_at: columns.instant()?,
        started_at: columns.maybe_instant()?,
        last_change: columns.take::<Option<i64>>()?.map(i64::cast_unsigned),
        ended_at: None,
    })
}

/// Reads a whole live job, as `job_load` and `list_live` list its columns.
pub(super) fn read_job(columns: &mut Columns<'_, '_>) -> Result<Job, Fault> {
    let mut spec = JobSpec {
        id: columns.id(JobId::from_bytes)?,
        run_id: columns.id(RunId::from_bytes)?,
        name: columns.take()?,
        scope: columns.take()?,
        queue: columns.take()?,
        key: columns.take()?,
        input: Payload::json(Vec::new()),
        priority: Priority::new(number(columns.take()?)?),
        tenant: columns.take()?,
        visibility_timeout: columns
            .take::<Option<i64>>()?
            .map(|span| Millis(span.cast_unsigned())),
        expires_at: columns.maybe_instant()?,
        limit_key: columns.take()?,
        rate_key: columns.take()?,
        parent: None,
        tick: None,
        trace_context: None,
        labels: Default::default(),
        version: 0,
        fork_of: None,
        continued_from: None,
        chain: None,
        on_cancel: None,
    };
    let head = read_head(columns)?;
    let worker = columns.take()?;
    let parent_job = columns.maybe_id(JobId::from_bytes)?;
    let parent_run = columns.maybe_id(RunId::from_bytes)?;
    let parent_step: Option<String> = columns.take()?;
    if let (Some(job), Some(run), Some(step)) = (parent_job, parent_run, parent_step) {
        spec.parent = Some(Parent { job, run, step });
    }
    let schedule: Option<String> = columns.take()?;
    let tick = columns.maybe_instant()?;
    spec.tick = schedule
        .zip(tick)
        .map(|(schedule, tick)| TickRef { schedule, tick });
    spec.trace_context = columns.take()?;
    spec.labels = columns.json()?;
    spec.version = number(columns.take()?)?;
    spec.fork_of = columns.maybe_id(RunId::from_bytes)?;
    spec.continued_from = columns.maybe_id(RunId::from_bytes)?;
    spec.input = Payload {
        codec: number(columns.take()?)?,
        bytes: columns.take()?,
    };
    spec.on_cancel = columns.maybe_json()?;
    let chain = columns.maybe_id(RunId::from_bytes)?;
    spec.chain = chain
        .zip(columns.maybe_instant()?)
        .map(|(run, since)| Chain { run, since });
    let notes: Option<JobNotes> = columns.maybe_json()?;
    Ok(Job {
        spec,
        head,
        notes: JobNotes {
            worker,
            ..notes.unwrap_or_default()
        },
    })
}

/// Inserts a record, or puts it in the place of its earlier form.
pub(super) fn upsert_step(db: Db<'_>, job: JobId, record: &StepRecord) -> Result<(), Fault> {
    let (outcome, error, payload) = match &record.outcome {
        None => (None, None, None),
        Some(StepOutcome::Done(payload)) => (Some("done"), None, Some(payload)),
        Some(StepOutcome::Failed(error)) => (Some("failed"), Some(error), None),
        Some(StepOutcome::Interrupted) => (Some("interrupted"), None, None),
        Some(StepOutcome::TimedOut) => (Some("timed_out"), None, None),
    };
    db.run(
        sql::STEP_UPSERT,
        params![
            job.as_bytes(),
            record.name,
            record.kind.as_str(),
            record.position.map(|at| at.0),
            outcome,
            record.fingerprint.cast_signed(),
            record.attempts,
            record.started_at.0,
            instant(record.completed_at),
            instant(record.wake_at),
            record.wait.as_ref().map(write_json).transpose()?,
            record.event.as_ref().map(|id| id.as_bytes()),
            record.child.as_ref().map(|id| id.as_bytes()),
            record.last_error.as_ref().map(write_json).transpose()?,
            record.copied_from.as_ref().map(RunId::as_bytes),
            error.map(write_json).transpose()?,
            payload.map(|payload| payload.codec),
            payload.map(|payload| &payload.bytes),
        ],
    )?;
    Ok(())
}

/// The journal of a live job: delivered records by position, then pending ones by name.
pub(super) fn journal(db: Db<'_>, job: JobId) -> Result<Vec<StepRecord>, Fault> {
    db.all(sql::STEP_LOAD, [job.as_bytes()], read_step)
}

fn read_step(columns: &mut Columns<'_, '_>) -> Result<StepRecord, Fault> {
    let name: String = columns.take()?;
    let kind: String = columns.take()?;
    let position: Option<i64> = columns.take()?;
    let outcome: Option<String> = columns.take()?;
    let mut record = StepRecord {
        kind: RecordKind::ALL
            .into_iter()
            .find(|known| known.as_str() == kind)
            .ok_or_else(|| unknown("a kind of step", &kind))?,
        name,
        position: position.map(number).transpose()?.map(Position),
        outcome: None,
        fingerprint: columns.bits()?,
        attempts: number(columns.take()?)?,
        started_at: columns.instant()?,
        completed_at: columns.maybe_instant()?,
        wake_at: columns.maybe_instant()?,
        wait: columns.maybe_json()?,
        event: columns.maybe_id(crate::core::EventId::from_bytes)?,
        child: columns.maybe_id(JobId::from_bytes)?,
        last_error: columns.maybe_json()?,
        copied_from: columns.maybe_id(RunId::from_bytes)?,
    };
    record.outcome = match outcome.as_deref() {
        None => None,
        Some("done") => {
            columns.take::<Option<String>>()?;
            Some(StepOutcome::Done(Payload {
                codec: number(columns.take()?)?,
                bytes: columns.take()?,
            }))
        }
        Some("failed") => Some(StepOutcome::Failed(columns.json()?)),
        Some("interrupted") => Some(StepOutcome::Interrupted),
        Some("timed_out") => Some(StepOutcome::TimedOut),
        Some(other) => return Err(unknown("an outcome of a step", other)),
    };
    Ok(record)
}

fn named<T: FromStr>(text: &str) -> Result<T, Fault> {
    text.parse().map_err(|_| unknown("a state of a job", text))
}

fn unknown(what: &str, text: &str) -> Fault {
    Fault::Corrupt(format!("\"{text}\" is not {what}"))
}
