//! Leases: how long they last, what their loss means, and what a heartbeat does.

use super::shapes::JobShape;
use super::subject::LEASE;
use super::{Failure, Result, Subject};
use crate::contract::BeatAnswer;
use crate::core::{Millis, NewJob, Settle, State};

case!(an_expired_lease_is_the_next_attempt);
async fn an_expired_lease_is_the_next_attempt(s: Subject) -> Result {
    let lost = s.start(&s.job("mail")).await?;
    s.advance_to(lost.until());
    let next = s.claim_one().await?;
    let head = &next.claimed.job.head;
    check_eq!(next.id(), lost.id());
    check_eq!(
        (head.attempt, head.lease_losses, head.token.epoch),
        (2, 1, 2)
    );
    Ok(())
}

case!(a_lease_lasts_to_its_very_end);
async fn a_lease_lasts_to_its_very_end(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    s.advance(Millis(LEASE.0 - 1));
    s.claim_nothing().await?;
    s.apply(&holder.steps(Vec::new())).await?;
    s.advance(Millis(1));
    s.claim_one().await?;
    Ok(())
}

case!(a_heartbeat_makes_a_lease_longer);
async fn a_heartbeat_makes_a_lease_longer(s: Subject) -> Result {
    let holder = s.start(&s.job("mail")).await?;
    s.advance(Millis(20_000));
    let until = s.now().after(Millis(15_000));
    match s.beat(&holder, Millis(15_000)).await? {
        BeatAnswer::Held {
            until: end,
            nudge: None,
            cancel_requested: false,
        } => check_eq!(end, until),
        other => return Err(Failure::here(format!("not held: {other:?}"))),
    }
    s.advance(Millis(14_999));
    s.claim_nothing().await?;
    s.advance(Millis(1));
    s.claim_one().await?;
    Ok(())
}

case!(q02_five_leases_with_heartbeats_are_one_attempt);
async fn q02_five_leases_with_heartbeats_are_one_attempt(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    for _ in 0..15 {
        s.advance(Millis(LEASE.0 / 3));
        let answer = s.beat(&holder, LEASE).await?;
        check!(matches!(answer, BeatAnswer::Held { .. }), "{answer:?}");
        s.claim_nothing().await?;
    }
    s.apply(&holder.ack("1")).await?;
    let job = s.expect_state(holder.id(), State::Done).await?;
    check_eq!((job.head.attempt, job.head.lease_losses), (1, 0));
    Ok(())
}

case!(a_lease_that_ran_out_is_not_made_longer);
async fn a_lease_that_ran_out_is_not_made_longer(s: Subject) -> Result {
    let holder = s.start(&s.job("mail")).await?;
    s.advance_to(holder.until());
    check_eq!(s.beat(&holder, LEASE).await?, BeatAnswer::Lost);
    s.claim_one().await?;
    Ok(())
}

case!(heartbeats_are_answered_one_by_one);
async fn heartbeats_are_answered_one_by_one(s: Subject) -> Result {
    let jobs: Vec<NewJob> = (0..3).map(|_| s.job("mail")).collect();
    s.enqueue_all(&jobs).await?;
    let mut holders = s.claim(3).await?;
    let ended = holders[1].ack("1");
    s.apply(&ended).await?;
    let unknown = s.job("mail").spec.id;
    let mut beats: Vec<_> = holders.iter().map(|holder| holder.beat(LEASE)).collect();
    beats.push(crate::contract::Beat {
        job: unknown,
        ..beats[0]
    });
    let answers = s.driver().heartbeat(&beats, Some(s.now())).await?;
    let held: Vec<bool> = answers
        .iter()
        .map(|answer| matches!(answer, BeatAnswer::Held { .. }))
        .collect();
    check_eq!(held, [true, false, true, false], "{answers:?}");
    check_eq!(answers[1], BeatAnswer::Lost);
    check_eq!(answers[3], BeatAnswer::Lost);
    Ok(())
}

case!(a_heartbeat_does_not_stand_in_the_way_of_a_person);
async fn a_heartbeat_does_not_stand_in_the_way_of_a_person(s: Subject) -> Result {
    let holder = s.start(&s.job("mail")).await?;
    let seen = s.row(holder.id()).await?;
    s.beat(&holder, LEASE).await?;
    let run = seen.spec.run_id;
    let cancel = crate::core::Commit::cancel(holder.id(), run, seen.head.revision);
    s.apply(&cancel).await?;
    Ok(())
}

case!(the_last_attempt_that_loses_its_worker_is_a_dead_letter);
async fn the_last_attempt_that_loses_its_worker_is_a_dead_letter(s: Subject) -> Result {
    let lost = s.start(&s.job("mail").key("7").attempts(1)).await?;
    s.advance_to(lost.until());
    s.claim_nothing().await?;
    let job = s.expect_state(lost.id(), State::Dead).await?;
    check_eq!((job.head.attempt, job.head.lease_losses), (1, 1));
    let code = job.notes.error.and_then(|error| error.code);
    check_eq!(code.as_deref(), Some("X_JOB_MAX_ATTEMPTS"));
    check!(!s.enqueue(&s.job("mail").key("7")).await?.deduped);
    Ok(())
}

case!(b11_dead_jobs_take_no_slot_and_hide_no_others);
async fn b11_dead_jobs_take_no_slot_and_hide_no_others(s: Subject) -> Result {
    let doomed: Vec<NewJob> = (0..40).map(|_| s.job("mail").attempts(1)).collect();
    s.enqueue_all(&doomed).await?;
    check_eq!(s.claim(100).await?.len(), 40);
    s.enqueue(&s.job("mail").priority(9)).await?;
    s.advance(LEASE);
    check_eq!(s.claim(1).await?.len(), 1, "forty are buried on the way");
    check_eq!(s.stats_of("default").await?.dead, 40);
    Ok(())
}

case!(a_hand_back_is_visible_at_once_and_costs_no_attempt);
async fn a_hand_back_is_visible_at_once_and_costs_no_attempt(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    s.apply(&holder.settle(Settle::HandBack)).await?;
    let next = s.claim_one().await?;
    let head = &next.claimed.job.head;
    check_eq!(
        (head.attempt, head.lease_losses, head.token.epoch),
        (1, 0, 2)
    );
    Ok(())
}

case!(b21_fifty_hand_backs_burn_no_attempt);
async fn b21_fifty_hand_backs_burn_no_attempt(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail").attempts(3)).await?;
    for _ in 0..50 {
        s.apply(&holder.settle(Settle::HandBack)).await?;
        holder = s.claim_one().await?;
    }
    check_eq!(holder.claimed.job.head.attempt, 1);
    Ok(())
}

case!(q19_a_deferral_waits_costs_no_attempt_and_keeps_the_input);
async fn q19_a_deferral_waits_costs_no_attempt_and_keeps_the_input(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail").input("[1,2]")).await?;
    for _ in 0..3 {
        let delay = Millis(2000);
        s.apply(&holder.settle(Settle::Defer { delay })).await?;
        s.advance(Millis(1999));
        s.claim_nothing().await?;
        s.advance(Millis(1));
        holder = s.claim_one().await?;
    }
    check_eq!(holder.claimed.job.head.attempt, 1);
    check_eq!(holder.claimed.job.spec.input.bytes, b"[1,2]".to_vec());
    Ok(())
}

case!(b72_a_delay_longer_than_a_lease_runs_once);
async fn b72_a_delay_longer_than_a_lease_runs_once(s: Subject) -> Result {
    s.enqueue(&s.job("mail").delay(Millis(LEASE.0 * 5))).await?;
    for _ in 0..4 {
        s.advance(LEASE);
        s.claim_nothing().await?;
    }
    s.advance(LEASE);
    let mut holder = s.claim_one().await?;
    s.apply(&holder.ack("1")).await?;
    s.advance(LEASE);
    s.claim_nothing().await
}
