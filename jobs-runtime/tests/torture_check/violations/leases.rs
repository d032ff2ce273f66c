//! I4: one lease at a time, and no write without one.

use super::*;

#[test]
fn two_leases_at_one_time_are_found() {
    let mut story = begun();
    story.pass(LEASE.0 / 2);
    let lease = Leased {
        lease_losses: 1,
        ..story.lease_of(1, 2, 2)
    };
    story.lease(2, lease).quiet();
    story.dump(Dumped {
        attempt: 2,
        epoch: 2,
        ..Story::dumped(1, State::Suspended)
    });
    story.breaks(Invariant::I4, "was leased again at");
}

#[test]
fn a_lease_that_heartbeats_have_extended_counts_to_its_new_end() {
    let mut story = begun();
    let (now, timeout) = (story.now(), LEASE);
    let beat = Call::Beat {
        job: job(1),
        token: token(1),
        timeout,
    };
    let until = now.after(Millis(3 * LEASE.0));
    story.call(
        1,
        beat,
        Answer::Held {
            until,
            cancel_requested: false,
        },
    );
    story.pass(2 * LEASE.0);
    let lease = Leased {
        lease_losses: 1,
        ..story.lease_of(1, 2, 2)
    };
    story.lease(2, lease).quiet();
    story.dump(Dumped {
        attempt: 2,
        epoch: 2,
        ..Story::dumped(1, State::Suspended)
    });
    story.breaks(Invariant::I4, "was leased again at");
}

#[test]
fn one_lease_that_is_given_twice_is_found() {
    let mut story = begun();
    let lease = story.lease_of(1, 1, 1);
    story.lease(2, lease).quiet();
    story.dump(Story::dumped(1, State::Suspended));
    story.breaks(Invariant::I4, "was leased twice");
}

/// A lease that is given again under another nonce, with a fault in between or without.
fn given_again(fault: bool) -> Story {
    let mut story = begun();
    if fault {
        let name = || "disturbed".to_owned();
        story.write(0, What::FaultBegin(name()));
        story.pass(1).write(0, What::FaultEnd(name()));
    }
    let mut lease = story.lease_of(1, 1, 1);
    lease.token.nonce += 1;
    story.lease(2, lease).quiet();
    story.dump(Story::dumped(1, State::Suspended));
    story
}

#[test]
fn a_store_that_may_lose_claims_loses_them_in_a_crash_and_not_otherwise() {
    let rules = Rules {
        claims_may_be_lost: true,
        ..Rules::default()
    };
    given_again(false).breaks_by(&rules, Invariant::I4, "was leased twice");
    given_again(true).breaks(Invariant::I4, "was leased twice");
    given_again(true).is_clean_by(&rules);
}

/// Another lease was given, and the first one's holder goes on.
fn taken_over() -> Story {
    let mut story = begun();
    story.pass(2 * LEASE.0);
    let lease = Leased {
        lease_losses: 1,
        ..story.lease_of(1, 2, 2)
    };
    story.lease(2, lease);
    story
}

#[test]
fn a_late_write_that_is_taken_is_found() {
    let mut story = taken_over();
    story.record(1, 1, 1, done("pay", 0)).quiet();
    let dumped = Dumped {
        attempt: 2,
        epoch: 2,
        ..with_pay(State::Suspended)
    };
    story
        .dump(dumped)
        .breaks(Invariant::I4, "lease 2 was given before");
}

#[test]
fn a_late_heartbeat_that_is_taken_is_found() {
    let mut story = taken_over();
    let beat = Call::Beat {
        job: job(1),
        token: token(1),
        timeout: LEASE,
    };
    let until = story.now();
    story
        .call(
            1,
            beat,
            Answer::Held {
                until,
                cancel_requested: false,
            },
        )
        .quiet();
    story.dump(Dumped {
        attempt: 2,
        epoch: 2,
        ..Story::dumped(1, State::Suspended)
    });
    let report = story.report();
    assert!(
        told(&report).contains("was extended, and lease 2 was given before"),
        "{}",
        told(&report)
    );
}

#[test]
fn a_second_answer_to_a_write_that_was_sent_before_is_no_finding() {
    let mut story = begun();
    let records = vec![done("pay", 0)];
    let call = CommitCall {
        records,
        ..Story::commit_of(1, 1, 1)
    };
    let op = story.invoke(1, Call::Commit(Box::new(call.clone())));
    story.write(
        1,
        What::Unknown {
            op,
            code: "X_OUTCOME_UNKNOWN".into(),
        },
    );
    story.pass(2 * LEASE.0);
    let journal = vec![done("pay", 0)];
    let lease = Leased {
        lease_losses: 1,
        journal,
        ..story.lease_of(1, 2, 2)
    };
    story.lease(2, lease).commit(1, call).quiet();
    let dumped = Dumped {
        attempt: 2,
        epoch: 2,
        ..with_pay(State::Suspended)
    };
    story.dump(dumped).is_clean();
}

#[test]
fn a_write_of_somebody_without_a_lease_is_found() {
    let mut story = begun();
    let call = Story::commit_of(1, 1, 1);
    story
        .commit(
            2,
            CommitCall {
                settle: Some(ACK),
                ..call
            },
        )
        .quiet();
    story.dump(Story::dumped(1, State::Done));
    story.breaks(Invariant::I4, "by a process that did not lease it");
}

#[test]
fn two_writes_of_one_number_are_found() {
    let mut story = begun();
    story
        .record(1, 1, 1, done("pay", 0))
        .record(1, 1, 1, done("ship", 1))
        .quiet();
    let journal = vec![done("pay", 0), done("ship", 1)];
    story.dump(Dumped {
        journal,
        ..Story::dumped(1, State::Suspended)
    });
    story.breaks(Invariant::I4, "had one number");
}

#[test]
fn an_effect_under_a_lease_that_is_known_to_be_over_is_found() {
    let mut story = taken_over();
    let beat = Call::Beat {
        job: job(1),
        token: token(1),
        timeout: LEASE,
    };
    story
        .call(1, beat, Answer::LeaseLost)
        .pass(1)
        .effect(1, 1, "pay", 1)
        .quiet();
    story.dump(Dumped {
        attempt: 2,
        epoch: 2,
        ..Story::dumped(1, State::Suspended)
    });
    story.breaks(Invariant::I4, "known to be over");
}
