//! Whole trees of jobs: cancelled at once, and under limits.

use super::children::{child_of, park_for};
use super::holder::Holder;
use super::shapes::JobShape;
use super::{Result, Subject};
use crate::contract::{JobFilter, JobLimits, PageCursor};
use crate::core::{CommitAnswer, JobId, NewJob, State};

/// Children of each inner job of a tree; so a tree has this often itself, and once more, and one.
const WIDTH: usize = 30;

async fn limit(s: &Subject, concurrency: u32) -> Result {
    let value = format!(r#"{{"declared":{{"concurrency":{concurrency}}}}}"#);
    s.write_setting(&JobLimits::key("node"), value.as_bytes(), 0)
        .await
}

async fn adopt(s: &Subject, parent: &mut Holder) -> Result<Vec<JobId>> {
    let children: Vec<NewJob> = (0..WIDTH).map(|_| child_of(s, parent)).collect();
    let ids = children.iter().map(|child| child.spec.id).collect();
    let mut commit = parent.steps(Vec::new());
    commit.children = children;
    s.apply(&commit).await?;
    Ok(ids)
}

async fn count(s: &Subject, state: State) -> Result<usize> {
    let filter = JobFilter {
        state: Some(state),
        ..JobFilter::default()
    };
    let (mut total, mut after) = (0, None::<PageCursor>);
    loop {
        let page = s.inspect().list(&filter, after, 500).await?;
        total += page.jobs.len();
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(total),
        }
    }
}

case!(f27_a_tree_of_a_thousand_is_cancelled_at_once);
async fn f27_a_tree_of_a_thousand_is_cancelled_at_once(s: Subject) -> Result {
    let mut root = s.start(&s.job("order")).await?;
    adopt(&s, &mut root).await?;
    let inner = s.claim(WIDTH).await?;
    check_eq!(inner.len(), WIDTH);
    let mut held = Vec::new();
    for mut parent in inner {
        adopt(&s, &mut parent).await?;
        held.push(parent);
    }
    check!(matches!(
        s.cancel(root.id()).await?,
        CommitAnswer::Applied(_)
    ));
    check_eq!(
        count(&s, State::Cancelled).await?,
        1 + WIDTH + WIDTH * WIDTH
    );
    s.claim_nothing().await?;
    let late = held[0].ack("1");
    check_eq!(s.commit(&late).await?, CommitAnswer::Cancelled);
    Ok(())
}

case!(i12_a_parent_parked_on_its_child_holds_no_place_under_their_limit);
async fn i12_a_parent_parked_on_its_child_holds_no_place_under_their_limit(s: Subject) -> Result {
    limit(&s, 1).await?;
    let limited = |job: NewJob| {
        job.limit_key("a").shape(|job| {
            job.spec.name = "node".into();
            job.spec.scope = "node".into();
        })
    };
    let mut parent = s.start(&limited(s.job("node"))).await?;
    let child = limited(child_of(&s, &parent));
    s.apply(&park_for(&s, &mut parent, &child)).await?;
    let mut holder = s.claim_one().await?;
    check_eq!(holder.id(), child.spec.id, "no dead lock with its parent");
    s.apply(&holder.ack("1")).await?;
    check_eq!(s.claim_one().await?.id(), parent.id());
    Ok(())
}

case!(a_cancel_that_races_a_child_leaves_no_orphan);
async fn a_cancel_that_races_a_child_leaves_no_orphan(s: Subject) -> Result {
    for _ in 0..10 {
        let mut parent = s.start(&s.job("order")).await?;
        let child = child_of(&s, &parent);
        let mut commit = parent.steps(Vec::new());
        commit.children = vec![child.clone()];
        let (racing, id) = (s.clone(), parent.id());
        let cancel = tokio::spawn(async move { racing.cancel(id).await });
        let adopted = s.commit(&commit).await?;
        let cancelled = cancel
            .await
            .map_err(|error| super::Failure::here(error.to_string()))??;
        let cancelled = match cancelled {
            // The commit came between its look and its change: as a person would, again.
            CommitAnswer::Conflict => s.cancel(id).await?,
            answer => answer,
        };
        check!(
            matches!(cancelled, CommitAnswer::Applied(_)),
            "{cancelled:?}"
        );
        match s.inspect().job(child.spec.id).await? {
            Some(job) => check_eq!(job.head.state, State::Cancelled),
            None => check_eq!(adopted, CommitAnswer::Cancelled),
        }
    }
    s.claim_nothing().await
}

case!(a_requeued_parent_reuses_the_children_that_have_ended);
async fn a_requeued_parent_reuses_the_children_that_have_ended(s: Subject) -> Result {
    let mut parent = s.start(&s.job("order").attempts(1)).await?;
    let child = child_of(&s, &parent);
    s.apply(&park_for(&s, &mut parent, &child)).await?;
    let mut holder = s.claim_one().await?;
    s.apply(&holder.ack("7")).await?;
    let mut again = s.claim_one().await?;
    check_eq!(again.id(), parent.id());
    s.apply(&again.settle(crate::core::Settle::Fail {
        error: super::shapes::boom(),
    }))
    .await?;
    s.requeue(parent.id(), &[]).await?;
    let revived = s.claim_one().await?;
    let outcome = super::children::outcome_of(&revived.claimed.nudge.inbox, &child)?;
    check_eq!(outcome, super::shapes::done("7"));
    s.claim_nothing().await
}
