//! A process that works on a store until it is done or killed, and tells each fact as soon as it
//! knows it: one line, one write, into a file of its own.
//!
//! A fact is a promise: what was told must hold in every store that is found afterwards.

use crate::disk_full::Gate;
use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
use jobs_runtime::prelude::*;
use jobs_runtime::{Handle, clock::Env};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// What the process does; without it, it is none.
const PROGRAM: &str = "JOBS_FAULTS_PROGRAM";
/// The store it works on.
const FILE: &str = "JOBS_FAULTS_FILE";
/// Where it tells its facts.
const FACTS: &str = "JOBS_FAULTS_FACTS";

/// Which of several processes it is.
const NUMBER: &str = "JOBS_FAULTS_NUMBER";

/// Jobs that a program enqueues.
pub(crate) const JOBS: u64 = 24;
/// Numbers that one process of a storm may use.
const STORM_STRIDE: u64 = 1_000_000_000;
/// Tries of one call whose error says that trying again may help.
const TRIES: u32 = 60;
/// Writes between two checkpoints: SQLite's own would come too late to be met.
const CHECKPOINT_EVERY: u64 = 5;
/// A run takes a moment; only one that hangs meets this.
const PATIENCE: Duration = Duration::from_secs(50);

/// Something that was promised: by an answer, or by what was begun because of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fact {
    /// The job's enqueue was answered.
    Stored(u64),
    /// So many of its steps are recorded.
    Recorded(u64, usize),
    /// Somebody who waited for it was given its result.
    Ended(u64),
    /// A body of this step was begun, which promises nothing by itself.
    Began(u64, usize),
}

impl Fact {
    fn line(self) -> String {
        match self {
            Fact::Stored(job) => format!("stored {job} 0\n"),
            Fact::Recorded(job, steps) => format!("recorded {job} {steps}\n"),
            Fact::Ended(job) => format!("ended {job} 0\n"),
            Fact::Began(job, step) => format!("began {job} {step}\n"),
        }
    }

    pub(crate) fn read(line: &str) -> Option<Fact> {
        let mut words = line.split_whitespace();
        let (word, job, count) = (words.next()?, words.next()?, words.next()?);
        let (job, count) = (job.parse().ok()?, count.parse().ok()?);
        match word {
            "stored" => Some(Fact::Stored(job)),
            "recorded" => Some(Fact::Recorded(job, count)),
            "ended" => Some(Fact::Ended(job)),
            "began" => Some(Fact::Began(job, count)),
            _ => None,
        }
    }
}

/// Where facts are told. Clones share the file.
#[derive(Clone)]
pub(crate) struct Facts(Arc<File>);

impl Facts {
    pub(crate) fn to(path: &Path) -> Self {
        let file = OpenOptions::new().append(true).create(true).open(path);
        Facts(Arc::new(file.unwrap()))
    }

    fn tell(&self, fact: Fact) {
        (&*self.0).write_all(fact.line().as_bytes()).unwrap();
    }
}

/// The facts in a file, in the order of telling; a last line that was cut off is none.
pub(crate) fn facts(path: &Path) -> Vec<Fact> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole
        .lines()
        .map(|line| Fact::read(line).unwrap())
        .collect()
}

#[job(
    idempotency = "three:{input}",
    attempts = 100,
    unique_for = "1h",
    backoff = "10ms",
    visibility_timeout = "2s"
)]
async fn three(input: u64, facts: State<Facts>) -> Result<u64> {
    step!("one", begun(&facts, input, 0)).await?;
    step!("two", begun(&facts, input, 1)).await?;
    step!("three", begun(&facts, input, 2)).await?;
    Ok(input)
}

/// As [`three`], with a lease that no slow machine loses: here nothing may run twice.
#[job(idempotency = "calm:{input}", visibility_timeout = "10m")]
async fn calm(input: u64, facts: State<Facts>) -> Result<u64> {
    step!("one", begun(&facts, input, 0)).await?;
    step!("two", begun(&facts, input, 1)).await?;
    Ok(input)
}

/// A body begins only when all that was delivered before it is durable.
async fn begun(facts: &Facts, job: u64, step: usize) -> Result<String> {
    facts.tell(Fact::Recorded(job, step));
    facts.tell(Fact::Began(job, step));
    Ok("what a step gives ".repeat(20))
}

/// Starts a program of this file on a store. It ends when its standard input does.
pub(crate) fn spawn(program: &str, number: u64, store: &Path, facts: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    describe(&mut command, program, store, facts);
    command
        .env(NUMBER, number.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Adds to a command that ends in this program what to do.
pub(crate) fn describe(command: &mut Command, program: &str, store: &Path, facts: &Path) {
    command
        .args(["--exact", "process::serves", "--quiet", "--nocapture"])
        .env(PROGRAM, program)
        .env(FILE, store)
        .env(FACTS, facts);
}

/// The process that others start; by itself it does nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serves() {
    let Ok(program) = std::env::var(PROGRAM) else {
        return;
    };
    let path = |name: &str| PathBuf::from(std::env::var_os(name).unwrap());
    let (store, facts) = (path(FILE), Facts::to(&path(FACTS)));
    let options = SqliteOptions::default();
    if program == "storm" {
        return storm(&connect(&store, options).await, &facts).await;
    }
    let done = tokio::time::timeout(PATIENCE, async {
        match &*program {
            "enqueue weakly" => {
                let jobs = connect(&store, options.allow_weak_durability()).await;
                enqueue(&jobs, &store, &facts).await;
                jobs.close().await;
            }
            "work" => work(&connect(&store, options).await, &store, &facts).await,
            other => panic!("there is no program \"{other}\""),
        }
    });
    done.await.expect("it hangs");
}

async fn connect(path: &Path, options: SqliteOptions) -> Jobs {
    let env = Env::system();
    let driver = trying("open", || Sqlite::open(path, options.clone())).await;
    Jobs::with_driver(driver, env)
}

/// Enqueues job after job and runs them, with a second connection that checkpoints in between.
async fn work(jobs: &Jobs, path: &Path, facts: &Facts) {
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let worker = jobs
        .worker()
        .state(facts.clone())
        .state(Gate::default())
        .concurrency(4)
        .poll_interval(Duration::from_millis(20));
    let running = tokio::spawn(worker.run_until(async {
        let _ = stopped.await;
    }));
    for (job, handle) in (0..).zip(enqueue(jobs, path, facts).await) {
        trying("wait", || jobs.wait(&handle)).await;
        facts.tell(Fact::Ended(job));
    }
    drop(stop);
    running.await.unwrap().unwrap();
    jobs.close().await;
}

/// Enqueues numbers of its own and runs whatever is there, until the standard input ends. Here no
/// error is tried again: there is no fault, so there is no reason for one.
async fn storm(jobs: &Jobs, facts: &Facts) {
    let number: u64 = crate::settings::setting(NUMBER, 0);
    let (stop, mut stopped) = tokio::sync::watch::channel(false);
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        stop.send_replace(true);
    });
    let (done, all_done) = tokio::sync::oneshot::channel::<()>();
    let worker = jobs
        .worker()
        .state(facts.clone())
        .state(Gate::default())
        .concurrency(4)
        .visibility_timeout(Duration::from_secs(60));
    let running = tokio::spawn(worker.run_until(async {
        let _ = all_done.await;
    }));
    let mut next = number * STORM_STRIDE;
    while !*stopped.borrow_and_update() {
        let handle = calm(next).enqueue(jobs).await.unwrap();
        facts.tell(Fact::Stored(next));
        jobs.wait(&handle).await.unwrap();
        facts.tell(Fact::Ended(next));
        next += 1;
    }
    drop(done);
    running.await.unwrap().unwrap();
    jobs.close().await;
}

async fn enqueue(jobs: &Jobs, path: &Path, facts: &Facts) -> Vec<Handle<three>> {
    let mut handles = Vec::new();
    let beside = rusqlite::Connection::open(path).unwrap();
    for job in 0..JOBS {
        handles.push(trying("enqueue", || three(job).enqueue(jobs)).await);
        facts.tell(Fact::Stored(job));
        if job % CHECKPOINT_EVERY == CHECKPOINT_EVERY - 1 {
            // That it did not come to it is no fault: readers are in its way.
            let _ = beside.query_row("PRAGMA wal_checkpoint(RESTART)", [], |_| Ok(()));
        }
    }
    handles
}

/// Calls until it works. An error that trying again cannot mend has no place here.
async fn trying<T, F>(what: &str, call: impl Fn() -> F) -> T
where
    F: Future<Output = Result<T, Error>>,
{
    let mut tries = 0;
    loop {
        match call().await {
            Ok(value) => return value,
            Err(error) => {
                assert!(error.is_transient(), "{what}: {error:?}");
                tries += 1;
                assert!(tries < TRIES, "{what}: {error:?}");
                let mut pause = tokio::time::interval(Duration::from_millis(20));
                pause.tick().await;
                pause.tick().await;
            }
        }
    }
}
