//! A step whose result cannot be stored.

use jobs_runtime::{Result, job, step};

struct Account;

async fn account() -> Result<Account> {
    Ok(Account)
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    step!("greet", account()).await?;
    Ok(())
}

fn main() {}
