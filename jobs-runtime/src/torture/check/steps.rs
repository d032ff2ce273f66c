//! I2: a recorded step is not done again, is not forgotten, and reads the same for ever.
//!
//! A record may go only by a commit that says so: a person revives the job from a step, or the
//! end of an attempt takes a failure back. What a failure was may therefore change; what a value
//! was may not.

use super::index::{Index, Line, Made, Map};
use super::{Invariant::I2, Rules, violation::Found};
use crate::torture::history::{CommitCall, Ended, Recorded, What};
use std::collections::HashSet;

/// What is known of a step of one job.
#[derive(Clone, Copy, Default)]
struct Known {
    /// Where it was last known to be recorded, by which lease, and as what.
    recorded: Option<(usize, u64, Seen)>,
    /// From where to where it may have been removed last.
    removed: Option<(usize, usize)>,
}

/// What must not change of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Seen {
    ended: Ended,
    hash: u64,
    position: Option<crate::core::Position>,
}

impl Seen {
    fn of(record: &Recorded) -> Option<Self> {
        Some(Seen {
            ended: record.ended?,
            hash: record.hash,
            position: record.position,
        })
    }
}

/// What happens to the steps of a job, in the order of the history.
enum Turn {
    Asked(usize),
    Answered(usize),
    Began(usize),
    Leased(usize),
    Dumped(usize),
}

pub(super) fn check(index: &Index<'_>, _: &Rules, found: &mut Found<'_>) {
    for line in &index.jobs {
        Steps::default().follow(index, line, found);
    }
}

#[derive(Default)]
struct Steps<'h> {
    known: Map<&'h str, Known>,
    /// The highest epoch that was told so far.
    epoch: u64,
    /// Commits that were answered as applied: each further try of one changes nothing.
    applied: HashSet<CommitKey>,
}

/// What a commit of a lease is known by.
type CommitKey = (u64, u64, u64);

fn key(commit: &CommitCall) -> Option<CommitKey> {
    let number = commit.lease?;
    Some((number.token.epoch, number.token.nonce, number.number))
}

impl<'h> Steps<'h> {
    fn follow(&mut self, index: &Index<'h>, line: &Line<'h>, found: &mut Found<'_>) {
        for (at, turn) in turns(index, line) {
            match turn {
                Turn::Asked(made) => self.asked(&index.made[made], line, found),
                Turn::Answered(made) => self.answered(&index.made[made], line, found),
                Turn::Began(at) => self.began(index, at, line, found),
                Turn::Leased(lease) => {
                    let lease = line.leases[lease].lease;
                    let is_late = lease.token.epoch <= self.epoch;
                    self.epoch = self.epoch.max(lease.token.epoch);
                    // Told after a later one: what it read is history.
                    if !is_late {
                        self.read(index, at, lease.token.epoch, &lease.journal, line, found);
                    }
                }
                Turn::Dumped(at) => {
                    if let What::Job(dumped) = &index.entries[at].what {
                        self.read(index, at, u64::MAX, &dumped.journal, line, found);
                        in_order(at, &dumped.journal, line, found);
                    }
                }
            }
        }
    }

    /// From here on the records that a commit takes back may be gone.
    fn asked(&mut self, made: &Made<'h>, line: &Line<'h>, found: &mut Found<'_>) {
        let Some(commit) = made.commit().filter(|_| made.may_be_done()) else {
            return;
        };
        if key(commit).is_some_and(|key| self.applied.contains(&key)) {
            return;
        }
        self.taken_back(made, line, found);
        let pending = commit.records.iter().filter(|r| r.position.is_none());
        let pending = pending.map(|record| record.step.as_str());
        for step in commit.removed.iter().map(String::as_str).chain(pending) {
            let known = self.known.entry(step).or_default();
            known.removed = Some((made.begin, made.end));
            known.recorded = None;
        }
    }

    /// A worker may take back a failure, and what was never delivered; a value is there to stay.
    fn taken_back(&self, made: &Made<'h>, line: &Line<'h>, found: &mut Found<'_>) {
        let commit = made.commit().filter(|_| made.is_applied());
        let Some(commit) = commit.filter(|commit| commit.token().is_some()) else {
            return;
        };
        for step in &commit.removed {
            let known = self.known.get(step.as_str());
            if let Some((at, _, seen)) = known.and_then(|known| known.recorded)
                && seen.ended == Ended::Done
            {
                let what = format!(
                    "the result of step \"{step}\" of {} was recorded, and its worker took it back",
                    line.name()
                );
                found.add(I2, what, [at, made.begin]);
            }
        }
    }

    fn answered(&mut self, made: &Made<'h>, line: &Line<'h>, found: &mut Found<'_>) {
        let Some(commit) = made.commit().filter(|_| made.is_applied()) else {
            return;
        };
        if key(commit).is_some_and(|key| !self.applied.insert(key)) {
            return;
        }
        let epoch = commit.token().map_or(0, |token| token.epoch);
        for record in commit.records.iter().filter(|r| r.position.is_some()) {
            let known = self.known.entry(record.step.as_str()).or_default();
            // A removal that overlaps may have come after it.
            let is_removed = known
                .removed
                .is_some_and(|(_, end)| end > made.begin && end != made.end);
            if !is_removed {
                sighted(known, made.end, epoch, record, line, found);
            }
        }
    }

    fn began(&self, index: &Index<'h>, at: usize, line: &Line<'h>, found: &mut Found<'_>) {
        let Some((entry, effect)) = index.effect(at) else {
            return;
        };
        let recorded = self
            .known
            .get(effect.step.as_str())
            .and_then(|k| k.recorded);
        let Some((recorded_at, epoch, _)) = recorded else {
            return;
        };
        let lease = line.lease_of(at, entry, effect);
        // An older lease may not know yet that it is lost; how long it may not is I4's.
        if lease.is_none_or(|held| held.lease.token.epoch >= epoch) {
            let what = format!(
                "step \"{}\" of {} was recorded, and was done again",
                effect.step,
                line.name()
            );
            found.add(I2, what, [recorded_at, at]);
        }
    }

    /// A whole journal was read, by a lease of this epoch.
    fn read(
        &mut self,
        index: &Index<'h>,
        at: usize,
        epoch: u64,
        journal: &'h [Recorded],
        line: &Line<'h>,
        found: &mut Found<'_>,
    ) {
        let due = self
            .known
            .values()
            .filter(|known| known.is_due(epoch))
            .count();
        let mut met = 0;
        for record in journal.iter().filter(|record| record.position.is_some()) {
            let known = self.known.entry(record.step.as_str()).or_default();
            met += usize::from(known.is_due(epoch));
            let may_be_removed = known.removed.is_some_and(|(_, end)| end > at);
            if may_be_removed {
                continue;
            }
            // What a run begins with, it may have from another run.
            if known.recorded.is_none() && epoch > 1 && is_refused(index, line, record) {
                let what = format!(
                    "step \"{}\" of {} is recorded, and every write of it was refused",
                    record.step,
                    line.name()
                );
                found.add(I2, what, [at]);
            }
            sighted(known, at, epoch, record, line, found);
        }
        if met < due {
            self.forgotten(at, epoch, line, found);
        }
    }

    fn forgotten(&self, at: usize, epoch: u64, line: &Line<'h>, found: &mut Found<'_>) {
        for (step, known) in &self.known {
            let Some((recorded_at, ..)) = known.recorded.filter(|_| known.is_due(epoch)) else {
                continue;
            };
            if recorded_at != at {
                let what = format!(
                    "step \"{step}\" of {} was recorded, and is forgotten",
                    line.name()
                );
                found.add(I2, what, [recorded_at, at]);
            }
        }
    }
}

impl Known {
    /// Whether a lease of this epoch must find it recorded.
    fn is_due(&self, epoch: u64) -> bool {
        self.recorded.is_some_and(|(_, by, _)| by < epoch)
    }
}

fn sighted(
    known: &mut Known,
    at: usize,
    epoch: u64,
    record: &Recorded,
    line: &Line<'_>,
    found: &mut Found<'_>,
) {
    let Some(seen) = Seen::of(record) else {
        return;
    };
    if let Some((before, by, was)) = known.recorded {
        if was != seen {
            let what = format!(
                "step \"{}\" of {} was recorded twice, with two results or at two places",
                record.step,
                line.name()
            );
            found.add(I2, what, [before, at]);
        }
        // The first who recorded it: whoever comes later must find it.
        known.recorded = Some((at, by.min(epoch), seen));
        return;
    }
    // A lease that finds it did not record it.
    known.recorded = Some((at, epoch, seen));
}

/// Whether the record was sent, and never taken.
fn is_refused(index: &Index<'_>, line: &Line<'_>, record: &Recorded) -> bool {
    let carries = |made: &Made<'_>| {
        let records = made.commit().map_or(&[][..], |commit| &commit.records);
        records
            .iter()
            .any(|own| own.step == record.step && own.position.is_some())
    };
    let sent = line.commits.iter().map(|at| index.made[*at]);
    let mut carriers = sent.filter(carries).peekable();
    carriers.peek().is_some() && !carriers.any(|made| made.may_be_done())
}

/// One record for each step and each position.
fn in_order(at: usize, journal: &[Recorded], line: &Line<'_>, found: &mut Found<'_>) {
    let mut positions: Vec<_> = journal
        .iter()
        .filter_map(|record| record.position)
        .collect();
    let mut steps: Vec<_> = journal.iter().map(|record| &record.step).collect();
    positions.sort();
    steps.sort();
    if has_twins(&positions) || has_twins(&steps) {
        let what = format!(
            "the journal of {} has one step or position twice",
            line.name()
        );
        found.add(I2, what, [at]);
    }
}

fn has_twins<T: PartialEq>(sorted: &[T]) -> bool {
    sorted.windows(2).any(|pair| pair.first() == pair.last())
}

fn turns(index: &Index<'_>, line: &Line<'_>) -> Vec<(usize, Turn)> {
    let mut turns = Vec::new();
    for made in line.commits.iter().chain(&line.changes) {
        turns.push((index.made[*made].begin, Turn::Asked(*made)));
        turns.push((index.made[*made].end, Turn::Answered(*made)));
    }
    turns.extend(line.effects.iter().map(|at| (*at, Turn::Began(*at))));
    let leases = line.leases.iter().enumerate();
    turns.extend(leases.map(|(lease, held)| (held.told, Turn::Leased(lease))));
    turns.extend(line.dumped.iter().map(|at| (*at, Turn::Dumped(*at))));
    turns.sort_by_key(|(at, _)| *at);
    turns
}
