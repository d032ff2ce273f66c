//! What belongs to jobs beside their rows: records, waits, what was pinned, who shall be told, and
//! their logs.

use super::arrays::{Lines, Named, Numbered, Pins, Records, Tellings, Waits};
use super::{log_limit, subject};
use crate::core::{JobId, StepRecord};
use crate::drivers::model::Row;
use crate::drivers::postgres::columns::to_json;
use crate::drivers::postgres::fault::Fault;
use crate::drivers::postgres::load::uuid;
use crate::drivers::postgres::text::{maybe, stored_owned};
use crate::drivers::postgres::work::Tx;
use std::collections::BTreeSet;
use uuid::Uuid;

/// The changes of all jobs of a verb, by kind.
#[derive(Default)]
pub(super) struct Parts {
    records: Records,
    records_gone: Named,
    waits: Waits,
    waits_gone: Named,
    pinned: Pins,
    unpinned: Numbered,
    told: Tellings,
    told_gone: Tellings,
    lines: Lines,
    /// Jobs that have new lines.
    logs: BTreeSet<Uuid>,
}

impl Parts {
    /// Notes what is different. The waits of a job that was not live are not registered.
    pub(super) fn compare(
        &mut self,
        id: JobId,
        old: Option<&Row>,
        row: &Row,
        was_live: bool,
    ) -> Result<(), Fault> {
        let job = uuid(id);
        for record in row.journal.values() {
            let before = old.and_then(|old| old.journal.get(&record.name));
            if before != Some(record) {
                self.records.push(id, record)?;
            }
            if before != Some(record) || !was_live {
                self.register(job, before.filter(|_| was_live), record);
            }
        }
        for record in old.iter().flat_map(|old| old.journal.values()) {
            if row.journal.get(&record.name).is_none() {
                self.records_gone.add(job, stored_owned(&record.name));
                if record.wait.is_some() {
                    self.waits_gone.add(job, stored_owned(&record.name));
                }
            }
        }
        for (seq, content) in &row.inbox {
            if old.is_none_or(|old| !old.inbox.contains_key(seq)) {
                let (event, child) = subject(content);
                let text = to_json(content)?;
                self.pinned.add(job, seq.cast_signed(), event, child, text);
            }
        }
        for seq in old.iter().flat_map(|old| old.inbox.keys()) {
            if !row.inbox.contains_key(seq) {
                self.unpinned.add(job, seq.cast_signed());
            }
        }
        let none = BTreeSet::new();
        let told = old.map_or(&none, |old| &old.told);
        for parent in row.told.difference(told) {
            self.told.add(job, uuid(*parent));
        }
        for parent in told.difference(&row.told) {
            self.told_gone.add(job, uuid(*parent));
        }
        // A log is never loaded: what is there is new.
        for line in &row.log {
            self.lines.add(job, line.at.0, stored_owned(&line.text));
            self.logs.insert(job);
        }
        Ok(())
    }

    fn register(&mut self, job: Uuid, before: Option<&StepRecord>, record: &StepRecord) {
        let step = stored_owned(&record.name);
        if before.is_some_and(|it| it.wait.is_some() && it.position.is_none()) {
            self.waits_gone.add(job, step.clone());
        }
        if let (Some(wait), None) = (&record.wait, record.position) {
            for name in &wait.names {
                let key = maybe(wait.key.as_deref());
                self.waits.add(job, step.clone(), stored_owned(name), key);
            }
        }
    }

    pub(super) async fn store(self, tx: &mut Tx<'_>) -> Result<(), Fault> {
        let sql = tx.sql;
        self.records_gone.store(tx, &sql.step_delete).await?;
        self.records.store(tx, &sql.step_upsert).await?;
        self.waits_gone.store(tx, &sql.wait_delete).await?;
        self.waits.store(tx, &sql.wait_insert).await?;
        self.unpinned.store(tx, &sql.inbox_delete).await?;
        self.pinned.store(tx, &sql.inbox_insert).await?;
        self.told_gone.store(tx, &sql.told_delete).await?;
        self.told.store(tx, &sql.told_insert).await?;
        self.lines.store(tx, &sql.log_insert).await?;
        if self.logs.is_empty() {
            return Ok(());
        }
        let jobs: Vec<Uuid> = self.logs.into_iter().collect();
        let query = sqlx::query(&sql.log_trim).bind(jobs).bind(log_limit());
        tx.run(query).await
    }
}
