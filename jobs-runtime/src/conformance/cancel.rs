//! Cancel: once it is answered, nothing of the job is written any more.

use super::children::child_of;
use super::shapes::{JobShape, boom, wait};
use super::subject::LEASE;
use super::{Result, Subject};
use crate::contract::BeatAnswer;
use crate::core::{Commit, CommitAnswer, Millis, Settle, State};

case!(b05_a_cancelled_job_stays_cancelled_whatever_its_worker_says);
async fn b05_a_cancelled_job_stays_cancelled_whatever_its_worker_says(s: Subject) -> Result {
    let holder = s.start(&s.job("mail")).await?;
    s.cancel(holder.id()).await?;
    let cancelled = s.expect_state(holder.id(), State::Cancelled).await?;
    let step = holder.clone().step("one", "1");
    let writes = [
        holder.clone().ack("1"),
        holder.clone().steps(vec![step]),
        holder.clone().retry(Millis(1), boom()),
        holder.clone().settle(Settle::Fail { error: boom() }),
        holder.clone().park(Vec::new(), None),
    ];
    for write in writes {
        check_eq!(s.commit(&write).await?, CommitAnswer::Cancelled);
    }
    check_eq!(s.beat(&holder, LEASE).await?, BeatAnswer::Cancelled);
    let view = s.view(holder.id()).await?;
    check_eq!(view.job, cancelled);
    check!(view.journal.is_empty());
    Ok(())
}

case!(a_cancelled_job_is_never_claimed);
async fn a_cancelled_job_is_never_claimed(s: Subject) -> Result {
    let waiting = s.job("mail");
    s.enqueue(&waiting).await?;
    s.cancel(waiting.spec.id).await?;
    let mut parked = s.start(&s.job("mail")).await?;
    let paid = wait("paid", "paid", None, s.now());
    s.apply(&parked.park(vec![paid], Some(s.now().after(Millis(5)))))
        .await?;
    s.cancel(parked.id()).await?;
    check_eq!(s.publish(&s.event("paid")).await?.woken, 0);
    s.advance(Millis::secs(1_000_000));
    s.claim_nothing().await?;
    s.expect_state(waiting.spec.id, State::Cancelled).await?;
    s.expect_state(parked.id(), State::Cancelled).await?;
    Ok(())
}

case!(a_cancel_of_an_ended_job_is_a_conflict);
async fn a_cancel_of_an_ended_job_is_a_conflict(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    s.apply(&holder.ack("1")).await?;
    check_eq!(s.cancel(holder.id()).await?, CommitAnswer::Conflict);
    s.expect_state(holder.id(), State::Done).await?;
    Ok(())
}

case!(a_cancel_of_what_has_changed_is_a_conflict);
async fn a_cancel_of_what_has_changed_is_a_conflict(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let seen = s.row(holder.id()).await?;
    let step = holder.step("one", "1");
    s.apply(&holder.steps(vec![step])).await?;
    let cancel = Commit::cancel(holder.id(), seen.spec.run_id, seen.head.revision);
    check_eq!(s.commit(&cancel).await?, CommitAnswer::Conflict);
    s.expect_state(holder.id(), State::Running).await?;
    Ok(())
}

case!(r6_a_change_by_a_person_whose_reply_was_lost_is_applied_once);
async fn r6_a_change_by_a_person_whose_reply_was_lost_is_applied_once(s: Subject) -> Result {
    let job = s.job("mail");
    s.enqueue(&job).await?;
    let (id, run) = (job.spec.id, job.spec.run_id);
    let seen = s.row(id).await?;
    let cancel = Commit::cancel(id, run, seen.head.revision).with_id(1);
    s.apply(&cancel).await?;
    let cancelled = s.expect_state(id, State::Cancelled).await?;
    check!(matches!(s.commit(&cancel).await?, CommitAnswer::Applied(_)));
    check_eq!(s.row(id).await?, cancelled);
    let requeue = Commit::requeue(id, run, cancelled.head.revision, Vec::new()).with_id(2);
    s.apply(&requeue).await?;
    let revived = s.expect_state(id, State::Pending).await?;
    check!(matches!(
        s.commit(&requeue).await?,
        CommitAnswer::Applied(_)
    ));
    check_eq!(s.row(id).await?, revived);
    // Another change that was made from the same look is refused as before.
    let other = Commit::cancel(id, run, cancelled.head.revision).with_id(3);
    check_eq!(s.commit(&other).await?, CommitAnswer::Conflict);
    Ok(())
}

case!(a_cancel_frees_the_key);
async fn a_cancel_frees_the_key(s: Subject) -> Result {
    let job = s.job("mail").key("7");
    s.enqueue(&job).await?;
    s.cancel(job.spec.id).await?;
    check!(!s.enqueue(&s.job("mail").key("7")).await?.deduped);
    Ok(())
}

case!(d31_a_cancel_takes_the_children_and_theirs_and_nobody_elses);
async fn d31_a_cancel_takes_the_children_and_theirs_and_nobody_elses(s: Subject) -> Result {
    let theirs = s.job("bill").key("7").delay(Millis(10));
    s.enqueue(&theirs).await?;
    let mut parent = s.start(&s.job("order")).await?;
    let child = child_of(&s, &parent);
    let joined = child_of(&s, &parent).key("7");
    let detached = s.job("bill").delay(Millis(10));
    let mut commit = parent.steps(Vec::new());
    commit.children = vec![child.clone(), joined.clone(), detached.clone()];
    s.apply(&commit).await?;
    let mut holder = s.claim_one().await?;
    check_eq!(holder.id(), child.spec.id);
    let grandchild = child_of(&s, &holder);
    let mut commit = holder.steps(Vec::new());
    commit.children = vec![grandchild.clone()];
    s.apply(&commit).await?;

    check!(matches!(
        s.cancel(parent.id()).await?,
        CommitAnswer::Applied(_)
    ));
    for id in [parent.id(), child.spec.id, grandchild.spec.id] {
        s.expect_state(id, State::Cancelled).await?;
    }
    for id in [theirs.spec.id, detached.spec.id] {
        s.expect_state(id, State::Pending).await?;
    }
    check_eq!(s.beat(&holder, LEASE).await?, BeatAnswer::Cancelled);
    Ok(())
}

case!(d31_nothing_is_enqueued_by_a_tree_that_was_cancelled);
async fn d31_nothing_is_enqueued_by_a_tree_that_was_cancelled(s: Subject) -> Result {
    let mut parent = s.start(&s.job("order")).await?;
    let child = child_of(&s, &parent);
    let mut commit = parent.steps(Vec::new());
    commit.children = vec![child];
    s.apply(&commit).await?;
    let mut holder = s.claim_one().await?;
    s.cancel(parent.id()).await?;
    for late in [&mut parent, &mut holder] {
        let escaping = [child_of(&s, late), s.job("bill")];
        let mut commit = late.steps(Vec::new());
        commit.children = escaping.to_vec();
        check_eq!(s.commit(&commit).await?, CommitAnswer::Cancelled);
        for child in escaping {
            check!(s.inspect().job(child.spec.id).await?.is_none());
        }
    }
    Ok(())
}

case!(a_cancel_of_a_child_leaves_its_parent_and_siblings);
async fn a_cancel_of_a_child_leaves_its_parent_and_siblings(s: Subject) -> Result {
    let mut parent = s.start(&s.job("order")).await?;
    let children = [child_of(&s, &parent), child_of(&s, &parent)];
    let mut commit = parent.steps(Vec::new());
    commit.children = children.to_vec();
    s.apply(&commit).await?;
    s.cancel(children[0].spec.id).await?;
    s.expect_state(children[1].spec.id, State::Pending).await?;
    s.expect_state(parent.id(), State::Running).await?;
    Ok(())
}
