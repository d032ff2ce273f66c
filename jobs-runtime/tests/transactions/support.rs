//! An application with a table of accounts and its jobs in one file, under a clock that stands
//! still.

use jobs_runtime::clock::{Env, SeededEntropy, VirtualClock};
use jobs_runtime::contract::JobFilter;
use jobs_runtime::core::State as JobState;
use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use jobs_runtime::{JobId, RunEvent, SqliteTx};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sqlx::{Row, Sqlite as SqlxSqlite, SqlitePool, Transaction};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// What happened, in order.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, line: &str) -> usize {
        self.lines().iter().filter(|other| *other == line).count()
    }
}

pub(crate) struct App {
    pub(crate) pool: SqlitePool,
    pub(crate) bench: Bench,
    pub(crate) log: Log,
    _folder: tempfile::TempDir,
}

pub(crate) fn connect(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
}

pub(crate) async fn pool(path: &Path) -> SqlitePool {
    let pool = SqlitePoolOptions::new()
        .max_connections(4)
        .connect_with(connect(path))
        .await
        .unwrap();
    sqlx::query(
        "CREATE TABLE IF NOT EXISTS account (
           id INTEGER PRIMARY KEY,
           cents INTEGER NOT NULL,
           owner INTEGER REFERENCES account (id) DEFERRABLE INITIALLY DEFERRED
         )",
    )
    .execute(&pool)
    .await
    .unwrap();
    pool
}

/// A bench on the file of a pool. Its jobs get `State<Log>`.
pub(crate) async fn bench_on(pool: &SqlitePool, log: &Log) -> Bench {
    let clock = VirtualClock::default();
    let env = Env::new(clock.clone(), SeededEntropy::new(1));
    let options = SqliteOptions::default().env(env.clone());
    let driver = Sqlite::from_pool(pool.clone(), options).await.unwrap();
    bench_with(driver, env, clock, log)
}

fn bench_with(driver: Sqlite, env: Env, clock: VirtualClock, log: &Log) -> Bench {
    let (state, log) = (log.clone(), log.clone());
    Bench::with_driver(driver, env, clock.clone()).worker(move |worker| {
        let log = log.clone();
        worker
            .state(state.clone())
            .state(clock.clone())
            .observe(move |_, event| match event {
                RunEvent::StepStarted { step } => log.add(format!("start {step}")),
                RunEvent::StepStored { step, .. } => log.add(format!("stored {step}")),
                RunEvent::LeaseLost => log.add("lost"),
                _ => {}
            })
    })
}

pub(crate) async fn app() -> App {
    let (folder, path) = file();
    let pool = pool(&path).await;
    let log = Log::default();
    App {
        bench: bench_on(&pool, &log).await,
        pool,
        log,
        _folder: folder,
    }
}

pub(crate) fn file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.db");
    (folder, path)
}

impl App {
    /// A store that was opened by its path and knows of no pool.
    pub(crate) async fn by_url() -> App {
        let (folder, path) = file();
        let pool = pool(&path).await;
        let clock = VirtualClock::default();
        let env = Env::new(clock.clone(), SeededEntropy::new(1));
        let url = format!("sqlite://{}", path.display());
        let driver = Sqlite::from_url(&url, env.clone()).await.unwrap();
        let log = Log::default();
        App {
            bench: bench_with(driver, env, clock, &log),
            pool,
            log,
            _folder: folder,
        }
    }

    pub(crate) fn jobs(&self) -> &Jobs {
        self.bench.jobs()
    }

    pub(crate) async fn begin(&self) -> Transaction<'static, SqlxSqlite> {
        self.pool.begin_with("BEGIN IMMEDIATE").await.unwrap()
    }

    pub(crate) async fn accounts(&self) -> Vec<(i64, i64)> {
        accounts(&self.pool).await
    }

    pub(crate) async fn live(&self) -> usize {
        let jobs = self.jobs().admin();
        let page = jobs.list(&JobFilter::default(), None, 100).await.unwrap();
        page.jobs.len()
    }

    pub(crate) async fn state_of(&self, id: JobId) -> JobState {
        let view = self.jobs().admin().show(id).await.unwrap().unwrap();
        view.job.head.state
    }
}

pub(crate) async fn accounts(pool: &SqlitePool) -> Vec<(i64, i64)> {
    let rows = sqlx::query("SELECT id, cents FROM account ORDER BY id");
    let rows = rows.fetch_all(pool).await.unwrap();
    rows.iter().map(|row| (row.get(0), row.get(1))).collect()
}

/// Adds to an account, and makes it if need be.
pub(crate) async fn add(tx: &mut SqliteTx, id: i64, cents: i64) -> Result<()> {
    sqlx::query(
        "INSERT INTO account (id, cents) VALUES (?1, ?2)
         ON CONFLICT (id) DO UPDATE SET cents = cents + excluded.cents",
    )
    .bind(id)
    .bind(cents)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The same in a transaction of the application's own.
pub(crate) async fn open_account(tx: &mut Transaction<'_, SqlxSqlite>, id: i64) {
    sqlx::query("INSERT INTO account (id, cents) VALUES (?1, 0)")
        .bind(id)
        .execute(&mut **tx)
        .await
        .unwrap();
}
