//! `tx` steps that do not say what they write in, or say it as a closure would.

use jobs_runtime::{Result, job, step};

async fn debit<T>(_: T) -> Result<()> {
    Ok(())
}

#[job(idempotency = "debits:{input}")]
async fn debits(input: u64) -> Result<()> {
    let _ = input;
    step!("a", tx = |tx| debit(tx)).await?;
    step!("b", tx = debit(input)).await?;
    step!("c", tx = |tx: Tx| debit(tx)).await?;
    step!("d", tx = async move |tx: &mut Tx| debit(tx)).await?;
    step!("e", effect = at_most_once, tx = |tx: &mut Tx| debit(tx)).await?;
    Ok(())
}

fn main() {}
