//! The lints that are off by default, all of them denied.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs)]
#![deny(
    absolute_paths_not_starting_with_crate,
    ambiguous_negative_literals,
    deprecated_in_future,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    keyword_idents,
    let_underscore_drop,
    macro_use_extern_crate,
    meta_variable_misuse,
    missing_copy_implementations,
    missing_debug_implementations,
    non_ascii_idents,
    redundant_imports,
    redundant_lifetimes,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unnameable_types,
    unreachable_pub,
    unused_extern_crates,
    unused_import_braces,
    unused_lifetimes,
    unused_macro_rules,
    unused_qualifications,
    unused_results,
    variant_size_differences,
    future_incompatible,
    nonstandard_style,
    rust_2018_idioms,
    rust_2021_compatibility,
    rust_2024_compatibility,
    unused
)]

use jobs_runtime::{Event, JobContext, Result, State, StepError, job, step, steps};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// An order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// Its number.
    pub id: u64,
    /// What is in it.
    pub items: Vec<u64>,
}

/// It was paid.
#[derive(Clone, Debug, Serialize, Deserialize, Event)]
#[event(name = "lint-paid", was = ["lint-payment"], key = u64, ttl = "7d")]
pub struct Paid {
    /// By whom.
    pub by: String,
}

/// The bank.
#[derive(Debug)]
pub struct Bank {
    fees: Vec<u64>,
}

impl Bank {
    async fn charge(&self, id: u64) -> Result<u64> {
        Ok(id + self.fees.len() as u64)
    }
}

async fn work() -> Result<u64> {
    Ok(1)
}

/// Bills an order.
///
/// # Errors
/// If it cannot be billed.
#[steps]
pub async fn lint_bill(order: &Order, bank: &Bank) -> Result<u64> {
    let mut sum = 0;
    for item in &order.items {
        sum += step!("item:{item}", attempts = 2, backoff = "1s", bank.charge(*item)).await?;
    }
    Ok(sum)
}

/// Ships an order.
#[job(
    idempotency = "lint-ship:{input.id}",
    name = "lint-ship",
    was = ["lint-send"],
    queue = "orders",
    priority = 3,
    tenant = "{input.id}",
    attempts = 7,
    backoff = "1s..10m",
    timeout = "10m",
    visibility_timeout = "1m",
    step_timeout = "30s",
    unique_for = "1h",
    on_conflict = replace,
    expires = "1d",
    on_cancel = lint_undo,
    removed = ["pack"]
)]
pub async fn lint_ship(input: Order, bank: State<Bank>, job: JobContext) -> Result<u64> {
    let billed = step!("billing", steps = lint_bill(&input, &bank)).await?;
    let once = step!("once", effect = at_most_once, work()).await?;
    let moved = step!("moved", move work()).await?;
    let block = step!("block", {
        let one = work().await?;
        Ok(one + 1)
    })
    .await?;
    step!("nap", sleep = "1h").await;
    step!("pause", sleep = Duration::from_secs(once)).await;
    step!("due", sleep_until = job.now()).await;
    let paid: Option<Paid> = step!("paid", event = Paid, key = input.id, timeout = "1d").await?;
    let sure: Paid = step!("sure", event = Paid, key = &input.id, required, since = step).await?;
    let child: std::result::Result<(), StepError> = step!("undo", job = lint_undo(input.clone())).await;
    child?;
    let handle = step!("detached", job = lint_undo(input.clone()), detached).await?;
    tracing::info!(id = %handle.id(), by = ?paid.map(|paid| paid.by), sure = sure.by);
    Ok(billed + once + moved + block)
}

/// Undoes it.
#[job(idempotency = none, allow = (raw_await, unstable_values))]
pub async fn lint_undo(input: Order) -> Result<()> {
    tokio::time::sleep(Duration::from_millis(input.id)).await;
    tracing::info!(now = ?std::time::SystemTime::now());
    Ok(())
}

fn main() {
    drop(lint_ship(Order { id: 1, items: vec![] }));
}
