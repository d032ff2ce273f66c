//! A connection as the verbs use it: cached statements, rows as columns in order.

use super::fault::Fault;
use crate::core::Timestamp;
use rusqlite::types::FromSql;
use rusqlite::{CachedStatement, Connection, Params, Row};
use serde::de::DeserializeOwned;

/// A connection inside a transaction. Reads only; see [`super::group::Tx`] for writes.
#[derive(Clone, Copy)]
pub(super) struct Db<'a> {
    pub(super) connection: &'a Connection,
}

impl<'c> Db<'c> {
    /// Runs a statement that gives no rows, and says how many it changed.
    pub(super) fn run(self, sql: &str, params: impl Params) -> Result<usize, Fault> {
        Ok(self.statement(sql)?.execute(params)?)
    }

    /// The first row, if there is one.
    pub(super) fn first<T>(
        self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&mut Columns<'_, '_>) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let mut statement = self.statement(sql)?;
        let mut rows = statement.query(params)?;
        match rows.next()? {
            Some(row) => read(&mut Columns::of(row)).map(Some),
            None => Ok(None),
        }
    }

    /// All rows. Each statement that is read so has a LIMIT, or belongs to one run.
    pub(super) fn all<T>(
        self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&mut Columns<'_, '_>) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        self.all_until(sql, params, |columns| read(columns).map(Some))
    }

    /// As [`Db::all`], up to the first row of which `read` makes nothing.
    pub(super) fn all_until<T>(
        self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&mut Columns<'_, '_>) -> Result<Option<T>, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let mut statement = self.statement(sql)?;
        let mut rows = statement.query(params)?;
        let mut out = Vec::new();
        while let Some(row) = rows.next()?
            && let Some(value) = read(&mut Columns::of(row))?
        {
            out.push(value);
        }
        Ok(out)
    }

    fn statement(self, sql: &str) -> Result<CachedStatement<'c>, Fault> {
        #[cfg(test)]
        super::tests::ran(self.connection, sql);
        Ok(self.connection.prepare_cached(sql)?)
    }
}

/// The columns of a row, taken from left to right as the statement lists them.
pub(super) struct Columns<'r, 's> {
    row: &'r Row<'s>,
    next: usize,
}

impl<'r, 's> Columns<'r, 's> {
    fn of(row: &'r Row<'s>) -> Self {
        Columns { row, next: 0 }
    }

    pub(super) fn take<T: FromSql>(&mut self) -> Result<T, Fault> {
        let at = self.next;
        self.next += 1;
        Ok(self.row.get(at)?)
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
