//! I9: at most one job for each tick of a schedule, ever; and one for each, where none is passed over.

use super::index::{Index, Line, Made, Outcome};
use super::{Invariant::I9, Rules, violation::Found};
use crate::torture::history::{Answer, Tick};
use std::collections::BTreeMap;

pub(super) fn check(index: &Index<'_>, rules: &Rules, found: &mut Found<'_>) {
    made_once(index, found);
    none_passed_over(index, rules, found);
}

fn made_once(index: &Index<'_>, found: &mut Found<'_>) {
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

/// Between the first tick that has a job and the last one. A job that may have been stored counts: what
/// is looked for are ticks that nobody ever asked for.
fn none_passed_over(index: &Index<'_>, rules: &Rules, found: &mut Found<'_>) {
    if rules.every_tick.is_empty() {
        return;
    }
    let asked = index
        .jobs
        .iter()
        .flat_map(|line| &line.enqueues)
        .map(|at| index.made[*at])
        .filter(Made::may_be_done);
    let ticks: BTreeMap<&Tick, usize> = asked
        .filter_map(|made| Some((made.enqueue()?.tick.as_ref()?, made.end)))
        .collect();
    for ((one, at), (next, next_at)) in ticks.iter().zip(ticks.iter().skip(1)) {
        let every = rules.every_tick.get(&one.schedule);
        if one.schedule == next.schedule
            && every.is_some_and(|every| next.tick.since(one.tick) > *every)
        {
            let Tick { schedule, tick } = one;
            let what = format!("the tick of \"{schedule}\" after {tick} has no job");
            found.add(I9, what, [*at, *next_at]);
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
