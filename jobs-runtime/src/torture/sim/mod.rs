//! The simulator: the real workers and clients on the memory driver, in one thread and under virtual
//! time, where everything fails that can. One seed is one run, the same each time.

mod blows;
mod clock;
mod engine;
mod line;
mod process;
mod store;
mod tasks;
mod weather;

use crate::torture::recorder::dump;
use engine::Engine;
use std::io;

/// What a run is asked to be.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Faults stop after so many operations: calls to the store, of which a claim counts once for
    /// each job that it brought.
    pub operations: u64,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Operations that were made before the faults stopped.
    pub operations: u64,
    /// All jobs came to rest.
    pub quiet: bool,
    /// Virtual milliseconds.
    pub millis: u128,
    /// Entries in the history.
    pub entries: usize,
}

/// Runs one seed.
///
/// # Errors
/// If the run itself broke down, which no fault may make it do.
pub fn run(seed: u64, options: &Options) -> io::Result<Outcome> {
    let ran = Engine::new(seed).run(options.operations)?;
    store::ready(dump(&ran.log, &*ran.driver))?;
    Ok(Outcome {
        operations: ran.operations,
        quiet: ran.quiet,
        millis: ran.virtual_time.as_millis(),
        entries: ran.sink.len(),
    })
}
