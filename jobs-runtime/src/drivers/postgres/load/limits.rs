//! How limits and turns stand. Under the lock of the claims.

use super::Wants;
use crate::core::{Group, Lane, Pace, Priority, Turn};
use crate::drivers::model::Store;
use crate::drivers::postgres::columns::Columns;
use crate::drivers::postgres::fault::Fault;
use crate::drivers::postgres::text::stored_owned;
use crate::drivers::postgres::work::Tx;
use std::collections::BTreeMap;

pub(super) async fn limits(tx: &mut Tx<'_>, set: &mut Store, wants: &Wants) -> Result<(), Fault> {
    for group in &wants.live {
        let leases = live(tx, group).await?;
        let known = set.known.get_or_insert_default();
        known.set_live(group.clone(), leases);
    }
    if !wants.paces.is_empty() {
        let texts: Vec<String> = wants
            .paces
            .iter()
            .map(|group| stored_owned(&group.text()))
            .collect();
        let rows = tx.all(sqlx::query(&tx.sql.pace_load).bind(texts)).await?;
        let mut found: BTreeMap<String, Pace> = BTreeMap::new();
        for row in &rows {
            let mut columns = Columns::of(row);
            found.insert(columns.text()?, Pace(columns.take()?));
        }
        for group in &wants.paces {
            if let Some(pace) = found.get(&group.text()) {
                set.paces.insert(group.clone(), *pace);
            }
        }
    }
    if !wants.turns.is_empty() {
        let queues: Vec<String> = wants.turns.iter().map(|(it, _)| stored_owned(it)).collect();
        let priorities: Vec<i16> = wants
            .turns
            .iter()
            .map(|(_, priority)| i16::from(priority.level()))
            .collect();
        let rows = tx
            .all(sqlx::query(&tx.sql.turn_load).bind(queues).bind(priorities))
            .await?;
        for row in &rows {
            let mut columns = Columns::of(row);
            let queue = columns.text()?;
            let level: i16 = columns.take()?;
            let turn = Turn {
                lane: Lane::read(&columns.text()?),
                served: columns.number()?,
            };
            let priority = Priority::new(u8::try_from(level).unwrap_or(0));
            set.turns.insert((queue, priority), turn);
        }
    }
    Ok(())
}

/// Leases of a group that are live.
pub(in crate::drivers::postgres) async fn live(
    tx: &mut Tx<'_>,
    group: &Group,
) -> Result<u32, Fault> {
    let query = match group {
        Group::Key { scope, key } => sqlx::query(&tx.sql.live_key)
            .bind(stored_owned(scope))
            .bind(stored_owned(key)),
        Group::Queue(queue) => sqlx::query(&tx.sql.live_queue).bind(stored_owned(queue)),
        Group::Tenant { queue, tenant } => sqlx::query(&tx.sql.live_tenant)
            .bind(stored_owned(queue))
            .bind(stored_owned(tenant)),
    };
    let rows = tx.all(query.bind(tx.now.0)).await?;
    let count = rows.first().map(|row| Columns::of(row).take::<i64>());
    let count = count.transpose()?.unwrap_or(0);
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}
