//! I10: once a cancel is acknowledged nothing of the job is stored or leased any more.

use super::index::{Index, Line, Made};
use super::{Invariant::I10, Rules, violation::Found};
use crate::torture::history::Settled;

pub(super) fn check(index: &Index<'_>, _: &Rules, found: &mut Found<'_>) {
    for line in &index.jobs {
        let cancels = line.changes.iter().map(|at| index.made[*at]);
        let cancelled =
            |made: &Made<'_>| made.is_applied() && made.settle() == Some(Settled::Cancel);
        for cancel in cancels.filter(cancelled) {
            after(index, line, cancel, found);
        }
    }
}

fn after(index: &Index<'_>, line: &Line<'_>, cancel: Made<'_>, found: &mut Found<'_>) {
    let is_revived = |before| line.is_requeued(index, cancel.begin, before);
    for at in &line.commits {
        let made = index.made[*at];
        let is_late = made.is_applied() && made.begin > cancel.end;
        if is_late && !is_revived(made.end) && !is_sent_before(index, line, made, cancel.end) {
            let what = format!("{} was cancelled, and stored something after", line.name());
            found.add(I10, what, [cancel.end, made.begin, made.end]);
        }
    }
    for held in line.leases.iter().filter(|held| held.asked > cancel.end) {
        if !is_revived(held.told) {
            let what = format!("{} was cancelled, and leased after", line.name());
            found.add(I10, what, [cancel.end, held.told]);
        }
    }
}

/// Whether the same commit was sent before: then it may have been applied before.
fn is_sent_before(index: &Index<'_>, line: &Line<'_>, made: Made<'_>, place: usize) -> bool {
    let number = made.commit().and_then(|commit| commit.lease);
    let mut before = line.commits.iter().map(|at| index.made[*at]);
    before.any(|other| {
        other.begin < place && other.commit().and_then(|commit| commit.lease) == number
    })
}
