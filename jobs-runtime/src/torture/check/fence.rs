//! I4: leases do not overlap by the store's clock, and only the current one writes.

use super::index::{Held, Index, Line, Made};
use super::{Invariant::I4, Rules, violation::Found};
use crate::core::Token;
use crate::torture::history::{Answer, Call, CommitCall};
use std::collections::BTreeMap;

pub(super) fn check(index: &Index<'_>, rules: &Rules, found: &mut Found<'_>) {
    for line in &index.jobs {
        follow_each_other(index, line, rules, found);
        commits_are_current(index, line, found);
        beats_are_current(index, line, found);
        zombies_stop(index, line, rules, found);
    }
}

fn follow_each_other(index: &Index<'_>, line: &Line<'_>, rules: &Rules, found: &mut Found<'_>) {
    for pair in line.leases.windows(2) {
        let [first, second] = pair else { continue };
        let (one, two) = (first.lease, second.lease);
        // What the first one's holder does then is fenced off by the nonce of its token.
        if rules.claims_may_be_lost && is_taken_back(index, first, second) {
            continue;
        }
        let places = [first.told, second.told];
        if one.token.epoch == two.token.epoch {
            let what = format!(
                "{} was leased twice as lease {}",
                line.name(),
                one.token.epoch
            );
            found.add(I4, what, places);
        } else if two.from < first.until && !may_be_over(index, line, first, second) {
            let what = format!(
                "{} was leased again at {}, and its lease {} lasted to {}",
                line.name(),
                two.from,
                one.token.epoch,
                first.until
            );
            found.add(I4, what, places);
        }
    }
}

/// Whether the store may have forgotten a lease before the next one, which then has its number.
fn is_taken_back(index: &Index<'_>, first: &Held<'_>, second: &Held<'_>) -> bool {
    let mut faults = index.faults.iter();
    first.lease.token.epoch == second.lease.token.epoch
        && first.lease.token != second.lease.token
        && faults.any(|(begin, end)| *end > first.asked && *begin < second.told)
}

/// Whether a lease may have been ended before its time: settled, or by a person.
fn may_be_over(index: &Index<'_>, line: &Line<'_>, first: &Held<'_>, second: &Held<'_>) -> bool {
    let in_time = |made: Made<'_>| made.begin < second.told && made.end > first.asked;
    let settles = first.settles.iter().map(|at| index.made[*at]);
    let changes = line.changes.iter().map(|at| index.made[*at]);
    settles.clone().any(in_time) || changes.filter(Made::may_be_done).any(in_time)
}

/// The first lease that was told before this place and is newer than the token.
fn newer<'i, 'h>(line: &'i Line<'h>, token: Token, before: usize) -> Option<&'i Held<'h>> {
    let mut newer = line.leases.iter().rev();
    newer.find(|held| held.told < before && held.lease.token.epoch > token.epoch)
}

fn commits_are_current(index: &Index<'_>, line: &Line<'_>, found: &mut Found<'_>) {
    let mut first_sent: BTreeMap<(u64, u64, u64), usize> = BTreeMap::new();
    for at in &line.commits {
        let made = index.made[*at];
        let Some((call, number)) = made.commit().and_then(|call| Some((call, call.lease?))) else {
            continue;
        };
        // A number that was refused for certain is free again.
        if !made.may_be_done() {
            continue;
        }
        let key = (number.token.epoch, number.token.nonce, number.number);
        let first = *first_sent.entry(key).or_insert(*at);
        if !made.is_applied() {
            continue;
        }
        let first = index.made[first];
        if let Some(other) = first.commit()
            && !is_same(other, call)
        {
            let what = format!(
                "two commits of {} had one number, and one was taken",
                line.name()
            );
            found.add(I4, what, [first.begin, made.begin, made.end]);
        }
        // One that was sent before may have been applied then.
        if let Some(held) = newer(line, number.token, first.begin) {
            let what = format!(
                "lease {} of {} wrote, and lease {} was given before",
                number.token.epoch,
                line.name(),
                held.lease.token.epoch
            );
            found.add(I4, what, [held.told, first.begin, made.end]);
        }
        let is_known = line
            .lease(number.token)
            .is_some_and(|held| held.life == made.life);
        if !is_known {
            let what = format!(
                "{} was written by a process that did not lease it",
                line.name()
            );
            found.add(I4, what, [made.begin, made.end]);
        }
    }
}

fn is_same(a: &CommitCall, b: &CommitCall) -> bool {
    a.settle == b.settle && a.records == b.records && a.removed == b.removed
}

fn beats_are_current(index: &Index<'_>, line: &Line<'_>, found: &mut Found<'_>) {
    for made in line.beats.iter().map(|at| index.made[*at]) {
        let (Call::Beat { token, .. }, Some(Answer::Held { .. })) = (made.call, made.answer())
        else {
            continue;
        };
        if let Some(held) = newer(line, *token, made.begin) {
            let what = format!(
                "lease {} of {} was extended, and lease {} was given before",
                token.epoch,
                line.name(),
                held.lease.token.epoch
            );
            found.add(I4, what, [held.told, made.begin, made.end]);
        }
    }
}

/// Where the holders of leases were told that they are none any more, by others or by the answer
/// to their own last commit.
fn losses(index: &Index<'_>, line: &Line<'_>) -> Vec<(Token, usize)> {
    let calls = line.commits.iter().chain(&line.beats);
    let lost = |made: Made<'_>| {
        let token = match made.call {
            Call::Beat { token, .. } => *token,
            _ => made.commit()?.token()?,
        };
        let is_over = match made.answer()? {
            Answer::Applied => made.settle().is_some(),
            Answer::Cancelled | Answer::LeaseLost => true,
            _ => false,
        };
        is_over.then_some((token, made.end))
    };
    calls.filter_map(|at| lost(index.made[*at])).collect()
}

fn zombies_stop(index: &Index<'_>, line: &Line<'_>, rules: &Rules, found: &mut Found<'_>) {
    if line.effects.is_empty() {
        return;
    }
    let losses = losses(index, line);
    let grace = u64::try_from(rules.zombie_grace.as_nanos()).unwrap_or(u64::MAX);
    for at in &line.effects {
        let Some((entry, effect)) = index.effect(*at) else {
            continue;
        };
        let Some(held) = line.lease_of(*at, entry, effect) else {
            let what = format!(
                "step \"{}\" of {} was begun by a process that did not lease it",
                effect.step,
                line.name()
            );
            found.add(I4, what, [*at]);
            continue;
        };
        let told = |(token, told): &&(Token, usize)| {
            let since = entry.mono_ns.saturating_sub(index.entries[*told].mono_ns);
            *token == held.lease.token && told < at && since > grace
        };
        if let Some((_, told)) = losses.iter().find(told) {
            let what = format!(
                "step \"{}\" of {} was begun under a lease that was known to be over",
                effect.step,
                line.name()
            );
            found.add(I4, what, [*told, *at]);
        }
    }
}
