//! Retention: bounded, by age, and never of what lives.

use super::shapes::{EventShape, JobShape};
use super::{Result, Subject};
use crate::contract::{PruneBounds, Pruned};
use crate::core::{Millis, NewJob, Timestamp};

case!(retention_removes_no_more_than_its_limit_at_once);
async fn retention_removes_no_more_than_its_limit_at_once(s: Subject) -> Result {
    let jobs: Vec<NewJob> = (0..25).map(|_| s.job("mail")).collect();
    s.enqueue_all(&jobs).await?;
    for mut holder in s.claim(25).await? {
        s.apply(&holder.ack("1")).await?;
    }
    s.advance(Millis(1));
    for expected in [10, 10, 5, 0] {
        check_eq!(prune(&s, s.now(), 10).await?.jobs, expected);
    }
    Ok(())
}

case!(retention_keeps_what_ended_later);
async fn retention_keeps_what_ended_later(s: Subject) -> Result {
    let mut old = s.start(&s.job("mail")).await?;
    s.apply(&old.ack("1")).await?;
    s.advance(Millis(1000));
    let border = s.now();
    let mut at = s.start(&s.job("mail")).await?;
    s.apply(&at.ack("1")).await?;
    s.advance(Millis(1000));
    check_eq!(prune(&s, border, 10).await?.jobs, 1);
    check!(s.inspect().job(old.id()).await?.is_none());
    check!(s.inspect().job(at.id()).await?.is_some());
    Ok(())
}

case!(retention_never_touches_a_live_job);
async fn retention_never_touches_a_live_job(s: Subject) -> Result {
    s.enqueue(&s.job("mail").delay(Millis(u64::MAX))).await?;
    s.start(&s.job("mail")).await?;
    let mut parked = s.start(&s.job("mail")).await?;
    s.apply(&parked.park(Vec::new(), None)).await?;
    s.advance(Millis::secs(1_000_000_000));
    check_eq!(prune(&s, s.now(), 100).await?, Pruned::default());
    let stats = s.stats_of("default").await?;
    check_eq!((stats.delayed, stats.running, stats.suspended), (1, 1, 1));
    Ok(())
}

case!(retention_removes_events_whose_time_is_over);
async fn retention_removes_events_whose_time_is_over(s: Subject) -> Result {
    s.publish(&s.event("short").ttl(Millis(10))).await?;
    s.publish(&s.event("long").ttl(Millis(10_000))).await?;
    s.advance(Millis(100));
    check_eq!(prune(&s, s.now(), 100).await?.events, 1);
    let left = s.inspect().events(None, 0, 10).await?;
    check_eq!(left.len(), 1);
    check_eq!(left[0].name, "long");
    Ok(())
}

case!(a_key_kept_by_unique_for_outlives_its_pruned_job);
async fn a_key_kept_by_unique_for_outlives_its_pruned_job(s: Subject) -> Result {
    let job = || {
        let span = Some(Millis(60_000));
        s.job("mail").key("7").shape(|job| job.unique_for = span)
    };
    let mut holder = s.start(&job()).await?;
    s.apply(&holder.ack("1")).await?;
    s.advance(Millis(1000));
    check_eq!(prune(&s, s.now(), 100).await?.jobs, 1);
    let kept = s.enqueue(&job()).await?;
    check!(kept.deduped);
    check_eq!(kept.id, holder.id());
    s.advance(Millis(60_000));
    prune(&s, s.now(), 100).await?;
    check!(!s.enqueue(&job()).await?.deduped);
    Ok(())
}

async fn prune(s: &Subject, before: Timestamp, limit: usize) -> Result<Pruned> {
    let bounds = PruneBounds {
        ended_before: before,
        events_expired_before: before,
        dead_before: None,
        limit,
    };
    Ok(s.driver().prune(&bounds, Some(s.now())).await?)
}
