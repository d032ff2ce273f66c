//! Reads for people.

use super::Postgres;
use super::columns::Columns;
use super::fault::Fault;
use super::load::{self, Lock, uuid, uuid_of_run};
use super::statements::Sql;
use super::text::{maybe, stored_owned};
use super::work::Tx;
use crate::Error;
use crate::contract::{
    Inspect, JobFilter, JobView, Page, PageCursor, QueueStats, Standing, Standings, StoredEvent,
    WorkerInfo, limit_of,
};
use crate::core::{Group, Job, JobId, LogLine, Pace, RunId, State, Timestamp};
use crate::drivers::model::{Need, Part, Store};
use async_trait::async_trait;
use std::collections::{BTreeMap, BTreeSet};

/// Rows in one page, whatever was asked for.
const PAGE_LIMIT_ROWS: usize = 1000;

/// Workers, queues or names in one answer.
const NAME_LIMIT: i64 = 10_000;

/// Rows of one queue and state that are counted; the answer is a floor beyond.
const COUNT_LIMIT_ROWS: i64 = 10_000;

/// Reads in a transaction of its own.
macro_rules! read {
    ($store:ident, $now:expr, |$tx:ident| $work:expr) => {{
        let mut open = $store.look_in($now).await?;
        let mut inside = open.tx();
        let $tx = &mut inside;
        let found: Result<_, Fault> = async { $work }.await;
        found.map_err(Fault::before_write)
    }};
}

#[async_trait]
impl Inspect for Postgres {
    async fn job(&self, id: JobId) -> Result<Option<Job>, Error> {
        let set = self.look(id, &[Part::Spec]).await?;
        Ok(set.held(id).map(crate::drivers::model::Row::job))
    }

    async fn view(&self, id: JobId) -> Result<Option<JobView>, Error> {
        let set = self.look(id, &[Part::Spec, Part::Whole]).await?;
        let Some(row) = set.held(id) else {
            return Ok(None);
        };
        let log = read!(self, None, |tx| {
            let mut log = Vec::new();
            let places = [&tx.sql.log_load, &tx.sql.ended_log, &tx.sql.dead_log];
            for sql in places {
                for row in tx.all(sqlx::query(sql).bind(uuid(id))).await? {
                    let mut columns = Columns::of(&row);
                    log.push(LogLine {
                        at: columns.instant()?,
                        text: columns.text()?,
                    });
                }
            }
            Ok(log)
        })?;
        Ok(Some(JobView {
            job: row.job(),
            journal: row.records(),
            inbox: row.inbox(),
            log,
        }))
    }

    async fn job_of_run(&self, run: RunId) -> Result<Option<JobId>, Error> {
        read!(self, None, |tx| {
            let query = sqlx::query(&tx.sql.run_find).bind(uuid_of_run(run));
            let rows = tx.all(query).await?;
            rows.first().map(|row| Columns::of(row).job()).transpose()
        })
    }

    async fn list(
        &self,
        filter: &JobFilter,
        after: Option<PageCursor>,
        limit: usize,
    ) -> Result<Page, Error> {
        let limit = limit.min(PAGE_LIMIT_ROWS);
        read!(self, None, |tx| page(tx, filter, after, limit).await)
    }

    async fn events(
        &self,
        name: Option<&str>,
        after: u64,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, Error> {
        let limit = i64::try_from(limit.min(PAGE_LIMIT_ROWS)).unwrap_or(i64::MAX);
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        read!(self, None, |tx| {
            let query = match name {
                Some(name) => sqlx::query(&tx.sql.event_list_name).bind(stored_owned(name)),
                None => sqlx::query(&tx.sql.event_list),
            };
            let rows = tx.all(query.bind(after).bind(limit)).await?;
            let events = rows.iter().map(load::read_event);
            events.map(|row| row.map(|row| row.event)).collect()
        })
    }

    async fn live_names(&self) -> Result<Vec<String>, Error> {
        read!(self, None, |tx| {
            let query = sqlx::query(&tx.sql.live_names).bind(NAME_LIMIT);
            let rows = tx.all(query).await?;
            rows.iter().map(|row| Columns::of(row).text()).collect()
        })
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>, Error> {
        read!(self, None, |tx| {
            let rows = tx
                .all(sqlx::query(&tx.sql.workers).bind(NAME_LIMIT))
                .await?;
            let read = |row| {
                let mut columns = Columns::of(row);
                Ok(WorkerInfo {
                    worker: columns.text()?,
                    leases: columns.bits()?,
                })
            };
            rows.iter().map(read).collect()
        })
    }

    async fn standings(
        &self,
        groups: &[Group],
        now: Option<Timestamp>,
    ) -> Result<Standings, Error> {
        read!(self, now, |tx| standings(tx, groups).await)
    }

    async fn key_holder(&self, scope: &str, key: &str) -> Result<Option<JobId>, Error> {
        read!(self, None, |tx| {
            let query = sqlx::query(&tx.sql.key_load)
                .bind(vec![stored_owned(scope)])
                .bind(vec![stored_owned(key)]);
            let rows = tx.all(query).await?;
            let holder = |row| {
                let mut columns = Columns::of(row);
                columns.text()?;
                columns.text()?;
                columns.job()
            };
            rows.first().map(holder).transpose()
        })
    }
}

impl Postgres {
    /// One job as it stands, with these parts of it, and no lock on it.
    async fn look(&self, id: JobId, parts: &[Part]) -> Result<Store, Error> {
        read!(self, None, |tx| {
            let mut set = Store::working_set();
            let row = BTreeSet::from([Need::Job(id)]);
            load::load(tx, &mut set, row, Lock::No).await?;
            let parts = parts.iter().map(|part| Need::Part(id, *part));
            load::load(tx, &mut set, parts.collect(), Lock::No).await?;
            Ok(set)
        })
    }
}

async fn standings(tx: &mut Tx<'_>, groups: &[Group]) -> Result<Standings, Fault> {
    // Which settings a limit is read from is known by asking for it.
    let mut keys: BTreeSet<Need> = BTreeSet::new();
    for group in groups {
        let mut asked = Vec::new();
        let none = |key: &str| -> Result<Option<Vec<u8>>, Fault> {
            asked.push(key.to_owned());
            Ok(None)
        };
        limit_of(group, none)?;
        keys.extend(asked.into_iter().map(Need::Setting));
    }
    let mut set = Store::working_set();
    load::load(tx, &mut set, keys, Lock::No).await?;
    let paces = groups.iter().cloned().map(Need::Pace).collect();
    load::load(tx, &mut set, paces, Lock::No).await?;
    let mut standings = Vec::with_capacity(groups.len());
    for group in groups {
        let limit = limit_of(group, |key: &str| -> Result<Option<Vec<u8>>, Fault> {
            Ok(set.settings.get(key).map(|setting| setting.value.clone()))
        })?;
        let live = match limit.concurrency {
            Some(most) => load::live(tx, group).await?.min(most),
            None => 0,
        };
        let pace = match limit.rate {
            Some(_) => set.paces.get(group).copied().unwrap_or_default(),
            None => Pace::default(),
        };
        standings.push(Standing {
            group: group.clone(),
            limit,
            live,
            pace,
        });
    }
    Ok(Standings {
        now: tx.now,
        groups: standings,
    })
}

/// A page from live jobs, ended ones and dead letters together.
async fn page(
    tx: &mut Tx<'_>,
    filter: &JobFilter,
    after: Option<PageCursor>,
    limit: usize,
) -> Result<Page, Fault> {
    // One more than asked for, from each place: enough to know whether there is a next page.
    let wanted = i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX);
    let is_ended = |state: State| !state.is_live() && state != State::Dead;
    let state = filter.state;
    let places = [
        (
            tx.sql.list_live.clone(),
            state.is_none_or(State::is_live),
            false,
        ),
        (tx.sql.list_ended.clone(), state.is_none_or(is_ended), true),
        (
            tx.sql.list_dead.clone(),
            state.is_none_or(|it| it == State::Dead),
            true,
        ),
    ];
    let mut jobs = Vec::new();
    for (sql, holds, ended) in places {
        if holds {
            jobs.append(&mut select(tx, &sql, filter, after, wanted, ended).await?);
        }
    }
    jobs.sort_by_key(|job: &Job| std::cmp::Reverse(job.spec.id));
    let more = jobs.len() > limit;
    jobs.truncate(limit);
    let last = jobs.last().map(|job| PageCursor(job.spec.id));
    Ok(Page {
        jobs,
        next: last.filter(|_| more),
    })
}

/// Runs the list of one place with those of its conditions that the filter asks for. Every
/// variant is text of the file; no text of a user is ever part of a statement.
async fn select(
    tx: &mut Tx<'_>,
    list: &Sql,
    filter: &JobFilter,
    after: Option<PageCursor>,
    limit: i64,
    ended: bool,
) -> Result<Vec<Job>, Fault> {
    let asked = |word: &str| match word {
        "queue" => filter.queue.is_some(),
        "name" => filter.name.is_some(),
        "state" => filter.state.is_some(),
        "tenant" => filter.tenant.is_some(),
        "key" => filter.key.is_some(),
        _ => true,
    };
    let is_kept = |line: &&str| {
        line.rsplit_once("-- if ")
            .is_none_or(|(_, word)| asked(word))
    };
    let kept: Vec<&str> = list.as_str().lines().filter(is_kept).collect();
    let query = sqlx::query(sqlx::AssertSqlSafe(kept.join("\n")))
        .bind(after.map(|after| uuid(after.0)))
        .bind(maybe(filter.queue.as_deref()))
        .bind(maybe(filter.name.as_deref()))
        .bind(filter.state.map(State::as_str))
        .bind(maybe(filter.tenant.as_deref()))
        .bind(maybe(filter.key.as_deref()))
        .bind(limit);
    let rows = tx.all(query).await?;
    let read = |row| {
        let mut columns = Columns::of(row);
        let (mut spec, mut head, notes) = columns.job_row()?;
        if ended {
            head.ended_at = columns.maybe_instant()?;
        }
        columns.rest(&mut spec)?;
        Ok(Job { spec, head, notes })
    };
    rows.iter().map(read).collect()
}

/// Counts by queue, each up to a bound, so that a long queue costs no more than a short one.
pub(super) async fn stats(tx: &mut Tx<'_>) -> Result<Vec<QueueStats>, Fault> {
    let queues = tx
        .all(sqlx::query(&tx.sql.stats_queues).bind(NAME_LIMIT))
        .await?;
    let queues = queues.iter().map(|row| Columns::of(row).take());
    let queues: Vec<String> = queues.collect::<Result<_, _>>()?;
    let rows = tx
        .all(
            sqlx::query(&tx.sql.stats)
                .bind(queues)
                .bind(tx.now.0)
                .bind(COUNT_LIMIT_ROWS),
        )
        .await?;
    let mut stats: BTreeMap<String, QueueStats> = BTreeMap::new();
    for row in &rows {
        let mut columns = Columns::of(row);
        let queue = columns.text()?;
        let mut count = || columns.bits();
        let [ready, delayed, running] = [count()?, count()?, count()?];
        let [suspended, dead] = [count()?, count()?];
        let oldest = columns.maybe_instant()?.filter(|at| *at <= tx.now);
        let counted = [ready, delayed, running, suspended, dead];
        let own = QueueStats {
            queue: queue.clone(),
            ready,
            delayed,
            running,
            suspended,
            dead,
            oldest_ready: oldest.map(|at| tx.now.since(at)),
            at_least: counted
                .into_iter()
                .any(|counted| counted >= COUNT_LIMIT_ROWS.cast_unsigned()),
        };
        stats.insert(queue, own);
    }
    Ok(stats.into_values().collect())
}
