//! Storing what a verb has changed: the set as it was loaded beside the set as it became, one
//! statement for each kind of change.
//!
//! Jobs that come back are moved first, and jobs that have ended last, so that what is written in
//! between lies in live storage whatever becomes of it.

mod arrays;
mod rows;

use super::columns::to_json;
use super::fault::Fault;
use super::load::{uuid, uuid_of_run};
use super::text::{maybe, stored_owned};
use super::work::Tx;
use crate::core::{InboxContent, LOG_LIMIT_LINES, State};
use crate::drivers::model::{Row, Store};
use arrays::{Ends, Heads, NewJobs};
use rows::Parts;
use std::collections::BTreeSet;
use uuid::Uuid;

/// Where a row lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Live,
    Ended,
    Dead,
}

fn place(row: &Row) -> Place {
    match row.head.state {
        State::Pending | State::Running | State::Suspended => Place::Live,
        State::Dead => Place::Dead,
        State::Cancelled | State::Done | State::Failed => Place::Ended,
    }
}

/// Stores the difference.
pub(super) async fn save(tx: &mut Tx<'_>, before: &Store, after: &Store) -> Result<(), Fault> {
    jobs(tx, before, after).await?;
    keys(tx, before, after).await?;
    events(tx, before, after).await?;
    marks(tx, after).await?;
    replaced(tx, before, after).await?;
    settings(tx, before, after).await?;
    limits(tx, before, after).await
}

async fn jobs(tx: &mut Tx<'_>, before: &Store, after: &Store) -> Result<(), Fault> {
    let (mut revived, mut revived_dead) = (Vec::new(), Vec::new());
    let (mut new, mut heads) = (NewJobs::default(), Heads::default());
    let (mut ends, mut dead) = (Ends::default(), Ends::default());
    let (mut inputs, mut parts) = (arrays::Inputs::default(), Parts::default());
    for row in after.rows() {
        let id = row.spec.id;
        let old = before.held(id);
        if old == Some(row) {
            continue;
        }
        match old.map(place) {
            None => new.push(row)?,
            Some(Place::Live) => {}
            Some(Place::Ended) => revived.push(uuid(id)),
            Some(Place::Dead) => revived_dead.push(uuid(id)),
        }
        let was_live = old.is_some_and(|old| place(old) == Place::Live);
        if let Some(old) = old {
            if old.spec.input != row.spec.input {
                inputs.push(row);
            }
            let moved = old.head != row.head
                || old.notes != row.notes
                || old.spec.expires_at != row.spec.expires_at
                || old.spec.chain != row.spec.chain;
            if place(row) == Place::Live && (moved || !was_live) {
                heads.push(row)?;
            }
        }
        parts.compare(id, old, row, was_live)?;
        match place(row) {
            Place::Live => {}
            Place::Ended => ends.push(row)?,
            Place::Dead => dead.push(row)?,
        }
    }
    if !revived.is_empty() {
        tx.run(sqlx::query(&tx.sql.revive).bind(revived)).await?;
    }
    if !revived_dead.is_empty() {
        tx.run(sqlx::query(&tx.sql.revive_dead).bind(revived_dead))
            .await?;
    }
    new.store(tx).await?;
    let sql = tx.sql;
    heads.store(tx, &sql.head_update).await?;
    inputs.store(tx, &sql.spec_update).await?;
    parts.store(tx).await?;
    ends.store(tx, &sql.end_jobs).await?;
    dead.store(tx, &sql.end_dead).await
}

async fn keys(tx: &mut Tx<'_>, before: &Store, after: &Store) -> Result<(), Fault> {
    let (mut scopes, mut keys) = (Vec::new(), Vec::new());
    let (mut jobs, mut runs) = (Vec::new(), Vec::new());
    let (mut untils, mut spans) = (Vec::new(), Vec::new());
    let (mut nexts, mut next_runs, mut froms) = (Vec::new(), Vec::new(), Vec::new());
    for ((scope, key), hold) in &after.keys {
        if before.keys.get(&(scope.clone(), key.clone())) == Some(hold) {
            continue;
        }
        scopes.push(stored_owned(scope));
        keys.push(stored_owned(key));
        jobs.push(uuid(hold.job));
        runs.push(uuid_of_run(hold.run));
        untils.push(hold.until.map(|it| it.0));
        spans.push(hold.span.map(|it| it.0.cast_signed()));
        nexts.push(hold.next.map(|next| uuid(next.job)));
        next_runs.push(hold.next.map(|next| uuid_of_run(next.run)));
        froms.push(hold.next.map(|next| next.from.0));
    }
    if !scopes.is_empty() {
        let query = sqlx::query(&tx.sql.key_store)
            .bind(scopes)
            .bind(keys)
            .bind(jobs)
            .bind(runs)
            .bind(untils)
            .bind(spans)
            .bind(nexts)
            .bind(next_runs)
            .bind(froms);
        tx.run(query).await?;
    }
    let gone = before.keys.keys().filter(|it| !after.keys.contains_key(it));
    let (scopes, keys): (Vec<String>, Vec<String>) = gone
        .map(|(scope, key)| (stored_owned(scope), stored_owned(key)))
        .unzip();
    if !scopes.is_empty() {
        let query = sqlx::query(&tx.sql.key_delete).bind(scopes).bind(keys);
        tx.run(query).await?;
    }
    Ok(())
}

async fn events(tx: &mut Tx<'_>, before: &Store, after: &Store) -> Result<(), Fault> {
    let new: Vec<_> = after
        .events
        .iter()
        .filter(|(seq, _)| !before.events.contains_key(seq))
        .map(|(_, row)| row)
        .collect();
    if new.is_empty() {
        return Ok(());
    }
    let each = || new.iter().map(|row| &row.event);
    let query = sqlx::query(&tx.sql.event_insert)
        .bind(each().map(|it| it.seq.cast_signed()).collect::<Vec<_>>())
        .bind(
            each()
                .map(|it| Uuid::from_bytes(*it.id.as_bytes()))
                .collect::<Vec<_>>(),
        )
        .bind(each().map(|it| stored_owned(&it.name)).collect::<Vec<_>>())
        .bind(
            each()
                .map(|it| maybe(it.key.as_deref()))
                .collect::<Vec<_>>(),
        )
        .bind(
            each()
                .map(|it| maybe(it.tenant.as_deref()))
                .collect::<Vec<_>>(),
        )
        .bind(each().map(|it| it.published_at.0).collect::<Vec<_>>())
        .bind(each().map(|it| it.expires_at.0).collect::<Vec<_>>())
        .bind(
            new.iter()
                .map(|row| row.woken.cast_signed())
                .collect::<Vec<_>>(),
        )
        .bind(
            each()
                .map(|it| i32::from(it.payload.codec))
                .collect::<Vec<_>>(),
        )
        .bind(
            each()
                .map(|it| it.payload.bytes.clone())
                .collect::<Vec<_>>(),
        );
    tx.run(query).await
}

async fn marks(tx: &mut Tx<'_>, after: &Store) -> Result<(), Fault> {
    let moved: Vec<_> = after.marks.all().collect();
    if moved.is_empty() {
        return Ok(());
    }
    let key = |key: &Option<String>| stored_owned(key.as_deref().unwrap_or_default());
    let query = sqlx::query(&tx.sql.mark_move)
        .bind(moved.iter().map(|it| uuid_of_run(it.0)).collect::<Vec<_>>())
        .bind(
            moved
                .iter()
                .map(|it| stored_owned(&it.1.0))
                .collect::<Vec<_>>(),
        )
        .bind(moved.iter().map(|it| key(&it.1.1)).collect::<Vec<_>>())
        .bind(
            moved
                .iter()
                .map(|it| it.2.cast_signed())
                .collect::<Vec<_>>(),
        );
    tx.run(query).await
}

async fn replaced(tx: &mut Tx<'_>, before: &Store, after: &Store) -> Result<(), Fault> {
    let old: BTreeSet<_> = before.replaced.all().collect();
    let new: Vec<_> = after
        .replaced
        .all()
        .filter(|entry| !old.contains(entry))
        .collect();
    if new.is_empty() {
        return Ok(());
    }
    let query = sqlx::query(&tx.sql.replaced_insert)
        .bind(new.iter().map(|it| uuid(it.0)).collect::<Vec<_>>())
        .bind(new.iter().map(|it| uuid(it.1)).collect::<Vec<_>>())
        .bind(new.iter().map(|it| uuid_of_run(it.2)).collect::<Vec<_>>())
        .bind(new.iter().map(|it| it.3.0).collect::<Vec<_>>());
    tx.run(query).await
}

async fn settings(tx: &mut Tx<'_>, before: &Store, after: &Store) -> Result<(), Fault> {
    let new: Vec<_> = after
        .settings
        .values()
        .filter(|it| before.settings.get(&it.key) != Some(it))
        .collect();
    if !new.is_empty() {
        let query = sqlx::query(&tx.sql.setting_store)
            .bind(
                new.iter()
                    .map(|it| stored_owned(&it.key))
                    .collect::<Vec<_>>(),
            )
            .bind(new.iter().map(|it| it.value.clone()).collect::<Vec<_>>())
            .bind(
                new.iter()
                    .map(|it| it.revision.cast_signed())
                    .collect::<Vec<_>>(),
            );
        tx.run(query).await?;
    }
    let gone: Vec<String> = before
        .settings
        .keys()
        .filter(|key| !after.settings.contains_key(*key))
        .map(|key| stored_owned(key))
        .collect();
    if !gone.is_empty() {
        tx.run(sqlx::query(&tx.sql.setting_delete).bind(gone))
            .await?;
    }
    Ok(())
}

async fn limits(tx: &mut Tx<'_>, before: &Store, after: &Store) -> Result<(), Fault> {
    let paces: Vec<_> = after
        .paces
        .iter()
        .filter(|(group, pace)| before.paces.get(group) != Some(pace))
        .collect();
    if !paces.is_empty() {
        let query = sqlx::query(&tx.sql.pace_store)
            .bind(
                paces
                    .iter()
                    .map(|(group, _)| stored_owned(&group.text()))
                    .collect::<Vec<_>>(),
            )
            .bind(paces.iter().map(|(_, pace)| pace.0).collect::<Vec<_>>());
        tx.run(query).await?;
    }
    let turns: Vec<_> = after
        .turns
        .iter()
        .filter(|(place, turn)| {
            // The plain lane has no turns worth a row.
            let is_first = !before.turns.contains_key(place) && turn.lane.is_plain();
            before.turns.get(place) != Some(turn) && !is_first
        })
        .collect();
    if turns.is_empty() {
        return Ok(());
    }
    let query = sqlx::query(&tx.sql.turn_store)
        .bind(
            turns
                .iter()
                .map(|((queue, _), _)| stored_owned(queue))
                .collect::<Vec<_>>(),
        )
        .bind(
            turns
                .iter()
                .map(|((_, priority), _)| i16::from(priority.level()))
                .collect::<Vec<_>>(),
        )
        .bind(
            turns
                .iter()
                .map(|(_, turn)| stored_owned(&turn.lane.text()))
                .collect::<Vec<_>>(),
        )
        .bind(
            turns
                .iter()
                .map(|(_, turn)| i64::from(turn.served))
                .collect::<Vec<_>>(),
        );
    tx.run(query).await
}

/// The event or the child that an item is about, for the columns beside it.
fn subject(content: &InboxContent) -> (Option<Uuid>, Option<Uuid>) {
    match content {
        InboxContent::Event { id, .. } => (Some(Uuid::from_bytes(*id.as_bytes())), None),
        InboxContent::Child { job, .. } | InboxContent::Detached { job, .. } => {
            (None, Some(uuid(*job)))
        }
    }
}

/// Lines of a log that stay.
fn log_limit() -> i64 {
    i64::try_from(LOG_LIMIT_LINES).unwrap_or(i64::MAX)
}

/// Columns of notes: the worker has one of its own.
fn notes(row: &Row) -> Result<Option<String>, Fault> {
    let notes = crate::core::JobNotes {
        worker: None,
        ..row.notes.clone()
    };
    match notes == crate::core::JobNotes::default() {
        true => Ok(None),
        false => to_json(&notes).map(Some),
    }
}

pub(super) type Query<'q> = sqlx::query::Query<'q, sqlx::Postgres, sqlx::postgres::PgArguments>;
