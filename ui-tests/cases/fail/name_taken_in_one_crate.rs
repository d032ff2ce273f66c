//! Two jobs of one durable name in one crate.

use jobs_runtime::{Result, job};

mod one {
    use super::*;

    #[job(idempotency = none)]
    async fn welcome(_input: u64) -> Result<()> {
        Ok(())
    }
}

mod two {
    use super::*;

    #[job(idempotency = none, name = "welcome")]
    async fn greet(_input: u64) -> Result<()> {
        Ok(())
    }
}

fn main() {}
