//! `torture sim`: runs seeds of the simulator, and says which of them broke a promise.

use jobs_runtime::torture::sim::{Options, run};

/// How it is called.
pub(crate) const USAGE: &str = "torture sim --seeds A..B --ops N";

/// Runs what was asked for; false if a promise was broken.
///
/// # Errors
/// If it was asked for wrongly.
pub(crate) fn command(args: impl Iterator<Item = String>) -> Result<bool, String> {
    let args: Vec<String> = args.collect();
    let value = |name: &str| {
        let at = args.iter().position(|arg| arg == name);
        at.and_then(|at| args.get(at + 1)).map(String::as_str)
    };
    let (first, end) = value("--seeds")
        .and_then(|seeds| seeds.split_once(".."))
        .and_then(|(first, end)| Some((first.parse().ok()?, end.parse().ok()?)))
        .ok_or(USAGE)?;
    let operations = value("--ops").map_or(Ok(200), |ops| ops.parse().map_err(|_| USAGE))?;
    let mut all_well = true;
    for seed in first..end {
        let outcome = run(seed, &Options { operations }).map_err(|error| error.to_string())?;
        if !outcome.quiet {
            println!("seed {seed}: {outcome:?}");
            all_well = false;
        }
    }
    Ok(all_well)
}
