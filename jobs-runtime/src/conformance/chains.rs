//! Chains of runs, each of which goes on as the next: one holder of a key, one consumer of events.

use super::holder::Holder;
use super::shapes::{EventShape, JobShape, wait};
use super::{Result, Subject};
use crate::contract::{PruneBounds, PruneRule};
use crate::core::{
    Chain, CommitAnswer, InboxContent, InboxItem, Millis, NewJob, Settle, State, StepRecord,
    Timestamp,
};

fn poll(s: &Subject) -> NewJob {
    s.job("poll").key("7")
}

/// Ends a run, which goes on as another, and leases that.
async fn go_on(s: &Subject, holder: &mut Holder) -> Result<Holder> {
    hand_over(s, holder).await?;
    s.claim_one().await
}

async fn hand_over(s: &Subject, holder: &mut Holder) -> Result {
    let run = holder.claimed.job.spec.run_id;
    let next = poll(s).shape(|job| job.spec.continued_from = Some(run));
    let next = Box::new(next);
    s.apply(&holder.settle(Settle::Continue { next })).await?;
    Ok(())
}

fn since(holder: &Holder) -> Timestamp {
    let job = &holder.claimed.job;
    Chain::of(&job.spec, &job.head).since
}

fn waits(step: &str, key: Option<&str>, holder: &Holder) -> StepRecord {
    wait(step, "paid", key, since(holder))
}

/// What an inbox has for a wait.
fn found<'i>(inbox: &'i [InboxItem], wait: &StepRecord) -> Option<&'i InboxItem> {
    let wait = wait.wait.as_ref();
    inbox.iter().find(|item| match &item.content {
        InboxContent::Event {
            name,
            key,
            published_at,
            ..
        } => wait.is_some_and(|wait| wait.matches(name, key.as_deref(), *published_at)),
        _ => false,
    })
}

/// Registers a wait and delivers what it finds: its payload, or `None` if it finds nothing.
async fn take(s: &Subject, holder: &mut Holder, wait: StepRecord) -> Result<Option<String>> {
    let applied = s.apply(&holder.steps(vec![wait.clone()])).await?;
    let known = holder.claimed.nudge.inbox.clone();
    let inbox = applied.nudge.map_or(known, |nudge| nudge.inbox);
    let Some(item) = found(&inbox, &wait) else {
        return Ok(None);
    };
    let InboxContent::Event { id, payload, .. } = &item.content else {
        return Ok(None);
    };
    let bytes = String::from_utf8_lossy(&payload.bytes).into_owned();
    let consumed = *id;
    let record = holder.deliver_event(wait, std::slice::from_ref(item))?;
    s.apply(&holder.steps(vec![record])).await?;
    let known = &mut holder.claimed.nudge.inbox;
    known.retain(|i| !matches!(i.content, InboxContent::Event { id, .. } if id == consumed));
    Ok(Some(bytes))
}

async fn publish(s: &Subject, key: &str, payload: &str) -> Result {
    let event = s.event("paid").key(key).payload(payload);
    s.publish(&event).await?;
    s.advance(Millis(5));
    Ok(())
}

case!(an_event_that_was_pinned_and_not_consumed_goes_along);
async fn an_event_that_was_pinned_and_not_consumed_goes_along(s: Subject) -> Result {
    let mut first = s.start(&poll(&s)).await?;
    let (one, two) = (waits("one", None, &first), waits("two", None, &first));
    s.apply(&first.steps(vec![one.clone(), two])).await?;
    for payload in ["1", "2", "3"] {
        publish(&s, "a", payload).await?;
    }
    check_eq!(take(&s, &mut first, one).await?, Some("1".into()));
    let mut second = go_on(&s, &mut first).await?;
    check_eq!(second.inbox(), [b"2".to_vec()]);
    let wait = waits("two", None, &second);
    check_eq!(take(&s, &mut second, wait).await?, Some("2".into()));
    let mut third = go_on(&s, &mut second).await?;
    let wait = waits("three", None, &third);
    check_eq!(take(&s, &mut third, wait).await?, Some("3".into()));
    let wait = waits("four", None, &third);
    check_eq!(take(&s, &mut third, wait).await?, None);
    let left = s.view(first.id()).await?.inbox;
    check_eq!(left.len(), 1, "the first run shows what it consumed");
    Ok(())
}

case!(an_event_that_no_run_waited_for_yet_is_found_by_a_later_one);
async fn an_event_that_no_run_waited_for_yet_is_found_by_a_later_one(s: Subject) -> Result {
    let mut first = s.start(&poll(&s)).await?;
    s.advance(Millis(5));
    publish(&s, "a", "1").await?;
    let mut second = go_on(&s, &mut first).await?;
    let mut third = go_on(&s, &mut second).await?;
    let wait = waits("one", Some("a"), &third);
    check_eq!(take(&s, &mut third, wait).await?, Some("1".into()));
    Ok(())
}

case!(an_event_from_before_the_chain_is_left_alone);
async fn an_event_from_before_the_chain_is_left_alone(s: Subject) -> Result {
    publish(&s, "a", "0").await?;
    let mut first = s.start(&poll(&s)).await?;
    let mut second = go_on(&s, &mut first).await?;
    let wait = waits("one", None, &second);
    check_eq!(take(&s, &mut second, wait).await?, None);
    Ok(())
}

case!(events_before_during_and_after_each_hand_over_come_once_and_in_order);
async fn events_before_during_and_after_each_hand_over_come_once_and_in_order(
    s: Subject,
) -> Result {
    let mut published = 0;
    let mut taken = Vec::new();
    let mut holder = s.start(&poll(&s)).await?;
    for _ in 0..6 {
        // While it runs, with no wait registered, ...
        for _ in 0..3 {
            published += 1;
            publish(&s, "a", &published.to_string()).await?;
        }
        let wait = waits("first", None, &holder);
        taken.extend(take(&s, &mut holder, wait).await?);
        // ... with one registered that nobody looks at any more, ...
        let lost = waits("lost", Some("a"), &holder);
        s.apply(&holder.steps(vec![lost])).await?;
        published += 1;
        publish(&s, "a", &published.to_string()).await?;
        hand_over(&s, &mut holder).await?;
        // ... and between the end of one and the lease of the next.
        published += 1;
        publish(&s, "a", &published.to_string()).await?;
        holder = s.claim_one().await?;
        let wait = waits("second", Some("a"), &holder);
        taken.extend(take(&s, &mut holder, wait).await?);
        holder = go_on(&s, &mut holder).await?;
    }
    for step in 0.. {
        let wait = waits(&format!("rest {step}"), None, &holder);
        match take(&s, &mut holder, wait).await? {
            Some(payload) => taken.push(payload),
            None => break,
        }
    }
    let all: Vec<String> = (1..=published).map(|event| event.to_string()).collect();
    check_eq!(taken, all);
    Ok(())
}

case!(what_a_run_consumed_comes_to_no_later_one_when_retention_has_removed_it);
async fn what_a_run_consumed_comes_to_no_later_one_when_retention_has_removed_it(
    s: Subject,
) -> Result {
    let mut holder = s.start(&poll(&s)).await?;
    for (key, payload) in [("a", "1"), ("b", "2"), ("a", "3")] {
        publish(&s, key, payload).await?;
    }
    let wait = waits("a", Some("a"), &holder);
    check_eq!(take(&s, &mut holder, wait).await?, Some("1".into()));
    for (key, expected) in [(None, Some("2")), (None, Some("3")), (Some("a"), None)] {
        holder = go_on(&s, &mut holder).await?;
        s.advance(Millis(1000));
        let bounds = PruneBounds {
            ended_before: s.now(),
            limit: 100,
            ..PruneBounds::default()
        };
        check_eq!(s.driver().prune(&bounds, Some(s.now())).await?.jobs, 1);
        let wait = waits("next", key, &holder);
        check_eq!(
            take(&s, &mut holder, wait).await?,
            expected.map(Into::into),
            "with {key:?}"
        );
    }
    Ok(())
}

case!(a_job_that_follows_gets_the_events_of_the_chain_it_goes_on_with);
async fn a_job_that_follows_gets_the_events_of_the_chain_it_goes_on_with(s: Subject) -> Result {
    let mut first = s.start(&poll(&s)).await?;
    let lost = waits("lost", None, &first);
    s.apply(&first.steps(vec![lost])).await?;
    publish(&s, "a", "1").await?;
    let follower = s.enqueue(&poll(&s).or_replace()).await?;
    publish(&s, "a", "2").await?;
    let mut second = go_on(&s, &mut first).await?;
    check_eq!(second.id(), follower.id);
    for (step, expected) in [("one", "1"), ("two", "2")] {
        let wait = waits(step, None, &second);
        check_eq!(take(&s, &mut second, wait).await?, Some(expected.into()));
    }
    Ok(())
}

case!(a_run_of_another_tenant_gets_no_events_of_the_one_before);
async fn a_run_of_another_tenant_gets_no_events_of_the_one_before(s: Subject) -> Result {
    let mut first = s.start(&poll(&s).tenant("acme")).await?;
    let lost = waits("lost", None, &first);
    s.apply(&first.steps(vec![lost])).await?;
    let secret = s.event("paid").tenant("acme");
    s.publish(&secret).await?;
    s.advance(Millis(5));
    let next = Box::new(poll(&s).tenant("evil"));
    s.apply(&first.settle(Settle::Continue { next })).await?;
    let mut second = s.claim_one().await?;
    check!(second.inbox().is_empty());
    let wait = waits("one", None, &second);
    check_eq!(take(&s, &mut second, wait).await?, None);
    Ok(())
}

case!(a_revived_run_gets_no_event_that_its_chain_has_consumed_since);
async fn a_revived_run_gets_no_event_that_its_chain_has_consumed_since(s: Subject) -> Result {
    let mut first = s.start(&poll(&s)).await?;
    publish(&s, "a", "1").await?;
    publish(&s, "a", "2").await?;
    let wait = waits("one", None, &first);
    check_eq!(take(&s, &mut first, wait).await?, Some("1".into()));
    let mut second = go_on(&s, &mut first).await?;
    let wait = waits("two", None, &second);
    check_eq!(take(&s, &mut second, wait).await?, Some("2".into()));
    s.apply(&second.ack("1")).await?;
    let answer = s.requeue(first.id(), &["one"]).await?;
    check!(matches!(answer, CommitAnswer::Applied(_)), "{answer:?}");
    let mut again = s.claim_one().await?;
    check_eq!(again.inbox(), [b"1".to_vec()], "its own is free again");
    let wait = waits("one", None, &again);
    check_eq!(take(&s, &mut again, wait).await?, Some("1".into()));
    let wait = waits("two", None, &again);
    check_eq!(take(&s, &mut again, wait).await?, None);
    Ok(())
}

case!(a_chain_holds_its_key_and_leaves_what_retention_keeps);
async fn a_chain_holds_its_key_and_leaves_what_retention_keeps(s: Subject) -> Result {
    let mut holder = s.start(&poll(&s)).await?;
    let first = holder.id();
    let newest = PruneRule {
        name: Some("poll".into()),
        state: State::Done,
        before: None,
        keep: Some(3),
    };
    let bounds = PruneBounds {
        rules: vec![newest],
        limit: 10,
        ..PruneBounds::default()
    };
    for _ in 0..30 {
        s.advance(Millis(10));
        holder = go_on(&s, &mut holder).await?;
        check_eq!(
            s.enqueue(&poll(&s)).await?.id,
            holder.id(),
            "the key is held"
        );
        s.driver().prune(&bounds, Some(s.now())).await?;
        let filter = crate::contract::JobFilter::default();
        let kept = s.inspect().list(&filter, None, 100).await?.jobs;
        let kept = kept.len();
        check!(kept <= 4, "one runs and three are kept, not {kept}");
    }
    check!(s.inspect().job(first).await?.is_none());
    s.apply(&holder.ack("1")).await?;
    check!(!s.enqueue(&poll(&s)).await?.deduped, "the key is free");
    Ok(())
}

case!(i10_a_chain_that_is_cancelled_goes_on_no_more);
async fn i10_a_chain_that_is_cancelled_goes_on_no_more(s: Subject) -> Result {
    let mut first = s.start(&poll(&s)).await?;
    let mut second = go_on(&s, &mut first).await?;
    s.cancel(second.id()).await?;
    let next = Box::new(poll(&s));
    let id = next.spec.id;
    let answer = s.commit(&second.settle(Settle::Continue { next })).await?;
    check_eq!(answer, CommitAnswer::Cancelled);
    check!(s.inspect().job(id).await?.is_none());
    s.claim_nothing().await?;
    check!(!s.enqueue(&poll(&s)).await?.deduped, "the key is free");
    Ok(())
}

case!(a_hand_over_whose_answer_was_lost_goes_on_once);
async fn a_hand_over_whose_answer_was_lost_goes_on_once(s: Subject) -> Result {
    let mut first = s.start(&poll(&s)).await?;
    let lost = waits("lost", None, &first);
    s.apply(&first.steps(vec![lost])).await?;
    publish(&s, "a", "1").await?;
    let next = Box::new(poll(&s));
    let commit = first.settle(Settle::Continue { next });
    s.apply(&commit).await?;
    s.apply(&commit).await?;
    let second = s.claim_one().await?;
    check_eq!(second.inbox(), [b"1".to_vec()]);
    s.claim_nothing().await
}
