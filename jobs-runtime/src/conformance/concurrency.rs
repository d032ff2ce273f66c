//! Races: many callers at once, and what must hold whoever is first.

use super::children::child_of;
use super::shapes::{JobShape, wait};
use super::{Failure, Result, Subject};
use crate::core::{CommitAnswer, JobId, NewJob, State};
use std::collections::BTreeSet;
use tokio::task::JoinSet;

/// Callers at once.
const CALLERS: usize = 8;

case!(b17_claimers_at_once_share_no_job);
async fn b17_claimers_at_once_share_no_job(s: Subject) -> Result {
    let jobs: Vec<NewJob> = (0..400).map(|_| s.job("mail")).collect();
    s.enqueue_all(&jobs).await?;
    let claimed = together(&s, async |s: Subject| {
        let mut own: Vec<JobId> = Vec::new();
        loop {
            let bite = s.claim(7).await?;
            if bite.is_empty() {
                return Ok(own);
            }
            own.extend(bite.iter().map(|holder| holder.id()));
        }
    })
    .await?;
    let all: Vec<JobId> = claimed.into_iter().flatten().collect();
    check_eq!(all.len(), 400);
    check_eq!(all.into_iter().collect::<BTreeSet<_>>().len(), 400);
    Ok(())
}

case!(d11_claimers_of_one_lost_lease_get_one_lease);
async fn d11_claimers_of_one_lost_lease_get_one_lease(s: Subject) -> Result {
    let lost = s.start(&s.job("mail").attempts(100)).await?;
    s.advance_to(lost.until());
    let claimed = together(&s, async |s: Subject| Ok(s.claim(5).await?.len())).await?;
    check_eq!(claimed.iter().sum::<usize>(), 1);
    check_eq!(s.row(lost.id()).await?.head.token.epoch, 2);
    Ok(())
}

case!(d31_a_cancel_lets_no_grandchild_escape_that_is_being_enqueued);
async fn d31_a_cancel_lets_no_grandchild_escape_that_is_being_enqueued(s: Subject) -> Result {
    for _ in 0..20 {
        let mut parent = s.start(&s.job("order")).await?;
        let child = child_of(&s, &parent);
        let mut commit = parent.steps(Vec::new());
        commit.children = vec![child];
        s.apply(&commit).await?;
        let mut holder = s.claim_one().await?;
        let grandchildren: Vec<NewJob> = (0..5).map(|_| child_of(&s, &holder)).collect();
        let mut commits = Vec::new();
        for grandchild in &grandchildren {
            let mut commit = holder.steps(Vec::new());
            commit.children = vec![grandchild.clone()];
            commits.push(commit);
        }
        let (worker, id) = (s.clone(), parent.id());
        let enqueuing = tokio::spawn(async move {
            for commit in &commits {
                worker.commit(commit).await?;
            }
            Ok::<_, Failure>(())
        });
        let cancelled = s.cancel(id).await?;
        check!(matches!(cancelled, CommitAnswer::Applied(_)));
        enqueuing
            .await
            .map_err(|error| Failure::here(error.to_string()))??;
        for grandchild in &grandchildren {
            let found = s.inspect().job(grandchild.spec.id).await?;
            let state = found.map_or(State::Cancelled, |job| job.head.state);
            check_eq!(state, State::Cancelled, "cancelled, or never stored");
        }
        s.claim_nothing().await?;
    }
    Ok(())
}

case!(racing_enqueues_of_one_key_make_one_job);
async fn racing_enqueues_of_one_key_make_one_job(s: Subject) -> Result {
    let answers = together(&s, async |s: Subject| {
        let mut own = Vec::new();
        for n in 0..20 {
            own.push(s.enqueue(&s.job("mail").key(&format!("{n}"))).await?);
        }
        Ok(own)
    })
    .await?;
    for n in 0..20 {
        let ids: BTreeSet<JobId> = answers.iter().map(|own| own[n].id).collect();
        check_eq!(ids.len(), 1, "key {n}");
        let fresh = answers.iter().filter(|own| !own[n].deduped).count();
        check_eq!(fresh, 1, "key {n}");
    }
    check_eq!(s.claim(100).await?.len(), 20);
    Ok(())
}

case!(racing_enqueues_of_one_id_make_one_job);
async fn racing_enqueues_of_one_id_make_one_job(s: Subject) -> Result {
    let job = s.job("mail").key("7");
    let answers = together(&s, |s| {
        let shared = job.clone();
        async move { s.enqueue(&shared).await }
    })
    .await?;
    for answer in answers {
        check_eq!(answer.id, job.spec.id);
        check!(!answer.deduped);
    }
    check_eq!(s.claim(10).await?.len(), 1);
    Ok(())
}

case!(b05_a_racing_cancel_and_ack_leave_one_end);
async fn b05_a_racing_cancel_and_ack_leave_one_end(s: Subject) -> Result {
    for _ in 0..30 {
        let mut holder = s.start(&s.job("mail")).await?;
        let ack = holder.ack("1");
        let (acked, cancelled) = tokio::join!(
            tokio::spawn({
                let s = s.clone();
                async move { s.commit(&ack).await }
            }),
            tokio::spawn({
                let (s, id) = (s.clone(), holder.id());
                async move { s.cancel(id).await }
            }),
        );
        let acked = matches!(joined(acked)?, CommitAnswer::Applied(_));
        let cancelled = matches!(joined(cancelled)?, CommitAnswer::Applied(_));
        check!(acked != cancelled, "exactly one of them is applied");
        let state = if acked { State::Done } else { State::Cancelled };
        s.expect_state(holder.id(), state).await?;
    }
    Ok(())
}

case!(an_event_that_races_with_a_park_is_never_lost);
async fn an_event_that_races_with_a_park_is_never_lost(s: Subject) -> Result {
    for round in 0..50 {
        let name = format!("paid-{round}");
        let mut holder = s.start(&s.job("mail")).await?;
        let park = holder.park(vec![wait("paid", &name, None, s.now())], None);
        let event = s.event(&name);
        let (parked, published) = tokio::join!(
            tokio::spawn({
                let s = s.clone();
                async move { s.commit(&park).await }
            }),
            tokio::spawn({
                let s = s.clone();
                async move { s.publish(&event).await }
            }),
        );
        let parked = joined(parked)?;
        joined(published)?;
        check!(matches!(parked, CommitAnswer::Applied(_)), "{parked:?}");
        let mut next = s.claim_one().await?;
        check_eq!(next.inbox().len(), 1, "round {round}");
        s.apply(&next.ack("1")).await?;
    }
    Ok(())
}

case!(an_event_sent_many_times_at_once_is_one_event);
async fn an_event_sent_many_times_at_once_is_one_event(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    s.apply(&holder.park(vec![wait("paid", "paid", None, s.now())], None))
        .await?;
    let event = s.event("paid");
    let answers = together(&s, |s| {
        let event = event.clone();
        async move { s.publish(&event).await }
    })
    .await?;
    let seqs: BTreeSet<u64> = answers.iter().map(|published| published.seq).collect();
    check_eq!(seqs.len(), 1);
    check_eq!(s.claim_one().await?.inbox().len(), 1);
    Ok(())
}

case!(a_commit_sent_many_times_at_once_is_applied_once);
async fn a_commit_sent_many_times_at_once_is_applied_once(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail")).await?;
    let mut commit = holder.steps(Vec::new());
    commit.children = vec![s.job("bill")];
    let answers = together(&s, |s| {
        let commit = commit.clone();
        async move { s.commit(&commit).await }
    })
    .await?;
    for answer in answers {
        check!(matches!(answer, CommitAnswer::Applied(_)), "{answer:?}");
    }
    check_eq!(s.claim(10).await?.len(), 1, "one child");
    Ok(())
}

case!(of_racing_writes_of_a_setting_one_wins);
async fn of_racing_writes_of_a_setting_one_wins(s: Subject) -> Result {
    let answers = together(&s, async |s: Subject| {
        let write = crate::contract::SettingWrite {
            key: "schedule/daily".into(),
            value: Some(b"1".to_vec()),
            expected: 0,
            jobs: vec![s.job("report")],
        };
        Ok(s.driver().write_setting(&write, Some(s.now())).await?)
    })
    .await?;
    check_eq!(answers.iter().flatten().count(), 1);
    check_eq!(s.claim(10).await?.len(), 1);
    Ok(())
}

/// Runs the same on many tasks at once.
async fn together<T, F, W>(s: &Subject, work: W) -> Result<Vec<T>>
where
    T: Send + 'static,
    F: Future<Output = Result<T>> + Send + 'static,
    W: Fn(Subject) -> F,
{
    let mut tasks = JoinSet::new();
    for _ in 0..CALLERS {
        tasks.spawn(work(s.clone()));
    }
    let mut results = Vec::new();
    while let Some(result) = tasks.join_next().await {
        results.push(joined(result)?);
    }
    Ok(results)
}

#[track_caller]
fn joined<T>(result: std::result::Result<Result<T>, tokio::task::JoinError>) -> Result<T> {
    result.unwrap_or_else(|panic| Err(Failure::here(format!("the driver panicked: {panic}"))))
}
