//! F13: a write or a sync of the store's files fails, once or from then on. What was acknowledged
//! stays, nothing is acknowledged that failed, and a store that fails once goes on by itself.
//!
//! strace makes the calls of the running process fail; the process knows nothing of it. By hand:
//! `JOBS_FAULTS_RUNS=60` tries so many places of each kind.

use crate::found::{broken, damage, found};
use crate::ledger;
use crate::process::{Fact, JOBS, describe, facts};
use crate::settings::{memory_folder, setting};
use jobs_runtime::drivers::sqlite::SqliteOptions;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Places of each kind, unless the environment says otherwise.
const RUNS: u64 = 6;

/// What fails: a system call and its error, at the n-th call of a thread.
struct Fault {
    call: &'static str,
    error: &'static str,
    at: u64,
    /// Also every later call.
    lasts: bool,
}

struct Run {
    _folder: tempfile::TempDir,
    store: PathBuf,
    facts: Vec<Fact>,
    injected: usize,
    /// The process did all it had to do.
    finished: bool,
    said: String,
}

fn run(fault: &Fault) -> Run {
    run_on(fault, &["jobs.db", "jobs.db-journal", "jobs.db-wal"])
}

/// As [`run`], where only calls on these files fail.
fn run_on(fault: &Fault, files: &[&str]) -> Run {
    let folder = memory_folder();
    let path = |name: &str| folder.path().join(name);
    let (store, told, log) = (path("jobs.db"), path("facts"), path("log"));
    let inject = format!(
        "inject={}:error={}:when={}{}",
        fault.call,
        fault.error,
        fault.at,
        if fault.lasts { "+" } else { "" }
    );
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", "signal=none", "-e"]);
    command
        .arg(format!("trace={}", fault.call))
        .args(["-e", &inject]);
    for file in files {
        command.arg("-P").arg(path(file));
    }
    command
        .arg("-o")
        .arg(&log)
        .arg(std::env::current_exe().unwrap());
    describe(&mut command, "work", &store, &told);
    let output = command.output().unwrap();
    let log = std::fs::read_to_string(&log).unwrap();
    Run {
        facts: facts(&told),
        injected: log.matches("(INJECTED)").count(),
        finished: output.status.success(),
        said: format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ),
        store,
        _folder: folder,
    }
}

/// A body that began after a later one of its job had begun, or after its job's end was told.
fn repeated(facts: &[Fact]) -> Vec<String> {
    let (mut begun, mut out) = (BTreeSet::new(), Vec::new());
    for fact in facts {
        if let Fact::Began(job, step) = *fact {
            if begun.range((job, step + 1)..(job + 1, 0)).next().is_some() {
                out.push(format!(
                    "job {job} began step {step} again, though it was recorded"
                ));
            }
            begun.insert((job, step));
        }
    }
    out
}

async fn wrong_in(store: &Path, facts: &[Fact]) -> Vec<String> {
    match found(store, SqliteOptions::default()).await {
        Ok(jobs) => [broken(facts, &jobs), repeated(facts), damage(store)].concat(),
        Err(error) => vec![format!("not opened: {error:?}")],
    }
}

/// Tries a kind of fault at many places; one that passes must leave a run that ends by itself.
async fn sweep(call: &'static str, error: &'static str) {
    let (mut violations, mut injected, runs) = (Vec::new(), 0, setting("JOBS_FAULTS_RUNS", RUNS));
    for at in 1..=runs {
        for lasts in [false, true] {
            let fault = Fault {
                call,
                error,
                at,
                lasts,
            };
            let run = run(&fault);
            injected += run.injected;
            let name = format!(
                "{error} at {call} {at}{}",
                if lasts { " and on" } else { "" }
            );
            let mut wrong = wrong_in(&run.store, &run.facts).await;
            if !lasts && !run.finished {
                wrong.push(format!("it did not go on by itself: {}", run.said));
            }
            if run.finished
                && run
                    .facts
                    .iter()
                    .filter(|fact| matches!(fact, Fact::Ended(_)))
                    .count() as u64
                    != JOBS
            {
                wrong.push("it ended without having done all".into());
            }
            violations.extend(wrong.into_iter().map(|what| format!("{name}: {what}")));
        }
    }
    ledger::record(&format!("{error} at {call}"), 2 * runs, violations.len());
    assert!(injected as u64 >= runs, "the faults were met: {injected}");
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[tokio::test]
#[ignore = "needs strace: `scripts/test faults` runs it"]
async fn f13_a_sync_that_fails_is_never_a_success() {
    sweep("fsync", "EIO").await;
}

/// The switch of a new file to a write-ahead log has a commit of its own, after the answer that
/// names the new mode.
#[tokio::test]
#[ignore = "needs strace: `scripts/test faults` runs it"]
async fn f13_a_switch_to_the_log_that_fails_is_seen_and_made_again() {
    for at in 1..=4 {
        let fault = Fault {
            call: "fsync",
            error: "EIO",
            at,
            lasts: false,
        };
        let run = run_on(&fault, &["jobs.db"]);
        assert!(run.finished, "at {at}: {}", run.said);
        let header = std::fs::read(&run.store).unwrap();
        assert_eq!(
            header[18..20],
            [2, 2],
            "the file itself says that it has a log"
        );
    }
}

#[tokio::test]
#[ignore = "needs strace: `scripts/test faults` runs it"]
async fn f13_a_write_that_fails_is_never_a_success() {
    sweep("pwrite64", "EIO").await;
}

#[tokio::test]
#[ignore = "needs strace: `scripts/test faults` runs it"]
async fn f12_a_write_without_room_is_never_a_success() {
    sweep("pwrite64", "ENOSPC").await;
}
