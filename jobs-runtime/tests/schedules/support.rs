//! A store under one clock, benches and workers on it, and the tasks of these tests.

use jobs_runtime::clock::{Clock, Env, SeededEntropy, VirtualClock};
use jobs_runtime::contract::JobFilter;
use jobs_runtime::core::Job as Row;
use jobs_runtime::drivers::memory::Memory;
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use jobs_runtime::{ScheduleView, StoreHook, Timestamp, Verb};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) const SECOND: Duration = Duration::from_secs(1);
pub(crate) const HOUR: Duration = Duration::from_secs(3600);
pub(crate) const DAY: Duration = Duration::from_secs(24 * 3600);

/// Plays the async function of this name on each store of this build, as a test of its own.
macro_rules! each_store {
    ($name:ident) => {
        mod $name {
            #[tokio::test]
            async fn memory() {
                super::$name($crate::support::World::memory()).await;
            }

            #[cfg(feature = "sqlite")]
            #[tokio::test]
            async fn sqlite() {
                super::$name($crate::support::World::sqlite()).await;
            }
        }
    };
}

pub(crate) use each_store;

/// Where the benches of a test find their store.
pub(crate) struct World {
    pub(crate) clock: VirtualClock,
    env: Env,
    folder: Option<Arc<tempfile::TempDir>>,
}

impl World {
    pub(crate) fn memory() -> Self {
        let clock = VirtualClock::default();
        World {
            env: Env::new(clock.clone(), SeededEntropy::new(7)),
            clock,
            folder: None,
        }
    }

    #[cfg(feature = "sqlite")]
    pub(crate) fn sqlite() -> Self {
        World {
            folder: Some(Arc::new(tempfile::tempdir().unwrap())),
            ..World::memory()
        }
    }

    /// The same store for a process whose clock is ahead of the others.
    pub(crate) fn ahead(&self, span: Duration) -> Self {
        let clock = VirtualClock::default();
        clock.advance(span);
        World {
            env: Env::new(clock.clone(), SeededEntropy::new(8)),
            clock,
            folder: self.folder.clone(),
        }
    }

    /// Whether benches share a store; one in memory is each bench's own.
    pub(crate) fn is_shared(&self) -> bool {
        self.folder.is_some()
    }

    /// A bench on the store: in a file, each is a connection of its own, as a process has it.
    pub(crate) async fn bench(&self) -> Bench {
        let (env, clock) = (self.env.clone(), self.clock.clone());
        #[cfg(feature = "sqlite")]
        if let Some(folder) = &self.folder {
            use jobs_runtime::contract::Driver;
            use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
            let path = folder.path().join("jobs.db");
            let options = SqliteOptions::default().env(env.clone());
            let store = Sqlite::open(&path, options).await.unwrap();
            store.migrate().await.unwrap();
            return Bench::with_driver(store, env, clock);
        }
        Bench::with_driver(Memory::new(env.clone()), env, clock)
    }

    /// Moves time to an instant of UTC, without anybody looking.
    pub(crate) fn at(&self, text: &str) {
        self.clock.advance_to(instant(text));
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

pub(crate) fn instant(text: &str) -> Timestamp {
    Timestamp(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
}

pub(crate) fn utc(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0).unwrap().to_string()
}

/// All jobs of a name, the oldest tick first.
pub(crate) async fn jobs_of(jobs: &Jobs, name: &str) -> Vec<Row> {
    let filter = JobFilter {
        name: Some(name.into()),
        ..JobFilter::default()
    };
    list(jobs, &filter).await
}

async fn list(jobs: &Jobs, filter: &JobFilter) -> Vec<Row> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = jobs.admin().list(filter, after, 500).await.unwrap();
        all.extend(page.jobs);
        match page.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    all.sort_by_key(|job| job.spec.tick.as_ref().map(|tick| tick.tick));
    all
}

/// The ticks that jobs were made for, as UTC shows them.
pub(crate) async fn ticks_of(jobs: &Jobs, name: &str) -> Vec<String> {
    let all = jobs_of(jobs, name).await;
    all.iter()
        .map(|job| utc(job.spec.tick.as_ref().unwrap().tick))
        .collect()
}

pub(crate) async fn task(jobs: &Jobs, name: &str) -> ScheduleView {
    let all = jobs.admin().schedules().await.unwrap();
    all.into_iter().find(|it| it.name == name).unwrap()
}

/// Whether a call is made before it fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    /// The call never arrives.
    Before,
    /// The call is made and its answer is lost.
    After,
}

/// Fails one of the next calls about settings.
#[derive(Clone, Default)]
pub(crate) struct Faults(Arc<Mutex<Option<(usize, Fault)>>>);

impl Faults {
    /// Fails the `nth` call from now on, counted from 1.
    pub(crate) fn plan(&self, nth: usize, fault: Fault) {
        *self.0.lock().unwrap() = Some((nth, fault));
    }

    fn strikes(&self, verb: Verb, at: Fault) -> bool {
        let mut plan = self.0.lock().unwrap();
        let Some((left, fault)) = plan.as_mut().filter(|_| verb == Verb::Settings) else {
            return false;
        };
        if *fault != at {
            return false;
        }
        *left -= 1;
        let strikes = *left == 0;
        if strikes {
            *plan = None;
        }
        strikes
    }
}

impl StoreHook for Faults {
    fn before(&self, verb: Verb) -> Result<(), Error> {
        match self.strikes(verb, Fault::Before) {
            true => Err(Error::driver_unavailable("test", "cut off", "wait")),
            false => Ok(()),
        }
    }

    fn after(&self, verb: Verb) -> Result<(), Error> {
        match self.strikes(verb, Fault::After) {
            true => Err(Error::outcome_unknown("test", "the answer was lost")),
            false => Ok(()),
        }
    }
}

/// The jobs that a schedule has made, whatever their name, the oldest tick first.
pub(crate) async fn jobs_by(jobs: &Jobs, schedule: &str) -> Vec<Row> {
    let mut all = list(jobs, &JobFilter::default()).await;
    all.retain(|job| {
        let tick = job.spec.tick.as_ref();
        tick.is_some_and(|tick| tick.schedule == schedule)
    });
    all
}

/// The ticks that a schedule has made, as UTC shows them.
pub(crate) async fn ticks_by(jobs: &Jobs, schedule: &str) -> Vec<String> {
    let all = jobs_by(jobs, schedule).await;
    all.iter()
        .map(|job| utc(job.spec.tick.as_ref().unwrap().tick))
        .collect()
}
