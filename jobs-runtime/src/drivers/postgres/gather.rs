//! Gathers the enqueues of many tasks into transactions: while some are under way, others come
//! together, and leave when one of them has returned. Nobody waits for a timer.
//!
//! Whoever finds a lane free carries what waits, its own and that of others. If it is dropped half
//! way, those that it carried are told that nobody knows what came of them, which their client
//! answers by sending the same ids again.

use super::Postgres;
use crate::Error;
use crate::contract::EnqueueAnswer;
use crate::core::NewJob;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use tokio::sync::{Semaphore, oneshot};

/// Jobs in one transaction; a single larger request goes alone.
const MAX_BATCH_JOBS: usize = 1_000;
/// Bytes of inputs in one transaction; a single larger request goes alone.
const MAX_BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Requests that wait before further ones are held back.
const MAX_WAITING_REQUESTS: usize = 4_096;
/// Transactions under way at once. More than one, so that an enqueue that waits for the key of
/// somebody's long transaction does not hold back all others.
const LANES: usize = 2;

type Answers = Result<Vec<EnqueueAnswer>, Error>;

struct Waiting {
    jobs: Vec<NewJob>,
    reply: oneshot::Sender<Answers>,
}

/// Requests that wait, and the lanes that they leave by.
pub(super) struct Gather {
    waiting: Mutex<VecDeque<Waiting>>,
    room: Semaphore,
    lanes: Semaphore,
}

impl Gather {
    pub(super) fn new() -> Self {
        Gather {
            waiting: Mutex::default(),
            room: Semaphore::new(MAX_WAITING_REQUESTS),
            lanes: Semaphore::new(LANES),
        }
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, VecDeque<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What waits, as far as it fits into one transaction; and who asked for how much of it. What
    /// nobody waits for any more was given up before it began.
    fn take(&self) -> (Vec<NewJob>, Vec<(usize, oneshot::Sender<Answers>)>) {
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
        let jobs = jobs.to_vec();
        gather.waiting().push_back(Waiting { jobs, reply });
        loop {
            let lane = tokio::select! {
                biased;
                answered = &mut answer => return answered.map_err(|_| unanswered())?,
                lane = gather.lanes.acquire() => lane.map_err(|_| unanswered())?,
            };
            let (jobs, replies) = gather.take();
            if replies.is_empty() {
                // Somebody carries it.
                drop(lane);
                return answer.await.map_err(|_| unanswered())?;
            }
            let stored = self.store_jobs(&jobs, None).await;
            drop(lane);
            tell(stored, replies);
        }
    }
}

/// Gives each its own part of the answer. Who has gone meanwhile is not told.
fn tell(stored: Answers, replies: Vec<(usize, oneshot::Sender<Answers>)>) {
    match stored {
        Ok(mut answers) => {
            for (many, reply) in replies {
                let rest = answers.split_off(many.min(answers.len()));
                drop(reply.send(Ok(std::mem::replace(&mut answers, rest))));
            }
        }
        Err(error) => {
            for (_, reply) in replies {
                drop(reply.send(Err(error.clone())));
            }
        }
    }
}

fn unanswered() -> Error {
    Error::outcome_unknown("Postgres", "the request that carried this one was dropped")
}
