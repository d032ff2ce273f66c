//! Publish: an event is stored and pinned to every run that waits for it, in one step.

use super::end::PUBLICATION;
use super::fault::Fault;
use super::group::Tx;
use super::{inbox, sql};
use crate::contract::Published;
use crate::core::{InboxContent, JobId, NewEvent};
use crate::torture::seeded;
use rusqlite::params;

/// Publishes each event apart from the others. They were checked before they were queued, so a
/// fault here is not a matter of one event's form, and the whole request answers with it.
pub(super) fn publish(tx: &Tx<'_>, events: &[NewEvent]) -> Result<Vec<Published>, Fault> {
    events
        .iter()
        .map(|event| tx.item(|tx| publish_one(tx, event)))
        .collect()
}

pub(super) fn publish_one(tx: &Tx<'_>, event: &NewEvent) -> Result<Published, Fault> {
    let known = tx.first(sql::EVENT_FIND, [event.id.as_bytes()], |columns| {
        Ok(Published {
            id: event.id,
            seq: columns.bits()?,
            woken: columns.bits()?,
        })
    })?;
    if let Some(known) = known {
        return Ok(known);
    }
    let seq = tx.count(PUBLICATION)?;
    if seeded::swallows(event.id) {
        let (id, woken) = (event.id, 0);
        return Ok(Published { id, seq, woken });
    }
    let woken = pin_to_waiters(tx, event, seq)?;
    tx.run(
        sql::EVENT_INSERT,
        params![
            seq.cast_signed(),
            event.id.as_bytes(),
            event.name,
            event.key,
            event.tenant,
            tx.now.0,
            tx.now.after(event.ttl).0,
            event.trace_context,
            woken.cast_signed(),
            event.payload.codec,
            event.payload.bytes,
        ],
    )?;
    Ok(Published {
        id: event.id,
        seq,
        woken,
    })
}

/// How many runs got the event: those that wait for one.
fn pin_to_waiters(tx: &Tx<'_>, event: &NewEvent, seq: u64) -> Result<u64, Fault> {
    let waiters: Vec<JobId> = tx.all(
        sql::WAIT_MATCHING,
        params![event.name, event.key, tx.now.0, event.tenant],
        |columns| columns.id(JobId::from_bytes),
    )?;
    if waiters.is_empty() {
        return Ok(0);
    }
    let content = InboxContent::Event {
        id: event.id,
        name: event.name.clone(),
        key: event.key.clone(),
        payload: event.payload.clone(),
        published_at: tx.now,
    };
    let mut woken = 0;
    for job in waiters {
        if inbox::wants(tx, job, &content)? {
            woken += u64::from(inbox::pin(tx, job, seq, &content)?);
        }
    }
    Ok(woken)
}
