//! I8: of the jobs of one key at most one is live, and whoever asks for a taken key is told of its
//! holder.
//!
//! A job is known to be live between any two moments at which it was, because an ended job comes
//! back only by a person.

use super::index::{Index, Line, Made, Map};
use super::pruned::may_be_pruned;
use super::{Invariant::I8, Rules, violation::Found};
use crate::core::{NEVER, State};
use crate::torture::history::{Answer, Conflict, EnqueueCall};
use std::collections::HashSet;

/// From where to where a job was live for certain.
#[derive(Clone, Copy)]
struct Live {
    from: usize,
    to: usize,
    line: usize,
}

pub(super) fn check(index: &Index<'_>, _: &Rules, found: &mut Found<'_>) {
    answers(index, found);
    let mut keys: Map<&str, Vec<Live>> = Map::default();
    for (at, line) in index.jobs.iter().enumerate() {
        if let Some(key) = call_of(index, line).and_then(|call| call.key.as_deref()) {
            keys.entry(key).or_default().extend(lives(index, line, at));
        }
    }
    for (key, mut lives) in keys {
        lives.sort_by_key(|live| live.from);
        let mut last: Option<Live> = None;
        for live in lives {
            if let Some(before) = last
                && before.line != live.line
                && live.from < before.to
            {
                let (one, two) = (&index.jobs[before.line], &index.jobs[live.line]);
                let what = format!(
                    "{} and {} were live under one key {key:?}",
                    one.name(),
                    two.name()
                );
                found.add(I8, what, [before.from, live.from, before.to, live.to]);
            }
            if last.is_none_or(|before| before.to < live.to) {
                last = Some(live);
            }
        }
    }
}

fn call_of<'h>(index: &Index<'h>, line: &Line<'h>) -> Option<&'h EnqueueCall> {
    let first = line.enqueues.first()?;
    index.made[*first].enqueue()
}

/// The spans in which a job was live, one for each of its lives.
fn lives(index: &Index<'_>, line: &Line<'_>, at: usize) -> Vec<Live> {
    let moments = moments(index, line);
    let mut bounds: Vec<(usize, usize)> = line
        .requeues(index)
        .map(|made| (made.begin, made.end))
        .collect();
    bounds.sort_unstable();
    bounds.push((usize::MAX, usize::MAX));
    let mut after = 0;
    let mut lives = Vec::new();
    for (begin, end) in bounds {
        let inside = moments
            .iter()
            .filter(|(from, to)| *from >= after && *to < begin);
        let first = inside.clone().map(|(_, to)| *to).min();
        let last = inside.map(|(from, _)| *from).max();
        if let (Some(from), Some(to)) = (first, last)
            && from < to
        {
            lives.push(Live { from, to, line: at });
        }
        after = end;
    }
    lives
}

/// Spans somewhere within which the job was live.
fn moments(index: &Index<'_>, line: &Line<'_>) -> Vec<(usize, usize)> {
    let mut moments = Vec::new();
    // An enqueue that was sent again also finds a job that has ended.
    if let [only] = line.enqueues[..] {
        let made = index.made[only];
        let replaces = made.enqueue().map(|call| call.on_conflict) == Some(Conflict::Replace);
        if let (
            Some(Answer::Enqueued {
                job,
                deduped: false,
                ..
            }),
            false,
        ) = (made.answer(), replaces)
            && Some(*job) == line.id
        {
            moments.push((made.begin, made.end));
        }
    }
    moments.extend(line.leases.iter().map(|held| (held.asked, held.told)));
    moments.extend(applied(index, line));
    if let Some((at, dumped)) = index.dumped(line)
        && dumped.state.is_live()
        // One that follows another waits for its key.
        && (dumped.state != State::Pending || dumped.visible_at != Some(NEVER))
    {
        moments.push((at, at));
    }
    moments
}

/// Commits that were sent once, so that it is known when they were applied.
fn applied<'i>(index: &'i Index<'_>, line: &'i Line<'_>) -> impl Iterator<Item = (usize, usize)> {
    let mut sent = HashSet::new();
    let made = line.commits.iter().map(|at| index.made[*at]);
    made.filter_map(move |made: Made<'_>| {
        let number = made.commit().and_then(|commit| commit.lease);
        let number = number.map(|at| (at.token.epoch, at.token.nonce, at.number));
        let is_first = sent.insert(number);
        (made.is_applied() && is_first).then_some((made.begin, made.end))
    })
}

/// Whoever is told of a holder is told of one that has the key, and whether its input differs.
fn answers(index: &Index<'_>, found: &mut Found<'_>) {
    let calls = index
        .made
        .iter()
        .filter_map(|made| Some((made, made.enqueue()?)));
    let replaced: HashSet<&str> = calls
        .clone()
        .filter(|(_, call)| call.on_conflict == Conflict::Replace)
        .filter_map(|(_, call)| call.key.as_deref())
        .collect();
    for (made, call) in calls {
        let (holder, differs) = match made.answer() {
            Some(Answer::Enqueued {
                job,
                deduped: true,
                input_differs,
            }) => (*job, Some(*input_differs)),
            Some(Answer::KeyTaken(holder)) => (*holder, None),
            _ => continue,
        };
        let line = index.job_at.get(&holder).map(|at| &index.jobs[*at]);
        let Some(other) = line.and_then(|line| call_of(index, line)) else {
            continue;
        };
        if other.key != call.key {
            let what = format!("an enqueue was answered with job {holder} of another key");
            found.add(I8, what, [made.begin, made.end]);
        }
        let is_replaced = call
            .key
            .as_deref()
            .is_some_and(|key| replaced.contains(key));
        // Of a holder that is there no more only the key is known, and nobody can compare.
        let is_gone = differs == Some(false)
            && line.is_some_and(|line| {
                let first = line.enqueues.first().map(|at| index.made[*at].begin);
                first.is_some_and(|begun| may_be_pruned(index, line, begun))
            });
        let is_told_wrongly = differs.is_some_and(|differs| differs != (other.input != call.input));
        if is_told_wrongly && !is_replaced && !is_gone {
            let what =
                format!("an enqueue was told wrongly whether the input of job {holder} differs");
            found.add(I8, what, [made.begin, made.end]);
        }
    }
}
