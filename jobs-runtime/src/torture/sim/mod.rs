//! The simulator: the real workers and clients on the memory driver, in one thread and under virtual
//! time, where everything fails that can. One seed is one run, the same each time.
//!
//! [`run`] runs one seed and has its history checked; [`batch`] runs many of them, and [`fleet`] many
//! ticks. What a run does
//! is the [`workload`](super::workload)'s, what it may not do is the [`check`](super::check)er's.

pub mod batch;
mod blows;
mod clock;
mod engine;
pub mod fleet;
mod line;
mod process;
mod sink;
mod store;
mod tape;
mod tasks;
mod trace;
mod weather;

use super::check::{Coverage, Rules, Violation, check};
use super::history::Entry;
use super::recorder::dump;
use super::workload::{SCHEDULE, TICKS_EVERY, limits};
use crate::core::Millis;
use engine::{Engine, HEALS_WITHIN, LEASE};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tape::Tape;

pub use tape::Taped;

/// What a run is asked to be.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Faults stop after so many operations: what calls to the store ask for, whoever makes them.
    /// A claim is one, and so is each commit, heartbeat of a lease, job and event of a batch.
    pub operations: u64,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The seed.
    pub seed: u64,
    /// Operations that were made before the faults stopped.
    pub operations: u64,
    /// How much virtual time it took.
    pub virtual_time: Duration,
    /// Promises that were broken.
    pub violations: Vec<Violation>,
    /// What the run has shown.
    pub coverage: Coverage,
    /// All that happened.
    pub history: Vec<Entry>,
}

impl Outcome {
    /// A hash of the history: two runs of one seed have the same.
    #[must_use]
    pub fn trace_hash(&self) -> u64 {
        trace::hash(&self.history)
    }

    /// The history, a line for each entry.
    pub fn trace(&self) -> impl Iterator<Item = String> {
        self.history.iter().map(trace::line)
    }
}

/// Runs one seed.
///
/// # Errors
/// If the run broke down: a worker ended by itself with an error, or there was no end to what
/// happened at one instant. No fault may make it do either.
pub fn run(seed: u64, options: &Options) -> io::Result<Outcome> {
    let ran = Engine::new(seed).run(options.operations)?;
    if ran.quiet {
        store::ready(dump(&ran.log, &*ran.driver))?;
    }
    let history = ran.sink.take();
    let mut report = check(&history, &rules(ran.concurrency));
    // The history is written at the store, which always knows; a caller did not.
    report.coverage.unknown_outcomes += ran.lost_answers;
    Ok(Outcome {
        seed,
        operations: ran.operations,
        virtual_time: ran.virtual_time,
        violations: report.violations,
        coverage: report.coverage,
        history,
    })
}

/// Runs one seed, and gives every call that was made to the store, in their order.
///
/// # Errors
/// As [`run`].
pub fn tape(seed: u64, options: &Options) -> io::Result<Vec<Taped>> {
    let calls: Arc<Mutex<Vec<Taped>>> = Arc::default();
    let engine = Engine::on(seed, |driver, time| {
        Arc::new(Tape::new(driver, time, Arc::clone(&calls)))
    });
    engine.run(options.operations)?;
    let taped = std::mem::take(&mut *calls.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(taped)
}

/// How long after the faults a run whose event has come may wait for a worker.
const WOKEN_WITHIN: Millis = Millis::secs(45);

/// What holds in a simulation beyond what always does.
fn rules(concurrency: u64) -> Rules {
    Rules {
        heal_within: Some(Millis::from(HEALS_WITHIN)),
        limits: limits(),
        // A worker goes by its own clock, and begins nothing once the lease it knows of has ended.
        zombie_grace: LEASE,
        // Workers with a single slot may have much to do first.
        wake_within: (concurrency > 1).then_some(WOKEN_WITHIN),
        every_tick: [(SCHEDULE.into(), TICKS_EVERY)].into(),
        ..Rules::default()
    }
}
