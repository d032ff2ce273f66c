//! Many seeds: on several threads, each run by itself, with what they came to put together.

use super::{Options, Outcome, run};
use crate::torture::check::Coverage;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Each seed that this divides is run twice, and the two histories are compared.
pub const TWICE_EVERY: u64 = 100;

/// Seeds with findings after which a batch stops: a defect that many runs meet need not be shown by
/// all of them.
pub const FINDINGS_LIMIT: usize = 20;

/// What many runs came to.
#[derive(Debug, Default)]
pub struct Summary {
    /// Runs that were made, the second ones not counted.
    pub runs: u64,
    /// Runs that were made twice.
    pub twice: u64,
    /// Operations of all runs.
    pub operations: u64,
    /// Virtual time of all runs.
    pub virtual_time: Duration,
    /// What all runs together have shown.
    pub coverage: Coverage,
    /// What was found, by seed.
    pub findings: Vec<Finding>,
}

/// A run that showed a defect.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Its seed.
    pub seed: u64,
    /// What it showed, readable.
    pub what: Vec<String>,
}

/// Runs these seeds on so many threads. `progress` hears of the number of runs that are done, now
/// and then. After [`FINDINGS_LIMIT`] findings the rest is left.
pub fn run_seeds(
    seeds: Range<u64>,
    options: &Options,
    threads: usize,
    progress: impl Fn(u64) + Sync,
) -> Summary {
    let (next, stop) = (AtomicU64::new(seeds.start), AtomicBool::new(false));
    let whole = Mutex::new(Summary::default());
    let lock = || whole.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let one = run_seed(seed, options);
                    let mut all = lock();
                    all.add(one);
                    let done = all.runs;
                    if all.findings.len() >= FINDINGS_LIMIT {
                        stop.store(true, Ordering::Relaxed);
                    }
                    drop(all);
                    progress(done);
                }
            });
        }
    });
    let mut summary = std::mem::take(&mut *lock());
    summary.findings.sort_by_key(|finding| finding.seed);
    summary
}

fn run_seed(seed: u64, options: &Options) -> Summary {
    let mut one = Summary {
        runs: 1,
        ..Summary::default()
    };
    let mut what = Vec::new();
    match run(seed, options) {
        Ok(outcome) => {
            one.operations = outcome.operations;
            one.virtual_time = outcome.virtual_time;
            one.coverage = outcome.coverage;
            what.extend(outcome.violations.iter().map(ToString::to_string));
            if seed.is_multiple_of(TWICE_EVERY) {
                one.twice = 1;
                what.extend(differs(&outcome, options));
            }
        }
        Err(error) => what.push(format!("the run broke down: {error}")),
    }
    if !what.is_empty() {
        one.findings.push(Finding { seed, what });
    }
    one
}

/// What says that a second run of the seed is another one.
fn differs(first: &Outcome, options: &Options) -> Option<String> {
    let words = match run(first.seed, options) {
        Ok(second) if second.trace_hash() == first.trace_hash() => return None,
        Ok(second) => {
            let pairs = first.trace().zip(second.trace());
            let (at, (one, two)) = pairs.enumerate().find(|(_, (one, two))| one != two)?;
            format!("entry {at} was\n  {one}\nand is\n  {two}")
        }
        Err(error) => format!("it broke down: {error}"),
    };
    Some(format!("a second run of the seed is another one: {words}"))
}

/// What a thousand runs of 200 operations must have shown at least.
const LEAST_OF_THOUSAND: Coverage = Coverage {
    cancels: 300,
    children: 2_000,
    done: 8_000,
    dead_letters: 1_000,
    duplicates_refused: 200,
    effects: 20_000,
    effects_again: 3_000,
    events: 3_000,
    enqueued: 8_000,
    faults: 0,
    full_limits: 20,
    kills: 3_000,
    lease_losses: 500,
    lost_writes: 1_000,
    parked: 7_000,
    pauses: 200,
    requeues: 300,
    retries: 6_000,
    steps: 20_000,
    timed_out: 1_500,
    unknown_outcomes: 1_000,
    wakes_after_park: 1_000,
};

impl Summary {
    /// What the runs have shown too little of, each in a sentence: where there is any, they prove
    /// nothing. Fewer than a thousand runs are held to nothing.
    #[must_use]
    pub fn lacking(&self) -> Vec<String> {
        let mut least = Coverage::default();
        (0..self.runs / 1_000).for_each(|_| least.add(&LEAST_OF_THOUSAND));
        self.coverage.below(&least)
    }

    fn add(&mut self, other: Summary) {
        self.runs += other.runs;
        self.twice += other.twice;
        self.operations += other.operations;
        self.virtual_time += other.virtual_time;
        self.coverage.add(&other.coverage);
        self.findings.extend(other.findings);
    }
}
