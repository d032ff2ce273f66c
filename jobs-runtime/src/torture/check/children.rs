//! I18 for parents: a run that is parked at the end waits for a child that is still to end, and
//! not for one that has ended or was never stored.

use super::index::{Index, Line};
use super::{Invariant::I18, Rules, violation::Found};
use crate::core::{RecordKind, State};
use crate::torture::history::Settled;

pub(super) fn check(index: &Index<'_>, _: &Rules, found: &mut Found<'_>) {
    for line in &index.jobs {
        let Some((at, dumped)) = index.dumped(line) else {
            continue;
        };
        if dumped.state != State::Suspended || is_held(index, line) {
            continue;
        }
        let pending = dumped
            .journal
            .iter()
            .filter(|record| record.kind == RecordKind::Child && record.position.is_none());
        for record in pending {
            let Some(child) = record.child else { continue };
            let there = index.job_at.get(&child).map(|job| &index.jobs[*job]);
            if let Some(why) = in_vain(index, there) {
                let what = format!(
                    "{} is parked in \"{}\" for job {child}, which {why}",
                    line.name(),
                    record.step
                );
                found.add(I18, what, [at]);
            }
        }
    }
}

/// Parked for a person, who is all it waits for.
fn is_held(index: &Index<'_>, line: &Line<'_>) -> bool {
    let settled = line.leases.last().and_then(|held| held.settled(index));
    settled.is_some_and(|(_, settled)| settled == Settled::Hold)
}

/// Why nobody will tell of this child's end.
fn in_vain(index: &Index<'_>, child: Option<&Line<'_>>) -> Option<&'static str> {
    match child.and_then(|line| index.dumped(line)) {
        Some((_, dumped)) if dumped.state.is_live() => None,
        Some(_) => Some("has ended"),
        // One that has had a lease may have ended, and be removed since.
        None if index.prunes.is_empty() => Some("is not in the store"),
        None if child.is_none_or(|line| line.leases.is_empty()) => Some("was never stored"),
        None => None,
    }
}
