//! A small pool of connections that can only read, each used from one blocking thread at a time.

use super::Shared;
use super::connect::{self, Access};
use super::db::Db;
use super::fault::Fault;
use super::sql;
use super::writer::closed;
use crate::Error;
use rusqlite::Connection;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Connections that read at the same time.
const READER_LIMIT: usize = 4;

pub(super) struct Readers {
    shared: Arc<Shared>,
    idle: Arc<Mutex<Vec<Connection>>>,
    slots: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Readers {
            shared,
            idle: Arc::default(),
            slots: Arc::new(Semaphore::new(READER_LIMIT)),
        }
    }

    /// Reads from one snapshot, which shows everything that was acknowledged before.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(Db<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Error> {
        self.shared.check_process()?;
        let slot = self.slots.clone().acquire_owned().await;
        let slot = slot.map_err(|_| closed())?;
        let (shared, idle) = (self.shared.clone(), self.idle.clone());
        let reading = tokio::task::spawn_blocking(move || {
            let _slot = slot;
            read(&shared, &idle, work)
        });
        match reading.await {
            Ok(answer) => answer,
            Err(error) => Err(Error::driver_unavailable(
                "SQLite",
                error,
                "report this: a read of the store panicked",
            )),
        }
    }

    /// Lets go of the file once the reads that have begun are over.
    pub(super) async fn close(&self) {
        let all = u32::try_from(READER_LIMIT).unwrap_or(u32::MAX);
        let reading = self.slots.acquire_many(all).await;
        self.slots.close();
        drop(reading);
        lock(&self.idle).clear();
    }
}

fn read<T>(
    shared: &Shared,
    idle: &Mutex<Vec<Connection>>,
    work: impl FnOnce(Db<'_>) -> Result<T, Fault>,
) -> Result<T, Error> {
    let taken = lock(idle).pop();
    let connection = match taken {
        Some(connection) => Ok(connection),
        None => connect::open(&shared.path, &shared.options, Access::Read),
    };
    let outcome = connection.and_then(|connection| {
        let answer = within_snapshot(&connection, work)?;
        // After a fault the connection is dropped instead: it may be what is at fault.
        lock(idle).push(connection);
        Ok(answer)
    });
    outcome.map_err(|fault| fault.before_write(&shared.path))
}

fn within_snapshot<T>(
    connection: &Connection,
    work: impl FnOnce(Db<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let db = Db::Own(connection);
    db.run(sql::BEGIN_READ, [])?;
    let answer = work(db)?;
    db.run(sql::COMMIT, [])?;
    Ok(answer)
}

fn lock(idle: &Mutex<Vec<Connection>>) -> std::sync::MutexGuard<'_, Vec<Connection>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}
