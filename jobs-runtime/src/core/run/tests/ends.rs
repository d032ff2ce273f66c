//! The end of a lease: what is stored with it, what is taken back, and what is tried again.

use super::*;
use crate::core::{Mismatch, RunFault};

#[test]
fn a_commit_that_was_refused_is_offered_again_as_it_was() {
    let mut lease = Lease::new(&[]);
    lease.want("a", step()).want("nap", sleep()).go();
    lease.finish("a");
    lease.go();
    let wake_at = Some(NOW.after(HOUR));
    let refused = lease.run.settle(Settle::Suspend { wake_at });
    let nudge = Nudge {
        count: 3,
        ..Nudge::default()
    };
    lease.run.refused(refused.clone(), nudge, NOW);
    assert_eq!(lease.run.seen_nudge(), 3);
    let again = lease.run.settle(Settle::Suspend { wake_at });
    assert_eq!(again.guard, refused.guard);
    assert_eq!((again.base, again.records), (refused.base, refused.records));
}

#[test]
fn one_commit_is_on_its_way_at_a_time_and_the_next_goes_on_from_it() {
    let mut lease = Lease::new(&[]);
    lease.want("a", step()).want("b", step()).go();
    lease.finish("a");
    lease.go();
    let first = lease.run.take_commit().unwrap();
    lease.finish("b");
    lease.go();
    assert!(lease.run.take_commit().is_none());
    lease.committed(&first);
    let second = lease.run.take_commit().unwrap();
    assert_eq!(names(&second.records), ["b"]);
    assert_eq!(
        (first.base, second.base),
        (Some(Position(0)), Some(Position(1)))
    );
}

#[test]
fn r4_a_sleep_that_the_end_of_the_attempt_dropped_goes_on_in_the_next() {
    let mut lease = Lease::new(&[]);
    lease.want("nap", sleep()).want("a", step()).go();
    lease.fail("a");
    lease.go();
    // The error leaves the body in the poll that gets it, and takes the sleep with it.
    lease.run.forget("nap");
    let commit = lease.end_with(Some("a"));
    assert_eq!(names(&commit.records), ["a", "nap"]);
    assert!(commit.removed.is_empty());
}

#[test]
fn a_sleep_that_lost_is_removed() {
    let mut lease = Lease::new(&[]);
    lease.want("nap", sleep()).want("a", step()).go_durably();
    lease.finish("a");
    lease.go();
    lease.drop_step("nap");
    lease.want("b", step()).go();
    assert_eq!(lease.run.take_commit().unwrap().removed, ["nap"]);

    let mut lease = Lease::new(&[]);
    lease.want("nap", sleep()).go();
    lease.drop_step("nap");
    assert_eq!(lease.end_well().removed, ["nap"]);
}

#[test]
fn r3_the_failure_that_left_the_body_is_taken_back_with_what_it_tells() {
    let mut lease = Lease::new(&[]);
    lease.want("a", step()).go();
    lease.fail("a");
    lease.go_durably();
    let commit = lease.end_with(Some("a"));
    assert!(is_retry(&commit));
    let kept = &commit.records[0];
    assert_eq!((kept.position, &kept.outcome), (None, &None));
    assert_eq!(kept.last_error, Some(boom()));
    assert_eq!(kept.attempts, 1);
}

#[test]
fn r3_a_failure_after_which_the_body_asked_for_more_is_final() {
    let mut lease = Lease::new(&[]);
    lease
        .want("a", step())
        .want_after("a", "refund", step())
        .go();
    lease.fail("a");
    lease.go_durably();
    lease.finish("refund");
    lease.go_durably();
    let commit = lease.end_with(Some("a"));
    assert!(is_fail(&commit));
    assert!(commit.records.is_empty());
}

#[test]
fn r3_careful_a_failure_that_the_body_has_not_got_yet_is_taken_back() {
    let mut lease = Lease::careful(&[]);
    lease.want("a", step()).go();
    lease.fail("a");
    lease.go();
    let commit = lease.run.take_commit().unwrap();
    lease.committed(&commit);
    let last = lease.end_with(None);
    assert!(is_retry(&last));
    assert_eq!(last.records[0].position, None);
}

#[test]
fn a_long_back_off_is_stored_with_its_count_and_goes_on_in_the_next_lease() {
    let mut lease = Lease::new(&[]);
    lease.want("a", step()).go();
    lease.run.back_off("a", boom(), HOUR, NOW);
    let wake_at = Some(NOW.after(HOUR));
    assert_eq!(lease.go(), Next::Park { wake_at });
    let commit = lease.run.settle(Settle::Suspend { wake_at });
    assert_eq!(commit.records[0].attempts, 1);
    let mut next = Lease::new(&commit.records);
    next.want("a", step());
    assert_eq!(next.go(), Next::Park { wake_at }, "it is not over yet");
    next.now = NOW.after(HOUR);
    next.go();
    assert_eq!(next.seen, ["start a again"]);
    next.finish("a");
    next.go();
    assert_eq!(next.run.take_commit().unwrap().records[0].attempts, 2);
}

#[test]
fn a_short_back_off_is_waited_out_and_not_stored() {
    let mut lease = Lease::new(&[]);
    lease.want("a", step()).go();
    lease.run.back_off("a", boom(), Millis(1_000), NOW);
    let wake_at = Some(NOW.after(Millis(1_000)));
    assert_eq!(lease.go(), Next::Wait { wake_at });
    assert!(lease.run.take_commit().is_none());
    lease.now = NOW.after(Millis(1_000));
    lease.go();
    assert_eq!(lease.seen, ["start a", "start a again"]);
}

#[test]
fn a_body_past_its_deadline_is_told_so_once() {
    let mut lease = Lease::new(&[]);
    let ask = Ask::Step {
        fingerprint: 7,
        once: false,
        timeout: Some(Millis(10)),
        tx: false,
    };
    let wake_at = Some(NOW.after(Millis(10)));
    assert_eq!(lease.want("a", ask.clone()).go(), Next::Wait { wake_at });
    let late = NOW.after(Millis(10));
    assert_eq!(lease.run.advance(late), Next::Poll);
    assert_eq!(lease.run.ask("a", &ask, false, late), Asked::Expired);
    assert_eq!(lease.run.advance(late), Next::Wait { wake_at: None });
}

#[test]
fn a_completed_step_that_a_good_end_never_asked_for_holds_the_run() {
    let journal = [record("old", 0, done()), record("charge:7", 1, done())];
    let commit = Lease::new(&journal).end_well();
    assert!(matches!(commit.settle, Some(Settle::Hold { .. })));
    let removed = |replay: &mut Replay| replay.removed = &["old", "charge:{item.id}"];
    let commit = Lease::with(&journal, removed).end_well();
    assert!(matches!(commit.settle, Some(Settle::Ack { .. })));
}

#[test]
fn a_record_of_another_kind_is_a_fault() {
    let mut lease = Lease::new(&[record("a", 0, done())]);
    assert_eq!(lease.want("a", sleep()).go(), Next::Broken);
    let expected = RunFault::Mismatch(Mismatch::Kind {
        step: "a".into(),
        recorded: RecordKind::Step,
        asked: RecordKind::Sleep,
    });
    assert_eq!(lease.run.fault(), Some(&expected));
    let commit = lease.run.settle_fault();
    assert!(matches!(commit.settle, Some(Settle::Hold { .. })));
}
