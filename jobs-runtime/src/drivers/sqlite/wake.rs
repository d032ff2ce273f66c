//! Wake-ups across processes: SQLite has no way to call, but tells cheaply whether somebody else
//! has written.
//!
//! Within a process the writer gives the hints itself, at once.

use super::Shared;
use super::connect::{self, Access};
use super::db::Db;
use super::fault::Fault;
use super::writer::no_thread;
use crate::Error;
use crate::contract::WakeUp;
use rusqlite::Connection;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Changes when another connection has committed, and costs a look at shared memory.
const DATA_VERSION: &str = "PRAGMA data_version";

/// A thread that looks for the writes of others. It ends when this is dropped or closed.
pub(super) struct Watch {
    stop: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

impl Watch {
    pub(super) fn start(shared: Arc<Shared>) -> Result<Self, Error> {
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new()
            .name("jobs-sqlite-watch".into())
            .spawn(move || watch(&shared, &stopped))
            .map_err(|error| no_thread(&error))?;
        Ok(Watch {
            stop: Mutex::new(Some((stop, thread))),
        })
    }

    pub(super) async fn close(&self) {
        let running = self
            .stop
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some((stop, thread)) = running {
            drop(stop);
            drop(tokio::task::spawn_blocking(move || thread.join()).await);
        }
    }
}

fn watch(shared: &Shared, stopped: &Receiver<()>) {
    let mut connection: Option<Connection> = None;
    let mut seen: Option<i64> = None;
    while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(shared.options.poll) {
        match look(shared, &mut connection) {
            Ok(version) => {
                // At the first look nobody knows what was written since the file was opened.
                let before = seen.replace(version);
                if before != Some(version) {
                    hint(shared);
                }
            }
            Err(fault) => {
                // Hints are never needed for correctness: try again at the next look.
                let error = fault.before_write(&shared.path);
                tracing::debug!(%error, "cannot look for the writes of other processes");
                connection = None;
                seen = None;
            }
        }
    }
}

fn look(shared: &Shared, connection: &mut Option<Connection>) -> Result<i64, Fault> {
    let connection = match connection {
        Some(connection) => connection,
        None => connection.insert(connect::open(&shared.path, &shared.options, Access::Read)?),
    };
    let version = Db::Own(connection).first(DATA_VERSION, [], |columns| columns.take())?;
    Ok(version.unwrap_or(0))
}

/// Nobody knows what was written, so everybody looks.
fn hint(shared: &Shared) {
    for wake_up in [WakeUp::Ended, WakeUp::Freed, WakeUp::Inbox, WakeUp::Ready] {
        drop(shared.wake_ups.send(wake_up));
    }
}
