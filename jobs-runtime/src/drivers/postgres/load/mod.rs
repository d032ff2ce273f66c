//! Filling a working set: what a verb was found to lack, in one statement for each kind, and under
//! the locks that keep it as it is until the end of the transaction.
//!
//! The locks are taken in one order where that can be known beforehand: keys, then rows, then the
//! names of events. Where it cannot, two transactions may wait for each other; the server ends one
//! of them, and it is made again.

mod events;
mod jobs;
mod limits;

pub(super) use events::read_event;
pub(super) use jobs::put_live;
pub(super) use limits::live;

use super::columns::Columns;
use super::fault::Fault;
use super::text::stored_owned;
use super::work::Tx;
use crate::contract::Setting;
use crate::core::{EventId, Group, JobId, JobSpec, Priority, RunId};
use crate::drivers::model::{Follower, KeyHold, Need, Part, Store, Wanted};
use events::{candidates, events, waits};
use jobs::{jobs, owned, parts};
use limits::limits;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Numbers that are drawn beyond those that are known to be needed.
const NUMBERS_SPARE: i64 = 16;

/// How the rows of jobs are locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// Waiting for whoever holds them.
    Wait,
    /// Not at all if somebody else holds them.
    IfFree,
    /// Not at all: for people to look at.
    No,
}

/// What was asked for, by kind.
#[derive(Default)]
struct Wants {
    keys: Vec<(String, String)>,
    own_keys: Vec<JobId>,
    jobs: Vec<JobId>,
    parts: BTreeMap<Part, Vec<JobId>>,
    owned: Vec<JobId>,
    waits: Vec<(String, Option<String>)>,
    events: Vec<EventId>,
    candidates: Vec<(JobId, Wanted)>,
    replaced: Vec<JobId>,
    settings: Vec<String>,
    live: Vec<Group>,
    paces: Vec<Group>,
    turns: Vec<(String, Priority)>,
    numbers: bool,
}

/// Loads what is needed into the set.
pub(super) async fn load(
    tx: &mut Tx<'_>,
    set: &mut Store,
    needs: BTreeSet<Need>,
    lock: Lock,
) -> Result<(), Fault> {
    let mut wants = Wants::default();
    for need in &needs {
        wants.sort_in(need.clone());
    }
    keys(tx, set, &wants.keys).await?;
    own_keys(tx, &wants.own_keys).await?;
    jobs(tx, set, &wants.jobs, lock).await?;
    keys_of(tx, set, &wants.own_keys).await?;
    owned(tx, set, &wants.owned).await?;
    waits(tx, set, &wants.waits, lock).await?;
    parts(tx, set, &wants.parts).await?;
    events(tx, set, &wants.events).await?;
    candidates(tx, set, &wants.candidates).await?;
    replaced(tx, set, &wants.replaced).await?;
    settings(tx, set, &wants.settings).await?;
    limits(tx, set, &wants).await?;
    if wants.numbers {
        numbers(tx, set).await?;
    }
    let known = set.known.get_or_insert_default();
    for need in needs {
        if need != Need::Numbers {
            known.add(need);
        }
    }
    // Filling the set looks into it as well.
    known.take_lacking();
    Ok(())
}

impl Wants {
    fn sort_in(&mut self, need: Need) {
        match need {
            Need::Job(id) => self.jobs.push(id),
            Need::Part(id, part) => self.parts.entry(part).or_default().push(id),
            Need::Key(scope, key) => self.keys.push((scope, key)),
            Need::OwnKey(id) => self.own_keys.push(id),
            Need::Owned(id) => self.owned.push(id),
            Need::Waits(key) => self.waits.push(key),
            Need::Event(id) => self.events.push(id),
            Need::Events(id, wanted) => self.candidates.push((id, wanted)),
            Need::Replaced(id) => self.replaced.push(id),
            Need::Setting(key) => self.settings.push(key),
            Need::Live(group) => self.live.push(group),
            Need::Pace(group) => self.paces.push(group),
            Need::Turn(queue, priority) => self.turns.push((queue, priority)),
            Need::Numbers => self.numbers = true,
        }
    }
}

pub(super) fn uuid(id: JobId) -> Uuid {
    Uuid::from_bytes(*id.as_bytes())
}

pub(super) fn uuid_of_run(id: RunId) -> Uuid {
    Uuid::from_bytes(*id.as_bytes())
}

pub(super) fn uuids<'a>(ids: impl IntoIterator<Item = &'a JobId>) -> Vec<Uuid> {
    ids.into_iter().map(|id| uuid(*id)).collect()
}

async fn keys(tx: &mut Tx<'_>, set: &mut Store, keys: &[(String, String)]) -> Result<(), Fault> {
    if keys.is_empty() {
        return Ok(());
    }
    let (scopes, names): (Vec<_>, Vec<_>) = keys
        .iter()
        .map(|(scope, key)| (stored_owned(scope), stored_owned(key)))
        .unzip();
    tx.all(
        sqlx::query(&tx.sql.lock_keys)
            .bind(scopes.clone())
            .bind(names.clone()),
    )
    .await?;
    let rows = tx
        .all(sqlx::query(&tx.sql.key_load).bind(scopes).bind(names))
        .await?;
    for row in &rows {
        let mut columns = Columns::of(row);
        let entry = (columns.text()?, columns.text()?);
        let (job, run) = (columns.job()?, columns.run()?);
        let (until, span) = (columns.maybe_instant()?, columns.maybe_span()?);
        let next = (
            columns.maybe_job()?,
            columns.maybe_run()?,
            columns.maybe_instant()?,
        );
        let next = match next {
            (Some(job), Some(run), Some(from)) => Some(Follower { job, run, from }),
            _ => None,
        };
        let hold = KeyHold {
            job,
            run,
            until,
            span,
            next,
        };
        set.keys.insert(entry, hold);
    }
    Ok(())
}

/// Locks the keys of jobs that may end, before their rows.
async fn own_keys(tx: &mut Tx<'_>, ids: &[JobId]) -> Result<(), Fault> {
    if ids.is_empty() {
        return Ok(());
    }
    let query = sqlx::query(&tx.sql.lock_keys_of_jobs).bind(uuids(ids));
    tx.run(query).await
}

/// Loads the keys of those that are live, now that their names are known.
async fn keys_of(tx: &mut Tx<'_>, set: &mut Store, ids: &[JobId]) -> Result<(), Fault> {
    let rows = ids.iter().filter_map(|id| set.live.get(id));
    let key = |spec: &JobSpec| Some((spec.scope.clone(), spec.key.clone()?));
    let wanted: Vec<(String, String)> = rows.filter_map(|row| key(&row.spec)).collect();
    keys(tx, set, &wanted).await?;
    let known = set.known.get_or_insert_default();
    for (scope, key) in wanted {
        known.add(Need::Key(scope, key));
    }
    Ok(())
}

async fn replaced(tx: &mut Tx<'_>, set: &mut Store, ids: &[JobId]) -> Result<(), Fault> {
    if ids.is_empty() {
        return Ok(());
    }
    let rows = tx
        .all(sqlx::query(&tx.sql.replaced_load).bind(uuids(ids)))
        .await?;
    for row in &rows {
        let mut columns = Columns::of(row);
        let request = columns.job()?;
        let by = (columns.job()?, columns.run()?);
        set.replaced.put(request, by, columns.instant()?);
    }
    Ok(())
}

async fn settings(tx: &mut Tx<'_>, set: &mut Store, keys: &[String]) -> Result<(), Fault> {
    if keys.is_empty() {
        return Ok(());
    }
    let keys: Vec<String> = keys.iter().map(|key| stored_owned(key)).collect();
    if tx.locks_settings {
        tx.all(sqlx::query(&tx.sql.setting_lock).bind(keys.clone()))
            .await?;
    }
    let rows = tx.all(sqlx::query(&tx.sql.setting_load).bind(keys)).await?;
    for row in &rows {
        let setting = read_setting(row)?;
        set.settings.insert(setting.key.clone(), setting);
    }
    Ok(())
}

pub(super) fn read_setting(row: &sqlx::postgres::PgRow) -> Result<Setting, Fault> {
    let mut columns = Columns::of(row);
    Ok(Setting {
        key: columns.text()?,
        value: columns.take()?,
        revision: columns.bits()?,
    })
}

/// As many numbers as were drawn so far, and some: a verb that needs many is soon served.
async fn numbers(tx: &mut Tx<'_>, set: &mut Store) -> Result<(), Fault> {
    let known = set.known.get_or_insert_default();
    let wanted = i64::try_from(known.supplied()).unwrap_or(i64::MAX);
    let rows = tx
        .all(sqlx::query(&tx.sql.numbers_draw).bind(wanted.saturating_add(NUMBERS_SPARE)))
        .await?;
    let numbers = rows.iter().map(|row| Columns::of(row).bits());
    let numbers: Vec<u64> = numbers.collect::<Result<_, _>>()?;
    let known = set.known.get_or_insert_default();
    known.supply(numbers);
    Ok(())
}
