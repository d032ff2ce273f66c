//! Limits: never more live leases than a group may have, and never more starts than its rate (R9).

use super::holder::Holder;
use super::shapes::{JobShape, boom, some};
use super::subject::LEASE;
use super::{Result, Subject};
use crate::contract::{JobLimits, QueueSetting, TenantSetting};
use crate::core::{JobId, Millis, NewJob, Settle, Timestamp};

/// Says what the jobs named `send` are held to for each limit key.
async fn limit(s: &Subject, declared: &str) -> Result {
    let value = format!(r#"{{"declared":{declared}}}"#);
    s.write_setting(&JobLimits::key("send"), value.as_bytes(), 0)
        .await
}

fn send(s: &Subject, key: &str) -> NewJob {
    s.job("send").limit_key(key)
}

case!(i12_no_more_leases_of_a_key_are_live_than_its_limit);
async fn i12_no_more_leases_of_a_key_are_live_than_its_limit(s: Subject) -> Result {
    limit(&s, r#"{"concurrency":2}"#).await?;
    some(&s, 5, || send(&s, "a")).await?;
    some(&s, 1, || send(&s, "b")).await?;
    let mut first = s.claim(10).await?;
    check_eq!(first.len(), 3, "two of a and one of b");
    s.claim_nothing().await?;
    let a = first
        .iter_mut()
        .find(|h| h.claimed.job.spec.limit_key.as_deref() == Some("a"));
    if let Some(a) = a {
        s.apply(&a.ack("1")).await?;
    }
    check_eq!(s.claim(10).await?.len(), 1, "one has ended");
    Ok(())
}

case!(a_lost_lease_gives_its_place_back_by_itself);
async fn a_lost_lease_gives_its_place_back_by_itself(s: Subject) -> Result {
    limit(&s, r#"{"concurrency":1}"#).await?;
    some(&s, 3, || send(&s, "a")).await?;
    let lost = s.claim(10).await?;
    check_eq!(lost.len(), 1);
    s.advance(LEASE);
    let next = s.claim(10).await?;
    check_eq!(next.len(), 1, "the worker is dead, and so is its count");
    s.advance(Millis(1));
    s.claim_nothing().await
}

case!(a_suspended_run_holds_no_place_and_needs_one_to_go_on);
async fn a_suspended_run_holds_no_place_and_needs_one_to_go_on(s: Subject) -> Result {
    limit(&s, r#"{"concurrency":1}"#).await?;
    let ids = some(&s, 2, || send(&s, "a")).await?;
    let mut first = s.claim_one().await?;
    let wake = s.now().after(Millis::secs(5));
    s.apply(&first.park(Vec::new(), Some(wake))).await?;
    let mut second = s.claim_one().await?;
    check!(ids.contains(&second.id()) && second.id() != first.id());
    s.advance(Millis::secs(6));
    s.claim_nothing().await?;
    s.apply(&second.ack("1")).await?;
    check_eq!(s.claim_one().await?.id(), first.id());
    Ok(())
}

case!(a_failed_attempt_gives_its_place_back);
async fn a_failed_attempt_gives_its_place_back(s: Subject) -> Result {
    limit(&s, r#"{"concurrency":1}"#).await?;
    some(&s, 2, || send(&s, "a")).await?;
    let mut first = s.claim_one().await?;
    s.apply(&first.retry(Millis::secs(60), boom())).await?;
    check!(s.claim_one().await?.id() != first.id());
    Ok(())
}

case!(b57_the_next_of_a_key_runs_after_a_fatal_failure);
async fn b57_the_next_of_a_key_runs_after_a_fatal_failure(s: Subject) -> Result {
    limit(&s, r#"{"concurrency":1}"#).await?;
    some(&s, 2, || send(&s, "a")).await?;
    let mut first = s.claim_one().await?;
    s.apply(&first.settle(Settle::Fail { error: boom() }))
        .await?;
    check!(s.claim_one().await?.id() != first.id());
    Ok(())
}

case!(a_full_key_hides_no_other_work);
async fn a_full_key_hides_no_other_work(s: Subject) -> Result {
    limit(&s, r#"{"concurrency":1}"#).await?;
    some(&s, 50, || send(&s, "a")).await?;
    s.claim_one().await?;
    s.advance(Millis(1));
    let plain = s.job("mail");
    let other = send(&s, "b").priority(9);
    s.enqueue_all(&[plain.clone(), other.clone()]).await?;
    let claimed: Vec<JobId> = s.claim(10).await?.iter().map(Holder::id).collect();
    check_eq!(claimed, [plain.spec.id, other.spec.id]);
    Ok(())
}

case!(a_full_key_says_that_it_holds_work_back_and_does_not_ask_to_be_polled);
async fn a_full_key_says_that_it_holds_work_back_and_does_not_ask_to_be_polled(
    s: Subject,
) -> Result {
    limit(&s, r#"{"concurrency":1}"#).await?;
    some(&s, 2, || send(&s, "a")).await?;
    s.claim_one().await?;
    let claims = s.claims(&s.request(10)).await?;
    check!(claims.held);
    check!(
        claims.next_visible_at.is_none_or(|at| at > s.now()),
        "a worker would ask again at once, for ever: {:?}",
        claims.next_visible_at
    );
    Ok(())
}

case!(an_operator_changes_a_limit_while_jobs_wait);
async fn an_operator_changes_a_limit_while_jobs_wait(s: Subject) -> Result {
    limit(&s, r#"{"concurrency":1}"#).await?;
    some(&s, 5, || send(&s, "a")).await?;
    s.claim_one().await?;
    let key = JobLimits::key("send");
    let revision = s.driver().settings(&key).await?[0].revision;
    let value = br#"{"declared":{"concurrency":1},"override":{"concurrency":3}}"#;
    s.write_setting(&key, value, revision).await?;
    check_eq!(s.claim(10).await?.len(), 2);
    Ok(())
}

case!(a_queue_has_a_limit_of_its_own);
async fn a_queue_has_a_limit_of_its_own(s: Subject) -> Result {
    let key = QueueSetting::key("slow");
    s.write_setting(&key, br#"{"concurrency":2}"#, 0).await?;
    some(&s, 4, || s.job("mail").queue("slow")).await?;
    some(&s, 1, || s.job("mail")).await?;
    check_eq!(s.claim(10).await?.len(), 3);
    s.claim_nothing().await
}

case!(i12_a_tenant_has_a_limit_in_each_queue);
async fn i12_a_tenant_has_a_limit_in_each_queue(s: Subject) -> Result {
    let key = QueueSetting::key("default");
    s.write_setting(&key, br#"{"tenant":{"concurrency":2}}"#, 0)
        .await?;
    s.write_setting(&TenantSetting::key("big"), br#"{"concurrency":3}"#, 0)
        .await?;
    some(&s, 5, || s.job("mail").tenant("a")).await?;
    some(&s, 5, || s.job("mail").tenant("big")).await?;
    some(&s, 5, || s.job("mail").tenant("a").queue("other")).await?;
    let claimed = s.claim(100).await?;
    let of = |tenant: &str, queue: &str| {
        let mine = |h: &&Holder| {
            let spec = &h.claimed.job.spec;
            spec.tenant.as_deref() == Some(tenant) && spec.queue == queue
        };
        claimed.iter().filter(mine).count()
    };
    check_eq!((of("a", "default"), of("big", "default")), (2, 3));
    check_eq!(of("a", "other"), 5);
    Ok(())
}

case!(d29_a_limit_key_is_opaque);
async fn d29_a_limit_key_is_opaque(s: Subject) -> Result {
    limit(&s, r#"{"concurrency":1}"#).await?;
    let keys = [
        "*", ":", "/", "a/b", "a", "{}", "", "'", "%2F", "\0", "~", "é",
    ];
    for key in keys {
        some(&s, 2, || send(&s, key)).await?;
    }
    check_eq!(s.claim(100).await?.len(), keys.len());
    s.claim_nothing().await
}

case!(one_key_of_two_definitions_is_two_limits);
async fn one_key_of_two_definitions_is_two_limits(s: Subject) -> Result {
    limit(&s, r#"{"concurrency":1}"#).await?;
    some(&s, 2, || send(&s, "a")).await?;
    some(&s, 2, || s.job("fetch").limit_key("a")).await?;
    check_eq!(
        s.claim(10).await?.len(),
        3,
        "only one of the two is limited"
    );
    Ok(())
}

case!(a_rate_spreads_starts_and_says_when_the_next_may_be);
async fn a_rate_spreads_starts_and_says_when_the_next_may_be(s: Subject) -> Result {
    limit(&s, r#"{"rate":"2/s"}"#).await?;
    some(&s, 5, || send(&s, "a")).await?;
    let claims = s.claims(&s.request(10)).await?;
    check_eq!(claims.jobs.len(), 2);
    check_eq!(claims.next_visible_at, Some(s.now().after(Millis(500))));
    s.advance(Millis(499));
    s.claim_nothing().await?;
    s.advance(Millis(1));
    check_eq!(s.claim(10).await?.len(), 1);
    s.advance(Millis::secs(1));
    check_eq!(s.claim(10).await?.len(), 2);
    Ok(())
}

case!(what_goes_on_after_a_suspension_is_not_held_to_the_rate);
async fn what_goes_on_after_a_suspension_is_not_held_to_the_rate(s: Subject) -> Result {
    limit(&s, r#"{"rate":"1/min"}"#).await?;
    some(&s, 2, || send(&s, "a")).await?;
    let mut first = s.claim_one().await?;
    let wake = s.now().after(Millis::secs(1));
    s.apply(&first.park(Vec::new(), Some(wake))).await?;
    s.advance(Millis::secs(2));
    check_eq!(s.claim_one().await?.id(), first.id());
    Ok(())
}

case!(no_claim_among_many_goes_beyond_a_limit);
async fn no_claim_among_many_goes_beyond_a_limit(s: Subject) -> Result {
    limit(&s, r#"{"concurrency":5}"#).await?;
    some(&s, 40, || send(&s, "a")).await?;
    let claims = (0..16).map(|_| {
        let s = s.clone();
        tokio::spawn(async move { s.claim(10).await.map(|claimed| claimed.len()) })
    });
    let mut leased = 0;
    for claim in claims.collect::<Vec<_>>() {
        leased += claim
            .await
            .map_err(|e| super::Failure::here(e.to_string()))??;
    }
    check_eq!(leased, 5);
    check_eq!(s.stats_of("default").await?.running, 5);
    Ok(())
}

case!(a_job_that_expired_behind_a_limit_is_not_started);
async fn a_job_that_expired_behind_a_limit_is_not_started(s: Subject) -> Result {
    limit(&s, r#"{"concurrency":1}"#).await?;
    let mut first = s.start(&send(&s, "a")).await?;
    let mut late = send(&s, "a");
    late.spec.expires_at = Some(Timestamp(s.now().0 + 1_000));
    s.enqueue(&late).await?;
    s.advance(Millis::secs(2));
    s.apply(&first.ack("1")).await?;
    s.claim_nothing().await?;
    s.expect_state(late.spec.id, crate::core::State::Failed)
        .await?;
    Ok(())
}
