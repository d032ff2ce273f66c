//! One run: processes, time and blows, all of one seed, until there is nothing left to be done.
//!
//! Nothing here asks a clock or tosses a coin. Between two instants of virtual time every process
//! that can goes on as far as it comes; then time moves to whatever comes next.

mod strike;

use super::blows::{Blow, Blows};
use super::clock::SkewedClock;
use super::line::{Hints, Line};
use super::process::{Alive, End, Process, Role, Went, be_client, be_operator, be_worker};
use super::sink::CountingSink;
use super::store::ready;
use super::tasks::{Alarm, Tasks};
use super::weather::{Climate, Weather};
use crate::Jobs;
use crate::clock::{Clock, Env, SeededEntropy, VirtualClock};
use crate::contract::Driver;
use crate::drivers::memory::Memory;
use crate::torture::history::{Life, ORCHESTRATOR, What};
use crate::torture::log::{ClockStamps, Log};
use crate::torture::recorder::Recorder;
use crate::torture::workload::{Choices, Client, Operator, World};
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::AtomicI64;
use std::time::Duration;
use tokio::sync::oneshot;

/// Workers of a run.
const WORKERS: usize = 4;
/// Clients of a run.
const CLIENTS: usize = 2;
/// How long a lease lasts without a heartbeat.
pub(super) const LEASE: Duration = Duration::from_secs(5);
/// Faults last no longer than this, in virtual time.
const STORM: Duration = Duration::from_secs(600);
/// What the history calls all the faults together.
const STORM_NAME: &str = "storm";
/// How long a run has to come to rest once the faults are over, in virtual time.
pub(super) const HEALS_WITHIN: Duration = Duration::from_secs(1_200);
/// How often it is looked whether it has.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Rounds at one instant before a run counts as one that does not come to rest.
const MAX_ROUNDS: u32 = 100_000;
/// Entries of a history that are made room for.
const ENTRIES: usize = 8_192;

/// A run that is under way.
pub(super) struct Engine {
    seed: u64,
    climate: Climate,
    weather: Arc<Weather>,
    time: VirtualClock,
    driver: Arc<dyn Driver>,
    hints: Arc<Hints>,
    sink: Arc<CountingSink>,
    log: Log,
    processes: Vec<Process>,
    skews: Vec<Arc<AtomicI64>>,
    blows: Blows,
    due: BTreeMap<(Duration, u64), Blow>,
    planned: u64,
}

impl Engine {
    pub(super) fn new(seed: u64) -> Self {
        Engine::on(seed, |driver, _| driver)
    }

    /// A run on what is made of a store in memory.
    pub(super) fn on(
        seed: u64,
        wrap: impl FnOnce(Arc<dyn Driver>, VirtualClock) -> Arc<dyn Driver>,
    ) -> Self {
        let time = VirtualClock::default();
        let env = Env::new(time.clone(), SeededEntropy::new(seed));
        let driver = wrap(Arc::new(Memory::new(env)), time.clone());
        let sink = Arc::new(CountingSink::with_capacity(ENTRIES));
        let life = Life {
            process: ORCHESTRATOR,
            incarnation: 1,
        };
        let log = Log::new(
            life,
            Arc::new(ClockStamps(Arc::new(time.clone()))),
            sink.clone(),
        );
        let roles = std::iter::repeat_n(Role::Worker, WORKERS)
            .chain(std::iter::repeat_n(Role::Client, CLIENTS))
            .chain([Role::Operator]);
        let processes: Vec<Process> = (1..)
            .zip(roles)
            .map(|(process, role)| Process {
                role,
                life: Life {
                    process,
                    incarnation: 0,
                },
                alive: None,
                paused: false,
                cut: None,
            })
            .collect();
        let all = processes.len();
        Engine {
            seed,
            climate: Climate::of(seed),
            weather: Arc::default(),
            hints: Arc::new(Hints::new(driver.wake_ups(), Choices::of(seed, 0xEA25))),
            driver,
            time,
            sink,
            log,
            skews: processes.iter().map(|_| Arc::default()).collect(),
            processes,
            blows: Blows::new(Choices::of(seed, 0xB10E), WORKERS, all, LEASE),
            due: BTreeMap::new(),
            planned: 0,
        }
    }

    /// Runs until so many operations were made, lets everything heal, and gives the history.
    pub(super) fn run(mut self, operations: u64) -> io::Result<Ran> {
        for index in 0..self.processes.len() {
            self.start(index)?;
        }
        self.log.write(What::FaultBegin(STORM_NAME.into()));
        self.next_blow();
        while self.sink.operations() < operations && self.time.monotonic() < STORM {
            self.settle()?;
            self.pass(None)?;
        }
        let operations = self.sink.operations();
        self.heal()?;
        let quiet = self.come_to_rest()?;
        for index in 0..self.processes.len() {
            self.end(index);
        }
        Ok(Ran {
            operations,
            concurrency: self.climate.concurrency,
            lost_answers: self.weather.lost_answers(),
            quiet,
            virtual_time: self.time.monotonic(),
            driver: self.driver,
            log: self.log,
            sink: self.sink,
        })
    }

    /// Lets every process go on until none can.
    fn settle(&mut self) -> io::Result<()> {
        for _ in 0..MAX_ROUNDS {
            let mut moved = false;
            for index in 0..self.processes.len() {
                match self.processes[index].go_on() {
                    Went::Nowhere => continue,
                    Went::On => {}
                    Went::Cut(cut) if cut.kills => self.kill(index, cut.span),
                    Went::Cut(cut) => self.pause(index, cut.span),
                }
                moved = true;
            }
            if !moved {
                return Ok(());
            }
            self.bury()?;
        }
        Err(io::Error::other(
            "the run does not come to rest at one instant",
        ))
    }

    /// Notes which workers have ended by themselves, and starts them again.
    fn bury(&mut self) -> io::Result<()> {
        for index in 0..self.processes.len() {
            let Some(ended) = self.processes[index].ended() else {
                continue;
            };
            if let Err(words) = ended {
                let name = format!("a worker ended with an error: {words}");
                return Err(io::Error::other(name));
            }
            self.log.write(What::Killed(self.processes[index].life));
            self.processes[index].alive = None;
            self.plan(Duration::from_millis(500), Blow::Start(index));
        }
        Ok(())
    }

    /// Moves time to the next thing that waits for it, but no further than `most`.
    fn pass(&mut self, most: Option<Duration>) -> io::Result<()> {
        let now = self.time.monotonic();
        let sleeper = self.time.next_sleeper();
        let blow = self.due.keys().next().map(|(at, _)| at.saturating_sub(now));
        let next = [sleeper, blow, most].into_iter().flatten().min();
        let Some(next) = next else {
            return Err(io::Error::other("nothing waits for time to pass"));
        };
        self.time.advance(next);
        let now = self.time.monotonic();
        while let Some(entry) = self.due.first_entry() {
            if entry.key().0 > now {
                break;
            }
            let blow = entry.remove();
            self.strike(blow)?;
        }
        Ok(())
    }

    /// Starts a process, if it does not live.
    fn start(&mut self, index: usize) -> io::Result<()> {
        if self.processes[index].alive.is_some() {
            return Ok(());
        }
        self.processes[index].life.incarnation += 1;
        let life = self.processes[index].life;
        self.log.write(What::Started(life));
        let part = u64::from(life.process) << 32 | u64::from(life.incarnation);
        let stamps = ClockStamps(Arc::new(self.time.clone()));
        let log = Log::new(life, Arc::new(stamps), self.sink.clone());
        let tasks = Tasks::new()?;
        let jobs = self.connect(index, part, &log, tasks.alarm());
        let luck = Choices::of(self.seed, part ^ 0x10CC);
        let world = Arc::new(World::new(log, jobs.clone(), luck));
        let end: Arc<End> = Arc::default();
        let choices = Choices::of(self.seed, part ^ 0xAC7);
        let weather = Arc::clone(&self.weather);
        let mut stop = None;
        match self.processes[index].role {
            Role::Client => tasks.spawn(be_client(
                Client::new(choices),
                jobs,
                weather,
                self.climate.client_pause,
            )),
            Role::Operator => tasks.spawn(be_operator(
                Operator::new(choices),
                jobs,
                weather,
                self.climate.operator_pause,
            )),
            Role::Worker => {
                let (sender, told) = oneshot::channel();
                stop = Some(sender);
                tasks.spawn(be_worker(
                    jobs,
                    weather,
                    self.time.clone(),
                    self.climate.concurrency,
                    told,
                    Arc::clone(&end),
                ));
            }
        }
        self.processes[index].alive = Some(Alive {
            tasks,
            world,
            stop,
            end,
        });
        Ok(())
    }

    /// A process's way to the store.
    fn connect(&self, index: usize, part: u64, log: &Log, trap: Arc<Alarm>) -> Jobs {
        let clock = SkewedClock {
            time: self.time.clone(),
            ahead: Arc::clone(&self.skews[index]),
        };
        let bits = Choices::of(self.seed, part ^ 0xB175).bits();
        let env = Env::new(clock, SeededEntropy::new(bits));
        self.hints.attach(index);
        let line = Line {
            process: index,
            climate: self.climate,
            weather: Arc::clone(&self.weather),
            time: self.time.clone(),
            hints: Arc::clone(&self.hints),
            trap,
            choices: Mutex::new(Choices::of(self.seed, part ^ 0x117E)),
        };
        let recorder = Recorder::new(Arc::clone(&self.driver), log.clone());
        Jobs::with_driver(recorder, env).hooked(line)
    }

    /// Ends all faults.
    fn heal(&mut self) -> io::Result<()> {
        self.weather.calm_down();
        for index in 0..self.processes.len() {
            self.processes[index].cut = None;
            self.resume(index);
            self.start(index)?;
        }
        self.log.write(What::FaultEnd(STORM_NAME.into()));
        self.log.write(What::Healing);
        Ok(())
    }

    /// Goes on until no live job is left; false if there still are some after the time for it.
    fn come_to_rest(&mut self) -> io::Result<bool> {
        let until = self.time.monotonic() + HEALS_WITHIN;
        let mut look_at = self.time.monotonic();
        while self.time.monotonic() < until {
            self.settle()?;
            let now = self.time.monotonic();
            if now >= look_at {
                if self.is_at_rest()? {
                    return Ok(true);
                }
                look_at = now + LOOK_EVERY;
            }
            self.pass(Some(look_at.saturating_sub(now)))?;
        }
        Ok(false)
    }

    fn is_at_rest(&self) -> io::Result<bool> {
        let names = ready(self.driver.inspect().live_names())?;
        Ok(names.is_empty())
    }
}

/// What is left of a run.
pub(super) struct Ran {
    pub(super) operations: u64,
    pub(super) concurrency: u64,
    pub(super) lost_answers: u64,
    pub(super) quiet: bool,
    pub(super) virtual_time: Duration,
    pub(super) driver: Arc<dyn Driver>,
    pub(super) log: Log,
    pub(super) sink: Arc<CountingSink>,
}
