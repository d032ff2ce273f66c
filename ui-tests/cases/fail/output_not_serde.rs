//! An output that cannot be stored.

use jobs_runtime::{Result, job};

struct Account;

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<Account> {
    Ok(Account)
}

fn main() {}
