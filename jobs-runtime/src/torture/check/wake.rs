//! I5: an event and a wait for it meet, whichever comes first, and an event serves a run once.

use super::index::{Held, Index, Line, Made, Map};
use super::{Invariant::I5, Rules, violation::Found};
use crate::core::{EventId, State};
use crate::torture::history::{Answer, Ended, PublishCall, Recorded, Settled, Waited};
use std::collections::HashSet;

/// Published events, by name.
struct Events<'h> {
    by_name: Map<&'h str, Vec<(Made<'h>, &'h PublishCall)>>,
    by_id: Map<EventId, Made<'h>>,
    /// Where each was sent first: it was stored then or later, whichever try was answered.
    sent: Map<EventId, usize>,
    /// Those too whose publication was left open.
    known: HashSet<EventId>,
}

pub(super) fn check(index: &Index<'_>, rules: &Rules, found: &mut Found<'_>) {
    let events = Events::of(index, found);
    for line in &index.jobs {
        served_once(index, &events, line, rules, found);
        waits_in_vain(index, &events, line, found);
        for made in line.commits.iter().map(|at| index.made[*at]) {
            timed_out(index, &events, line, made, found);
            woken_late(index, &events, line, made, rules, found);
        }
    }
}

impl<'h> Events<'h> {
    fn of(index: &Index<'h>, found: &mut Found<'_>) -> Self {
        let mut events = Events {
            by_name: Map::default(),
            by_id: Map::default(),
            sent: Map::default(),
            known: HashSet::new(),
        };
        let mut seqs: Map<u64, (EventId, usize)> = Map::default();
        for made in index.publishes.iter().map(|at| index.made[*at]) {
            if let Some(call) = made.publish().filter(|_| made.may_be_done()) {
                events.known.insert(call.event);
                let first = events.sent.entry(call.event).or_insert(made.begin);
                *first = made.begin.min(*first);
            }
            let Some(call) = made.publish().filter(|_| made.answer().is_some()) else {
                continue;
            };
            events
                .by_name
                .entry(&call.name)
                .or_default()
                .push((made, call));
            events.by_id.entry(call.event).or_insert(made);
            if let Some(Answer::Published { seq, .. }) = made.answer()
                && let Some((other, at)) = seqs.insert(*seq, (call.event, made.end))
                && other != call.event
            {
                let what = format!("two events were published as number {seq}");
                found.add(I5, what, [at, made.end]);
            }
        }
        events
    }

    /// Events that were certainly there for a wait of this job, which was stored by a certain
    /// place, and that the run has not taken elsewhere.
    fn for_wait<'i>(
        &'i self,
        index: &'i Index<'h>,
        line: &'i Line<'h>,
        wait: &'i Waited,
        stored: usize,
        taken: &'i HashSet<EventId>,
    ) -> impl Iterator<Item = Made<'h>> + use<'i, 'h> {
        let tenant = line
            .enqueues
            .first()
            .and_then(|at| index.made[*at].enqueue()?.tenant.as_deref());
        let named = wait
            .names
            .iter()
            .filter_map(|name| self.by_name.get(name.as_str()));
        named.flatten().filter_map(move |(made, call)| {
            let sent = self.sent.get(&call.event).copied().unwrap_or(made.begin);
            let published = index.at(sent);
            let meets = wait
                .key
                .as_ref()
                .is_none_or(|key| call.key.as_ref() == Some(key))
                && call.tenant.as_deref().is_none_or(|own| Some(own) == tenant)
                && published >= wait.since
                && (sent > stored || published.after(call.ttl) > index.at(stored))
                && !taken.contains(&call.event);
            meets.then_some(*made)
        })
    }
}

/// Every event that any record of the job has taken.
fn taken(index: &Index<'_>, line: &Line<'_>) -> HashSet<EventId> {
    recorded(index, line)
        .filter_map(|record| record.event)
        .collect()
}

/// Whether the chain of a run is past an event: another run of it has consumed that one or a later
/// one, by a wait that would have taken it. A run of a chain waits from the chain's start on, so
/// from before its own enqueue; the runs of a chain have their key in common, or go on from each
/// other. One that a person revived goes on a second time: then a chain has branches.
fn passed(
    index: &Index<'_>,
    events: &Map<EventId, Made<'_>>,
    line: &Line<'_>,
    wait: &Waited,
    event: Made<'_>,
) -> bool {
    let Some(enqueue) = line.enqueues.first().map(|at| index.made[*at]) else {
        return false;
    };
    if wait.since >= index.at(enqueue.begin) {
        return false;
    }
    let key = enqueue.enqueue().and_then(|call| call.key.as_ref());
    let linked = index.chain_of(line);
    let is_of_chain = |other: &&Line<'_>| {
        let first = other.enqueues.first().map(|at| index.made[*at]);
        let own = first.and_then(|made| made.enqueue()?.key.as_ref());
        let is_linked = other.id.is_some_and(|id| linked.contains(&id));
        other.id != line.id && (key.is_some() && own == key || is_linked)
    };
    let chain = index.jobs.iter().filter(is_of_chain);
    let mut records = chain.flat_map(|other| recorded(index, other));
    records.any(|record| consumes_past(events, record, event))
}

/// Whether a record has consumed an event or a later one, by a wait that would have taken it.
fn consumes_past(events: &Map<EventId, Made<'_>>, record: &Recorded, event: Made<'_>) -> bool {
    let consumed = record.event.and_then(|id| events.get(&id));
    let (Some(consumed), Some(wait)) = (consumed, &record.wait) else {
        return false;
    };
    let (Some(theirs), Some(own)) = (consumed.publish(), event.publish()) else {
        return false;
    };
    let seq = |made: Made<'_>| match made.answer() {
        Some(Answer::Published { seq, .. }) => Some(*seq),
        _ => None,
    };
    theirs.name == own.name
        && (wait.key.is_none() || wait.key == own.key)
        && seq(*consumed) >= seq(event)
}

/// Every record of a job that anybody wrote or read.
fn recorded<'h>(index: &Index<'h>, line: &Line<'h>) -> impl Iterator<Item = &'h Recorded> {
    let commits = line
        .commits
        .iter()
        .filter_map(|at| index.made[*at].commit());
    let written: Vec<&'h Recorded> = commits.flat_map(|commit| &commit.records).collect();
    let read: Vec<&'h Recorded> = line
        .leases
        .iter()
        .flat_map(|held| &held.lease.journal)
        .collect();
    written.into_iter().chain(read)
}

fn served_once(
    index: &Index<'_>,
    events: &Events<'_>,
    line: &Line<'_>,
    rules: &Rules,
    found: &mut Found<'_>,
) {
    let Some((at, dumped)) = index.dumped(line) else {
        return;
    };
    let mut seen = HashSet::new();
    for record in &dumped.journal {
        if record.event.is_some_and(|event| !seen.insert(event)) {
            let what = format!("one event served two waits of {}", line.name());
            found.add(I5, what, [at]);
        }
        let is_known = record
            .event
            .is_none_or(|event| events.known.contains(&event));
        if !is_known && !rules.unseen_writes {
            let what = format!("an event that nobody published served {}", line.name());
            found.add(I5, what, [at]);
        }
    }
}

/// Where a wait was stored for certain, as it stands at a place: the end of the first applied commit
/// that has it pending, since a person last had it forgotten, or the revival that made it one again.
/// While its job is over, events pass it by.
fn stored<'h>(
    index: &Index<'h>,
    line: &Line<'h>,
    step: &str,
    before: usize,
) -> Option<(usize, &'h Waited)> {
    let made = line.commits.iter().chain(&line.changes);
    let mut made: Vec<Made<'h>> = made.map(|at| index.made[*at]).collect();
    made.sort_by_key(|made| made.begin);
    let mut stored = None;
    for made in made.into_iter().filter(|made| made.begin < before) {
        let Some(commit) = made.commit().filter(|_| made.may_be_done()) else {
            continue;
        };
        if commit.removed.iter().any(|name| name == step) {
            stored = None;
        }
        if commit.settle == Some(Settled::Requeue) {
            stored = stored.map(|(_, wait)| (made.end, wait));
        }
        let mut pending = commit.records.iter().filter(|r| r.position.is_none());
        let pending = pending.find(|r| r.step == step && made.is_applied());
        if let Some(wait) = pending.and_then(|r| r.wait.as_ref()) {
            stored = stored.or(Some((made.end, wait)));
        }
    }
    stored
}

/// Parked at the end, beside its event.
fn waits_in_vain(index: &Index<'_>, events: &Events<'_>, line: &Line<'_>, found: &mut Found<'_>) {
    let Some((at, dumped)) = index.dumped(line) else {
        return;
    };
    let is_held = line.leases.last().and_then(|held| held.settled(index));
    let is_held = is_held.is_some_and(|(_, settled)| settled == Settled::Hold);
    if dumped.state != State::Suspended || is_held {
        return;
    }
    let taken: HashSet<EventId> = dumped.journal.iter().filter_map(|r| r.event).collect();
    let pending = dumped.journal.iter().filter(|r| r.position.is_none());
    for (record, wait) in pending.filter_map(|r| Some((r, r.wait.as_ref()?))) {
        let Some((stored, _)) = stored(index, line, &record.step, usize::MAX) else {
            continue;
        };
        let mut there = events.for_wait(index, line, wait, stored, &taken);
        if let Some(made) = there.find(|made| !passed(index, &events.by_id, line, wait, *made)) {
            let what = format!(
                "{} still waits in \"{}\", and its event was published",
                line.name(),
                record.step
            );
            found.add(I5, what, [stored, made.end, at]);
        }
    }
}

fn is_wait(record: &Recorded) -> bool {
    record.kind == crate::core::RecordKind::Event && record.position.is_some()
}

/// A stored event beats a passed deadline.
fn timed_out(
    index: &Index<'_>,
    events: &Events<'_>,
    line: &Line<'_>,
    made: Made<'_>,
    found: &mut Found<'_>,
) {
    let Some(commit) = made.commit().filter(|_| made.is_applied()) else {
        return;
    };
    let given_up = |r: &&Recorded| is_wait(r) && r.ended == Some(Ended::TimedOut);
    for record in commit.records.iter().filter(given_up) {
        let held = commit.token().and_then(|token| line.lease(token));
        let stored = stored(index, line, &record.step, made.begin);
        let (Some(held), Some((stored, wait))) = (held, stored) else {
            continue;
        };
        if stored >= held.asked {
            continue;
        }
        let taken = taken(index, line);
        let mut there = events.for_wait(index, line, wait, stored, &taken);
        let is_due = |event: &Made<'_>| {
            event.end < held.asked && !passed(index, &events.by_id, line, wait, *event)
        };
        if let Some(event) = there.find(is_due) {
            let what = format!(
                "the wait \"{}\" of {} timed out, and its event was there",
                record.step,
                line.name()
            );
            found.add(I5, what, [stored, event.end, held.told, made.end]);
        }
    }
}

fn woken_late(
    index: &Index<'_>,
    events: &Events<'_>,
    line: &Line<'_>,
    made: Made<'_>,
    rules: &Rules,
    found: &mut Found<'_>,
) {
    let (Some(bound), Some(commit)) = (rules.wake_within, made.commit()) else {
        return;
    };
    let served = |r: &&Recorded| is_wait(r) && r.event.is_some();
    for record in commit.records.iter().filter(served) {
        let event = record.event.and_then(|id| events.by_id.get(&id));
        let woken = commit.token().and_then(|token| before(line, token.epoch));
        let (Some(event), Some((parked, woken))) = (event, woken) else {
            continue;
        };
        let Some((suspended, Settled::Suspend { .. })) = parked.settled(index) else {
            continue;
        };
        // A wait that the run had not come to yet is nothing to be woken for.
        let waited = stored(index, line, &record.step, woken.told);
        if waited.is_none_or(|(at, _)| at > suspended.end) {
            continue;
        }
        let due = event.end.max(suspended.end);
        // Where faults or a pause were in the way, the time begins when they are over.
        let Some(calm) = index.calm_since(line, due, woken.told) else {
            continue;
        };
        let took = woken.lease.from.since(index.at(calm));
        // Where a limit holds it back, it waits for a place.
        if took > bound && woken.lease.limit_key.is_none() {
            let what = format!("{} was woken {took} after its event", line.name());
            found.add(I5, what, [suspended.end, event.end, woken.told]);
        }
    }
}

/// The lease of an epoch, and the one before it.
fn before<'i, 'h>(line: &'i Line<'h>, epoch: u64) -> Option<(&'i Held<'h>, &'i Held<'h>)> {
    line.leases.windows(2).find_map(|pair| match pair {
        [first, second] if second.lease.token.epoch == epoch => Some((first, second)),
        _ => None,
    })
}
