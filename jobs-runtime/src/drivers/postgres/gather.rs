//! Gathers the enqueues of many tasks into transactions: while some are under way, others come
//! together, and leave when one of them has returned. Nobody waits for a timer.
//!
//! Whoever finds a lane free carries what waits, its own and that of others. If it is dropped half
//! way, those that it carried are told that nobody knows what came of them, which their client
//! answers by sending the same ids again.

use super::Postgres;
use super::connect::Failed;
use crate::Error;
use crate::contract::EnqueueAnswer;
use crate::core::NewJob;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use tokio::sync::oneshot::error::RecvError;
use tokio::sync::{Semaphore, oneshot};

/// Jobs in one transaction; a single larger request goes alone.
const MAX_BATCH_JOBS: usize = 1_000;
/// Bytes of inputs in one transaction; a single larger request goes alone.
const MAX_BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Requests that wait before further ones are held back.
const MAX_WAITING_REQUESTS: usize = 4_096;
/// Transactions under way at once: while one waits for the disk, the next one fills.
const LANES: usize = 2;
/// Requests that wait at once for somebody's long transaction: each has a connection, and others
/// need some.
const MAX_HELD: usize = 2;

type Answers = Result<Vec<EnqueueAnswer>, Error>;

/// What came of a request that was carried.
enum Carried {
    Answered(Answers),
    /// Somebody's long transaction has a key of one of the batch, or a job of it cannot be stored:
    /// each is to go alone, so that no other waits for that one or fails with it.
    Alone,
}

struct Waiting {
    jobs: Vec<NewJob>,
    reply: oneshot::Sender<Carried>,
}

/// Requests that wait, and the lanes that they leave by.
pub(super) struct Gather {
    waiting: Mutex<VecDeque<Waiting>>,
    room: Semaphore,
    lanes: Semaphore,
    held: Semaphore,
}

impl Gather {
    /// Of a client with so many connections for requests.
    pub(super) fn new(connections: u32) -> Self {
        let spare = usize::try_from(connections)
            .unwrap_or(MAX_HELD)
            .saturating_sub(1);
        Gather {
            waiting: Mutex::default(),
            room: Semaphore::new(MAX_WAITING_REQUESTS),
            lanes: Semaphore::new(LANES),
            held: Semaphore::new(spare.clamp(1, MAX_HELD)),
        }
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, VecDeque<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What waits, as far as it fits into one transaction; and who asked for how much of it. What
    /// nobody waits for any more was given up before it began.
    fn take(&self) -> (Vec<NewJob>, Vec<(usize, oneshot::Sender<Carried>)>) {
        let mut waiting = self.waiting();
        let (mut jobs, mut replies, mut bytes) = (Vec::new(), Vec::new(), 0);
        while let Some(first) = waiting.front() {
            let more: usize = first
                .jobs
                .iter()
                .map(|job| job.spec.input.bytes.len())
                .sum();
            let is_full =
                jobs.len() + first.jobs.len() > MAX_BATCH_JOBS || bytes + more > MAX_BATCH_BYTES;
            if is_full && !replies.is_empty() {
                break;
            }
            let Some(next) = waiting.pop_front() else {
                break;
            };
            if !next.reply.is_closed() {
                replies.push((next.jobs.len(), next.reply));
                jobs.extend(next.jobs);
                bytes += more;
            }
        }
        (jobs, replies)
    }
}

impl Postgres {
    /// Stores jobs, in a transaction that may store those of others too.
    pub(super) async fn store_gathered(&self, jobs: &[NewJob]) -> Answers {
        let gather = &self.shared.gather;
        let _room = gather.room.acquire().await.map_err(|_| unanswered())?;
        let (reply, mut answer) = oneshot::channel();
        gather.waiting().push_back(Waiting {
            jobs: jobs.to_vec(),
            reply,
        });
        loop {
            let lane = tokio::select! {
                biased;
                carried = &mut answer => return self.arrive(carried, jobs).await,
                lane = gather.lanes.acquire() => lane.map_err(|_| unanswered())?,
            };
            let (batch, replies) = gather.take();
            if replies.is_empty() {
                // Somebody carries it.
                drop(lane);
                return self.arrive(answer.await, jobs).await;
            }
            let stored = self.store_soon(&batch).await;
            drop(lane);
            tell(stored, replies);
        }
    }

    async fn arrive(&self, carried: Result<Carried, RecvError>, jobs: &[NewJob]) -> Answers {
        match carried.map_err(|_| unanswered())? {
            Carried::Answered(answers) => answers,
            Carried::Alone => self.store_alone(jobs).await,
        }
    }

    /// Stores one request. It may be the very one that has to wait, and waits in a line of such then.
    async fn store_alone(&self, jobs: &[NewJob]) -> Answers {
        match self.store_soon(jobs).await {
            Err(failed) if failed.is_held() => {
                let place = self.shared.gather.held.acquire().await;
                let _place = place.map_err(|_| unanswered())?;
                self.store_jobs(jobs, None).await
            }
            // Each of its jobs is answered for itself.
            Err(failed) if failed.is_one_items() => self.store_jobs(jobs, None).await,
            outcome => outcome.map_err(Failed::into_error),
        }
    }
}

/// Gives each its own part of the answer. Who has gone meanwhile is not told.
fn tell(
    stored: Result<Vec<EnqueueAnswer>, Failed>,
    replies: Vec<(usize, oneshot::Sender<Carried>)>,
) {
    match stored {
        Ok(mut answers) => {
            for (many, reply) in replies {
                let rest = answers.split_off(many.min(answers.len()));
                let own = std::mem::replace(&mut answers, rest);
                drop(reply.send(Carried::Answered(Ok(own))));
            }
        }
        Err(failed) if failed.is_held() || failed.is_one_items() => {
            for (_, reply) in replies {
                drop(reply.send(Carried::Alone));
            }
        }
        Err(failed) => {
            let error = failed.into_error();
            for (_, reply) in replies {
                drop(reply.send(Carried::Answered(Err(error.clone()))));
            }
        }
    }
}

fn unanswered() -> Error {
    Error::outcome_unknown("Postgres", "the request that carried this one was dropped")
}
