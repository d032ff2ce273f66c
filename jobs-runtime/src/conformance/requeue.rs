//! Requeue: a person revives a job, from its start or from a step on.

use super::shapes::{EventShape, JobShape, boom, wait};
use super::{Failure, Result, Subject};
use crate::core::{Commit, CommitAnswer, Millis, Settle, State};

case!(q10_a_requeue_starts_the_counts_anew_and_keeps_the_history);
async fn q10_a_requeue_starts_the_counts_anew_and_keeps_the_history(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail").attempts(2).input("[7]")).await?;
    let step = holder.step("one", "1");
    s.apply(&holder.steps(vec![step])).await?;
    s.advance_to(holder.until());
    let mut holder = s.claim_one().await?;
    s.apply(&holder.retry(Millis(1), boom())).await?;
    let dead = s.expect_state(holder.id(), State::Dead).await?;
    check_eq!((dead.head.attempt, dead.head.lease_losses), (2, 1));
    s.advance(Millis(1000));

    expect_applied(s.requeue(holder.id(), &[]).await?)?;
    let job = s.expect_state(holder.id(), State::Pending).await?;
    check_eq!((job.head.attempt, job.head.lease_losses), (1, 0));
    check_eq!(job.head.visible_at, Some(s.now()));
    check_eq!(
        job.notes.error,
        Some(boom()),
        "why it died is not forgotten"
    );
    check_eq!(job.head.enqueued_at, dead.head.enqueued_at);
    let next = s.claim_one().await?;
    check_eq!(next.claimed.job.spec, dead.spec);
    check_eq!(next.step_names(), ["one"]);
    check_eq!(next.claimed.job.head.token.epoch, 3);
    check_eq!(s.stats_of("default").await?.dead, 0);
    Ok(())
}

case!(every_ended_job_can_be_revived);
async fn every_ended_job_can_be_revived(s: Subject) -> Result {
    let ends = [
        Settle::Ack {
            output: crate::core::Payload::json(*b"1"),
        },
        Settle::Fail { error: boom() },
        Settle::Cancel,
        Settle::Retry {
            delay: Millis(1),
            error: boom(),
        },
    ];
    for settle in ends {
        let mut holder = s.start(&s.job("mail").attempts(1)).await?;
        s.apply(&holder.settle(settle)).await?;
        expect_applied(s.requeue(holder.id(), &[]).await?)?;
        let mut holder = s.claim_one().await?;
        s.apply(&holder.ack("2")).await?;
        let job = s.expect_state(holder.id(), State::Done).await?;
        check_eq!(job.notes.output.map(|o| o.bytes), Some(b"2".to_vec()));
    }
    Ok(())
}

case!(d23_a_requeue_from_a_step_keeps_what_came_before);
async fn d23_a_requeue_from_a_step_keeps_what_came_before(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail").attempts(1)).await?;
    let records = ["one", "two", "three"].map(|name| holder.step(name, "1"));
    s.apply(&holder.steps(records.to_vec())).await?;
    s.apply(&holder.retry(Millis(1), boom())).await?;
    expect_applied(s.requeue(holder.id(), &["two", "three"]).await?)?;
    let mut next = s.claim_one().await?;
    check_eq!(next.step_names(), ["one"]);
    // The run goes on from where the row says it is.
    let again = next.step("two", "2");
    s.apply(&next.steps(vec![again])).await?;
    check_eq!(s.view(next.id()).await?.journal.len(), 2);
    Ok(())
}

case!(a_requeue_frees_the_events_of_the_removed_steps);
async fn a_requeue_frees_the_events_of_the_removed_steps(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail").attempts(1)).await?;
    let paid = wait("paid", "paid", None, s.now());
    s.apply(&holder.park(vec![paid.clone()], None)).await?;
    s.publish(&s.event("paid")).await?;
    let mut holder = s.claim_one().await?;
    let inbox = holder.claimed.nudge.inbox.clone();
    let taken = holder.deliver_event(paid.clone(), &inbox)?;
    s.apply(&holder.steps(vec![taken])).await?;
    s.apply(&holder.retry(Millis(1), boom())).await?;

    expect_applied(s.requeue(holder.id(), &["paid"]).await?)?;
    let mut next = s.claim_one().await?;
    // Still pinned, or found again at the next wait: either way it is there.
    s.apply(&next.steps(vec![paid])).await?;
    let view = s.view(next.id()).await?;
    check_eq!(view.inbox.len(), 1);
    s.apply(&next.settle(Settle::HandBack)).await?;
    check_eq!(s.claim_one().await?.inbox().len(), 1);
    Ok(())
}

case!(a_revived_wait_takes_an_event_that_was_published_while_its_job_was_over);
async fn a_revived_wait_takes_an_event_that_was_published_while_its_job_was_over(
    s: Subject,
) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let paid = wait("paid", "paid", Some("7"), s.now());
    s.apply(&holder.park(vec![paid], None)).await?;
    expect_applied(s.cancel(holder.id()).await?)?;
    s.publish(&s.event("paid").key("7")).await?;
    expect_applied(s.requeue(holder.id(), &[]).await?)?;
    check_eq!(s.claim_one().await?.inbox().len(), 1);
    Ok(())
}

case!(a_requeue_takes_its_key_back);
async fn a_requeue_takes_its_key_back(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail").key("7").attempts(1)).await?;
    s.apply(&holder.retry(Millis(1), boom())).await?;
    expect_applied(s.requeue(holder.id(), &[]).await?)?;
    let again = s.enqueue(&s.job("mail").key("7")).await?;
    check_eq!(again.id, holder.id());
    let mut holder = s.claim_one().await?;
    s.apply(&holder.ack("1")).await?;
    check!(!s.enqueue(&s.job("mail").key("7")).await?.deduped);
    Ok(())
}

case!(a_job_that_came_too_late_runs_once_it_is_revived);
async fn a_job_that_came_too_late_runs_once_it_is_revived(s: Subject) -> Result {
    let at = s.now().after(Millis(1));
    let job = s.job("mail").shape(|job| job.spec.expires_at = Some(at));
    s.enqueue(&job).await?;
    s.advance_to(at);
    s.claim_nothing().await?;
    s.expect_state(job.spec.id, State::Failed).await?;
    expect_applied(s.requeue(job.spec.id, &[]).await?)?;
    check_eq!(s.claim_one().await?.id(), job.spec.id);
    Ok(())
}

case!(a_requeue_that_meets_a_newer_holder_names_it_and_changes_nothing);
async fn a_requeue_that_meets_a_newer_holder_names_it_and_changes_nothing(s: Subject) -> Result {
    let mut old = s.start(&s.job("mail").key("7").attempts(1)).await?;
    s.apply(&old.retry(Millis(1), boom())).await?;
    let newer = s.job("mail").key("7");
    s.enqueue(&newer).await?;
    let before = s.row(old.id()).await?;
    let answer = s.requeue(old.id(), &[]).await?;
    check_eq!(answer, CommitAnswer::Duplicate(newer.spec.id));
    check_eq!(s.row(old.id()).await?, before);
    check_eq!(s.claim(10).await?.len(), 1);
    Ok(())
}

case!(a_requeue_of_what_has_changed_is_a_conflict);
async fn a_requeue_of_what_has_changed_is_a_conflict(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail").attempts(1)).await?;
    s.apply(&holder.retry(Millis(1), boom())).await?;
    let seen = s.row(holder.id()).await?;
    let requeue = Commit::requeue(
        holder.id(),
        seen.spec.run_id,
        seen.head.revision,
        Vec::new(),
    );
    s.apply(&requeue).await?;
    check_eq!(s.commit(&requeue).await?, CommitAnswer::Conflict);
    s.expect_state(holder.id(), State::Pending).await?;
    Ok(())
}

case!(a_job_that_waits_or_runs_is_not_requeued);
async fn a_job_that_waits_or_runs_is_not_requeued(s: Subject) -> Result {
    let waiting = s.job("mail").delay(Millis(1000));
    s.enqueue(&waiting).await?;
    let running = s.start(&s.job("mail")).await?;
    for id in [waiting.spec.id, running.id()] {
        check_eq!(s.requeue(id, &[]).await?, CommitAnswer::Conflict);
    }
    s.expect_state(running.id(), State::Running).await?;
    Ok(())
}

fn expect_applied(answer: CommitAnswer) -> Result {
    match answer {
        CommitAnswer::Applied(_) => Ok(()),
        other => Err(Failure::here(format!("not applied: {other:?}"))),
    }
}
