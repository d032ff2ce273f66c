//! Joins: a child whose key a job holds already is that job, told of and not owned.

use super::children::{child_of, outcome_of, park_for, pending};
use super::shapes::{JobShape, boom, done};
use super::{Failure, Result, Subject};
use crate::core::{JobId, Millis, NewJob, OnConflict, Settle, StepOutcome, StepRecord};

case!(a_child_whose_key_is_taken_is_joined);
async fn a_child_whose_key_is_taken_is_joined(s: Subject) -> Result {
    let holder_of_key = s.job("bill").key("7").delay(Millis(10));
    s.enqueue(&holder_of_key).await?;
    let mut parent = s.start(&s.job("order")).await?;
    let child = child_of(&s, &parent).key("7");
    let applied = s.apply(&park_for(&s, &mut parent, &child)).await?;
    check_eq!(applied.children, [holder_of_key.spec.id]);
    check!(s.inspect().job(child.spec.id).await?.is_none());
    let waits_for = s.view(parent.id()).await?.journal[0].child;
    check_eq!(waits_for, Some(holder_of_key.spec.id), "as the record says");
    s.advance(Millis(10));
    let mut joined = s.claim_one().await?;
    s.apply(&joined.ack("7")).await?;
    let parent = s.claim_one().await?;
    let outcome = outcome_of(&parent.claimed.nudge.inbox, &holder_of_key)?;
    check_eq!(outcome, done("7"));
    Ok(())
}

case!(a_joined_job_that_has_ended_is_heard_of_at_once);
async fn a_joined_job_that_has_ended_is_heard_of_at_once(s: Subject) -> Result {
    let kept = s.job("bill").key("7");
    let kept = kept.shape(|job| job.unique_for = Some(Millis::secs(60)));
    let mut holder = s.start(&kept).await?;
    s.apply(&holder.ack("7")).await?;
    let mut parent = s.start(&s.job("order")).await?;
    let child = child_of(&s, &parent).key("7");
    s.apply(&park_for(&s, &mut parent, &child)).await?;
    let parent = s.claim_one().await?;
    check_eq!(outcome_of(&parent.claimed.nudge.inbox, &kept)?, done("7"));
    Ok(())
}

case!(a_retried_commit_names_the_joined_child_again);
async fn a_retried_commit_names_the_joined_child_again(s: Subject) -> Result {
    let holder_of_key = s.job("bill").key("7").delay(Millis(10));
    s.enqueue(&holder_of_key).await?;
    let mut parent = s.start(&s.job("order")).await?;
    let child = child_of(&s, &parent).key("7");
    let mut commit = parent.steps(vec![pending(&s, &child)]);
    commit.children = vec![child];
    for _ in 0..2 {
        let applied = s.apply(&commit).await?;
        check_eq!(applied.children, [holder_of_key.spec.id]);
    }
    Ok(())
}

case!(a_retried_commit_names_the_joined_child_also_after_the_end);
async fn a_retried_commit_names_the_joined_child_also_after_the_end(s: Subject) -> Result {
    let bill = s.job("bill").key("7").delay(Millis(10));
    s.enqueue(&bill).await?;
    let mut parent = s.start(&s.job("order")).await?;
    let child = child_of(&s, &parent).key("7");
    let mut commit = parent.steps(vec![pending(&s, &child)]);
    commit.children = vec![child];
    s.apply(&commit).await?;
    s.cancel(parent.id()).await?;
    let applied = s.apply(&commit).await?;
    check_eq!(applied.children, [bill.spec.id]);
    Ok(())
}

case!(a_child_that_would_wait_for_its_ancestor_is_refused);
async fn a_child_that_would_wait_for_its_ancestor_is_refused(s: Subject) -> Result {
    let mut first = s.start(&s.job("bill").key("1")).await?;
    let second = child_of(&s, &first).key("2");
    s.apply(&park_for(&s, &mut first, &second)).await?;
    let mut second = s.claim_one().await?;
    let third = child_of(&s, &second).key("3");
    s.apply(&park_for(&s, &mut second, &third)).await?;
    let mut third = s.claim_one().await?;
    let policies = [OnConflict::Dedupe, OnConflict::Replace];
    for (key, on_conflict) in ["1", "2", "3"]
        .into_iter()
        .flat_map(|key| policies.map(|p| (key, p)))
    {
        let child = NewJob {
            on_conflict,
            ..child_of(&s, &third).key(key)
        };
        let step = StepRecord {
            name: format!("{key} {on_conflict:?}"),
            ..pending(&s, &child)
        };
        let mut commit = third.steps(vec![step]);
        commit.children = vec![child.clone()];
        let nudge = s.apply(&commit).await?.nudge.unwrap_or_default();
        third.seen_nudge = nudge.count;
        let last = nudge.inbox.into_iter().next_back();
        match outcome_of(last.as_slice(), &child)? {
            StepOutcome::Failed(error) => {
                check_eq!(error.code.as_deref(), Some("X_CHILD_CYCLE"));
            }
            other => return Err(Failure::here(format!("{key}: {other:?}"))),
        }
    }
    Ok(())
}

case!(who_no_longer_waits_is_no_ancestor);
async fn who_no_longer_waits_is_no_ancestor(s: Subject) -> Result {
    let mut first = s.start(&s.job("bill").key("1")).await?;
    let second = child_of(&s, &first).key("2");
    let mut commit = first.steps(vec![pending(&s, &second)]);
    commit.children = vec![second.clone()];
    s.apply(&commit).await?;
    let lost = first.steps(Vec::new()).removing(vec!["bill".into()]);
    s.apply(&lost).await?;
    let mut second = s.claim_one().await?;
    let child = child_of(&s, &second).key("1");
    let applied = s.apply(&park_for(&s, &mut second, &child)).await?;
    check_eq!(applied.children, [first.id()]);
    s.apply(&first.ack("7")).await?;
    let second = s.claim_one().await?;
    let outcome = outcome_of(&second.claimed.nudge.inbox, &child_named(first.id(), child))?;
    check_eq!(outcome, done("7"));
    Ok(())
}

case!(a_child_of_two_steps_is_news_until_both_have_heard);
async fn a_child_of_two_steps_is_news_until_both_have_heard(s: Subject) -> Result {
    let mut parent = s.start(&s.job("order")).await?;
    let child = child_of(&s, &parent);
    let other = StepRecord {
        name: "again".into(),
        ..pending(&s, &child)
    };
    let mut commit = parent.park(vec![pending(&s, &child), other.clone()], None);
    commit.children = vec![child.clone()];
    s.apply(&commit).await?;
    let mut holder = s.claim_one().await?;
    s.apply(&holder.ack("7")).await?;
    let mut parent = s.claim_one().await?;
    for (record, news) in [(pending(&s, &child), 1), (other, 0)] {
        let record = parent.deliver(record, done("7"));
        s.apply(&parent.steps(vec![record])).await?;
        s.apply(&parent.settle(Settle::HandBack)).await?;
        parent = s.claim_one().await?;
        check_eq!(parent.claimed.nudge.inbox.len(), news);
    }
    Ok(())
}

case!(a_joined_job_that_was_revived_is_waited_for_again);
async fn a_joined_job_that_was_revived_is_waited_for_again(s: Subject) -> Result {
    let bill = s.job("bill").key("7");
    s.enqueue(&bill.clone().delay(Millis(10))).await?;
    let mut parent = s.start(&s.job("order")).await?;
    let first = child_of(&s, &parent).key("7");
    s.apply(&park_for(&s, &mut parent, &first)).await?;
    s.advance(Millis(10));
    let mut failing = s.claim_one().await?;
    s.apply(&failing.settle(Settle::Fail { error: boom() }))
        .await?;
    let mut parent = s.claim_one().await?;
    let record = child_named(bill.spec.id, first);
    let failed = parent.deliver(pending(&s, &record), StepOutcome::Failed(boom()));
    s.apply(&parent.steps(vec![failed])).await?;
    s.requeue(bill.spec.id, &[]).await?;

    let again = child_of(&s, &parent).key("7");
    let again = again.shape(|job| {
        if let Some(parent) = &mut job.spec.parent {
            parent.step = "again".into();
        }
    });
    let step = StepRecord {
        name: "again".into(),
        ..pending(&s, &again)
    };
    let mut commit = parent.steps(vec![step]);
    commit.children = vec![again];
    let applied = s.apply(&commit).await?;
    check_eq!(applied.children, [bill.spec.id]);
    check!(applied.nudge.is_none(), "an end of before is no news");
    s.apply(&parent.park(Vec::new(), None)).await?;
    let mut revived = s.claim_one().await?;
    check_eq!(revived.id(), bill.spec.id, "the parent waits");
    s.apply(&revived.ack("9")).await?;
    let parent = s.claim_one().await?;
    let outcome = outcome_of(&parent.claimed.nudge.inbox, &bill)?;
    check_eq!(outcome, done("9"));
    Ok(())
}

/// The same child under the id of the job that was joined.
fn child_named(joined: JobId, child: NewJob) -> NewJob {
    child.shape(|job| job.spec.id = joined)
}
