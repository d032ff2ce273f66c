//! Retention: bounded, by age, and never of what lives.

use super::shapes::{EventShape, JobShape, boom};
use super::{Result, Subject};
use crate::contract::{PruneBounds, PruneRule, Pruned};
use crate::core::{JobId, Millis, NewJob, Payload, Settle, State, Timestamp};

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

/// Ends so many jobs of this name, a second apart.
async fn end(s: &Subject, name: &str, how: &Settle, count: usize) -> Result<Vec<JobId>> {
    let mut ended = Vec::new();
    for _ in 0..count {
        let mut holder = s.start(&s.job(name).attempts(1)).await?;
        s.apply(&holder.settle(how.clone())).await?;
        ended.push(holder.id());
        s.advance(Millis::secs(1));
    }
    Ok(ended)
}

fn ack() -> Settle {
    let output = Payload::json(*b"1");
    Settle::Ack { output }
}

fn rule(name: Option<&str>, state: State) -> PruneRule {
    PruneRule {
        name: name.map(str::to_owned),
        state,
        before: None,
        keep: None,
    }
}

async fn prune_by(s: &Subject, rules: Vec<PruneRule>, limit: usize) -> Result<u64> {
    let bounds = PruneBounds {
        rules,
        limit,
        ..PruneBounds::default()
    };
    Ok(s.driver().prune(&bounds, Some(s.now())).await?.jobs)
}

async fn left(s: &Subject, ids: &[JobId]) -> Result<usize> {
    let mut left = 0;
    for id in ids {
        left += usize::from(s.inspect().job(*id).await?.is_some());
    }
    Ok(left)
}

case!(retention_by_state_and_age_takes_those_and_no_others);
async fn retention_by_state_and_age_takes_those_and_no_others(s: Subject) -> Result {
    let fail = Settle::Fail { error: boom() };
    let done = end(&s, "mail", &ack(), 3).await?;
    let border = s.now();
    let young = end(&s, "mail", &ack(), 2).await?;
    let failed = end(&s, "mail", &fail, 2).await?;
    let aged = PruneRule {
        before: Some(border),
        ..rule(None, State::Done)
    };
    check_eq!(prune_by(&s, vec![aged], 100).await?, 3);
    check_eq!(left(&s, &done).await?, 0);
    check_eq!(left(&s, &young).await?, 2);
    check_eq!(left(&s, &failed).await?, 2);
    Ok(())
}

case!(retention_by_count_keeps_those_that_ended_last_of_each_name);
async fn retention_by_count_keeps_those_that_ended_last_of_each_name(s: Subject) -> Result {
    let mail = end(&s, "mail", &ack(), 5).await?;
    let bill = end(&s, "bill", &ack(), 2).await?;
    let newest = PruneRule {
        keep: Some(2),
        ..rule(None, State::Done)
    };
    check_eq!(prune_by(&s, vec![newest], 100).await?, 3);
    check_eq!(left(&s, &mail[3..]).await?, 2);
    check_eq!(left(&s, &mail[..3]).await?, 0);
    check_eq!(left(&s, &bill).await?, 2);
    Ok(())
}

case!(what_ended_within_the_spared_time_stays_whatever_the_rules_say);
async fn what_ended_within_the_spared_time_stays_whatever_the_rules_say(s: Subject) -> Result {
    let old = end(&s, "mail", &ack(), 3).await?;
    s.advance(Millis::secs(60));
    let young = end(&s, "mail", &ack(), 4).await?;
    for rule in [
        PruneRule {
            keep: Some(1),
            ..rule(None, State::Done)
        },
        PruneRule {
            before: Some(s.now()),
            ..rule(None, State::Done)
        },
    ] {
        let bounds = PruneBounds {
            rules: vec![rule],
            spared: Millis::secs(30),
            // The young ones that are over the number do not use it up.
            limit: 2,
            ..PruneBounds::default()
        };
        s.driver().prune(&bounds, Some(s.now())).await?;
        s.driver().prune(&bounds, Some(s.now())).await?;
        check_eq!(left(&s, &old).await?, 0);
        check_eq!(left(&s, &young).await?, 4);
    }
    Ok(())
}

case!(a_rule_for_a_name_goes_before_the_one_for_all);
async fn a_rule_for_a_name_goes_before_the_one_for_all(s: Subject) -> Result {
    let mail = end(&s, "mail", &ack(), 3).await?;
    let bill = end(&s, "bill", &ack(), 3).await?;
    let nothing = |name| PruneRule {
        keep: Some(0),
        ..rule(name, State::Done)
    };
    let all = PruneRule {
        keep: None,
        ..rule(Some("bill"), State::Done)
    };
    check_eq!(prune_by(&s, vec![nothing(None), all], 100).await?, 3);
    check_eq!(left(&s, &mail).await?, 0);
    check_eq!(left(&s, &bill).await?, 3);
    Ok(())
}

case!(a_rule_of_retention_takes_no_more_than_its_limit_at_once);
async fn a_rule_of_retention_takes_no_more_than_its_limit_at_once(s: Subject) -> Result {
    end(&s, "mail", &ack(), 7).await?;
    let nothing = PruneRule {
        keep: Some(0),
        ..rule(None, State::Done)
    };
    for expected in [3, 3, 1, 0] {
        check_eq!(prune_by(&s, vec![nothing.clone()], 3).await?, expected);
    }
    Ok(())
}

case!(i11_no_rule_of_retention_takes_a_dead_letter);
async fn i11_no_rule_of_retention_takes_a_dead_letter(s: Subject) -> Result {
    let bury = Settle::Retry {
        delay: Millis(1),
        error: boom(),
    };
    let dead = end(&s, "mail", &bury, 2).await?;
    let nothing = |state| PruneRule {
        before: Some(s.now()),
        keep: Some(0),
        ..rule(None, state)
    };
    let rules = State::ALL.map(nothing).to_vec();
    check_eq!(prune_by(&s, rules, 100).await?, 0);
    check_eq!(left(&s, &dead).await?, 2);
    Ok(())
}

async fn prune(s: &Subject, before: Timestamp, limit: usize) -> Result<Pruned> {
    let bounds = PruneBounds {
        ended_before: before,
        rules: Vec::new(),
        spared: Millis(0),
        events_expired_before: before,
        dead_before: None,
        limit,
    };
    Ok(s.driver().prune(&bounds, Some(s.now())).await?)
}
