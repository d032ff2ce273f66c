//! The `select!` of futures, which always picks at random.

use jobs_runtime::{Result, job, step};

async fn work() -> Result<u64> {
    Ok(1)
}

mod futures {
    macro_rules! select {
        ($given:pat = $step:expr => $then:block $(,)?) => {
            let $given = $step.await;
            $then
        };
    }
    pub(crate) use select;
}

#[job(idempotency = none)]
async fn welcome(_input: u64) -> Result<()> {
    futures::select! {
        greeted = step!("greet", work()) => { greeted?; }
    }
    Ok(())
}

fn main() {}
