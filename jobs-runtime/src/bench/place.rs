//! Where a measurement happens: a schema or a file of its own, which is made for it and removed
//! after it. Nothing that was there before is touched, or the run is refused.

use super::broken;
use super::counts::{self, Counts, Tally};
use crate::Error;
use crate::client::Jobs;
use crate::clock::Env;
use crate::contract::Driver;
use crate::drivers::memory::Memory;
use crate::drivers::postgres::PostgresOptions;
use crate::drivers::sqlite::{Sqlite, SqliteOptions};
use crate::store::Store;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The schema of a run that does not name one.
const SCHEMA: &str = "jobs_bench";
/// The name under which the server knows the connections of a measurement.
const APPLICATION: &str = "jobs-bench";
/// The parameters of a URL that a server does not know.
const OWN_PARAMETERS: [&str; 3] = ["schema", "connections", "payload_limit"];

pub(super) enum Place {
    Memory {
        /// The store, which is gone when it is let go.
        driver: Mutex<Option<Arc<Memory>>>,
    },
    Sqlite {
        url: String,
        path: PathBuf,
    },
    Postgres {
        /// With the schema.
        url: String,
        schema: String,
        server: Box<PgConnectOptions>,
    },
}

/// A store that is open, and what its driver counts by itself.
pub(super) struct Opened {
    pub(super) jobs: Jobs,
    sqlite: Option<Arc<Sqlite>>,
    keeps: bool,
}

impl Opened {
    pub(super) async fn close(self) {
        if !self.keeps {
            self.jobs.close().await;
        }
    }
}

impl Place {
    /// The place that a URL names.
    ///
    /// # Errors
    /// `X_URL_INVALID`, or `X_STORE_SETTINGS` if something is there already.
    pub(super) async fn at(url: &str) -> Result<Self, Error> {
        match crate::error::scheme(url) {
            Some("memory") => Ok(Place::Memory {
                driver: Mutex::new(None),
            }),
            Some("sqlite") => sqlite(url),
            Some("postgres" | "postgresql") => postgres(url).await,
            _ => Err(Error::url_invalid(
                url,
                "it names no store that can be measured",
                "write `sqlite://bench.db`, `postgres://user@host/database` or `memory://`",
            )),
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Place::Memory { .. } => "memory",
            Place::Sqlite { .. } => "sqlite",
            Place::Postgres { .. } => "postgres",
        }
    }

    /// Makes room for the tables of a limit; a store makes its own.
    pub(super) async fn make(&self) -> Result<(), Error> {
        if let Place::Postgres { schema, .. } = self {
            self.on_server(&format!("CREATE SCHEMA \"{schema}\""))
                .await?;
        }
        Ok(())
    }

    /// Removes everything of the last measurement.
    pub(super) async fn clear(&self) -> Result<(), Error> {
        match self {
            Place::Memory { driver } => {
                *driver.lock().unwrap_or_else(PoisonError::into_inner) = None;
            }
            Place::Sqlite { path, .. } => {
                for file in files(path) {
                    match std::fs::remove_file(&file) {
                        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                            return Err(broken(error, "remove the file by hand"));
                        }
                        _ => {}
                    }
                }
            }
            Place::Postgres { schema, .. } => {
                let drop = format!("DROP SCHEMA IF EXISTS \"{schema}\" CASCADE");
                self.on_server(&drop).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn open(&self) -> Result<Opened, Error> {
        let env = Env::system();
        let mut sqlite = None;
        let driver: Arc<dyn Driver> = match self {
            Place::Memory { driver } => {
                let mut held = driver.lock().unwrap_or_else(PoisonError::into_inner);
                let memory = held.get_or_insert_with(|| Arc::new(Memory::new(env.clone())));
                Arc::<Memory>::clone(memory)
            }
            Place::Sqlite { url, .. } => {
                let store = Arc::new(Sqlite::from_url(url, env.clone()).await?);
                store.migrate().await?;
                sqlite = Some(Arc::clone(&store));
                store
            }
            Place::Postgres { url, .. } => crate::connect::connect(url, env.clone()).await?,
        };
        Ok(Opened {
            jobs: Jobs::of(Store::new(driver, env)),
            sqlite,
            keeps: matches!(self, Place::Memory { .. }),
        })
    }

    /// Does something with an open store, and tells what the store did for it.
    pub(super) async fn counted<T>(
        &self,
        work: impl AsyncFnOnce(&Jobs) -> Result<T, Error>,
    ) -> Result<(T, Counts), Error> {
        let mut look = match self {
            Place::Postgres { server, .. } => Some(connection(server).await?),
            _ => None,
        };
        let before = self.tally(look.as_mut()).await?;
        let opened = self.open().await?;
        let sqlite = opened.sqlite.clone();
        let commits = || sqlite.as_ref().map(|it| it.commits_made() as f64);
        let then = (commits(), counts::written_bytes());
        let done = work(&opened.jobs).await;
        opened.close().await;
        let done = done?;
        if let (Some(before), Some(after)) = (before, self.tally(look.as_mut()).await?) {
            return Ok((done, after.since(&before)));
        }
        let less = |now: Option<f64>, then: Option<f64>| Some(now? - then?);
        let is_file = matches!(self, Place::Sqlite { .. });
        let counted = Counts {
            commits: less(commits(), then.0),
            bytes: less(counts::written_bytes(), then.1).filter(|_| is_file),
            ..Counts::default()
        };
        Ok((done, counted))
    }

    async fn tally(&self, look: Option<&mut PgConnection>) -> Result<Option<Tally>, Error> {
        match (self, look) {
            (Place::Postgres { schema, .. }, Some(look)) => {
                Ok(Some(counts::tally(look, APPLICATION, schema).await?))
            }
            _ => Ok(None),
        }
    }

    async fn on_server(&self, sql: &str) -> Result<(), Error> {
        let Place::Postgres { server, .. } = self else {
            return Ok(());
        };
        let mut connection = connection(server).await?;
        let done = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
            .execute(&mut connection)
            .await;
        done.map_err(|error| broken(error, "give the user the right to make a schema"))?;
        // It has done its work.
        drop(connection.close().await);
        Ok(())
    }
}

/// The files of a store.
fn files(path: &Path) -> impl Iterator<Item = PathBuf> {
    ["", "-wal", "-shm"].into_iter().map(move |end| {
        let mut file = path.as_os_str().to_owned();
        file.push(end);
        file.into()
    })
}

fn sqlite(url: &str) -> Result<Place, Error> {
    let (path, _) = SqliteOptions::from_url(url)?;
    if let Some(file) = files(&path).find(|file| file.exists()) {
        return Err(not_empty(format_args!("{} is there", file.display())));
    }
    Ok(Place::Sqlite {
        url: url.to_owned(),
        path,
    })
}

async fn postgres(url: &str) -> Result<Place, Error> {
    PostgresOptions::from_url(url)?;
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let all = query.split('&').filter(|it| !it.is_empty());
    let named = |parameter: &str| parameter.split('=').next().unwrap_or_default().to_owned();
    let given = all.clone().find_map(|it| it.strip_prefix("schema="));
    let schema = given.unwrap_or(SCHEMA).to_owned();
    let kept = |it: &&str| !["schema", "application_name"].contains(&&*named(it));
    let others: Vec<&str> = all.clone().filter(kept).collect();
    let of_server = others
        .iter()
        .filter(|it| !OWN_PARAMETERS.contains(&&*named(it)));
    let of_server: Vec<&str> = of_server.copied().collect();
    let server: PgConnectOptions =
        format!("{base}?{}", of_server.join("&"))
            .parse()
            .map_err(|error: sqlx::Error| {
                Error::url_invalid(
                    url,
                    error,
                    "write it as in \"postgres://user@host:5432/database\"",
                )
            })?;
    // The extension that counts statements is in the schema that everybody has.
    let server = server.options([("search_path", format!("{schema},public"))]);
    let mut look = connection(&server).await?;
    let found: bool =
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)")
            .bind(&schema)
            .fetch_one(&mut look)
            .await
            .map_err(|error| broken(error, "see that the server is there"))?;
    if found {
        return Err(not_empty(format_args!("the schema \"{schema}\" is there")));
    }
    drop(look.close().await);
    let mut parameters: Vec<String> = others.iter().map(|it| (*it).to_owned()).collect();
    parameters.push(format!("schema={schema}"));
    parameters.push(format!("application_name={APPLICATION}"));
    Ok(Place::Postgres {
        url: format!("{base}?{}", parameters.join("&")),
        schema,
        server: Box::new(server),
    })
}

async fn connection(server: &PgConnectOptions) -> Result<PgConnection, Error> {
    let connected = PgConnection::connect_with(server).await;
    connected.map_err(|error| {
        Error::driver_unavailable("postgres", error, "see that the server can be reached")
    })
}

fn not_empty(what: std::fmt::Arguments<'_>) -> Error {
    Error::store_settings(
        format_args!("a measurement needs a place of its own, and {what}"),
        "name a file or a schema (`?schema=NAME`) that is not there yet; remove what a run that was killed has left",
    )
}
