//! Names: each once in a run, not too long, and found again under a former one.

use super::*;
use crate::core::MAX_STEP_NAME_BYTES;

impl Lease {
    fn want_once_called(&mut self, name: &'static str, formers: &[&str], ask: Ask) -> &mut Self {
        self.run.adopt(name, formers.iter().copied());
        self.want(name, ask)
    }
}

#[test]
fn a_name_that_is_asked_for_twice_ends_the_job() {
    let mut lease = Lease::new(&[]);
    lease.want("a", step()).go();
    assert_eq!(lease.run.ask("a", &step(), true, NOW), Asked::Later);
    assert_eq!(lease.run.advance(NOW), Next::Broken);
    let Some(Settle::Fail { error }) = lease.run.settle_fault().settle else {
        panic!("it goes on");
    };
    assert_eq!(error.code.as_deref(), Some("X_STEP_DUPLICATE"));
}

#[test]
fn a_computed_name_that_is_too_long_ends_the_job() {
    let mut lease = Lease::new(&[]);
    let long = "x".repeat(MAX_STEP_NAME_BYTES + 1);
    assert_eq!(lease.run.ask(&long, &step(), true, NOW), Asked::Later);
    let Some(Settle::Fail { error }) = lease.run.settle_fault().settle else {
        panic!("it goes on");
    };
    assert_eq!(error.code.as_deref(), Some("X_NAME_INVALID"));
    assert!(error.message.contains("201 bytes"), "{}", error.message);
}

#[test]
fn a_record_under_a_former_name_serves_the_step_in_its_place() {
    let journal = [
        record("pay", 0, done()),
        record("b", 1, done()),
        record("oldest", 2, failed()),
    ];
    let mut lease = Lease::new(&journal);
    lease
        .want_once_called("c", &["older", "oldest"], step())
        .want("b", step())
        .want_once_called("charge", &["pay"], step())
        .go();
    assert_eq!(lease.seen, ["charge done", "b done", "c failed"]);
    let commit = lease.end_well();
    assert!(matches!(commit.settle, Some(Settle::Ack { .. })));
    assert!(commit.records.is_empty(), "nothing is rewritten");
    let trace = commit.trace.unwrap();
    assert_eq!(trace.replayed, ["pay", "b", "oldest"], "as in the journal");
}

#[test]
fn a_pending_record_keeps_its_former_name_when_it_is_delivered() {
    let nap = StepRecord {
        wake_at: Some(NOW),
        ..StepRecord::pending("rest", RecordKind::Sleep, NOW)
    };
    let mut lease = Lease::new(&[nap]);
    lease.want_once_called("nap", &["rest"], sleep()).go();
    assert_eq!(lease.seen, ["nap done"]);
    assert_eq!(names(&lease.run.take_commit().unwrap().records), ["rest"]);
}

#[test]
fn a_lost_sleep_is_removed_under_its_former_name() {
    let nap = StepRecord {
        wake_at: Some(NOW.after(HOUR)),
        ..StepRecord::pending("rest", RecordKind::Sleep, NOW)
    };
    let mut lease = Lease::new(&[nap]);
    lease.want_once_called("nap", &["rest"], sleep()).go();
    lease.drop_step("nap");
    assert_eq!(lease.end_well().removed, ["rest"]);
}

#[test]
fn a_failure_under_a_former_name_is_taken_back_under_it() {
    let mut lease = Lease::new(&[record("pay", 0, failed())]);
    lease.want_once_called("charge", &["pay"], step()).go();
    let commit = lease.end_with(Some("charge"));
    assert!(is_retry(&commit));
    assert_eq!(names(&commit.records), ["pay"]);
}

#[test]
fn a_record_under_the_present_name_wins_and_a_taken_one_is_left() {
    let journal = [record("charge", 0, done()), record("pay", 1, done())];
    let mut lease = Lease::new(&journal);
    lease
        .want_once_called("charge", &["pay"], step())
        .want("pay", step())
        .go();
    lease
        .want_once_called("other", &["pay"], step())
        .go_durably();
    assert_eq!(lease.seen[..2], ["charge done", "pay done"]);
    assert_eq!(lease.seen[2..], ["start other"]);
}
