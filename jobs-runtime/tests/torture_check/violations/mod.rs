//! One history for each way in which a promise can be broken, made by hand.

mod attempts;
mod endings;
mod events;
mod keys;
mod leases;
mod limits;
mod loss;
mod rest;
mod steps;
mod ticks;

use crate::story::{
    LEASE, Story, done, enqueue_of, event, job, life, pending, tick, token, told, wait,
};
use jobs_runtime::Timestamp;
use jobs_runtime::core::{Millis, OnConflict, Position, Priority, RecordKind, State};
use jobs_runtime::torture::check::{Coverage, Invariant, Limit, LimitOf, Report, Rules, check};
use jobs_runtime::torture::history::{
    Answer, Bounds, Call, CommitCall, Dumped, Ended, EndedRule, EnqueueCall, Leased, Recorded,
    Settled, Tick, What,
};

const ACK: Settled = Settled::Ack { output: 1 };
const PARK: Settled = Settled::Suspend { wake_at: None };
const RETRY: Settled = Settled::Retry { delay: Millis(0) };

/// A job that was enqueued and leased.
fn begun() -> Story {
    let mut story = Story::default();
    story.enqueue(1).pass(1);
    let lease = story.lease_of(1, 1, 1);
    story.lease(1, lease);
    story
}

/// A whole job of one step.
fn finished() -> Story {
    let mut story = begun();
    story.effect(1, 1, "pay", 1).record(1, 1, 1, done("pay", 0));
    story.settle(1, 1, 2, ACK).pass(1).quiet();
    story
}

fn with_pay(state: State) -> Dumped {
    Dumped {
        journal: vec![done("pay", 0)],
        ..Story::dumped(1, state)
    }
}

#[test]
fn a_run_without_a_fault_breaks_nothing() {
    finished().dump(with_pay(State::Done)).is_clean();
}

#[test]
fn a_run_that_shows_too_little_is_void() {
    let mut story = finished();
    let shown = story.dump(with_pay(State::Done)).report().coverage;
    let least = Coverage {
        kills: 1,
        steps: 1,
        ..Coverage::default()
    };
    assert_eq!(shown.below(&least), ["kills: 0 of at least 1"]);
    let mut two = shown;
    two.add(&shown);
    assert_eq!((two.done, two.effects, two.steps), (2, 2, 2));
}

#[test]
fn a_violation_reads_as_prose_and_shows_its_entries() {
    let report = finished().report();
    let words = report.violations[0].to_string();
    assert!(
        words.starts_with("I1 (what was acknowledged is not lost): job "),
        "{words}"
    );
    assert!(words.contains("Enqueued"), "{words}");
}
