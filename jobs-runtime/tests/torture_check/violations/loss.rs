//! I1: what was acknowledged is not lost, and nothing is there that nobody asked for.

use super::*;

#[test]
fn an_acknowledged_job_that_is_gone_is_found() {
    finished().breaks(Invariant::I1, "is not in the store");
}

#[test]
fn a_pruned_job_is_not_missed() {
    let mut story = finished();
    let later = story.now().after(Millis(5));
    story.prune(Some(later)).is_clean();
}

/// So many jobs of one name end one after the other, and a rule keeps the last one; then the store
/// has the jobs from `from` on.
fn ended_and_kept(count: u128, from: u128, keep: u64, spared: u64) -> Story {
    let mut story = Story::default();
    for n in 1..=count {
        let lease = story.enqueue(n).pass(1).lease_of(n, 1, 1);
        story.lease(1, lease).settle(n, 1, 1, ACK).pass(1);
    }
    let rule = EndedRule {
        name: None,
        state: State::Done,
        before: None,
        keep: Some(keep),
    };
    story.prune_by(None, vec![rule], Millis(spared)).quiet();
    for n in from..=count {
        story.dump(Story::dumped(n, State::Done));
    }
    story
}

#[test]
fn a_job_after_which_enough_others_ended_is_not_missed() {
    ended_and_kept(3, 2, 2, 0).is_clean();
}

#[test]
fn a_job_that_a_rule_keeps_and_that_is_gone_is_found() {
    ended_and_kept(3, 3, 2, 0).breaks(Invariant::I1, "is not in the store");
}

#[test]
fn a_job_that_had_just_ended_and_is_gone_is_found() {
    ended_and_kept(3, 2, 2, 60_000).breaks(Invariant::I1, "is not in the store");
}

#[test]
fn a_job_that_nobody_enqueued_is_found() {
    let mut story = finished();
    story.dump(with_pay(State::Done)).dump(Dumped {
        epoch: 0,
        ..Story::dumped(2, State::Done)
    });
    story.breaks(Invariant::I1, "nobody enqueued it");
}

#[test]
fn a_job_that_was_refused_and_is_there_is_found() {
    let mut story = Story::default();
    let call = Call::Enqueue(Box::new(enqueue_of(1)));
    let op = story.invoke(9, call);
    story.write(
        9,
        What::Fail {
            op,
            code: "X_DRIVER_UNAVAILABLE".into(),
        },
    );
    story.quiet().dump(Dumped {
        epoch: 0,
        ..Story::dumped(1, State::Pending)
    });
    story.breaks(Invariant::I1, "every enqueue of it was refused");
}

#[test]
fn a_job_whose_enqueue_is_open_may_be_there_or_not() {
    let mut story = Story::default();
    story.invoke(9, Call::Enqueue(Box::new(enqueue_of(1))));
    story.quiet().is_clean();
    story
        .dump(Dumped {
            epoch: 0,
            ..Story::dumped(1, State::Pending)
        })
        .is_clean();
}

#[test]
fn a_job_without_its_input_is_found() {
    let mut story = finished();
    story.dump(Dumped {
        input: 0,
        ..with_pay(State::Done)
    });
    story.breaks(Invariant::I1, "another input than was enqueued");
}

/// A job that two versions of one schedule asked for, the first with the input 9, the second with 8.
fn of_two_templates(tick: Option<Tick>) -> Story {
    let mut story = Story::default();
    for input in [9, 8] {
        story.enqueue_as(EnqueueCall {
            tick: tick.clone(),
            input,
            ..enqueue_of(1)
        });
    }
    story.quiet().dump(Dumped {
        epoch: 0,
        tick,
        input: 8,
        ..Story::dumped(1, State::Pending)
    });
    story
}

#[test]
fn a_tick_may_be_made_from_either_version_of_its_schedule() {
    of_two_templates(Some(tick("nightly", 60))).is_clean();
}

#[test]
fn a_job_that_is_no_tick_keeps_its_first_input() {
    of_two_templates(None).breaks(Invariant::I1, "another input than was enqueued");
}

#[test]
fn a_job_that_ends_twice_is_found() {
    let mut story = begun();
    story
        .settle(1, 1, 1, ACK)
        .settle(1, 1, 2, Settled::Fail)
        .quiet();
    story.dump(Story::dumped(1, State::Failed));
    story.breaks(Invariant::I1, "ended 2 times");
}

#[test]
fn an_acknowledged_end_that_is_undone_is_found() {
    let mut story = finished();
    story.dump(with_pay(State::Pending));
    story.breaks(Invariant::I1, "was acknowledged as done, and is pending");
}

#[test]
fn a_job_that_was_over_and_pruned_before_its_enqueue_was_answered_is_no_loss() {
    let mut story = Story::default();
    let op = story.invoke(9, Call::Enqueue(Box::new(enqueue_of(1))));
    let lease = story.lease_of(1, 1, 1);
    story.pass(1).lease(1, lease).settle(1, 1, 1, ACK);
    story.pass(100);
    let ended_before = story.now();
    // The client was stopped for so long.
    let answer = Answer::Enqueued {
        job: job(1),
        deduped: false,
        input_differs: false,
    };
    story.pass(100).write(9, What::Ok { op, answer });
    let bounds = Bounds {
        ended_before,
        events_expired_before: Timestamp(0),
        dead_before: None,
        rules: Vec::new(),
        spared: Millis(0),
    };
    let answer = Answer::Pruned {
        jobs: 1,
        dead_letters: 0,
        events: 0,
    };
    story
        .call(9, Call::Prune(bounds), answer)
        .quiet()
        .is_clean();
}
