//! The stores that this process has open, by where they are: a transaction of the caller's leads to a
//! database, and its connection says in which schema the jobs are.

use super::super::fault::Fault;
use super::super::{DEFAULT_SCHEMA, Shared};
use crate::Error;
use sqlx::{PgConnection, Row};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

static OPEN: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// Asks a connection where it leads to, and how its transaction was begun. A cluster has a number of
/// its own, and a database another in it. What a connection does not set is the schema `jobs`.
const PLACE: &str = "SELECT \
    coalesce(nullif(current_setting('jobs.schema', true), ''), $1) AS schema, \
    (SELECT system_identifier FROM pg_control_system()) AS cluster, \
    (SELECT oid::bigint FROM pg_database WHERE datname = current_database()) AS database, \
    current_database()::text AS name, \
    current_setting('transaction_isolation') AS isolation, \
    current_setting('synchronous_commit') = 'off' AS is_weak";

/// Where a connection leads to.
#[derive(Clone, Debug)]
pub(in super::super) struct Place {
    cluster: i64,
    database: i64,
    name: String,
    pub(in super::super) schema: String,
    pub(super) isolation: String,
    /// A COMMIT is answered before the disk has it.
    pub(in super::super) is_weak: bool,
}

impl Place {
    pub(super) fn is(&self, other: &Place) -> bool {
        let key = |place: &Place| (place.cluster, place.database, place.schema.clone());
        key(self) == key(other)
    }

    /// The same database, with the jobs in this schema.
    pub(in super::super) fn within(self, schema: &str) -> Self {
        let schema = schema.to_owned();
        Place { schema, ..self }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "schema \"{}\" of database \"{}\"",
            self.schema, self.name
        )
    }
}

/// Where a connection leads to.
pub(in super::super) async fn place(connection: &mut PgConnection) -> Result<Place, Error> {
    let asked = sqlx::query(PLACE)
        .bind(DEFAULT_SCHEMA)
        .fetch_one(connection);
    let read = asked.await.and_then(|row| {
        Ok(Place {
            cluster: row.try_get("cluster")?,
            database: row.try_get("database")?,
            name: row.try_get("name")?,
            schema: row.try_get("schema")?,
            isolation: row.try_get("isolation")?,
            is_weak: row.try_get("is_weak")?,
        })
    });
    read.map_err(|error| Fault::Sqlx(error).before_write())
}

/// Notes a store that is open. It is forgotten when the store is dropped.
pub(in super::super) fn remember(shared: &Arc<Shared>) {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|store| store.strong_count() > 0);
    open.push(Arc::downgrade(shared));
}

/// The store there that was opened last.
pub(super) fn find(place: &Place) -> Option<Arc<Shared>> {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut known = open.iter().rev().filter_map(Weak::upgrade);
    known.find(|store| store.place.is(place))
}
