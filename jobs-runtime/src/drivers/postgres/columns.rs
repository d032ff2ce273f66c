//! Reading rows: one column after the other, in the order of the statement.

use super::fault::Fault;
use super::text;
use crate::core::{
    Chain, CommitNumber, EventId, Head, InboxContent, JobId, JobNotes, JobSpec, Millis, Payload,
    Position, Priority, RecordKind, RunId, StepOutcome, StepRecord, StoredError, Timestamp, Token,
    WaitSpec,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sqlx::postgres::{PgRow, Postgres};
use sqlx::{Decode, Row as _, Type};
use std::str::FromStr;
use uuid::Uuid;

pub(super) struct Columns<'r> {
    row: &'r PgRow,
    next: usize,
}

impl<'r> Columns<'r> {
    pub(super) fn of(row: &'r PgRow) -> Self {
        Columns { row, next: 0 }
    }

    pub(super) fn take<T: Decode<'r, Postgres> + Type<Postgres>>(&mut self) -> Result<T, Fault> {
        let value = self.row.try_get(self.next)?;
        self.next += 1;
        Ok(value)
    }

    pub(super) fn text(&mut self) -> Result<String, Fault> {
        Ok(text::read(self.take()?))
    }

    pub(super) fn maybe_text(&mut self) -> Result<Option<String>, Fault> {
        Ok(self.take::<Option<String>>()?.map(text::read))
    }

    pub(super) fn bits(&mut self) -> Result<u64, Fault> {
        Ok(self.take::<i64>()?.cast_unsigned())
    }

    pub(super) fn number<T: TryFrom<i64>>(&mut self) -> Result<T, Fault> {
        let value: i64 = self.take()?;
        T::try_from(value).map_err(|_| Fault::Corrupt(format!("{value} is out of range")))
    }

    pub(super) fn instant(&mut self) -> Result<Timestamp, Fault> {
        self.take().map(Timestamp)
    }

    pub(super) fn maybe_instant(&mut self) -> Result<Option<Timestamp>, Fault> {
        Ok(self.take::<Option<i64>>()?.map(Timestamp))
    }

    pub(super) fn maybe_span(&mut self) -> Result<Option<Millis>, Fault> {
        let span: Option<i64> = self.take()?;
        Ok(span.map(|span| Millis(span.cast_unsigned())))
    }

    pub(super) fn job(&mut self) -> Result<JobId, Fault> {
        Ok(JobId::from_bytes(self.take::<Uuid>()?.into_bytes()))
    }

    pub(super) fn maybe_job(&mut self) -> Result<Option<JobId>, Fault> {
        let id: Option<Uuid> = self.take()?;
        Ok(id.map(|id| JobId::from_bytes(id.into_bytes())))
    }

    pub(super) fn run(&mut self) -> Result<RunId, Fault> {
        Ok(RunId::from_bytes(self.take::<Uuid>()?.into_bytes()))
    }

    pub(super) fn maybe_run(&mut self) -> Result<Option<RunId>, Fault> {
        let id: Option<Uuid> = self.take()?;
        Ok(id.map(|id| RunId::from_bytes(id.into_bytes())))
    }

    pub(super) fn event(&mut self) -> Result<EventId, Fault> {
        Ok(EventId::from_bytes(self.take::<Uuid>()?.into_bytes()))
    }

    pub(super) fn maybe_event(&mut self) -> Result<Option<EventId>, Fault> {
        let id: Option<Uuid> = self.take()?;
        Ok(id.map(|id| EventId::from_bytes(id.into_bytes())))
    }

    pub(super) fn json<T: DeserializeOwned>(&mut self) -> Result<T, Fault> {
        from_json(&self.take::<String>()?)
    }

    pub(super) fn maybe_json<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Fault> {
        let text: Option<String> = self.take()?;
        text.as_deref().map(from_json).transpose()
    }

    pub(super) fn payload(&mut self) -> Result<Payload, Fault> {
        let codec: i32 = self.take()?;
        Ok(Payload {
            codec: u16::try_from(codec)
                .map_err(|_| Fault::Corrupt(format!("{codec} is no codec")))?,
            bytes: self.take()?,
        })
    }

    /// The columns of a job: its spec without what [`Columns::rest`] brings, its head and notes.
    pub(super) fn job_row(&mut self) -> Result<(JobSpec, Head, JobNotes), Fault> {
        let mut spec = JobSpec {
            id: self.job()?,
            run_id: self.run()?,
            name: self.text()?,
            scope: self.text()?,
            queue: self.text()?,
            key: self.maybe_text()?,
            input: missing_input(),
            priority: self.priority()?,
            tenant: self.maybe_text()?,
            limit_key: self.maybe_text()?,
            rate_key: self.maybe_text()?,
            visibility_timeout: None,
            expires_at: None,
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
        // Whose child it is stands here for the index, and as a whole in the rest.
        let _parent: Option<JobId> = self.maybe_job()?;
        let (chain, since) = (self.maybe_run()?, self.maybe_instant()?);
        spec.chain = chain.zip(since).map(|(run, since)| Chain { run, since });
        spec.visibility_timeout = self.maybe_span()?;
        spec.expires_at = self.maybe_instant()?;
        let head = self.head()?;
        let worker = self.maybe_text()?;
        let notes: Option<JobNotes> = self.maybe_json()?;
        let notes = JobNotes {
            worker,
            ..notes.unwrap_or_default()
        };
        Ok((spec, head, notes))
    }

    fn priority(&mut self) -> Result<Priority, Fault> {
        let level: i16 = self.take()?;
        Ok(Priority::new(u8::try_from(level).unwrap_or(u8::MAX)))
    }

    fn head(&mut self) -> Result<Head, Fault> {
        Ok(Head {
            state: named(&self.take::<String>()?)?,
            revision: self.bits()?,
            attempt: self.number()?,
            attempts_max: self.number()?,
            lease_losses: self.number()?,
            token: self.token()?,
            visible_at: self.maybe_instant()?,
            nudge: self.bits()?,
            next_position: Position(self.number()?),
            last_commit: CommitNumber {
                token: self.token()?,
                number: self.bits()?,
            },
            cancel_requested: self.take()?,
            enqueued_at: self.instant()?,
            started_at: self.maybe_instant()?,
            last_change: self.take::<Option<i64>>()?.map(i64::cast_unsigned),
            ended_at: None,
        })
    }

    fn token(&mut self) -> Result<Token, Fault> {
        Ok(Token {
            epoch: self.bits()?,
            nonce: self.bits()?,
        })
    }

    /// The input and the rest of a spec.
    pub(super) fn rest(&mut self, spec: &mut JobSpec) -> Result<(), Fault> {
        spec.input = self.payload()?;
        let rest: Option<Rest> = self.maybe_json()?;
        rest.unwrap_or_default().put_into(spec);
        Ok(())
    }

    /// A record, after the id of its job.
    pub(super) fn record(&mut self) -> Result<StepRecord, Fault> {
        let name = self.text()?;
        let text: String = self.take()?;
        let mut kinds = RecordKind::ALL.into_iter();
        let kind = kinds.find(|kind| kind.as_str() == text);
        let kind = kind.ok_or_else(|| unknown("a kind of a record", &text))?;
        let position: Option<i64> = self.take()?;
        let outcome: Option<String> = self.take()?;
        let mut record = StepRecord::pending(name, kind, Timestamp(0));
        record.position = match position {
            None => None,
            Some(position) => {
                Some(Position(u32::try_from(position).map_err(|_| {
                    Fault::Corrupt(format!("{position} is no position"))
                })?))
            }
        };
        record.fingerprint = self.bits()?;
        record.attempts = self.number()?;
        record.started_at = self.instant()?;
        record.completed_at = self.maybe_instant()?;
        record.event = self.maybe_event()?;
        record.child = self.maybe_job()?;
        let codec: Option<i32> = self.take()?;
        let output: Option<Vec<u8>> = self.take()?;
        let more: Option<More> = self.maybe_json()?;
        let more = more.unwrap_or_default();
        record.wake_at = more.wake_at;
        record.wait = more.wait;
        record.last_error = more.last_error;
        record.copied_from = more.copied_from;
        record.outcome = match (outcome.as_deref(), output, more.error) {
            (None, _, _) => None,
            (Some("done"), Some(bytes), _) => Some(StepOutcome::Done(Payload {
                codec: codec.and_then(|it| u16::try_from(it).ok()).unwrap_or(0),
                bytes,
            })),
            (Some("failed"), _, Some(error)) => Some(StepOutcome::Failed(error)),
            (Some("interrupted"), _, _) => Some(StepOutcome::Interrupted),
            (Some("timed_out"), _, _) => Some(StepOutcome::TimedOut),
            (Some(other), _, _) => return Err(unknown("a whole outcome of a step", other)),
        };
        Ok(record)
    }

    /// An item of an inbox, after the id of its job.
    pub(super) fn item(&mut self) -> Result<(u64, InboxContent), Fault> {
        Ok((self.bits()?, self.json()?))
    }
}

/// What stands in a spec whose input was not read. No codec has this number.
pub(super) fn missing_input() -> Payload {
    Payload {
        codec: u16::MAX,
        bytes: Vec::new(),
    }
}

pub(super) fn is_missing(input: &Payload) -> bool {
    input.codec == u16::MAX
}

/// What few specs have, as JSON.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Rest {
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<crate::core::Parent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tick: Option<crate::core::TickRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_context: Option<String>,
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    labels: std::collections::BTreeMap<String, String>,
    #[serde(skip_serializing_if = "is_zero")]
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    fork_of: Option<RunId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    continued_from: Option<RunId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    on_cancel: Option<crate::core::CleanUp>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Rest {
    pub(super) fn of(spec: &JobSpec) -> Self {
        Rest {
            parent: spec.parent.clone(),
            tick: spec.tick.clone(),
            trace_context: spec.trace_context.clone(),
            labels: spec.labels.clone(),
            version: spec.version,
            fork_of: spec.fork_of,
            continued_from: spec.continued_from,
            on_cancel: spec.on_cancel.clone(),
        }
    }

    fn put_into(self, spec: &mut JobSpec) {
        spec.parent = self.parent;
        spec.tick = self.tick;
        spec.trace_context = self.trace_context;
        spec.labels = self.labels;
        spec.version = self.version;
        spec.fork_of = self.fork_of;
        spec.continued_from = self.continued_from;
        spec.on_cancel = self.on_cancel;
    }
}

/// What few records have, as JSON.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct More {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) wake_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) wait: Option<WaitSpec>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) last_error: Option<StoredError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) copied_from: Option<RunId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<StoredError>,
}

pub(super) fn to_json(value: &impl Serialize) -> Result<String, Fault> {
    serde_json::to_string(value).map_err(|error| Fault::Corrupt(error.to_string()))
}

fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    serde_json::from_str(text)
        .map_err(|error| Fault::Corrupt(format!("a value is no JSON: {error}")))
}

fn named<T: FromStr>(text: &str) -> Result<T, Fault> {
    text.parse().map_err(|_| unknown("a state of a job", text))
}

fn unknown(what: &str, text: &str) -> Fault {
    Fault::Corrupt(format!("\"{text}\" is not {what}"))
}
