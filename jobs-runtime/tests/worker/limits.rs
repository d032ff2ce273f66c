//! Limits that definitions declare, as workers see to them.

use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use jobs_runtime::{Limit, contract::JobLimits};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

#[derive(Serialize, Deserialize)]
struct Call {
    id: u64,
    org: String,
}

/// How many run now, and how many ran at once at most, by organisation. Not a `State`: every worker
/// of these tests would have to give it.
static GAUGE: Mutex<BTreeMap<String, (usize, usize)>> = Mutex::new(BTreeMap::new());

fn enter(org: &str) {
    let mut all = GAUGE.lock().unwrap();
    let (now, most) = all.entry(org.to_owned()).or_default();
    *now += 1;
    *most = (*most).max(*now);
}

fn leave(org: &str) {
    GAUGE.lock().unwrap().entry(org.to_owned()).or_default().0 -= 1;
}

fn most(org: &str) -> usize {
    GAUGE.lock().unwrap().get(org).map_or(0, |(_, most)| *most)
}

#[job(
    idempotency = "limited-call:{input.id}",
    limit = (key = "{input.org}", concurrency = 2),
)]
async fn limited_call(input: Call) -> Result<()> {
    step!("call", {
        enter(&input.org);
        tokio::task::yield_now().await;
        leave(&input.org);
        Ok(())
    })
    .await?;
    Ok(())
}

#[job(idempotency = "rated-call:{input}", limit = (rate = "2/s"))]
async fn rated_call(input: u64) -> Result<()> {
    step!("call", { Ok(input) }).await?;
    Ok(())
}

/// Ten calls of two organisations, whose names are those of the test.
async fn enqueue_calls(bench: &Bench, orgs: [&str; 2]) {
    for id in 0..10 {
        let org = orgs[id as usize % 2].to_owned();
        let call = limited_call(Call { id, org });
        call.enqueue(bench.jobs()).await.unwrap();
    }
}

#[tokio::test]
async fn no_more_jobs_of_a_key_run_at_once_than_the_definition_says() {
    let bench = Bench::new();
    enqueue_calls(&bench, ["a", "b"]).await;
    let drained = bench.drain().await.unwrap();
    assert_eq!(drained.done().count(), 10, "{drained}");
    assert_eq!((most("a"), most("b")), (2, 2));
}

#[tokio::test]
async fn an_operator_says_something_else_than_the_definition() {
    let bench = Bench::new();
    let one = Limit::NONE.concurrency(1);
    let admin = bench.jobs().admin();
    admin.limit_job("limited_call", one).await.unwrap();
    enqueue_calls(&bench, ["c", "d"]).await;
    bench.drain().await.unwrap();
    assert_eq!((most("c"), most("d")), (1, 1));
    admin.limit_job("limited_call", Limit::NONE).await.unwrap();
    let again = limited_call(Call {
        id: 100,
        org: "c".to_owned(),
    });
    again.enqueue(bench.jobs()).await.unwrap();
    assert_eq!(bench.drain().await.unwrap().done().count(), 1);
}

#[tokio::test]
async fn a_pause_and_a_limit_of_one_queue_do_not_undo_each_other() {
    let bench = Bench::new();
    let admin = bench.jobs().admin();
    let one = Limit::NONE.concurrency(1);
    admin.limit_queue("default", one).await.unwrap();
    admin.pause("default").await.unwrap();
    enqueue_calls(&bench, ["e", "f"]).await;
    assert_eq!(bench.drain().await.unwrap().leases(), 0);
    admin.resume("default").await.unwrap();
    assert_eq!(bench.drain().await.unwrap().done().count(), 10);
}

#[tokio::test]
async fn starts_keep_the_rate_that_the_definition_says() {
    let bench = Bench::new();
    for id in 0..5 {
        rated_call(id).enqueue(bench.jobs()).await.unwrap();
    }
    assert_eq!(bench.drain().await.unwrap().done().count(), 2);
    let half = Duration::from_millis(500);
    assert_eq!(bench.advance(half).await.unwrap().done().count(), 1);
    let second = Duration::from_secs(1);
    assert_eq!(bench.advance(second).await.unwrap().done().count(), 2);
}

#[test]
fn what_a_definition_declares_is_kept_apart_from_what_a_person_says() {
    let value = br#"{"declared":{"concurrency":2},"override":{"concurrency":1}}"#;
    assert_eq!(JobLimits::read(value).limit(), Limit::NONE.concurrency(1));
}

/// A job for each way to write a rate, and whether the compiler and the program read it alike.
macro_rules! rates {
    ($($name:ident $rate:literal)*) => {
        $(
            #[job(idempotency = none, limit = (rate = $rate))]
            async fn $name(input: u64) -> Result<u64> {
                Ok(input)
            }
        )*

        #[test]
        fn the_compiler_and_the_program_read_every_rate_alike() {
            $(
                let declared = $name::def().options.limit.and_then(|limit| limit.rate);
                assert_eq!(declared, Some($rate.parse().unwrap()), $rate);
            )*
        }
    };
}

rates! {
    rate_s "7/s"
    rate_sec "7/sec"
    rate_m "7/m"
    rate_min "7 / min"
    rate_h "7/h"
    rate_hour "7/hour"
    rate_d "7/d"
    rate_day "1000000/day"
}
