//! I12: no more at once than a limit says.

use super::*;

#[test]
fn more_at_once_than_a_limit_says_is_found() {
    let mut story = Story::default();
    for n in [1, 2] {
        story.enqueue_as(EnqueueCall {
            tenant: Some("acme".into()),
            ..enqueue_of(n)
        });
        let lease = Leased {
            tenant: Some("acme".into()),
            ..story.lease_of(n, 1, 1)
        };
        story.lease(1, lease);
    }
    story
        .settle(1, 1, 1, ACK)
        .settle(2, 1, 1, ACK)
        .pass(1)
        .quiet();
    for n in [1, 2] {
        story.dump(Dumped {
            tenant: Some("acme".into()),
            ..Story::dumped(n, State::Done)
        });
    }
    // Both were given and settled in one millisecond: whether at once, nobody can say.
    let rules = Rules {
        limits: vec![Limit {
            of: LimitOf::EachTenant,
            most: 1,
        }],
        ..Rules::default()
    };
    assert!(check(&story.entries, &rules).violations.is_empty());

    let mut story = Story::default();
    for n in [1, 2] {
        story.enqueue_as(EnqueueCall {
            tenant: Some("acme".into()),
            ..enqueue_of(n)
        });
        let lease = Leased {
            tenant: Some("acme".into()),
            ..story.lease_of(n, 1, 1)
        };
        story.lease(1, lease).pass(10);
    }
    story.settle(1, 1, 1, ACK).settle(2, 1, 1, ACK).quiet();
    for n in [1, 2] {
        story.dump(Dumped {
            tenant: Some("acme".into()),
            ..Story::dumped(n, State::Done)
        });
    }
    story.breaks_by(&rules, Invariant::I12, "2 jobs of \"acme\" ran at");
}
