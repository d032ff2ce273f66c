//! The limits of a Postgres server: as few statements as can do it, in autocommit.

use crate::bench::args::Scenario;
use crate::bench::sample::Sample;
use crate::bench::scenarios::{BULK_JOBS, Size};
use sqlx::postgres::{PgConnectOptions, PgListener, PgPool, PgPoolOptions};
use sqlx::{Error, Row};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

/// Rows that a claim takes, and a statement deletes.
const CLAIM_ROWS: i64 = 500;
/// Connections that claim and delete.
const QUEUE_CONNECTIONS: u32 = 2;
/// Connections that insert side by side.
const ENQUEUE_CONNECTIONS: usize = 32;
/// Steps that wait for a flush, and that one flush takes.
const FLUSH_LIMIT_STEPS: usize = 4_096;

const TABLES: &str = "\
    CREATE TABLE job (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, queue text NOT NULL, \
        name text NOT NULL, input jsonb NOT NULL, state smallint NOT NULL DEFAULT 0, \
        run_at timestamptz NOT NULL DEFAULT now(), attempt int NOT NULL DEFAULT 0, \
        worker text, locked_at timestamptz);
    CREATE INDEX ON job (queue, run_at, id) WHERE state = 0;
    CREATE TABLE step (job bigint, seq int, name text, output text, PRIMARY KEY (job, seq));";
const INSERT: &str = "INSERT INTO job (queue, name, input) VALUES ('q', 'noop', $1::text::jsonb)";
const INSERT_MANY: &str =
    "INSERT INTO job (queue, name, input) SELECT 'q', 'noop', x::jsonb FROM unnest($1::text[]) x";
const CLAIM: &str = "WITH j AS MATERIALIZED (SELECT id FROM job WHERE queue = 'q' AND state = 0 \
    AND run_at <= now() ORDER BY run_at, id LIMIT $1 FOR UPDATE SKIP LOCKED) \
    UPDATE job SET state = 1, attempt = attempt + 1, worker = 'w', locked_at = now() FROM j \
    WHERE job.id = j.id RETURNING job.id, job.name, job.input::text, job.attempt";
const DELETE: &str = "DELETE FROM job WHERE id = ANY($1)";
const INSERT_STEPS: &str =
    "INSERT INTO step SELECT a, b, 's', '1' FROM unnest($1::int8[], $2::int4[]) x(a, b)";

pub(super) async fn measure(
    scenario: Scenario,
    server: &PgConnectOptions,
    size: &Size,
) -> Result<Option<Sample>, Error> {
    let pool = PgPoolOptions::new()
        .max_connections(ENQUEUE_CONNECTIONS as u32)
        .connect_with(server.clone())
        .await?;
    sqlx::raw_sql(TABLES).execute(&pool).await?;
    let measured = match scenario {
        Scenario::Drain => queue(&pool, size.drain).await,
        Scenario::Enqueue => inserts(&pool, size.enqueues, 1).await,
        Scenario::Enqueue32 | Scenario::Enqueue256 => {
            inserts(&pool, size.enqueues, ENQUEUE_CONNECTIONS).await
        }
        Scenario::Enqueue1000 => bulks(&pool, size.bulks).await,
        Scenario::Runs1 => steps(&pool, size.runs(1), 1, size.in_flight).await,
        Scenario::Runs5 => steps(&pool, size.runs(5), 5, size.in_flight).await,
        Scenario::Runs10 => steps(&pool, size.runs(10), 10, size.in_flight).await,
        Scenario::Runs100 => steps(&pool, size.runs(100), 100, size.in_flight).await,
        Scenario::Pickup => wake(&pool, size.latencies).await,
        Scenario::Alone => alone(&pool, size.alone).await,
        Scenario::Replay1000 => read(&pool, size.replays.0).await,
        Scenario::Replay10000 => read(&pool, size.replays.1).await,
        Scenario::Fsync
        | Scenario::MemoryWaiting
        | Scenario::MemoryRunning
        | Scenario::Stats
        | Scenario::List => {
            pool.close().await;
            return Ok(None);
        }
    };
    pool.close().await;
    measured.map(Some)
}

async fn queue(pool: &PgPool, jobs: usize) -> Result<Sample, Error> {
    let inputs = vec!["1"; jobs];
    sqlx::query(INSERT_MANY).bind(inputs).execute(pool).await?;
    sqlx::raw_sql("VACUUM ANALYZE job").execute(pool).await?;
    let left = Arc::new(AtomicUsize::new(jobs));
    let mut tasks = JoinSet::new();
    let start = Instant::now();
    for _ in 0..QUEUE_CONNECTIONS {
        let (pool, left) = (pool.clone(), Arc::clone(&left));
        tasks.spawn(async move {
            let mut connection = pool.acquire().await?;
            while left.load(Ordering::SeqCst) > 0 {
                let rows = sqlx::query(CLAIM)
                    .bind(CLAIM_ROWS)
                    .fetch_all(&mut *connection)
                    .await?;
                if rows.is_empty() {
                    break;
                }
                let ids: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
                left.fetch_sub(ids.len(), Ordering::SeqCst);
                sqlx::query(DELETE)
                    .bind(ids)
                    .execute(&mut *connection)
                    .await?;
            }
            Ok(())
        });
    }
    all(tasks).await?;
    Ok(Sample::rate(jobs, start.elapsed()))
}

async fn inserts(pool: &PgPool, rows: usize, connections: usize) -> Result<Sample, Error> {
    // Connected, and the statement prepared, before the clock starts.
    let mut held = Vec::with_capacity(connections);
    for _ in 0..connections {
        let mut connection = pool.acquire().await?;
        sqlx::query(INSERT)
            .bind("1")
            .execute(&mut *connection)
            .await?;
        held.push(connection);
    }
    let each = (rows / connections).max(1);
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for mut connection in held {
        tasks.spawn(async move {
            for _ in 0..each {
                sqlx::query(INSERT)
                    .bind("1")
                    .execute(&mut *connection)
                    .await?;
            }
            Ok(())
        });
    }
    all(tasks).await?;
    Ok(Sample::rate(each * connections, start.elapsed()))
}

async fn bulks(pool: &PgPool, times: usize) -> Result<Sample, Error> {
    let mut connection = pool.acquire().await?;
    let start = Instant::now();
    for _ in 0..times {
        let inputs = vec!["1"; BULK_JOBS];
        sqlx::query(INSERT_MANY)
            .bind(inputs)
            .execute(&mut *connection)
            .await?;
    }
    Ok(Sample::rate(times * BULK_JOBS, start.elapsed()))
}

/// Tasks that make step after step; whatever waits goes into one statement.
async fn steps(
    pool: &PgPool,
    runs: usize,
    steps: usize,
    in_flight: usize,
) -> Result<Sample, Error> {
    let (to, mut waiting) = mpsc::channel::<(i64, i32, oneshot::Sender<()>)>(FLUSH_LIMIT_STEPS);
    let pool = pool.clone();
    let next = Arc::new(AtomicUsize::new(0));
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut connection = pool.acquire().await?;
        let mut flush = Vec::new();
        while waiting.recv_many(&mut flush, FLUSH_LIMIT_STEPS).await > 0 {
            let (jobs, seqs): (Vec<i64>, Vec<i32>) = flush.iter().map(|it| (it.0, it.1)).unzip();
            sqlx::query(INSERT_STEPS)
                .bind(jobs)
                .bind(seqs)
                .execute(&mut *connection)
                .await?;
            for (_, _, answer) in flush.drain(..) {
                let _ = answer.send(());
            }
        }
        Ok(())
    });
    for _ in 0..in_flight.min(runs) {
        let (to, next) = (to.clone(), Arc::clone(&next));
        tasks.spawn(async move {
            loop {
                let run = next.fetch_add(1, Ordering::SeqCst);
                if run >= runs {
                    return Ok(());
                }
                for step in 0..steps {
                    let (answer, answered) = oneshot::channel();
                    let sent = to.send((run as i64, step as i32, answer)).await;
                    if sent.is_err() || answered.await.is_err() {
                        return Err(Error::WorkerCrashed);
                    }
                }
            }
        });
    }
    drop(to);
    all(tasks).await?;
    Ok(Sample::rate(runs * steps, start.elapsed()))
}

/// A job is stored and told of; who is told claims it.
async fn wake(pool: &PgPool, times: usize) -> Result<Sample, Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen("jobs_bench_limit").await?;
    let (mut here, mut there) = (pool.acquire().await?, pool.acquire().await?);
    let insert = "WITH i AS (INSERT INTO job (queue, name, input) VALUES ('q', 'noop', '1') \
        RETURNING id) SELECT pg_notify('jobs_bench_limit', '') FROM i";
    let mut spans = Vec::with_capacity(times);
    for _ in 0..times {
        let start = Instant::now();
        sqlx::query(insert).fetch_all(&mut *here).await?;
        listener.recv().await?;
        sqlx::query(CLAIM)
            .bind(1_i64)
            .fetch_all(&mut *there)
            .await?;
        spans.push(start.elapsed());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(Sample::latency(spans))
}

async fn alone(pool: &PgPool, steps: usize) -> Result<Sample, Error> {
    let mut connection = pool.acquire().await?;
    let start = Instant::now();
    for n in 0..steps {
        sqlx::query("INSERT INTO step VALUES (0, $1, 's', '1')")
            .bind(n as i32)
            .execute(&mut *connection)
            .await?;
    }
    let each = start.elapsed() / u32::try_from(steps).unwrap_or(u32::MAX);
    Ok(Sample::latency([each]))
}

async fn read(pool: &PgPool, steps: usize) -> Result<Sample, Error> {
    let seqs: Vec<i32> = (0..steps).map(|n| n as i32).collect();
    sqlx::query(INSERT_STEPS)
        .bind(vec![0_i64; steps])
        .bind(seqs)
        .execute(pool)
        .await?;
    let mut connection = pool.acquire().await?;
    let select = "SELECT seq, name, output FROM step WHERE job = $1 ORDER BY seq";
    sqlx::query(select)
        .bind(1_i64)
        .fetch_all(&mut *connection)
        .await?;
    let start = Instant::now();
    sqlx::query(select)
        .bind(0_i64)
        .fetch_all(&mut *connection)
        .await?;
    Ok(Sample::latency([start.elapsed()]))
}

async fn all(mut tasks: JoinSet<Result<(), Error>>) -> Result<(), Error> {
    while let Some(ended) = tasks.join_next().await {
        ended.map_err(|_| Error::WorkerCrashed)??;
    }
    Ok(())
}
