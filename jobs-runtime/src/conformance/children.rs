//! Children: enqueued with the commit that wants them, heard of in the parent's inbox.

use super::holder::Holder;
use super::shapes::{JobShape, boom, done};
use super::{Failure, Result, Subject};
use crate::contract::{Enqueued, PruneBounds};
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

case!(a_child_that_a_claim_ends_is_told_of_to_a_parent_of_the_same_claim);
async fn a_child_that_a_claim_ends_is_told_of_to_a_parent_of_the_same_claim(s: Subject) -> Result {
    let mut parent = s.start(&s.job("order")).await?;
    let mut child = child_of(&s, &parent);
    child.spec.expires_at = Some(s.now().after(Millis(10)));
    let mut park = park_for(&s, &mut parent, &child);
    park.settle = Some(Settle::Suspend {
        wake_at: Some(s.now()),
    });
    s.apply(&park).await?;
    s.advance(Millis(10));
    let parent = s.claim(10).await?.into_iter().next();
    let parent = parent.ok_or_else(|| Failure::here("the parent is not visible"))?;
    s.claim_nothing().await?;
    s.expect_state(child.spec.id, crate::core::State::Failed)
        .await?;
    let view = s.view(parent.id()).await?;
    let outcome = outcome_of(&view.inbox, &child)?;
    check!(matches!(outcome, StepOutcome::Failed(_)));
    check_eq!(view.job.head.nudge, 1, "it may not park beside the news");
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
        rules: Vec::new(),
        spared: Millis(0),
        events_expired_before: s.now(),
        dead_before: None,
        limit: 10,
    };
    check_eq!(s.driver().prune(&bounds, Some(s.now())).await?.jobs, 1);
    let parent = s.claim_one().await?;
    check_eq!(outcome_of(&parent.claimed.nudge.inbox, &child)?, done("7"));
    Ok(())
}

case!(a_child_that_may_not_be_stored_is_refused_alone);
async fn a_child_that_may_not_be_stored_is_refused_alone(s: Subject) -> Result {
    s.enqueue(&s.job("bill").key("7").delay(Millis(10))).await?;
    let limit = s.driver().capabilities().payload_limit;
    let refused = [
        ("X_IDEMPOTENCY_REQUIRED", s.job("bill").key("")),
        (
            "X_PAYLOAD_TOO_LARGE",
            s.job("bill").input(vec![b'x'; limit + 1]),
        ),
        ("X_JOB_DUPLICATE", s.job("bill").key("7").or_error()),
    ];
    for (code, child) in refused {
        for waits in [true, false] {
            let mut parent = s.start(&s.job("order")).await?;
            let mut child = NewJob {
                spec: crate::core::JobSpec {
                    id: s.job("bill").spec.id,
                    ..child.spec.clone()
                },
                ..child.clone()
            };
            child.spec.parent = waits.then(|| bill_of(&parent));
            let step = parent.step("one", "1");
            let mut commit = parent.steps(vec![step, pending(&s, &child)]);
            commit.children = vec![child.clone()];
            let nudge = s.apply(&commit).await?.nudge.unwrap_or_default();
            let content = nudge.inbox.into_iter().next().map(|item| item.content);
            let error = match content {
                Some(InboxContent::Child { job, outcome }) if waits => Some((job, outcome)),
                Some(InboxContent::Detached { job, outcome }) if !waits => Some((job, outcome)),
                _ => None,
            };
            let Some((job, StepOutcome::Failed(error))) = error else {
                return Err(Failure::here(format!("{code} is not told: {error:?}")));
            };
            check_eq!((job, error.code.as_deref()), (child.spec.id, Some(code)));
            check_eq!(s.view(parent.id()).await?.journal.len(), 2, "{code}");
            check!(s.inspect().job(child.spec.id).await?.is_none());
            s.apply(&parent.ack("1")).await?;
        }
    }
    Ok(())
}

case!(a_detached_child_is_told_of_when_it_is_stored_and_never_again);
async fn a_detached_child_is_told_of_when_it_is_stored_and_never_again(s: Subject) -> Result {
    let taken = s.job("bill").key("7").delay(Millis(10));
    s.enqueue(&taken).await?;
    let mut parent = s.start(&s.job("order")).await?;
    for (key, has_it, deduped) in [("6", None, false), ("7", Some(&taken), true)] {
        let child = s.job("bill").key(key).delay(Millis(5));
        let mut commit = parent.steps(vec![StepRecord {
            name: key.into(),
            ..pending(&s, &child)
        }]);
        commit.children = vec![child.clone()];
        let nudge = s.apply(&commit).await?.nudge.unwrap_or_default();
        parent.seen_nudge = nudge.count;
        let Some(InboxContent::Detached { job, outcome }) =
            nudge.inbox.last().map(|item| &item.content)
        else {
            return Err(Failure::here(format!("not told: {nudge:?}")));
        };
        check_eq!(*job, child.spec.id, "under the id that was asked for");
        let has_it = &has_it.unwrap_or(&child).spec;
        let expected = Enqueued {
            id: has_it.id,
            run_id: has_it.run_id,
            deduped,
            input_differs: false,
        };
        check_eq!(*outcome, StepOutcome::Done(expected.payload()));
    }
    s.apply(&parent.park(Vec::new(), None)).await?;
    s.advance(Millis(10));
    for mut child in s.claim(10).await? {
        check!(child.id() != parent.id());
        s.apply(&child.ack("1")).await?;
    }
    s.claim_nothing().await
}

case!(an_ended_parent_is_not_told);
async fn an_ended_parent_is_not_told(s: Subject) -> Result {
    let mut parent = s.start(&s.job("order")).await?;
    let child = child_of(&s, &parent);
    let mut commit = parent.steps(vec![pending(&s, &child)]);
    commit.children = vec![child];
    s.apply(&commit).await?;
    let mut holder = s.claim_one().await?;
    s.apply(&parent.settle(Settle::Fail { error: boom() }))
        .await?;
    let ended = s.row(parent.id()).await?;
    s.apply(&holder.ack("1")).await?;
    check_eq!(s.row(parent.id()).await?, ended, "and its child went on");
    s.claim_nothing().await
}

case!(a_revived_parent_hears_of_what_ended_meanwhile);
async fn a_revived_parent_hears_of_what_ended_meanwhile(s: Subject) -> Result {
    for is_kept in [true, false] {
        let mut parent = s.start(&s.job("order")).await?;
        let child = child_of(&s, &parent);
        let mut commit = parent.steps(vec![pending(&s, &child)]);
        commit.children = vec![child.clone()];
        s.apply(&commit).await?;
        let mut holder = s.claim_one().await?;
        s.apply(&parent.settle(Settle::Fail { error: boom() }))
            .await?;
        let parent = parent.id();
        s.apply(&holder.ack("7")).await?;
        s.advance(Millis(1));
        if !is_kept {
            let bounds = PruneBounds {
                ended_before: s.now(),
                rules: Vec::new(),
                spared: Millis(0),
                events_expired_before: s.now(),
                dead_before: None,
                limit: 10,
            };
            // The parent as well, so that it has to be there: revive it first, end it again.
            s.requeue(parent, &["bill"]).await?;
            let mut again = s.claim_one().await?;
            let record = pending(&s, &child);
            s.apply(&again.steps(vec![record])).await?;
            s.driver().prune(&bounds, Some(s.now())).await?;
            s.apply(&again.settle(Settle::Fail { error: boom() }))
                .await?;
        }
        s.requeue(parent, &[]).await?;
        let mut parent = s.claim_one().await?;
        let outcome = outcome_of(&parent.claimed.nudge.inbox, &child)?;
        match is_kept {
            true => check_eq!(outcome, done("7")),
            false => check!(matches!(outcome, StepOutcome::Failed(_)), "{outcome:?}"),
        }
        s.apply(&parent.ack("1")).await?;
    }
    Ok(())
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

pub(super) fn child_of(s: &Subject, parent: &Holder) -> NewJob {
    let parent = bill_of(parent);
    s.job("bill").shape(|job| job.spec.parent = Some(parent))
}

/// The step of a parent that all children of these cases belong to.
fn bill_of(parent: &Holder) -> Parent {
    let spec = &parent.claimed.job.spec;
    Parent {
        job: spec.id,
        run: spec.run_id,
        step: "bill".into(),
    }
}

pub(super) fn pending(s: &Subject, child: &NewJob) -> StepRecord {
    StepRecord {
        child: Some(child.spec.id),
        ..StepRecord::pending("bill", RecordKind::Child, s.now())
    }
}

pub(super) fn park_for(s: &Subject, parent: &mut Holder, child: &NewJob) -> Commit {
    let mut commit = parent.park(vec![pending(s, child)], None);
    commit.children = vec![child.clone()];
    commit
}

pub(super) fn outcome_of(inbox: &[InboxItem], child: &NewJob) -> Result<StepOutcome> {
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
