//! The jobs of the scenarios, and what they tell the one who measures. They need no state, because
//! every worker of a program has to have the states of all its jobs.

#![allow(
    unsafe_code,
    reason = "what a definition leaves for the linker; in another crate the macro answers for it"
)]

use crate::job;
use crate::prelude::*;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::{Semaphore, oneshot};

/// Who waits for the next body to come by, and is told when.
static PASSING: Mutex<Option<oneshot::Sender<Instant>>> = Mutex::new(None);

/// Steps that are held go on when there are permits.
static HELD: Semaphore = Semaphore::const_new(0);

/// Tells when the next body comes by.
pub(super) fn passing() -> oneshot::Receiver<Instant> {
    let (tell, told) = oneshot::channel();
    *PASSING.lock().unwrap_or_else(PoisonError::into_inner) = Some(tell);
    told
}

fn pass() {
    let waiting = PASSING
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(tell) = waiting {
        // Who waited may have given up.
        let _ = tell.send(Instant::now());
    }
}

/// Lets so many held steps go on.
pub(super) fn release(steps: usize) {
    HELD.add_permits(steps);
}

async fn held() -> Result<()> {
    HELD.acquire().await?.forget();
    Ok(())
}

/// Nothing but its first line.
#[job(name = "bench-noop", idempotency = none)]
pub(super) async fn bench_noop(input: u32) -> Result<u32> {
    pass();
    Ok(input)
}

/// So many steps that do nothing.
#[job(name = "bench-steps", idempotency = none)]
pub(super) async fn bench_steps(input: u32) -> Result<u32> {
    for n in 0..input {
        step!("step:{n}", async { Ok::<_, Failure>(n) }).await?;
    }
    Ok(input)
}

/// A step that lasts until it is let go.
#[job(name = "bench-hold", idempotency = none)]
pub(super) async fn bench_hold(input: u32) -> Result<u32> {
    step!("hold", held()).await?;
    Ok(input)
}

/// Sends a run on that has made all its steps.
#[derive(Serialize, Deserialize, Event)]
#[event(name = "bench-go", key = u32, ttl = "1h")]
pub(super) struct BenchGo {}

/// So many steps, then a wait for [`BenchGo`]: who publishes it makes the run replay all of them.
#[job(name = "bench-replay", idempotency = none)]
pub(super) async fn bench_replay(input: u32) -> Result<u32> {
    for n in 0..input {
        step!("step:{n}", async { Ok::<_, Failure>(n) }).await?;
    }
    step!("go", event = BenchGo, key = input, timeout = "1h", required).await?;
    pass();
    Ok(input)
}
