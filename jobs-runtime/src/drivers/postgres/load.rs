//! Filling a working set: what a verb was found to lack, in one statement for each kind, and under
//! the locks that keep it as it is until the end of the transaction.
//!
//! The locks are taken in one order where that can be known beforehand: keys, then rows, then the
//! names of events. Where it cannot, two transactions may wait for each other; the server ends one
//! of them, and it is made again.

use super::columns::Columns;
use super::fault::Fault;
use super::text::{maybe, stored_owned};
use super::work::Tx;
use crate::contract::{Setting, StoredEvent};
use crate::core::{Group, JobId, Lane, Pace, Priority, RunId, StepRecord, Turn};
use crate::drivers::model::{EventRow, Follower, KeyHold, Need, Part, Row, Store, Wanted};
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
    events: Vec<crate::core::EventId>,
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
    let specs = ids.iter().filter_map(|id| set.live.get(id));
    let of_job = |row: &Box<Row>| Some((row.spec.scope.clone(), row.spec.key.clone()?));
    let wanted: Vec<(String, String)> = specs.filter_map(of_job).collect();
    keys(tx, set, &wanted).await?;
    let known = set.known.get_or_insert_default();
    for (scope, key) in wanted {
        known.add(Need::Key(scope, key));
    }
    Ok(())
}

async fn jobs(tx: &mut Tx<'_>, set: &mut Store, ids: &[JobId], lock: Lock) -> Result<(), Fault> {
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
    for place in [&tx.sql.ended_load, &tx.sql.dead_load] {
        if missing.is_empty() {
            return Ok(());
        }
        let rows = tx.all(sqlx::query(place).bind(uuids(&missing))).await?;
        for row in &rows {
            let mut columns = Columns::of(row);
            let (spec, mut head, notes) = columns.job_row()?;
            head.ended_at = columns.maybe_instant()?;
            missing.remove(&spec.id);
            set.put(Box::new(Row::loaded(spec, head, notes)));
        }
    }
    Ok(())
}

/// Puts live rows into the set, and takes them off what is missing.
pub(super) fn put_live(
    set: &mut Store,
    rows: &[sqlx::postgres::PgRow],
    missing: &mut BTreeSet<JobId>,
) -> Result<(), Fault> {
    for row in rows {
        let (spec, head, notes) = Columns::of(row).job_row()?;
        missing.remove(&spec.id);
        set.put(Box::new(Row::loaded(spec, head, notes)));
    }
    Ok(())
}

async fn owned(tx: &mut Tx<'_>, set: &mut Store, parents: &[JobId]) -> Result<(), Fault> {
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

/// The runs that wait, with all that tells whether they still do.
async fn waits(
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

async fn parts(
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

async fn specs(
    tx: &mut Tx<'_>,
    set: &mut Store,
    sql: &super::statements::Sql,
    ids: Vec<Uuid>,
) -> Result<(), Fault> {
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

async fn records(
    tx: &mut Tx<'_>,
    set: &mut Store,
    sql: &super::statements::Sql,
    ids: Vec<Uuid>,
) -> Result<(), Fault> {
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

async fn items(
    tx: &mut Tx<'_>,
    set: &mut Store,
    sql: &super::statements::Sql,
    ids: Vec<Uuid>,
) -> Result<(), Fault> {
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

async fn events(
    tx: &mut Tx<'_>,
    set: &mut Store,
    ids: &[crate::core::EventId],
) -> Result<(), Fault> {
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

pub(super) fn read_event(row: &sqlx::postgres::PgRow) -> Result<EventRow, Fault> {
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
async fn candidates(
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
        let Some(row) = set.live.get(job) else {
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

async fn limits(tx: &mut Tx<'_>, set: &mut Store, wants: &Wants) -> Result<(), Fault> {
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
pub(super) async fn live(tx: &mut Tx<'_>, group: &Group) -> Result<u32, Fault> {
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
