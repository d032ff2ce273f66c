//! Children: enqueued with the commit that wants them, heard of in the parent's inbox.

use super::holder::Holder;
use super::shapes::{JobShape, boom, done};
use super::{Failure, Result, Subject};
use crate::contract::PruneBounds;
use crate::core::{
    Commit, InboxContent, InboxItem, Millis, NewJob, Parent, RecordKind, Settle, StepOutcome,
    StepRecord,
};

case!(a_child_is_enqueued_with_the_commit_or_not_at_all);
async fn a_child_is_enqueued_with_the_commit_or_not_at_all(s: Subject) -> Result {
    let mut parent = s.start(&s.job("order")).await?;
    let child = child_of(&s, &parent);
    let commit = park_for(&s, &mut parent, &child);
    let mut stale = commit.clone();
    if let crate::core::CommitGuard::Lease(number) = &mut stale.guard {
        number.token.nonce ^= 1;
    }
    s.commit(&stale).await?;
    check!(s.inspect().job(child.spec.id).await?.is_none());
    let applied = s.apply(&commit).await?;
    check_eq!(applied.children, [child.spec.id]);
    check_eq!(s.row(child.spec.id).await?.spec, child.spec);
    Ok(())
}

case!(the_end_of_a_child_wakes_its_parent);
async fn the_end_of_a_child_wakes_its_parent(s: Subject) -> Result {
    let ends = [
        (
            Settle::Ack {
                output: crate::core::Payload::json(*b"7"),
            },
            Some(done("7")),
        ),
        (
            Settle::Fail { error: boom() },
            Some(StepOutcome::Failed(boom())),
        ),
        (
            Settle::Retry {
                delay: Millis(1),
                error: boom(),
            },
            Some(StepOutcome::Failed(boom())),
        ),
        (Settle::Cancel, None),
    ];
    for (settle, expected) in ends {
        let mut parent = s.start(&s.job("order")).await?;
        let child = child_of(&s, &parent).attempts(1);
        s.apply(&park_for(&s, &mut parent, &child)).await?;
        let mut holder = s.claim_one().await?;
        check_eq!(holder.id(), child.spec.id);
        s.apply(&holder.settle(settle)).await?;
        let mut parent = s.claim_one().await?;
        let outcome = outcome_of(&parent.claimed.nudge.inbox, &child)?;
        match expected {
            Some(expected) => check_eq!(outcome, expected),
            None => check!(matches!(outcome, StepOutcome::Failed(_)), "{outcome:?}"),
        }
        s.apply(&parent.ack("1")).await?;
        s.advance(Millis(1));
    }
    Ok(())
}

case!(a_child_that_loses_its_last_worker_wakes_its_parent);
async fn a_child_that_loses_its_last_worker_wakes_its_parent(s: Subject) -> Result {
    let mut parent = s.start(&s.job("order")).await?;
    let child = child_of(&s, &parent).attempts(1);
    s.apply(&park_for(&s, &mut parent, &child)).await?;
    let lost = s.claim_one().await?;
    s.advance_to(lost.until());
    let mut woken = s.claim(10).await?;
    woken.extend(s.claim(10).await?);
    check_eq!(woken.len(), 1, "the parent, in this claim or the next");
    outcome_of(&woken[0].claimed.nudge.inbox, &child)?;
    Ok(())
}

case!(a_child_outcome_outlives_the_child);
async fn a_child_outcome_outlives_the_child(s: Subject) -> Result {
    let mut parent = s.start(&s.job("order")).await?;
    let child = child_of(&s, &parent);
    s.apply(&park_for(&s, &mut parent, &child)).await?;
    let mut holder = s.claim_one().await?;
    s.apply(&holder.ack("7")).await?;
    s.advance(Millis(1));
    let bounds = PruneBounds {
        ended_before: s.now(),
        events_expired_before: s.now(),
        dead_before: None,
        limit: 10,
    };
    check_eq!(s.driver().prune(&bounds, Some(s.now())).await?.jobs, 1);
    let parent = s.claim_one().await?;
    check_eq!(outcome_of(&parent.claimed.nudge.inbox, &child)?, done("7"));
    Ok(())
}

case!(a_child_whose_key_is_taken_is_joined);
async fn a_child_whose_key_is_taken_is_joined(s: Subject) -> Result {
    let holder_of_key = s.job("bill").key("7").delay(Millis(10));
    s.enqueue(&holder_of_key).await?;
    let mut parent = s.start(&s.job("order")).await?;
    let child = child_of(&s, &parent).key("7").or_error();
    let applied = s.apply(&park_for(&s, &mut parent, &child)).await?;
    check_eq!(applied.children, [holder_of_key.spec.id]);
    check!(s.inspect().job(child.spec.id).await?.is_none());
    s.advance(Millis(10));
    let mut joined = s.claim_one().await?;
    s.apply(&joined.ack("7")).await?;
    let parent = s.claim_one().await?;
    let outcome = outcome_of(&parent.claimed.nudge.inbox, &holder_of_key)?;
    check_eq!(outcome, done("7"));
    Ok(())
}

case!(an_ended_parent_is_not_told);
async fn an_ended_parent_is_not_told(s: Subject) -> Result {
    let mut parent = s.start(&s.job("order")).await?;
    let child = child_of(&s, &parent);
    s.apply(&park_for(&s, &mut parent, &child)).await?;
    let mut holder = s.claim_one().await?;
    s.cancel(parent.id()).await?;
    let ended = s.row(parent.id()).await?;
    s.apply(&holder.ack("1")).await?;
    check_eq!(s.row(parent.id()).await?, ended);
    s.claim_nothing().await
}

case!(a_delivered_child_is_no_news_any_more);
async fn a_delivered_child_is_no_news_any_more(s: Subject) -> Result {
    let mut parent = s.start(&s.job("order")).await?;
    let child = child_of(&s, &parent);
    s.apply(&park_for(&s, &mut parent, &child)).await?;
    let mut holder = s.claim_one().await?;
    s.apply(&holder.ack("7")).await?;
    let mut parent = s.claim_one().await?;
    let record = parent.deliver(pending(&s, &child), done("7"));
    s.apply(&parent.steps(vec![record])).await?;
    s.apply(&parent.settle(Settle::HandBack)).await?;
    let parent = s.claim_one().await?;
    check!(parent.claimed.nudge.inbox.is_empty());
    Ok(())
}

case!(a_last_commit_may_hand_its_key_to_its_successor);
async fn a_last_commit_may_hand_its_key_to_its_successor(s: Subject) -> Result {
    let mut holder = s.start(&s.job("order").key("7")).await?;
    let successor = s.job("order").key("7");
    let mut commit = holder.ack("1");
    commit.children = vec![successor.clone()];
    let applied = s.apply(&commit).await?;
    check_eq!(applied.children, [successor.spec.id]);
    check_eq!(s.claim_one().await?.id(), successor.spec.id);
    Ok(())
}

fn child_of(s: &Subject, parent: &Holder) -> NewJob {
    let spec = &parent.claimed.job.spec;
    let parent = Parent {
        job: spec.id,
        run: spec.run_id,
        step: "bill".into(),
    };
    s.job("bill").shape(|job| job.spec.parent = Some(parent))
}

fn pending(s: &Subject, child: &NewJob) -> StepRecord {
    StepRecord {
        child: Some(child.spec.id),
        ..StepRecord::pending("bill", RecordKind::Child, s.now())
    }
}

fn park_for(s: &Subject, parent: &mut Holder, child: &NewJob) -> Commit {
    let mut commit = parent.park(vec![pending(s, child)], None);
    commit.children = vec![child.clone()];
    commit
}

fn outcome_of(inbox: &[InboxItem], child: &NewJob) -> Result<StepOutcome> {
    match inbox {
        [
            InboxItem {
                content: InboxContent::Child { job, outcome },
                ..
            },
        ] if *job == child.spec.id => Ok(outcome.clone()),
        other => Err(Failure::here(format!("not that child: {other:?}"))),
    }
}
