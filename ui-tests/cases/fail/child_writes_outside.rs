//! A request for a child that writes to a variable of the body: the write would be lost on replay.

use jobs_runtime::{Result, job, step};

#[job(idempotency = none)]
async fn ship(_parcel: u64) -> Result<()> {
    Ok(())
}

#[job(idempotency = none)]
async fn order(input: u64) -> Result<()> {
    let mut shipped = 0;
    step!("ship", job = {
        shipped += 1;
        ship(input)
    })
    .await?;
    println!("{shipped}");
    Ok(())
}

fn main() {}
