//! One simulated process: a worker, a client or an operator, in its present life.

use super::engine::LEASE;
use super::tasks::Tasks;
use super::weather::Weather;
use crate::clock::{Clock, Env, SeededEntropy, VirtualClock};
use crate::torture::history::Life;
use crate::torture::workload::{Client, Operator, World, make_ticks};
use crate::{Failure, Jobs};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;
use tokio::sync::oneshot;

/// How soon a process sees that all is calm.
const LONGEST_NAP: Duration = Duration::from_secs(1);
/// How often a worker looks for work that nothing hints at.
const POLL: Duration = Duration::from_secs(2);
/// How long a stopped worker lets its runs go on.
const GRACE: Duration = Duration::from_secs(2);

/// What a process is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Enqueues and publishes.
    Client,
    /// Cancels, revives, forks, pauses and prunes.
    Operator,
    /// Runs jobs.
    Worker,
}

/// A process, alive or not.
pub(super) struct Process {
    pub(super) role: Role,
    /// Its number and how often it was started.
    pub(super) life: Life,
    pub(super) alive: Option<Alive>,
    pub(super) paused: bool,
    /// What comes over it as soon as it has something to do.
    pub(super) cut: Option<Cut>,
}

/// A blow in the midst of what a process does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// It waits until the process commits something, and falls upon it there.
    pub(super) at_commit: bool,
    /// So many polls of its tasks are still made.
    pub(super) polls: u32,
    /// It is killed, and not only stopped.
    pub(super) kills: bool,
    /// How long it is away.
    pub(super) span: Duration,
}

/// What there is of a process while it lives.
pub(super) struct Alive {
    pub(super) tasks: Tasks,
    pub(super) world: Arc<World>,
    /// Tells a worker to stop.
    pub(super) stop: Option<oneshot::Sender<()>>,
    pub(super) end: Arc<End>,
}

/// How a worker ended by itself.
#[derive(Default)]
pub(super) struct End(Mutex<Option<Result<(), String>>>);

impl End {
    pub(super) fn set(&self, end: Result<(), String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
    }

    pub(super) fn take(&self) -> Option<Result<(), String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Process {
    /// Runs it as far as it comes, which may be short of a cut.
    pub(super) fn go_on(&mut self) -> Went {
        let Some(alive) = self.alive.as_ref().filter(|_| !self.paused) else {
            return Went::Nowhere;
        };
        if !alive.tasks.can_go_on() {
            return Went::Nowhere;
        }
        if let Some(cut) = self.cut {
            let is_cut = alive.world.enter(|| match cut.at_commit {
                true => alive.tasks.go_on_into_trap(cut.polls),
                false => {
                    alive.tasks.go_on_for(cut.polls);
                    true
                }
            });
            if !is_cut {
                return Went::On;
            }
            self.cut = None;
            return Went::Cut(cut);
        }
        alive.world.enter(|| alive.tasks.go_on());
        Went::On
    }

    /// How its worker ended, if it has just done so.
    pub(super) fn ended(&self) -> Option<Result<(), String>> {
        self.alive.as_ref()?.end.take()
    }
}

/// How far a process went.
#[derive(Clone, Copy, Debug)]
pub(super) enum Went {
    /// Until it was cut.
    Cut(Cut),
    /// There was nothing to do.
    Nowhere,
    /// Until there was nothing left to do.
    On,
}

/// A client's whole life.
pub(super) async fn be_client(mut client: Client, jobs: Jobs, weather: Arc<Weather>, mean: u64) {
    let clock = Arc::clone(&jobs.store().env.clock);
    while !weather.is_calm() {
        // What is refused or lost is in the history.
        drop(client.act(&jobs).await);
        clock.sleep(client.pause(mean)).await;
    }
}

/// An operator's whole life.
pub(super) async fn be_operator(
    mut operator: Operator,
    jobs: Jobs,
    weather: Arc<Weather>,
    mean: u64,
) {
    act_until_calm(&mut operator, &jobs, &weather, mean).await;
    while operator.leave(&jobs).await.is_err() {
        let clock = &jobs.store().env.clock;
        clock.sleep(Duration::from_millis(100)).await;
    }
}

async fn act_until_calm(operator: &mut Operator, jobs: &Jobs, weather: &Weather, mean: u64) {
    let clock = Arc::clone(&jobs.store().env.clock);
    loop {
        let mut left = operator.pause(mean);
        // Whoever has paused a queue does not sleep on when all is calm.
        while !left.is_zero() && !weather.is_calm() {
            let nap = left.min(LONGEST_NAP);
            clock.sleep(nap).await;
            left -= nap;
        }
        if weather.is_calm() {
            break;
        }
        drop(operator.act(jobs).await);
    }
}

/// Runs jobs, and makes ticks by the store's time until all is calm: then everything is to come to
/// rest.
pub(super) async fn be_worker(
    jobs: Jobs,
    weather: Arc<Weather>,
    time: VirtualClock,
    concurrency: u64,
    stop: oneshot::Receiver<()>,
    end: Arc<End>,
) {
    let worker = jobs
        .worker()
        .without_thread()
        .concurrency(usize::try_from(concurrency).unwrap_or(1))
        .visibility_timeout(LEASE)
        .poll_interval(POLL)
        .grace(GRACE);
    let stopped = async {
        // Whoever could tell it to stop is gone: it goes on.
        if stop.await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    let ticks = async {
        let env = Env::new(time.clone(), SeededEntropy::new(0));
        tokio::select! {
            biased;
            () = calm(&weather, &time) => {}
            never = make_ticks(&jobs, env) => match never {},
        }
        std::future::pending::<Result<(), Failure>>().await
    };
    let ended = tokio::select! {
        biased;
        ended = worker.run_until(stopped) => ended,
        ended = ticks => ended,
    };
    end.set(ended.map_err(|failure| failure.to_string()));
}

async fn calm(weather: &Weather, time: &VirtualClock) {
    while !weather.is_calm() {
        time.sleep(LONGEST_NAP).await;
    }
}

#[cfg(test)]
mod tests {
    use super::super::store::ready;
    use super::*;
    use crate::drivers::memory::Memory;
    use crate::torture::workload::Choices;
    use std::task::{Context, Waker};

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn an_operator_resumes_what_it_paused_as_soon_as_all_is_calm() {
        let time = VirtualClock::default();
        let env = Env::new(time.clone(), SeededEntropy::new(1));
        let jobs = Jobs::with_driver(Memory::new(env.clone()), env);
        let paused = || !ready(jobs.store().settings("queue/")).unwrap().is_empty();
        let weather: Arc<Weather> = Arc::default();
        ready(jobs.admin().pause("side")).unwrap();
        let mut operator = Operator::new(Choices::of(1, 1));
        // A quarter of an hour from one act to the next, so that it does none.
        let mut acts = Box::pin(act_until_calm(&mut operator, &jobs, &weather, 900_000));
        let mut cx = Context::from_waker(Waker::noop());
        assert!(acts.as_mut().poll(&mut cx).is_pending());
        assert!(paused());
        weather.calm_down();
        time.advance(SECOND);
        assert!(acts.as_mut().poll(&mut cx).is_ready());
        drop(acts);
        // What it does next, but for the schedules: a test in here is linked with the crate itself.
        ready(operator.resume(&jobs)).unwrap();
        assert!(!paused());
    }
}
