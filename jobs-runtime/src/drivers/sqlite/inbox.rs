//! What is pinned to a run, and the waits by which events find it.
//!
//! Whoever stores the second of event and wait finds the first: both happen under the writer's
//! lock, so there is no gap to fall into (R5).

use super::db::{Db, write_json};
use super::fault::Fault;
use super::group::{Hints, Tx};
use super::{row, sql};
use crate::core::{
    self, EventId, InboxContent, InboxItem, JobId, Nudge, Payload, State, StepRecord, Timestamp,
    WaitSpec, nudged,
};
use rusqlite::params;

/// All that was pinned to a live run.
pub(super) fn load(db: Db<'_>, job: JobId) -> Result<Vec<InboxItem>, Fault> {
    read(db, sql::INBOX_LOAD, job)
}

/// What was pinned to a live run and no record has consumed.
pub(super) fn news(db: Db<'_>, job: JobId) -> Result<Vec<InboxItem>, Fault> {
    read(db, sql::INBOX_NEWS, job)
}

/// The news for somebody who has seen `seen` of a row that stands at `count`.
pub(super) fn nudge(db: Db<'_>, job: JobId, count: u64, seen: u64) -> Result<Option<Nudge>, Fault> {
    if count <= seen {
        return Ok(None);
    }
    let inbox = news(db, job)?;
    Ok(Some(Nudge { count, inbox }))
}

fn read(db: Db<'_>, sql: &str, job: JobId) -> Result<Vec<InboxItem>, Fault> {
    db.all(sql, [job.as_bytes()], |columns| {
        Ok(InboxItem {
            seq: columns.bits()?,
            content: columns.json()?,
        })
    })
}

pub(super) fn insert(
    db: Db<'_>,
    job: JobId,
    seq: u64,
    content: &InboxContent,
) -> Result<(), Fault> {
    let (event, child) = match content {
        InboxContent::Child { job, .. } | InboxContent::Detached { job, .. } => {
            (None, Some(job.as_bytes()))
        }
        InboxContent::Event { id, .. } => (Some(id.as_bytes()), None),
    };
    db.run(
        sql::INBOX_PIN,
        params![
            job.as_bytes(),
            seq.cast_signed(),
            event,
            child,
            write_json(content)?
        ],
    )?;
    Ok(())
}

/// Puts something into the inbox of a live run. False if there is none.
pub(super) fn pin(
    tx: &Tx<'_>,
    job: JobId,
    seq: u64,
    content: &InboxContent,
) -> Result<bool, Fault> {
    let Some(head) = tx.first(sql::HEAD_LOAD, [job.as_bytes()], row::read_head)? else {
        return Ok(false);
    };
    let head = nudged(&head, tx.now);
    insert(**tx, job, seq, content)?;
    tx.run(
        sql::HEAD_NUDGE,
        params![
            job.as_bytes(),
            head.nudge.cast_signed(),
            head.revision.cast_signed(),
            row::instant(head.visible_at)
        ],
    )?;
    tx.hint(Hints {
        inbox: true,
        ready: head.state == State::Suspended,
        ..Hints::default()
    });
    Ok(true)
}

/// Whether an event that is published now serves a wait of a run that nothing pinned serves.
pub(super) fn wants(tx: &Tx<'_>, job: JobId, event: &InboxContent) -> Result<bool, Fault> {
    let (waits, pinned) = (waits(tx, job)?, news(**tx, job)?);
    let unserved = core::unserved(waits.iter(), contents(&pinned));
    Ok(unserved.iter().any(|wait| wait.is_served_by(event)))
}

fn contents(items: &[InboxItem]) -> impl Iterator<Item = (u64, &InboxContent)> {
    items.iter().map(|item| (item.seq, &item.content))
}

/// Registers the wait of a pending record under each name of its event, in place of what was
/// registered for the step before.
pub(super) fn register(db: Db<'_>, job: JobId, record: &StepRecord) -> Result<bool, Fault> {
    let Some(wait) = &record.wait else {
        return Ok(false);
    };
    db.run(sql::WAIT_DELETE, params![job.as_bytes(), record.name])?;
    if record.position.is_some() {
        return Ok(false);
    }
    for name in &wait.names {
        db.run(
            sql::WAIT_INSERT,
            params![job.as_bytes(), record.name, name, wait.key, wait.since.0],
        )?;
    }
    Ok(true)
}

/// The tenant of a live run; `None` if it is not live.
pub(super) fn tenant(tx: &Tx<'_>, job: JobId) -> Result<Option<Option<String>>, Fault> {
    tx.first(sql::HEAD_LOAD, [job.as_bytes()], |columns| {
        row::read_head(columns)?;
        columns.take()
    })
}

fn waits(tx: &Tx<'_>, job: JobId) -> Result<Vec<WaitSpec>, Fault> {
    tx.all(sql::WAIT_LOAD, [job.as_bytes()], |columns| {
        let _step: String = columns.take()?;
        columns.json()
    })
}

/// Pins stored events to those registered waits of a live run that nothing pinned serves yet.
pub(super) fn match_stored(tx: &Tx<'_>, job: JobId, tenant: Option<&str>) -> Result<(), Fault> {
    let waits = waits(tx, job)?;
    if waits.is_empty() {
        return Ok(());
    }
    let pinned = news(**tx, job)?;
    for wait in core::unserved(waits.iter(), contents(&pinned)) {
        // What the wait before it got is known to the run by now.
        if let Some(item) = earliest(tx, job, tenant, wait)? {
            pin(tx, job, item.seq, &item.content)?;
        }
    }
    Ok(())
}

/// The earliest stored event for a wait that its run does not know yet.
fn earliest(
    tx: &Tx<'_>,
    job: JobId,
    tenant: Option<&str>,
    wait: &WaitSpec,
) -> Result<Option<InboxItem>, Fault> {
    let (since, now) = (wait.since.0, tx.now.0);
    let mut first: Option<InboxItem> = None;
    for name in &wait.names {
        let found = match &wait.key {
            Some(key) => tx.first(
                sql::EVENT_MATCHING_KEY,
                params![name, key, since, now, tenant, job.as_bytes()],
                read_event,
            ),
            None => tx.first(
                sql::EVENT_MATCHING_NAME,
                params![name, since, now, tenant, job.as_bytes()],
                read_event,
            ),
        }?;
        if let Some(found) = found
            && first.as_ref().is_none_or(|first| found.seq < first.seq)
        {
            first = Some(found);
        }
    }
    Ok(first)
}

fn read_event(columns: &mut super::db::Columns<'_, '_>) -> Result<InboxItem, Fault> {
    Ok(InboxItem {
        seq: columns.bits()?,
        content: InboxContent::Event {
            id: columns.id(EventId::from_bytes)?,
            name: columns.take()?,
            key: columns.take()?,
            payload: Payload {
                codec: columns.take()?,
                bytes: columns.take()?,
            },
            published_at: Timestamp(columns.take()?),
        },
    })
}
