//! Everything by one glob import, beside others that know the same names.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

use futures::prelude::*;
use jobs_runtime::prelude::*;

/// An error of the user's own.
#[derive(Debug)]
pub struct Declined;

impl std::fmt::Display for Declined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("declined")
    }
}

impl std::error::Error for Declined {}

async fn charge(cents: u64) -> std::result::Result<u64, Declined> {
    if cents > 100 { Err(Declined) } else { Ok(cents) }
}

/// Charges.
#[job(idempotency = "prelude-charge:{input.0}:{input.1}")]
pub async fn prelude_charge(input: (u64, String)) -> std::result::Result<u64, Failure> {
    let step = 5;
    let job = step!("charge", charge(input.0 + step)).await?;
    let results: Vec<u64> = stream::iter([1u64, 2])
        .map(|input| step!("each:{input}", move charge(input)))
        .buffered(2)
        .try_collect()
        .await?;
    step!("mapped", charge(job).map_ok(|cents| cents + 1)).await?;
    step!("inspected", charge(job)).inspect(|done| println!("{done:?}")).await?;
    Ok(results.iter().sum::<u64>() + job)
}

/// With an error of its own.
#[job(idempotency = none)]
pub async fn prelude_declined(input: u64) -> std::result::Result<u64, Declined> {
    match step!("charge", charge(input)).await {
        Ok(cents) => Ok(cents),
        Err(_) => Err(Declined),
    }
}

fn main() {
    let _ = (prelude_charge((1, "a".into())), prelude_declined(1));
}
