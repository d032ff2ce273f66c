//! F15: a file or a log that was cut, or in which a byte was changed, at two hundred places each;
//! and what is missing beside the file. The store is refused with its path and with what to do, or
//! all of it is there: never an empty queue, never fewer jobs without a word.
//!
//! By hand: `JOBS_FAULTS_PLACES=2000`.

use crate::disk::Dice;
use crate::ledger;
use crate::settings::{memory_folder, setting};
use jobs_runtime::contract::{Driver, JobFilter};
use jobs_runtime::core::JobId;
use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
use jobs_runtime::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Places in each file, unless the environment says otherwise.
const PLACES: u64 = 200;
/// Jobs in the store.
const JOBS: u64 = 60;

#[job(idempotency = "kept:{input.number}")]
async fn kept(input: Kept) -> Result<()> {
    let _ = input;
    Ok(())
}

#[derive(Serialize, Deserialize)]
struct Kept {
    number: u64,
    text: String,
}

/// The three files of a store whose process was killed: nothing was copied back from the log.
struct Killed {
    file: Vec<u8>,
    log: Vec<u8>,
    shared: Vec<u8>,
    ids: BTreeSet<JobId>,
}

async fn killed() -> Killed {
    let folder = memory_folder();
    let path = folder.path().join("jobs.db");
    let jobs = Jobs::connect(&format!("sqlite://{}", path.display()))
        .await
        .unwrap();
    let mut ids = BTreeSet::new();
    for number in 0..JOBS {
        let text = format!("job number {number} ").repeat(20);
        ids.insert(
            kept(Kept { number, text })
                .enqueue(&jobs)
                .await
                .unwrap()
                .id(),
        );
    }
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let killed = Killed {
        file: read("jobs.db"),
        log: read("jobs.db-wal"),
        shared: read("jobs.db-shm"),
        ids,
    };
    jobs.close().await;
    killed
}

impl Killed {
    /// The same store, after a shutdown: all is in the file.
    async fn closed(&self) -> Vec<u8> {
        let (_folder, path) = self.put(Some(&self.file), Some(&self.log), None);
        let store = Sqlite::open(&path, SqliteOptions::default()).await.unwrap();
        store.close().await;
        std::fs::read(&path).unwrap()
    }

    fn put(
        &self,
        file: Option<&[u8]>,
        log: Option<&[u8]>,
        shared: Option<&[u8]>,
    ) -> (tempfile::TempDir, PathBuf) {
        let folder = memory_folder();
        let path = folder.path().join("jobs.db");
        for (name, content) in [
            ("jobs.db", file),
            ("jobs.db-wal", log),
            ("jobs.db-shm", shared),
        ] {
            if let Some(content) = content {
                std::fs::write(folder.path().join(name), content).unwrap();
            }
        }
        (folder, path)
    }
}

/// How a damaged store was met.
#[derive(Debug, PartialEq)]
enum Met {
    /// Refused, with its path and a remedy.
    Refused,
    /// Opened, and each job is there or told to be unreadable, by its id.
    Whole,
    /// Opened, with fewer jobs than were acknowledged.
    Fewer(usize),
    /// An error that does not help.
    Mute(String),
}

async fn meet(path: &Path, ids: &BTreeSet<JobId>) -> Met {
    let helps = |error: &Error| {
        error.to_string().contains(path.to_str().unwrap()) && error.fix().contains("doctor")
    };
    let store = match Sqlite::open(path, SqliteOptions::default()).await {
        Ok(store) => store,
        Err(error) if helps(&error) => return Met::Refused,
        Err(error) => return Met::Mute(format!("{error:?}")),
    };
    let met = look(&store, ids, helps).await;
    store.close().await;
    met
}

async fn look(store: &Sqlite, ids: &BTreeSet<JobId>, helps: impl Fn(&Error) -> bool) -> Met {
    let inspect = store.inspect();
    let listed = inspect.list(&JobFilter::default(), None, 1_000).await;
    let mut missing = 0;
    for id in ids {
        match inspect.view(*id).await {
            Ok(Some(_)) => {}
            Ok(None) => missing += 1,
            Err(error) if helps(&error) => {}
            Err(error) => return Met::Mute(format!("{error:?}")),
        }
    }
    match listed {
        _ if missing > 0 => Met::Fewer(missing),
        Ok(page) if page.jobs.len() < ids.len() => Met::Fewer(ids.len() - page.jobs.len()),
        Err(error) if !helps(&error) => Met::Mute(format!("{error:?}")),
        _ => Met::Whole,
    }
}

/// Places spread over a file, the first bytes among them.
fn places(length: usize) -> Vec<usize> {
    let (count, mut dice) = (setting("JOBS_FAULTS_PLACES", PLACES), Dice::new(7));
    let head = (0..count / 8).map(|at| at as usize * 3);
    let rest = (count / 8..count).map(|_| dice.below(length as u64) as usize);
    head.chain(rest).filter(|at| *at < length).collect()
}

async fn damaged(
    what: &str,
    length: usize,
    make: impl Fn(usize) -> (tempfile::TempDir, PathBuf),
    ids: &BTreeSet<JobId>,
    allowed: impl Fn(&Met, usize) -> bool,
) {
    let (mut violations, mut refused, places) = (Vec::new(), 0, places(length));
    for at in &places {
        let (_folder, path) = make(*at);
        let met = meet(&path, ids).await;
        refused += usize::from(met == Met::Refused);
        if !matches!(met, Met::Refused | Met::Whole) && !allowed(&met, *at) {
            violations.push(format!("{what} at {at} of {length}: {met:?}"));
        }
    }
    ledger::record(what, places.len() as u64, violations.len());
    assert!(refused > 0, "some of it was noticed");
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

fn flipped(content: &[u8], at: usize) -> Vec<u8> {
    let mut content = content.to_vec();
    content[at] ^= 1 << (at % 8);
    content
}

/// Cut to nothing it is a new one: nobody can tell it from a file that was only just created.
#[tokio::test]
async fn f15_a_file_that_was_cut_is_refused_or_whole() {
    let killed = killed().await;
    let file = killed.closed().await;
    let cut = |at: usize| killed.put(Some(&file[..at]), None, None);
    damaged("a cut file", file.len(), cut, &killed.ids, |_, at| at == 0).await;
}

#[tokio::test]
async fn f15_a_file_with_a_changed_bit_is_refused_or_whole() {
    let killed = killed().await;
    let file = killed.closed().await;
    let flip = |at: usize| killed.put(Some(&flipped(&file, at)), None, None);
    damaged("a changed file", file.len(), flip, &killed.ids, |_, _| {
        false
    })
    .await;
}

#[tokio::test]
async fn f15_a_log_that_was_cut_is_refused_or_whole() {
    let killed = killed().await;
    let cut = |at: usize| {
        let log = &killed.log[..at];
        killed.put(Some(&killed.file), Some(log), Some(&killed.shared))
    };
    damaged("a cut log", killed.log.len(), cut, &killed.ids, |_, _| {
        false
    })
    .await;
}

#[tokio::test]
async fn f15_a_log_with_a_changed_bit_is_refused_or_whole() {
    let killed = killed().await;
    let flip = |at: usize| {
        let log = flipped(&killed.log, at);
        killed.put(Some(&killed.file), Some(&log), Some(&killed.shared))
    };
    damaged(
        "a changed log",
        killed.log.len(),
        flip,
        &killed.ids,
        |_, _| false,
    )
    .await;
}

/// Without the third file nothing tells a last transaction that was damaged from one that a power
/// cut tore, which was never acknowledged.
#[tokio::test]
async fn f15_a_log_with_a_changed_bit_and_nothing_beside_it_loses_at_most_its_end() {
    let killed = killed().await;
    let flip = |at: usize| {
        let log = flipped(&killed.log, at);
        killed.put(Some(&killed.file), Some(&log), None)
    };
    let end = |met: &Met, _| matches!(met, Met::Fewer(1 | 2));
    damaged(
        "a changed log alone",
        killed.log.len(),
        flip,
        &killed.ids,
        end,
    )
    .await;
}

#[tokio::test]
async fn f15_a_store_without_its_shared_file_is_whole() {
    let killed = killed().await;
    let (_folder, path) = killed.put(Some(&killed.file), Some(&killed.log), None);
    assert_eq!(meet(&path, &killed.ids).await, Met::Whole);
}

#[tokio::test]
async fn f15_a_store_without_its_log_is_refused() {
    let killed = killed().await;
    let (_folder, path) = killed.put(Some(&killed.file), None, Some(&killed.shared));
    assert_eq!(meet(&path, &killed.ids).await, Met::Refused);
}
