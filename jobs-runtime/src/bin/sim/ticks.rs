//! Many ticks by a fleet of schedulers, and whether each is one job.

use super::Args;
use jobs_runtime::torture::ledger;
use jobs_runtime::torture::sim::fleet;
use std::time::Instant;

/// Wrong ticks that are told of one seed.
const TOLD: usize = 20;

/// Runs each seed over so many ticks; false if one of them has no job, or two.
///
/// # Errors
/// If a run broke down, or the ledger cannot be written.
pub(super) fn run(args: &Args, ticks: u64) -> Result<bool, String> {
    let mut all_right = true;
    for seed in args.seeds.clone() {
        let begin = Instant::now();
        let outcome = fleet::run(seed, ticks).map_err(|error| format!("seed {seed}: {error}"))?;
        let seconds = begin.elapsed().as_secs_f64();
        for words in outcome.wrong.iter().take(TOLD) {
            println!("seed {seed}: {words}");
        }
        println!(
            "seed {seed}: {ticks} ticks of each schedule, jobs {:?}, {} ticks wrong, {} jobs not done, {} calls failed, {seconds:.1} s",
            outcome.jobs,
            outcome.wrong.len(),
            outcome.not_done,
            outcome.failed_calls
        );
        all_right &= outcome.wrong.is_empty() && outcome.not_done == 0;
        if args.ledger {
            ledger::append(&serde_json::json!({
                "harness": "simulator-ticks",
                "commit": ledger::commit(),
                "driver": "memory",
                "seed": seed,
                "trials": outcome.jobs.values().sum::<u64>(),
                "violations": outcome.wrong.len(),
                "failed_calls": outcome.failed_calls,
                "seconds": seconds,
            }))?;
        }
    }
    Ok(all_right)
}
