//! From a URL to a driver. Another crate adds a scheme by submitting one.

use crate::Error;
use crate::client::Jobs;
use crate::clock::Env;
use crate::contract::{Driver, Gravity, Report};
use crate::store::Store;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// A driver that is being connected.
pub type Connecting = Pin<Box<dyn Future<Output = Result<Arc<dyn Driver>, Error>> + Send>>;

/// A look at the health of a store, under way.
pub type Examining = Pin<Box<dyn Future<Output = Result<Report, Error>> + Send>>;

/// A URL scheme and the driver behind it.
///
/// A crate with a driver of its own adds it by
/// `inventory::submit! { Scheme::new("etcd", |url, env| Box::pin(connect(url, env))) }`.
pub struct Scheme {
    name: &'static str,
    connect: fn(&str, Env) -> Connecting,
    examine: Option<fn(&str, Env) -> Examining>,
}

impl Scheme {
    /// The driver for URLs that begin with `name` and a colon.
    #[must_use]
    pub const fn new(name: &'static str, connect: fn(&str, Env) -> Connecting) -> Self {
        Scheme {
            name,
            connect,
            examine: None,
        }
    }

    /// The same, with a doctor that can look at a store which cannot be connected to. Without one
    /// the store is connected to and asked, which [`Driver::doctor`] answers.
    #[must_use]
    pub const fn with_doctor(self, examine: fn(&str, Env) -> Examining) -> Self {
        Scheme {
            examine: Some(examine),
            ..self
        }
    }
}

inventory::collect!(Scheme);

/// A pool of connections that an application has, and the driver for the store in its database.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no pool that jobs can be connected through",
    label = "not a pool of a database that a driver of this build knows",
    note = "a `sqlx::SqlitePool` is one, with the feature `sqlx-sqlite` of `jobs-runtime`, and a `sqlx::PgPool` with `postgres`"
)]
pub trait Pool: Send + 'static {
    /// The driver, connected and with its schema up to date.
    fn connect(self, env: Env) -> Connecting;
}

impl Jobs {
    /// Connects through a pool that the application has: the jobs live in its database, beside its
    /// own tables, and its transactions can carry jobs and events. The schema is brought up to
    /// date; the store has connections of its own, and takes some of the pool's for `tx` steps.
    ///
    #[cfg_attr(feature = "sqlx-sqlite", doc = "```")]
    #[cfg_attr(not(feature = "sqlx-sqlite"), doc = "```ignore")]
    /// # use jobs_runtime::{Jobs, Result};
    /// # async fn connect() -> Result<()> {
    /// let pool = sqlx::SqlitePool::connect("sqlite://app.db?mode=rwc").await?;
    /// let jobs = Jobs::from_pool(pool).await?;
    /// # let _ = jobs;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `X_STORE_SETTINGS` if the database is one in memory, or is set up in a way that breaks a
    /// promise; else as [`Jobs::connect`].
    pub async fn from_pool(pool: impl Pool) -> Result<Self, Error> {
        let env = Env::system();
        let driver = pool.connect(env.clone()).await?;
        Ok(Jobs::of(Store::new(driver, env)))
    }
}

#[cfg(feature = "sqlx-sqlite")]
impl Pool for sqlx::SqlitePool {
    fn connect(self, env: Env) -> Connecting {
        Box::pin(async move {
            let options = crate::drivers::sqlite::SqliteOptions::default().env(env);
            let driver = crate::drivers::sqlite::Sqlite::from_pool(self, options).await?;
            let driver: Arc<dyn Driver> = Arc::new(driver);
            Ok(driver)
        })
    }
}

#[cfg(feature = "postgres")]
impl Pool for sqlx::PgPool {
    fn connect(self, env: Env) -> Connecting {
        Box::pin(async move {
            let driver = crate::drivers::postgres::Postgres::from_pool(self, env).await?;
            let driver: Arc<dyn Driver> = Arc::new(driver);
            Ok(driver)
        })
    }
}

inventory::submit! {
    Scheme::new("memory", |_, env| Box::pin(async move {
        let driver: Arc<dyn Driver> = Arc::new(crate::drivers::memory::Memory::new(env));
        Ok(driver)
    }))
}

#[cfg(feature = "sqlite")]
inventory::submit! {
    Scheme::new("sqlite", |url, env| {
        let url = url.to_owned();
        Box::pin(async move {
            let driver = crate::drivers::sqlite::Sqlite::from_url(&url, env).await?;
            let driver: Arc<dyn Driver> = Arc::new(driver);
            Ok(driver)
        })
    })
    .with_doctor(|url, env| {
        let url = url.to_owned();
        Box::pin(async move { crate::drivers::sqlite::Sqlite::examine_url(&url, env).await })
    })
}

#[cfg(feature = "postgres")]
async fn postgres(url: String, env: Env) -> Result<Arc<dyn Driver>, Error> {
    let driver = crate::drivers::postgres::Postgres::from_url(&url, env).await?;
    Ok(Arc::new(driver))
}

#[cfg(feature = "postgres")]
inventory::submit! {
    Scheme::new("postgres", |url, env| Box::pin(postgres(url.to_owned(), env)))
}

#[cfg(feature = "postgres")]
inventory::submit! {
    Scheme::new("postgresql", |url, env| Box::pin(postgres(url.to_owned(), env)))
}

/// The stores of this project that a build may leave out, and the feature that brings each.
const OPTIONAL: [&str; 2] = ["postgres", "sqlite"];

/// Finds the scheme of a URL.
fn scheme(url: &str) -> Result<&'static Scheme, Error> {
    let Some(scheme) = crate::error::scheme(url) else {
        let fix = "write the store before it, as in \"sqlite://jobs.db\"";
        return Err(Error::url_invalid(url, "it has no scheme", fix));
    };
    let found = inventory::iter::<Scheme>().find(|known| known.name == scheme);
    found.ok_or_else(|| unknown(url, scheme))
}

pub(crate) async fn examine(url: &str, env: Env) -> Result<Report, Error> {
    let found = scheme(url)?;
    if let Some(examine) = found.examine {
        return examine(url, env).await;
    }
    match (found.connect)(url, env).await {
        Ok(driver) => {
            let report = driver.doctor().await;
            driver.close().await;
            report
        }
        Err(error) => {
            let mut report = Report::of(found.name);
            let remedy = error.fix().to_owned();
            report.find(Gravity::Damage, "not_connected", error.to_string(), remedy);
            Ok(report)
        }
    }
}

pub(crate) async fn connect(url: &str, env: Env) -> Result<Arc<dyn Driver>, Error> {
    let found = scheme(url)?;
    let driver = (found.connect)(url, env).await?;
    driver.migrate().await?;
    let capabilities = driver.capabilities();
    tracing::info!(driver = capabilities.driver, durability = ?capabilities.durability, "connected");
    Ok(driver)
}

fn unknown(url: &str, scheme: &str) -> Error {
    let mut known: Vec<&str> = inventory::iter::<Scheme>()
        .map(|known| known.name)
        .collect();
    known.sort_unstable();
    let fix = match crate::admin::nearest(scheme, known.iter().copied()) {
        Some(near) => format!("did you mean \"{near}:\"?"),
        None if OPTIONAL.contains(&scheme) => {
            format!("build jobs-runtime with the feature `{scheme}`")
        }
        None => format!("this build knows {}", known.join(", ")),
    };
    Error::url_invalid(
        url,
        format_args!("no driver has the scheme \"{scheme}\""),
        fix,
    )
}
