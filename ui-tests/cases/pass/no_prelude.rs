//! Without the standard prelude.
#![no_implicit_prelude]
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]
#![allow(dead_code)]

use ::jobs_runtime::{Event, Job, State, job, step, steps};
use ::std::option::Option::Some;

type Outcome = ::std::result::Result<u64, ::jobs_runtime::Failure>;

struct Bank;

async fn work(input: u64) -> Outcome {
    Outcome::Ok(input)
}

#[derive(::serde::Serialize, ::serde::Deserialize, Event)]
#[event(name = "no-prelude-paid", was = ["no-prelude-payed"], key = u64, ttl = "1d")]
struct Paid {
    cents: u64,
}

#[steps]
async fn no_prelude_helper(n: &u64) -> Outcome {
    let one = step!("one", was = ["uno"], work(*n)).await?;
    Outcome::Ok(one)
}

#[job(idempotency = "no-prelude:{input}", tenant = "{input}", was = ["old-no-prelude"], on_cancel = no_prelude_child, unique_for = "1h")]
async fn no_prelude(input: u64, _bank: State<Bank>) -> Outcome {
    let a = step!("a", work(input)).await?;
    let b = step!("b:{a}", attempts = 2, backoff = "1s..2s", timeout = "1s", work(a)).await?;
    let c = step!("c", { Outcome::Ok(work(b).await?) }).await?;
    step!("d", sleep = "1s").await;
    let paid = step!("e", event = Paid, key = input, timeout = "1d", required).await?;
    let child = step!("f", job = no_prelude_child(5)).await?;
    let helped = step!("g", steps = no_prelude_helper(&a)).await?;
    Outcome::Ok(a + b + c + paid.cents + child + helped)
}

#[job(idempotency = |input| *input)]
async fn no_prelude_child(input: u64) -> Outcome {
    Outcome::Ok(input)
}

fn main() {
    ::std::assert!(::std::matches!(no_prelude::key(&7), Some(_)));
    let _request = no_prelude(7);
}
