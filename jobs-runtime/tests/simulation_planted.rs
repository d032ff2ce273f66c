//! A planted bug is found by the simulator. In a program of its own: a bug is planted in a whole
//! process.
#![allow(clippy::unwrap_used)]

use jobs_runtime::torture::Bug;
use jobs_runtime::torture::seeded::plant;
use jobs_runtime::torture::sim::Options;
use jobs_runtime::torture::sim::batch::run_seeds;

#[test]
fn a_planted_bug_is_found_and_the_seeds_that_show_it_are_named() {
    plant(Some(Bug::HalfLease));
    let summary = run_seeds(0..6, &Options { operations: 200 }, 1, |_| {});
    let first = summary.findings.first().unwrap();
    assert!(first.seed < 6);
    assert!(first.what[0].starts_with("I4 "), "{}", first.what[0]);
}
