//! What a run has shown. A run in which nothing went wrong proves nothing: it is void.

use super::index::{Index, Line, Made, Outcome};
use crate::core::{RecordKind, State};
use crate::torture::history::{Answer, Call, Settled, What};
use serde::{Deserialize, Serialize};

macro_rules! counts {
    ($($(#[$doc:meta])* $name:ident)*) => {
        /// Counts of what a run, or many, have shown.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Coverage {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Coverage {
            /// Adds what another run has shown.
            pub fn add(&mut self, other: &Coverage) {
                $(self.$name += other.$name;)*
            }

            /// What there was less of than `least` wants, each in a sentence. A run for which this
            /// is not empty is void.
            #[must_use]
            pub fn below(&self, least: &Coverage) -> Vec<String> {
                let mut below = Vec::new();
                $(if self.$name < least.$name {
                    let name = stringify!($name).replace('_', " ");
                    below.push(format!("{name}: {} of at least {}", self.$name, least.$name));
                })*
                below
            }
        }
    };
}

counts! {
    /// Acknowledged cancels.
    cancels
    /// Jobs that were children of others.
    children
    /// Jobs that ended well.
    done
    /// Jobs that were dead letters at the end.
    dead_letters
    /// Enqueues that were answered with a holder of their key, or refused for it.
    duplicates_refused
    /// Begun effects.
    effects
    /// Effects that were begun again.
    effects_again
    /// Published events.
    events
    /// Jobs that were enqueued for certain.
    enqueued
    /// Spans of injected faults.
    faults
    /// Leases that took the last place under a limit.
    full_limits
    /// Processes that were killed.
    kills
    /// Leases that ran out.
    lease_losses
    /// Writes and heartbeats that were refused because the lease was another's, or over.
    lost_writes
    /// Parked runs.
    parked
    /// Processes that were stopped for a while.
    pauses
    /// Revivals by people.
    requeues
    /// Failed attempts that were not the last.
    retries
    /// Recorded steps.
    steps
    /// Waits that passed their deadline.
    timed_out
    /// Calls that left open whether they were done.
    unknown_outcomes
    /// Waits that an event served after the run was parked.
    wakes_after_park
}

impl Coverage {
    pub(super) fn of(index: &Index<'_>) -> Self {
        let mut counts = Coverage::default();
        for entry in index.entries {
            match &entry.what {
                What::EffectBegin(_) => counts.effects += 1,
                What::FaultBegin(_) => counts.faults += 1,
                What::Killed(_) => counts.kills += 1,
                What::Paused(_) => counts.pauses += 1,
                _ => {}
            }
        }
        for made in &index.made {
            counts.call(made);
        }
        for line in &index.jobs {
            counts.job(index, line);
        }
        counts
    }

    fn call(&mut self, made: &Made<'_>) {
        match made.outcome {
            Outcome::Open => self.unknown_outcomes += 1,
            Outcome::Ok(Answer::LeaseLost) => self.lost_writes += 1,
            Outcome::Ok(Answer::KeyTaken(_) | Answer::Enqueued { deduped: true, .. }) => {
                self.duplicates_refused += 1;
            }
            Outcome::Ok(Answer::Enqueued { .. }) => self.enqueued += 1,
            _ => {}
        }
        if made.may_be_done() && matches!(made.call, Call::Publish(_)) {
            self.events += 1;
        }
        if !made.is_applied() {
            return;
        }
        match made.settle() {
            Some(Settled::Cancel) => self.cancels += 1,
            Some(Settled::Requeue) => self.requeues += 1,
            Some(Settled::Retry { .. }) => self.retries += 1,
            Some(Settled::Suspend { .. }) => self.parked += 1,
            _ => {}
        }
    }

    fn job(&mut self, index: &Index<'_>, line: &Line<'_>) {
        let enqueue = line
            .enqueues
            .first()
            .and_then(|at| index.made[*at].enqueue());
        self.children += u64::from(enqueue.is_some_and(|call| call.parent.is_some()));
        for pair in line.leases.windows(2) {
            if let [one, two] = pair {
                let lost = two
                    .lease
                    .lease_losses
                    .saturating_sub(one.lease.lease_losses);
                self.lease_losses += u64::from(lost);
            }
        }
        if let Some((_, dumped)) = index.dumped(line) {
            self.done += u64::from(dumped.state == State::Done);
            self.dead_letters += u64::from(dumped.state == State::Dead);
        }
        let mut steps: Vec<&str> = line
            .effects
            .iter()
            .filter_map(|at| Some(index.effect(*at)?.1.step.as_str()))
            .collect();
        let begun = steps.len();
        steps.sort_unstable();
        steps.dedup();
        self.effects_again += (begun - steps.len()) as u64;
        let applied = line.commits.iter().map(|at| index.made[*at]);
        for made in applied.filter(Made::is_applied) {
            self.records(line, &made);
        }
    }

    fn records(&mut self, line: &Line<'_>, made: &Made<'_>) {
        let Some(commit) = made.commit() else { return };
        let epoch = commit.token().map_or(0, |token| token.epoch);
        for record in commit.records.iter().filter(|r| r.position.is_some()) {
            self.steps += 1;
            if record.kind != RecordKind::Event {
                continue;
            }
            if record.event.is_none() {
                self.timed_out += 1;
                continue;
            }
            // It was pending when the lease began, so the run had been parked.
            let mut journal = line
                .leases
                .iter()
                .filter(|held| held.lease.token.epoch == epoch)
                .flat_map(|held| &held.lease.journal);
            let is_woken = journal.any(|r| r.step == record.step && r.position.is_none());
            self.wakes_after_park += u64::from(is_woken);
        }
    }
}
