//! `OnConflict::Replace`: the newest input wins, and of what has begun there is one follower.

use super::shapes::{JobShape, boom};
use super::{Failure, Result, Subject};
use crate::contract::Conflicted;
use crate::core::{JobId, Millis, REPLACED_KEPT, Settle, State, View};

async fn input_of(s: &Subject, id: JobId) -> Result<Vec<u8>> {
    Ok(s.row(id).await?.spec.input.bytes)
}

case!(q42_a_job_that_has_not_begun_gets_the_newest_input);
async fn q42_a_job_that_has_not_begun_gets_the_newest_input(s: Subject) -> Result {
    let first = s.job("sync").key("7").input("1");
    s.enqueue(&first).await?;
    let before = s.row(first.spec.id).await?;
    for input in ["2", "3"] {
        let again = s
            .enqueue(&s.job("sync").key("7").input(input).or_replace())
            .await?;
        check_eq!(again.id, first.spec.id);
        check!(again.deduped && !again.input_differs, "it has this input");
    }
    let after = s.row(first.spec.id).await?;
    check_eq!(after.spec.input.bytes, b"3".to_vec());
    check!(after.head.revision > before.head.revision, "it has changed");
    check_eq!(after.head.visible_at, before.head.visible_at);
    let claimed = s.claim_one().await?;
    check_eq!(claimed.claimed.job.spec.input.bytes, b"3".to_vec());
    Ok(())
}

case!(q42_a_job_that_runs_gets_one_follower_with_the_last_input);
async fn q42_a_job_that_runs_gets_one_follower_with_the_last_input(s: Subject) -> Result {
    let job = |input: &str| s.job("sync").key("7").input(input).or_replace();
    let mut active = s.start(&job("1")).await?;
    let second = job("2");
    let follower = s.enqueue(&second).await?;
    check_eq!(follower.id, second.spec.id);
    check!(!follower.deduped, "a new job");
    for input in ["3", "4"] {
        let again = s.enqueue(&job(input)).await?;
        check_eq!(again.id, follower.id, "there is one follower");
        check!(again.deduped);
    }
    check_eq!(input_of(&s, active.id()).await?, b"1".to_vec(), "untouched");
    s.claim_nothing().await?;
    let waiting = s.row(follower.id).await?;
    check_eq!(
        waiting.head.state.view(waiting.head.visible_at, s.now()),
        View::Delayed
    );
    s.apply(&active.ack("1")).await?;
    let next = s.claim_one().await?;
    check_eq!(next.id(), follower.id);
    check_eq!(next.claimed.job.spec.input.bytes, b"4".to_vec());
    let third = s.enqueue(&s.job("sync").key("7")).await?;
    check_eq!(third.id, follower.id, "the follower holds the key now");
    Ok(())
}

case!(a_follower_runs_however_the_job_before_it_ends);
async fn a_follower_runs_however_the_job_before_it_ends(s: Subject) -> Result {
    let job = || s.job("sync").key("7").attempts(1).or_replace();
    let output = job().spec.input;
    let ends = [
        Settle::Ack { output },
        Settle::Fail { error: boom() },
        Settle::Retry {
            delay: Millis(1),
            error: boom(),
        },
        Settle::Cancel,
    ];
    let mut active = s.start(&job()).await?;
    for end in ends {
        let follower = s.enqueue(&job()).await?;
        s.apply(&active.settle(end)).await?;
        active = s.claim_one().await?;
        check_eq!(active.id(), follower.id);
    }
    Ok(())
}

case!(a_follower_waits_through_suspensions_and_retries);
async fn a_follower_waits_through_suspensions_and_retries(s: Subject) -> Result {
    let job = || s.job("sync").key("7").or_replace();
    let mut active = s.start(&job()).await?;
    let until = s.now().after(Millis(1000));
    s.apply(&active.park(Vec::new(), Some(until))).await?;
    let follower = s.enqueue(&job()).await?;
    check!(!follower.deduped, "a suspended job has begun");
    s.advance(Millis(1000));
    let mut active = s.claim_one().await?;
    s.apply(&active.retry(Millis(1000), boom())).await?;
    check_eq!(s.enqueue(&job()).await?.id, follower.id);
    s.claim_nothing().await?;
    s.advance(Millis(1000));
    let mut active = s.claim_one().await?;
    s.apply(&active.ack("1")).await?;
    check_eq!(s.claim_one().await?.id(), follower.id);
    Ok(())
}

case!(a_follower_keeps_the_delay_it_was_given);
async fn a_follower_keeps_the_delay_it_was_given(s: Subject) -> Result {
    let job = || s.job("sync").key("7").or_replace();
    let mut active = s.start(&job()).await?;
    let follower = s.enqueue(&job().delay(Millis(5000))).await?;
    s.advance(Millis(1000));
    s.apply(&active.ack("1")).await?;
    s.claim_nothing().await?;
    s.advance(Millis(4000));
    check_eq!(s.claim_one().await?.id(), follower.id);
    Ok(())
}

case!(a_cancelled_follower_leaves_its_place);
async fn a_cancelled_follower_leaves_its_place(s: Subject) -> Result {
    let job = |input: &str| s.job("sync").key("7").input(input).or_replace();
    let mut active = s.start(&job("1")).await?;
    let follower = s.enqueue(&job("2")).await?;
    s.cancel(follower.id).await?;
    let other = s.enqueue(&job("3")).await?;
    check!(other.id != follower.id && !other.deduped);
    check_eq!(input_of(&s, follower.id).await?, b"2".to_vec());
    s.apply(&active.ack("1")).await?;
    check_eq!(s.claim_one().await?.id(), other.id);
    Ok(())
}

case!(a_follower_stands_in_no_other_jobs_way);
async fn a_follower_stands_in_no_other_jobs_way(s: Subject) -> Result {
    let active = s.start(&s.job("sync").key("7")).await?;
    let follower = s.enqueue(&s.job("sync").key("7").or_replace()).await?;
    let deduped = s.enqueue(&s.job("sync").key("7")).await?;
    check_eq!(deduped.id, active.id(), "the key is still the active job's");
    match s.try_enqueue(&s.job("sync").key("7").or_error()).await? {
        Err(Conflicted::KeyTaken(holder)) => check_eq!(holder, active.id()),
        other => return Err(Failure::here(format!("not refused: {other:?}"))),
    }
    check!(
        !s.enqueue(&s.job("sync").key("8").or_replace())
            .await?
            .deduped
    );
    check_eq!(s.claim(10).await?.len(), 1, "the job of the other key");
    s.expect_state(follower.id, State::Pending).await?;
    Ok(())
}

case!(an_ended_job_that_keeps_its_key_is_not_replaced);
async fn an_ended_job_that_keeps_its_key_is_not_replaced(s: Subject) -> Result {
    let job = |input: &str| {
        let span = Some(Millis(60_000));
        let job = s.job("sync").key("7").input(input).or_replace();
        job.shape(|job| job.unique_for = span)
    };
    let mut active = s.start(&job("1")).await?;
    s.apply(&active.ack("1")).await?;
    let kept = s.enqueue(&job("2")).await?;
    check_eq!(kept.id, active.id());
    check!(kept.deduped && kept.input_differs);
    s.claim_nothing().await?;
    s.advance(Millis(60_000));
    check!(!s.enqueue(&job("3")).await?.deduped);
    Ok(())
}

case!(a_replaced_job_has_the_expiry_of_its_newest_input);
async fn a_replaced_job_has_the_expiry_of_its_newest_input(s: Subject) -> Result {
    let job = |expires_at| {
        let job = s.job("sync").key("7").or_replace();
        job.shape(|job| job.spec.expires_at = Some(expires_at))
    };
    let first = s.enqueue(&job(s.now().after(Millis(1000)))).await?;
    s.enqueue(&job(s.now().after(Millis(9000)))).await?;
    s.advance(Millis(5000));
    check_eq!(s.claim_one().await?.id(), first.id);
    Ok(())
}

case!(a_revived_job_meets_the_job_that_followed_it);
async fn a_revived_job_meets_the_job_that_followed_it(s: Subject) -> Result {
    let job = || s.job("sync").key("7").attempts(1).or_replace();
    let mut active = s.start(&job()).await?;
    let follower = s.enqueue(&job()).await?;
    s.apply(&active.retry(Millis(1), boom())).await?;
    let answer = s.requeue(active.id(), &[]).await?;
    check_eq!(answer, crate::core::CommitAnswer::Duplicate(follower.id));
    Ok(())
}

case!(an_enqueue_sent_again_does_not_follow_the_job_that_has_its_input);
async fn an_enqueue_sent_again_does_not_follow_the_job_that_has_its_input(s: Subject) -> Result {
    s.enqueue(&s.job("sync").key("7").input("1")).await?;
    let newest = s.job("sync").key("7").input("2").or_replace();
    // Its answer is lost, and the job begins before it is sent again.
    let lost = s.enqueue(&newest).await?;
    let mut active = s.claim_one().await?;
    check_eq!(s.enqueue(&newest).await?, lost);
    s.apply(&active.ack("1")).await?;
    s.claim_nothing().await?;
    // The job that had its input has ended, too.
    check_eq!(s.enqueue(&newest).await?, lost);
    s.claim_nothing().await
}

case!(an_enqueue_sent_again_does_not_follow_the_follower_that_has_its_input);
async fn an_enqueue_sent_again_does_not_follow_the_follower_that_has_its_input(
    s: Subject,
) -> Result {
    let job = |input: &str| s.job("sync").key("7").input(input).or_replace();
    let mut first = s.start(&job("1")).await?;
    s.enqueue(&job("2")).await?;
    let newest = job("3");
    let lost = s.enqueue(&newest).await?;
    s.apply(&first.ack("1")).await?;
    let mut follower = s.claim_one().await?;
    check_eq!(follower.id(), lost.id);
    check_eq!(s.enqueue(&newest).await?, lost);
    s.apply(&follower.ack("3")).await?;
    s.claim_nothing().await
}

case!(an_enqueue_sent_again_does_not_undo_a_newer_one);
async fn an_enqueue_sent_again_does_not_undo_a_newer_one(s: Subject) -> Result {
    let job = |input: &str| s.job("sync").key("7").input(input).or_replace();
    let first = s.enqueue(&job("1")).await?;
    let second = job("2");
    s.enqueue(&second).await?;
    s.enqueue(&job("3")).await?;
    s.enqueue(&second).await?;
    check_eq!(input_of(&s, first.id).await?, b"3".to_vec());
    Ok(())
}

case!(what_an_enqueue_replaced_is_forgotten_in_time);
async fn what_an_enqueue_replaced_is_forgotten_in_time(s: Subject) -> Result {
    let job = |input: &str| s.job("sync").key("7").input(input).or_replace();
    let mut first = s.start(&job("1")).await?;
    s.apply(&first.ack("1")).await?;
    s.enqueue(&job("2")).await?;
    let newest = job("3");
    s.enqueue(&newest).await?;
    let mut second = s.claim_one().await?;
    s.apply(&second.ack("3")).await?;
    s.advance(REPLACED_KEPT);
    let bounds = crate::contract::PruneBounds {
        ended_before: s.now(),
        rules: Vec::new(),
        spared: Millis(0),
        events_expired_before: s.now(),
        dead_before: None,
        limit: 10,
    };
    s.driver().prune(&bounds, Some(s.now())).await?;
    check!(!s.enqueue(&newest).await?.deduped, "it is a new one by now");
    Ok(())
}
