//! Names of the user's that shadow those the expansion means.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]
#![allow(dead_code, unused_macros)]

use jobs_runtime::{Event, Job, job, step};

mod std {}
mod core {}
mod alloc {}
mod jobs_runtime_ {}

struct Result;
struct Option;
struct String;
struct Vec;
struct Box;
struct Failure;
struct JobDef;
struct Ok;
enum Err {}
enum Some {}
enum None {}
trait Future {}
trait Send {}
trait Durable {}
trait Extract {}
macro_rules! format {
    () => {};
}
macro_rules! concat {
    () => {};
}

type Outcome = ::std::result::Result<u64, ::jobs_runtime::Failure>;

async fn work(input: u64) -> Outcome {
    Outcome::Ok(input)
}

#[derive(::serde::Serialize, ::serde::Deserialize, Event)]
#[event(key = u64)]
struct Paid {
    cents: u64,
}

#[job(idempotency = "shadowed:{input}", tenant = "{input}", attempts = 3, backoff = "1s..2s", timeout = "1m")]
async fn shadowed(input: u64) -> Outcome {
    let a = step!("a", work(input)).await?;
    let b = step!("b:{a}", attempts = 2, timeout = "1s", work(a)).await?;
    let c = step!("c", move work(b)).await?;
    step!("d", sleep = "1s").await;
    let paid = step!("e", event = Paid, key = input, timeout = "1d", required).await?;
    Outcome::Ok(a + b + c + paid.cents)
}

fn main() {
    assert!(shadowed::key(&7).is_some_and(|key| key == "shadowed:7"));
    let _request = shadowed(7);
}
