//! Many ticks of two schedules, a task's and one that is made at run time, by five workers. One of
//! them stands still for long and goes on with what it knew, one believes that it is three seconds
//! later, each is killed in its turn at the very instant of a tick, and at such an instant the store
//! goes away too: calls that are under way are done, and nobody hears of it.
//!
//! Each tick is to be one job. That is counted here, from the store; what else may not happen is
//! checked in the runs of [`super::run`].

mod way;

use super::clock::SkewedClock;
use super::engine::LEASE;
use super::process::{Alive, End, Process, Role, Went};
use super::store::ready;
use super::tasks::Tasks;
use crate::Jobs;
use crate::clock::{Clock, Env, SeededEntropy, Sleeping, VirtualClock};
use crate::contract::{Driver, JobFilter};
use crate::core::{Millis, Missed, State, TickRef, Timestamp};
use crate::drivers::memory::Memory;
use crate::store::Store;
use crate::torture::history::Life;
use crate::torture::log::{ClockStamps, Log, MemorySink};
use crate::torture::workload::{
    Choices, SCHEDULE, TICKS_EVERY, World, make_all_ticks, torture_scheduled,
};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;
use way::Way;

/// Workers, each with a scheduler.
const SCHEDULERS: usize = 5;
/// The one that stands still.
const STOPPED: usize = 1;
/// The one that is ahead, and by how many milliseconds.
const AHEAD: usize = 4;
const AHEAD_BY: i64 = 3_000;
/// The schedule that is made at run time; as often as the task.
const MADE: &str = "torture-fleet";
const EVERY: &str = "every 2s";
/// After so many ticks one of them is killed, and begins anew.
const LIFE_TICKS: u64 = 13;
/// After so many the store goes away.
const STORE_TICKS: u64 = 11;
/// So many ticks one stands still, and so many it goes on.
const STILL_TICKS: u64 = 17;
/// How often a worker looks for work that nothing hints at.
const POLL: Duration = Duration::from_secs(5);
/// How long everything may take to be done once nothing fails any more.
const HEALS_WITHIN: Duration = Duration::from_secs(120);
/// Rounds at one instant before a run counts as one that does not come to rest.
const MAX_ROUNDS: u32 = 100_000;
/// Jobs of a page, when they are counted.
const PAGE: usize = 1_000;

/// What came of the ticks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Jobs of each schedule, of the ticks that were asked for.
    pub jobs: BTreeMap<String, u64>,
    /// Ticks that have none, or more than one, in words.
    pub wrong: Vec<String>,
    /// Jobs that were not done in the end.
    pub not_done: u64,
    /// Calls that failed, or whose answer was lost.
    pub failed_calls: u64,
}

/// Lets so many ticks pass.
///
/// # Errors
/// If the run broke down: a worker ended by itself, or something at one instant had no end.
pub fn run(seed: u64, ticks: u64) -> io::Result<Outcome> {
    let mut fleet = Fleet::new(seed)?;
    for tick in 1..=ticks {
        fleet.pass_until(tick_at(tick))?;
        fleet.strike(tick)?;
    }
    fleet.heal()?;
    let end = tick_at(ticks);
    fleet.pass_until(end.after(Millis::from(HEALS_WITHIN)))?;
    fleet.counted(end)
}

fn tick_at(tick: u64) -> Timestamp {
    VirtualClock::START.after(Millis(TICKS_EVERY.0.saturating_mul(tick)))
}

/// The fleet, at one instant.
struct Fleet {
    seed: u64,
    time: VirtualClock,
    driver: Arc<dyn Driver>,
    way: Way,
    sink: Arc<MemorySink>,
    processes: Vec<Process>,
}

impl Fleet {
    fn new(seed: u64) -> io::Result<Self> {
        let time = VirtualClock::default();
        let env = Env::new(time.clone(), SeededEntropy::new(seed));
        let driver: Arc<dyn Driver> = Arc::new(Memory::new(env.clone()));
        let jobs = Jobs::of(Store::new(Arc::clone(&driver), env));
        let admin = jobs.admin();
        let set = admin.schedule(MADE, EVERY).missed(Missed::All);
        ready(set.set(torture_scheduled(seed)))?;
        let mut fleet = Fleet {
            seed,
            way: Way::new(time.clone(), Choices::of(seed, 0xF1EE)),
            time,
            driver,
            sink: Arc::default(),
            processes: (1..).take(SCHEDULERS).map(unborn).collect(),
        };
        for place in 0..SCHEDULERS {
            fleet.start(place)?;
        }
        fleet.settle()?;
        Ok(fleet)
    }

    /// What falls upon the fleet at a tick, before anybody has looked at it.
    fn strike(&mut self, tick: u64) -> io::Result<()> {
        self.processes[STOPPED].paused = (tick / STILL_TICKS).is_multiple_of(2);
        if tick.is_multiple_of(STORE_TICKS) {
            self.way.restart_store();
        }
        if tick.is_multiple_of(LIFE_TICKS) {
            let place = usize::try_from(tick / LIFE_TICKS).unwrap_or(0) % SCHEDULERS;
            self.processes[place].alive = None;
            self.start(place)?;
        }
        self.settle()
    }

    fn heal(&mut self) -> io::Result<()> {
        self.way.calm_down();
        self.processes[STOPPED].paused = false;
        self.settle()
    }

    fn start(&mut self, place: usize) -> io::Result<()> {
        let life = &mut self.processes[place].life;
        life.incarnation += 1;
        let life = *life;
        let part = u64::from(life.process) << 32 | u64::from(life.incarnation);
        let bits = Choices::of(self.seed, part).bits();
        let own = SkewedClock {
            time: self.time.clone(),
            ahead: Arc::new(AtomicI64::new(if place == AHEAD { AHEAD_BY } else { 0 })),
        };
        let believed = Env::new(Believed(own.clone()), SeededEntropy::new(bits));
        let env = Env::new(own, SeededEntropy::new(bits));
        let store = Store::new(Arc::clone(&self.driver), env);
        let jobs = Jobs::of(store).hooked(self.way.clone());
        let stamps = Arc::new(ClockStamps(Arc::new(self.time.clone())));
        let log = Log::new(life, stamps, self.sink.clone());
        let luck = Choices::of(self.seed, part ^ 0x10CC);
        let world = Arc::new(World::new(log, jobs.clone(), luck));
        let (tasks, end) = (Tasks::new()?, Arc::<End>::default());
        tasks.spawn(work(jobs, believed, Arc::clone(&end)));
        self.processes[place].alive = Some(Alive {
            tasks,
            world,
            stop: None,
            end,
        });
        Ok(())
    }

    /// Lets every process go on until none can.
    fn settle(&mut self) -> io::Result<()> {
        for _ in 0..MAX_ROUNDS {
            let mut moved = false;
            for process in &mut self.processes {
                moved |= !matches!(process.go_on(), Went::Nowhere);
                if let Some(ended) = process.ended() {
                    let words = ended.err().unwrap_or_default();
                    return Err(io::Error::other(format!("a worker ended: {words}")));
                }
            }
            if !moved {
                return Ok(());
            }
        }
        Err(io::Error::other("one instant has no end"))
    }

    /// Moves time to an instant, by way of all that waits for one before it. At the instant itself
    /// nobody has done anything yet.
    fn pass_until(&mut self, until: Timestamp) -> io::Result<()> {
        loop {
            self.settle()?;
            let left = Duration::from(until.since(self.time.now()));
            match self.time.next_sleeper().filter(|next| *next < left) {
                Some(next) => self.time.advance(next),
                None => {
                    self.time.advance(left);
                    return Ok(());
                }
            }
        }
    }

    /// The jobs of each tick up to `end`.
    fn counted(&self, end: Timestamp) -> io::Result<Outcome> {
        let mut outcome = Outcome {
            failed_calls: self.way.failed(),
            ..Outcome::default()
        };
        let mut ticks: BTreeMap<TickRef, u64> = BTreeMap::new();
        let (all, mut after) = (JobFilter::default(), None);
        loop {
            let page = ready(self.driver.inspect().list(&all, after, PAGE))?;
            for job in page.jobs {
                let Some(tick) = job.spec.tick.filter(|tick| tick.tick <= end) else {
                    continue;
                };
                *outcome.jobs.entry(tick.schedule.clone()).or_default() += 1;
                *ticks.entry(tick).or_default() += 1;
                outcome.not_done += u64::from(job.head.state != State::Done);
            }
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        for schedule in [SCHEDULE, MADE] {
            for tick in (1..).map(tick_at).take_while(|at| *at <= end) {
                let schedule = schedule.into();
                let tick = TickRef { schedule, tick };
                let jobs = ticks.get(&tick).copied().unwrap_or(0);
                if jobs != 1 {
                    outcome.wrong.push(format!("{tick:?} has {jobs} jobs"));
                }
            }
        }
        Ok(outcome)
    }
}

fn unborn(process: u32) -> Process {
    Process {
        role: Role::Worker,
        life: Life {
            process,
            incarnation: 0,
        },
        alive: None,
        paused: false,
        cut: None,
    }
}

/// Runs jobs, and makes ticks by the time that this process believes it is.
async fn work(jobs: Jobs, believed: Env, end: Arc<End>) {
    let worker = jobs.worker().without_thread().without_schedules();
    let worker = worker.visibility_timeout(LEASE).poll_interval(POLL);
    let ended = tokio::select! {
        biased;
        ended = worker.run_until(std::future::pending()) => ended,
        never = make_all_ticks(&jobs, believed) => never.map(|never| match never {}),
    };
    end.set(ended.map_err(|failure| failure.to_string()));
}

/// A clock that takes what it shows for the time of the store.
struct Believed(SkewedClock);

impl Clock for Believed {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }

    fn sleep(&self, span: Duration) -> Sleeping {
        self.0.sleep(span)
    }

    fn imposed(&self) -> Option<Timestamp> {
        Some(self.0.now())
    }
}
