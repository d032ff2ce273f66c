//! One lease of one run: poll the body, store what was delivered, and settle the job at the end.
//!
//! The body's future is polled by hand. What may happen next is the run's decision ([`Next`]);
//! [`wait`] waits for it, [`store`] sends commits, [`end`] settles.

mod end;
mod store;
mod wait;

use super::leases::{LeaseGuard, NewLease};
use super::observe::RunEvent;
use super::{Shared, panic};
use crate::Failure;
use crate::contract::Claimed;
use crate::core::{
    Commit, CommitNumber, Ended, Millis, Next, Payload, Replay, Run, Settle, StepRecord, Timestamp,
};
use crate::registry::{Call, JobDef};
use crate::steps::{JobCx, JobInfo, JobWaker, RunCell, Transactions};
use crate::torture::crash_point;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use store::Sending;
use wait::Woken;

/// A sleep up to this long is waited out in memory; a longer one parks the run.
const PARK_AFTER: Millis = Millis(1_000);
/// Polls of one body that wakes itself each time, before others get their turn.
const MAX_SELF_WAKES: u32 = 1_000;
/// How long a body may overrun its job's timeout before it counts as blocking its thread.
const BLOCKED_AFTER: Duration = Duration::from_secs(1);

type BodyFuture<'a> = Pin<Box<dyn Future<Output = Result<Vec<u8>, Failure>> + Send + 'a>>;

/// When a claim was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClaimedAt {
    /// By the clock of the store, some time between the two below.
    pub(super) store: Timestamp,
    /// When the request left, by our monotonic clock: the lease may have begun then.
    pub(super) asked: Duration,
    /// When the answer was there: the store's time is not behind what it said and has passed since.
    /// Measured from the request, sleeps would end early by the store's clock.
    pub(super) answered: Duration,
}

/// Runs one lease to its end.
pub(super) async fn execute(shared: Arc<Shared>, mut claimed: Claimed, at: ClaimedAt) {
    let Some(def) = shared.registry.find(&claimed.job.spec.name) else {
        return defer(&shared, &claimed).await;
    };
    let timeout = claimed
        .job
        .spec
        .visibility_timeout
        .unwrap_or(shared.visibility_timeout);
    let deadline = def
        .options
        .timeout
        .map(|span| at.asked + Duration::from(span));
    let lease = shared.leases.hold(NewLease {
        job: claimed.job.spec.id,
        token: claimed.job.head.token,
        name: claimed.job.spec.name.clone(),
        timeout,
        asked: at.asked,
        gives_up_at: deadline.map(|at| at + BLOCKED_AFTER),
        seen_nudge: claimed.nudge.count,
    });
    crash_point!("executor.leased");
    let input = std::mem::replace(&mut claimed.job.spec.input, Payload::json(Vec::new()));
    let cell = Arc::new(cell(&shared, def, claimed, at));
    // It starts inside its own future: what panics in reading the input is caught as well.
    let start = async {
        let input = cell.open(&input)?;
        (def.run)(Call::Run(JobCx::new(&cell), &input)).await
    };
    let mut body: Option<BodyFuture<'_>> = Some(Box::pin(start));
    let executor = Executor {
        shared: &shared,
        def,
        cell: &cell,
        lease,
        waker: Arc::default(),
        sending: None,
        timeout,
        deadline,
        warned: false,
        beats: 0,
        refreshes: 0,
    };
    // The budget of cooperative scheduling would make ready steps look pending.
    tokio::task::unconstrained(executor.run(&mut body)).await;
    cell.with(Run::close);
    cell.end();
    drop(body);
    crash_point!("executor.let_go");
}

fn cell(shared: &Shared, def: &'static JobDef, claimed: Claimed, at: ClaimedAt) -> RunCell {
    let job = claimed.job;
    let replay = Replay {
        careful: def.awaits_outside_steps() || job.head.lease_losses > 0,
        removed: def.options.removed,
        park_after: PARK_AFTER,
    };
    let recorded = delivered_names(&claimed.journal);
    let run = Run::new(&job, claimed.journal, claimed.nudge, at.store, replay);
    let info = JobInfo {
        id: job.spec.id,
        run_id: job.spec.run_id,
        name: job.spec.name.clone(),
        queue: job.spec.queue.clone(),
        key: job.spec.key.clone(),
        tenant: job.spec.tenant.clone(),
        attempt: job.head.attempt,
        attempts_max: job.head.attempts_max,
        step_timeout: def.options.step_timeout,
        payload_limit: shared.store.capabilities().payload_limit,
        spec: job.spec,
    };
    let event = RunEvent::Claimed {
        recorded: &recorded,
    };
    shared.observer.tell(&info, event);
    let states = Arc::clone(&shared.states);
    RunCell::new(
        info,
        run,
        states,
        shared.observer.clone(),
        Transactions::new(shared.store.clone(), Arc::clone(&shared.leases)),
        (at.store, at.answered),
    )
}

/// The recorded steps of a journal, in the order of their delivery.
fn delivered_names(journal: &[StepRecord]) -> Vec<String> {
    let delivered = journal.iter().filter(|record| record.position.is_some());
    let mut delivered: Vec<&StepRecord> = delivered.collect();
    delivered.sort_by_key(|record| record.position);
    delivered
        .into_iter()
        .map(|record| record.name.clone())
        .collect()
}

/// No handler here: somebody else's may have one, and a rolling deploy must burn no attempt.
async fn defer(shared: &Shared, claimed: &Claimed) {
    let spec = &claimed.job.spec;
    tracing::warn!(job = %spec.id, name = spec.name, "no handler of this name in this program; the job is left for a worker that has one");
    let delay = shared.defer_delay();
    let number = CommitNumber {
        token: claimed.job.head.token,
        number: 1,
    };
    let commit = Commit::settle(spec.id, spec.run_id, number, Settle::Defer { delay });
    if let Err(error) = shared.committer.commit(commit).await {
        tracing::warn!(%error, "a job without a handler could not be put back; its lease will run out");
    }
}

struct Executor<'a> {
    shared: &'a Shared,
    def: &'static JobDef,
    cell: &'a Arc<RunCell>,
    lease: LeaseGuard,
    waker: Arc<JobWaker>,
    /// The commit in flight.
    sending: Option<Sending>,
    timeout: Millis,
    deadline: Option<Duration>,
    warned: bool,
    /// The heartbeats whose news were taken in.
    beats: u64,
    /// How often in a row the inbox was asked for.
    refreshes: u32,
}

/// What polling came to.
enum Turn {
    Ended(Ended),
    Idle(Next),
    /// The body ended its lease by itself.
    Leaving,
    /// Its own wake-up is still to be answered: come back after everybody else.
    Yield,
}

impl Executor<'_> {
    async fn run(mut self, body: &mut Option<BodyFuture<'_>>) {
        let waker = Waker::from(Arc::clone(&self.waker));
        // Before the body goes on, whatever let it: the answer to the claim or to a commit may have
        // come when the lease was over.
        let mut woken = self.take_news();
        loop {
            match woken {
                Woken::Again => {}
                Woken::Lost => return self.lost(),
                Woken::Stop => {
                    return self.finish(body, |run| run.settle(Settle::HandBack)).await;
                }
                Woken::TimedOut => {
                    let error = self.timed_out();
                    return self.end(body, error).await;
                }
            }
            let Some(future) = body.as_mut() else { return };
            let next = match self.poll_until_idle(future, &waker) {
                Turn::Ended(ended) => return self.end(body, ended).await,
                Turn::Idle(next) => next,
                Turn::Leaving => return self.finish(body, Run::settle_leaving).await,
                Turn::Yield => {
                    tokio::task::yield_now().await;
                    Next::Wait {
                        wake_at: Some(self.cell.now()),
                    }
                }
            };
            let park = match next {
                Next::Broken => return self.finish(body, Run::settle_fault).await,
                // The records that are not stored yet share the write that parks the run.
                Next::Park { wake_at } if self.sending.is_none() => Some(wake_at),
                _ => None,
            };
            if let Some(wake_at) = park {
                if self.park(wake_at).await {
                    return;
                }
                woken = self.take_news();
                continue;
            }
            self.send_records();
            // In a `tx` step the run itself holds the right to write, and a heartbeat would wait for
            // it; the inbox is read when the step has ended, which wakes the run.
            let refresh = next == Next::Refresh && !self.cell.with(|run| run.is_in_tx());
            self.refreshes = if refresh { self.refreshes + 1 } else { 0 };
            if refresh && !self.refresh().await {
                return self.lost();
            }
            woken = match self.wait(next).await {
                Woken::Again => self.take_news(),
                other => other,
            };
        }
    }

    /// Polls and delivers until the run has to wait for something.
    fn poll_until_idle(&self, body: &mut BodyFuture<'_>, waker: &Waker) -> Turn {
        let mut self_wakes = 0;
        loop {
            self.cell.with(Run::begin_poll);
            let mut cx = Context::from_waker(waker);
            let poll = self.lease.polling.begin(self.cell.env.clock.monotonic());
            let (polled, own) = self.waker.polling(|| {
                std::panic::catch_unwind(AssertUnwindSafe(|| body.as_mut().poll(&mut cx)))
            });
            drop(poll);
            if polled.is_ok() && self.cell.with(|run| run.is_leaving()) {
                return Turn::Leaving;
            }
            match polled {
                Ok(Poll::Ready(result)) => return Turn::Ended(self.ended(result)),
                Ok(Poll::Pending) => {}
                Err(payload) => return Turn::Ended(self.failed(panic::stored(&*payload), None)),
            }
            if self.cell.with(|run| run.fault().is_some()) {
                return Turn::Idle(Next::Broken);
            }
            if own && self_wakes < MAX_SELF_WAKES {
                self_wakes += 1;
                continue;
            }
            if own {
                return Turn::Yield;
            }
            let now = self.cell.now();
            match self.cell.with(|run| run.advance(now)) {
                Next::Poll => self.cell.fire(),
                next => return Turn::Idle(next),
            }
        }
    }
}
