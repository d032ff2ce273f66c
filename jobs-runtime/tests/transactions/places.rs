//! Where the jobs may live, and what is said when a transaction leads elsewhere.

use crate::support::{Log, app, bench_on, connect, file, pool};
use jobs_runtime::Jobs;
use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
use jobs_runtime::prelude::*;
use serde::{Deserialize, Serialize};
use sqlx::SqlitePool;
use sqlx::sqlite::{SqlitePoolOptions, SqliteSynchronous};

#[job(idempotency = "placed:{input}")]
async fn placed(input: u64) -> Result<u64> {
    Ok(input)
}

#[derive(Serialize, Deserialize, Event)]
#[event(name = "placed-event", key = none)]
struct Placed {}

async fn refused(pool: SqlitePool) -> Error {
    let opened = Sqlite::from_pool(pool, SqliteOptions::default()).await;
    opened.err().unwrap()
}

#[tokio::test]
async fn a_connection_outside_a_transaction_is_refused() {
    let app = app().await;
    let mut connection = app.pool.acquire().await.unwrap();
    let error = placed(1).enqueue_in(&mut *connection).await.unwrap_err();
    assert_eq!(error.code(), "X_OUTBOX_NO_TX");
    assert!(error.fix().contains("BEGIN IMMEDIATE"), "{error:?}");
    assert_eq!(app.live().await, 0);
}

#[tokio::test]
async fn a_database_without_jobs_is_refused_with_the_way_out() {
    let (_folder, path) = file();
    let pool = pool(&path).await;
    let mut tx = pool.begin().await.unwrap();
    let error = placed(1).enqueue_in(&mut tx).await.unwrap_err();
    assert_eq!(error.code(), "X_STORE_SETTINGS");
    assert!(error.to_string().contains("app.db"), "{error:?}");
    assert!(error.fix().contains("from_pool"), "{error:?}");
}

#[tokio::test]
async fn a_transaction_on_another_file_is_refused_by_both_names() {
    let (here, there) = (app().await, app().await);
    let mut tx = there.begin().await;
    let published = here.jobs().publish_in(&mut tx, Placed {}, ()).await;
    let error = published.unwrap_err();
    assert_eq!(error.code(), "X_STORE_SETTINGS");
    assert_eq!(error.to_string().matches("app.db").count(), 2, "{error:?}");
}

#[tokio::test]
async fn a_memory_store_has_no_transactions_of_others() {
    let app = app().await;
    let jobs = Jobs::connect("memory:").await.unwrap();
    let mut tx = app.begin().await;
    let error = jobs.publish_in(&mut tx, Placed {}, ()).await.unwrap_err();
    assert_eq!(error.code(), "X_STORE_SETTINGS");
    assert!(error.to_string().contains("memory"), "{error:?}");
}

#[tokio::test]
async fn a_file_that_nobody_here_has_open_takes_jobs_all_the_same() {
    let (_folder, path) = file();
    let pool = pool(&path).await;
    let first = bench_on(&pool, &Log::default()).await;
    first.jobs().close().await;
    drop(first);
    let mut tx = pool.begin().await.unwrap();
    let handle = placed(4).enqueue_in(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
    let again = bench_on(&pool, &Log::default()).await;
    again
        .clock()
        .advance_to(jobs_runtime::Timestamp(i64::MAX / 4));
    again.drain().await.unwrap();
    assert_eq!(again.jobs().wait(&handle).await.unwrap(), 4);
}

#[tokio::test]
async fn a_transaction_that_read_before_somebody_else_wrote_says_how_to_begin() {
    let app = app().await;
    let mut tx = app.pool.begin().await.unwrap();
    let read = sqlx::query("SELECT count(*) FROM account");
    read.fetch_one(&mut *tx).await.unwrap();
    placed(1).enqueue(app.jobs()).await.unwrap();
    let error = placed(2).enqueue_in(&mut tx).await.unwrap_err();
    assert_eq!(error.code(), "X_DRIVER_UNAVAILABLE");
    assert!(error.fix().contains("BEGIN IMMEDIATE"), "{error:?}");
}

#[tokio::test]
async fn a_pool_on_a_database_in_memory_is_refused() {
    let pool = SqlitePool::connect("sqlite::memory:").await.unwrap();
    let error = refused(pool).await;
    assert_eq!(error.code(), "X_STORE_SETTINGS");
    assert!(error.to_string().contains("in memory"), "{error:?}");
}

#[tokio::test]
async fn a_pool_that_may_lose_the_last_commits_is_refused_unless_that_is_meant() {
    let (_folder, path) = file();
    let weak = connect(&path).synchronous(SqliteSynchronous::Normal);
    let pool = SqlitePoolOptions::new().connect_lazy_with(weak);
    let error = refused(pool.clone()).await;
    assert_eq!(error.code(), "X_STORE_SETTINGS");
    assert!(error.fix().contains("FULL"), "{error:?}");
    let options = SqliteOptions::default().allow_weak_durability();
    Sqlite::from_pool(pool, options).await.unwrap();
}

#[tokio::test]
async fn a_pool_that_does_not_follow_foreign_keys_is_refused() {
    let (_folder, path) = file();
    let loose = connect(&path).foreign_keys(false);
    let error = refused(SqlitePoolOptions::new().connect_lazy_with(loose)).await;
    assert_eq!(error.code(), "X_STORE_SETTINGS");
    assert!(error.fix().contains("foreign_keys"), "{error:?}");
}

#[tokio::test]
async fn jobs_live_beside_the_tables_of_the_application() {
    let (_folder, path) = file();
    let pool = pool(&path).await;
    let jobs = Jobs::from_pool(pool.clone()).await.unwrap();
    let mut tx = pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let handle = placed(4).enqueue_in(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
    let view = jobs.admin().show(handle.id()).await.unwrap();
    assert!(view.is_some());
    jobs.close().await;
}
