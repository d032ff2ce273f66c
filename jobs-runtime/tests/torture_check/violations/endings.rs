//! I10, I11: a cancel is the end, and dead letters stay.

use super::*;

#[test]
fn a_step_that_is_stored_after_a_cancel_is_found() {
    let mut story = begun();
    story
        .change(1, Settled::Cancel)
        .pass(1)
        .record(1, 1, 1, done("pay", 0))
        .quiet();
    story.dump(with_pay(State::Cancelled));
    story.breaks(Invariant::I10, "stored something after");
}

#[test]
fn a_lease_after_a_cancel_is_found() {
    let mut story = Story::default();
    story.enqueue(1).change(1, Settled::Cancel).pass(1);
    let lease = story.lease_of(1, 1, 1);
    story
        .lease(1, lease)
        .quiet()
        .dump(Story::dumped(1, State::Cancelled));
    story.breaks(Invariant::I10, "leased after");
}

fn buried() -> Story {
    let mut story = Story::default();
    story.enqueue(1).pass(1);
    let lease = story.lease_of(1, 1, 3);
    story.lease(1, lease).settle(1, 1, 1, RETRY).quiet();
    story
}

#[test]
fn a_dead_letter_that_is_gone_is_found() {
    let story = buried();
    let report = story.report();
    let found = report
        .violations
        .iter()
        .any(|v| v.invariant == Invariant::I11);
    assert!(found, "{}", told(&report));
}

#[test]
fn a_dead_letter_that_was_purged_by_name_is_not_missed() {
    let mut story = buried();
    let later = story.now().after(Millis(1));
    story.prune(Some(later)).is_clean();
}

#[test]
fn a_dead_letter_without_its_error_is_found() {
    let mut story = buried();
    let dumped = Story::dumped(1, State::Dead);
    story.dump(Dumped {
        attempt: 3,
        has_error: false,
        ..dumped
    });
    story.breaks(Invariant::I11, "is not kept");
}
