//! What belongs to jobs beside their rows: records, waits, what was pinned, who shall be told, and
//! their logs.

use super::{Records, log_limit, subject};
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
    records_gone: Vec<(Uuid, String)>,
    waits: Vec<(Uuid, String, String, Option<String>)>,
    waits_gone: Vec<(Uuid, String)>,
    pinned: Vec<(Uuid, i64, Option<Uuid>, Option<Uuid>, String)>,
    unpinned: Vec<(Uuid, i64)>,
    told: Vec<(Uuid, Uuid)>,
    told_gone: Vec<(Uuid, Uuid)>,
    lines: Vec<(Uuid, i64, String)>,
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
                self.records_gone.push((job, stored_owned(&record.name)));
                if record.wait.is_some() {
                    self.waits_gone.push((job, stored_owned(&record.name)));
                }
            }
        }
        for (seq, content) in &row.inbox {
            if old.is_none_or(|old| !old.inbox.contains_key(seq)) {
                let (event, child) = subject(content);
                let text = to_json(content)?;
                self.pinned
                    .push((job, seq.cast_signed(), event, child, text));
            }
        }
        for seq in old.iter().flat_map(|old| old.inbox.keys()) {
            if !row.inbox.contains_key(seq) {
                self.unpinned.push((job, seq.cast_signed()));
            }
        }
        let none = BTreeSet::new();
        let told = old.map_or(&none, |old| &old.told);
        let added = row.told.difference(told).map(|it| (job, uuid(*it)));
        self.told.extend(added);
        let gone = told.difference(&row.told).map(|it| (job, uuid(*it)));
        self.told_gone.extend(gone);
        // A log is never loaded: what is there is new.
        for line in &row.log {
            self.lines.push((job, line.at.0, stored_owned(&line.text)));
        }
        Ok(())
    }

    fn register(&mut self, job: Uuid, before: Option<&StepRecord>, record: &StepRecord) {
        let step = stored_owned(&record.name);
        if before.is_some_and(|it| it.wait.is_some() && it.position.is_none()) {
            self.waits_gone.push((job, step.clone()));
        }
        if let (Some(wait), None) = (&record.wait, record.position) {
            for name in &wait.names {
                let key = maybe(wait.key.as_deref());
                self.waits
                    .push((job, step.clone(), stored_owned(name), key));
            }
        }
    }

    pub(super) async fn store(self, tx: &mut Tx<'_>) -> Result<(), Fault> {
        if !self.records_gone.is_empty() {
            let (jobs, names): (Vec<_>, Vec<_>) = self.records_gone.into_iter().unzip();
            let query = sqlx::query(&tx.sql.step_delete).bind(jobs).bind(names);
            tx.run(query).await?;
        }
        self.records.store(tx).await?;
        if !self.waits_gone.is_empty() {
            let (jobs, steps): (Vec<_>, Vec<_>) = self.waits_gone.into_iter().unzip();
            let query = sqlx::query(&tx.sql.wait_delete).bind(jobs).bind(steps);
            tx.run(query).await?;
        }
        if !self.waits.is_empty() {
            let query = sqlx::query(&tx.sql.wait_insert)
                .bind(self.waits.iter().map(|it| it.0).collect::<Vec<_>>())
                .bind(self.waits.iter().map(|it| it.1.clone()).collect::<Vec<_>>())
                .bind(self.waits.iter().map(|it| it.2.clone()).collect::<Vec<_>>())
                .bind(self.waits.iter().map(|it| it.3.clone()).collect::<Vec<_>>());
            tx.run(query).await?;
        }
        if !self.unpinned.is_empty() {
            let (jobs, seqs): (Vec<_>, Vec<_>) = self.unpinned.into_iter().unzip();
            let query = sqlx::query(&tx.sql.inbox_delete).bind(jobs).bind(seqs);
            tx.run(query).await?;
        }
        if !self.pinned.is_empty() {
            let query = sqlx::query(&tx.sql.inbox_insert)
                .bind(self.pinned.iter().map(|it| it.0).collect::<Vec<_>>())
                .bind(self.pinned.iter().map(|it| it.1).collect::<Vec<_>>())
                .bind(self.pinned.iter().map(|it| it.2).collect::<Vec<_>>())
                .bind(self.pinned.iter().map(|it| it.3).collect::<Vec<_>>())
                .bind(
                    self.pinned
                        .iter()
                        .map(|it| it.4.clone())
                        .collect::<Vec<_>>(),
                );
            tx.run(query).await?;
        }
        if !self.told_gone.is_empty() {
            let (children, parents): (Vec<_>, Vec<_>) = self.told_gone.into_iter().unzip();
            let query = sqlx::query(&tx.sql.told_delete)
                .bind(children)
                .bind(parents);
            tx.run(query).await?;
        }
        if !self.told.is_empty() {
            let (children, parents): (Vec<_>, Vec<_>) = self.told.into_iter().unzip();
            let query = sqlx::query(&tx.sql.told_insert)
                .bind(children)
                .bind(parents);
            tx.run(query).await?;
        }
        if self.lines.is_empty() {
            return Ok(());
        }
        let jobs: BTreeSet<Uuid> = self.lines.iter().map(|it| it.0).collect();
        let query = sqlx::query(&tx.sql.log_insert)
            .bind(self.lines.iter().map(|it| it.0).collect::<Vec<_>>())
            .bind(self.lines.iter().map(|it| it.1).collect::<Vec<_>>())
            .bind(self.lines.iter().map(|it| it.2.clone()).collect::<Vec<_>>());
        tx.run(query).await?;
        let jobs: Vec<Uuid> = jobs.into_iter().collect();
        let query = sqlx::query(&tx.sql.log_trim).bind(jobs).bind(log_limit());
        tx.run(query).await
    }
}
