//! I9: one job a tick.

use super::*;

#[test]
fn two_jobs_of_one_tick_are_found() {
    let mut story = Story::default();
    for n in [1, 2] {
        story.enqueue_as(EnqueueCall {
            tick: Some(tick("nightly", 60)),
            ..enqueue_of(n)
        });
    }
    story.quiet();
    for n in [1, 2] {
        let tick = Some(tick("nightly", 60));
        story.dump(Dumped {
            epoch: 0,
            tick,
            ..Story::dumped(n, State::Suspended)
        });
    }
    story.breaks(Invariant::I9, "has two jobs");
}

/// Ticks of a schedule that has one each minute, each with its job.
fn minutely(ticks: &[i64]) -> Story {
    let mut story = Story::default();
    for (n, minute) in (1..).zip(ticks) {
        story.enqueue_as(EnqueueCall {
            tick: Some(tick("minutely", minute * 60_000)),
            ..enqueue_of(n)
        });
    }
    story.quiet();
    for (n, minute) in (1..).zip(ticks) {
        story.dump(Dumped {
            epoch: 0,
            tick: Some(tick("minutely", minute * 60_000)),
            ..Story::dumped(n, State::Suspended)
        });
    }
    story
}

#[test]
fn a_tick_that_was_passed_over_is_found_where_each_is_to_be_made() {
    let rules = Rules {
        every_tick: [("minutely".into(), Millis::secs(60))].into(),
        ..Rules::default()
    };
    let words = "the tick of \"minutely\" after";
    minutely(&[1, 2, 4]).breaks_by(&rules, Invariant::I9, words);
    minutely(&[1, 2, 4]).is_clean();
    let report = check(&minutely(&[3, 2, 1]).entries, &rules);
    assert!(report.violations.is_empty(), "{}", told(&report));
}
