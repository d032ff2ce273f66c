//! Bodies that may not run twice.

use super::*;

#[test]
fn the_start_is_durable_before_the_body_begins() {
    let mut lease = Lease::new(&[]);
    lease.want("charge", once());
    assert_eq!(lease.go(), Next::Commit);
    let commit = lease.run.take_commit().unwrap();
    assert!(commit.records[0].is_start());
    assert_eq!(lease.go(), Next::Commit, "it is only on its way");
    lease.committed(&commit);
    assert_eq!(lease.go(), Next::Wait { wake_at: None });
    assert_eq!(lease.seen, ["stored charge", "start charge"]);
    lease.finish("charge");
    lease.go_durably();
    assert_eq!(lease.seen[2..], ["charge done", "stored charge"]);
}

#[test]
fn a_body_waits_for_what_was_delivered_while_its_start_was_stored() {
    let mut lease = Lease::new(&[]);
    lease.want("a", step()).go();
    lease.want("charge", once());
    assert_eq!(lease.go(), Next::Commit);
    let start = lease.run.take_commit().unwrap();
    lease.finish("a");
    assert_eq!(lease.go(), Next::Commit);
    lease.committed(&start);
    assert_eq!(lease.go(), Next::Commit, "a is delivered and not durable");
    lease.go_durably();
    assert_eq!(
        lease.seen,
        [
            "start a",
            "a done",
            "stored charge",
            "stored a",
            "start charge"
        ]
    );
}

#[test]
fn a_start_without_an_end_is_delivered_as_interrupted_in_its_turn() {
    let journal = [record("a", 0, done()), start_of("charge")];
    let mut lease = Lease::new(&journal);
    lease.want("charge", once()).want("a", step()).go_durably();
    assert_eq!(lease.seen[..2], ["a done", "charge interrupted"]);
    let commit = lease.end_with(Some("charge"));
    assert!(is_fail(&commit), "its failure is final");
}

#[test]
fn the_interruption_is_recorded_like_any_failure() {
    let mut lease = Lease::new(&[start_of("charge")]);
    lease.want("charge", once()).go();
    let commit = lease.run.take_commit().unwrap();
    assert_eq!(commit.records[0].outcome, Some(StepOutcome::Interrupted));
    assert_eq!(commit.records[0].position, Some(Position(0)));
    let mut replay = Lease::new(&stored(&[], &commit));
    replay.want("charge", once()).go();
    assert_eq!(replay.seen, ["charge interrupted"]);
}

#[test]
fn code_that_allows_it_now_runs_the_body_again() {
    let mut lease = Lease::new(&[start_of("charge")]);
    lease.want("charge", step()).go();
    assert_eq!(lease.seen, ["start charge"]);
}

#[test]
fn a_failure_is_final_even_as_the_last_thing_that_happened() {
    let mut lease = Lease::new(&[]);
    lease.want("charge", once()).go_durably();
    lease.fail("charge");
    lease.go_durably();
    let commit = lease.end_with(None);
    assert!(is_retry(&commit), "another error left the body");
    assert!(commit.records.is_empty(), "it is not taken back");
    let mut lease = Lease::new(&[record("charge", 0, failed())]);
    lease.want("charge", once()).go();
    assert!(is_fail(&lease.end_with(Some("charge"))));
}

#[test]
fn a_body_that_is_dropped_while_it_runs_stays_started() {
    let mut lease = Lease::new(&[]);
    lease.want("charge", once()).go_durably();
    lease.drop_step("charge");
    let commit = lease.end_with(None);
    assert!(commit.records.is_empty() && commit.removed.is_empty());
}

#[test]
fn a_start_is_taken_back_if_the_body_is_dropped_before_it_began() {
    let mut lease = Lease::new(&[]);
    lease.want("charge", once()).go();
    lease.drop_step("charge");
    assert!(lease.run.take_commit().is_none(), "nothing was stored");

    let mut lease = Lease::new(&[]);
    lease.want("charge", once()).go();
    let start = lease.run.take_commit().unwrap();
    lease.drop_step("charge");
    lease.committed(&start);
    assert_eq!(lease.run.take_commit().unwrap().removed, ["charge"]);
}

#[test]
fn a_lease_that_ends_before_the_body_began_takes_its_start_back() {
    let mut lease = Lease::new(&[]);
    lease.want("charge", once()).go();
    let start = lease.run.take_commit().unwrap();
    lease.run.close();
    lease.committed(&start);
    let last = lease.run.settle(Settle::HandBack);
    assert_eq!(last.removed, ["charge"]);
    let journal = stored(&stored(&[], &start), &last);
    let mut next = Lease::new(&journal);
    next.want("charge", once()).go_durably();
    assert_eq!(next.seen, ["stored charge", "start charge"]);
}

#[test]
fn a_lease_that_ends_while_the_body_runs_leaves_its_start() {
    let mut lease = Lease::new(&[]);
    lease.want("charge", once()).go();
    let start = lease.run.take_commit().unwrap();
    lease.committed(&start);
    lease.go();
    lease.run.close();
    let last = lease.run.settle(Settle::HandBack);
    let journal = stored(&stored(&[], &start), &last);
    let mut next = Lease::new(&journal);
    next.want("charge", once()).go();
    assert_eq!(next.seen, ["charge interrupted"]);
}

#[test]
fn an_ordinary_step_that_failed_before_is_no_start() {
    let mut lease = Lease::new(&[]);
    lease.want("a", step()).go();
    lease.fail("a");
    lease.go_durably();
    let commit = lease.end_with(Some("a"));
    assert!(!commit.records[0].is_start());
    let mut next = Lease::new(&commit.records);
    next.want("a", once()).go_durably();
    assert_eq!(next.seen, ["stored a", "start a"]);
}
