//! No idempotency key: the hint names a field that the body reads.

use jobs_runtime::{Result, job, step};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Signup {
    user_id: u64,
    email: String,
    amount: f64,
    tags: std::collections::HashMap<String, String>,
    referrer: Option<u64>,
}

async fn greet(input: &Signup) -> Result<()> {
    println!("{} {} {:?} {:?}", input.user_id, input.email, input.tags, (input.amount, input.referrer));
    Ok(())
}

#[job(attempts = 5)]
async fn welcome(input: Signup) -> Result<()> {
    step!("greet", greet(&input)).await?;
    println!("{} {}", input.email, input.user_id);
    Ok(())
}

fn main() {}
