//! Rows of one kind as arrays, a column each: one statement stores them all.

use super::notes;
use crate::core::{JobId, Lane, StepOutcome, StepRecord};
use crate::drivers::model::Row;
use crate::drivers::postgres::columns::{More, Rest, is_missing, to_json};
use crate::drivers::postgres::fault::Fault;
use crate::drivers::postgres::load::{uuid, uuid_of_run};
use crate::drivers::postgres::statements::Sql;
use crate::drivers::postgres::text::{maybe, stored_owned};
use crate::drivers::postgres::work::Tx;
use uuid::Uuid;

/// Defines arrays of columns, how a row is pushed onto them, and how all are stored by a statement.
macro_rules! arrays {
    ($(#[$doc:meta])* $name:ident { $first:ident: $kind:ty, $($column:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Default)]
        pub(super) struct $name { $first: Vec<$kind>, $($column: Vec<$type>,)* }

        impl $name {
            #[allow(clippy::too_many_arguments, reason = "a row has as many columns as it has")]
            pub(super) fn add(&mut self, $first: $kind, $($column: $type),*) {
                self.$first.push($first);
                $(self.$column.push($column);)*
            }

            /// Nothing is done if there are no rows.
            pub(super) async fn store(self, tx: &mut Tx<'_>, sql: &Sql) -> Result<(), Fault> {
                if self.$first.is_empty() {
                    return Ok(());
                }
                tx.run(sqlx::query(sql).bind(self.$first)$(.bind(self.$column))*).await
            }
        }
    };
}

arrays! {
    /// The heads of live rows.
    Heads {
        id: Uuid, state: &'static str, revision: i64, attempt: i64, attempts_max: i64,
        lease_losses: i64, epoch: i64, nonce: i64, visible_at: Option<i64>, nudge: i64,
        next_position: i64, commit_epoch: i64, commit_nonce: i64, commit_number: i64,
        cancel_requested: bool, started_at: Option<i64>, last_change: Option<i64>,
        worker: Option<String>, notes: Option<String>, chain: Option<Uuid>,
        chain_since: Option<i64>, last: Option<i64>,
    }
}

impl Heads {
    /// A row that stays live; its last column is its expiry.
    pub(super) fn push(&mut self, row: &Row) -> Result<(), Fault> {
        self.push_with(row, row.spec.expires_at.map(|at| at.0))
    }

    fn push_with(&mut self, row: &Row, last: Option<i64>) -> Result<(), Fault> {
        let head = &row.head;
        self.add(
            uuid(row.spec.id),
            head.state.as_str(),
            head.revision.cast_signed(),
            head.attempt.into(),
            head.attempts_max.into(),
            head.lease_losses.into(),
            head.token.epoch.cast_signed(),
            head.token.nonce.cast_signed(),
            head.visible_at.map(|at| at.0),
            head.nudge.cast_signed(),
            head.next_position.0.into(),
            head.last_commit.token.epoch.cast_signed(),
            head.last_commit.token.nonce.cast_signed(),
            head.last_commit.number.cast_signed(),
            head.cancel_requested,
            head.started_at.map(|at| at.0),
            head.last_change.map(u64::cast_signed),
            maybe(row.notes.worker.as_deref()),
            notes(row)?,
            row.spec.chain.map(|chain| uuid_of_run(chain.run)),
            row.spec.chain.map(|chain| chain.since.0),
            last,
        );
        Ok(())
    }
}

/// Jobs that have ended: their heads, with the instant of the end in the last column.
#[derive(Default)]
pub(super) struct Ends(Heads);

impl Ends {
    pub(super) fn push(&mut self, row: &Row) -> Result<(), Fault> {
        let ended_at = row.head.ended_at.map(|at| at.0);
        self.0.push_with(row, ended_at)
    }

    pub(super) async fn store(self, tx: &mut Tx<'_>, sql: &Sql) -> Result<(), Fault> {
        self.0.store(tx, sql).await
    }
}

arrays! {
    /// New live rows.
    Rows {
        id: Uuid, run_id: Uuid, name: String, scope: String, queue: String, key: Option<String>,
        priority: i16, tenant: Option<String>, lane: String, limit_key: Option<String>,
        rate_key: Option<String>, parent_job: Option<Uuid>, chain: Option<Uuid>,
        chain_since: Option<i64>, visibility_timeout: Option<i64>,
        expires_at: Option<i64>, state: &'static str, revision: i64, attempt: i64,
        attempts_max: i64, lease_losses: i64, epoch: i64, nonce: i64, visible_at: Option<i64>,
        nudge: i64, next_position: i64, commit_epoch: i64, commit_nonce: i64, commit_number: i64,
        cancel_requested: bool, enqueued_at: i64, started_at: Option<i64>,
        last_change: Option<i64>, worker: Option<String>, notes: Option<String>,
    }
}

arrays! {
    /// What no decision reads of a spec.
    Specs { job: Uuid, codec: i32, input: Vec<u8>, rest: Option<String>, }
}

/// New jobs. One that has ended already is stored as a live one first, and moved then.
#[derive(Default)]
pub(super) struct NewJobs {
    rows: Rows,
    specs: Specs,
}

impl NewJobs {
    pub(super) fn push(&mut self, row: &Row) -> Result<(), Fault> {
        let (spec, head) = (&row.spec, &row.head);
        let is_live = head.state.is_live();
        let state = if is_live {
            head.state.as_str()
        } else {
            "suspended"
        };
        self.rows.add(
            uuid(spec.id),
            uuid_of_run(spec.run_id),
            stored_owned(&spec.name),
            stored_owned(&spec.scope),
            stored_owned(&spec.queue),
            maybe(spec.key.as_deref()),
            spec.priority.level().into(),
            maybe(spec.tenant.as_deref()),
            stored_owned(&Lane::of(spec).text()),
            maybe(spec.limit_key.as_deref()),
            maybe(spec.rate_key.as_deref()),
            spec.parent.as_ref().map(|parent| uuid(parent.job)),
            spec.chain.map(|chain| uuid_of_run(chain.run)),
            spec.chain.map(|chain| chain.since.0),
            spec.visibility_timeout.map(|span| span.0.cast_signed()),
            spec.expires_at.map(|at| at.0),
            state,
            head.revision.cast_signed(),
            head.attempt.into(),
            head.attempts_max.into(),
            head.lease_losses.into(),
            head.token.epoch.cast_signed(),
            head.token.nonce.cast_signed(),
            head.visible_at.map(|at| at.0),
            head.nudge.cast_signed(),
            head.next_position.0.into(),
            head.last_commit.token.epoch.cast_signed(),
            head.last_commit.token.nonce.cast_signed(),
            head.last_commit.number.cast_signed(),
            head.cancel_requested,
            head.enqueued_at.0,
            head.started_at.map(|at| at.0),
            head.last_change.map(u64::cast_signed),
            maybe(row.notes.worker.as_deref()),
            notes(row)?,
        );
        let rest = Rest::of(spec);
        let rest = match rest == Rest::default() {
            true => None,
            false => Some(to_json(&rest)?),
        };
        self.specs.add(
            uuid(spec.id),
            spec.input.codec.into(),
            spec.input.bytes.clone(),
            rest,
        );
        Ok(())
    }

    pub(super) async fn store(self, tx: &mut Tx<'_>) -> Result<(), Fault> {
        let sql = tx.sql;
        self.rows.store(tx, &sql.job_insert).await?;
        self.specs.store(tx, &sql.spec_insert).await
    }
}

arrays! {
    /// Other inputs for jobs that are there.
    Inputs { job: Uuid, codec: i32, input: Vec<u8>, }
}

impl Inputs {
    pub(super) fn push(&mut self, row: &Row) {
        // A row that was loaded since without its input says nothing about it.
        if !is_missing(&row.spec.input) {
            let input = &row.spec.input;
            self.add(uuid(row.spec.id), input.codec.into(), input.bytes.clone());
        }
    }
}

arrays! {
    /// Records of journals.
    Records {
        job: Uuid, name: String, kind: &'static str, position: Option<i64>,
        outcome: Option<&'static str>, fingerprint: i64, attempts: i64, started_at: i64,
        completed_at: Option<i64>, event: Option<Uuid>, child: Option<Uuid>, codec: Option<i32>,
        output: Option<Vec<u8>>, more: Option<String>,
    }
}

impl Records {
    pub(super) fn push(&mut self, job: JobId, record: &StepRecord) -> Result<(), Fault> {
        let (outcome, output, error) = match &record.outcome {
            None => (None, None, None),
            Some(StepOutcome::Done(payload)) => (Some("done"), Some(payload), None),
            Some(StepOutcome::Failed(error)) => (Some("failed"), None, Some(error)),
            Some(StepOutcome::Interrupted) => (Some("interrupted"), None, None),
            Some(StepOutcome::TimedOut) => (Some("timed_out"), None, None),
        };
        let more = More {
            wake_at: record.wake_at,
            wait: record.wait.clone(),
            last_error: record.last_error.clone(),
            copied_from: record.copied_from,
            error: error.cloned(),
        };
        let more = match more == More::default() {
            true => None,
            false => Some(to_json(&more)?),
        };
        self.add(
            uuid(job),
            stored_owned(&record.name),
            record.kind.as_str(),
            record.position.map(|it| it.0.into()),
            outcome,
            record.fingerprint.cast_signed(),
            record.attempts.into(),
            record.started_at.0,
            record.completed_at.map(|at| at.0),
            record.event.map(|id| Uuid::from_bytes(*id.as_bytes())),
            record.child.map(uuid),
            output.map(|it| it.codec.into()),
            output.map(|it| it.bytes.clone()),
            more,
        );
        Ok(())
    }
}

arrays! {
    /// Registered waits.
    Waits { job: Uuid, step: String, event: String, key: Option<String>, }
}

arrays! {
    /// What is pinned.
    Pins { job: Uuid, seq: i64, event: Option<Uuid>, child: Option<Uuid>, content: String, }
}

arrays! {
    /// Things of jobs by their names.
    Named { job: Uuid, name: String, }
}

arrays! {
    /// Things of jobs by their numbers.
    Numbered { job: Uuid, number: i64, }
}

arrays! {
    /// Jobs and those who shall hear of their ends.
    Tellings { child: Uuid, parent: Uuid, }
}

arrays! {
    /// Lines of logs.
    Lines { job: Uuid, at: i64, text: String, }
}
