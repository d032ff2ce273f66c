//! Events and waits, each under the lock that keeps the other away.

use super::jobs::{jobs, parts};
use super::{Lock, uuid, uuid_of_run};
use crate::contract::StoredEvent;
use crate::core::{EventId, JobId};
use crate::drivers::model::{EventRow, Need, Part, Store, Wanted};
use crate::drivers::postgres::columns::Columns;
use crate::drivers::postgres::fault::Fault;
use crate::drivers::postgres::text::{maybe, stored_owned};
use crate::drivers::postgres::work::Tx;
use sqlx::postgres::PgRow;
use std::collections::BTreeMap;
use uuid::Uuid;

/// The runs that wait, with all that tells whether they still do.
pub(super) async fn waits(
    tx: &mut Tx<'_>,
    set: &mut Store,
    waits: &[(String, Option<String>)],
    lock: Lock,
) -> Result<(), Fault> {
    if waits.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = waits.iter().map(|(name, _)| stored_owned(name)).collect();
    let keys: Vec<Option<String>> = waits.iter().map(|(_, key)| maybe(key.as_deref())).collect();
    tx.all(sqlx::query(&tx.sql.lock_names).bind(names.clone()))
        .await?;
    let rows = tx
        .all(sqlx::query(&tx.sql.wait_load).bind(names).bind(keys))
        .await?;
    let waiting = rows.iter().map(|row| Columns::of(row).job());
    let waiting: Vec<JobId> = waiting.collect::<Result<_, _>>()?;
    jobs(tx, set, &waiting, lock).await?;
    let pending = BTreeMap::from([(Part::Pending, waiting.clone())]);
    parts(tx, set, &pending).await?;
    let known = set.known.get_or_insert_default();
    for id in waiting {
        known.add(Need::Job(id));
        known.add(Need::Part(id, Part::Pending));
    }
    Ok(())
}

pub(super) async fn events(tx: &mut Tx<'_>, set: &mut Store, ids: &[EventId]) -> Result<(), Fault> {
    if ids.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = ids
        .iter()
        .map(|id| Uuid::from_bytes(*id.as_bytes()))
        .collect();
    let rows = tx.all(sqlx::query(&tx.sql.event_load).bind(ids)).await?;
    for row in &rows {
        put_event(set, read_event(row)?);
    }
    Ok(())
}

fn put_event(set: &mut Store, row: EventRow) {
    set.event_ids.insert(row.event.id, row.event.seq);
    set.events.insert(row.event.seq, row);
}

pub(in crate::drivers::postgres) fn read_event(row: &PgRow) -> Result<EventRow, Fault> {
    let mut columns = Columns::of(row);
    let (seq, id, name) = (columns.bits()?, columns.event()?, columns.text()?);
    let (key, tenant) = (columns.maybe_text()?, columns.maybe_text()?);
    let (published_at, expires_at) = (columns.instant()?, columns.instant()?);
    let woken = columns.bits()?;
    Ok(EventRow {
        event: StoredEvent {
            id,
            seq,
            name,
            key,
            tenant,
            payload: columns.payload()?,
            published_at,
            expires_at,
        },
        woken,
    })
}

/// The earliest events for each wait, as many as the run has waits: each may take one.
pub(super) async fn candidates(
    tx: &mut Tx<'_>,
    set: &mut Store,
    wanted: &[(JobId, Wanted)],
) -> Result<(), Fault> {
    if wanted.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = wanted
        .iter()
        .flat_map(|(_, wanted)| &wanted.names)
        .map(|name| stored_owned(name))
        .collect();
    tx.all(sqlx::query(&tx.sql.lock_names_shared).bind(names))
        .await?;
    for (job, wait) in wanted {
        // Wherever it stands: one that a person revives has ended as far as this set knows.
        let Some(row) = set.held(*job) else {
            continue;
        };
        let tenant = maybe(row.spec.tenant.as_deref());
        let most = i64::try_from(wait.most).unwrap_or(i64::MAX);
        for name in &wait.names {
            let name = stored_owned(name);
            let query = match maybe(wait.key.as_deref()) {
                Some(key) => sqlx::query(&tx.sql.event_for_key).bind(name).bind(key),
                None => sqlx::query(&tx.sql.event_for_name).bind(name),
            };
            let query = query
                .bind(wait.since)
                .bind(tx.now.0)
                .bind(tenant.clone())
                .bind(uuid(*job))
                .bind(most)
                .bind(wait.chain.map(uuid_of_run));
            for row in &tx.all(query).await? {
                let event = read_event(row)?;
                let known = set.known.get_or_insert_default();
                known.add_candidate(*job, event.event.seq);
                put_event(set, event);
            }
        }
    }
    Ok(())
}
