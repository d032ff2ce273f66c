//! The checker: reads a history and says which promise it breaks.
//!
//! Each file knows one invariant or two, over the `index` of the history. Where the history
//! leaves open what happened (a call without an answer, a lease nobody heard of), the checker
//! believes what would be right: it reports what cannot have happened in a store that keeps its
//! promises, and only that. So that this is not for want of something to see, [`Coverage`]
//! counts what a run has shown; a run below its minimums is void.
//!
//! What is not looked at here: what the store itself can say of its integrity, and what was never
//! written down.

mod again;
mod attempts;
mod cancel;
mod children;
mod coverage;
mod dead;
mod fence;
mod index;
mod keys;
mod limits;
mod loss;
mod pruned;
mod rest;
mod rules;
mod steps;
mod ticks;
mod timers;
mod violation;
mod wake;

pub use coverage::Coverage;
pub use rules::{Limit, LimitOf, Rules};
pub use violation::{Invariant, Violation};

use super::history::Entry;
use index::Index;
use violation::Found;

/// Violations that one check reports; a run that breaks so many needs no more of them.
pub const VIOLATION_LIMIT: usize = 100;

/// What came of a check.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Promises that were broken, at most [`VIOLATION_LIMIT`].
    pub violations: Vec<Violation>,
    /// What the run has shown.
    pub coverage: Coverage,
}

/// Checks a history, in the order of its clock.
#[must_use]
pub fn check(entries: &[Entry], rules: &Rules) -> Report {
    let index = Index::of(entries);
    let mut found = Found::new(entries);
    for look in [
        dead::check,
        loss::check,
        steps::check,
        again::check,
        fence::check,
        wake::check,
        attempts::check,
        timers::check,
        keys::check,
        ticks::check,
        cancel::check,
        limits::check,
        rest::check,
        children::check,
    ] {
        look(&index, rules, &mut found);
    }
    Report {
        violations: found.into_violations(),
        coverage: Coverage {
            full_limits: limits::full(&index, rules),
            ..Coverage::of(&index)
        },
    }
}
