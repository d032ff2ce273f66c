//! Jobs, events and steps in transactions of the application's own, on its own pool.

use super::*;
use jobs_runtime::PostgresTx;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

#[derive(Serialize, Deserialize, Event)]
#[event(name = "pg-refunded", key = i64, ttl = "1h")]
struct PgRefunded {
    cents: i64,
}

#[job(name = "pg-invoice", idempotency = "invoice:{input}", outbox = required, on_conflict = error)]
async fn invoice(input: i64) -> Result<i64> {
    step!("print", async move { Ok::<_, Failure>(input) }).await?;
    Ok(input)
}

#[job(name = "pg-refund", idempotency = "refund:{input}")]
async fn refund(input: i64) -> Result<i64> {
    let refunded = step!(
        "refunded",
        event = PgRefunded,
        key = input,
        timeout = "1h",
        required
    )
    .await?;
    Ok(refunded.cents)
}

/// The account's table and number, and how often the body is to fail.
#[derive(Serialize, Deserialize)]
struct Debit {
    table: String,
    account: i64,
}

#[job(
    name = "pg-debit",
    idempotency = "debit:{input.account}",
    attempts = 3,
    backoff = "10ms"
)]
async fn debit(input: Debit, bodies: State<Arc<AtomicU64>>) -> Result<()> {
    let (table, account) = (input.table, input.account);
    step!(
        "debit",
        tx = |tx: &mut PostgresTx| {
            let sql = format!("INSERT INTO {table} VALUES ($1, -5)");
            sqlx::query(sqlx::AssertSqlSafe(sql))
                .bind(account)
                .execute(&mut **tx)
                .await?;
            // What the first try has written is not there for the second.
            if bodies.fetch_add(1, Ordering::Relaxed) == 0 {
                return Err(Failure::msg("not yet"));
            }
            invoice(account).enqueue_in(tx).await?;
            Ok(())
        }
    )
    .await?;
    Ok(())
}

/// An application with a table of its own, and its jobs in the same database.
struct App {
    pool: PgPool,
    jobs: Jobs,
    table: String,
}

async fn app() -> App {
    let schema = new_schema();
    let pool = pool(&schema).await;
    let table = format!("{schema}_account");
    let make = format!("CREATE TABLE {table} (id bigint PRIMARY KEY, cents bigint NOT NULL)");
    let make = sqlx::query(sqlx::AssertSqlSafe(make));
    make.execute(&pool).await.unwrap();
    let jobs = Jobs::from_pool(pool.clone()).await.unwrap();
    App { pool, jobs, table }
}

/// A pool whose connections say in which schema the jobs are.
async fn pool(schema: &str) -> PgPool {
    let options: PgConnectOptions = server().parse().unwrap();
    let options = options.options([("jobs.schema", schema)]);
    let pool = PgPoolOptions::new().max_connections(4);
    pool.connect_with(options).await.unwrap()
}

impl App {
    async fn write(&self, tx: &mut sqlx::PgConnection, account: i64) {
        let sql = format!("INSERT INTO {} VALUES ($1, 0)", self.table);
        let write = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(account);
        write.execute(tx).await.unwrap();
    }

    async fn accounts(&self) -> Vec<i64> {
        let sql = format!("SELECT id FROM {} ORDER BY id", self.table);
        let ids = sqlx::query_scalar(sqlx::AssertSqlSafe(sql));
        ids.fetch_all(&self.pool).await.unwrap()
    }

    async fn jobs_named(&self, name: &str) -> usize {
        let filter = jobs_runtime::contract::JobFilter {
            name: Some(name.into()),
            ..Default::default()
        };
        let page = self.jobs.admin().list(&filter, None, 100).await;
        page.unwrap().jobs.len()
    }

    /// Works until the future has ended.
    async fn work<T>(&self, until: impl Future<Output = T> + Send) -> T {
        let mut ended = None;
        let bodies = Arc::new(AtomicU64::new(0));
        let worker = self.jobs.worker().state(bodies);
        let worker = worker.state(Arc::new(tokio::sync::Semaphore::new(0)));
        let worker = worker.poll_interval(Duration::from_millis(50));
        worker
            .run_until(async { ended = Some(until.await) })
            .await
            .unwrap();
        ended.unwrap()
    }
}

#[tokio::test]
#[ignore = "needs a server: scripts/test postgres"]
async fn a_job_and_the_callers_writes_stand_or_fall_together() {
    let app = app().await;
    for (account, commits) in [(1, true), (2, false)] {
        let mut tx = app.pool.begin().await.unwrap();
        app.write(&mut tx, account).await;
        invoice(account).enqueue_in(&mut tx).await.unwrap();
        match commits {
            true => tx.commit().await.unwrap(),
            false => tx.rollback().await.unwrap(),
        }
    }
    let mut tx = app.pool.begin().await.unwrap();
    invoice(3).enqueue_in(&mut tx).await.unwrap();
    drop(tx);
    assert_eq!(app.accounts().await, [1]);
    assert_eq!(app.jobs_named("pg-invoice").await, 1);
}

#[tokio::test]
#[ignore = "needs a server: scripts/test postgres"]
async fn a_refused_enqueue_leaves_the_callers_transaction_as_it_was() {
    let app = app().await;
    let mut tx = app.pool.begin().await.unwrap();
    invoice(1).enqueue_in(&mut tx).await.unwrap();
    let taken = invoice(1).enqueue_in(&mut tx).await.unwrap_err();
    assert_eq!(taken.code(), "X_JOB_DUPLICATE");
    app.write(&mut tx, 1).await;
    tx.commit().await.unwrap();
    assert_eq!(app.accounts().await, [1]);
    assert_eq!(app.jobs_named("pg-invoice").await, 1);
}

#[tokio::test]
#[ignore = "needs a server: scripts/test postgres"]
async fn a_savepoint_that_is_rolled_back_takes_its_job_along_and_no_other() {
    use sqlx::Connection;
    let app = app().await;
    let mut tx = app.pool.begin().await.unwrap();
    invoice(1).enqueue_in(&mut tx).await.unwrap();
    let mut inner = tx.begin().await.unwrap();
    invoice(2).enqueue_in(&mut inner).await.unwrap();
    inner.rollback().await.unwrap();
    invoice(2).enqueue_in(&mut tx).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(app.jobs_named("pg-invoice").await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: scripts/test postgres"]
async fn an_event_reaches_its_run_with_the_callers_commit_and_not_before() {
    let app = app().await;
    let handle = refund(7).enqueue(&app.jobs).await.unwrap();
    let publish = async |cents, commits| {
        let mut tx = app.pool.begin().await.unwrap();
        let event = PgRefunded { cents };
        app.jobs.publish_in(&mut tx, event, 7).await.unwrap();
        match commits {
            true => tx.commit().await.unwrap(),
            false => tx.rollback().await.unwrap(),
        }
    };
    let told = app.work(async {
        publish(1, false).await;
        publish(2, true).await;
        app.jobs.wait(&handle).await
    });
    assert_eq!(told.await.unwrap(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: scripts/test postgres"]
async fn a_step_writes_together_with_its_record_and_a_failed_one_not_at_all() {
    let app = app().await;
    let input = Debit {
        table: app.table.clone(),
        account: 7,
    };
    let handle = debit(input).enqueue(&app.jobs).await.unwrap();
    app.work(async { app.jobs.wait(&handle).await })
        .await
        .unwrap();
    assert_eq!(app.accounts().await, [7]);
    assert_eq!(app.jobs_named("pg-invoice").await, 1);
    let view = app.jobs.admin().show(handle.id()).await.unwrap().unwrap();
    assert_eq!(view.journal.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a server: scripts/test postgres"]
async fn a_key_in_a_long_transaction_holds_up_whoever_wants_it_and_nobody_else() {
    let app = app().await;
    let mut tx = app.pool.begin().await.unwrap();
    invoice(1).enqueue_in(&mut tx).await.unwrap();
    let mut held = tokio::task::JoinSet::new();
    for _ in 0..5 {
        let jobs = app.jobs.clone();
        held.spawn(async move {
            let invoice = invoice(1).without_outbox();
            invoice.enqueue(&jobs).await.map(drop)
        });
    }
    for other in 0..20 {
        let enqueue = refund(other).enqueue(&app.jobs);
        let done = tokio::time::timeout(Duration::from_secs(20), enqueue).await;
        done.expect("it waits for another key").unwrap();
    }
    assert!(
        held.try_join_next().is_none(),
        "one went before the key was free"
    );
    tx.commit().await.unwrap();
    while let Some(ended) = held.join_next().await {
        assert_eq!(ended.unwrap().unwrap_err().code(), "X_JOB_DUPLICATE");
    }
}

#[tokio::test]
#[ignore = "needs a server: scripts/test postgres"]
async fn a_connection_without_a_transaction_is_refused() {
    let app = app().await;
    let mut connection = app.pool.acquire().await.unwrap();
    let refused = invoice(1).enqueue_in(&mut *connection).await.unwrap_err();
    assert_eq!(refused.code(), "X_OUTBOX_NO_TX");
}

#[tokio::test]
#[ignore = "needs a server: scripts/test postgres"]
async fn a_transaction_that_sees_only_an_old_snapshot_is_refused() {
    let app = app().await;
    let begin = app.pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ");
    let mut tx = begin.await.unwrap();
    let refused = invoice(1).enqueue_in(&mut tx).await.unwrap_err();
    assert_eq!(refused.code(), "X_STORE_SETTINGS");
    let text = refused.to_string();
    assert!(text.contains("repeatable read"), "{text}");
}

#[tokio::test]
#[ignore = "needs a server: scripts/test postgres"]
async fn a_pool_that_names_no_schema_of_a_store_is_refused_in_its_own_words() {
    let refused = Jobs::from_pool(pool("Orders").await).await;
    let refused = refused.err().expect("it names none");
    assert_eq!(refused.code(), "X_STORE_SETTINGS");
    let text = refused.to_string();
    assert!(text.contains("`jobs.schema = Orders`"), "{text}");
}

#[tokio::test]
#[ignore = "needs a server: scripts/test postgres"]
async fn a_transaction_that_leads_elsewhere_is_refused_with_both_places() {
    let app = app().await;
    let other = new_schema();
    let elsewhere = pool(&other).await;
    let mut tx = elsewhere.begin().await.unwrap();
    let refused = invoice(1).enqueue_in(&mut tx).await.unwrap_err();
    assert_eq!(refused.code(), "X_STORE_SETTINGS");
    assert!(refused.to_string().contains(&other), "{refused}");
    let event = PgRefunded { cents: 1 };
    let publish = app.jobs.publish_in(&mut tx, event, 7);
    let text = publish.await.unwrap_err().to_string();
    let ours = app.table.trim_end_matches("_account");
    assert!(text.contains(&other) && text.contains(ours), "{text}");
}

#[tokio::test]
#[ignore = "needs a server: scripts/test postgres"]
async fn a_commit_waits_for_the_disk_although_the_server_would_not() {
    let app = app().await;
    let mut tx = app.pool.begin().await.unwrap();
    let weak = sqlx::query("SET LOCAL synchronous_commit = off");
    weak.execute(&mut *tx).await.unwrap();
    invoice(1).enqueue_in(&mut tx).await.unwrap();
    let level: String = sqlx::query_scalar("SELECT current_setting('synchronous_commit')")
        .fetch_one(&mut *tx)
        .await
        .unwrap();
    assert_eq!(level, "on");
}
