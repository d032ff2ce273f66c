//! A job with all that belongs to it, in one piece: how it leaves live storage, lies in the
//! archive and among the dead letters, and comes back.
//!
//! Changes of a job that stays live do not come through here; they touch single rows.

use super::db::{Db, read_json, write_json};
use super::fault::Fault;
use super::{inbox, row, sql};
use crate::core::{
    Commit, Head, InboxContent, InboxItem, Job, JobId, LOG_LIMIT_LINES, LogLine, NewJob, Nudge,
    Settle, State, StepRecord, StoredError,
};
use rusqlite::params;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The text of an archived job is this value as JSON. Fields are only ever added, with a default.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Whole {
    pub(super) job: Job,
    pub(super) journal: Vec<StepRecord>,
    pub(super) inbox: Vec<InboxItem>,
    pub(super) log: Vec<LogLine>,
}

impl Whole {
    pub(super) fn live(db: Db<'_>, id: JobId) -> Result<Option<Whole>, Fault> {
        let Some(job) = db.first(sql::JOB_LOAD, [id.as_bytes()], row::read_job)? else {
            return Ok(None);
        };
        Ok(Some(Whole {
            job,
            journal: row::journal(db, id)?,
            inbox: inbox::load(db, id)?,
            log: db.all(sql::LOG_LOAD, [id.as_bytes()], |columns| {
                Ok(LogLine {
                    at: columns.instant()?,
                    text: columns.take()?,
                })
            })?,
        }))
    }

    pub(super) fn archived(db: Db<'_>, id: JobId) -> Result<Option<Whole>, Fault> {
        for place in [sql::ENDED_LOAD, sql::DEAD_LOAD] {
            let body: Option<String> =
                db.first(place, [id.as_bytes()], |columns| columns.take())?;
            if let Some(body) = body {
                return read_json(&body).map(Some).map_err(|fault| about(id, fault));
            }
        }
        Ok(None)
    }

    /// Puts an ended job where its state belongs.
    pub(super) fn archive(&self, db: Db<'_>) -> Result<(), Fault> {
        let Job { spec, head, .. } = &self.job;
        let place = match head.state {
            State::Dead => sql::DEAD_INSERT,
            _ => sql::ENDED_INSERT,
        };
        db.run(
            place,
            params![
                spec.id.as_bytes(),
                spec.run_id.as_bytes(),
                spec.name,
                spec.queue,
                head.state.as_str(),
                spec.tenant,
                spec.key,
                row::instant(head.ended_at),
                write_json(self)?,
            ],
        )?;
        Ok(())
    }

    /// Takes a job out of the archive or the dead letters.
    pub(super) fn unarchive(&self, db: Db<'_>) -> Result<(), Fault> {
        let id = self.job.spec.id;
        if db.run(sql::ENDED_DELETE, [id.as_bytes()])? == 0 {
            db.run(sql::DEAD_DELETE, [id.as_bytes()])?;
        }
        Ok(())
    }

    /// Makes a revived job live again, with its journal, inbox and log.
    pub(super) fn revive(&self, db: Db<'_>) -> Result<(), Fault> {
        let id = self.job.spec.id;
        row::insert_job(db, &self.job)?;
        note(db, &self.job)?;
        for record in &self.journal {
            row::upsert_step(db, id, record)?;
            inbox::register(db, id, record)?;
        }
        for item in &self.inbox {
            inbox::insert(db, id, item.seq, &item.content)?;
        }
        for line in &self.log {
            db.run(
                sql::LOG_INSERT,
                params![id.as_bytes(), line.at.0, line.text],
            )?;
        }
        Ok(())
    }

    /// Everything of a commit that touches only the job itself.
    pub(super) fn write_down(&mut self, commit: &Commit, head: Head, error: Option<StoredError>) {
        self.job.head = head;
        let gone: BTreeSet<&str> = commit
            .removed
            .iter()
            .chain(commit.records.iter().map(|record| &record.name))
            .map(String::as_str)
            .collect();
        self.journal
            .retain(|record| !gone.contains(record.name.as_str()));
        self.journal.extend(commit.records.iter().cloned());
        // As a live journal is read: delivered records by position, then pending ones by name.
        self.journal.sort_by(|a, b| {
            let key = |record: &StepRecord| (record.position.is_none(), record.position);
            key(a).cmp(&key(b)).then_with(|| a.name.cmp(&b.name))
        });
        let notes = &mut self.job.notes;
        if let Some(Settle::Ack { output }) = &commit.settle {
            notes.output = Some(output.clone());
        }
        if let Some(progress) = &commit.progress {
            notes.progress = Some(progress.clone());
        }
        if let Some(trace) = &commit.trace {
            notes.trace = Some(trace.clone());
        }
        if error.is_some() {
            notes.error = error;
        }
        self.log.extend(commit.log.iter().cloned());
        let surplus = self.log.len().saturating_sub(LOG_LIMIT_LINES);
        self.log.drain(..surplus);
    }

    /// The jobs that the children of a stored commit have become: another one where it held the key.
    pub(super) fn children_of(&self, commit: &Commit) -> Vec<JobId> {
        let become_of = |child: &NewJob| {
            let step = &child.spec.parent.as_ref()?.step;
            let record = self.journal.iter().find(|record| record.name == *step)?;
            record.child
        };
        let children = commit.children.iter();
        children
            .map(|child| become_of(child).unwrap_or(child.spec.id))
            .collect()
    }

    /// What was pinned, for somebody who has seen this nudge.
    pub(super) fn news(&self, seen: u64) -> Option<Nudge> {
        let count = self.job.head.nudge;
        (count > seen).then(|| Nudge {
            count,
            inbox: self.unconsumed(),
        })
    }

    fn unconsumed(&self) -> Vec<InboxItem> {
        let events: BTreeSet<_> = self.journal.iter().filter_map(|r| r.event).collect();
        let (heard, awaited): (Vec<_>, Vec<_>) = self
            .journal
            .iter()
            .filter_map(|record| Some((record.position.is_some(), record.child?)))
            .partition(|(delivered, _)| *delivered);
        let of = |records: Vec<(bool, JobId)>| -> BTreeSet<JobId> {
            records.into_iter().map(|(_, child)| child).collect()
        };
        let (heard, awaited) = (of(heard), of(awaited));
        let is_news = |item: &&InboxItem| match &item.content {
            // Several steps may wait for one job.
            InboxContent::Child { job, .. } | InboxContent::Detached { job, .. } => {
                awaited.contains(job) || !heard.contains(job)
            }
            InboxContent::Event { id, .. } => !events.contains(id),
        };
        self.inbox.iter().filter(is_news).cloned().collect()
    }
}

/// Stores the notes of a live job, if there are any beside the worker, which is in the row.
pub(super) fn note(db: Db<'_>, job: &Job) -> Result<(), Fault> {
    let notes = crate::core::JobNotes {
        worker: None,
        ..job.notes.clone()
    };
    if notes != crate::core::JobNotes::default() {
        db.run(
            sql::NOTE_STORE,
            params![job.spec.id.as_bytes(), write_json(&notes)?],
        )?;
    }
    Ok(())
}

fn about(id: JobId, fault: Fault) -> Fault {
    match fault {
        Fault::Corrupt(what) => Fault::Corrupt(format!("job {id}: {what}")),
        other => other,
    }
}
