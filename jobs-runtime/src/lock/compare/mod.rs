//! What it means for stored runs that a lock became another: each change is safe, or it is risky
//! and says what to write instead. Whether a run is open that it hits is not known here; that is
//! for `preflight`.

mod events;
mod jobs;
mod names;
mod options;
mod steps;
#[cfg(test)]
mod tests;
mod types;

use super::{Lock, Place};
use std::collections::BTreeSet;

/// Whether stored runs can be hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// Runs that began before go on as if nothing had changed.
    Safe,
    /// Runs that began before may lose a step, stop, or do something twice.
    Risky,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whether stored runs can be hit.
    pub risk: Risk,
    /// What kind of change, in one word for programs: `step_removed`.
    pub change: &'static str,
    /// What changed: `job sell`, `step charge of job sell`.
    pub subject: String,
    /// What happened, and what that does to stored runs.
    pub message: String,
    /// What to write instead; empty for a safe change that asks for nothing.
    pub remedy: String,
    /// Where to write it.
    pub place: Option<Place>,
}

/// Every change between two locks, in the order of their names.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// All of them.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Those that can hit stored runs.
    pub fn risky(&self) -> impl Iterator<Item = &Finding> {
        let all = self.findings.iter();
        all.filter(|finding| finding.risk == Risk::Risky)
    }

    /// Whether a stored run can be hit by any of them.
    #[must_use]
    pub fn is_risky(&self) -> bool {
        self.risky().next().is_some()
    }
}

/// What changed from `old`, which runs may have begun under, to `new`.
#[must_use]
pub fn compare(old: &Lock, new: &Lock) -> Report {
    let mut compared = Compared {
        old,
        new,
        types: BTreeSet::new(),
        findings: Vec::new(),
    };
    compared.jobs();
    compared.events();
    Report {
        findings: compared.findings,
    }
}

struct Compared<'a> {
    old: &'a Lock,
    new: &'a Lock,
    /// The pairs of types whose changes were told already: many jobs may share one.
    types: BTreeSet<(&'a str, &'a str)>,
    findings: Vec<Finding>,
}

/// What is looked at: for the words of a finding, and for its place.
#[derive(Clone)]
struct Subject {
    text: String,
    place: Option<Place>,
}

impl Subject {
    fn job(name: &str, place: Option<&Place>) -> Self {
        Subject {
            text: format!("job \"{name}\""),
            place: place.cloned(),
        }
    }

    fn event(name: &str, place: Option<&Place>) -> Self {
        Subject {
            text: format!("event \"{name}\""),
            place: place.cloned(),
        }
    }

    fn step(name: &str, job: &str, place: Option<&Place>) -> Self {
        Subject {
            text: format!("step \"{name}\" of job \"{job}\""),
            place: place.cloned(),
        }
    }
}

impl Compared<'_> {
    fn safe(&mut self, change: &'static str, subject: &Subject, message: &str) {
        self.add(Risk::Safe, change, subject, message, "");
    }

    fn risky(&mut self, change: &'static str, subject: &Subject, message: &str, remedy: &str) {
        self.add(Risk::Risky, change, subject, message, remedy);
    }

    fn add(
        &mut self,
        risk: Risk,
        change: &'static str,
        subject: &Subject,
        message: &str,
        remedy: &str,
    ) {
        self.findings.push(Finding {
            risk,
            change,
            subject: subject.text.clone(),
            message: format!("{} {message}", subject.text),
            remedy: remedy.to_owned(),
            place: subject.place.clone(),
        });
    }
}
