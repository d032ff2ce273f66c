//! Right histories that the checker once took for wrong ones, cut down to what misled it. Where each
//! came from is told in the book, on the page "How it was broken".

use super::story::{Story, done, enqueue_of, event, pending, token, told, wait};
use jobs_runtime::core::{CommitNumber, Millis, Position, RecordKind, State};
use jobs_runtime::torture::check::{Rules, check};
use jobs_runtime::torture::history::{
    Answer, Call, CommitCall, Dumped, Ended, EnqueueCall, Leased, Recorded, Settled, What,
};

const ACK: Settled = Settled::Ack { output: 1 };
const PARK: Settled = Settled::Suspend { wake_at: None };

fn keyed(n: u128) -> EnqueueCall {
    EnqueueCall {
        key: Some("told/one".into()),
        ..enqueue_of(n)
    }
}

#[test]
fn a_commit_that_is_sent_again_after_one_of_an_earlier_lease_is_one_commit() {
    let mut story = Story::default();
    story.enqueue_as(keyed(1));
    for epoch in [1, 2] {
        let lease = story.lease_of(1, epoch, 1);
        story.lease(1, lease).pass(20_000);
    }
    let ends = CommitCall {
        settle: Some(ACK),
        ..Story::commit_of(1, 2, 1)
    };
    let op = story.invoke(1, Call::Commit(Box::new(ends.clone())));
    story.write(
        1,
        What::Unknown {
            op,
            code: "X_OUTCOME_UNKNOWN".into(),
        },
    );
    // It was stored, so the key is free.
    story.enqueue_as(keyed(2));
    let lease = story.lease_of(2, 1, 1);
    story.lease(2, lease);
    let late = CommitCall {
        lease: Some(CommitNumber {
            token: token(1),
            number: 1,
        }),
        records: vec![done("pay", 0)],
        ..Story::commit_of(1, 1, 1)
    };
    story.call(1, Call::Commit(Box::new(late)), Answer::LeaseLost);
    story.commit(1, ends).settle(2, 1, 1, ACK).quiet();
    for n in [1, 2] {
        let key = Some("told/one".into());
        story.dump(Dumped {
            key,
            epoch: u64::from(n == 1) + 1,
            ..Story::dumped(n, State::Done)
        });
    }
    story.is_clean();
}

#[test]
fn a_run_is_not_woken_for_an_event_that_it_does_not_wait_for_yet() {
    let mut story = Story::default();
    story.enqueue(1).publish(7).pass(1);
    let lease = story.lease_of(1, 1, 1);
    story
        .lease(1, lease)
        .record(1, 1, 1, pending("nap", RecordKind::Sleep))
        .settle(1, 1, 2, PARK)
        .pass(60_000);
    let lease = Leased {
        journal: vec![pending("nap", RecordKind::Sleep)],
        ..story.lease_of(1, 2, 1)
    };
    let slept = Recorded {
        position: Some(Position(0)),
        ended: Some(Ended::Done),
        ..pending("nap", RecordKind::Sleep)
    };
    let served = Recorded {
        position: Some(Position(1)),
        ended: Some(Ended::Done),
        event: Some(event(7)),
        ..wait("paid?")
    };
    story
        .lease(1, lease)
        .record(1, 2, 1, slept.clone())
        .record(1, 2, 2, wait("paid?"))
        .record(1, 2, 3, served.clone())
        .settle(1, 2, 4, ACK)
        .quiet()
        .dump(Dumped {
            epoch: 2,
            journal: vec![slept, served],
            ..Story::dumped(1, State::Done)
        });
    let rules = Rules {
        wake_within: Some(Millis(1_000)),
        ..Rules::default()
    };
    let report = check(&story.entries, &rules);
    assert!(report.violations.is_empty(), "{}", told(&report));
}
