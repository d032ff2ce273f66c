//! A store that shares its file with an application's pool.

use crate::faults::Faults;
use crate::shared::Shared;
use crate::support::{Gate, LEASE, Log, World, within};
use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
use jobs_runtime::prelude::*;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The application's pool.
static POOL: OnceLock<SqlitePool> = OnceLock::new();

#[job(name = "case-holds", idempotency = "case-holds:{input}")]
async fn holds(input: u64, log: State<Log>, gate: State<Gate>) -> Result<u64> {
    step!("hold", {
        // Elsewhere there is no pool to hold anything of.
        let pool = POOL.get().ok_or_else(|| Failure::msg("no pool"))?;
        let _held = pool.acquire().await?;
        log.add("holds");
        gate.pass().await;
        Ok(())
    })
    .await?;
    Ok(input)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn q28_handlers_that_hold_every_connection_of_a_pool_keep_their_leases() {
    let world = World::sqlite().await;
    let connect = SqliteConnectOptions::new().filename(world.path());
    let pool = SqlitePoolOptions::new()
        .max_connections(2)
        .acquire_timeout(Duration::from_secs(3600))
        .connect_with(connect)
        .await
        .unwrap();
    POOL.set(pool.clone()).unwrap();
    let options = SqliteOptions::default().env(world.env.clone());
    let driver = Sqlite::from_pool(pool.clone(), options).await.unwrap();
    let world = world.behind(|_| Arc::new(Shared(Arc::new(driver))));
    let jobs = world.jobs().hooked(Faults::of(&world));
    let handles = [
        holds(1).enqueue(&jobs).await.unwrap(),
        holds(2).enqueue(&jobs).await.unwrap(),
    ];
    let working = world.start(world.worker(&jobs, "a"));
    within(world.log.saw("holds", 2)).await;
    assert!(pool.try_acquire().is_none());
    let rival = world.start(world.worker(&jobs, "b"));
    world.beat(LEASE / 3, 9).await;
    world.gate.open(2);
    for handle in &handles {
        within(jobs.wait(handle)).await.unwrap();
        let head = world.row(handle.id()).await.head;
        assert_eq!((head.attempt, head.token.epoch), (1, 1));
    }
    working.stopped().await;
    rival.stopped().await;
    jobs.close().await;
}
