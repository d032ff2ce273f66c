//! Jobs that cases of several themes run.

use crate::support::{Gate, Log};
use jobs_runtime::prelude::*;

/// Stands at the gate in its only step, and says when it leaves it.
#[job(name = "case-gated", idempotency = "case-gated:{input}", attempts = 5)]
pub(crate) async fn gated(input: u64, log: State<Log>, gate: State<Gate>) -> Result<u64> {
    step!("gate", {
        let _left = log.at_drop("gate left");
        log.add("gate");
        gate.pass().await;
        Ok(())
    })
    .await?;
    Ok(input)
}

/// Says that it ran, in its only step.
#[job(name = "case-quick", idempotency = "case-quick:{input}")]
pub(crate) async fn quick(input: u64, log: State<Log>) -> Result<u64> {
    step!("quick", {
        log.add("quick");
        Ok(())
    })
    .await?;
    Ok(input)
}
