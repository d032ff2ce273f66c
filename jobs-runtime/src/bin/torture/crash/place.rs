//! The store of a trial: a file in its folder, or a schema of its own on a server.

use super::time::FastTime;
use jobs_runtime::Error;
use jobs_runtime::clock::{Env, SystemEntropy};
use jobs_runtime::contract::Driver;
use jobs_runtime::drivers::postgres::{Postgres, PostgresOptions};
use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
use serde::{Deserialize, Serialize};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How often a process looks for the writes of others, by the machine's time.
const WATCH: Duration = Duration::from_millis(5);
/// How long a process waits for a connection, by the machine's time.
const REACHED_WITHIN: Duration = Duration::from_secs(5);
/// Connections for requests of each process.
const CONNECTIONS: u32 = 2;

/// Where the store of a trial is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Place {
    /// In this file.
    File(PathBuf),
    /// In this schema of a database.
    Schema { url: String, schema: String },
}

impl Place {
    /// That of a trial in this folder: on the server, if there is one.
    pub(crate) fn of(folder: &Path, server: Option<&str>) -> Self {
        let Some(url) = server else {
            return Place::File(folder.join("jobs.db"));
        };
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        Place::Schema {
            url: url.to_owned(),
            schema: format!("trial_{}_{}", std::process::id(), name.replace('-', "_")),
        }
    }

    /// Whether it is a file; `tx` steps of the harness write to that alone.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Place::File(file) => Some(file),
            Place::Schema { .. } => None,
        }
    }

    /// Opens the store as all processes of a trial do.
    pub(crate) async fn open(&self, time: FastTime) -> Result<Arc<dyn Driver>, Error> {
        let env = Env::new(time, SystemEntropy);
        match self {
            Place::File(file) => {
                let options = SqliteOptions::default().env(env).poll(WATCH);
                Ok(Arc::new(Sqlite::open(file, options).await?))
            }
            Place::Schema { url, schema } => {
                let sign = if url.contains('?') { '&' } else { '?' };
                let options = PostgresOptions::from_url(&format!("{url}{sign}schema={schema}"))?;
                let options = options
                    .env(env)
                    .connections(CONNECTIONS)
                    .acquire_timeout(REACHED_WITHIN)
                    .clock(time.of_server());
                Ok(Arc::new(Postgres::connect(options).await?))
            }
        }
    }

    /// Removes a store on a server; a file goes with its folder.
    pub(crate) async fn remove(&self) -> Result<(), String> {
        let Place::Schema { url, schema } = self else {
            return Ok(());
        };
        let said = |error: sqlx::Error| error.to_string();
        let mut connection = PgConnection::connect(url).await.map_err(said)?;
        let drop = format!("DROP SCHEMA IF EXISTS \"{schema}\" CASCADE");
        sqlx::raw_sql(AssertSqlSafe(drop))
            .execute(&mut connection)
            .await
            .map_err(said)?;
        connection.close().await.map_err(said)
    }
}
