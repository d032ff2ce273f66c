//! A connection as the verbs use it: cached statements, rows as columns in order.
//!
//! It is one of ours, or the caller's own: a verb is the same on both.

use super::callers::Link;
use super::fault::Fault;
use crate::core::Timestamp;
use rusqlite::types::{FromSql, Value};
use rusqlite::{CachedStatement, Connection, Params, Row, ToSql};
use serde::de::DeserializeOwned;

/// A connection inside a transaction. Reads only; see [`super::group::Tx`] for writes.
#[derive(Clone, Copy)]
pub(super) enum Db<'a> {
    /// The caller's own, at the other end of a link.
    #[allow(dead_code, reason = "there are none without the feature `sqlx-sqlite`")]
    Callers(&'a Link),
    /// One of the store's.
    Own(&'a Connection),
}

impl<'a> Db<'a> {
    /// The connection, if it is the store's: for what only maintenance does.
    pub(super) fn own(self) -> Option<&'a Connection> {
        match self {
            Db::Callers(_) => None,
            Db::Own(connection) => Some(connection),
        }
    }

    /// Runs a statement that gives no rows, and says how many it changed.
    pub(super) fn run(self, sql: &str, params: impl Values) -> Result<usize, Fault> {
        match self {
            Db::Callers(link) => link.run(sql, params.owned()?),
            Db::Own(connection) => Ok(statement(connection, sql)?.execute(params)?),
        }
    }

    /// The transaction has ended, though nobody said COMMIT: SQLite does so after some faults. Of
    /// a caller's connection it is not known; there the next statement of a savepoint fails.
    pub(super) fn has_ended(self) -> bool {
        match self {
            Db::Callers(_) => false,
            Db::Own(connection) => connection.is_autocommit(),
        }
    }

    /// The first row, if there is one.
    pub(super) fn first<T>(
        self,
        sql: &str,
        params: impl Values,
        read: impl FnOnce(&mut Columns<'_, '_>) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        match self {
            Db::Callers(link) => match link.rows(sql, params.owned()?)?.first() {
                Some(row) => read(&mut Columns::fetched(row)).map(Some),
                None => Ok(None),
            },
            Db::Own(connection) => {
                let mut statement = statement(connection, sql)?;
                let mut rows = statement.query(params)?;
                match rows.next()? {
                    Some(row) => read(&mut Columns::of(row)).map(Some),
                    None => Ok(None),
                }
            }
        }
    }

    /// All rows. Each statement that is read so has a LIMIT, or belongs to one run.
    pub(super) fn all<T>(
        self,
        sql: &str,
        params: impl Values,
        mut read: impl FnMut(&mut Columns<'_, '_>) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        self.all_until(sql, params, |columns| read(columns).map(Some))
    }

    /// As [`Db::all`], up to the first row of which `read` makes nothing.
    pub(super) fn all_until<T>(
        self,
        sql: &str,
        params: impl Values,
        mut read: impl FnMut(&mut Columns<'_, '_>) -> Result<Option<T>, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let mut out = Vec::new();
        match self {
            Db::Callers(link) => {
                for row in link.rows(sql, params.owned()?)? {
                    let Some(value) = read(&mut Columns::fetched(&row))? else {
                        break;
                    };
                    out.push(value);
                }
            }
            Db::Own(connection) => {
                let mut statement = statement(connection, sql)?;
                let mut rows = statement.query(params)?;
                while let Some(row) = rows.next()?
                    && let Some(value) = read(&mut Columns::of(row))?
                {
                    out.push(value);
                }
            }
        }
        Ok(out)
    }
}

fn statement<'c>(connection: &'c Connection, sql: &str) -> Result<CachedStatement<'c>, Fault> {
    #[cfg(test)]
    super::tests::ran(connection, sql);
    Ok(connection.prepare_cached(sql)?)
}

/// The values of a statement's parameters, as the verbs give them.
pub(super) trait Values: Params {
    /// The values by themselves, to be sent elsewhere.
    fn owned(&self) -> Result<Vec<Value>, Fault>;
}

impl Values for &[&dyn ToSql] {
    fn owned(&self) -> Result<Vec<Value>, Fault> {
        self.iter().map(|value| owned(*value)).collect()
    }
}

impl<T: ToSql> Values for [T; 1] {
    fn owned(&self) -> Result<Vec<Value>, Fault> {
        self.iter().map(|value| owned(value)).collect()
    }
}

impl Values for [&(dyn ToSql + Send + Sync); 0] {
    fn owned(&self) -> Result<Vec<Value>, Fault> {
        Ok(Vec::new())
    }
}

fn owned(value: &dyn ToSql) -> Result<Value, Fault> {
    use rusqlite::types::ToSqlOutput;
    match value.to_sql()? {
        ToSqlOutput::Owned(value) => Ok(value),
        ToSqlOutput::Borrowed(value) => {
            Value::column_result(value).map_err(|error| Fault::Corrupt(error.to_string()))
        }
        // Blobs of zeros and pointers, which no verb binds.
        _ => Err(Fault::Corrupt("a parameter that cannot be sent".into())),
    }
}

/// The columns of a row, taken from left to right as the statement lists them.
pub(super) struct Columns<'r, 's> {
    row: Source<'r, 's>,
    next: usize,
}

enum Source<'r, 's> {
    /// A row that was fetched whole.
    Fetched(&'r [Value]),
    /// The row a statement stands on.
    Stepped(&'r Row<'s>),
}

impl<'r, 's> Columns<'r, 's> {
    fn of(row: &'r Row<'s>) -> Self {
        Columns {
            row: Source::Stepped(row),
            next: 0,
        }
    }

    fn fetched(row: &'r [Value]) -> Self {
        Columns {
            row: Source::Fetched(row),
            next: 0,
        }
    }

    pub(super) fn take<T: FromSql>(&mut self) -> Result<T, Fault> {
        let at = self.next;
        self.next += 1;
        match self.row {
            Source::Fetched(row) => {
                let missing = || Fault::Corrupt(format!("a row without column {at}"));
                let value = row.get(at).ok_or_else(missing)?;
                T::column_result(value.into()).map_err(|error| {
                    Fault::Corrupt(format!("column {at} of a row cannot be read: {error}"))
                })
            }
            Source::Stepped(row) => Ok(row.get(at)?),
        }
    }

    /// A counter of 64 bits, which stands in a signed column with the same bits.
    pub(super) fn bits(&mut self) -> Result<u64, Fault> {
        Ok(self.take::<i64>()?.cast_unsigned())
    }

    pub(super) fn instant(&mut self) -> Result<Timestamp, Fault> {
        Ok(Timestamp(self.take()?))
    }

    pub(super) fn maybe_instant(&mut self) -> Result<Option<Timestamp>, Fault> {
        Ok(self.take::<Option<i64>>()?.map(Timestamp))
    }

    pub(super) fn id<T>(&mut self, make: impl FnOnce([u8; 16]) -> T) -> Result<T, Fault> {
        Ok(make(self.take()?))
    }

    pub(super) fn maybe_id<T>(
        &mut self,
        make: impl FnOnce([u8; 16]) -> T,
    ) -> Result<Option<T>, Fault> {
        Ok(self.take::<Option<[u8; 16]>>()?.map(make))
    }

    pub(super) fn json<T: DeserializeOwned>(&mut self) -> Result<T, Fault> {
        read_json(&self.take::<String>()?)
    }

    pub(super) fn maybe_json<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Fault> {
        let text: Option<String> = self.take()?;
        text.as_deref().map(read_json).transpose()
    }
}

pub(super) fn read_json<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|error| Fault::Corrupt(error.to_string()))
}

pub(super) fn write_json<T: serde::Serialize>(value: &T) -> Result<String, Fault> {
    serde_json::to_string(value).map_err(|error| Fault::Corrupt(error.to_string()))
}
