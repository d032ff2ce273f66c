//! I9: at most one job for each tick of a schedule, ever.

use super::index::{Index, Line, Outcome};
use super::{Invariant::I9, Rules, violation::Found};
use crate::torture::history::{Answer, Tick};
use std::collections::BTreeMap;

pub(super) fn check(index: &Index<'_>, _: &Rules, found: &mut Found<'_>) {
    let mut jobs: BTreeMap<&Tick, usize> = BTreeMap::new();
    for line in &index.jobs {
        let Some((tick, at)) = tick(index, line) else {
            continue;
        };
        if let Some(other) = jobs.insert(tick, at) {
            let Tick { schedule, tick } = tick;
            let what = format!("the tick of \"{schedule}\" at {tick} has two jobs");
            found.add(I9, what, [other, at]);
        }
    }
}

/// The tick of a job that is known to be stored, and where that is told.
fn tick<'h>(index: &Index<'h>, line: &Line<'h>) -> Option<(&'h Tick, usize)> {
    let mut asks = line.enqueues.iter().map(|at| index.made[*at]);
    let tick = asks
        .clone()
        .find_map(|made| made.enqueue()?.tick.as_ref())?;
    let stored = asks.find_map(|made| match made.outcome {
        Outcome::Ok(Answer::Enqueued { job, .. }) if Some(*job) == line.id => Some(made.end),
        _ => None,
    });
    let leased = line.leases.first().map(|held| held.told);
    let dumped = index.dumped(line).map(|(at, _)| at);
    Some((tick, stored.or(leased).or(dumped)?))
}
