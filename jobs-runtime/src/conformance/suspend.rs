//! Suspension: a parked run holds no worker, costs no attempt, and misses nothing.

use super::shapes::{JobShape, sleep, wait};
use super::{Failure, Result, Subject};
use crate::core::{CommitAnswer, Millis, Settle, State};

case!(a_parked_run_comes_back_at_its_instant);
async fn a_parked_run_comes_back_at_its_instant(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail").attempts(1)).await?;
    let until = s.now().after(Millis(3 * 24 * 3_600_000));
    let nap = sleep("nap", s.now(), until);
    s.apply(&holder.park(vec![nap], Some(until))).await?;
    let job = s.expect_state(holder.id(), State::Suspended).await?;
    check_eq!(job.head.visible_at, Some(until));
    s.advance_to(crate::core::Timestamp(until.0 - 1));
    s.claim_nothing().await?;
    s.advance_to(until);
    let next = s.claim_one().await?;
    let head = &next.claimed.job.head;
    check_eq!(
        (head.attempt, head.lease_losses, head.token.epoch),
        (1, 0, 2)
    );
    Ok(())
}

case!(b37_sleeps_of_any_length_end_when_they_are_due);
async fn b37_sleeps_of_any_length_end_when_they_are_due(s: Subject) -> Result {
    let secs = [59, 60, 61, 3600, 86_400, 366 * 86_400, 99_999_999];
    for span in secs.map(Millis::secs) {
        let mut holder = s.start(&s.job("mail")).await?;
        let until = s.now().after(span);
        s.apply(&holder.park(Vec::new(), Some(until))).await?;
        s.advance(Millis(span.0 - 1));
        s.claim_nothing().await?;
        s.advance(Millis(1));
        let mut holder = s.claim_one().await?;
        s.apply(&holder.ack("1")).await?;
    }
    Ok(())
}

case!(b37_a_sleep_to_the_end_of_time_never_ends);
async fn b37_a_sleep_to_the_end_of_time_never_ends(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let until = s.now().after(Millis(u64::MAX));
    s.apply(&holder.park(Vec::new(), Some(until))).await?;
    s.advance(Millis::secs(10_000_000_000));
    s.claim_nothing().await?;
    check_eq!(s.row(holder.id()).await?.head.visible_at, Some(until));
    Ok(())
}

case!(d16_a_sleep_that_ended_while_nobody_ran_goes_on_later);
async fn d16_a_sleep_that_ended_while_nobody_ran_goes_on_later(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let until = s.now().after(Millis(1000));
    s.apply(&holder.park(vec![sleep("nap", s.now(), until)], Some(until)))
        .await?;
    s.advance(Millis::secs(1_000_000));
    let next = s.claim_one().await?;
    check_eq!(next.claimed.journal[0].wake_at, Some(until));
    Ok(())
}

case!(a_run_parked_for_ever_is_never_claimed);
async fn a_run_parked_for_ever_is_never_claimed(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    s.apply(&holder.park(Vec::new(), None)).await?;
    s.advance(Millis::secs(1_000_000_000));
    s.claim_nothing().await?;
    check_eq!(s.stats_of("default").await?.suspended, 1);
    Ok(())
}

case!(a_park_that_missed_an_event_is_nudged_and_changes_nothing);
async fn a_park_that_missed_an_event_is_nudged_and_changes_nothing(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let paid = wait("paid", "paid", None, s.now());
    s.apply(&holder.steps(vec![paid])).await?;
    // Between the worker's last look and its park.
    s.publish(&s.event("paid")).await?;
    let before = s.view(holder.id()).await?;
    let nap = sleep("nap", s.now(), s.now());
    let answer = s.commit(&holder.park(vec![nap.clone()], None)).await?;
    let CommitAnswer::Nudged(nudge) = answer else {
        return Err(Failure::here(format!("not nudged: {answer:?}")));
    };
    check_eq!(nudge.inbox.len(), 1);
    let after = s.view(holder.id()).await?;
    check_eq!(after.job, before.job);
    check_eq!(after.journal, before.journal);
    // Having looked, it may park: the number of the refused commit is still free.
    holder.take_back();
    holder.seen_nudge = nudge.count;
    s.apply(&holder.park(vec![nap], None)).await?;
    s.expect_state(holder.id(), State::Suspended).await?;
    Ok(())
}

case!(only_a_park_is_held_up_by_news);
async fn only_a_park_is_held_up_by_news(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let paid = wait("paid", "paid", None, s.now());
    s.apply(&holder.steps(vec![paid])).await?;
    s.publish(&s.event("paid")).await?;
    let step = holder.step("one", "1");
    s.apply(&holder.steps(vec![step])).await?;
    s.apply(&holder.settle(Settle::HandBack)).await?;
    let mut holder = s.claim_one().await?;
    check_eq!(holder.inbox().len(), 1, "the event is still there");
    s.apply(&holder.ack("1")).await?;
    Ok(())
}

case!(an_event_wakes_a_sleeper_before_its_deadline);
async fn an_event_wakes_a_sleeper_before_its_deadline(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let deadline = s.now().after(Millis(60_000));
    let paid = wait("paid", "paid", None, s.now());
    s.apply(&holder.park(vec![paid], Some(deadline))).await?;
    s.advance(Millis(10));
    s.publish(&s.event("paid")).await?;
    check_eq!(s.row(holder.id()).await?.head.visible_at, Some(s.now()));
    s.claim_one().await?;
    Ok(())
}

case!(an_event_does_not_put_off_a_run_that_is_already_due);
async fn an_event_does_not_put_off_a_run_that_is_already_due(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let due = s.now().after(Millis(10));
    let paid = wait("paid", "paid", None, s.now());
    s.apply(&holder.park(vec![paid], Some(due))).await?;
    s.advance(Millis(1000));
    s.publish(&s.event("paid")).await?;
    check_eq!(s.row(holder.id()).await?.head.visible_at, Some(due));
    Ok(())
}

case!(a_fifty_times_parked_run_is_on_its_first_attempt);
async fn a_fifty_times_parked_run_is_on_its_first_attempt(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail").attempts(1)).await?;
    for _ in 0..50 {
        let until = s.now().after(Millis(100));
        s.apply(&holder.park(Vec::new(), Some(until))).await?;
        s.advance_to(until);
        holder = s.claim_one().await?;
    }
    check_eq!(holder.claimed.job.head.attempt, 1);
    check_eq!(holder.claimed.job.head.token.epoch, 51);
    Ok(())
}
