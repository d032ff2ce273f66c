//! An option in a key.

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

#[job(idempotency = "signup:{input.referrer}")]
async fn welcome(input: Signup) -> Result<()> {
    step!("greet", greet(&input)).await?;
    Ok(())
}

fn main() {}
