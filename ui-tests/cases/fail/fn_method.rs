//! A method.

use jobs_runtime::{Result, job};

struct Shop;

impl Shop {
    #[job(idempotency = none)]
    async fn welcome(&self, _input: u64) -> Result<()> {
        Ok(())
    }
}

fn main() {}
