//! What a store did, by its own account: counts that do not vary with the noise of a machine.
//!
//! On Postgres statements come from `pg_stat_statements` (blank where the extension is not there),
//! commits from `pg_stat_database`, bytes from the position of the log, and dead rows from the
//! statistics of the tables. On SQLite commits come from the writing thread, and bytes are those
//! that the process wrote.

use super::broken;
use crate::Error;
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{Connection, Row};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How long connections that were closed may take to be gone.
const GONE_WITHIN: Duration = Duration::from_secs(30);
/// How long to wait before looking again whether they are.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Counts of some work; `None` where nobody counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Counts {
    pub(super) statements: Option<f64>,
    pub(super) commits: Option<f64>,
    pub(super) bytes: Option<f64>,
    pub(super) dead_rows: Option<f64>,
}

impl Counts {
    /// Without what was counted of doing nothing, and for each of so many.
    pub(super) fn each(self, idle: Counts, many: usize) -> Counts {
        let many = many.max(1) as f64;
        let less = |all: Option<f64>, idle: Option<f64>| {
            all.map(|all| (all - idle.unwrap_or_default()).max(0.0) / many)
        };
        Counts {
            statements: less(self.statements, idle.statements),
            commits: less(self.commits, idle.commits),
            bytes: less(self.bytes, idle.bytes),
            dead_rows: self.dead_rows,
        }
    }
}

/// What a server has counted up to now.
pub(super) struct Tally {
    statements: Option<HashMap<i64, i64>>,
    commits: i64,
    position: i64,
    dead_rows: i64,
}

/// Reads the statistics of the server, once all that `application` had connected is gone: a
/// connection hands in its counts when it ends.
pub(super) async fn tally(
    look: &mut PgConnection,
    application: &str,
    schema: &str,
) -> Result<Tally, Error> {
    gone(look, application).await?;
    let fault = |error: sqlx::Error| broken(error, "let the user read the server's statistics");
    let statements = sqlx::query(
        "SELECT queryid, sum(calls)::bigint FROM pg_stat_statements \
         WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) \
         AND toplevel AND query NOT LIKE '%pg_stat_%' AND queryid IS NOT NULL GROUP BY queryid",
    )
    .fetch_all(&mut *look)
    .await;
    let one = |row: &PgRow| -> (i64, i64) { (row.get(0), row.get(1)) };
    // No extension, no figure.
    let statements = statements.ok().map(|rows| rows.iter().map(one).collect());
    let row = sqlx::query(
        "SELECT xact_commit, (pg_current_wal_insert_lsn() - '0/0')::bigint \
         FROM pg_stat_database WHERE datname = current_database()",
    )
    .fetch_one(&mut *look)
    .await
    .map_err(fault)?;
    let dead: i64 = sqlx::query_scalar(
        "SELECT coalesce(sum(n_dead_tup), 0)::bigint FROM pg_stat_user_tables WHERE schemaname = $1",
    )
    .bind(schema)
    .fetch_one(&mut *look)
    .await
    .map_err(fault)?;
    Ok(Tally {
        statements,
        commits: row.get(0),
        position: row.get(1),
        dead_rows: dead,
    })
}

impl Tally {
    /// What has come since another one. Statements that the server has forgotten meanwhile are
    /// not missed: they were rare ones.
    pub(super) fn since(&self, before: &Tally) -> Counts {
        let statements = self.statements.as_ref().zip(before.statements.as_ref());
        let statements = statements.map(|(now, then)| {
            let new = |(id, calls): (&i64, &i64)| calls - then.get(id).copied().unwrap_or(0);
            now.iter().map(new).map(|new| new.max(0)).sum::<i64>() as f64
        });
        Counts {
            statements,
            commits: Some((self.commits - before.commits) as f64),
            bytes: Some((self.position - before.position) as f64),
            dead_rows: Some(self.dead_rows as f64),
        }
    }
}

async fn gone(look: &mut PgConnection, application: &str) -> Result<(), Error> {
    let start = Instant::now();
    while start.elapsed() < GONE_WITHIN {
        let left: i64 =
            sqlx::query_scalar("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1")
                .bind(application)
                .fetch_one(&mut *look)
                .await
                .map_err(|error| broken(error, "see that the server is there"))?;
        if left == 0 {
            // What this connection did not hand in yet would come late.
            return look
                .ping()
                .await
                .map_err(|error| broken(error, "see that the server is there"));
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    Err(broken(
        "connections of another run are still there",
        "run one measurement at a time on one server",
    ))
}

/// Bytes that this process has written, to files and sockets, where the system tells it.
pub(super) fn written_bytes() -> Option<f64> {
    let io = std::fs::read_to_string("/proc/self/io").ok()?;
    let line = io.lines().find(|it| it.starts_with("wchar:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
