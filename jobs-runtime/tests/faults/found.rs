//! A store as it is found after a fault, held against the facts that were told before it.

use crate::process::{Fact, JOBS};
use jobs_runtime::contract::{Driver, JobFilter};
use jobs_runtime::core::State;
use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
use jobs_runtime::prelude::*;
use std::path::Path;

/// What is there of one job.
#[derive(Clone, Debug, Default)]
pub(crate) struct Job {
    /// Rows with its key; more than one is one too many.
    pub(crate) rows: usize,
    /// Its steps that are recorded.
    pub(crate) steps: usize,
    pub(crate) ended: bool,
}

/// What is there of all jobs of a program, by their number.
pub(crate) async fn found(path: &Path, options: SqliteOptions) -> Result<Vec<Job>, Error> {
    let store = Sqlite::open(path, options).await?;
    let outcome = look(&store).await;
    store.close().await;
    outcome
}

async fn look(store: &Sqlite) -> Result<Vec<Job>, Error> {
    let inspect = store.inspect();
    let page = inspect.list(&JobFilter::default(), None, 1_000).await?;
    assert!(page.next.is_none(), "more jobs than were ever enqueued");
    let mut jobs = vec![Job::default(); JOBS as usize];
    for row in page.jobs {
        let key = row.spec.key.unwrap();
        let number: usize = key.strip_prefix("three:").unwrap().parse().unwrap();
        let view = inspect.view(row.spec.id).await?.unwrap();
        let job = &mut jobs[number];
        job.rows += 1;
        job.steps = view
            .journal
            .iter()
            .filter(|step| step.outcome.is_some())
            .count();
        job.ended = row.head.state == State::Done;
    }
    Ok(jobs)
}

/// The facts that do not hold, in words.
pub(crate) fn broken(facts: &[Fact], jobs: &[Job]) -> Vec<String> {
    let holds = |fact: &Fact| match *fact {
        Fact::Stored(job) => jobs[job as usize].rows == 1,
        Fact::Recorded(job, steps) => jobs[job as usize].steps >= steps,
        Fact::Ended(job) => jobs[job as usize].ended,
        Fact::Began(..) => true,
    };
    let lost = facts.iter().filter(|fact| !holds(fact));
    let twice = jobs.iter().enumerate().filter(|(_, job)| job.rows > 1);
    let twice = twice.map(|(number, _)| format!("job {number} is there twice"));
    lost.map(|fact| {
        format!(
            "{fact:?} was told and does not hold: {:?}",
            jobs_of(fact, jobs)
        )
    })
    .chain(twice)
    .collect()
}

fn jobs_of<'a>(fact: &Fact, jobs: &'a [Job]) -> &'a Job {
    let (Fact::Stored(job) | Fact::Recorded(job, _) | Fact::Ended(job) | Fact::Began(job, _)) =
        *fact;
    &jobs[job as usize]
}

/// What SQLite itself finds wrong with the file.
pub(crate) fn damage(path: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(path).unwrap();
    let mut out = Vec::new();
    for check in ["PRAGMA integrity_check", "PRAGMA foreign_key_check"] {
        let mut statement = connection.prepare(check).unwrap();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let text: String = row.get(0).unwrap();
            if text != "ok" {
                out.push(format!("{check}: {text}"));
            }
        }
    }
    out
}
