//! A `tx` step whose type is no transaction.

use jobs_runtime::{Result, job, step};

struct Basket;

async fn fill(basket: &mut Basket, items: u64) -> Result<u64> {
    let _ = basket;
    Ok(items)
}

#[job(idempotency = "fill:{input}")]
async fn fill_basket(input: u64) -> Result<u64> {
    Ok(step!("fill", tx = |tx: &mut Basket| fill(tx, input)).await?)
}

fn main() {}
