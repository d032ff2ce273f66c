//! I18: once the faults are over everything comes to rest in time. I19: lists show each row once,
//! and claims keep the order of priority.

use super::index::{Index, Line};
use super::{
    Invariant::{I18, I19},
    Rules,
    violation::Found,
};
use crate::core::{State, Timestamp};
use crate::torture::history::{Dumped, What};

pub(super) fn check(index: &Index<'_>, rules: &Rules, found: &mut Found<'_>) {
    in_time(index, rules, found);
    for line in &index.jobs {
        listed_once(line, found);
        if let Some((at, dumped)) = index.dumped(line)
            && !rules.left_alone.contains(&dumped.name)
            && let Some(why) = is_left(dumped, index.at(index.quiet.unwrap_or(at)))
        {
            let what = format!("{} is left over: {why}", line.name());
            found.add(I18, what, [at]);
        }
    }
    if rules.ordered_claims {
        in_order(index, found);
    }
}

fn in_time(index: &Index<'_>, rules: &Rules, found: &mut Found<'_>) {
    let Some(quiet) = index.quiet else {
        let last = index.entries.len().saturating_sub(1);
        found.add(I18, "the run never came to rest", [last]);
        return;
    };
    let Some(healing) = index.healing else { return };
    let took = index.at(quiet).since(index.at(healing));
    if rules.heal_within.is_some_and(|bound| took > bound) {
        let what = format!("it took {took} after the last fault until everything was at rest");
        found.add(I18, what, [healing, quiet]);
    }
}

/// Why a job could still be worked on.
fn is_left(dumped: &Dumped, now: Timestamp) -> Option<&'static str> {
    let is_due = dumped.visible_at.is_some_and(|at| at <= now);
    match dumped.state {
        State::Running => Some("it is leased"),
        State::Pending if is_due => Some("it is ready"),
        State::Suspended if is_due => Some("it is parked, and its time has come"),
        _ => None,
    }
}

fn listed_once(line: &Line<'_>, found: &mut Found<'_>) {
    if line.dumped.len() > 1 {
        let what = format!("{} is listed {} times", line.name(), line.dumped.len());
        found.add(I19, what, line.dumped.iter().copied());
    }
}

/// What one claim brought comes in the order of priority.
fn in_order(index: &Index<'_>, found: &mut Found<'_>) {
    let mut last = None;
    for (at, entry) in index.entries.iter().enumerate() {
        let What::Leased { op, lease } = &entry.what else {
            continue;
        };
        let claim = (entry.process, entry.incarnation, *op);
        let line = &index.jobs[index.job_at[&lease.job]];
        let enqueue = line
            .enqueues
            .first()
            .and_then(|made| index.made[*made].enqueue());
        let Some(priority) = enqueue.map(|call| call.priority) else {
            continue;
        };
        if let Some((before, other, place)) = last
            && before == claim
            && other > priority
        {
            found.add(
                I19,
                "a claim brought a job after one of lower priority",
                [place, at],
            );
        }
        last = Some((claim, priority, at));
    }
}
