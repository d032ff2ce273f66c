//! F16: eight processes on one file, and a checkpoint each 50 milliseconds that pushes the readers
//! and writers out of its way. Nobody is told that the file is busy, no job is lost, and none runs
//! twice.
//!
//! A short slice by default; by hand for an hour: `JOBS_FAULTS_STORM_SECS=3600`.

use crate::found::damage;
use crate::ledger;
use crate::process::{Fact, facts, spawn};
use crate::settings::{memory_folder, setting};
use jobs_runtime::prelude::*;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long it lasts, unless the environment says otherwise, in seconds.
const SECS: u64 = 8;
const PROCESSES: usize = 8;
const CHECKPOINT_EVERY: Duration = Duration::from_millis(50);

#[tokio::test]
#[ignore = "takes its time: `scripts/test faults` runs it"]
async fn f16_eight_processes_and_many_checkpoints_lose_nothing() {
    let span = Duration::from_secs(setting("JOBS_FAULTS_STORM_SECS", SECS));
    let folder = memory_folder();
    let path = |name: &str| folder.path().join(name);
    let store = path("jobs.db");
    let told = |number: usize| path(&format!("facts-{number}"));
    // Each process enqueues numbers of its own until its standard input ends.
    let mut processes: Vec<_> = (0..PROCESSES)
        .map(|number| spawn("storm", number as u64, &store, &told(number)))
        .collect();
    let (_alarm, quiet) = std::sync::mpsc::channel::<()>();
    let (start, mut checkpoints) = (Instant::now(), 0_u64);
    let kinds = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"];
    while start.elapsed() < span {
        let _ = quiet.recv_timeout(CHECKPOINT_EVERY);
        // Opened anew each time, as a tool beside the store would.
        let Ok(beside) = rusqlite::Connection::open(&store) else {
            continue;
        };
        beside.busy_timeout(Duration::from_millis(100)).unwrap();
        let kind = kinds[checkpoints as usize % kinds.len()];
        let asked = format!("PRAGMA wal_checkpoint({kind})");
        // That it did not come to it is no fault: others are in its way.
        let _ = beside.query_row(&asked, [], |_| Ok(()));
        checkpoints += 1;
    }
    let mut violations = Vec::new();
    for process in &mut processes {
        drop(process.stdin.take());
    }
    for (number, process) in processes.into_iter().enumerate() {
        let output = process.wait_with_output().unwrap();
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            violations.push(format!("process {number}: {said}"));
        }
    }
    let all: Vec<Fact> = (0..PROCESSES)
        .flat_map(|number| facts(&told(number)))
        .collect();
    let stored = all
        .iter()
        .filter(|fact| matches!(fact, Fact::Stored(_)))
        .count();
    violations.extend(unlike_once(&all));
    violations.extend(damage(&store));
    violations.extend(left(&store).await);
    ledger::record(
        "storm of eight processes, jobs",
        stored as u64,
        violations.len(),
    );
    assert!(
        stored > 50 && checkpoints > 10,
        "it was a storm: {stored} jobs, {checkpoints} checkpoints"
    );
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

/// Jobs that were stored and did not end, or whose steps were begun more than once: no process was
/// killed and no lease was lost, so nothing has a reason to run twice.
fn unlike_once(facts: &[Fact]) -> Vec<String> {
    let (mut begun, mut out) = (BTreeMap::new(), Vec::new());
    let stored = facts.iter().filter_map(|fact| match fact {
        Fact::Stored(job) => Some(*job),
        _ => None,
    });
    let ended: std::collections::BTreeSet<u64> = facts
        .iter()
        .filter_map(|fact| match fact {
            Fact::Ended(job) => Some(*job),
            _ => None,
        })
        .collect();
    out.extend(
        stored
            .filter(|job| !ended.contains(job))
            .map(|job| format!("job {job} did not end")),
    );
    for fact in facts {
        if let Fact::Began(job, step) = fact {
            *begun.entry((*job, *step)).or_insert(0) += 1;
        }
    }
    let twice = begun.into_iter().filter(|(_, times)| *times > 1);
    out.extend(
        twice.map(|((job, step), times)| format!("job {job} began step {step} {times} times")),
    );
    out
}

/// What the doctor finds, and the jobs that did not end well.
async fn left(store: &std::path::Path) -> Vec<String> {
    let jobs = Jobs::connect(&format!("sqlite://{}", store.display()))
        .await
        .unwrap();
    let report = jobs.doctor().await.unwrap();
    let mut out: Vec<String> = report
        .findings
        .into_iter()
        .map(|found| found.what)
        .collect();
    for queue in jobs.admin().stats().await.unwrap() {
        if queue.ready + queue.running + queue.dead > 0 {
            out.push(format!("something is left: {queue:?}"));
        }
    }
    jobs.close().await;
    out
}
