//! What is special to a store in Postgres: its schema, its connections, and workers of several
//! clients on one database. What every store must do is in the conformance suite.
//!
//! `scripts/test postgres` starts the server; `JOBS_TEST_POSTGRES` says where it is.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod clients;
mod connections;
mod schema;
mod transactions;

use jobs_runtime::clock::{Entropy, SystemEntropy};
use jobs_runtime::prelude::*;
use sqlx::postgres::PgPool;

/// The server's database.
fn server() -> String {
    let url = std::env::var("JOBS_TEST_POSTGRES");
    url.expect("JOBS_TEST_POSTGRES names no server: run `scripts/test postgres`")
}

/// A name that no other test has.
fn new_schema() -> String {
    format!("test_{:x}", SystemEntropy.bits() as u64)
}

/// The URL of a store in this schema.
fn url(schema: &str) -> String {
    format!(
        "{}?schema={schema}&connections=2&application_name={schema}",
        server()
    )
}

async fn connect(schema: &str) -> Jobs {
    Jobs::connect(&url(schema)).await.unwrap()
}

/// The database as an operator sees it.
async fn operator() -> PgPool {
    PgPool::connect(&server()).await.unwrap()
}
