//! Reads for people.

use super::Memory;
use crate::Error;
use crate::contract::{
    Inspect, JobFilter, JobView, Page, PageCursor, Standings, StoredEvent, WorkerInfo,
};
use crate::core::{Group, Job, JobId, RunId, State, Timestamp};
use crate::drivers::model::Row;
use async_trait::async_trait;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// Rows in one page, whatever was asked for.
const PAGE_LIMIT_ROWS: usize = 1000;

#[async_trait]
impl Inspect for Memory {
    async fn job(&self, id: JobId) -> Result<Option<Job>, Error> {
        Ok(self.open()?.find(id).map(Row::job))
    }

    async fn view(&self, id: JobId) -> Result<Option<JobView>, Error> {
        Ok(self.open()?.find(id).map(|row| JobView {
            job: row.job(),
            journal: row.records(),
            inbox: row.inbox(),
            log: row.log.iter().cloned().collect(),
        }))
    }

    async fn job_of_run(&self, run: RunId) -> Result<Option<JobId>, Error> {
        Ok(self.open()?.runs.get(&run).copied())
    }

    async fn list(
        &self,
        filter: &JobFilter,
        after: Option<PageCursor>,
        limit: usize,
    ) -> Result<Page, Error> {
        let limit = limit.min(PAGE_LIMIT_ROWS);
        let store = self.open()?;
        let below = after.map_or(Bound::Unbounded, |cursor| Bound::Excluded(cursor.0));
        let places = [&store.live, &store.archive, &store.dead];
        // One more than asked for, from each place: enough to know whether there is a next page.
        let mut rows: Vec<&Row> = places
            .into_iter()
            .flat_map(|place| {
                place
                    .range((Bound::Unbounded, below))
                    .rev()
                    .map(|(_, row)| &**row)
                    .filter(|row| matches(filter, row))
                    .take(limit + 1)
            })
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.spec.id));
        let more = rows.len() > limit;
        rows.truncate(limit);
        let jobs: Vec<Job> = rows.into_iter().map(Row::job).collect();
        let last = jobs.last().map(|job| PageCursor(job.spec.id));
        Ok(Page {
            jobs,
            next: last.filter(|_| more),
        })
    }

    async fn events(
        &self,
        name: Option<&str>,
        after: u64,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, Error> {
        let store = self.open()?;
        let later = store
            .events
            .range((Bound::Excluded(after), Bound::Unbounded));
        Ok(later
            .map(|(_, row)| &row.event)
            .filter(|event| name.is_none_or(|name| event.name == name))
            .take(limit.min(PAGE_LIMIT_ROWS))
            .cloned()
            .collect())
    }

    async fn live_names(&self) -> Result<Vec<String>, Error> {
        let store = self.open()?;
        let names: BTreeSet<&str> = store
            .live
            .values()
            .map(|row| row.spec.name.as_str())
            .collect();
        Ok(names.into_iter().map(str::to_owned).collect())
    }

    async fn workers(&self) -> Result<Vec<WorkerInfo>, Error> {
        let store = self.open()?;
        let mut leases: BTreeMap<&str, u64> = BTreeMap::new();
        let running = store
            .live
            .values()
            .filter(|row| row.head.state == State::Running);
        for worker in running.filter_map(|row| row.notes.worker.as_deref()) {
            *leases.entry(worker).or_default() += 1;
        }
        Ok(leases
            .into_iter()
            .map(|(worker, leases)| WorkerInfo {
                worker: worker.to_owned(),
                leases,
            })
            .collect())
    }

    async fn standings(
        &self,
        groups: &[Group],
        now: Option<Timestamp>,
    ) -> Result<Standings, Error> {
        let now = self.time(now);
        let store = self.open()?;
        let groups = groups.iter().map(|group| store.standing(group, now));
        Ok(Standings {
            now,
            groups: groups.collect(),
        })
    }

    async fn key_holder(&self, scope: &str, key: &str) -> Result<Option<JobId>, Error> {
        let store = self.open()?;
        let hold = store.keys.get(&(scope.to_owned(), key.to_owned()));
        Ok(hold.map(|hold| hold.job))
    }
}

fn matches(filter: &JobFilter, row: &Row) -> bool {
    let spec = &row.spec;
    let same = |wanted: &Option<String>, own: Option<&str>| {
        wanted
            .as_deref()
            .is_none_or(|wanted| own.is_some_and(|own| own == wanted))
    };
    same(&filter.queue, Some(&spec.queue))
        && same(&filter.name, Some(&spec.name))
        && same(&filter.tenant, spec.tenant.as_deref())
        && same(&filter.key, spec.key.as_deref())
        && filter.state.is_none_or(|state| state == row.head.state)
}
