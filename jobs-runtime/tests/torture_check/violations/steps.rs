//! I2, I3: a recorded step is done once, and an effect is repeated only for a reason.

use super::*;

#[test]
fn a_recorded_step_that_is_done_again_is_found() {
    let mut story = begun();
    story
        .effect(1, 1, "pay", 1)
        .record(1, 1, 1, done("pay", 0))
        .pass(1);
    story.settle(1, 1, 2, RETRY).pass(1);
    let lease = Leased {
        journal: vec![done("pay", 0)],
        ..story.lease_of(1, 2, 2)
    };
    story.lease(1, lease).effect(1, 1, "pay", 2);
    story.settle(1, 2, 1, ACK).quiet();
    story.dump(Dumped {
        attempt: 2,
        epoch: 2,
        ..with_pay(State::Done)
    });
    story.breaks(Invariant::I2, "was recorded, and was done again");
}

#[test]
fn a_step_that_a_person_asked_for_again_may_be_done_again() {
    let mut story = begun();
    story.effect(1, 1, "pay", 1).record(1, 1, 1, done("pay", 0));
    story.settle(1, 1, 2, ACK).pass(1);
    let requeue = CommitCall {
        lease: None,
        removed: vec!["pay".into()],
        settle: Some(Settled::Requeue),
        ..Story::commit_of(1, 0, 0)
    };
    story.commit(9, requeue).pass(1);
    let lease = story.lease_of(1, 2, 1);
    story.lease(1, lease).effect(1, 1, "pay", 1);
    story
        .record(1, 2, 1, done("pay", 0))
        .settle(1, 2, 2, ACK)
        .quiet();
    story
        .dump(Dumped {
            epoch: 2,
            ..with_pay(State::Done)
        })
        .is_clean();
}

#[test]
fn a_recorded_step_that_is_forgotten_is_found() {
    let mut story = finished();
    story.dump(Story::dumped(1, State::Done));
    story.breaks(Invariant::I2, "is forgotten");
}

#[test]
fn a_step_with_two_results_is_found() {
    let mut story = finished();
    let other = Recorded {
        hash: 6,
        ..done("pay", 0)
    };
    story.dump(Dumped {
        journal: vec![other],
        ..Story::dumped(1, State::Done)
    });
    story.breaks(Invariant::I2, "with two results");
}

#[test]
fn two_steps_at_one_position_are_found() {
    let mut story = finished();
    let journal = vec![done("pay", 0), done("ship", 0)];
    story.dump(Dumped {
        journal,
        ..Story::dumped(1, State::Done)
    });
    story.breaks(Invariant::I2, "one step or position twice");
}

#[test]
fn a_refused_record_that_is_there_is_found() {
    let mut story = begun();
    let records = vec![done("pay", 0)];
    let call = CommitCall {
        records,
        ..Story::commit_of(1, 1, 1)
    };
    story
        .call(1, Call::Commit(Box::new(call)), Answer::LeaseLost)
        .pass(LEASE.0);
    let journal = vec![done("pay", 0)];
    let lease = Leased {
        lease_losses: 1,
        journal,
        ..story.lease_of(1, 2, 2)
    };
    story.lease(2, lease).quiet();
    let dumped = Dumped {
        attempt: 2,
        epoch: 2,
        ..with_pay(State::Suspended)
    };
    story
        .dump(dumped)
        .breaks(Invariant::I2, "every write of it was refused");
}

#[test]
fn a_worker_that_takes_a_recorded_result_back_is_found() {
    let mut story = begun();
    story.record(1, 1, 1, done("pay", 0));
    let back = CommitCall {
        removed: vec!["pay".into()],
        settle: Some(Settled::HandBack),
        ..Story::commit_of(1, 1, 2)
    };
    story.commit(1, back);
    story.breaks_among_others(Invariant::I2, "took it back");
}

#[test]
fn an_effect_that_is_repeated_without_a_cause_is_found() {
    let mut story = begun();
    story.effect(1, 1, "pay", 1).effect(1, 1, "pay", 1);
    story
        .record(1, 1, 1, done("pay", 0))
        .settle(1, 1, 2, ACK)
        .quiet();
    story.dump(with_pay(State::Done));
    story.breaks(Invariant::I3, "within one lease");
}

#[test]
fn an_effect_that_is_repeated_after_a_rest_is_found() {
    let mut story = begun();
    story.effect(1, 1, "pay", 1).settle(1, 1, 1, PARK).pass(1);
    let lease = story.lease_of(1, 2, 1);
    story.lease(1, lease).effect(1, 1, "pay", 1);
    story
        .record(1, 2, 1, done("pay", 0))
        .settle(1, 2, 2, ACK)
        .quiet();
    story.dump(Dumped {
        epoch: 2,
        ..with_pay(State::Done)
    });
    story.breaks(Invariant::I3, "after a rest");
}

#[test]
fn an_effect_whose_lease_was_lost_may_be_repeated() {
    let mut story = begun();
    story
        .effect(1, 1, "pay", 1)
        .write(0, What::Killed(life(1)))
        .pass(LEASE.0);
    let lease = Leased {
        lease_losses: 1,
        ..story.lease_of(1, 2, 2)
    };
    story.lease(2, lease).effect(2, 1, "pay", 2);
    let call = Story::commit_of(1, 2, 1);
    story.commit(
        2,
        CommitCall {
            records: vec![done("pay", 0)],
            settle: Some(ACK),
            ..call
        },
    );
    let dumped = Dumped {
        attempt: 2,
        epoch: 2,
        ..with_pay(State::Done)
    };
    story.quiet().dump(dumped).is_clean();
    let shown = story.report().coverage;
    assert_eq!(
        (shown.effects_again, shown.lease_losses, shown.kills),
        (1, 1, 1)
    );
}
