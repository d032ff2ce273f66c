//! Jobs that follow from the end of another: a run that goes on, and the clean-up after a cancel.

use super::shapes::JobShape;
use super::subject::LEASE;
use super::{Failure, Result, Subject};
use crate::core::{CleanUp, Job, JobId, Millis, NewJob, Priority, Settle, State};

/// The job that is live under this durable name.
async fn live(s: &Subject, name: &str) -> Result<Vec<Job>> {
    let filter = crate::contract::JobFilter {
        name: Some(name.into()),
        ..Default::default()
    };
    let page = s.inspect().list(&filter, None, 10).await?;
    let jobs = page.jobs.into_iter();
    Ok(jobs.filter(|job| job.head.state.is_live()).collect())
}

fn cleaned(job: NewJob) -> NewJob {
    job.shape(|job| {
        job.spec.on_cancel = Some(CleanUp {
            name: "mop".into(),
            scope: "mop".into(),
            queue: "default".into(),
            priority: Priority::new(1),
            attempts_max: 9,
            visibility_timeout: Some(Millis(7000)),
        });
    })
}

async fn continued_to(s: &Subject, id: JobId) -> Result<JobId> {
    let job = s.expect_state(id, State::Done).await?;
    let none = || Failure::here(format!("{id:?} goes on nowhere"));
    job.notes.continued_to.ok_or_else(none)
}

case!(a_run_that_goes_on_hands_its_key_to_the_next_at_once);
async fn a_run_that_goes_on_hands_its_key_to_the_next_at_once(s: Subject) -> Result {
    let job = |input: &str| s.job("poll").key("7").input(input);
    let mut first = s.start(&job("1")).await?;
    let run = first.claimed.job.spec.run_id;
    let next = job("2").shape(|job| job.spec.continued_from = Some(run));
    let next = Box::new(next);
    let id = next.spec.id;
    s.apply(&first.settle(Settle::Continue { next })).await?;
    check_eq!(continued_to(&s, first.id()).await?, id);
    check_eq!(s.enqueue(&job("3")).await?.id, id, "the next holds the key");
    let second = s.claim_one().await?;
    check_eq!(second.id(), id);
    check_eq!(second.claimed.job.spec.continued_from, Some(run));
    check_eq!(second.claimed.job.spec.input.bytes, b"2".to_vec());
    check!(second.claimed.journal.is_empty(), "it begins anew");
    Ok(())
}

case!(a_run_that_goes_on_takes_a_key_over_that_is_kept);
async fn a_run_that_goes_on_takes_a_key_over_that_is_kept(s: Subject) -> Result {
    let job = || {
        let job = s.job("poll").key("7");
        job.shape(|job| job.unique_for = Some(Millis(60_000)))
    };
    let mut first = s.start(&job()).await?;
    let next = Box::new(job());
    let id = next.spec.id;
    s.apply(&first.settle(Settle::Continue { next })).await?;
    check_eq!(s.claim_one().await?.id(), id);
    Ok(())
}

case!(a_job_that_follows_goes_before_the_run_that_would_go_on);
async fn a_job_that_follows_goes_before_the_run_that_would_go_on(s: Subject) -> Result {
    let mut first = s.start(&s.job("poll").key("7")).await?;
    let follower = s.enqueue(&s.job("poll").key("7").or_replace()).await?;
    let next = Box::new(s.job("poll").key("7"));
    s.apply(&first.settle(Settle::Continue { next })).await?;
    check_eq!(continued_to(&s, first.id()).await?, follower.id);
    check_eq!(s.claim_one().await?.id(), follower.id);
    Ok(())
}

case!(a_lost_lease_goes_on_nowhere);
async fn a_lost_lease_goes_on_nowhere(s: Subject) -> Result {
    let mut zombie = s.start(&s.job("poll").key("7")).await?;
    s.advance_to(zombie.until());
    let next = Box::new(s.job("poll").key("7"));
    let id = next.spec.id;
    let answer = s.commit(&zombie.settle(Settle::Continue { next })).await?;
    check_eq!(answer, crate::core::CommitAnswer::LeaseLost);
    check!(s.inspect().job(id).await?.is_none());
    Ok(())
}

case!(a_cancel_enqueues_the_clean_up_in_the_same_write);
async fn a_cancel_enqueues_the_clean_up_in_the_same_write(s: Subject) -> Result {
    let job = cleaned(s.job("rent").input("42").tenant("acme"));
    s.enqueue(&job).await?;
    check!(live(&s, "mop").await?.is_empty());
    s.cancel(job.spec.id).await?;
    s.expect_state(job.spec.id, State::Cancelled).await?;
    let mop = s.claim_one().await?.claimed.job;
    check_eq!(mop.spec.name, "mop");
    check_eq!(mop.spec.input, job.spec.input);
    check_eq!(mop.spec.tenant, job.spec.tenant);
    check_eq!(mop.spec.priority, Priority::new(1));
    check_eq!(mop.head.attempts_max, 9);
    let cancelled = mop.spec.labels.get("cancelled");
    check_eq!(cancelled, Some(&job.spec.id.to_string()));
    Ok(())
}

case!(a_clean_up_waits_until_the_cancelled_body_has_let_go);
async fn a_clean_up_waits_until_the_cancelled_body_has_let_go(s: Subject) -> Result {
    let holder = s.start(&cleaned(s.job("rent"))).await?;
    s.cancel(holder.id()).await?;
    s.claim_nothing().await?;
    s.advance(LEASE);
    check_eq!(s.claim_one().await?.claimed.job.spec.name, "mop");
    Ok(())
}

case!(no_other_end_enqueues_the_clean_up);
async fn no_other_end_enqueues_the_clean_up(s: Subject) -> Result {
    let job = || cleaned(s.job("rent").attempts(1));
    let mut done = s.start(&job()).await?;
    s.apply(&done.ack("1")).await?;
    let mut dead = s.start(&job()).await?;
    s.apply(&dead.retry(Millis(1), super::shapes::boom()))
        .await?;
    check!(live(&s, "mop").await?.is_empty());
    Ok(())
}

case!(a_job_that_is_revived_and_cancelled_again_is_cleaned_up_again);
async fn a_job_that_is_revived_and_cancelled_again_is_cleaned_up_again(s: Subject) -> Result {
    let job = cleaned(s.job("rent"));
    s.enqueue(&job).await?;
    s.cancel(job.spec.id).await?;
    s.requeue(job.spec.id, &[]).await?;
    s.cancel(job.spec.id).await?;
    check_eq!(live(&s, "mop").await?.len(), 2);
    Ok(())
}
