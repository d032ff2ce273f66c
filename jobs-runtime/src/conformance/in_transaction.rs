//! Inside a transaction that somebody else ends: what is stored is there after its COMMIT, and never
//! was after anything else.

use super::shapes::{EventShape, JobShape, wait};
use super::transactions::Open;
use super::{Failure, Result, Subject};
use crate::contract::{BeatAnswer, Conflicted, EnqueueAnswer, Enqueued};
use crate::core::{Commit, CommitAnswer, Millis, NewEvent, NewJob, State};

/// How a case ends a transaction.
#[derive(Clone, Copy, Debug)]
enum End {
    Commit,
    Dropped,
    Undo,
}

/// Every way to end one after which nothing of it may be left.
const BROKEN_OFF: [End; 2] = [End::Dropped, End::Undo];

impl End {
    async fn of(self, tx: Box<dyn Open>) -> Result {
        match self {
            End::Commit => tx.end().await?,
            End::Dropped => drop(tx),
            End::Undo => tx.undo().await,
        }
        Ok(())
    }
}

case!(a_job_is_there_after_the_commit_and_not_before, transacts);
async fn a_job_is_there_after_the_commit_and_not_before(s: Subject) -> Result {
    let job = s.job("mail").key("7");
    let mut tx = s.transaction().await?;
    check!(!enqueue(&s, &mut tx, &job).await??.deduped);
    check!(s.inspect().job(job.spec.id).await?.is_none(), "not yet");
    End::Commit.of(tx).await?;
    s.expect_state(job.spec.id, State::Pending).await?;
    check_eq!(s.claim_one().await?.id(), job.spec.id);
    Ok(())
}

case!(
    a_job_of_a_transaction_that_is_not_committed_never_was,
    transacts
);
async fn a_job_of_a_transaction_that_is_not_committed_never_was(s: Subject) -> Result {
    for end in BROKEN_OFF {
        let job = s.job("mail").key("7");
        let mut tx = s.transaction().await?;
        enqueue(&s, &mut tx, &job).await??;
        end.of(tx).await?;
        let other = s.enqueue(&s.job("mail").key("7")).await?;
        check!(!other.deduped, "{end:?}: the key is free");
        check!(s.inspect().job(job.spec.id).await?.is_none(), "{end:?}");
        let mut holder = s.claim_one().await?;
        s.apply(&holder.ack("1")).await?;
    }
    Ok(())
}

case!(a_key_means_the_same_inside_a_transaction, transacts);
async fn a_key_means_the_same_inside_a_transaction(s: Subject) -> Result {
    let first = s.enqueue(&s.job("mail").key("7")).await?;
    let mut tx = s.transaction().await?;
    let deduped = enqueue(&s, &mut tx, &s.job("mail").key("7")).await??;
    check!(deduped.deduped && deduped.id == first.id);
    let refused = enqueue(&s, &mut tx, &s.job("mail").key("7").or_error()).await?;
    check!(
        matches!(refused, Err(Conflicted::KeyTaken(holder)) if holder == first.id),
        "{refused:?}"
    );
    let own = s.job("mail").key("8");
    enqueue(&s, &mut tx, &own).await??;
    let twin = enqueue(&s, &mut tx, &s.job("mail").key("8")).await??;
    check_eq!(twin.id, own.spec.id, "the one of the same transaction");
    End::Commit.of(tx).await
}

case!(
    an_item_that_is_refused_leaves_the_transaction_whole,
    transacts
);
async fn an_item_that_is_refused_leaves_the_transaction_whole(s: Subject) -> Result {
    let good = s.job("mail");
    let mut tx = s.transaction().await?;
    let answers = tx.enqueue(&[s.job(""), good.clone()], s.now()).await?;
    check!(
        matches!(answers[..], [Err(Conflicted::Refused(_)), Ok(_)]),
        "{answers:?}"
    );
    End::Commit.of(tx).await?;
    check_eq!(s.claim_one().await?.id(), good.spec.id);
    Ok(())
}

case!(
    an_event_wakes_nobody_until_its_transaction_is_committed,
    transacts
);
async fn an_event_wakes_nobody_until_its_transaction_is_committed(s: Subject) -> Result {
    let mut parked = s.start(&s.job("order")).await?;
    let paid = wait("paid", "paid", Some("7"), s.now());
    s.apply(&parked.park(vec![paid], None)).await?;
    for end in BROKEN_OFF {
        let mut tx = s.transaction().await?;
        publish(&s, &mut tx, &s.event("paid").key("7")).await?;
        end.of(tx).await?;
        s.claim_nothing().await?;
    }
    let mut tx = s.transaction().await?;
    publish(&s, &mut tx, &s.event("paid").key("7").payload("5")).await?;
    End::Commit.of(tx).await?;
    check_eq!(s.claim_one().await?.inbox(), [b"5".to_vec()]);
    Ok(())
}

case!(a_record_is_there_after_the_commit_and_not_before, transacts);
async fn a_record_is_there_after_the_commit_and_not_before(s: Subject) -> Result {
    let mut holder = s.start(&s.job("order")).await?;
    let step = holder.step("pay", "1");
    let commit = holder.steps(vec![step]);
    let mut tx = s.transaction().await?;
    applied(tx.commit(&commit, s.now()).await?)?;
    check!(s.view(holder.id()).await?.journal.is_empty(), "not yet");
    End::Commit.of(tx).await?;
    check_eq!(s.view(holder.id()).await?.journal.len(), 1);
    // The answer to the COMMIT was lost: by its number the commit is known to be applied.
    s.apply(&commit).await?;
    check_eq!(s.view(holder.id()).await?.journal.len(), 1);
    s.apply(&holder.ack("1")).await?;
    Ok(())
}

case!(
    a_record_of_a_transaction_that_is_not_committed_can_be_stored_again,
    transacts
);
async fn a_record_of_a_transaction_that_is_not_committed_can_be_stored_again(s: Subject) -> Result {
    for end in BROKEN_OFF {
        let mut holder = s.start(&s.job("order")).await?;
        let step = holder.step("pay", "1");
        let commit = holder.steps(vec![step]);
        let mut tx = s.transaction().await?;
        applied(tx.commit(&commit, s.now()).await?)?;
        end.of(tx).await?;
        check!(s.view(holder.id()).await?.journal.is_empty(), "{end:?}");
        s.apply(&commit).await?;
        check_eq!(s.view(holder.id()).await?.journal.len(), 1, "{end:?}");
        s.apply(&holder.ack("1")).await?;
    }
    Ok(())
}

case!(
    a_stale_worker_changes_nothing_in_a_transaction_either,
    transacts
);
async fn a_stale_worker_changes_nothing_in_a_transaction_either(s: Subject) -> Result {
    let mut stale = s.start(&s.job("order")).await?;
    s.advance_to(stale.until());
    let current = s.claim_one().await?;
    let step = stale.step("pay", "1");
    let commit = stale.steps(vec![step]);
    let mut tx = s.transaction().await?;
    check_eq!(tx.commit(&commit, s.now()).await?, CommitAnswer::LeaseLost);
    End::Commit.of(tx).await?;
    check!(s.view(current.id()).await?.journal.is_empty());
    Ok(())
}

case!(a_cancel_reaches_a_worker_in_its_transaction, transacts);
async fn a_cancel_reaches_a_worker_in_its_transaction(s: Subject) -> Result {
    let mut holder = s.start(&s.job("order")).await?;
    s.cancel(holder.id()).await?;
    let commit = holder.ack("1");
    let mut tx = s.transaction().await?;
    check_eq!(tx.commit(&commit, s.now()).await?, CommitAnswer::Cancelled);
    End::Undo.of(tx).await?;
    s.expect_state(holder.id(), State::Cancelled).await?;
    Ok(())
}

case!(
    children_and_events_of_a_record_go_with_its_transaction,
    transacts
);
async fn children_and_events_of_a_record_go_with_its_transaction(s: Subject) -> Result {
    let mut parent = s.start(&s.job("order")).await?;
    let child = super::children::child_of(&s, &parent);
    let mut park: Commit = super::children::park_for(&s, &mut parent, &child);
    park.events = vec![s.event("placed")];
    for end in BROKEN_OFF {
        let mut tx = s.transaction().await?;
        applied(tx.commit(&park, s.now()).await?)?;
        end.of(tx).await?;
        check!(s.inspect().job(child.spec.id).await?.is_none(), "{end:?}");
        check!(s.inspect().events(None, 0, 10).await?.is_empty(), "{end:?}");
        s.expect_state(parent.id(), State::Running).await?;
    }
    let mut tx = s.transaction().await?;
    applied(tx.commit(&park, s.now()).await?)?;
    End::Commit.of(tx).await?;
    s.expect_state(child.spec.id, State::Pending).await?;
    s.expect_state(parent.id(), State::Suspended).await?;
    check_eq!(s.inspect().events(None, 0, 10).await?.len(), 1);
    Ok(())
}

case!(
    a_transaction_knows_the_shortest_lease_that_it_keeps_waiting,
    transacts
);
async fn a_transaction_knows_the_shortest_lease_that_it_keeps_waiting(s: Subject) -> Result {
    let short = |millis| {
        let job = s.job("order");
        job.shape(|job| job.spec.visibility_timeout = Some(Millis(millis)))
    };
    s.start(&short(9_000)).await?;
    let waiting = s.start(&short(4_000)).await?;
    s.enqueue(&short(1_000)).await?;
    let mut tx = s.transaction().await?;
    match tx.shortest_lease(s.now()).await? {
        Some(shortest) => check_eq!(shortest, Millis(4_000)),
        // It keeps nobody waiting, whatever it writes.
        None => {
            enqueue(&s, &mut tx, &s.job("mail")).await??;
            let answer = s.beat(&waiting, Millis(4_000)).await?;
            check!(matches!(answer, BeatAnswer::Held { .. }), "{answer:?}");
        }
    }
    End::Undo.of(tx).await
}

case!(a_transaction_belongs_to_the_store_that_began_it, transacts);
async fn a_transaction_belongs_to_the_store_that_began_it(s: Subject) -> Result {
    let mut tx = s.transaction().await?;
    tx.belongs_to(s.driver()).await?;
    End::Undo.of(tx).await
}

case!(transactions_wait_for_each_other_and_none_is_lost, transacts);
async fn transactions_wait_for_each_other_and_none_is_lost(s: Subject) -> Result {
    const AT_ONCE: usize = 6;
    let mut all = tokio::task::JoinSet::new();
    for _ in 0..AT_ONCE {
        let s = s.clone();
        all.spawn(async move {
            let mut tx = s.transaction().await?;
            let enqueued = enqueue(&s, &mut tx, &s.job("mail").key("7")).await??;
            enqueue(&s, &mut tx, &s.job("mail")).await??;
            End::Commit.of(tx).await?;
            Ok::<_, Failure>(enqueued.deduped)
        });
    }
    let mut new = 0;
    for done in all.join_all().await {
        new += usize::from(!done?);
    }
    check_eq!(new, 1, "one job has the key");
    check_eq!(s.claim(100).await?.len(), AT_ONCE + 1);
    Ok(())
}

async fn enqueue(s: &Subject, tx: &mut Box<dyn Open>, job: &NewJob) -> Result<EnqueueAnswer> {
    let answers = tx.enqueue(std::slice::from_ref(job), s.now()).await?;
    let answer: Option<Result<Enqueued, Conflicted>> = answers.into_iter().next();
    answer.ok_or_else(|| Failure::here("no answer"))
}

async fn publish(s: &Subject, tx: &mut Box<dyn Open>, event: &NewEvent) -> Result {
    let answers = tx.publish(std::slice::from_ref(event), s.now()).await?;
    check_eq!(answers.len(), 1);
    Ok(())
}

fn applied(answer: CommitAnswer) -> Result {
    match answer {
        CommitAnswer::Applied(_) => Ok(()),
        other => Err(Failure::here(format!("not applied: {other:?}"))),
    }
}
