//! A helper that is a method.

use jobs_runtime::{Result, step, steps};

async fn work() -> Result<u64> {
    Ok(1)
}

struct Shop;

impl Shop {
    #[steps]
    async fn bill(&self) -> Result<u64> {
        Ok(step!("charge", work()).await?)
    }
}

fn main() {}
