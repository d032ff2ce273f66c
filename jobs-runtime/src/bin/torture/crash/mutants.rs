//! The test of the tests: how many trials each planted bug survives.

use super::batch::{self, Lanes, Work};
use super::modes::{Mode, Plans};
use super::trial::Terms;
use jobs_runtime::torture::Bug;

/// Runs trials with each bug until one of them finds it, or none of so many has.
pub(crate) fn run(
    plans: &Plans,
    terms: &Terms,
    lanes: &Lanes,
    trials: u64,
    only: Option<&str>,
) -> Result<bool, String> {
    let only = only.map(str::parse::<Bug>).transpose()?;
    let lanes = Lanes {
        enough: 1,
        ..*lanes
    };
    let mut all_found = true;
    println!("| bug | trials | promise |");
    println!("|---|---:|---|");
    for bug in Bug::ALL
        .into_iter()
        // Nothing is on a schedule here.
        .filter(|bug| *bug != Bug::TickFromNow)
        .filter(|bug| only.is_none_or(|only| only == *bug))
    {
        let terms = Terms {
            bug: Some(bug.to_string()),
            ..terms.clone()
        };
        let work = Work::Seeds(0..trials);
        let sum = batch::run(plans, Mode::Mixed, &work, &terms, &lanes);
        let found = sum.broken.first();
        all_found &= found.is_some();
        match found {
            Some(report) => {
                let mut promises: Vec<&str> = report
                    .verdict
                    .broken
                    .iter()
                    .map(|(promise, _)| promise.as_str())
                    .collect();
                promises.sort_unstable();
                promises.dedup();
                println!("| {bug} | {} | {} |", sum.found_after, promises.join(", "));
                if let Some((_, what)) = report.verdict.broken.first() {
                    eprintln!("{bug}: {what}\n  in {}", report.folder.display());
                }
            }
            None => println!("| {bug} | not in {} | |", sum.trials),
        }
        for why in &sum.void {
            eprintln!("{bug}: void: {why}");
        }
    }
    Ok(all_found)
}
