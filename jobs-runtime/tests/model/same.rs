//! Answers and views of two drivers, less what may differ: the numbers of a store's own counter,
//! of which only the order means something.

use jobs_runtime::contract::{Claimed, Claims, Driver, JobFilter, JobView, StoredEvent};
use jobs_runtime::core::{CommitAnswer, InboxItem, Job, Nudge, State};
use jobs_runtime::{Error, JobId, Timestamp};
use std::fmt::Debug;

/// Rows of one page: few, so that pages are turned.
const PAGE_JOBS: usize = 7;

/// An inbox whose numbers are places.
fn numbered(inbox: &mut [InboxItem]) {
    inbox.sort_by_key(|item| item.seq);
    for (place, item) in inbox.iter_mut().enumerate() {
        item.seq = place as u64;
    }
}

fn nudge(nudge: &mut Nudge) {
    numbered(&mut nudge.inbox);
}

pub(crate) fn commit_answer(mut answer: CommitAnswer) -> CommitAnswer {
    match &mut answer {
        CommitAnswer::Applied(applied) => {
            if let Some(news) = &mut applied.nudge {
                nudge(news);
            }
        }
        CommitAnswer::Nudged(news) => nudge(news),
        _ => {}
    }
    answer
}

pub(crate) fn claims(mut claims: Claims) -> Claims {
    claims.jobs.iter_mut().for_each(claimed);
    claims
}

fn claimed(claimed: &mut Claimed) {
    nudge(&mut claimed.nudge);
    claimed.journal.sort_by(|a, b| a.name.cmp(&b.name));
}

/// The same in an order of no meaning, and without the news that a claim itself has made.
pub(crate) fn by_id(mut jobs: Vec<Claimed>) -> Vec<Claimed> {
    for job in &mut jobs {
        claimed(job);
        job.nudge = Nudge::default();
        job.job.head.nudge = 0;
        job.job.head.revision = 0;
    }
    jobs.sort_by_key(|claimed| claimed.job.spec.id);
    jobs
}

/// What is told of a job, without hiding payloads as their `Debug` does.
fn told(view: &JobView) -> String {
    let job = serde_json::to_string(&view.job).unwrap();
    let journal = serde_json::to_string(&view.journal).unwrap();
    let inbox = serde_json::to_string(&view.inbox).unwrap();
    let log = serde_json::to_string(&view.log).unwrap();
    format!("{job}\n{journal}\n{inbox}\n{log}")
}

/// All that can be seen of a store.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    parts: Vec<String>,
}

impl Seen {
    /// The parts that are not the same in another.
    pub(crate) fn apart(&self, other: &Seen) -> String {
        let parts = self.parts.iter().zip(&other.parts);
        let apart = parts.filter(|(one, two)| one != two);
        let apart = apart.map(|(one, two)| format!("memory:\n{one}\nSQLite:\n{two}\n"));
        apart.collect()
    }

    pub(crate) async fn of(driver: &dyn Driver, now: Timestamp) -> Result<Seen, Error> {
        let inspect = driver.inspect();
        let mut parts = Vec::new();
        for id in listed(driver, &JobFilter::default()).await? {
            let Some(mut view) = inspect.view(id).await? else {
                parts.push(format!("{id} is listed and has no view"));
                continue;
            };
            numbered(&mut view.inbox);
            view.journal
                .sort_by(|a, b| (a.position, &a.name).cmp(&(b.position, &b.name)));
            let owner = inspect.job_of_run(view.job.spec.run_id).await?;
            parts.push(format!("{}\nof run: {owner:?}", told(&view)));
        }
        for state in State::ALL {
            let filter = JobFilter {
                state: Some(state),
                ..JobFilter::default()
            };
            parts.push(format!("{state}: {:?}", listed(driver, &filter).await?));
        }
        let key = JobFilter {
            key: Some("key-1".into()),
            ..JobFilter::default()
        };
        parts.push(format!("key-1: {:?}", listed(driver, &key).await?));
        let mut stats = driver.stats(Some(now)).await?;
        stats.sort_by(|a, b| a.queue.cmp(&b.queue));
        parts.push(format!("{stats:?}"));
        parts.push(format!("{:?}", driver.settings("").await?));
        let events = inspect.events(None, 0, 1_000).await?;
        parts.push(format!(
            "{:?}",
            events.iter().map(published).collect::<Vec<_>>()
        ));
        let mut names = inspect.live_names().await?;
        names.sort();
        parts.push(format!("{names:?}"));
        Ok(Seen { parts })
    }
}

fn published(event: &StoredEvent) -> impl Debug {
    let StoredEvent {
        id,
        name,
        key,
        tenant,
        payload,
        published_at,
        expires_at,
        ..
    } = event.clone();
    (
        id,
        name,
        key,
        tenant,
        payload.bytes,
        published_at,
        expires_at,
    )
}

/// The row of every job.
pub(crate) async fn rows(driver: &dyn Driver) -> Result<Vec<Job>, Error> {
    let page = driver
        .inspect()
        .list(&JobFilter::default(), None, 1_000)
        .await?;
    assert!(page.next.is_none(), "a sequence has few jobs");
    Ok(page.jobs)
}

async fn listed(driver: &dyn Driver, filter: &JobFilter) -> Result<Vec<JobId>, Error> {
    let (mut ids, mut after) = (Vec::new(), None);
    loop {
        let page = driver.inspect().list(filter, after, PAGE_JOBS).await?;
        ids.extend(page.jobs.iter().map(|job| job.spec.id));
        after = page.next;
        if after.is_none() {
            return Ok(ids);
        }
    }
}
