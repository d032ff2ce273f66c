//! Dead letters: they stay, whole, until they are purged by name.

use super::shapes::{JobShape, boom};
use super::{Result, Subject};
use crate::contract::{JobFilter, PruneBounds};
use crate::core::{JobId, Millis, State};

case!(b54_retention_removes_the_done_and_leaves_the_dead);
async fn b54_retention_removes_the_done_and_leaves_the_dead(s: Subject) -> Result {
    let mut done = s.start(&s.job("mail")).await?;
    s.apply(&done.ack("1")).await?;
    let dead = bury(&s).await?;
    s.advance(Millis::secs(1_000_000_000));
    let bounds = PruneBounds {
        ended_before: s.now(),
        rules: Vec::new(),
        spared: Millis(0),
        events_expired_before: s.now(),
        dead_before: None,
        limit: 100,
    };
    let pruned = s.driver().prune(&bounds, Some(s.now())).await?;
    check_eq!((pruned.jobs, pruned.dead_letters), (1, 0));
    check!(s.inspect().job(done.id()).await?.is_none());
    s.expect_state(dead, State::Dead).await?;
    Ok(())
}

case!(a_purge_of_dead_letters_counts_them);
async fn a_purge_of_dead_letters_counts_them(s: Subject) -> Result {
    for _ in 0..5 {
        bury(&s).await?;
    }
    s.advance(Millis(1));
    let bounds = PruneBounds {
        ended_before: s.now(),
        rules: Vec::new(),
        spared: Millis(0),
        events_expired_before: s.now(),
        dead_before: Some(s.now()),
        limit: 3,
    };
    for expected in [3, 2, 0] {
        let pruned = s.driver().prune(&bounds, Some(s.now())).await?;
        check_eq!(pruned.dead_letters, expected);
    }
    check_eq!(s.stats_of("default").await?.dead, 0);
    Ok(())
}

case!(a_dead_letter_keeps_its_input_its_journal_and_its_last_error);
async fn a_dead_letter_keeps_its_input_its_journal_and_its_last_error(s: Subject) -> Result {
    let job = s.job("mail").attempts(1).input(vec![0, 255, 1]);
    let mut holder = s.start(&job).await?;
    let step = holder.step("one", "1");
    s.apply(&holder.steps(vec![step.clone()])).await?;
    s.apply(&holder.retry(Millis(1), boom())).await?;
    let view = s.view(job.spec.id).await?;
    check_eq!(view.job.spec, job.spec);
    check_eq!(view.job.notes.error, Some(boom()));
    check_eq!(view.journal, [step]);
    Ok(())
}

case!(dead_letters_are_listed);
async fn dead_letters_are_listed(s: Subject) -> Result {
    let dead = bury(&s).await?;
    s.enqueue(&s.job("mail")).await?;
    let filter = JobFilter {
        state: Some(State::Dead),
        ..JobFilter::default()
    };
    let page = s.inspect().list(&filter, None, 10).await?;
    let ids: Vec<JobId> = page.jobs.iter().map(|job| job.spec.id).collect();
    check_eq!(ids, [dead]);
    Ok(())
}

async fn bury(s: &Subject) -> Result<JobId> {
    let mut holder = s.start(&s.job("mail").attempts(1)).await?;
    s.apply(&holder.retry(Millis(1), boom())).await?;
    Ok(holder.id())
}
