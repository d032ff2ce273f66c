//! The test of the simulator: how many seeds each planted bug survives.

use jobs_runtime::torture::Bug;
use jobs_runtime::torture::seeded::plant;
use jobs_runtime::torture::sim::{Options, run};
use std::collections::BTreeSet;
use std::ops::Range;

/// Runs seeds with each bug until one of them finds it, and prints a table; false if a bug is not
/// found by any.
///
/// # Errors
/// If a seed breaks something with no bug: it would find them all.
pub(super) fn find_all(seeds: &Range<u64>, options: &Options) -> Result<bool, String> {
    let alone = broken(seeds.start, options);
    if !alone.is_empty() {
        let (seed, found) = (seeds.start, alone.join(", "));
        return Err(format!("seed {seed} breaks with no bug planted: {found}"));
    }
    println!("| bug | seeds | promise |");
    println!("|---|---:|---|");
    let mut all_found = true;
    for bug in Bug::ALL {
        plant(Some(bug));
        let found = seeds.clone().find_map(|seed| {
            let broken = broken(seed, options);
            (!broken.is_empty()).then(|| (seed - seeds.start + 1, broken.join(", ")))
        });
        match &found {
            Some((runs, promises)) => println!("| {bug} | {runs} | {promises} |"),
            None => println!("| {bug} | not in {} | |", seeds.end - seeds.start),
        }
        all_found &= found.is_some();
    }
    plant(None);
    Ok(all_found)
}

/// The promises that a seed breaks, or what it broke down with.
fn broken(seed: u64, options: &Options) -> Vec<String> {
    match run(seed, options) {
        Ok(outcome) => {
            let broken = outcome.violations.iter().map(|found| found.invariant);
            let broken: BTreeSet<_> = broken.collect();
            broken.iter().map(ToString::to_string).collect()
        }
        Err(error) => vec![error.to_string()],
    }
}
