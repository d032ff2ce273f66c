//! I6: the attempt rises by a failure or a lost lease, and by nothing else.

use super::index::{Held, Index, Line};
use super::{Invariant::I6, Rules, violation::Found};
use crate::core::State;
use crate::torture::history::Settled;

pub(super) fn check(index: &Index<'_>, _: &Rules, found: &mut Found<'_>) {
    for line in &index.jobs {
        for pair in line.leases.windows(2) {
            if let [first, second] = pair {
                between(index, line, first, second, found);
            }
        }
        at_the_end(index, line, found);
    }
}

/// What the end of a lease adds to (attempts, lost leases); `None` if that is not known.
fn cost(index: &Index<'_>, held: &Held<'_>) -> Option<(u32, u32)> {
    match held.settled(index) {
        Some((_, Settled::Retry { .. })) => Some((1, 0)),
        Some(_) => Some((0, 0)),
        None if held.settles.is_empty() => Some((1, 1)),
        None => None,
    }
}

fn between(
    index: &Index<'_>,
    line: &Line<'_>,
    first: &Held<'_>,
    second: &Held<'_>,
    found: &mut Found<'_>,
) {
    let (one, two) = (first.lease, second.lease);
    let follows = two.token.epoch == one.token.epoch + 1;
    // Where the answer of a claim was lost there is a lease in between.
    if !follows || line.is_requeued(index, first.asked, second.told) {
        return;
    }
    let Some((attempts, losses)) = cost(index, first) else {
        return;
    };
    if (two.attempt, two.lease_losses) != (one.attempt + attempts, one.lease_losses + losses) {
        let end = first.settled(index);
        let how = end.map_or("was lost".into(), |(_, settled)| {
            format!("ended by {settled:?}")
        });
        let what = format!(
            "lease {} of {} {how}; attempts and lost leases went from {} and {} to {} and {}",
            one.token.epoch,
            line.name(),
            one.attempt,
            one.lease_losses,
            two.attempt,
            two.lease_losses
        );
        let settled = end.map(|(made, _)| made.end);
        found.add(
            I6,
            what,
            [first.told, second.told].into_iter().chain(settled),
        );
    }
}

fn at_the_end(index: &Index<'_>, line: &Line<'_>, found: &mut Found<'_>) {
    let (Some((at, dumped)), Some(held)) = (index.dumped(line), line.leases.last()) else {
        return;
    };
    let lease = held.lease;
    if dumped.epoch != lease.token.epoch || line.is_requeued(index, held.asked, at) {
        return;
    }
    let attempt = match held.settled(index) {
        Some((_, Settled::Retry { .. })) if dumped.state != State::Dead => lease.attempt + 1,
        // Moved on by somebody whose answer was lost.
        None if !held.settles.is_empty() => return,
        _ => lease.attempt,
    };
    if dumped.attempt != attempt {
        let what = format!(
            "{} is in the store on attempt {}, and by its last lease it is on {attempt}",
            line.name(),
            dumped.attempt
        );
        found.add(I6, what, [held.told, at]);
    }
}
