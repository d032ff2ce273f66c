//! Events and waits: whichever comes second finds the first, and each serves once.

use super::holder::{Holder, payloads};
use super::shapes::{EventShape, wait};
use super::subject::LEASE;
use super::{Failure, Result, Subject};
use crate::contract::{BeatAnswer, PruneBounds};
use crate::core::{Millis, Settle, StepRecord};

case!(d09_an_event_before_the_wait_is_found);
async fn d09_an_event_before_the_wait_is_found(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    s.advance(Millis(10));
    s.publish(&s.event("paid").payload("7")).await?;
    s.advance(Millis(10));
    let since = holder.claimed.job.head.enqueued_at;
    s.apply(&holder.park(vec![wait("paid", "paid", None, since)], None))
        .await?;
    check_eq!(s.claim_one().await?.inbox(), [b"7".to_vec()]);
    Ok(())
}

case!(d09_an_event_during_the_attempt_is_found);
async fn d09_an_event_during_the_attempt_is_found(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    s.apply(&holder.steps(vec![wait("paid", "paid", None, s.now())]))
        .await?;
    check_eq!(s.publish(&s.event("paid").payload("7")).await?.woken, 1);
    let applied = s.apply(&holder.steps(Vec::new())).await?;
    let inbox = applied.nudge.map(|nudge| payloads(&nudge.inbox));
    check_eq!(inbox, Some(vec![b"7".to_vec()]));
    Ok(())
}

case!(d09_an_event_after_the_park_wakes_the_run);
async fn d09_an_event_after_the_park_wakes_the_run(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    s.apply(&holder.park(vec![wait("paid", "paid", None, s.now())], None))
        .await?;
    s.claim_nothing().await?;
    check_eq!(s.publish(&s.event("paid").payload("7")).await?.woken, 1);
    let next = s.claim_one().await?;
    check_eq!(next.inbox(), [b"7".to_vec()]);
    check_eq!(next.claimed.job.head.attempt, 1);
    Ok(())
}

case!(an_event_of_the_same_instant_as_the_enqueue_counts);
async fn an_event_of_the_same_instant_as_the_enqueue_counts(s: Subject) -> Result {
    s.publish(&s.event("paid").payload("7")).await?;
    let mut holder = s.start(&s.job("mail")).await?;
    s.apply(&holder.park(vec![wait("paid", "paid", None, s.now())], None))
        .await?;
    check_eq!(s.claim_one().await?.inbox(), [b"7".to_vec()]);
    Ok(())
}

case!(an_event_from_before_the_wait_counts_is_left_alone);
async fn an_event_from_before_the_wait_counts_is_left_alone(s: Subject) -> Result {
    s.publish(&s.event("paid")).await?;
    s.advance(Millis(1));
    let mut holder = s.start(&s.job("mail")).await?;
    s.apply(&holder.park(vec![wait("paid", "paid", None, s.now())], None))
        .await?;
    s.claim_nothing().await
}

case!(d08_a_null_payload_is_an_event);
async fn d08_a_null_payload_is_an_event(s: Subject) -> Result {
    for payload in ["null", ""] {
        let mut holder = s.start(&s.job("mail")).await?;
        s.apply(&holder.park(vec![wait("paid", "paid", None, s.now())], None))
            .await?;
        s.publish(&s.event("paid").payload(payload)).await?;
        let next = s.claim_one().await?;
        check_eq!(next.inbox()[0], payload.as_bytes().to_vec());
        s.cancel(next.id()).await?;
        s.advance(Millis(1));
    }
    Ok(())
}

case!(b33_keys_that_begin_alike_do_not_meet);
async fn b33_keys_that_begin_alike_do_not_meet(s: Subject) -> Result {
    let keys = ["1", "10", "1 ", "%", "_", "", "1%"];
    for key in keys {
        let mut holder = s.start(&s.job("mail")).await?;
        let paid = wait("paid", "paid", Some(key), s.now());
        s.apply(&holder.park(vec![paid], None)).await?;
    }
    for key in keys {
        let published = s.publish(&s.event("paid").key(key).payload(key)).await?;
        check_eq!(published.woken, 1, "{key:?}");
        let next = s.claim_one().await?;
        check_eq!(next.inbox(), [key.as_bytes().to_vec()]);
    }
    Ok(())
}

case!(a_wait_with_a_key_takes_no_event_without_one);
async fn a_wait_with_a_key_takes_no_event_without_one(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let paid = wait("paid", "paid", Some("7"), s.now());
    s.apply(&holder.park(vec![paid], None)).await?;
    check_eq!(s.publish(&s.event("paid")).await?.woken, 0);
    check_eq!(s.publish(&s.event("other").key("7")).await?.woken, 0);
    s.claim_nothing().await
}

case!(a_wait_without_a_key_takes_any_event_of_its_name);
async fn a_wait_without_a_key_takes_any_event_of_its_name(s: Subject) -> Result {
    for event in [s.event("paid"), s.event("paid").key("7")] {
        let mut holder = s.start(&s.job("mail")).await?;
        s.apply(&holder.park(vec![wait("paid", "paid", None, s.now())], None))
            .await?;
        check_eq!(s.publish(&event).await?.woken, 1);
        let next = s.claim_one().await?;
        s.cancel(next.id()).await?;
        s.advance(Millis(1));
    }
    Ok(())
}

case!(a_wait_takes_events_of_the_former_names_too);
async fn a_wait_takes_events_of_the_former_names_too(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let mut paid = wait("paid", "paid", None, s.now());
    if let Some(wait) = &mut paid.wait {
        wait.names.push("payed".into());
    }
    s.apply(&holder.park(vec![paid], None)).await?;
    check_eq!(s.publish(&s.event("payed")).await?.woken, 1);
    s.claim_one().await?;
    Ok(())
}

case!(one_event_serves_every_run_that_waits);
async fn one_event_serves_every_run_that_waits(s: Subject) -> Result {
    for _ in 0..5 {
        let mut holder = s.start(&s.job("mail")).await?;
        s.apply(&holder.park(vec![wait("paid", "paid", None, s.now())], None))
            .await?;
    }
    check_eq!(s.publish(&s.event("paid")).await?.woken, 5);
    check_eq!(s.claim(10).await?.len(), 5);
    Ok(())
}

case!(the_earliest_event_comes_first);
async fn the_earliest_event_comes_first(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    for payload in ["1", "2", "3"] {
        s.publish(&s.event("paid").payload(payload)).await?;
    }
    s.apply(&holder.park(vec![wait("paid", "paid", None, s.now())], None))
        .await?;
    check_eq!(s.claim_one().await?.inbox()[0], b"1".to_vec());
    Ok(())
}

case!(a_second_wait_of_a_run_takes_the_next_event);
async fn a_second_wait_of_a_run_takes_the_next_event(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let since = s.now();
    for payload in ["1", "2"] {
        s.publish(&s.event("paid").payload(payload)).await?;
    }
    let first = wait("first", "paid", None, since);
    s.apply(&holder.park(vec![first.clone()], None)).await?;
    let mut holder = s.claim_one().await?;
    consume(&s, &mut holder, first).await?;
    let second = wait("second", "paid", None, since);
    s.apply(&holder.park(vec![second], None)).await?;
    check_eq!(s.claim_one().await?.inbox(), [b"2".to_vec()]);
    Ok(())
}

case!(two_waits_at_once_take_an_event_each);
async fn two_waits_at_once_take_an_event_each(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    for payload in ["1", "2"] {
        s.publish(&s.event("paid").payload(payload)).await?;
    }
    let waits = ["a", "b"].map(|step| wait(step, "paid", None, s.now()));
    s.apply(&holder.park(waits.to_vec(), None)).await?;
    let inbox = s.claim_one().await?.inbox();
    check_eq!(inbox, [b"1".to_vec(), b"2".to_vec()]);
    Ok(())
}

case!(a_wait_beside_a_served_one_takes_the_next_event);
async fn a_wait_beside_a_served_one_takes_the_next_event(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    for payload in ["1", "2"] {
        s.publish(&s.event("paid").payload(payload)).await?;
    }
    for step in ["a", "b"] {
        let wait = wait(step, "paid", None, s.now());
        s.apply(&holder.steps(vec![wait])).await?;
    }
    s.apply(&holder.settle(Settle::HandBack)).await?;
    let inbox = s.claim_one().await?.inbox();
    check_eq!(inbox, [b"1".to_vec(), b"2".to_vec()]);
    Ok(())
}

case!(a_served_wait_takes_no_more_events_with_each_commit);
async fn a_served_wait_takes_no_more_events_with_each_commit(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    for payload in ["1", "2", "3", "4"] {
        s.publish(&s.event("paid").payload(payload)).await?;
    }
    let paid = wait("paid", "paid", None, s.now());
    s.apply(&holder.steps(vec![paid])).await?;
    for name in ["one", "two"] {
        let step = holder.step(name, "1");
        s.apply(&holder.steps(vec![step])).await?;
    }
    check_eq!(s.view(holder.id()).await?.inbox.len(), 1);
    Ok(())
}

case!(a_consumed_event_never_comes_again);
async fn a_consumed_event_never_comes_again(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    s.publish(&s.event("paid")).await?;
    let first = wait("first", "paid", None, s.now());
    s.apply(&holder.park(vec![first.clone()], None)).await?;
    let mut holder = s.claim_one().await?;
    consume(&s, &mut holder, first).await?;
    let second = wait("second", "paid", None, s.now());
    s.apply(&holder.park(vec![second], None)).await?;
    s.claim_nothing().await?;
    check_eq!(s.view(holder.id()).await?.inbox.len(), 1);
    Ok(())
}

case!(a_removed_wait_is_not_served);
async fn a_removed_wait_is_not_served(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let paid = wait("paid", "paid", None, s.now());
    s.apply(&holder.steps(vec![paid])).await?;
    let commit = holder.park(Vec::new(), None);
    s.apply(&commit.removing(vec!["paid".into()])).await?;
    check_eq!(s.publish(&s.event("paid")).await?.woken, 0);
    s.claim_nothing().await
}

case!(a_stored_event_expires);
async fn a_stored_event_expires(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let since = s.now();
    s.publish(&s.event("paid").ttl(Millis(1000))).await?;
    s.advance(Millis(1000));
    s.apply(&holder.park(vec![wait("paid", "paid", None, since)], None))
        .await?;
    s.claim_nothing().await
}

case!(a_pinned_event_outlives_its_time_and_retention);
async fn a_pinned_event_outlives_its_time_and_retention(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    s.apply(&holder.park(vec![wait("paid", "paid", None, s.now())], None))
        .await?;
    s.publish(&s.event("paid").ttl(Millis(10)).payload("7"))
        .await?;
    s.advance(Millis(1000));
    let bounds = PruneBounds {
        ended_before: s.now(),
        rules: Vec::new(),
        spared: Millis(0),
        events_expired_before: s.now(),
        dead_before: None,
        limit: 10,
    };
    check_eq!(s.driver().prune(&bounds, Some(s.now())).await?.events, 1);
    check_eq!(s.claim_one().await?.inbox(), [b"7".to_vec()]);
    Ok(())
}

case!(an_event_that_arrives_twice_is_one_event);
async fn an_event_that_arrives_twice_is_one_event(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    s.apply(&holder.park(vec![wait("paid", "paid", None, s.now())], None))
        .await?;
    let event = s.event("paid");
    let first = s.publish(&event).await?;
    let second = s.publish(&event).await?;
    check_eq!((second.id, second.seq), (first.id, first.seq));
    check_eq!(s.claim_one().await?.inbox().len(), 1);
    check_eq!(s.inspect().events(None, 0, 10).await?.len(), 1);
    Ok(())
}

case!(an_event_for_a_running_run_comes_with_its_heartbeat);
async fn an_event_for_a_running_run_comes_with_its_heartbeat(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    s.apply(&holder.steps(vec![wait("paid", "paid", None, s.now())]))
        .await?;
    s.publish(&s.event("paid").payload("7")).await?;
    let end = s.row(holder.id()).await?.head.visible_at;
    check_eq!(end, Some(holder.until()), "its lease is as long as before");
    let BeatAnswer::Held {
        nudge: Some(nudge), ..
    } = s.beat(&holder, LEASE).await?
    else {
        return Err(Failure::here("no news"));
    };
    check_eq!(payloads(&nudge.inbox), [b"7".to_vec()]);
    holder.seen_nudge = nudge.count;
    let again = s.beat(&holder, LEASE).await?;
    check!(
        matches!(again, BeatAnswer::Held { nudge: None, .. }),
        "news is told to those who have not seen it: {again:?}"
    );
    Ok(())
}

case!(an_event_published_by_a_commit_meets_the_waits);
async fn an_event_published_by_a_commit_meets_the_waits(s: Subject) -> Result {
    let mut waiter = s.start(&s.job("mail")).await?;
    s.apply(&waiter.park(vec![wait("paid", "paid", None, s.now())], None))
        .await?;
    let mut payer = s.start(&s.job("pay")).await?;
    let mut commit = payer.ack("1");
    commit.events = vec![s.event("paid").payload("7")];
    s.apply(&commit).await?;
    check_eq!(s.claim_one().await?.inbox(), [b"7".to_vec()]);
    Ok(())
}

case!(an_event_of_the_commit_that_parks_wakes_its_own_run);
async fn an_event_of_the_commit_that_parks_wakes_its_own_run(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let mut commit = holder.park(vec![wait("paid", "paid", None, s.now())], None);
    commit.events = vec![s.event("paid")];
    s.apply(&commit).await?;
    check_eq!(s.claim_one().await?.inbox().len(), 1);
    Ok(())
}

case!(events_are_listed_in_the_order_of_publication);
async fn events_are_listed_in_the_order_of_publication(s: Subject) -> Result {
    let mut seqs = Vec::new();
    for n in 0..10 {
        let name = if n % 2 == 0 { "even" } else { "odd" };
        let event = s.event(name).payload(format!("{n}")).key("k").tenant("t");
        seqs.push(s.publish(&event).await?.seq);
    }
    check!(seqs.windows(2).all(|pair| pair[0] < pair[1]), "{seqs:?}");
    let page = s.inspect().events(None, seqs[3], 4).await?;
    let listed: Vec<u64> = page.iter().map(|event| event.seq).collect();
    check_eq!(listed, seqs[4..8]);
    let odd = s.inspect().events(Some("odd"), 0, 10).await?;
    check_eq!(odd.len(), 5);
    check_eq!(odd[0].payload.bytes, b"1".to_vec());
    check_eq!(odd[0].key.as_deref(), Some("k"));
    check_eq!(odd[0].tenant.as_deref(), Some("t"));
    check_eq!(odd[0].published_at, s.now());
    check_eq!(odd[0].expires_at, s.now().after(super::shapes::DAY));
    Ok(())
}

case!(an_event_over_the_limit_is_refused);
async fn an_event_over_the_limit_is_refused(s: Subject) -> Result {
    let limit = s.driver().capabilities().payload_limit;
    let event = s.event("paid").payload(vec![b'x'; limit + 1]);
    match s.driver().publish(&[event], Some(s.now())).await {
        Err(error) => check_eq!(error.code(), "X_PAYLOAD_TOO_LARGE"),
        Ok(_) => return Err(Failure::here("it was stored")),
    }
    check!(s.inspect().events(None, 0, 10).await?.is_empty());
    Ok(())
}

/// Delivers the first event of the inbox to a wait, and stores that.
async fn consume(s: &Subject, holder: &mut Holder, wait: StepRecord) -> Result {
    let inbox = holder.claimed.nudge.inbox.clone();
    let record = holder.deliver_event(wait, &inbox)?;
    s.apply(&holder.steps(vec![record])).await?;
    Ok(())
}
