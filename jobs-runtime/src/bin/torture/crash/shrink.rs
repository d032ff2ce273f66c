//! A plan that breaks a promise, made smaller for as long as it still does.

use super::plan::Plan;
use super::trial::{self, Terms};

/// How often a smaller plan is run before it counts as harmless: processes race, and one run that
/// goes well says little.
const RUNS_A_PLAN: usize = 5;
/// Plans that are tried in all.
const PLANS_LIMIT: usize = 60;

/// The smallest plan found that still breaks this promise; `tell` hears of each.
pub(crate) fn shrink(
    plan: &Plan,
    promise: &str,
    terms: &Terms,
    mut tell: impl FnMut(&Plan),
) -> Result<Plan, String> {
    let mut best = plan.clone();
    let mut left = PLANS_LIMIT;
    'smaller: loop {
        for candidate in best.smaller() {
            if left == 0 {
                return Ok(best);
            }
            left -= 1;
            if breaks(&candidate, promise, terms)? {
                tell(&candidate);
                best = candidate;
                continue 'smaller;
            }
        }
        return Ok(best);
    }
}

fn breaks(plan: &Plan, promise: &str, terms: &Terms) -> Result<bool, String> {
    for run in 0..RUNS_A_PLAN {
        let report = trial::run(plan, terms, &format!("shrink-{run}"))?;
        if report.verdict.breaks(promise) {
            return Ok(true);
        }
    }
    Ok(false)
}
