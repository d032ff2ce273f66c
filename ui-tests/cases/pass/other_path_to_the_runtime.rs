//! The runtime under another path, and `step!` by its full one.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]

mod facade {
    pub(crate) use jobs_runtime as durable;
}

use facade::durable::Job;

#[derive(serde::Serialize, serde::Deserialize, facade::durable::Event)]
#[event(key = u64, crate = facade::durable)]
struct Paid;

async fn work(input: u64) -> facade::durable::Result<u64> {
    Ok(input)
}

#[facade::durable::job(
    idempotency = "other:{input}",
    backoff = "3s",
    priority = 1,
    visibility_timeout = "9s",
    crate = facade::durable
)]
async fn other(input: u64) -> facade::durable::Result<()> {
    facade::durable::step!("a:{input}", attempts = 2, backoff = "1s", work(input)).await?;
    facade::durable::step!("b", event = Paid, key = input).await?;
    Ok(())
}

fn main() {
    assert_eq!(other::def().steps.len(), 2);
    let _request = other(1);
}
