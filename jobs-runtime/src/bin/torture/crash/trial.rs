//! One trial: a fleet on one store, hit as its plan says; then rest, the dump, and the verdict.

use super::disturb::Disturber;
use super::fleet::{Fleet, Orders, Struck};
use super::place::Place;
use super::plan::Plan;
use super::process::{log_folder, pen};
use super::time::FastTime;
use super::verdict::{self, Verdict};
use jobs_runtime::clock::{Clock, Env, SystemEntropy};
use jobs_runtime::contract::{Driver, JobFilter};
use jobs_runtime::core::State;
use jobs_runtime::torture::history::{Life, ORCHESTRATOR, What};
use jobs_runtime::torture::log::Log;
use jobs_runtime::torture::recorder::{Recorder, dump};
use jobs_runtime::torture::workload::{Choices, Operator};
use jobs_runtime::{Error, Jobs, Timestamp};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;

/// How often the processes are looked after.
const TICK: Duration = Duration::from_millis(2);
/// How often the store is looked at, to see whether anything is left to do.
const LOOK: Duration = Duration::from_millis(25);
/// How much longer than the rest a process is awaited at its crash point.
const ARMED_LONGER: Duration = Duration::from_millis(1_100);
/// Looks in a row that must find nothing left.
const LOOKS: u32 = 2;
/// For how long processes are hit if nothing else is said, by the trial's time.
const USUAL_CHAOS: Duration = Duration::from_secs(16);
/// Jobs that are looked at.
const LOOK_JOBS: usize = 5_000;

/// What all trials of a batch share.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// Where each trial has its folder.
    pub(crate) place: PathBuf,
    /// Seconds of trial time in a second of the machine.
    pub(crate) speed: u32,
    /// For so long, by the machine, processes are hit.
    pub(crate) chaos: Duration,
    /// So long after that, by the machine, nothing may be left to do.
    pub(crate) heal: Duration,
    /// The server on which each trial has a schema; without one, each has a file.
    pub(crate) server: Option<String>,
    /// What is done to the server meanwhile, again and again: a command of the shell.
    pub(crate) disturb: Option<String>,
    /// A planted bug.
    pub(crate) bug: Option<String>,
    /// Folders of trials that went well are kept too.
    pub(crate) keep: bool,
}

/// What came of a trial.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) plan: Plan,
    pub(crate) folder: PathBuf,
    pub(crate) verdict: Verdict,
    pub(crate) struck: Vec<Struck>,
    /// Crash points that any process has passed.
    pub(crate) passed: BTreeSet<String>,
    /// How often the server was disturbed.
    pub(crate) disturbed: u64,
    pub(crate) took: Duration,
}

impl Terms {
    /// How many acts of a client fill the time in which processes are hit, if so many are right for
    /// [`USUAL_CHAOS`] of a trial's time.
    fn acts(&self, usual: u64) -> u64 {
        let longer = (self.chaos * self.speed).as_millis() / USUAL_CHAOS.as_millis();
        usual.saturating_mul(u64::try_from(longer).unwrap_or(u64::MAX).max(1))
    }
}

/// Runs a plan. `name` is that of its folder.
pub(crate) fn run(plan: &Plan, terms: &Terms, name: &str) -> Result<Report, String> {
    let said = |error: std::io::Error| error.to_string();
    let folder = terms.place.join(name);
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(folder.join("passed")).map_err(said)?;
    std::fs::create_dir_all(log_folder(&folder)).map_err(said)?;
    std::fs::write(folder.join("plan.json"), plan.text()).map_err(said)?;
    let time = FastTime::begin(terms.speed);
    let life = Life {
        process: ORCHESTRATOR,
        incarnation: 1,
    };
    let log = pen(&folder, life, "orchestrator", time)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(said)?;
    let place = Place::of(&folder, terms.server.as_deref());
    let calm_from = time.now().after((terms.chaos * terms.speed).into());
    let orders = Orders {
        plan: plan.clone(),
        acts: terms.acts(plan.acts),
        disturbed: terms.disturb.is_some(),
        folder: folder.clone(),
        place: place.clone(),
        time,
        armed_for: terms.chaos + ARMED_LONGER,
        calm_from,
        bug: terms.bug.clone(),
    };
    let mut fleet = Fleet::new(orders, log.clone());
    let trial = Trial {
        terms,
        time,
        log,
        runtime: &runtime,
        place: &place,
    };
    let mut disturber = Disturber::new(terms.disturb.as_deref(), plan.seed, trial.log.clone());
    let rest = trial.play(&mut fleet, &mut disturber);
    let disturbed = disturber.times;
    let struck = std::mem::take(&mut fleet.struck);
    let fallen = std::mem::take(&mut fleet.fallen);
    drop(fleet);
    let verdict = match rest? {
        Rest::Quiet => {
            trial.dump()?;
            verdict::of(&folder, place.file(), fallen, terms)?
        }
        Rest::Busy(left) => verdict::restless(&folder, place.file(), (fallen, left), terms)?,
    };
    let passed = passed(&folder.join("passed")).map_err(said)?;
    if verdict.is_clean() && !terms.keep {
        drop(std::fs::remove_dir_all(&folder));
        runtime.block_on(place.remove())?;
    }
    Ok(Report {
        plan: plan.clone(),
        folder,
        verdict,
        struck,
        passed,
        disturbed,
        took: time.since_begin(),
    })
}

/// How a trial came to its end.
enum Rest {
    /// Nothing is left to do.
    Quiet,
    /// This is.
    Busy(Vec<String>),
}

struct Trial<'a> {
    terms: &'a Terms,
    time: FastTime,
    log: Log,
    runtime: &'a Runtime,
    place: &'a Place,
}

impl Trial<'_> {
    fn play(&self, fleet: &mut Fleet, disturber: &mut Disturber<'_>) -> Result<Rest, String> {
        let chaos = self.terms.chaos;
        let is_under_way = |fleet: &Fleet| {
            self.time.since_begin() < chaos
                || fleet.is_armed()
                || !fleet.is_client_done()
                || !fleet.is_whole()
        };
        while is_under_way(fleet) || disturber.is_at_it() {
            fleet.step()?;
            disturber.step(self.time.since_begin(), chaos)?;
            if self.time.since_begin() > chaos + self.terms.heal {
                return Ok(Rest::Busy(vec!["a process did not come back".into()]));
            }
            std::thread::sleep(TICK);
        }
        self.log.write(What::Healing);
        let store = self.patiently(|| self.open())?;
        self.patiently(|| self.resume_all(Arc::clone(&store)))?;
        let deadline = self.time.since_begin() + self.terms.heal;
        let (mut looks, mut next) = (0, Duration::ZERO);
        loop {
            fleet.step()?;
            let now = self.time.since_begin();
            if now >= next {
                next = now + LOOK;
                let left = self.patiently(|| self.left(&*store))?;
                looks = if left.is_empty() { looks + 1 } else { 0 };
                if looks >= LOOKS {
                    break self.runtime.block_on(store.close());
                }
                if now > deadline {
                    self.runtime.block_on(store.close());
                    return Ok(Rest::Busy(left));
                }
            }
            std::thread::sleep(TICK);
        }
        Ok(Rest::Quiet)
    }

    /// Whatever an operator has paused may run again: the call that was to say so may have failed.
    fn resume_all(&self, store: Arc<dyn Driver>) -> Result<(), Error> {
        let recorder = Recorder::new(store, self.log.clone());
        let jobs = Jobs::with_driver(recorder, Env::new(self.time, SystemEntropy));
        let mut operator = Operator::new(Choices::new(0));
        self.runtime.block_on(operator.leave(&jobs))
    }

    fn open(&self) -> Result<Arc<dyn Driver>, Error> {
        self.runtime.block_on(self.place.open(self.time))
    }

    /// Tries again what a store that is away refuses, for as long as it may be.
    fn patiently<T>(&self, mut work: impl FnMut() -> Result<T, Error>) -> Result<T, String> {
        let begun = self.time.since_begin();
        loop {
            match work() {
                Err(error)
                    if error.is_transient()
                        && self.time.since_begin() - begun < self.terms.heal =>
                {
                    std::thread::sleep(LOOK);
                }
                outcome => return outcome.map_err(|error| error.to_string()),
            }
        }
    }

    /// The jobs that somebody still has to do something for.
    fn left(&self, store: &dyn Driver) -> Result<Vec<String>, Error> {
        let filter = JobFilter::default();
        let page = store.inspect().list(&filter, None, LOOK_JOBS);
        let page = self.runtime.block_on(page)?;
        let is_left = |state: State, visible_at: Option<Timestamp>| {
            let moves = visible_at.is_some_and(|at| at < Timestamp(i64::MAX));
            state.is_live() && moves
        };
        let jobs = page.jobs.into_iter();
        let left = jobs.filter(|job| is_left(job.head.state, job.head.visible_at));
        Ok(left
            .map(|job| format!("{} {} {}", job.spec.id, job.spec.name, job.head.state))
            .collect())
    }

    fn dump(&self) -> Result<(), String> {
        let store = self.patiently(|| self.open())?;
        let dumped = self.runtime.block_on(dump(&self.log, &*store));
        self.runtime.block_on(store.close());
        dumped.map(drop).map_err(|error| error.to_string())
    }
}

/// The points that stand in the files of this folder.
fn passed(folder: &Path) -> std::io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for file in std::fs::read_dir(folder)? {
        let text = std::fs::read_to_string(file?.path())?;
        let words = text.lines().filter_map(|line| line.split_once(' '));
        names.extend(words.map(|(name, _)| name.to_owned()));
    }
    Ok(names)
}
