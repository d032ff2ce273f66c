//! I11: a dead letter stays until it is purged by name or revived, with its error.

use super::index::{Index, Line, Made};
use super::{Invariant::I11, Rules, violation::Found};
use crate::core::State;
use crate::torture::history::{Call, Settled};

pub(super) fn check(index: &Index<'_>, _: &Rules, found: &mut Found<'_>) {
    if index.quiet.is_none() {
        return;
    }
    for line in &index.jobs {
        let dumped = index.dumped(line);
        if let Some((at, dumped)) = dumped
            && dumped.state == State::Dead
            && !dumped.has_error
        {
            let what = format!("the error of dead {} is not kept", line.name());
            found.add(I11, what, [at]);
        }
        let Some(died) = death(index, line) else {
            continue;
        };
        let is_revived = line.is_requeued(index, died.begin, usize::MAX);
        let is_there = dumped.is_some_and(|(_, dumped)| dumped.state == State::Dead);
        if !is_there && !is_revived && !may_be_purged(index, died.begin) {
            let what = format!(
                "{} became a dead letter, and is none in the store",
                line.name()
            );
            found.add(I11, what, [died.end].into_iter().chain(dumped.map(|d| d.0)));
        }
    }
}

/// The call by which it died for certain: its last attempt failed.
fn death<'h>(index: &Index<'h>, line: &Line<'h>) -> Option<Made<'h>> {
    let held = line.leases.last()?;
    let (made, settled) = held.settled(index)?;
    let is_last = held.lease.attempt >= held.lease.attempts_max;
    (is_last && matches!(settled, Settled::Retry { .. })).then_some(made)
}

fn may_be_purged(index: &Index<'_>, died: usize) -> bool {
    index.prunes.iter().map(|at| index.made[*at]).any(|made| {
        let Call::Prune(bounds) = made.call else {
            return false;
        };
        let before = bounds.dead_before;
        made.may_be_done() && made.end > died && before.is_some_and(|at| at > index.at(died))
    })
}
