//! A verb on one side, a connection of sqlx on the other.
//!
//! The verbs run statement by statement and wait for each; sqlx gives futures. So a verb runs on a
//! blocking thread, sends its statements here, and the caller's task runs them. No statement is
//! written twice, and nothing is decided here.

use super::super::Shared;
use super::super::db::Db;
use super::super::fault::Fault;
use super::super::group::Tx;
use crate::Error;
use crate::core::Timestamp;
use rusqlite::ffi;
use rusqlite::types::Value;
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{
    Arguments, AssertSqlSafe, Column, Connection, Row, SqliteConnection, TypeInfo, ValueRef,
};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// Statements on their way: the verb waits for the answer to each.
const QUEUE_LIMIT_STATEMENTS: usize = 1;

type Fetched = Vec<Vec<Value>>;

struct Statement {
    sql: String,
    values: Vec<Value>,
    answer: Answer,
}

enum Answer {
    Changes(oneshot::Sender<Result<usize, Fault>>),
    Rows(oneshot::Sender<Result<Fetched, Fault>>),
}

/// The verb's end.
pub(in super::super) struct Link(mpsc::Sender<Statement>);

impl Link {
    /// Runs a statement, and says how many rows it changed.
    pub(in super::super) fn run(&self, sql: &str, values: Vec<Value>) -> Result<usize, Fault> {
        self.ask(sql, values, Answer::Changes)
    }

    /// All rows of a statement.
    pub(in super::super) fn rows(&self, sql: &str, values: Vec<Value>) -> Result<Fetched, Fault> {
        self.ask(sql, values, Answer::Rows)
    }

    fn ask<T>(
        &self,
        sql: &str,
        values: Vec<Value>,
        answer: impl FnOnce(oneshot::Sender<Result<T, Fault>>) -> Answer,
    ) -> Result<T, Fault> {
        let (reply, answered) = oneshot::channel();
        let statement = Statement {
            sql: sql.to_owned(),
            values,
            answer: answer(reply),
        };
        self.0.blocking_send(statement).map_err(|_| gone())?;
        answered.blocking_recv().map_err(|_| gone())?
    }
}

/// The caller dropped the call: its savepoint takes back what was written.
fn gone() -> Fault {
    Fault::Refused(Error::driver_unavailable(
        "SQLite",
        "the call was dropped before its end",
        "await the call to its end",
    ))
}

/// Runs a verb on a connection whose transaction is the caller's: all of it, or, if it fails or is
/// dropped, nothing.
pub(super) async fn within<T: Send + 'static>(
    connection: &mut SqliteConnection,
    shared: Arc<Shared>,
    now: Option<Timestamp>,
    verb: impl FnOnce(&Tx<'_>) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Error> {
    let path = shared.path.clone();
    let told = |fault: Fault| fault.before_write(&path);
    // sqlx undoes a savepoint that is dropped before anything else happens on the connection.
    let mut savepoint = connection
        .begin()
        .await
        .map_err(|error| told(fault(error)))?;
    let (sender, mut statements) = mpsc::channel(QUEUE_LIMIT_STATEMENTS);
    let running = tokio::task::spawn_blocking(move || {
        let link = Link(sender);
        verb(&Tx::new(Db::Callers(&link), &shared, now))
    });
    while let Some(statement) = statements.recv().await {
        perform(&mut savepoint, statement).await;
    }
    match running.await {
        Ok(Ok(answer)) => {
            let released = savepoint.commit().await;
            released.map_err(|error| told(fault(error)))?;
            Ok(answer)
        }
        Ok(Err(fault)) => Err(told(fault)),
        Err(error) => Err(Error::driver_unavailable(
            "SQLite",
            error,
            "report this: a verb of the store panicked",
        )),
    }
}

async fn perform(connection: &mut SqliteConnection, statement: Statement) {
    let Statement {
        sql,
        values,
        answer,
    } = statement;
    let query = bound(values).map(|values| {
        // Not from users: it is one of the store's own statements.
        sqlx::query_with(AssertSqlSafe(sql), values)
    });
    // A verb that has ended needs no answer.
    match (answer, query) {
        (Answer::Changes(reply), Ok(query)) => {
            let done = query.execute(connection).await;
            let changes = done.map(|done| usize::try_from(done.rows_affected()).unwrap_or(0));
            drop(reply.send(changes.map_err(fault)));
        }
        (Answer::Rows(reply), Ok(query)) => {
            let rows = query.fetch_all(connection).await.map_err(fault);
            let rows = rows.and_then(|rows| rows.iter().map(fetched).collect());
            drop(reply.send(rows));
        }
        (Answer::Changes(reply), Err(fault)) => drop(reply.send(Err(fault))),
        (Answer::Rows(reply), Err(fault)) => drop(reply.send(Err(fault))),
    }
}

fn bound(values: Vec<Value>) -> Result<SqliteArguments, Fault> {
    let mut arguments = SqliteArguments::default();
    for value in values {
        let added = match value {
            Value::Null => arguments.add(None::<i64>),
            Value::Integer(number) => arguments.add(number),
            Value::Real(number) => arguments.add(number),
            Value::Text(text) => arguments.add(text),
            Value::Blob(bytes) => arguments.add(bytes),
        };
        added.map_err(|error| Fault::Corrupt(error.to_string()))?;
    }
    Ok(arguments)
}

fn fetched(row: &SqliteRow) -> Result<Vec<Value>, Fault> {
    row.columns()
        .iter()
        .map(|column| {
            let at = column.ordinal();
            let raw = row.try_get_raw(at).map_err(fault)?;
            let kind = raw.type_info();
            // The kind of the value itself, which may be another than the column's.
            let value = match kind.name() {
                _ if raw.is_null() => Ok(Value::Null),
                "INTEGER" => row.try_get_unchecked(at).map(Value::Integer),
                "REAL" => row.try_get_unchecked(at).map(Value::Real),
                "TEXT" => row.try_get_unchecked(at).map(Value::Text),
                _ => row.try_get_unchecked(at).map(Value::Blob),
            };
            value.map_err(fault)
        })
        .collect()
}

/// What sqlx says, as what rusqlite would have said: the verbs tell faults apart by their codes.
pub(super) fn fault(error: sqlx::Error) -> Fault {
    let code = match &error {
        sqlx::Error::Database(error) => error.code().and_then(|code| code.parse().ok()),
        _ => None,
    };
    match code {
        Some(code) => {
            let message = error
                .as_database_error()
                .map(|error| error.message().into());
            Fault::Sqlite(rusqlite::Error::SqliteFailure(
                ffi::Error::new(code),
                message,
            ))
        }
        None => Fault::Refused(Error::driver_unavailable(
            "SQLite",
            &error,
            "look at the pool that the connection came from: it may be closed or too small",
        )),
    }
}
