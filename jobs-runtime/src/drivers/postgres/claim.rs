//! Claim: the first rows of what may be served are loaded and locked, and the model says which of
//! them are leased.
//!
//! Rows that another claim has locked are its own, so claims of one queue go on side by side. Where
//! turns or limits count, one claim is made at a time: no lease is given elsewhere between the
//! count and the lease.

use super::columns::Columns;
use super::fault::Fault;
use super::load::{Lock, load, put_live};
use super::save::save;
use super::text::stored_owned;
use super::work::{Tx, settle};
use crate::contract::{Claim, Claims, QueueSetting};
use crate::core::{LANE_LIMIT, Timestamp};
use crate::drivers::model::{Known, Need, Store};
use std::collections::BTreeSet;
use std::convert::Infallible;

/// Has the COMMIT wait for the disk.
const SURE: &str = "SET LOCAL synchronous_commit = on";

/// Queues with work that are looked at in one call.
const QUEUE_LIMIT: i64 = 10_000;

/// Rows of one strip that are looked at beyond those that may be leased: dead letters and expired
/// ones. The next claim goes on with the rest.
const SETTLED_LIMIT_ROWS: usize = 50;

/// Rows that one claim locks, however many lanes there are.
const ROW_LIMIT: usize = 5_000;

/// One range of the index of visible rows.
#[derive(Clone, Debug)]
struct Strip {
    queue: String,
    priority: i16,
    lane: String,
    state: String,
}

pub(super) async fn claim(tx: &mut Tx<'_>, claim: &Claim) -> Result<(Claims, Store), Fault> {
    let mut set = Store::working_set();
    let queues = queues(tx, claim).await?;
    let names = queues.iter().map(|queue| QueueSetting::key(queue));
    let settings = names.map(Need::Setting).collect();
    load(tx, &mut set, settings, Lock::Wait).await?;
    let mut strips = strips(tx, &queues).await?;
    let is_plain = strips.iter().all(|strip| strip.lane.is_empty());
    if !is_plain || has_limits(&set, &queues) {
        tx.run(sqlx::query(&tx.sql.lock_claim)).await?;
        // A lease begins when it is given, and not before the one in whose place it is.
        if claim.now.is_none() {
            tx.move_on().await?;
        }
        strips = self::strips(tx, &queues).await?;
    }
    let open: Vec<Strip> = strips
        .into_iter()
        .filter(|strip| !is_paused(&set, &strip.queue))
        .collect();
    if claim.limit > 0 {
        rows(tx, &mut set, &open, claim.limit).await?;
    }
    let verb = |set: &mut Store, now: Timestamp| set.claim(claim, now);
    let (mut claims, after) = settle(tx, &mut set, Lock::Wait, verb).await?;
    save(tx, &set, &after).await?;
    // A lease that a crash of the server takes back is counted no more, and its body still runs.
    let has_counted = set.known.as_ref().is_some_and(Known::has_counted);
    if !claims.jobs.is_empty() && (has_counted || !after.paces.is_empty()) {
        tx.run(sqlx::query(SURE)).await?;
    }
    if claims.jobs.len() < claim.limit || claim.limit == 0 {
        let later = later(tx, &open).await?;
        claims.next_visible_at = claims.next_visible_at.into_iter().chain(later).min();
    }
    Ok((claims, after))
}

/// The queues that are asked for, or all that have work.
async fn queues(tx: &mut Tx<'_>, claim: &Claim) -> Result<Vec<String>, Fault> {
    if !claim.queues.is_empty() {
        let queues: BTreeSet<String> = claim.queues.iter().cloned().collect();
        return Ok(queues.into_iter().collect());
    }
    let rows = tx
        .all(sqlx::query(&tx.sql.queues).bind(QUEUE_LIMIT))
        .await?;
    rows.iter().map(|row| Columns::of(row).text()).collect()
}

fn setting(set: &Store, queue: &str) -> Option<QueueSetting> {
    let value = &set.settings.get(&QueueSetting::key(queue))?.value;
    Some(QueueSetting::read(value))
}

fn is_paused(set: &Store, queue: &str) -> bool {
    setting(set, queue).is_some_and(|setting| setting.paused)
}

fn has_limits(set: &Store, queues: &[String]) -> bool {
    queues.iter().any(|queue| {
        let group = crate::core::Group::Queue(queue.clone());
        let read = |key: &str| -> Result<Option<Vec<u8>>, Infallible> {
            Ok(set.settings.get(key).map(|setting| setting.value.clone()))
        };
        let Ok(limit) = crate::contract::limit_of(&group, read);
        limit.concurrency.is_some() || limit.rate.is_some()
    })
}

async fn strips(tx: &mut Tx<'_>, queues: &[String]) -> Result<Vec<Strip>, Fault> {
    let names: Vec<String> = queues.iter().map(|queue| stored_owned(queue)).collect();
    // Each lane has rows in up to three states.
    let limit = i64::try_from(LANE_LIMIT * 3).unwrap_or(i64::MAX);
    let rows = tx
        .all(sqlx::query(&tx.sql.strips).bind(names).bind(limit))
        .await?;
    let read = |row| {
        let mut columns = Columns::of(row);
        Ok(Strip {
            queue: columns.text()?,
            priority: columns.take()?,
            // As it is stored: it goes back as it came.
            lane: columns.take()?,
            state: columns.take()?,
        })
    };
    rows.iter().map(read).collect()
}

/// Loads and locks the first visible rows of each strip.
async fn rows(
    tx: &mut Tx<'_>,
    set: &mut Store,
    strips: &[Strip],
    limit: usize,
) -> Result<(), Fault> {
    if strips.is_empty() {
        return Ok(());
    }
    let most = (ROW_LIMIT / strips.len()).max(1);
    let limit = (limit + SETTLED_LIMIT_ROWS).min(most);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let query = of_strips(&tx.sql.claim_rows, strips)
        .bind(tx.now.0)
        .bind(limit);
    let rows = tx.all(query).await?;
    let mut found = BTreeSet::new();
    put_live(set, &rows, &mut found)?;
    let ids: Vec<_> = set.rows().map(|row| row.spec.id).collect();
    let known = set.known.get_or_insert_default();
    for id in ids {
        known.add(Need::Job(id));
    }
    known.take_lacking();
    Ok(())
}

async fn later(tx: &mut Tx<'_>, strips: &[Strip]) -> Result<Option<Timestamp>, Fault> {
    if strips.is_empty() {
        return Ok(None);
    }
    let query = of_strips(&tx.sql.claim_later, strips).bind(tx.now.0);
    let rows = tx.all(query).await?;
    match rows.first() {
        Some(row) => Columns::of(row).maybe_instant(),
        None => Ok(None),
    }
}

fn of_strips<'q>(sql: &super::statements::Sql, strips: &[Strip]) -> super::save::Query<'q> {
    let each = || strips.iter();
    sqlx::query(sql)
        .bind(each().map(|it| stored_owned(&it.queue)).collect::<Vec<_>>())
        .bind(each().map(|it| it.priority).collect::<Vec<_>>())
        .bind(each().map(|it| it.lane.clone()).collect::<Vec<_>>())
        .bind(each().map(|it| it.state.clone()).collect::<Vec<_>>())
}
