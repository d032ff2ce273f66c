//! I18, I19: everything comes to rest, and lists and claims keep their order.

use super::*;

#[test]
fn a_run_that_does_not_come_to_rest_is_found() {
    begun().breaks(Invariant::I18, "never came to rest");
}

#[test]
fn a_ready_job_that_is_left_over_is_found() {
    let mut story = Story::default();
    story.enqueue(1).quiet();
    let visible_at = Some(story.now());
    story.dump(Dumped {
        epoch: 0,
        visible_at,
        ..Story::dumped(1, State::Pending)
    });
    story.breaks(Invariant::I18, "it is ready");
}

#[test]
fn a_run_that_heals_slowly_is_found() {
    let mut story = Story::default();
    story.write(0, What::Healing).pass(5_000).quiet();
    let rules = Rules {
        heal_within: Some(Millis(1_000)),
        ..Rules::default()
    };
    story.breaks_by(&rules, Invariant::I18, "it took 5s");
}

#[test]
fn a_row_that_is_listed_twice_is_found() {
    let mut story = finished();
    story
        .dump(with_pay(State::Done))
        .dump(with_pay(State::Done));
    story.breaks(Invariant::I19, "is listed 2 times");
}

#[test]
fn a_claim_out_of_order_is_found() {
    let mut story = Story::default();
    story.enqueue_as(EnqueueCall {
        priority: Priority::new(3),
        ..enqueue_of(1)
    });
    story.enqueue_as(EnqueueCall {
        priority: Priority::new(2),
        ..enqueue_of(2)
    });
    let claim = Call::Claim {
        limit: 2,
        queues: Vec::new(),
        nonce: 1,
    };
    let op = story.invoke(1, claim);
    for n in [1, 2] {
        let lease = Box::new(story.lease_of(n, 1, 1));
        story.write(1, What::Leased { op, lease });
    }
    story.quiet();
    for n in [1, 2] {
        story.dump(Story::dumped(n, State::Suspended));
    }
    let rules = Rules {
        ordered_claims: true,
        ..Rules::default()
    };
    story.breaks_by(&rules, Invariant::I19, "of lower priority");
}

#[test]
fn a_parent_that_is_parked_for_a_child_that_has_ended_is_found() {
    let mut story = begun();
    let child = Recorded {
        child: Some(job(2)),
        ..pending("child", RecordKind::Child)
    };
    story.record(1, 1, 1, child.clone());
    story.enqueue(2);
    let parent = Dumped {
        journal: vec![child],
        visible_at: None,
        ..Story::dumped(1, State::Suspended)
    };
    story
        .quiet()
        .dump(parent)
        .dump(Story::dumped(2, State::Done));
    story.breaks_among_others(Invariant::I18, "which has ended");
}
