//! Types of the user's under the names of the built-in ones, and macros under those of the standard.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]
#![allow(dead_code, non_camel_case_types, unused_macros)]

use jobs_runtime::{Job, State, job, step, steps};

struct u8;
struct u32;
struct bool;
struct str;
struct usize;
mod jobs_runtime_too {}
mod serde {}
mod input {}
macro_rules! env { () => {}; }
macro_rules! file { () => {}; }
macro_rules! line { () => {}; }
macro_rules! vec { () => {}; }
macro_rules! unreachable { () => {}; }
macro_rules! compile_error { () => {}; }
macro_rules! format_args { () => {}; }
fn step() {}
fn key_part() {}

type Outcome = Result<u64, jobs_runtime::Failure>;

struct Bank;

async fn work(input: u64) -> Outcome {
    Ok(input)
}

#[steps]
async fn shadowed_helper(n: &u64) -> Outcome {
    Ok(step!("one", was = ["uno"], work(*n)).await?)
}

#[job(idempotency = "shadowed-types:{input}", tenant = "{input}", was = ["old-shadowed"], unique_for = "1h", priority = 1, attempts = 5)]
async fn shadowed_types(input: u64, _bank: State<Bank>) -> Outcome {
    let step = step!("a", work(input)).await?;
    let b = step!("b:{step}", attempts = 2, backoff = "1s..2s", timeout = "1s", work(step)).await?;
    let c = step!("c", { Ok(work(b).await?) }).await?;
    step!("d", sleep = "1s").await;
    let helped = step!("g", steps = shadowed_helper(&step)).await?;
    Ok(step + b + c + helped)
}

fn main() {
    step();
    assert!(matches!(shadowed_types::key(&7), Some(_)));
    let _request = shadowed_types(7);
}
