//! Reads for people, each from one snapshot.

use super::Sqlite;
use super::db::Db;
use super::fault::Fault;
use super::lanes;
use super::whole::Whole;
use super::{room, row, sql};
use crate::Error;
use crate::contract::{
    Inspect, JobFilter, JobView, Page, PageCursor, Standings, StoredEvent, WorkerInfo,
};
use crate::core::{EventId, Group, Job, JobId, Payload, RunId, State, Timestamp};
use async_trait::async_trait;
use rusqlite::params;

/// Rows in one page, whatever was asked for.
const PAGE_LIMIT_ROWS: usize = 1000;

/// Workers in one answer.
const WORKER_LIMIT_ROWS: i64 = 10_000;

#[async_trait]
impl Inspect for Sqlite {
    async fn job(&self, id: JobId) -> Result<Option<Job>, Error> {
        self.read(move |db| {
            if let Some(job) = db.first(sql::JOB_LOAD, [id.as_bytes()], row::read_job)? {
                return Ok(Some(job));
            }
            Ok(Whole::archived(db, id)?.map(|whole| whole.job))
        })
        .await
    }

    async fn view(&self, id: JobId) -> Result<Option<JobView>, Error> {
        self.read(move |db| {
            let whole = match Whole::live(db, id)? {
                Some(whole) => Some(whole),
                None => Whole::archived(db, id)?,
            };
            Ok(whole.map(|whole| JobView {
                job: whole.job,
                journal: whole.journal,
                inbox: whole.inbox,
                log: whole.log,
            }))
        })
        .await
    }

    async fn job_of_run(&self, run: RunId) -> Result<Option<JobId>, Error> {
        self.read(move |db| {
            db.first(sql::RUN_FIND, [run.as_bytes()], |columns| {
                columns.id(JobId::from_bytes)
            })
        })
        .await
    }

    async fn list(
        &self,
        filter: &JobFilter,
        after: Option<PageCursor>,
        limit: usize,
    ) -> Result<Page, Error> {
        let filter = filter.clone();
        let limit = limit.min(PAGE_LIMIT_ROWS);
        self.read(move |db| page(db, &filter, after, limit)).await
    }

    async fn events(
        &self,
        name: Option<&str>,
        after: u64,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, Error> {
        let name = name.map(str::to_owned);
        let limit = limit.min(PAGE_LIMIT_ROWS).cast_signed() as i64;
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        self.read(move |db| match name {
            Some(name) => db.all(
                sql::EVENT_LIST_NAME,
                params![name, after, limit],
                read_event,
            ),
            None => db.all(sql::EVENT_LIST, params![after, limit], read_event),
        })
        .await
    }

    async fn live_names(&self) -> Result<Vec<String>, Error> {
        self.read(|db| {
            lanes::walk(|after| db.first(sql::NAME_NEXT, [after], |columns| columns.take()))
        })
        .await
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>, Error> {
        self.read(|db| {
            db.all(sql::WORKER_LIST, [WORKER_LIMIT_ROWS], |columns| {
                Ok(WorkerInfo {
                    worker: columns.take()?,
                    leases: columns.bits()?,
                })
            })
        })
        .await
    }

    async fn standings(
        &self,
        groups: &[Group],
        now: Option<Timestamp>,
    ) -> Result<Standings, Error> {
        let groups = groups.to_vec();
        let now = now.unwrap_or_else(|| self.shared.clock.now());
        self.read(move |db| {
            let standings = groups.iter().map(|group| room::standing(db, group, now));
            Ok(Standings {
                now,
                groups: standings.collect::<Result<_, Fault>>()?,
            })
        })
        .await
    }

    async fn key_holder(&self, scope: &str, key: &str) -> Result<Option<JobId>, Error> {
        let (scope, key) = (scope.to_owned(), key.to_owned());
        self.read(move |db| {
            db.first(sql::KEY_HOLDER, params![scope, key], |columns| {
                columns.id(JobId::from_bytes)
            })
        })
        .await
    }
}

/// A page from live jobs, ended ones and dead letters together.
fn page(
    db: Db<'_>,
    filter: &JobFilter,
    after: Option<PageCursor>,
    limit: usize,
) -> Result<Page, Fault> {
    // One more than asked for, from each place: enough to know whether there is a next page.
    let wanted = i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX);
    let mut jobs = Vec::new();
    if filter.state.is_none_or(State::is_live) {
        let place = match filter.state {
            Some(State::Running | State::Suspended) => sql::LIST_BUSY,
            _ => sql::LIST_LIVE,
        };
        let mut rows = select(db, place, filter, after, wanted, row::read_job)?;
        jobs.append(&mut rows);
    }
    for (place, holds) in [
        (sql::LIST_ENDED, filter.state.is_none_or(is_ended)),
        (
            sql::LIST_DEAD,
            filter.state.is_none_or(|state| state == State::Dead),
        ),
    ] {
        if holds {
            jobs.append(&mut select(db, place, filter, after, wanted, |columns| {
                let whole: Whole = columns.json()?;
                Ok(whole.job)
            })?);
        }
    }
    jobs.sort_by_key(|job| std::cmp::Reverse(job.spec.id));
    let more = jobs.len() > limit;
    jobs.truncate(limit);
    let last = jobs.last().map(|job| PageCursor(job.spec.id));
    Ok(Page {
        jobs,
        next: last.filter(|_| more),
    })
}

fn is_ended(state: State) -> bool {
    !state.is_live() && state != State::Dead
}

/// Runs the list of one place with those of its conditions that the filter asks for. Every
/// variant is text of the file; no text of a user is ever part of a statement.
fn select(
    db: Db<'_>,
    list: &str,
    filter: &JobFilter,
    after: Option<PageCursor>,
    limit: i64,
    read: impl FnMut(&mut super::db::Columns<'_, '_>) -> Result<Job, Fault>,
) -> Result<Vec<Job>, Fault> {
    let asked = |word: &str| match word {
        "queue" => filter.queue.is_some(),
        "name" => filter.name.is_some(),
        "state" => filter.state.is_some(),
        "tenant" => filter.tenant.is_some(),
        "key" => filter.key.is_some(),
        _ => true,
    };
    let kept: Vec<&str> = list
        .lines()
        .filter(|line| {
            line.rsplit_once("-- if ")
                .is_none_or(|(_, word)| asked(word))
        })
        .collect();
    // Before the first page stands an id above all others.
    let below = after.map_or([u8::MAX; 17].to_vec(), |after| after.0.as_bytes().to_vec());
    db.all(
        &kept.join("\n"),
        params![
            below,
            filter.queue,
            filter.name,
            filter.state.map(State::as_str),
            filter.tenant,
            filter.key,
            limit
        ],
        read,
    )
}

fn read_event(columns: &mut super::db::Columns<'_, '_>) -> Result<StoredEvent, Fault> {
    Ok(StoredEvent {
        id: columns.id(EventId::from_bytes)?,
        seq: columns.bits()?,
        name: columns.take()?,
        key: columns.take()?,
        tenant: columns.take()?,
        payload: Payload {
            codec: columns.take()?,
            bytes: columns.take()?,
        },
        published_at: columns.instant()?,
        expires_at: columns.instant()?,
    })
}
