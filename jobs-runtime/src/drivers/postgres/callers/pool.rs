//! A pool of sqlx: one that the application has, in whose database a store is opened, or one that a
//! store opens for its `tx` steps.

use super::super::fault::Fault;
use super::super::{Postgres, PostgresOptions};
use super::stores::place;
use crate::Error;
use crate::clock::Env;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;

/// Connections of a pool that a store opens for its `tx` steps: so many of their bodies run at once.
pub const MAX_STEP_CONNECTIONS: u32 = 4;

impl Postgres {
    /// Opens a store in the database of an application's pool, in the schema that the connections of
    /// the pool name by the setting `jobs.schema`, or in `jobs`. The store has connections of its
    /// own; transactions of `tx` steps come from the pool.
    ///
    /// # Errors
    /// As [`Postgres::connect`].
    pub async fn from_pool(pool: PgPool, env: Env) -> Result<Postgres, Error> {
        let told = |error| Fault::Sqlx(error).before_write();
        let mut connection = pool.acquire().await.map_err(told)?;
        let schema = place(&mut connection).await?.schema;
        drop(connection);
        let connect = (*pool.connect_options()).clone();
        let options = PostgresOptions::of(connect, &schema)?.env(env);
        Postgres::connect_with(options, Some(pool)).await
    }
}

/// Where the transactions of steps come from: the application's pool, or one of the store's own.
pub(in super::super) fn steps_of(options: &PostgresOptions, pool: Option<PgPool>) -> PgPool {
    pool.unwrap_or_else(|| {
        PgPoolOptions::new()
            .max_connections(MAX_STEP_CONNECTIONS)
            .acquire_timeout(options.acquire_timeout)
            .connect_lazy_with(options.connect.clone())
    })
}
