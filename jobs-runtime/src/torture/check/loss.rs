//! I1: what was acknowledged is in the store, once and whole; what was refused is not.

use super::index::{Index, Line, Made, Outcome};
use super::pruned::may_be_pruned;
use super::{Invariant::I1, Rules, violation::Found};
use crate::core::State;
use crate::torture::history::{Answer, Conflict, Dumped, EnqueueCall, Settled};

pub(super) fn check(index: &Index<'_>, rules: &Rules, found: &mut Found<'_>) {
    for line in &index.jobs {
        ends_once(index, line, found);
        if index.quiet.is_none() {
            continue;
        }
        match index.dumped(line) {
            None => is_kept(index, line, found),
            Some((at, dumped)) => {
                was_asked_for(index, line, at, rules, found);
                is_whole(index, line, at, dumped, found);
                is_as_it_ended(index, line, at, dumped, found);
                if !rules.unseen_writes {
                    was_ended(index, line, at, dumped, found);
                }
            }
        }
    }
}

/// Whether the call says that this very job is stored.
fn stores(made: &Made<'_>, call: &EnqueueCall) -> bool {
    match made.outcome {
        Outcome::Ok(Answer::Enqueued { job, .. }) => *job == call.job,
        _ => false,
    }
}

fn is_kept(index: &Index<'_>, line: &Line<'_>, found: &mut Found<'_>) {
    let enqueues = line.enqueues.iter().map(|at| index.made[*at]);
    let told = enqueues.filter_map(|made| Some((made, made.enqueue()?)));
    let stored = told.clone().find(|(made, call)| stores(made, call));
    // It was live at some moment between the two: whoever asked may hear of it when it is over.
    let (begin, end) = match (stored, line.leases.first()) {
        (Some((made, _)), _) => (made.begin, made.end),
        (None, Some(held)) => (held.asked, held.told),
        (None, None) => return,
    };
    if !may_be_pruned(index, line, begin) {
        let what = format!("{} was acknowledged, and is not in the store", line.name());
        let last = line.commits.last().map(|at| index.made[*at].end);
        found.add(I1, what, [end].into_iter().chain(last));
    }
}

fn was_asked_for(
    index: &Index<'_>,
    line: &Line<'_>,
    at: usize,
    rules: &Rules,
    found: &mut Found<'_>,
) {
    let Some((_, dumped)) = index.dumped(line) else {
        return;
    };
    if dumped.cleans_up || rules.unseen_writes {
        return;
    }
    let mut asks = line.enqueues.iter().map(|at| index.made[*at]);
    if line.enqueues.is_empty() {
        let what = format!("{} is in the store, and nobody enqueued it", line.name());
        found.add(I1, what, [at]);
        return;
    }
    let is_refused = |made: Made<'_>| match (made.outcome, made.enqueue()) {
        (Outcome::Fail | Outcome::Ok(Answer::KeyTaken(_)), _) => true,
        (Outcome::Ok(Answer::Enqueued { job, .. }), Some(call)) => *job != call.job,
        _ => false,
    };
    if asks.clone().all(is_refused) {
        let what = format!(
            "{} is in the store, and every enqueue of it was refused",
            line.name()
        );
        found.add(I1, what, [at].into_iter().chain(asks.next().map(|m| m.end)));
    }
}

/// No row without its payload, key or tenant.
fn is_whole(index: &Index<'_>, line: &Line<'_>, at: usize, dumped: &Dumped, found: &mut Found<'_>) {
    let asks = line.enqueues.iter().map(|at| index.made[*at]);
    let Some((made, call)) = asks.filter_map(|made| Some((made, made.enqueue()?))).next() else {
        return;
    };
    let differs = [
        ("name", dumped.name != call.name),
        ("key", dumped.key != call.key),
        ("tenant", dumped.tenant != call.tenant),
        ("run", dumped.run != call.run),
        ("tick", dumped.tick != call.tick),
        ("input", !has_input(index, dumped, call)),
    ];
    for (part, _) in differs.into_iter().filter(|(_, differs)| *differs) {
        let what = format!("{} has another {part} than was enqueued", line.name());
        found.add(I1, what, [made.begin, at]);
    }
}

/// Its own input, or that of a call that may replace it, or that may have made the same tick from
/// another version of its schedule.
fn has_input(index: &Index<'_>, dumped: &Dumped, call: &EnqueueCall) -> bool {
    let replaces = |other: &EnqueueCall| {
        other.on_conflict == Conflict::Replace && call.key.is_some() && other.key == call.key
    };
    let makes_the_tick = |other: &EnqueueCall| other.tick.is_some() && other.job == call.job;
    let mut others = index.made.iter().filter(|made| made.may_be_done());
    dumped.input == call.input
        || others.any(|made| {
            made.enqueue().is_some_and(|other| {
                other.input == dumped.input && (replaces(other) || makes_the_tick(other))
            })
        })
}

pub(super) fn is_end(settled: Settled) -> Option<State> {
    match settled {
        Settled::Ack { .. } | Settled::Continue { .. } => Some(State::Done),
        Settled::Cancel => Some(State::Cancelled),
        Settled::Fail => Some(State::Failed),
        _ => None,
    }
}

/// Applied ends, each counted once however often it was sent.
fn ends<'h>(index: &Index<'h>, line: &Line<'h>) -> Vec<(Made<'h>, State)> {
    let calls = line.commits.iter().chain(&line.changes);
    let mut ends: Vec<(Made<'h>, State)> = calls
        .map(|at| index.made[*at])
        .filter(Made::is_applied)
        .filter_map(|made| Some((made, is_end(made.settle()?)?)))
        .collect();
    let who = |made: &Made<'h>| {
        made.commit().map(|c| {
            (
                c.lease.map(|n| (n.token.epoch, n.token.nonce, n.number)),
                c.change,
            )
        })
    };
    ends.sort_by_key(|(made, _)| (who(made), made.begin));
    ends.dedup_by(|a, b| who(&a.0) == who(&b.0) && who(&a.0) != Some((None, None)));
    ends.sort_by_key(|(made, _)| made.end);
    ends
}

fn ends_once(index: &Index<'_>, line: &Line<'_>, found: &mut Found<'_>) {
    let ends = ends(index, line);
    let lives = 1 + line.requeues(index).count();
    if ends.len() > lives {
        let what = format!(
            "{} ended {} times, and has lived {lives}",
            line.name(),
            ends.len()
        );
        found.add(I1, what, ends.iter().map(|(made, _)| made.end));
    }
}

/// A refused commit that shows as done.
fn was_ended(
    index: &Index<'_>,
    line: &Line<'_>,
    at: usize,
    dumped: &Dumped,
    found: &mut Found<'_>,
) {
    let mut commits = line.commits.iter().map(|at| index.made[*at]);
    let ends = |made: &Made<'_>| made.settle().and_then(is_end) == Some(State::Done);
    if dumped.state == State::Done && !commits.any(|made| made.may_be_done() && ends(&made)) {
        let what = format!("{} is done in the store, and nothing ended it", line.name());
        found.add(I1, what, [at]);
    }
}

fn is_as_it_ended(
    index: &Index<'_>,
    line: &Line<'_>,
    at: usize,
    dumped: &Dumped,
    found: &mut Found<'_>,
) {
    let Some((made, state)) = ends(index, line).pop() else {
        return;
    };
    let is_revived = line.requeues(index).any(|revived| revived.end > made.begin);
    if dumped.state != state && !is_revived {
        let what = format!(
            "{} was acknowledged as {state}, and is {} in the store",
            line.name(),
            dumped.state
        );
        found.add(I1, what, [made.end, at]);
    }
}
