//! A worker for tests: runs jobs under virtual time, one thing after another, until nothing is
//! left to do. No thread, no batch, no poll: what happens follows from the jobs alone.

use super::leases::{self, Leases};
use super::{Shared, Worker, executor, limits, panic};
use crate::Error;
use crate::clock::{Clock, VirtualClock};
use crate::committer::Committer;
use crate::contract::Claim;
use crate::core::Timestamp;
use crate::registry::{JobDef, Registry};
use crate::schedule::Scheduler;
use crate::testing::{Drained, Tally};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Wake, Waker};
use std::time::Duration;
use tokio::sync::Notify;

/// How long a body may wait for something real before virtual time goes on without it.
const REAL_WAIT: Duration = Duration::from_millis(50);
/// Rounds of one drain: a job that never ends would keep it going for ever.
const MAX_ROUNDS: u32 = 1_000_000;

/// A worker that is moved by hand.
pub(crate) struct Drain {
    shared: Arc<Shared>,
    clock: VirtualClock,
    tally: Arc<Mutex<Tally>>,
    limit_leases: usize,
    scheduler: Scheduler,
}

type Running = Vec<Pin<Box<dyn Future<Output = ()> + Send>>>;

#[derive(Default)]
struct Flag(Notify);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.notify_one();
    }
}

impl Worker {
    /// Makes the ticks of these tasks, and of schedules that were made at run time; without any, of
    /// nothing.
    pub(crate) fn into_drain(
        mut self,
        clock: VirtualClock,
        limit_leases: usize,
        tasks: Option<Vec<&'static JobDef>>,
    ) -> Result<Drain, Error> {
        panic::remember_places();
        let tally: Arc<Mutex<Tally>> = Arc::default();
        let heard = Arc::clone(&tally);
        self.observer = self
            .observer
            .and(move |run, event| lock(&heard).hear(run, event));
        // A test gives the states of the jobs it runs; others of its program may need more.
        let registry = Registry::linked()?;
        let committer = Committer::Direct(self.jobs.store().clone());
        let store = self.jobs.store().clone();
        let scheduler = match tasks {
            Some(tasks) => Scheduler::of(store, tasks).with_stored(Arc::clone(&registry)),
            None => Scheduler::of(store, []),
        };
        Ok(Drain {
            scheduler,
            shared: Arc::new(self.share(registry, committer, Leases::endless())),
            clock,
            tally,
            limit_leases,
        })
    }
}

impl Drain {
    /// Makes the ticks that are due, and runs all that is ready at this instant to its end or its
    /// next suspension; time moves only for waits in memory. Gives when the next job or tick is due.
    pub(crate) async fn drain(&self) -> Result<Option<Timestamp>, Error> {
        let flag = Arc::new(Flag::default());
        let waker = Waker::from(Arc::clone(&flag));
        let mut running = Running::new();
        limits::declare(&self.shared).await?;
        for _ in 0..MAX_ROUNDS {
            // A claim would wait for a transaction whose body is polled only below.
            let (claimed, next) = match self.is_transacting() {
                true => (0, None),
                false => self.claim(&mut running).await?,
            };
            let before = running.len();
            poll_all(&mut running, &waker, &flag);
            if running.is_empty() && claimed == 0 && before == 0 {
                let looked = self.scheduler.look(self.clock.now()).await?;
                if looked.made > 0 {
                    continue;
                }
                return Ok(next.into_iter().chain(looked.next).min());
            }
            if running.len() < before {
                continue;
            }
            self.let_time_pass(&flag).await;
        }
        Err(Error::timeout("draining", u64::from(MAX_ROUNDS)))
    }

    /// What came of it since this was last asked.
    pub(crate) fn take_drained(&self) -> Drained {
        self.tally().take()
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        lock(&self.tally)
    }

    /// Moves time to an instant. Whoever holds a lease meanwhile keeps it.
    pub(crate) async fn pass_time(&self, until: Timestamp) {
        while let Some(shortest) = self.shared.leases.shortest() {
            let left = Duration::from(until.since(self.clock.now()));
            if left.is_zero() {
                return;
            }
            self.clock.advance(left.min(shortest / 3));
            leases::beat_once(&self.shared.leases, &self.shared.store).await;
        }
        self.clock.advance_to(until);
    }

    async fn claim(&self, running: &mut Running) -> Result<(usize, Option<Timestamp>), Error> {
        let shared = &self.shared;
        let claim = Claim {
            queues: shared.queues.clone(),
            limit: shared.concurrency.saturating_sub(running.len()),
            visibility_timeout: shared.visibility_timeout,
            worker: shared.worker.clone(),
            nonce: shared.random(),
            now: shared.store.env.clock.imposed(),
        };
        let asked = shared.store.env.clock.monotonic();
        let claims = shared.store.claim(&claim).await?;
        let claimed = claims.jobs.len();
        let at = executor::ClaimedAt {
            store: claims.now,
            asked,
            answered: shared.store.env.clock.monotonic(),
        };
        for job in claims.jobs {
            let (id, name) = (job.job.spec.id, &job.job.spec.name);
            self.tally().begin(id, name, self.limit_leases)?;
            running.push(Box::pin(executor::execute(Arc::clone(shared), job, at)));
        }
        Ok((claimed, claims.next_visible_at))
    }

    fn is_transacting(&self) -> bool {
        let transacting = &self.shared.store.transacting;
        transacting.under_way.load(Ordering::Acquire) > 0
    }

    /// Waits for what is really under way, or moves time to whatever waits for it.
    async fn let_time_pass(&self, flag: &Flag) {
        let in_body = self.shared.store.transacting.bodies.load(Ordering::Acquire) > 0;
        // What waits for a body in its transaction may wait for time to pass.
        if self.shared.store.in_flight() > 0 && !in_body {
            return flag.0.notified().await;
        }
        if self.shared.busy.load(Ordering::Acquire) > 0
            && tokio::time::timeout(REAL_WAIT, flag.0.notified())
                .await
                .is_ok()
        {
            return;
        }
        let Some(next) = self.clock.next_sleeper() else {
            return flag.0.notified().await;
        };
        // Leases live in the store by virtual time too: no step of it may outlast one.
        let most = self
            .shared
            .leases
            .shortest()
            .map_or(next, |shortest| shortest / 3);
        self.clock.advance(next.min(most));
        if self.is_transacting() {
            // So would a heartbeat; and no transaction lasts as long as a lease.
            return;
        }
        leases::beat_once(&self.shared.leases, &self.shared.store).await;
    }
}

fn lock(tally: &Mutex<Tally>) -> MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Polls every run until none has been woken since.
fn poll_all(running: &mut Running, waker: &Waker, flag: &Flag) {
    loop {
        let mut cx = Context::from_waker(waker);
        running.retain_mut(|run| run.as_mut().poll(&mut cx).is_pending());
        // A permit says that something was woken while we polled.
        if running.is_empty() || !std::pin::pin!(flag.0.notified()).enable() {
            return;
        }
    }
}
