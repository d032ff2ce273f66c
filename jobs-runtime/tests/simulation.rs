//! The simulator keeps its own promises, and a few seeds of it run with all other tests. Ten
//! thousand seeds are a step of `scripts/test` of their own, with a build that is fast enough.
#![allow(clippy::unwrap_used)]

use jobs_runtime::torture::sim::batch::run_seeds;
use jobs_runtime::torture::sim::{Options, fleet, run};

const FEW: Options = Options { operations: 200 };

#[test]
fn a_seed_is_the_same_run_each_time() {
    for seed in [3, 12] {
        let (one, two) = (run(seed, &FEW).unwrap(), run(seed, &FEW).unwrap());
        let lines: Vec<String> = one.trace().collect();
        assert!(lines.len() > 200, "{} lines", lines.len());
        let other: Vec<String> = two.trace().collect();
        let differs = lines.iter().zip(&other).find(|(one, two)| one != two);
        assert_eq!(differs, None);
        assert_eq!(one.trace_hash(), two.trace_hash());
    }
}

#[test]
fn two_seeds_are_two_runs() {
    let hash = |seed| run(seed, &FEW).unwrap().trace_hash();
    assert_ne!(hash(1), hash(2));
}

#[test]
fn some_seeds_break_no_promise() {
    let summary = run_seeds(0..12, &FEW, 2, |_| {});
    assert!(summary.findings.is_empty(), "{:#?}", summary.findings);
    assert_eq!((summary.runs, summary.twice), (12, 1));
}

/// The whole is ten thousand, as in `sim --ticks 10000`.
const FEW_TICKS: u64 = 400;

#[test]
fn f30_ticks_of_five_schedulers_are_a_job_each() {
    let outcome = fleet::run(1, FEW_TICKS).unwrap();
    assert_eq!(outcome.wrong, [""; 0]);
    assert!(outcome.jobs.values().all(|jobs| *jobs == FEW_TICKS));
    assert_eq!((outcome.jobs.len(), outcome.not_done), (2, 0));
    assert!(outcome.failed_calls > FEW_TICKS / 10);
    assert_eq!(fleet::run(1, FEW_TICKS).unwrap(), outcome);
}
