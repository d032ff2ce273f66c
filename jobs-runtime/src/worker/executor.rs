//! One lease of one run: poll the body, store what was delivered, and settle the job at the end.
//!
//! The body's future is polled by hand. What may happen next is the run's decision
//! ([`Next`]); this file waits for it: for a commit, a body, an instant, or the loss of the lease.

use super::leases::{LeaseGuard, NewLease};
use super::observe::RunEvent;
use super::{Shared, panic};
use crate::contract::{Beat, BeatAnswer, Claimed};
use crate::core::{
    Applied, Commit, CommitAnswer, CommitNumber, Ended, Millis, Next, Payload, Replay, Run, Settle,
    State, StoredError, Timestamp,
};
use crate::registry::JobDef;
use crate::steps::{JobCx, JobInfo, JobWaker, RunCell};
use crate::store::Counted;
use crate::{Error, Failure};
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// A sleep up to this long is waited out in memory; a longer one parks the run.
const PARK_AFTER: Millis = Millis(1_000);
/// Polls of one body that wakes itself each time, before others get their turn.
const MAX_SELF_WAKES: u32 = 1_000;
/// A commit that the store could not take is sent again after so long, doubling.
const FIRST_RETRY: Duration = Duration::from_millis(20);
/// The longest time between two tries of one commit.
const LAST_RETRY: Duration = Duration::from_secs(1);
/// How long a body may overrun its job's timeout before it counts as blocking its thread.
const BLOCKED_AFTER: Duration = Duration::from_secs(1);

type BodyFuture<'a> = Pin<Box<dyn Future<Output = Result<Vec<u8>, Failure>> + Send + 'a>>;
type Sending = Pin<Box<dyn Future<Output = Result<CommitAnswer, Error>> + Send>>;

/// Runs one lease to its end.
pub(super) async fn execute(
    shared: Arc<Shared>,
    claimed: Claimed,
    claimed_at: Timestamp,
    asked_mono: Duration,
) {
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
        .map(|span| asked_mono + Duration::from(span));
    let lease = shared.leases.hold(NewLease {
        job: claimed.job.spec.id,
        token: claimed.job.head.token,
        name: claimed.job.spec.name.clone(),
        timeout,
        asked: asked_mono,
        gives_up_at: deadline.map(|at| at + BLOCKED_AFTER),
        seen_nudge: claimed.nudge.count,
    });
    let input = claimed.job.spec.input.bytes.clone();
    let cell = Arc::new(cell(&shared, def, claimed, claimed_at, asked_mono));
    // The budget of cooperative scheduling would make ready steps look pending.
    let mut body = Some((def.run)(JobCx { cell: &cell }, &input));
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
    };
    tokio::task::unconstrained(executor.run(&mut body)).await;
    cell.with(Run::close);
    drop(body);
}

fn cell(
    shared: &Shared,
    def: &'static JobDef,
    claimed: Claimed,
    claimed_at: Timestamp,
    asked_mono: Duration,
) -> RunCell {
    let job = claimed.job;
    let replay = Replay {
        careful: def.options.raw_await || job.head.lease_losses > 0,
        removed: def.options.removed,
        park_after: PARK_AFTER,
    };
    let recorded = claimed
        .journal
        .iter()
        .filter(|record| record.position.is_some())
        .count();
    let run = Run::new(&job, claimed.journal, claimed.nudge, claimed_at, replay);
    let info = JobInfo {
        id: job.spec.id,
        run_id: job.spec.run_id,
        name: job.spec.name,
        queue: job.spec.queue,
        key: job.spec.key,
        tenant: job.spec.tenant,
        attempt: job.head.attempt,
        attempts_max: job.head.attempts_max,
        step_timeout: def.options.step_timeout,
        payload_limit: shared.store.capabilities().payload_limit,
    };
    shared.observer.tell(&info, RunEvent::Claimed { recorded });
    let (states, env) = (Arc::clone(&shared.states), shared.store.env.clone());
    RunCell::new(
        info,
        run,
        env,
        states,
        shared.observer.clone(),
        claimed_at,
        asked_mono,
    )
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
    /// The commit in flight, and the run's time when it was sent.
    sending: Option<(Sending, Vec<(String, bool)>, Timestamp)>,
    timeout: Millis,
    deadline: Option<Duration>,
    warned: bool,
}

/// What polling came to.
enum Turn {
    Ended(Ended),
    Idle(Next),
    /// Its own wake-up is still to be answered: come back after everybody else.
    Yield,
}

/// What waiting came to.
enum Woken {
    /// Poll again.
    Again,
    /// The lease is gone.
    Lost,
    /// The worker shuts down.
    Stop,
    /// The job took too long.
    TimedOut,
}

impl Executor<'_> {
    async fn run(mut self, body: &mut Option<BodyFuture<'_>>) {
        let waker = Waker::from(Arc::clone(&self.waker));
        loop {
            let Some(future) = body.as_mut() else { return };
            let next = match self.poll_until_idle(future, &waker) {
                Turn::Ended(ended) => return self.end(body, ended).await,
                Turn::Idle(next) => next,
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
                continue;
            }
            self.send_records();
            if next == Next::Refresh && !self.refresh().await {
                return self.lost();
            }
            match self.wait(next).await {
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
        }
    }

    /// Polls and delivers until the run has to wait for something.
    fn poll_until_idle(&self, body: &mut BodyFuture<'_>, waker: &Waker) -> Turn {
        let mut self_wakes = 0;
        loop {
            self.cell.with(Run::begin_poll);
            let mut cx = Context::from_waker(waker);
            let (polled, own) = self.waker.polling(|| {
                std::panic::catch_unwind(AssertUnwindSafe(|| body.as_mut().poll(&mut cx)))
            });
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

    fn ended(&self, result: Result<Vec<u8>, Failure>) -> Ended {
        let failure = match result {
            Ok(bytes) => {
                let limit = self.cell.info.payload_limit;
                if bytes.len() <= limit {
                    return Ended::Done(Payload::json(bytes));
                }
                let what = format!("the output of job \"{}\"", self.cell.info.name);
                Failure::from(Error::payload_too_large(what, bytes.len(), limit))
            }
            Err(failure) => failure,
        };
        let culprit = failure.step_error().map(|step| step.step().to_owned());
        self.failed(failure.stored(), culprit)
    }

    fn failed(&self, error: StoredError, culprit: Option<String>) -> Ended {
        let random = self.cell.env.entropy.bits() as u64;
        let delay = self
            .def
            .options
            .backoff
            .delay(self.cell.info.attempt, random);
        Ended::Failed {
            error,
            culprit,
            delay,
        }
    }

    fn timed_out(&self) -> Ended {
        let limit = self.def.options.timeout.unwrap_or_default();
        let what = format!("job \"{}\"", self.cell.info.name);
        self.failed(Failure::from(Error::timeout(what, limit.0)).stored(), None)
    }

    /// Sends what was delivered, unless the last commit is still on its way.
    fn send_records(&mut self) {
        let Some(commit) = self.cell.with(Run::take_commit) else {
            return;
        };
        let stored = commit
            .records
            .iter()
            .filter(|record| record.position.is_some())
            .map(|record| (record.name.clone(), record.is_failure()))
            .collect();
        let now = self.cell.now();
        self.sending = Some((self.send(commit), stored, now));
    }

    fn send(&self, commit: Commit) -> Sending {
        let committer = self.shared.committer.clone();
        let clock = Arc::clone(&self.cell.env.clock);
        Box::pin(async move {
            let mut pause = FIRST_RETRY;
            loop {
                match committer.commit(commit.clone()).await {
                    Err(error) if error.is_transient() => {
                        tracing::warn!(job = %commit.job, %error, "a commit could not be stored; trying again until the lease ends");
                        clock.sleep(pause).await;
                        pause = (pause * 2).min(LAST_RETRY);
                    }
                    answer => return answer,
                }
            }
        })
    }

    /// Waits for whatever lets the run go on.
    async fn wait(&mut self, next: Next) -> Woken {
        if next == Next::Foreign && !self.warned {
            self.warned = true;
            tracing::warn!(job = %self.cell.info.id, name = self.cell.info.name, "the body waits for something outside its steps; a restart would repeat what came before it");
        }
        let wake_at = match next {
            Next::Wait { wake_at } | Next::Park { wake_at } => wake_at,
            _ => None,
        };
        match self.take_news() {
            Woken::Again => {}
            other => return other,
        }
        let clock = Arc::clone(&self.cell.env.clock);
        let mono = clock.monotonic();
        let lease_end = self.lease.signal.borrow().lease_end;
        let due = [
            Some(lease_end),
            self.deadline,
            wake_at.map(|at| mono + Duration::from(at.since(self.cell.now()))),
        ];
        let due = due.into_iter().flatten().min().unwrap_or(lease_end);
        let pause = due.saturating_sub(mono);
        let busy = self.cell.with(|run| run.is_busy());
        let _busy = busy.then(|| Counted::begin(&self.shared.busy));
        tokio::select! {
            biased;
            answer = answer(&mut self.sending) => return self.answered(answer),
            changed = self.lease.signal.changed() => {
                if changed.is_err() {
                    return Woken::Lost;
                }
            }
            () = self.waker.woken.notified() => {}
            () = clock.sleep(pause) => {
                if self.deadline.is_some_and(|at| clock.monotonic() >= at) {
                    return Woken::TimedOut;
                }
            }
        }
        self.take_news()
    }

    /// Takes in what the heartbeat brought.
    fn take_news(&mut self) -> Woken {
        let signal = self.lease.signal.borrow_and_update().clone();
        if signal.lost || self.cell.env.clock.monotonic() >= signal.lease_end {
            return Woken::Lost;
        }
        if signal.hand_back {
            return Woken::Stop;
        }
        if let Some((nudge, at)) = signal.news {
            self.cell.with(|run| run.news(nudge, at));
            self.note_seen();
        }
        Woken::Again
    }

    fn note_seen(&self) {
        let seen = self.cell.with(|run| run.seen_nudge());
        self.lease.seen_nudge.store(seen, Ordering::Release);
    }

    /// The commit in flight was answered.
    fn answered(&mut self, answer: Result<CommitAnswer, Error>) -> Woken {
        let Some((_, stored, sent)) = self.sending.take() else {
            return Woken::Again;
        };
        match answer {
            Ok(CommitAnswer::Applied(applied)) => {
                self.applied(applied, &stored, sent);
                Woken::Again
            }
            Ok(_) => Woken::Lost,
            Err(error) => {
                tracing::error!(job = %self.cell.info.id, %error, "a commit was refused by the store; the lease is given up");
                Woken::Lost
            }
        }
    }

    fn applied(&self, applied: Applied, stored: &[(String, bool)], sent: Timestamp) {
        self.cell.with(|run| run.committed(applied, sent));
        self.note_seen();
        for (step, failed) in stored {
            self.cell.observer.tell(
                &self.cell.info,
                RunEvent::StepStored {
                    step,
                    failed: *failed,
                },
            );
        }
    }

    /// Asks for the inbox as it is now; false if the lease is gone.
    async fn refresh(&mut self) -> bool {
        let token = self.cell.with(|run| run.token());
        let seen_nudge = self.cell.with(|run| run.seen_nudge());
        let beat = Beat {
            job: self.cell.info.id,
            token,
            visibility_timeout: self.timeout,
            seen_nudge,
        };
        match self
            .shared
            .store
            .heartbeat(&[beat])
            .await
            .map(|answers| answers.into_iter().next())
        {
            Ok(Some(BeatAnswer::Held { until, nudge, .. })) => {
                self.cell
                    .with(|run| run.news(nudge, until.before(self.timeout)));
                self.note_seen();
                self.waker.woken.notify_one();
                true
            }
            Ok(_) => false,
            Err(error) => {
                tracing::warn!(%error, "the inbox could not be read; trying again");
                self.cell.env.clock.sleep(FIRST_RETRY).await;
                self.waker.woken.notify_one();
                true
            }
        }
    }

    /// Parks the run; false if there is news, and it goes on at once.
    async fn park(&mut self, wake_at: Option<Timestamp>) -> bool {
        let now = self.cell.now();
        let commit = self
            .cell
            .with(|run| run.settle(Settle::Suspend { wake_at }));
        let replayed = commit.trace.clone().unwrap_or_default().replayed;
        match self.store_last(commit.clone()).await {
            Some(CommitAnswer::Nudged(nudge)) => {
                self.cell.with(|run| run.refused(commit, nudge, now));
                self.note_seen();
                return false;
            }
            Some(CommitAnswer::Applied(_)) => {
                let event = RunEvent::Suspended {
                    wake_at,
                    replayed: &replayed,
                };
                self.cell.observer.tell(&self.cell.info, event);
            }
            _ => self
                .cell
                .observer
                .tell(&self.cell.info, RunEvent::LeaseLost),
        }
        true
    }

    async fn end(self, body: &mut Option<BodyFuture<'_>>, ended: Ended) {
        self.finish(body, |run| run.settle_ended(ended)).await;
    }

    /// Drops the body, waits for the commit in flight, and stores the end of the lease.
    async fn finish(
        mut self,
        body: &mut Option<BodyFuture<'_>>,
        settle: impl FnOnce(&mut Run) -> Commit,
    ) {
        // Futures that are dropped from here on say nothing about the run.
        self.cell.with(Run::close);
        drop(body.take());
        if self.sending.is_some() {
            let answer = self.until_lease_ends().await;
            if !matches!(
                answer.map(|answer| self.answered(answer)),
                Some(Woken::Again)
            ) {
                return self.lost();
            }
        }
        let commit = self.cell.with(settle);
        let state = settled_state(&commit, &self.cell.info);
        let error = settled_error(&commit).cloned();
        let replayed = commit.trace.clone().unwrap_or_default().replayed;
        let stored: Vec<(String, bool)> = commit
            .records
            .iter()
            .filter(|record| record.position.is_some())
            .map(|record| (record.name.clone(), record.is_failure()))
            .collect();
        match self.store_last(commit).await {
            Some(CommitAnswer::Applied(applied)) => {
                let now = self.cell.now();
                self.applied(applied, &stored, now);
                let event = RunEvent::Ended {
                    state,
                    error: error.as_ref(),
                    replayed: &replayed,
                };
                self.cell.observer.tell(&self.cell.info, event);
            }
            _ => self.lost(),
        }
    }

    async fn store_last(&mut self, commit: Commit) -> Option<CommitAnswer> {
        let now = self.cell.now();
        self.sending = Some((self.send(commit), Vec::new(), now));
        let answer = self.until_lease_ends().await;
        self.sending = None;
        match answer? {
            Ok(answer) => Some(answer),
            Err(error) => {
                tracing::error!(job = %self.cell.info.id, %error, "the end of a lease could not be stored; it will run out");
                None
            }
        }
    }

    /// The answer to the commit in flight; `None` if the lease ended first.
    async fn until_lease_ends(&mut self) -> Option<Result<CommitAnswer, Error>> {
        let clock = Arc::clone(&self.cell.env.clock);
        loop {
            let signal = self.lease.signal.borrow_and_update().clone();
            let pause = signal.lease_end.saturating_sub(clock.monotonic());
            if signal.lost || pause.is_zero() {
                return None;
            }
            tokio::select! {
                biased;
                answer = answer(&mut self.sending) => return Some(answer),
                changed = self.lease.signal.changed() => {
                    if changed.is_err() {
                        return None;
                    }
                }
                () = clock.sleep(pause) => {}
            }
        }
    }

    fn lost(&self) {
        tracing::warn!(job = %self.cell.info.id, name = self.cell.info.name, "the lease is lost; whoever holds it now goes on from the last stored step");
        self.cell
            .observer
            .tell(&self.cell.info, RunEvent::LeaseLost);
    }
}

/// The answer to what is being sent; never, if nothing is.
async fn answer(
    sending: &mut Option<(Sending, Vec<(String, bool)>, Timestamp)>,
) -> Result<CommitAnswer, Error> {
    match sending {
        Some((sending, ..)) => sending.await,
        None => std::future::pending().await,
    }
}

fn settled_state(commit: &Commit, info: &JobInfo) -> State {
    match &commit.settle {
        Some(Settle::Ack { .. }) => State::Done,
        Some(Settle::Cancel) => State::Cancelled,
        Some(Settle::Fail { .. }) => State::Failed,
        Some(Settle::Hold { .. } | Settle::Suspend { .. }) => State::Suspended,
        Some(Settle::Retry { .. }) if info.attempt >= info.attempts_max => State::Dead,
        Some(Settle::Defer { .. } | Settle::HandBack | Settle::Requeue | Settle::Retry { .. }) => {
            State::Pending
        }
        None => State::Running,
    }
}

fn settled_error(commit: &Commit) -> Option<&StoredError> {
    match &commit.settle {
        Some(Settle::Fail { error } | Settle::Hold { error } | Settle::Retry { error, .. }) => {
            Some(error)
        }
        _ => None,
    }
}
