//! Workers of several clients on one database.

use super::*;
use jobs_runtime::contract::WakeUp;
use jobs_runtime::{StoreHook, Verb};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "pg-paid", key = u64, ttl = "1h")]
struct PgPaid {
    amount: u64,
}

#[job(name = "pg-parcel", idempotency = "parcel:{input}")]
async fn parcel(input: u64, bodies: State<Arc<AtomicU64>>) -> Result<u64> {
    let packed = step!("pack", async move {
        bodies.fetch_add(1, Ordering::Relaxed);
        Ok::<_, Failure>(input * 10)
    })
    .await?;
    Ok(packed)
}

#[job(name = "pg-order", idempotency = "order:{input}")]
async fn order(input: u64, bodies: State<Arc<AtomicU64>>) -> Result<u64> {
    step!("reserve", async move {
        bodies.fetch_add(1, Ordering::Relaxed);
        Ok::<_, Failure>(())
    })
    .await?;
    let paid = step!(
        "paid",
        event = PgPaid,
        key = input,
        timeout = "1h",
        required
    )
    .await?;
    step!("rest", sleep = Duration::from_millis(30)).await;
    let sent = step!("ship", job = parcel(input)).await?;
    Ok(paid.amount + sent)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: scripts/test postgres"]
async fn runs_of_two_clients_wait_sleep_and_have_children() {
    let schema = new_schema();
    let (here, there) = (connect(&schema).await, connect(&schema).await);
    let bodies = Arc::new(AtomicU64::new(0));
    let worker = |jobs: &Jobs| {
        let beats = Arc::new(tokio::sync::Semaphore::new(0));
        let worker = jobs.worker().state(Arc::clone(&bodies));
        worker.state(beats).concurrency(10)
    };
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let until = |mut stopped: tokio::sync::watch::Receiver<bool>| async move {
        drop(stopped.wait_for(|stop| *stop).await);
    };
    let one = tokio::spawn(worker(&here).run_until(until(stopped.clone())));
    let other = tokio::spawn(worker(&there).run_until(until(stopped)));
    let mut runs = Vec::new();
    for n in 0..20 {
        runs.push(order(n).enqueue(&here).await.unwrap());
    }
    for n in 0..20 {
        there.publish(PgPaid { amount: 1 }, n).await.unwrap();
    }
    for (n, run) in (0..20).zip(&runs) {
        assert_eq!(here.wait(run).await.unwrap(), 1 + n * 10);
    }
    stop.send(true).unwrap();
    one.await.unwrap().unwrap();
    other.await.unwrap().unwrap();
    assert_eq!(bodies.load(Ordering::Relaxed), 40, "each body ran once");
    here.close().await;
    there.close().await;
}

/// Tells of each heartbeat that the store has answered.
struct Beats(Arc<tokio::sync::Semaphore>);

impl StoreHook for Beats {
    fn after(&self, verb: Verb) -> Result<(), Error> {
        if verb == Verb::Heartbeat {
            self.0.add_permits(1);
        }
        Ok(())
    }
}

#[job(
    name = "pg-patient",
    idempotency = none,
    attempts = 1,
    visibility_timeout = "1s"
)]
async fn patient(input: u64, beats: State<Arc<tokio::sync::Semaphore>>) -> Result<u64> {
    step!("wait", heartbeats(&beats)).await?;
    Ok(input)
}

async fn heartbeats(beats: &tokio::sync::Semaphore) -> Result<()> {
    drop(beats.acquire_many(2).await?);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: scripts/test postgres"]
async fn the_thread_for_heartbeats_reaches_the_server() {
    let jobs = connect(&new_schema()).await;
    let beats = Arc::new(tokio::sync::Semaphore::new(0));
    let jobs = jobs.hooked(Beats(Arc::clone(&beats)));
    let worker = jobs
        .worker()
        .state(Arc::new(AtomicU64::new(0)))
        .state(beats);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let working = tokio::spawn(worker.run_until(async { drop(stopped.await) }));
    let run = patient(7).enqueue(&jobs).await.unwrap();
    assert_eq!(jobs.wait(&run).await.unwrap(), 7);
    drop(stop);
    working.await.unwrap().unwrap();
    jobs.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: scripts/test postgres"]
async fn an_enqueue_elsewhere_is_told_of() {
    use jobs_runtime::clock::Env;
    use jobs_runtime::contract::Driver;
    use jobs_runtime::drivers::postgres::Postgres;
    let schema = new_schema();
    let waiting = Postgres::from_url(&url(&schema), Env::system())
        .await
        .unwrap();
    let elsewhere = connect(&schema).await;
    let mut hints = waiting.wake_ups();
    let told = async { while hints.recv().await.unwrap() != WakeUp::Ready {} };
    // Whoever listens must have begun to before a notice can reach it, so go on.
    let enqueue = async {
        for n in 0.. {
            parcel(n).enqueue(&elsewhere).await.unwrap();
        }
    };
    tokio::select! { () = told => {}, () = enqueue => {} }
    waiting.close().await;
    elsewhere.close().await;
}
