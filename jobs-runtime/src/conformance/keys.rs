//! Idempotency keys: one live job per (scope, key), and not a moment longer than said.

use super::shapes::{JobShape, boom};
use super::{Failure, Result, Subject};
use crate::contract::Conflicted;
use crate::core::{Millis, Settle, State};

case!(a_live_key_answers_with_the_live_job);
async fn a_live_key_answers_with_the_live_job(s: Subject) -> Result {
    let first = s.job("mail").key("7");
    s.enqueue(&first).await?;
    let second = s.enqueue(&s.job("mail").key("7")).await?;
    check_eq!(second.id, first.spec.id);
    check_eq!(second.run_id, first.spec.run_id);
    check!(second.deduped && !second.input_differs);
    check_eq!(s.claim(10).await?.len(), 1);
    Ok(())
}

case!(a_live_key_with_another_input_says_so);
async fn a_live_key_with_another_input_says_so(s: Subject) -> Result {
    s.enqueue(&s.job("mail").key("7").input("1")).await?;
    let other = s.enqueue(&s.job("mail").key("7").input("2")).await?;
    check!(other.deduped && other.input_differs);
    Ok(())
}

case!(on_conflict_error_names_the_holder);
async fn on_conflict_error_names_the_holder(s: Subject) -> Result {
    let first = s.job("mail").key("7");
    s.enqueue(&first).await?;
    match s.try_enqueue(&s.job("mail").key("7").or_error()).await? {
        Err(Conflicted::KeyTaken(holder)) => check_eq!(holder, first.spec.id),
        other => return Err(Failure::here(format!("not refused: {other:?}"))),
    }
    let free = s.enqueue(&s.job("mail").key("8").or_error()).await?;
    check!(!free.deduped);
    Ok(())
}

case!(one_key_twice_in_one_batch_is_one_job);
async fn one_key_twice_in_one_batch_is_one_job(s: Subject) -> Result {
    let batch = [s.job("mail").key("7"), s.job("mail").key("7")];
    let answers = s.enqueue_all(&batch).await?;
    for (answer, deduped) in answers.into_iter().zip([false, true]) {
        let enqueued = answer?;
        check_eq!(enqueued.id, batch[0].spec.id);
        check_eq!(enqueued.deduped, deduped);
    }
    Ok(())
}

case!(jobs_without_a_key_never_meet);
async fn jobs_without_a_key_never_meet(s: Subject) -> Result {
    for _ in 0..3 {
        check!(!s.enqueue(&s.job("mail")).await?.deduped);
    }
    check_eq!(s.claim(10).await?.len(), 3);
    Ok(())
}

case!(a_key_is_free_again_when_its_job_has_ended);
async fn a_key_is_free_again_when_its_job_has_ended(s: Subject) -> Result {
    let job = || s.job("mail").key("7").attempts(1);
    let ends = [
        (
            Settle::Ack {
                output: job().spec.input,
            },
            State::Done,
        ),
        (Settle::Fail { error: boom() }, State::Failed),
        (
            Settle::Retry {
                delay: Millis(1),
                error: boom(),
            },
            State::Dead,
        ),
        (Settle::Cancel, State::Cancelled),
    ];
    for (settle, state) in ends {
        let mut holder = s.start(&job()).await?;
        s.apply(&holder.settle(settle)).await?;
        s.expect_state(holder.id(), state).await?;
    }
    check!(!s.enqueue(&job()).await?.deduped);
    Ok(())
}

case!(a_live_job_keeps_its_key_in_every_state);
async fn a_live_job_keeps_its_key_in_every_state(s: Subject) -> Result {
    let again = || s.job("mail").key("7");
    let mut holder = s.start(&again()).await?;
    check!(s.enqueue(&again()).await?.deduped, "running");
    s.apply(&holder.retry(Millis(1000), boom())).await?;
    check!(s.enqueue(&again()).await?.deduped, "waits for its retry");
    s.advance(Millis(1000));
    let mut holder = s.claim_one().await?;
    s.apply(&holder.park(Vec::new(), None)).await?;
    check!(s.enqueue(&again()).await?.deduped, "suspended");
    Ok(())
}

case!(unique_for_keeps_a_key_until_its_instant);
async fn unique_for_keeps_a_key_until_its_instant(s: Subject) -> Result {
    let job = || {
        let span = Some(Millis(60_000));
        s.job("mail").key("7").shape(|job| job.unique_for = span)
    };
    let mut holder = s.start(&job()).await?;
    s.apply(&holder.ack("1")).await?;
    s.advance(Millis(59_999));
    let kept = s.enqueue(&job()).await?;
    check!(kept.deduped);
    check_eq!(kept.id, holder.id(), "the ended job answers");
    s.advance(Millis(1));
    check!(!s.enqueue(&job()).await?.deduped);
    Ok(())
}

case!(unique_for_that_is_over_does_not_end_a_live_hold);
async fn unique_for_that_is_over_does_not_end_a_live_hold(s: Subject) -> Result {
    let job = s.job("mail").key("7");
    s.enqueue(&job.shape(|job| job.unique_for = Some(Millis(10))))
        .await?;
    s.advance(Millis(1000));
    check!(s.enqueue(&s.job("mail").key("7")).await?.deduped);
    Ok(())
}

case!(q21_one_key_under_two_scopes_is_two_jobs);
async fn q21_one_key_under_two_scopes_is_two_jobs(s: Subject) -> Result {
    s.enqueue(&s.job("mail").key("7")).await?;
    check!(!s.enqueue(&s.job("bill").key("7")).await?.deduped);
    Ok(())
}

case!(a_renamed_job_shares_its_keys_with_its_old_name);
async fn a_renamed_job_shares_its_keys_with_its_old_name(s: Subject) -> Result {
    s.enqueue(&s.job("mail").key("7")).await?;
    let renamed = s.job("letter").key("7");
    let renamed = renamed.shape(|job| job.spec.scope = "mail".into());
    check!(s.enqueue(&renamed).await?.deduped);
    Ok(())
}

case!(queue_and_tenant_are_no_part_of_a_key);
async fn queue_and_tenant_are_no_part_of_a_key(s: Subject) -> Result {
    s.enqueue(&s.job("mail").key("7").tenant("a")).await?;
    let other = s.job("mail").key("7").tenant("b").queue("slow");
    check!(s.enqueue(&other).await?.deduped);
    Ok(())
}

case!(b47_a_delayed_job_with_a_key_is_not_its_own_duplicate);
async fn b47_a_delayed_job_with_a_key_is_not_its_own_duplicate(s: Subject) -> Result {
    s.enqueue(&s.job("mail").key("7").delay(Millis(1000)))
        .await?;
    s.advance(Millis(1000));
    let mut holder = s.claim_one().await?;
    s.apply(&holder.retry(Millis(1000), boom())).await?;
    s.advance(Millis(1000));
    let mut holder = s.claim_one().await?;
    s.apply(&holder.ack("1")).await?;
    s.expect_state(holder.id(), State::Done).await?;
    Ok(())
}

case!(b48_an_old_job_frees_no_key_of_a_newer_one);
async fn b48_an_old_job_frees_no_key_of_a_newer_one(s: Subject) -> Result {
    let mut old = s.start(&s.job("mail").key("7").attempts(1)).await?;
    s.apply(&old.retry(Millis(1), boom())).await?;
    let newer = s.job("mail").key("7");
    s.enqueue(&newer).await?;
    // The old one is cleared away while the newer one lives.
    s.advance(Millis(1000));
    let bounds = crate::contract::PruneBounds {
        ended_before: s.now(),
        rules: Vec::new(),
        spared: Millis(0),
        events_expired_before: s.now(),
        dead_before: Some(s.now()),
        limit: 10,
    };
    let pruned = s.driver().prune(&bounds, Some(s.now())).await?;
    check_eq!(pruned.dead_letters, 1);
    let third = s.enqueue(&s.job("mail").key("7")).await?;
    check_eq!(third.id, newer.spec.id);
    Ok(())
}
