//! Steps whose record is stored with what their body wrote.

use super::*;
use crate::core::Undone;

fn tx() -> Ask {
    Ask::Step {
        fingerprint: 7,
        once: false,
        timeout: None,
        tx: true,
    }
}

#[test]
fn the_record_goes_with_the_transaction_and_is_delivered_once_that_is_durable() {
    let mut lease = Lease::new(&[]);
    assert_eq!(lease.want("debit", tx()).go(), Next::Wait { wake_at: None });
    lease.finish("debit");
    assert_eq!(lease.go(), Next::Commit);
    assert_eq!(lease.seen, ["start debit"], "it is not delivered yet");
    let commit = lease.run.take_commit().unwrap();
    assert_eq!(commit.records[0].position, Some(Position(0)));
    assert_eq!(lease.go(), Next::Commit, "it is only on its way");
    lease.committed(&commit);
    lease.go();
    assert_eq!(lease.seen[1..], ["stored debit", "debit done"]);
}

#[test]
fn a_transaction_begins_when_nothing_of_the_run_is_on_its_way() {
    let mut lease = Lease::new(&[]);
    lease.want("nap", sleep()).want("debit", tx());
    assert_eq!(lease.go(), Next::Commit);
    let nap = lease.run.take_commit().unwrap();
    assert_eq!(
        lease.go(),
        Next::Commit,
        "its commit would wait for the body"
    );
    lease.committed(&nap);
    lease.go();
    assert_eq!(lease.seen, ["stored nap", "start debit"]);
}

#[test]
fn nothing_is_stored_beside_a_body_in_its_transaction() {
    let mut lease = Lease::new(&[]);
    lease.want("debit", tx()).want("a", step());
    lease.want_after("a", "b", step()).go();
    lease.finish("a");
    assert_eq!(lease.go(), Next::Wait { wake_at: None });
    assert_eq!(lease.seen, ["start debit", "start a", "a done"]);
    assert!(lease.run.take_commit().is_none());
    lease.finish("debit");
    assert_eq!(lease.go(), Next::Commit);
    let commit = lease.run.take_commit().unwrap();
    assert_eq!(
        names(&commit.records),
        ["a", "debit"],
        "one commit takes both"
    );
    lease.committed(&commit);
    lease.go();
    assert_eq!(lease.seen[4..], ["start b", "debit done"], "in one poll");
}

#[test]
fn nothing_is_delivered_between_the_record_and_its_own_delivery() {
    let mut lease = Lease::new(&[]);
    lease.want("debit", tx()).want("a", step()).go();
    lease.finish("debit");
    assert_eq!(lease.go(), Next::Commit);
    let commit = lease.run.take_commit().unwrap();
    lease.finish("a");
    assert_eq!(lease.go(), Next::Commit);
    lease.committed(&commit);
    lease.go();
    assert_eq!(lease.seen[2..], ["stored debit", "debit done", "a done"]);
}

#[test]
fn a_second_transaction_waits_for_the_first_to_be_delivered() {
    let mut lease = Lease::new(&[]);
    lease.want("debit", tx()).want("credit", tx()).go();
    assert_eq!(lease.seen, ["start debit"]);
    lease.finish("debit");
    lease.go_durably();
    let then = ["stored debit", "debit done", "start credit"];
    assert_eq!(lease.seen[1..], then);
}

#[test]
fn a_body_that_fails_ends_its_transaction_and_is_recorded_as_usual() {
    let mut lease = Lease::new(&[]);
    lease.want("debit", tx()).want("credit", tx()).go();
    lease.fail("debit");
    lease.go_durably();
    let then = ["debit failed", "stored debit", "start credit"];
    assert_eq!(lease.seen[1..], then);
}

#[test]
fn a_transaction_that_was_rolled_back_at_its_end_gives_its_place_back() {
    let mut lease = Lease::new(&[]);
    lease.want("debit", tx()).want("a", step()).go();
    lease.finish("a");
    lease.finish("debit");
    assert_eq!(lease.go(), Next::Commit);
    let commit = lease.run.take_commit().unwrap();
    lease
        .run
        .undone(commit, Undone::Again(NOW.after(Millis(20))));
    let wake_at = Some(NOW.after(Millis(20)));
    assert_eq!(lease.go(), Next::Wait { wake_at });
    let rest = lease.run.take_commit().unwrap();
    assert_eq!(names(&rest.records), ["a"], "what it carried is not lost");
    assert_eq!(rest.base, Some(Position(0)));
    lease.committed(&rest);
    lease.now = NOW.after(Millis(20));
    lease.go();
    assert_eq!(lease.seen.last().unwrap(), "start debit again");
    lease.finish("debit");
    assert_eq!(lease.go(), Next::Commit);
    let again = lease.run.take_commit().unwrap();
    assert_eq!(again.records[0].position, Some(Position(1)));
}

#[test]
fn writes_that_may_not_stand_are_the_failure_of_their_body() {
    let mut lease = Lease::new(&[]);
    lease.want("debit", tx()).go();
    lease.finish("debit");
    lease.go();
    let commit = lease.run.take_commit().unwrap();
    lease.run.undone(commit, Undone::Failed(boom()));
    assert_eq!(
        lease.run.ask("debit", &tx(), false, NOW),
        Asked::Undone(boom())
    );
    lease.fail("debit");
    lease.go_durably();
    assert_eq!(lease.seen[1..], ["debit failed", "stored debit"]);
}

#[test]
fn a_body_that_is_dropped_leaves_its_transaction_to_the_next() {
    let mut lease = Lease::new(&[]);
    lease.want("debit", tx()).want("credit", tx()).go();
    lease.drop_step("debit");
    lease.go();
    assert_eq!(lease.seen, ["start debit", "start credit"]);
    assert!(lease.run.take_commit().is_none());
}

#[test]
fn a_careful_run_gives_out_what_its_transaction_stored_in_the_order_of_positions() {
    let mut lease = Lease::careful(&[]);
    lease.want("debit", tx()).want("z", step()).go();
    lease.finish("z");
    assert_eq!(lease.go(), Next::Wait { wake_at: None });
    lease.finish("debit");
    lease.go_durably();
    assert_eq!(lease.seen[2..], ["stored debit z", "z done", "debit done"]);
}
