//! The rows of jobs, and what belongs to them.

use super::{Lock, uuids};
use crate::core::{JobId, StepRecord};
use crate::drivers::model::{Need, Part, Row, Store};
use crate::drivers::postgres::columns::Columns;
use crate::drivers::postgres::fault::Fault;
use crate::drivers::postgres::statements::Sql;
use crate::drivers::postgres::work::Tx;
use sqlx::postgres::PgRow;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

pub(super) async fn jobs(
    tx: &mut Tx<'_>,
    set: &mut Store,
    ids: &[JobId],
    lock: Lock,
) -> Result<(), Fault> {
    let mut missing: BTreeSet<JobId> = ids.iter().copied().filter(|id| !set.holds(*id)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let locking = match lock {
        Lock::Wait => &tx.sql.job_load,
        Lock::IfFree => &tx.sql.job_load_free,
        Lock::No => &tx.sql.job_peek,
    };
    let rows = tx.all(sqlx::query(locking).bind(uuids(&missing))).await?;
    put_live(set, &rows, &mut missing)?;
    if lock == Lock::IfFree && !missing.is_empty() {
        let rows = tx
            .all(sqlx::query(&tx.sql.job_peek).bind(uuids(&missing)))
            .await?;
        let mut busy = missing.clone();
        put_live(set, &rows, &mut missing)?;
        busy.retain(|id| !missing.contains(id));
        tx.busy.extend(busy);
    }
    if missing.is_empty() {
        return Ok(());
    }
    let rows = tx
        .all(sqlx::query(&tx.sql.gone_load).bind(uuids(&missing)))
        .await?;
    for row in &rows {
        let mut columns = Columns::of(row);
        let (spec, mut head, notes) = columns.job_row()?;
        head.ended_at = columns.maybe_instant()?;
        set.put(Box::new(Row::loaded(spec, head, notes)));
    }
    Ok(())
}

/// Puts live rows into the set, and takes them off what is missing.
pub(in crate::drivers::postgres) fn put_live(
    set: &mut Store,
    rows: &[PgRow],
    missing: &mut BTreeSet<JobId>,
) -> Result<(), Fault> {
    for row in rows {
        let (spec, head, notes) = Columns::of(row).job_row()?;
        missing.remove(&spec.id);
        set.put(Box::new(Row::loaded(spec, head, notes)));
    }
    Ok(())
}

pub(super) async fn owned(
    tx: &mut Tx<'_>,
    set: &mut Store,
    parents: &[JobId],
) -> Result<(), Fault> {
    if parents.is_empty() {
        return Ok(());
    }
    let rows = tx
        .all(sqlx::query(&tx.sql.owned_load).bind(uuids(parents)))
        .await?;
    for row in &rows {
        let mut columns = Columns::of(row);
        let (parent, child) = (columns.job()?, columns.job()?);
        set.owned.entry(parent).or_default().insert(child);
    }
    Ok(())
}

pub(super) async fn parts(
    tx: &mut Tx<'_>,
    set: &mut Store,
    parts: &BTreeMap<Part, Vec<JobId>>,
) -> Result<(), Fault> {
    for (part, ids) in parts {
        let known = set.known.get_or_insert_default();
        let ids: Vec<JobId> = ids
            .iter()
            .copied()
            .filter(|id| !known.has(&Need::Part(*id, *part)))
            .collect();
        let (live, ended): (Vec<JobId>, Vec<JobId>) =
            ids.into_iter().partition(|id| set.live.contains_key(id));
        let ended: Vec<JobId> = ended.into_iter().filter(|id| set.holds(*id)).collect();
        let (live, ended) = (uuids(&live), uuids(&ended));
        match part {
            Part::Spec => {
                specs(tx, set, &tx.sql.spec_load.clone(), live).await?;
                specs(tx, set, &tx.sql.ended_spec.clone(), ended.clone()).await?;
                specs(tx, set, &tx.sql.dead_spec.clone(), ended).await?;
            }
            Part::Told => told(tx, set, live).await?,
            Part::Pending | Part::News | Part::Whole => {
                let (steps, inbox) = match part {
                    Part::Pending => (&tx.sql.step_pending, None),
                    Part::News => (&tx.sql.step_pending, Some(&tx.sql.inbox_news)),
                    _ => (&tx.sql.step_load, Some(&tx.sql.inbox_load)),
                };
                let (steps, inbox) = (steps.clone(), inbox.cloned());
                records(tx, set, &steps, live.clone()).await?;
                if let Some(inbox) = inbox {
                    items(tx, set, &inbox, live).await?;
                }
                for (steps, inbox) in [
                    (tx.sql.ended_steps.clone(), tx.sql.ended_inbox.clone()),
                    (tx.sql.dead_steps.clone(), tx.sql.dead_inbox.clone()),
                ] {
                    records(tx, set, &steps, ended.clone()).await?;
                    items(tx, set, &inbox, ended.clone()).await?;
                }
            }
        }
    }
    Ok(())
}

async fn specs(tx: &mut Tx<'_>, set: &mut Store, sql: &Sql, ids: Vec<Uuid>) -> Result<(), Fault> {
    if ids.is_empty() {
        return Ok(());
    }
    let rows = tx.all(sqlx::query(sql).bind(ids)).await?;
    for row in &rows {
        let mut columns = Columns::of(row);
        let id = columns.job()?;
        if let Some(mut row) = set.take(id) {
            columns.rest(&mut row.spec)?;
            set.put(row);
        }
    }
    Ok(())
}

async fn told(tx: &mut Tx<'_>, set: &mut Store, ids: Vec<Uuid>) -> Result<(), Fault> {
    if ids.is_empty() {
        return Ok(());
    }
    let rows = tx.all(sqlx::query(&tx.sql.told_load).bind(ids)).await?;
    for row in &rows {
        let mut columns = Columns::of(row);
        let (child, parent) = (columns.job()?, columns.job()?);
        if let Some(row) = set.live.get_mut(&child) {
            row.told.insert(parent);
        }
    }
    Ok(())
}

async fn records(tx: &mut Tx<'_>, set: &mut Store, sql: &Sql, ids: Vec<Uuid>) -> Result<(), Fault> {
    if ids.is_empty() {
        return Ok(());
    }
    let rows = tx.all(sqlx::query(sql).bind(ids)).await?;
    let mut found: BTreeMap<JobId, Vec<StepRecord>> = BTreeMap::new();
    for row in &rows {
        let mut columns = Columns::of(row);
        let id = columns.job()?;
        found.entry(id).or_default().push(columns.record()?);
    }
    for (id, records) in found {
        if let Some(mut row) = set.take(id) {
            for record in records {
                row.journal.insert(record);
            }
            set.put(row);
        }
    }
    Ok(())
}

async fn items(tx: &mut Tx<'_>, set: &mut Store, sql: &Sql, ids: Vec<Uuid>) -> Result<(), Fault> {
    if ids.is_empty() {
        return Ok(());
    }
    let rows = tx.all(sqlx::query(sql).bind(ids)).await?;
    for row in &rows {
        let mut columns = Columns::of(row);
        let id = columns.job()?;
        let (seq, content) = columns.item()?;
        if let Some(row) = set.find_mut(id) {
            row.inbox.insert(seq, content);
        }
    }
    Ok(())
}
