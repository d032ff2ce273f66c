//! Counts by queue: what people and autoscalers look at.

use super::shapes::{JobShape, boom};
use super::{Result, Subject};
use crate::core::{Millis, NewJob, Settle};

/// Jobs that every exact count must still see one by one.
const EXACT_ROWS: u64 = 10_000;

case!(jobs_are_counted_by_what_people_see_of_them, needs exact_stats);
async fn jobs_are_counted_by_what_people_see_of_them(s: Subject) -> Result {
    let mut holders = Vec::new();
    for _ in 0..10 {
        holders.push(s.start(&s.job("mail").attempts(1)).await?);
    }
    // 4 running, 2 suspended, 2 dead, 1 done, 1 cancelled.
    s.apply(&holders[0].park(Vec::new(), None)).await?;
    s.apply(&holders[1].park(Vec::new(), Some(s.now().after(Millis(500)))))
        .await?;
    s.apply(&holders[2].retry(Millis(1), boom())).await?;
    s.apply(&holders[3].retry(Millis(1), boom())).await?;
    s.apply(&holders[4].ack("1")).await?;
    s.apply(&holders[5].settle(Settle::Cancel)).await?;
    for _ in 0..3 {
        s.enqueue(&s.job("mail")).await?;
    }
    s.enqueue(&s.job("mail").delay(Millis(5000))).await?;
    s.enqueue(&s.job("mail").queue("other")).await?;
    s.advance(Millis(1234));
    let stats = s.stats_of("default").await?;
    check_eq!((stats.ready, stats.delayed), (3, 1));
    check_eq!((stats.running, stats.suspended), (4, 2));
    check_eq!(stats.dead, 2);
    check!(!stats.at_least);
    check_eq!(stats.oldest_ready, Some(Millis(1234)));
    check_eq!(s.stats_of("other").await?.ready, 1);
    Ok(())
}

case!(an_empty_store_has_nothing_to_count);
async fn an_empty_store_has_nothing_to_count(s: Subject) -> Result {
    let stats = s.stats_of("default").await?;
    check_eq!(stats.ready + stats.delayed + stats.running, 0);
    check_eq!(stats.oldest_ready, None);
    Ok(())
}

case!(a_delayed_job_becomes_ready_by_the_passing_of_time, needs exact_stats);
async fn a_delayed_job_becomes_ready_by_the_passing_of_time(s: Subject) -> Result {
    s.enqueue(&s.job("mail").delay(Millis(1000))).await?;
    let stats = s.stats_of("default").await?;
    check_eq!((stats.ready, stats.delayed), (0, 1));
    check_eq!(stats.oldest_ready, None);
    s.advance(Millis(1000));
    let stats = s.stats_of("default").await?;
    check_eq!((stats.ready, stats.delayed), (1, 0));
    check_eq!(stats.oldest_ready, Some(Millis(0)));
    Ok(())
}

case!(counts_move_with_the_jobs, needs exact_stats);
async fn counts_move_with_the_jobs(s: Subject) -> Result {
    let mut holder = s.start(&s.job("mail").attempts(1)).await?;
    s.apply(&holder.retry(Millis(1), boom())).await?;
    check_eq!(s.stats_of("default").await?.dead, 1);
    s.requeue(holder.id(), &[]).await?;
    let stats = s.stats_of("default").await?;
    check_eq!((stats.dead, stats.ready), (0, 1));
    let mut holder = s.claim_one().await?;
    s.apply(&holder.ack("1")).await?;
    let stats = s.stats_of("default").await?;
    check_eq!(stats.dead + stats.ready + stats.running, 0);
    Ok(())
}

case!(q35_a_count_is_exact_up_to_its_bound_and_a_floor_beyond, needs exact_stats);
async fn q35_a_count_is_exact_up_to_its_bound_and_a_floor_beyond(s: Subject) -> Result {
    let batch = |count: u64| -> Vec<NewJob> { (0..count).map(|_| s.job("mail")).collect() };
    for _ in 1..EXACT_ROWS / 1000 {
        s.enqueue_all(&batch(1000)).await?;
    }
    s.enqueue_all(&batch(999)).await?;
    let stats = s.stats_of("default").await?;
    check_eq!((stats.ready, stats.at_least), (EXACT_ROWS - 1, false));
    s.enqueue_all(&batch(2)).await?;
    let stats = s.stats_of("default").await?;
    check!(stats.ready >= EXACT_ROWS && stats.ready <= EXACT_ROWS + 1);
    check!(
        stats.at_least || stats.ready == EXACT_ROWS + 1,
        "a count that stopped says so"
    );
    Ok(())
}
