//! The job: two `tx` steps around a sleep, each of which writes a row.

use super::tx::PaidTx;
use jobs_runtime::clock::{Entropy, SystemEntropy};
use jobs_runtime::prelude::*;
use jobs_runtime::torture::workload::{Choices, World};
use jobs_runtime::{Error, job};
use std::time::Duration;

/// The name of the job.
pub(super) const NAME: &str = "torture-paid";
/// The steps that write a row.
pub(super) const STEPS: [&str; 2] = ["debit", "credit"];

/// How often a body fails after its write, of a thousand.
const UNLUCKY: u64 = 150;
/// The longest that a body holds its transaction, in milliseconds.
const HOLD_LIMIT: u64 = 60;

pub(super) const TABLE: &str = "CREATE TABLE IF NOT EXISTS torture_paid
  (run TEXT NOT NULL, step TEXT NOT NULL, receipt INTEGER NOT NULL)";
const WRITE: &str = "INSERT INTO torture_paid (run, step, receipt) VALUES (?, ?, ?)";

/// Enqueues one.
///
/// # Errors
/// What the store said.
pub(crate) async fn enqueue(choices: &mut Choices, jobs: &Jobs) -> Result<(), Error> {
    let hold = choices.below(HOLD_LIMIT);
    torture_paid(hold).enqueue(jobs).await.map(drop)
}

#[job(name = "torture-paid", idempotency = none, attempts = 6, backoff = "100ms..2s")]
pub(crate) async fn torture_paid(input: u64, job: JobContext) -> Result<u64> {
    let run = job.run_id().to_string();
    let debit = step!(
        "debit",
        tx = |tx: &mut PaidTx| write(tx, &run, "debit", input)
    )
    .await?;
    step!("rest", sleep = Duration::from_millis(200)).await;
    let credit = step!(
        "credit",
        tx = |tx: &mut PaidTx| write(tx, &run, "credit", input)
    )
    .await?;
    Ok(debit ^ credit)
}

/// Writes a row, and gives what it can be told by.
async fn write(tx: &mut PaidTx, run: &str, step: &str, hold: u64) -> Result<u64> {
    let receipt = SystemEntropy.bits() as u64 >> 12;
    sqlx::query(TABLE).execute(tx.connection()).await?;
    let write = sqlx::query(WRITE).bind(run).bind(step);
    let write = write.bind(receipt.cast_signed());
    write.execute(tx.connection()).await?;
    let world = World::current()?;
    world.pass(hold).await;
    if world.per_mille(UNLUCKY) {
        return Err(Failure::msg("bad luck"));
    }
    Ok(receipt)
}
