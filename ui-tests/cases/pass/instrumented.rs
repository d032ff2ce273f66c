//! Other attribute macros and lints, above and below.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use jobs_runtime::private::StepType;
use jobs_runtime::{Job, Result, job, step, steps};

async fn work(input: u64) -> Result<u64> {
    Ok(input)
}

/// Below.
#[job(idempotency = none)]
#[tracing::instrument(skip_all, fields(input = input + 1))]
pub async fn instrumented_below(input: u64) -> Result<u64> {
    Ok(step!("work", work(input)).await?)
}

/// Above.
#[tracing::instrument(skip_all)]
#[allow(clippy::unused_async)]
#[job(idempotency = none)]
#[expect(clippy::needless_pass_by_value, reason = "a job owns its input")]
#[deprecated = "use the one below"]
pub async fn instrumented_above(input: String) -> Result<u64> {
    Ok(step!("work", work(input.len() as u64)).await?)
}

/// A helper.
#[steps]
#[tracing::instrument(skip_all)]
pub async fn instrumented_helper(input: &u64) -> Result<u64> {
    Ok(step!("work", work(*input)).await?)
}

/// With its arguments.
#[doc = concat!("More ", "words.")]
#[job(idempotency = none)]
#[tracing::instrument]
#[must_use]
#[inline]
pub async fn instrumented_with_arguments(input: u64) -> Result<u64> {
    step!("helper", steps = instrumented_helper(&input)).await
}

fn main() {
    let steps = instrumented_below::def().listed_steps();
    assert_eq!(steps.len(), 1);
    assert!(matches!(steps[0].ty, StepType::NotKnown));
    let _ = (instrumented_below(1), instrumented_with_arguments(1));
}
