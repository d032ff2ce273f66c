//! A step whose name a macro of the user gives is seen, and so are its mistakes.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

macro_rules! make {
    ($name:ident, $first:literal, $second:literal) => {
        #[job(idempotency = none)]
        async fn $name(_input: u64) -> Result<()> {
            step!($first, work()).await?;
            step!($second, work()).await?;
            Ok(())
        }
    };
}

make!(welcome, "greet", "greet");

fn main() {}
