//! What can be asked for on the command line.

use super::place::Place;
use clap::ValueEnum;

/// Most rounds of one run.
const ROUND_LIMIT: u16 = 1_000;

/// Measure a store by turns with the least work that it could do.
///
/// The store must be empty: a SQLite file that is not there yet, or a schema that is not there yet
/// in a Postgres database (`jobs_bench`, or `?schema=NAME`). It is made for each measurement and
/// removed after it.
#[derive(Clone, clap::Args)]
pub(crate) struct BenchArgs {
    /// What to measure; everything without it
    #[arg(value_enum)]
    pub(crate) scenarios: Vec<Scenario>,
    /// The store, as in `sqlite://bench.db`, `postgres://user@host/database` or `memory://`
    #[arg(long, value_name = "URL", required = true)]
    pub(crate) store: Option<String>,
    /// How often each is measured; the table shows medians
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=i64::from(ROUND_LIMIT)))]
    pub(crate) repeat: u16,
    /// Once and on little work, in seconds: for counts, not for ratios
    #[arg(long)]
    pub(crate) quick: bool,
}

impl BenchArgs {
    pub(super) fn rounds(&self) -> u16 {
        if self.quick { 1 } else { self.repeat }
    }

    pub(super) fn scenarios(&self) -> Vec<Scenario> {
        match self.scenarios.is_empty() {
            true => Scenario::value_variants().to_vec(),
            false => self.scenarios.clone(),
        }
    }
}

/// One thing that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Scenario {
    /// One 8 kB overwrite and sync of the disk (SQLite: in the folder of the file)
    Fsync,
    /// Memory of the process beside a backlog; before all others, which leave some behind
    MemoryWaiting,
    /// Memory of the process with many runs in flight
    MemoryRunning,
    /// Jobs that do nothing and wait already: one worker, as it is without settings
    Drain,
    /// Enqueue one by one from one task
    Enqueue,
    /// Enqueue one by one from 32 tasks
    #[value(name = "enqueue-32")]
    Enqueue32,
    /// Enqueue one by one from 256 tasks
    #[value(name = "enqueue-256")]
    Enqueue256,
    /// Enqueue 1,000 in one call
    #[value(name = "enqueue-1000")]
    Enqueue1000,
    /// From the call that enqueues to the first line of the body, of an idle worker
    Pickup,
    /// Runs of one step, 300 in flight
    #[value(name = "runs-1")]
    Runs1,
    /// Runs of five steps, 300 in flight
    #[value(name = "runs-5")]
    Runs5,
    /// Runs of ten steps, 300 in flight
    #[value(name = "runs-10")]
    Runs10,
    /// Runs of a hundred steps, 300 in flight
    #[value(name = "runs-100")]
    Runs100,
    /// One run alone, of 100 steps
    Alone,
    /// What a run of 1,000 recorded steps adds to the time of its resumption
    #[value(name = "replay-1000")]
    Replay1000,
    /// The same with 10,000 recorded steps
    #[value(name = "replay-10000")]
    Replay10000,
    /// Counting the jobs of a full store
    Stats,
    /// Listing the newest hundred jobs of a full store
    List,
}

/// What a figure says, and which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    PerSecond,
    Millis,
    Mebibytes,
}

impl Unit {
    pub(super) fn word(self) -> &'static str {
        match self {
            Unit::PerSecond => "1/s",
            Unit::Millis => "ms",
            Unit::Mebibytes => "MiB",
        }
    }
}

impl Scenario {
    pub(super) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    pub(super) fn unit(self) -> Unit {
        match self {
            Scenario::Drain
            | Scenario::Enqueue
            | Scenario::Enqueue32
            | Scenario::Enqueue256
            | Scenario::Enqueue1000
            | Scenario::Runs1
            | Scenario::Runs5
            | Scenario::Runs10
            | Scenario::Runs100 => Unit::PerSecond,
            Scenario::MemoryWaiting | Scenario::MemoryRunning => Unit::Mebibytes,
            _ => Unit::Millis,
        }
    }

    pub(super) fn runs_on(self, place: &Place) -> bool {
        self != Scenario::Fsync || matches!(place, Place::Sqlite { .. })
    }
}
