//! What is refused in the body of a helper is what is refused in a job.

use jobs_runtime::{Result, job, step, steps};

async fn work() -> Result<u64> {
    Ok(1)
}

#[steps]
async fn bill(order: &u64) -> Result<u64> {
    tokio::select! {
        paid = step!("paid", work()) => { paid?; }
        _ = step!("late", sleep = "1d") => {}
    }
    tokio::spawn(work());
    let mut sum = 0;
    step!("outer", async { step!("inner", work()).await }).await?;
    step!("write", { sum += *order; Ok(()) }).await?;
    let list = [1, 2].map(|_| step!("same", work()));
    step!("again", steps = bill(order)).await?;
    tokio::time::timeout(std::time::Duration::from_secs(1), step!("timed", work())).await??;
    tokio::join!(step!("joined", work()), work());
    Ok(sum)
}


fn main() {}
