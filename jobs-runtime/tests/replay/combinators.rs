//! R1: the ordinary combinators take the same branch live and on replay.

use crate::support::{HOUR, Log, after_polls, bench, journal};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use jobs_runtime::prelude::*;

/// Slow at its first call, answered from a cache at its second.
async fn cached(log: &Log) -> Result<u32> {
    let first = log.count("cached") == 0;
    log.add("cached");
    after_polls(if first { 50 } else { 0 }, 1).await
}

#[job(idempotency = "r1-loser:{input}")]
async fn r1_loser(input: u32, log: State<Log>) -> Result<String> {
    let taken = tokio::select! {
        biased;
        slow = step!("slow", cached(&log)) => format!("slow {}", slow?),
        quick = step!("quick", after_polls(3, input)) => format!("quick {}", quick?),
    };
    log.add(&*taken);
    step!("nap", sleep = "1h").await;
    Ok(taken)
}

#[tokio::test]
async fn r1_a_loser_that_would_win_a_replay_stays_the_loser() {
    let (bench, log) = bench();
    let handle = r1_loser(2).enqueue(bench.jobs()).await.unwrap();
    bench.advance(2 * HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), "quick 2");
    assert_eq!(log.count("slow 1"), 0);
    assert_eq!(log.count("quick 2"), 2, "one live run and one replay");
    assert_eq!(journal(&bench, handle.id()).await, ["quick", "nap"]);
}

#[job(idempotency = "r1-chunks:{input}")]
async fn r1_chunks(input: u32, log: State<Log>) -> Result<Vec<usize>> {
    let steps: FuturesUnordered<_> = (0..3)
        .map(|k| step!("no-op:{k}", move async move { Ok::<_, Failure>(k) }))
        .collect();
    let chunks: Vec<usize> = steps
        .ready_chunks(8)
        .map(|chunk| chunk.len())
        .collect()
        .await;
    log.add(format!("{chunks:?}"));
    step!("nap", sleep = "1h").await;
    let _ = input;
    Ok(chunks)
}

#[tokio::test]
async fn r1_ready_chunks_come_in_the_same_sizes_on_replay() {
    let (bench, log) = bench();
    let handle = r1_chunks(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(2 * HOUR).await.unwrap();
    let chunks = bench.jobs().wait(&handle).await.unwrap();
    assert_eq!(chunks.iter().sum::<usize>(), 3);
    assert_eq!(log.count(&format!("{chunks:?}")), 2, "{:?}", log.lines());
}

#[job(idempotency = "join-two:{input}")]
async fn join_two(input: u32) -> Result<u32> {
    let (value, ()) = tokio::join!(
        step!("work", after_polls(5, input)),
        step!("nap", sleep = "1h")
    );
    Ok(value?)
}

#[tokio::test]
async fn a_step_joined_with_a_sleep_runs_once() {
    let (bench, log) = bench();
    let handle = join_two(4).enqueue(bench.jobs()).await.unwrap();
    bench.advance(2 * HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 4);
    assert_eq!(log.count("start work"), 1);
}

#[job(idempotency = "join-all:{input}")]
async fn join_all_of(input: u32) -> Result<u32> {
    let branches = (0..input).map(|k| async move {
        step!("work:{k}", move after_polls(k % 3, k)).await?;
        step!("nap:{k}", sleep = HOUR * (k % 3 + 1)).await;
        step!("more:{k}", move after_polls(1, k)).await
    });
    let done = futures::future::join_all(branches).await;
    let mut sum = 0;
    for result in done {
        sum += result?;
    }
    Ok(sum)
}

#[tokio::test]
async fn d36_hundreds_of_branches_end_and_each_step_runs_once() {
    let (bench, log) = bench();
    let handle = join_all_of(300).enqueue(bench.jobs()).await.unwrap();
    bench.advance(6 * HOUR).await.unwrap();
    assert_eq!(
        bench.jobs().wait(&handle).await.unwrap(),
        (0..300).sum::<u32>()
    );
    let mut starts = log.lines();
    let all = starts.len();
    starts.sort();
    starts.dedup();
    assert_eq!((all, starts.len()), (600, 600));
}

#[job(idempotency = "timer-race:{input.0}")]
async fn timer_race(input: (u32, bool)) -> Result<String> {
    let slow_first = input.1;
    let late = async {
        step!("long", sleep = "9h").await;
        "late"
    };
    let deadline = async {
        step!("deadline", sleep = "1h").await;
        "deadline"
    };
    let arm = if slow_first {
        tokio::select! { biased; arm = late => arm, arm = deadline => arm }
    } else {
        tokio::select! { biased; arm = deadline => arm, arm = late => arm }
    };
    step!("after:{arm}", after_polls(1, ())).await?;
    step!("rest", sleep = "20h").await;
    Ok(arm.into())
}

#[tokio::test]
async fn d4_the_recorded_arm_is_taken_on_every_replay_in_either_order() {
    for slow_first in [true, false] {
        let (bench, log) = bench();
        let handle = timer_race((1, slow_first))
            .enqueue(bench.jobs())
            .await
            .unwrap();
        bench.advance(48 * HOUR).await.unwrap();
        assert_eq!(bench.jobs().wait(&handle).await.unwrap(), "deadline");
        assert_eq!(log.count("start after:deadline"), 1);
        assert_eq!(
            journal(&bench, handle.id()).await,
            ["deadline", "after:deadline", "rest"]
        );
    }
}

#[job(idempotency = "three-ways:{input}")]
async fn three_ways(input: u32) -> Result<Vec<u32>> {
    let mut steps: FuturesUnordered<_> = (0..5)
        .map(|k| async move {
            if k % 2 == 0 {
                step!("nap:{k}", sleep = HOUR * (5 - k)).await;
            }
            step!("work:{k}", move after_polls(9 - k, k)).await
        })
        .collect();
    let mut order = Vec::new();
    while let Some(result) = steps.next().await {
        order.push(result?);
    }
    let _ = input;
    Ok(order)
}

#[tokio::test]
async fn futures_unordered_yields_in_the_recorded_order() {
    let (bench, log) = bench();
    let handle = three_ways(1).enqueue(bench.jobs()).await.unwrap();
    bench.advance(9 * HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap().len(), 5);
    assert_eq!(log.lines().len(), 5, "{:?}", log.lines());
}

#[job(idempotency = "buffered:{input}")]
async fn buffered(input: u32) -> Result<usize> {
    let results: Vec<Result<u32, StepError>> = futures::stream::iter(0..input)
        .map(|k| async move {
            step!("nap:{k}", sleep = HOUR).await;
            step!("work:{k}", move after_polls(1, k)).await
        })
        .buffer_unordered(2)
        .collect()
        .await;
    Ok(results.len())
}

#[tokio::test]
async fn buffer_unordered_keeps_its_bound_over_suspensions() {
    let (bench, log) = bench();
    let handle = buffered(6).enqueue(bench.jobs()).await.unwrap();
    bench.advance(9 * HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 6);
    assert_eq!(log.lines().len(), 6);
}

#[job(idempotency = "self-waking:{input}", allow = (raw_await))]
async fn self_waking(input: u32) -> Result<u32> {
    tokio::task::yield_now().await;
    let value = step!("work", after_polls(2, input)).await?;
    tokio::task::yield_now().await;
    Ok(value)
}

#[tokio::test]
async fn a_body_that_yields_goes_on() {
    let (bench, _) = bench();
    let handle = self_waking(3).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), 3);
}
