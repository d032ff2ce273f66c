//! I7: nothing is early by the store's clock: a delay, a retry, a sleep.
//!
//! How late something may be depends on the machine; see I5 and I18.

use super::index::{Held, Index, Line, Made};
use super::{Invariant::I7, Rules, violation::Found};
use crate::core::{RecordKind, Timestamp};
use crate::torture::history::{Answer, Settled};

pub(super) fn check(index: &Index<'_>, rules: &Rules, found: &mut Found<'_>) {
    for line in &index.jobs {
        first_lease(index, line, rules, found);
        for pair in line.leases.windows(2) {
            if let [first, second] = pair {
                next_lease(index, line, first, second, rules, found);
            }
        }
        for made in line.commits.iter().map(|at| index.made[*at]) {
            sleeps(index, line, made, rules, found);
        }
    }
}

fn is_early(at: Timestamp, due: Timestamp, rules: &Rules) -> bool {
    at.after(rules.clock_slack) < due
}

fn first_lease(index: &Index<'_>, line: &Line<'_>, rules: &Rules, found: &mut Found<'_>) {
    let Some(held) = line
        .leases
        .first()
        .filter(|held| held.lease.token.epoch == 1)
    else {
        return;
    };
    if line.is_requeued(index, 0, held.told) {
        return;
    }
    // The first call that may have stored it; what it asked for holds for the others too.
    let Some(made) = line.enqueues.first().map(|at| index.made[*at]) else {
        return;
    };
    let Some(call) = made.enqueue() else { return };
    let due = match (call.visible_at, call.delay) {
        (Some(at), _) => at,
        (None, Some(delay)) => index.at(made.begin).after(delay),
        (None, None) => return,
    };
    if is_early(held.lease.from, due, rules) {
        let what = format!(
            "{} was due at {due}, and leased at {}",
            line.name(),
            held.lease.from
        );
        found.add(I7, what, [made.begin, held.told]);
    }
}

fn next_lease(
    index: &Index<'_>,
    line: &Line<'_>,
    first: &Held<'_>,
    second: &Held<'_>,
    rules: &Rules,
    found: &mut Found<'_>,
) {
    let Some((made, settled)) = first.settled(index) else {
        return;
    };
    // Sent more than once, the first may have been the one that counts.
    let sent = first.settles.iter().map(|at| index.made[*at].begin).min();
    let sent = index.at(sent.unwrap_or(made.begin));
    let (Settled::Retry { delay } | Settled::Defer { delay }) = settled else {
        return;
    };
    let due = sent.after(delay);
    let early = is_early(second.lease.from, due, rules);
    if early && !line.is_requeued(index, first.asked, second.told) {
        let what = format!(
            "{} was to be taken again at {due}, and was at {}",
            line.name(),
            second.lease.from
        );
        found.add(I7, what, [made.end, second.told]);
    }
}

/// A sleep that is over before its time.
fn sleeps(
    index: &Index<'_>,
    line: &Line<'_>,
    made: Made<'_>,
    rules: &Rules,
    found: &mut Found<'_>,
) {
    let Some(commit) = made.commit() else { return };
    if !matches!(made.answer(), Some(Answer::Applied)) {
        return;
    }
    for record in &commit.records {
        let is_over = record.kind == RecordKind::Sleep && record.position.is_some();
        if let Some(due) = record.wake_at.filter(|_| is_over)
            && is_early(index.at(made.begin), due, rules)
        {
            let what = format!(
                "the sleep \"{}\" of {} lasts to {due}, and was over before",
                record.step,
                line.name()
            );
            found.add(I7, what, [made.begin]);
        }
    }
}
