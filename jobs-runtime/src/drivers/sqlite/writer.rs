//! The writing thread: whatever is waiting goes into one transaction, and nobody is answered
//! before it is committed.
//!
//! It knows nothing of jobs. A request is a closure over the transaction; the verbs make them.

use super::connect::{self, Access};
use super::db::Db;
use super::fault::Fault;
use super::group::{Hints, Tx};
use super::sql;
use super::{Shared, Sqlite};
use crate::Error;
use crate::core::Timestamp;
use crate::torture::crash_point;
use crate::torture::points::WritePoints;
use rusqlite::Connection;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::JoinHandle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

/// Requests that wait for the thread; who comes later waits for room.
const QUEUE_LIMIT_REQUESTS: usize = 1_024;

/// Payload that waits for the thread, in KiB; who comes later waits for room.
const QUEUE_LIMIT_KIB: u32 = 64 * 1_024;

/// Items of one transaction. More would keep the answers of the first ones, and the heartbeats,
/// waiting for too long.
const GROUP_LIMIT_ITEMS: usize = 1_000;

/// Payload of one transaction, in bytes.
const GROUP_LIMIT_BYTES: usize = 16 * 1024 * 1024;

/// How often a COMMIT that met a lock is tried again before the transaction is given up.
const COMMIT_LIMIT_TRIES: u32 = 3;

/// How much a request brings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) items: usize,
    pub(super) bytes: usize,
    /// Where the process can be killed in the middle of it.
    pub(super) points: WritePoints,
}

/// A thread with a connection of its own, and the queue in front of it.
pub(super) struct Writer {
    shared: Arc<Shared>,
    queue: RwLock<Option<mpsc::Sender<Box<dyn Task>>>>,
    room: Arc<Semaphore>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Sqlite {
    /// Transactions that this store has committed: for measurements.
    #[allow(dead_code, reason = "nobody asks without the feature `bench`")]
    pub(crate) fn commits_made(&self) -> u64 {
        self.shared.commits.load(Ordering::Relaxed)
    }
}

impl Writer {
    /// Starts a thread of this name, which writes in turn with others of the store.
    pub(super) fn start(name: &str, shared: Arc<Shared>) -> Result<Self, Error> {
        let (sender, requests) = mpsc::channel(QUEUE_LIMIT_REQUESTS);
        let worker = Worker {
            shared: shared.clone(),
            requests,
            connection: None,
            held_over: None,
        };
        let thread = std::thread::Builder::new()
            .name(name.into())
            .spawn(move || worker.work())
            .map_err(|error| no_thread(&error))?;
        Ok(Writer {
            shared,
            queue: RwLock::new(Some(sender)),
            room: Arc::new(Semaphore::new(QUEUE_LIMIT_KIB as usize)),
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Runs `work` in a transaction, and answers once it is committed. If the caller goes away
    /// before the thread has begun with it, nothing is written.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        load: Load,
        now: Option<Timestamp>,
        work: impl FnOnce(&Tx<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Error> {
        self.shared.check_process()?;
        let queue = self
            .queue
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
            .ok_or_else(closed)?;
        let kib = u32::try_from(load.bytes / 1_024).unwrap_or(u32::MAX);
        let room = self.room.clone();
        let room = room
            .acquire_many_owned(kib.clamp(1, QUEUE_LIMIT_KIB))
            .await
            .map_err(|_| closed())?;
        let (reply, answer) = oneshot::channel();
        let request = Request {
            load,
            now,
            work: Some(work),
            answer: None,
            reply,
            _room: room,
        };
        crash_point!("driver.sqlite.queue.before");
        queue.send(Box::new(request)).await.map_err(|_| closed())?;
        crash_point!("driver.sqlite.queue.after");
        // Without the sender the thread would not end while this request waits for its answer.
        drop(queue);
        match answer.await {
            Ok(answer) => answer,
            // The thread has ended in the middle: nobody can say how far it had come.
            Err(_) => Err(Error::outcome_unknown("SQLite", "its thread has ended")),
        }
    }

    /// Takes no more requests, and waits until those that wait are written.
    pub(super) async fn close(&self) {
        self.queue
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            // A thread that panicked has nothing more to write, and its callers know.
            drop(tokio::task::spawn_blocking(move || thread.join()).await);
        }
    }
}

pub(super) fn closed() -> Error {
    Error::driver_unavailable(
        "SQLite",
        "it was closed",
        "keep the store open for as long as anything uses it",
    )
}

pub(super) fn no_thread(error: &std::io::Error) -> Error {
    Error::driver_unavailable(
        "SQLite",
        error,
        "raise the number of threads that this process may have",
    )
}

/// A request with its type forgotten.
trait Task: Send {
    fn load(&self) -> Load;

    /// Does the work. A fault that is only its own is kept for its caller.
    fn run(&mut self, db: Db<'_>, shared: &Shared) -> Result<Hints, Fault>;

    /// Answers the caller: with what the work gave, or with what befell the whole transaction.
    fn answer(self: Box<Self>, lost: Option<Error>);
}

struct Request<W, T> {
    load: Load,
    now: Option<Timestamp>,
    work: Option<W>,
    answer: Option<Result<T, Error>>,
    reply: oneshot::Sender<Result<T, Error>>,
    _room: OwnedSemaphorePermit,
}

impl<W, T> Task for Request<W, T>
where
    W: FnOnce(&Tx<'_>) -> Result<T, Fault> + Send,
    T: Send,
{
    fn load(&self) -> Load {
        self.load
    }

    fn run(&mut self, db: Db<'_>, shared: &Shared) -> Result<Hints, Fault> {
        if self.reply.is_closed() {
            // The caller is gone. Leases for it would only hide jobs from everybody.
            return Ok(Hints::default());
        }
        let Some(work) = self.work.take() else {
            return Ok(Hints::default());
        };
        let tx = Tx::new(db, shared, self.now);
        match work(&tx) {
            Ok(answer) => {
                self.answer = Some(Ok(answer));
                Ok(tx.hints())
            }
            Err(fault) if fault.is_one_items() => {
                self.answer = Some(Err(fault.before_write(&shared.path)));
                Ok(tx.hints())
            }
            Err(fault) => Err(fault),
        }
    }

    fn answer(self: Box<Self>, lost: Option<Error>) {
        let answer = match (lost, self.answer) {
            (Some(error), _) => Err(error),
            (None, Some(answer)) => answer,
            (None, None) => Err(closed()),
        };
        // A caller that has gone away needs no answer.
        drop(self.reply.send(answer));
    }
}

struct Worker {
    shared: Arc<Shared>,
    requests: mpsc::Receiver<Box<dyn Task>>,
    connection: Option<Connection>,
    /// A request that did not fit into the last transaction.
    held_over: Option<Box<dyn Task>>,
}

impl Worker {
    fn work(mut self) {
        while let Some(first) = self
            .held_over
            .take()
            .or_else(|| self.requests.blocking_recv())
        {
            let group = self.gather(first);
            self.write(group);
        }
    }

    /// The first request and whatever else waits already. Never waits for more: the next group
    /// gathers while this one is written.
    fn gather(&mut self, first: Box<dyn Task>) -> Vec<Box<dyn Task>> {
        let Load {
            mut items,
            mut bytes,
            ..
        } = first.load();
        let mut group = vec![first];
        while let Ok(next) = self.requests.try_recv() {
            let load = next.load();
            items = items.saturating_add(load.items);
            bytes = bytes.saturating_add(load.bytes);
            if items > GROUP_LIMIT_ITEMS || bytes > GROUP_LIMIT_BYTES {
                self.held_over = Some(next);
                break;
            }
            group.push(next);
        }
        group
    }

    fn write(&mut self, mut group: Vec<Box<dyn Task>>) {
        let shared = self.shared.clone();
        let turn = shared.turns.take();
        let outcome = self.transact(&mut group);
        drop(turn);
        let lost = match outcome {
            Ok(hints) => {
                for hint in hints.wake_ups() {
                    // Nobody listens: nobody needs to be told.
                    drop(self.shared.wake_ups.send(hint));
                }
                None
            }
            Err(error) => Some(error),
        };
        for task in group {
            task.load().points.replying();
            task.answer(lost.clone());
        }
    }

    fn transact(&mut self, group: &mut [Box<dyn Task>]) -> Result<Hints, Error> {
        let path = &self.shared.path;
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect::open(path, &self.shared.options, Access::Write)
                .map_err(|fault| fault.before_write(path))?,
        };
        let db = Db::Own(&connection);
        let outcome = match run(db, &self.shared, group) {
            Ok(hints) => match commit(db) {
                Ok(()) => {
                    self.shared.commits.fetch_add(1, Ordering::Relaxed);
                    for task in group.iter() {
                        task.load().points.committed();
                    }
                    Ok(hints)
                }
                Err(fault) if fault.is_busy() => {
                    Err((fault.breaks_connection(), fault.before_write(path)))
                }
                Err(fault) => Err((true, fault.after_write(path))),
            },
            Err(fault) => Err((fault.breaks_connection(), fault.before_write(path))),
        };
        let (broken, outcome) = match outcome {
            Ok(hints) => (false, Ok(hints)),
            Err((broken, error)) => {
                // SQLite may have rolled back by itself, and then this one fails for good reason.
                if !connection.is_autocommit() {
                    drop(db.run(sql::ROLLBACK, []));
                }
                tracing::error!(%error, "a transaction of the store failed");
                (broken || !connection.is_autocommit(), Err(error))
            }
        };
        // A connection that met an I/O error may hold pages that are not those of the file.
        if !broken {
            self.connection = Some(connection);
        }
        outcome
    }
}

fn run(db: Db<'_>, shared: &Shared, group: &mut [Box<dyn Task>]) -> Result<Hints, Fault> {
    db.run(sql::BEGIN, [])?;
    let mut hints = Hints::default();
    for task in group {
        task.load().points.begun();
        hints = hints.merge(task.run(db, shared)?);
        task.load().points.written();
        if db.has_ended() {
            // What came after it would be written alone, and not with the rest.
            return Err(Fault::Lost(
                "the transaction ended before its COMMIT".into(),
            ));
        }
    }
    Ok(hints)
}

fn commit(db: Db<'_>) -> Result<(), Fault> {
    let mut tries = 1;
    loop {
        match db.run(sql::COMMIT, []) {
            Err(fault) if fault.is_busy() && tries < COMMIT_LIMIT_TRIES => tries += 1,
            done => return done.map(drop),
        }
    }
}
