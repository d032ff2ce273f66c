//! One process of a trial: what it is told at its start, and its body as a worker or a client.

use super::place::Place;
use super::time::FastTime;
use super::weather::Weather;
use crate::paid;
use jobs_runtime::clock::{Env, SystemEntropy};
use jobs_runtime::contract::{Driver, PruneBounds};
use jobs_runtime::core::Millis;
use jobs_runtime::torture::history::Life;
use jobs_runtime::torture::log::{FileSink, Log};
use jobs_runtime::torture::recorder::Recorder;
use jobs_runtime::torture::workload::{Choices, Client, Operator, World};
use jobs_runtime::torture::{Bug, points, seeded};
use jobs_runtime::{Error, Jobs, Timestamp};
use rustix::process::{Signal, set_parent_process_death_signal};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long a lease lasts without a heartbeat, for jobs that do not say: by the trial's time.
pub(crate) const LEASE: Duration = Duration::from_secs(10);
/// How often a worker looks for work, by the trial's time.
const POLL: Duration = Duration::from_secs(1);
/// Jobs that a worker runs at a time.
const CONCURRENCY: usize = 6;
/// The pause of a process that could not reach its server, by the machine's time.
const AGAIN: Duration = Duration::from_millis(50);
/// The pause between two acts of a client, by the trial's time, in milliseconds.
const MEAN_PAUSE: u64 = 300;
/// Acts of a client between two acts of its operator.
const ACTS_AN_OPERATOR: u64 = 4;
/// Acts of a client between two jobs with `tx` steps.
const ACTS_A_PAYMENT: u64 = 3;

/// What a process is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Role {
    /// Enqueues and publishes, and is an operator beside.
    Client,
    /// Runs jobs.
    Worker,
}

/// What a process is told at its start.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Setup {
    pub(crate) role: Role,
    pub(crate) folder: PathBuf,
    pub(crate) place: Place,
    pub(crate) process: u32,
    pub(crate) life: u32,
    pub(crate) seed: u64,
    pub(crate) time: FastTime,
    /// From then on, by the trial's time, its store no longer fails.
    pub(crate) calm_from: Timestamp,
    pub(crate) lossy: bool,
    pub(crate) acts: u64,
    /// Something befalls the server meanwhile.
    pub(crate) disturbed: bool,
    pub(crate) crowd: bool,
    pub(crate) bug: Option<String>,
}

/// Where the histories of a trial are.
pub(crate) fn log_folder(folder: &Path) -> PathBuf {
    folder.join("log")
}

/// Opens the store. A server may be away for a while, as it may for any program; a file is there, or
/// something is wrong.
async fn open(place: &Place, time: FastTime) -> Result<Arc<dyn Driver>, Error> {
    loop {
        match place.open(time).await {
            Err(error) if place.file().is_none() && error.is_transient() => {
                tokio::time::sleep(AGAIN).await;
            }
            outcome => return outcome,
        }
    }
}

/// A pen of one life of a process, in a file of its own.
pub(crate) fn pen(folder: &Path, life: Life, what: &str, time: FastTime) -> Result<Log, String> {
    let Life {
        process,
        incarnation,
    } = life;
    let file = log_folder(folder).join(format!("{process}.{incarnation}.{what}.jsonl"));
    let sink = FileSink::open(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(Log::new(life, Arc::new(time), Arc::new(sink)))
}

/// The body of `torture process`.
pub(crate) fn run(setup: &str) -> Result<(), String> {
    // Whoever started it looks after it, so it goes with them.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let setup: Setup = serde_json::from_str(setup).map_err(|error| error.to_string())?;
    points::check_environment()?;
    let bug = setup.bug.as_deref().map(str::parse::<Bug>).transpose()?;
    seeded::plant(bug);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(live(setup))
}

async fn live(setup: Setup) -> Result<(), String> {
    let Setup {
        process,
        life,
        seed,
        time,
        ..
    } = setup;
    let said = |error: Error| error.to_string();
    let life = Life {
        process,
        incarnation: life,
    };
    let calls = pen(&setup.folder, life, "calls", time)?;
    let effects = pen(&setup.folder, life, "effects", time)?;
    let part = u64::from(process) << 32 | u64::from(life.incarnation);
    let store = open(&setup.place, time).await.map_err(said)?;
    paid::record_with(Recorder::new(store.clone(), calls.clone()));
    let recorder = Recorder::new(store, calls);
    let mut jobs = Jobs::with_driver(recorder, Env::new(time, SystemEntropy));
    if setup.lossy {
        let luck = Choices::of(seed, part ^ 0x3EA7);
        jobs = jobs.hooked(Weather::new(time, setup.calm_from, luck));
    }
    let luck = Choices::of(seed, part ^ 0x10CC);
    Arc::new(World::new(effects, jobs.clone(), luck)).install();
    match setup.role {
        Role::Worker => {
            let worker = jobs.worker().concurrency(CONCURRENCY).poll_interval(POLL);
            let worker = worker.visibility_timeout(LEASE).name(process.to_string());
            worker.run().await.map_err(|failure| failure.to_string())
        }
        Role::Client => {
            let choices = Choices::of(seed, part);
            match setup.crowd {
                true => be_crowd(&jobs, choices, setup.acts, time).await,
                false => be_client(&jobs, choices, &setup).await,
            }
            Ok(())
        }
    }
}

/// Errors are told by the history, and a client goes on after them.
async fn be_client(jobs: &Jobs, mut choices: Choices, setup: &Setup) {
    use jobs_runtime::clock::Clock;
    let time = setup.time;
    let pays = setup.place.file().is_some();
    let mut client = Client::new(Choices::new(choices.bits()));
    let mut operator = Operator::new(Choices::new(choices.bits()));
    let mut payer = Choices::new(choices.bits());
    for act in 1..=setup.acts {
        time.sleep(client.pause(MEAN_PAUSE)).await;
        // It is slow when its server is away again and again.
        if setup.disturbed && time.now() >= setup.calm_from {
            break;
        }
        drop(client.act(jobs).await);
        if pays && act % ACTS_A_PAYMENT == 1 {
            drop(paid::enqueue(&mut payer, jobs).await);
        }
        if act % ACTS_AN_OPERATOR == 0 {
            drop(operator.act(jobs).await);
            do_the_round(jobs, time).await;
        }
    }
}

/// A client that fills limits.
async fn be_crowd(jobs: &Jobs, choices: Choices, acts: u64, time: FastTime) {
    use jobs_runtime::clock::Clock;
    let mut client = Client::new(choices);
    for _ in 0..acts {
        time.sleep(client.pause(MEAN_PAUSE)).await;
        drop(client.crowd(jobs).await);
    }
}

/// What an operator does seldom: without it some crash points would hardly be reached.
async fn do_the_round(jobs: &Jobs, time: FastTime) {
    use jobs_runtime::clock::Clock;
    let admin = jobs.admin();
    drop(admin.stats().await);
    drop(jobs.doctor().await);
    let bounds = PruneBounds {
        ended_before: time.now().before(LEASE.saturating_mul(30).into()),
        rules: Vec::new(),
        spared: Millis(0),
        events_expired_before: time.now(),
        dead_before: None,
        limit: 5,
    };
    drop(admin.prune(&bounds).await);
    drop(admin.pause("nobody").await);
    drop(admin.resume("nobody").await);
}
