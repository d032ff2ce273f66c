//! A broken promise, as a person reads it.

use crate::torture::history::Entry;
use std::fmt;

/// The promises that a history can break. One is not among them: that one poison job, kind or hung
/// body cannot stop others (I20) is what I18 says of those others, in a workload that has such jobs;
/// that everything else comes to rest is all that a history can show of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invariant {
    /// What was acknowledged is not lost.
    I1,
    /// A recorded step is not done again, and reads the same for ever.
    I2,
    /// Nothing is done again without a cause.
    I3,
    /// Only the current lease writes, and leases do not overlap.
    I4,
    /// An event and its wait meet.
    I5,
    /// Only a failed or lost attempt costs one.
    I6,
    /// Nothing is early.
    I7,
    /// One live job for each key.
    I8,
    /// One job for each tick.
    I9,
    /// What is cancelled stays so.
    I10,
    /// Dead letters stay.
    I11,
    /// No more run at once than may.
    I12,
    /// Everything comes to rest.
    I18,
    /// Lists and claims keep their order, and show each row once.
    I19,
}

impl Invariant {
    /// The promise in a sentence.
    #[must_use]
    pub const fn promise(self) -> &'static str {
        match self {
            Invariant::I1 => "what was acknowledged is not lost",
            Invariant::I2 => "a recorded step is not done again, and reads the same for ever",
            Invariant::I3 => "nothing is done again without a cause",
            Invariant::I4 => "only the current lease writes, and leases do not overlap",
            Invariant::I5 => "an event and its wait meet",
            Invariant::I6 => "only a failed or lost attempt costs one",
            Invariant::I7 => "nothing is early",
            Invariant::I8 => "there is one live job for each key",
            Invariant::I9 => "there is one job for each tick",
            Invariant::I10 => "what is cancelled stays so",
            Invariant::I11 => "dead letters stay",
            Invariant::I12 => "no more run at once than may",
            Invariant::I18 => "everything comes to rest",
            Invariant::I19 => "lists and claims keep their order, and show each row once",
        }
    }
}

impl fmt::Display for Invariant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A broken promise.
#[derive(Clone, Debug)]
pub struct Violation {
    /// Which promise.
    pub invariant: Invariant,
    /// How it was broken.
    pub what: String,
    /// The entries that show it.
    pub entries: Vec<Entry>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation {
            invariant,
            what,
            entries,
        } = self;
        write!(f, "{invariant} ({}): {what}", invariant.promise())?;
        for entry in entries {
            let Entry {
                process,
                incarnation,
                seq,
                mono_ns,
                what,
                ..
            } = entry;
            let millis = mono_ns / 1_000_000;
            write!(
                f,
                "\n  {process}.{incarnation} #{seq} at {millis} ms: {what:?}"
            )?;
        }
        Ok(())
    }
}

/// Collects violations.
pub(super) struct Found<'h> {
    entries: &'h [Entry],
    violations: Vec<Violation>,
}

impl<'h> Found<'h> {
    pub(super) fn new(entries: &'h [Entry]) -> Self {
        Found {
            entries,
            violations: Vec::new(),
        }
    }

    /// Adds one, with the entries at these places; places that are none are left out.
    pub(super) fn add(
        &mut self,
        invariant: Invariant,
        what: impl fmt::Display,
        places: impl IntoIterator<Item = usize>,
    ) {
        if self.violations.len() == super::VIOLATION_LIMIT {
            return;
        }
        let shown = places.into_iter().filter_map(|at| self.entries.get(at));
        self.violations.push(Violation {
            invariant,
            what: what.to_string(),
            entries: shown.cloned().collect(),
        });
    }

    pub(super) fn into_violations(self) -> Vec<Violation> {
        self.violations
    }
}
