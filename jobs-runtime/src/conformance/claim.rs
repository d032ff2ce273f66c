//! Claim: who gets which job, in what order, and with what.

use super::shapes::{JobShape, boom, sleep, wait};
use super::subject::LEASE;
use super::{Result, Subject};
use crate::core::{JobId, Millis, NewJob, Settle, State};

case!(priority_then_time_then_id_decide, needs ordered_claim);
async fn priority_then_time_then_id_decide(s: Subject) -> Result {
    let mut ties: Vec<NewJob> = (0..20).map(|_| s.job("mail")).collect();
    ties.sort_by_key(|job| job.spec.id);
    let first = s.job("mail").priority(0).delay(Millis(500));
    let last = s.job("mail").priority(9);
    let later = s.job("mail").delay(Millis(100));
    let mut all = vec![last.clone(), later.clone(), first.clone()];
    all.extend(ties.iter().rev().cloned());
    s.enqueue_all(&all).await?;
    s.advance(Millis(1000));
    let mut expected = vec![first.spec.id];
    expected.extend(ties.iter().map(|job| job.spec.id));
    expected.extend([later.spec.id, last.spec.id]);
    // In two bites, so that the order holds across claims too.
    let mut taken: Vec<JobId> = ids(&s.claim(7).await?);
    taken.extend(ids(&s.claim(100).await?));
    check_eq!(taken, expected);
    Ok(())
}

case!(order_holds_across_queues, needs ordered_claim);
async fn order_holds_across_queues(s: Subject) -> Result {
    let jobs: Vec<NewJob> = (0..10)
        .map(|n: u8| {
            let queue = if n.is_multiple_of(3) { "a" } else { "b" };
            s.job("mail").queue(queue).priority(9 - n)
        })
        .collect();
    s.enqueue_all(&jobs).await?;
    let expected: Vec<JobId> = jobs.iter().rev().map(|job| job.spec.id).collect();
    let mut taken = Vec::new();
    while let [one] = &s.claim(1).await?[..] {
        taken.push(one.id());
    }
    check_eq!(taken, expected);
    Ok(())
}

case!(q12_a_claim_never_brings_more_than_its_limit);
async fn q12_a_claim_never_brings_more_than_its_limit(s: Subject) -> Result {
    let jobs: Vec<NewJob> = (0..25).map(|_| s.job("mail")).collect();
    s.enqueue_all(&jobs).await?;
    for expected in [0, 1, 10, 14, 0] {
        let limit = if expected == 14 { 100 } else { expected };
        check_eq!(s.claim(limit).await?.len(), expected);
    }
    Ok(())
}

case!(a_leased_job_is_not_leased_again);
async fn a_leased_job_is_not_leased_again(s: Subject) -> Result {
    s.start(&s.job("mail")).await?;
    s.claim_nothing().await?;
    s.advance(Millis(LEASE.0 - 1));
    s.claim_nothing().await
}

case!(only_the_asked_queues_are_served);
async fn only_the_asked_queues_are_served(s: Subject) -> Result {
    for queue in ["a", "b", "c", "A", "a "] {
        s.enqueue(&s.job("mail").queue(queue)).await?;
    }
    let mut request = s.request(10);
    request.queues = vec!["a".into(), "c".into(), "none".into()];
    let claims = s.claims(&request).await?;
    let mut served: Vec<&str> = claims
        .jobs
        .iter()
        .map(|claimed| claimed.job.spec.queue.as_str())
        .collect();
    served.sort_unstable();
    check_eq!(served, ["a", "c"]);
    check_eq!(s.claim(10).await?.len(), 3, "no queue named is every queue");
    Ok(())
}

case!(a_lease_says_who_until_when_and_as_what);
async fn a_lease_says_who_until_when_and_as_what(s: Subject) -> Result {
    let job = s.job("mail");
    s.enqueue(&job).await?;
    let request = s.request(1);
    let claims = s.claims(&request).await?;
    check_eq!(claims.now, s.now());
    let claimed = &claims.jobs[0].job;
    check_eq!(claimed.head.state, State::Running);
    check_eq!(claimed.head.token.epoch, 1);
    check_eq!(claimed.head.visible_at, Some(s.now().after(LEASE)));
    check_eq!(claimed.head.started_at, Some(s.now()));
    check_eq!(claimed.notes.worker.as_deref(), Some("worker-1"));
    check_eq!(s.row(job.spec.id).await?, *claimed, "and so it is stored");
    Ok(())
}

case!(the_own_visibility_timeout_of_a_job_wins);
async fn the_own_visibility_timeout_of_a_job_wins(s: Subject) -> Result {
    let own = s.job("mail");
    let own = own.shape(|job| job.spec.visibility_timeout = Some(Millis(777)));
    let holder = s.start(&own).await?;
    check_eq!(holder.until(), s.now().after(Millis(777)));
    Ok(())
}

case!(two_leases_never_share_a_token);
async fn two_leases_never_share_a_token(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail").attempts(100)).await?;
    for round in 1..20 {
        let before = holder.claimed.job.head.token;
        s.apply(&holder.settle(Settle::HandBack)).await?;
        holder = s.claim_one().await?;
        let after = holder.claimed.job.head.token;
        check_eq!(after.epoch, before.epoch + 1, "round {round}");
        check!(after.nonce != before.nonce, "round {round}");
    }
    Ok(())
}

case!(a_claim_brings_the_journal_and_the_inbox);
async fn a_claim_brings_the_journal_and_the_inbox(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    check!(holder.claimed.journal.is_empty());
    check!(holder.claimed.nudge.inbox.is_empty());
    let first = holder.step("one", "1");
    let second = holder.step("two", "2");
    let nap = sleep("nap", s.now(), s.now().after(Millis(500)));
    let paid = wait("paid", "paid", None, s.now());
    let records = vec![second, first, paid, nap];
    s.apply(&holder.park(records, Some(s.now().after(Millis(500)))))
        .await?;
    s.publish(&s.event("paid")).await?;
    let next = s.claim_one().await?;
    check_eq!(next.step_names(), ["one", "two", "nap", "paid"]);
    check_eq!(next.inbox().len(), 1);
    Ok(())
}

case!(a_claim_knows_when_the_next_job_becomes_visible);
async fn a_claim_knows_when_the_next_job_becomes_visible(s: Subject) -> Result {
    let soon = s.now().after(Millis(500));
    s.enqueue(&s.job("mail").delay(Millis(500))).await?;
    s.enqueue(&s.job("mail").delay(Millis(900))).await?;
    let claims = s.claims(&s.request(10)).await?;
    check!(claims.jobs.is_empty());
    // Not knowing is allowed; saying a later instant would let a worker oversleep.
    check!(claims.next_visible_at.is_none_or(|at| at <= soon));
    Ok(())
}

case!(a_job_that_was_not_started_in_time_fails);
async fn a_job_that_was_not_started_in_time_fails(s: Subject) -> Result {
    let late = s.job("mail").key("7");
    let at = s.now().after(Millis(1000));
    let late = late.shape(|job| job.spec.expires_at = Some(at));
    s.enqueue(&late).await?;
    let other = s.job("mail").priority(9);
    s.enqueue(&other).await?;
    s.advance_to(at);
    let claimed = s.claim(1).await?;
    check_eq!(ids(&claimed), [other.spec.id], "it takes no slot");
    let job = s.expect_state(late.spec.id, State::Failed).await?;
    let code = job.notes.error.and_then(|error| error.code);
    check_eq!(code.as_deref(), Some("X_JOB_EXPIRED"));
    check!(!s.enqueue(&s.job("mail").key("7")).await?.deduped);
    Ok(())
}

case!(a_job_that_was_started_in_time_does_not_expire);
async fn a_job_that_was_started_in_time_does_not_expire(s: Subject) -> Result {
    let at = s.now().after(Millis(1000));
    let job = s.job("mail").shape(|job| job.spec.expires_at = Some(at));
    let mut holder = s.start(&job).await?;
    s.apply(&holder.retry(Millis(5000), boom())).await?;
    s.advance(Millis(5000));
    s.claim_one().await?;
    Ok(())
}

fn ids(claimed: &[super::holder::Holder]) -> Vec<JobId> {
    claimed.iter().map(|holder| holder.id()).collect()
}
