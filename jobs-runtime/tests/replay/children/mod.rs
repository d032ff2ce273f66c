//! R10 under a body: children are enqueued once, heard of once, and cancelled with their parent.

mod crash;
mod detached;
mod family;

use crate::support::{HOUR, Log, after_polls, bench, error_code, journal, state_of};
use futures::StreamExt;
use futures::future::join_all;
use futures::stream::FuturesUnordered;
use jobs_runtime::contract::JobFilter;
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use jobs_runtime::{Handle, JobId, StoreHook, Verb};
use std::sync::{Arc, Mutex};

/// What a child does before it ends.
#[derive(Serialize, Deserialize, Clone)]
struct Parcel {
    id: u64,
    hours: u32,
    fails: bool,
}

fn parcel(id: u64) -> Parcel {
    Parcel {
        id,
        hours: 0,
        fails: false,
    }
}

#[derive(Debug)]
struct Lost(u64, std::io::Error);

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "parcel {} is lost", self.0)
    }
}

impl std::error::Error for Lost {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.1)
    }
}

#[job(idempotency = "child-parcel:{input.id}", attempts = 1)]
async fn child_parcel(input: Parcel, log: State<Log>) -> Result<String> {
    step!("on-its-way", sleep = HOUR * input.hours).await;
    step!("deliver", deliver(&input, &log)).await?;
    Ok(format!("parcel {}", input.id))
}

async fn deliver(parcel: &Parcel, log: &Log) -> Result<()> {
    if parcel.fails {
        let cause = std::io::Error::other("fell off the cart");
        return Err(Lost(parcel.id, cause).into());
    }
    log.add(format!("delivered {}", parcel.id));
    Ok(())
}

async fn jobs_named(bench: &Bench, name: &str) -> Vec<JobId> {
    let filter = JobFilter {
        name: Some(name.into()),
        ..JobFilter::default()
    };
    let page = bench.jobs().admin().list(&filter, None, 2_000).await;
    page.unwrap().jobs.iter().map(|job| job.spec.id).collect()
}

#[job(idempotency = "child-one:{input.id}")]
async fn child_one(input: Parcel, log: State<Log>) -> Result<String> {
    log.add("body");
    let told = step!(
        "ship",
        job = {
            log.add("request");
            child_parcel(input.clone()).priority(2)
        }
    )
    .await?;
    step!("nap", sleep = "1h").await;
    Ok(told)
}

#[tokio::test]
async fn the_output_of_a_child_is_the_result_of_its_step_live_and_on_replay() {
    let (bench, log) = bench();
    let mut slow = parcel(1);
    slow.hours = 3;
    let handle = child_one(slow).enqueue(bench.jobs()).await.unwrap();
    bench.advance(9 * HOUR).await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), "parcel 1");
    assert_eq!(log.count("body"), 3, "asked, heard, slept");
    assert_eq!(log.count("request"), 1, "a replay makes no request");
    assert_eq!(journal(&bench, handle.id()).await, ["ship", "nap"]);
    let children = jobs_named(&bench, "child_parcel").await;
    assert_eq!(children.len(), 1);
    let child = bench.jobs().admin().show(children[0]).await.unwrap();
    let spec = child.unwrap().job.spec;
    assert_eq!(spec.parent.unwrap().job, handle.id());
    assert_eq!(spec.priority.level(), 2, "the request is the user's");
}

#[job(idempotency = "child-fails:{input}")]
async fn child_fails(input: u64, log: State<Log>) -> Result<()> {
    let mut lost = parcel(input);
    lost.fails = true;
    let error = step!("ship", job = child_parcel(lost.clone())).await;
    let Err(error) = error else { return Ok(()) };
    let cause = std::error::Error::source(&error).map(ToString::to_string);
    log.add(format!(
        "{} | {} | {cause:?}",
        error.step(),
        error.message()
    ));
    step!("nap", sleep = "1h").await;
    Ok(())
}

#[tokio::test]
async fn d22_the_error_of_a_child_is_the_same_on_replay() {
    let (bench, log) = bench();
    let handle = child_fails(7).enqueue(bench.jobs()).await.unwrap();
    bench.advance(3 * HOUR).await.unwrap();
    bench.jobs().wait(&handle).await.unwrap();
    let told = log.lines();
    let told: Vec<_> = told.iter().filter(|line| line.contains('|')).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(told[0], told[1]);
    assert!(told[0].starts_with("ship | "), "{told:?}");
    assert!(told[0].contains("parcel 7 is lost"), "{told:?}");
    assert_eq!(jobs_named(&bench, "child_parcel").await.len(), 1);
}

#[job(idempotency = "child-retried:{input}", attempts = 3, backoff = "1m")]
async fn child_retried(input: u64) -> Result<()> {
    let mut lost = parcel(input);
    lost.fails = true;
    step!("ship", job = child_parcel(lost.clone())).await?;
    Ok(())
}

#[tokio::test]
async fn a_child_whose_error_left_the_body_is_another_job_at_the_next_attempt() {
    let (bench, _) = bench();
    let handle = child_retried(7).enqueue(bench.jobs()).await.unwrap();
    bench.advance(HOUR).await.unwrap();
    assert_eq!(state_of(&bench, handle.id()).await, JobState::Dead);
    assert_eq!(jobs_named(&bench, "child_parcel").await.len(), 3);
}

#[job(idempotency = "child-many:{input}")]
async fn child_many(input: u64) -> Result<Vec<String>> {
    let children = (0..input).map(|id| {
        let one = Parcel {
            hours: (id % 7) as u32,
            ..parcel(id)
        };
        step!("ship:{id}", job = move child_parcel(one))
    });
    let told = join_all(children).await;
    Ok(told.into_iter().collect::<Result<_, _>>()?)
}

#[tokio::test]
async fn results_of_children_come_in_the_order_of_asking() {
    let (bench, log) = bench();
    let handle = child_many(40).enqueue(bench.jobs()).await.unwrap();
    bench.advance(9 * HOUR).await.unwrap();
    let expected: Vec<String> = (0..40).map(|id| format!("parcel {id}")).collect();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), expected);
    let delivered = log.lines();
    assert_eq!(
        delivered
            .iter()
            .filter(|line| line.starts_with("delivered"))
            .count(),
        40
    );
}

#[job(idempotency = "child-unordered:{input}")]
async fn child_unordered(input: u64, log: State<Log>) -> Result<()> {
    let mut children: FuturesUnordered<_> = (0..input)
        .map(|id| {
            let hours = (input - id) as u32;
            let one = Parcel {
                hours,
                ..parcel(id)
            };
            step!("ship:{id}", job = move child_parcel(one))
        })
        .collect();
    let mut order = Vec::new();
    while let Some(told) = children.next().await {
        order.push(told?);
        log.add(format!("order {}", order.join(", ")));
    }
    Ok(())
}

#[tokio::test]
async fn children_are_taken_in_the_recorded_order_on_every_replay() {
    let (bench, log) = bench();
    let handle = child_unordered(4).enqueue(bench.jobs()).await.unwrap();
    bench.advance(9 * HOUR).await.unwrap();
    bench.jobs().wait(&handle).await.unwrap();
    let lines = log.lines();
    let last = lines.iter().rfind(|line| line.starts_with("order"));
    let last = last.unwrap();
    assert_eq!(last, "order parcel 3, parcel 2, parcel 1, parcel 0");
    for line in lines.iter().filter(|line| line.starts_with("order")) {
        assert!(last.starts_with(line.as_str()), "{line}");
    }
}

#[job(idempotency = "child-beside-body:{input}")]
async fn child_beside_body(input: u64) -> Result<String> {
    let (told, work) = tokio::join!(
        step!("ship", job = child_parcel(parcel(input))),
        step!("work", after_polls(200, 7)),
    );
    Ok(format!("{} {}", told?, work?))
}

#[tokio::test]
async fn a_child_is_enqueued_while_a_body_runs() {
    let (bench, log) = bench();
    let handle = child_beside_body(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    assert_eq!(bench.jobs().wait(&handle).await.unwrap(), "parcel 1 7");
    assert_eq!(log.count("start work"), 1);
}

#[steps]
async fn child_in_helper(parcels: &[u64]) -> Result<Vec<String>> {
    let children = parcels.iter().map(|id| {
        step!(
            "ship:{id}",
            was = ["send:{id}"],
            job = child_parcel(parcel(*id))
        )
    });
    let told = join_all(children).await;
    Ok(told.into_iter().collect::<Result<_, _>>()?)
}

#[job(idempotency = "child-below-helper:{input}")]
async fn child_below_helper(input: u64) -> Result<Vec<String>> {
    step!("shipping", steps = child_in_helper(&[input, input + 1])).await
}

#[tokio::test]
async fn children_of_a_helper_belong_to_the_job_that_calls_it() {
    let (bench, _) = bench();
    let handle = child_below_helper(1).enqueue(bench.jobs()).await.unwrap();
    bench.drain().await.unwrap();
    let told = bench.jobs().wait(&handle).await.unwrap();
    assert_eq!(told, ["parcel 1", "parcel 2"]);
    let mut steps = journal(&bench, handle.id()).await;
    steps.sort();
    assert_eq!(steps, ["shipping/ship:1", "shipping/ship:2"]);
    let child = jobs_named(&bench, "child_parcel").await[0];
    let child = bench.jobs().admin().show(child).await.unwrap().unwrap();
    let parent = child.job.spec.parent.unwrap();
    assert_eq!(parent.job, handle.id());
    assert!(steps.contains(&parent.step), "{}", parent.step);
}
