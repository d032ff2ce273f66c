//! Bringing the schema up to date: by many processes at once, killed at any statement, and never
//! if the store is newer than this program.

use super::fault::Fault;
use super::statements::in_schema;
use crate::Error;
use crate::torture::crash_point;
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row};

/// One step of the schema.
struct Migration {
    version: i32,
    name: &'static str,
    sql: &'static str,
}

const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    name: "store",
    sql: include_str!("migrations/0001_store.sql"),
}];

/// The statements that make the schema in a database, for people who let nobody but themselves
/// change it.
///
/// ```
/// let script = jobs_runtime::drivers::postgres::schema_script("jobs");
/// assert!(script.starts_with("CREATE SCHEMA"));
/// ```
#[must_use]
pub fn schema_script(schema: &str) -> String {
    let mut script = head(schema);
    for migration in MIGRATIONS {
        script.push_str(&in_schema(migration.sql, schema));
        script.push('\n');
        script.push_str(&noted(schema, migration));
        script.push('\n');
    }
    script
}

fn head(schema: &str) -> String {
    format!(
        "CREATE SCHEMA IF NOT EXISTS \"{schema}\";\n\
         CREATE TABLE IF NOT EXISTS \"{schema}\".migration (\n  \
         version integer NOT NULL PRIMARY KEY, name text NOT NULL);\n"
    )
}

fn noted(schema: &str, migration: &Migration) -> String {
    format!(
        "INSERT INTO \"{schema}\".migration (version, name) VALUES ({}, '{}');",
        migration.version, migration.name
    )
}

/// Makes what is missing, each step in a transaction of its own.
pub(super) async fn migrate(connection: &mut PgConnection, schema: &str) -> Result<(), Fault> {
    check_server(connection).await?;
    for migration in MIGRATIONS {
        let mut tx = connection.begin().await?;
        // One process at a time; the others find the work done.
        let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
        let place = format!("jobs.migrate/{schema}");
        sqlx::query(lock).bind(place).execute(&mut *tx).await?;
        crash_point!("driver.postgres.migrate.locked");
        let newest = newest(&mut tx, schema).await?;
        let last = MIGRATIONS.last().map_or(0, |it| it.version);
        if newest.is_some_and(|newest| newest > last) {
            let number = |version: i32| u32::try_from(version).unwrap_or(0);
            let (store, program) = (number(newest.unwrap_or(0)), number(last));
            return Err(Fault::Refused(Error::schema_newer(store, program)));
        }
        if newest.is_none() {
            run(&mut tx, &head(schema)).await?;
        }
        if newest.unwrap_or(0) < migration.version {
            run(&mut tx, &in_schema(migration.sql, schema)).await?;
            run(&mut tx, &noted(schema, migration)).await?;
        }
        crash_point!("driver.postgres.migrate.before_commit");
        tx.commit().await?;
        crash_point!("driver.postgres.migrate.after_commit");
    }
    Ok(())
}

async fn run(connection: &mut PgConnection, sql: &str) -> Result<(), Fault> {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
        .execute(connection)
        .await?;
    Ok(())
}

/// The newest step that was made; nothing if there is no store.
async fn newest(connection: &mut PgConnection, schema: &str) -> Result<Option<i32>, Fault> {
    let there = "SELECT to_regclass($1) IS NOT NULL";
    let row = sqlx::query(there)
        .bind(format!("\"{schema}\".migration"))
        .fetch_one(&mut *connection)
        .await?;
    if !row.try_get::<bool, _>(0)? {
        return Ok(None);
    }
    let sql = format!("SELECT max(version) FROM \"{schema}\".migration");
    let row = sqlx::query(AssertSqlSafe(sql))
        .fetch_one(connection)
        .await?;
    Ok(Some(row.try_get::<Option<i32>, _>(0)?.unwrap_or(0)))
}

/// Refuses what would break a promise, saying which setting to change.
async fn check_server(connection: &mut PgConnection) -> Result<(), Fault> {
    let row = sqlx::query(
        "SELECT current_setting('server_version_num')::integer, current_setting('fsync'),
           current_setting('server_encoding'), pg_is_in_recovery(),
           current_setting('full_page_writes')",
    )
    .fetch_one(connection)
    .await?;
    let refuse = |what: String, fix: &str| Err(Fault::Refused(Error::store_settings(what, fix)));
    let version: i32 = row.try_get(0)?;
    if version < 120_000 {
        let fix = "use a server of version 12 or later";
        return refuse(format!("this Postgres has version number {version}"), fix);
    }
    let setting = |index: usize| row.try_get::<String, _>(index);
    if setting(2)? != "UTF8" {
        let fix = "create the database with ENCODING 'UTF8'";
        return refuse(format!("the database is encoded in {}", setting(2)?), fix);
    }
    if row.try_get::<bool, _>(3)? {
        let fix = "connect to the server that takes writes";
        return refuse(
            "this server is a standby, which cannot store jobs".into(),
            fix,
        );
    }
    for (index, name) in [(1, "fsync"), (4, "full_page_writes")] {
        if setting(index)? != "on" {
            let fix = format!("set `{name} = on` in postgresql.conf and reload the server");
            let what = format!("`{name}` is off: a power cut may take the whole database");
            return refuse(what, &fix);
        }
    }
    Ok(())
}
