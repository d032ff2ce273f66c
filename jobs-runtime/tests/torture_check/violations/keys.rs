//! I8: one live job a key.

use super::*;

fn keyed(n: u128) -> EnqueueCall {
    EnqueueCall {
        key: Some("told/a".into()),
        ..enqueue_of(n)
    }
}

fn keyed_dump(n: u128, state: State) -> Dumped {
    Dumped {
        key: Some("told/a".into()),
        epoch: 0,
        ..Story::dumped(n, state)
    }
}

#[test]
fn two_live_jobs_of_one_key_are_found() {
    let mut story = Story::default();
    story.enqueue_as(keyed(1)).enqueue_as(keyed(2)).quiet();
    let later = Some(story.now().after(Millis(1)));
    for n in [1, 2] {
        story.dump(Dumped {
            visible_at: later,
            ..keyed_dump(n, State::Pending)
        });
    }
    story.breaks(Invariant::I8, "were live under one key");
}

#[test]
fn a_job_that_follows_the_holder_of_its_key_is_no_finding() {
    let mut story = Story::default();
    let on_conflict = OnConflict::Replace.into();
    story
        .enqueue_as(keyed(1))
        .enqueue_as(EnqueueCall {
            on_conflict,
            ..keyed(2)
        })
        .quiet();
    story.dump(Dumped {
        epoch: 0,
        ..keyed_dump(1, State::Suspended)
    });
    let visible_at = Some(Timestamp(i64::MAX));
    story
        .dump(Dumped {
            visible_at,
            ..keyed_dump(2, State::Pending)
        })
        .is_clean();
}

#[test]
fn a_commit_sent_again_after_one_of_an_older_lease_is_no_second_life() {
    let mut story = Story::default();
    let late = Leased {
        lease_losses: 1,
        ..story.lease_of(1, 2, 2)
    };
    story.enqueue_as(keyed(1));
    story.lease(1, story.lease_of(1, 1, 1)).pass(2_000);
    let (from, until) = (story.now(), story.now().after(LEASE));
    story.lease(
        1,
        Leased {
            from,
            until,
            ..late
        },
    );
    let goes_on = CommitCall {
        settle: Some(Settled::Continue { next: job(2) }),
        ..Story::commit_of(1, 2, 1)
    };
    let next = |op| EnqueueCall {
        within: Some(op),
        ..keyed(2)
    };
    let code = String::from("lost");
    let op = story.invoke(1, Call::Commit(Box::new(goes_on.clone())));
    let carried = story.invoke(1, Call::Enqueue(Box::new(next(op))));
    for op in [op, carried] {
        let code = code.clone();
        story.write(1, What::Unknown { op, code });
    }
    let old = Call::Commit(Box::new(Story::commit_of(1, 1, 1)));
    story.call(1, old, Answer::LeaseLost);
    story.lease(1, story.lease_of(2, 1, 1));
    let op = story.invoke(1, Call::Commit(Box::new(goes_on)));
    let carried = story.invoke(1, Call::Enqueue(Box::new(next(op))));
    let answer = Answer::Applied;
    story.write(1, What::Ok { op, answer });
    let (op, answer) = (carried, Answer::Carried);
    story.write(1, What::Ok { op, answer }).quiet();
    story.dump(Dumped {
        epoch: 2,
        attempt: 2,
        lease_losses: 1,
        ..keyed_dump(1, State::Done)
    });
    story
        .dump(Dumped {
            epoch: 1,
            ..keyed_dump(2, State::Suspended)
        })
        .is_clean();
}

#[test]
fn an_answer_with_a_holder_of_another_key_is_found() {
    let mut story = Story::default();
    story.enqueue(1);
    let answer = Answer::Enqueued {
        job: job(1),
        deduped: true,
        input_differs: false,
    };
    story
        .call(9, Call::Enqueue(Box::new(keyed(2))), answer)
        .quiet();
    story.dump(Dumped {
        epoch: 0,
        ..Story::dumped(1, State::Suspended)
    });
    story.breaks(Invariant::I8, "of another key");
}

#[test]
fn another_input_than_that_of_a_holder_which_is_gone_cannot_be_reported() {
    let mut story = Story::default();
    let lease = story.enqueue_as(keyed(1)).pass(1).lease_of(1, 1, 1);
    story.lease(1, lease).settle(1, 1, 1, ACK).pass(1);
    let rule = EndedRule {
        name: None,
        state: State::Done,
        before: None,
        keep: Some(0),
    };
    story.prune_by(None, vec![rule], Millis(0)).pass(1);
    unreported(&mut story);
    story.keeps(Invariant::I8);
}

#[test]
fn another_input_that_is_not_reported_is_found() {
    let mut story = Story::default();
    story.enqueue_as(keyed(1));
    unreported(&mut story);
    story.dump(keyed_dump(1, State::Suspended));
    story.breaks(Invariant::I8, "told wrongly");
}

/// Another input under the key of job 1, whose answer does not say that it is another.
fn unreported(story: &mut Story) {
    let answer = Answer::Enqueued {
        job: job(1),
        deduped: true,
        input_differs: false,
    };
    let call = EnqueueCall {
        input: 10,
        ..keyed(2)
    };
    story.call(9, Call::Enqueue(Box::new(call)), answer).quiet();
}
