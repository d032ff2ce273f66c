//! Claims work for free slots, and winds down.

use super::{Shared, executor, limits};
use crate::Error;
use crate::contract::{Claim, Claimed, Claims, WakeUp};
use crate::core::Timestamp;
use crate::torture::seeded::seeded;
use crate::torture::{Bug, crash_point};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::{JoinError, JoinSet};

/// The first pause after the store could not be reached, doubling.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause between two tries to reach the store.
const LAST_PAUSE: Duration = Duration::from_secs(10);
/// How long a run has to hand its job back before its lease is left to run out.
const HAND_BACK_WITHIN: Duration = Duration::from_secs(5);

/// Works until `stop`; then waits for running jobs until `grace` is over or `hurry` ends.
pub(super) async fn serve(
    shared: &Arc<Shared>,
    stop: impl Future<Output = ()>,
    hurry: impl Future<Output = ()>,
    grace: Duration,
) -> Result<(), Error> {
    let mut running = JoinSet::new();
    let mut claiming = None;
    let result = tokio::select! {
        // Everywhere in this crate: which of two things comes first is no toss of a coin.
        biased;
        error = claim_for_ever(shared, &mut running, &mut claiming) => Err(error),
        () = stop => Ok(()),
    };
    // A claim that was on its way may have leased jobs: dropped, it would cost them an attempt.
    if let Some((asked, claim)) = claiming
        && let Ok(claims) = claim.await
    {
        start(shared, &mut running, claims.jobs, claims.now, asked);
    }
    let clock = &shared.store.env.clock;
    tokio::select! {
        biased;
        () = all_ended(&mut running) => return result,
        () = clock.sleep(grace) => {}
        () = hurry => {}
    }
    tracing::info!(running = running.len(), "handing back what still runs");
    shared.leases.hand_back_all();
    tokio::select! {
        biased;
        () = all_ended(&mut running) => {}
        () = clock.sleep(HAND_BACK_WITHIN) => {
            tracing::warn!(running = running.len(), "some bodies do not yield; their leases will run out");
            running.abort_all();
        }
    }
    result
}

async fn all_ended(running: &mut JoinSet<()>) {
    while let Some(ended) = running.join_next().await {
        report(ended);
    }
}

/// A panic in a body is caught and stored. One that gets here came from a destructor or from an
/// observer: the lease runs out, and the next attempt follows.
fn report(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "a run ended in a panic outside of its body");
    }
}

/// Ends only with an error that trying again cannot mend.
async fn claim_for_ever(
    shared: &Arc<Shared>,
    running: &mut JoinSet<()>,
    claiming: &mut Option<(Duration, Claiming)>,
) -> Error {
    let mut hints = shared.store.wake_ups();
    let mut pause = FIRST_PAUSE;
    while let Err(error) = limits::declare(shared).await {
        if !error.is_transient() {
            return error;
        }
        tracing::warn!(%error, "the limits of this program's jobs could not be stored; trying again");
        shared.store.env.clock.sleep(jitter(shared, pause)).await;
        pause = (pause * 2).min(LAST_PAUSE);
    }
    pause = FIRST_PAUSE;
    loop {
        while let Some(ended) = running.try_join_next() {
            report(ended);
        }
        let taken = running.len() + shared.leaked.slots();
        let free = shared.concurrency.saturating_sub(taken);
        if free == 0 {
            if seeded(Bug::LeakedSlot) && running.is_empty() {
                return std::future::pending().await;
            }
            if let Some(ended) = running.join_next().await {
                report(ended);
            }
            continue;
        }
        // Hints up to here are answered by the claims that follow.
        while hints.try_recv().is_ok() {}
        let found = match claim_all(shared, free, running, claiming).await {
            Ok(found) => found,
            Err(error) if error.is_transient() => {
                tracing::warn!(%error, "no work could be claimed; trying again");
                shared.store.env.clock.sleep(jitter(shared, pause)).await;
                pause = (pause * 2).min(LAST_PAUSE);
                continue;
            }
            Err(error) => return error,
        };
        pause = FIRST_PAUSE;
        if found.jobs == free {
            continue;
        }
        let (wait, held) = (idle_time(shared, &found), found.held);
        tokio::select! {
            biased;
            () = ready_hint(&mut hints, held) => {}
            () = shared.store.env.clock.sleep(wait) => {}
            Some(ended) = running.join_next() => report(ended),
        }
    }
}

/// What the claims for the free slots have found.
struct Found {
    jobs: usize,
    now: Timestamp,
    next_visible_at: Option<Timestamp>,
    held: bool,
}

/// Claims for so many free slots, and starts what comes: in one claim, or where queues have weights
/// in one for each, and one for what they leave.
async fn claim_all(
    shared: &Arc<Shared>,
    free: usize,
    running: &mut JoinSet<()>,
    claiming: &mut Option<(Duration, Claiming)>,
) -> Result<Found, Error> {
    let mut found = Found {
        jobs: 0,
        now: Timestamp::default(),
        next_visible_at: None,
        held: false,
    };
    for (queues, slots) in shared.deal(free) {
        let slots = slots.min(free - found.jobs);
        if slots == 0 {
            break;
        }
        crash_point!("poller.claim");
        let asked = shared.store.env.clock.monotonic();
        let (_, claim) = claiming.insert((asked, claim(Arc::clone(shared), queues, slots)));
        let answer = claim.as_mut().await;
        *claiming = None;
        let claims = answer?;
        crash_point!("poller.claimed");
        shared.store_time.hear(claims.now, asked);
        found.jobs += claims.jobs.len();
        found.now = claims.now;
        // The last claim asks all queues, and so knows best.
        found.next_visible_at = claims.next_visible_at;
        found.held |= claims.held;
        start(shared, running, claims.jobs, claims.now, asked);
        crash_point!("poller.started");
    }
    Ok(found)
}

/// A claim on its way. It outlives the loop that made it, so that what it leases is not lost.
type Claiming = Pin<Box<dyn Future<Output = Result<Claims, Error>> + Send>>;

fn claim(shared: Arc<Shared>, queues: Vec<String>, slots: usize) -> Claiming {
    Box::pin(async move { shared.store.claim(&request(&shared, queues, slots)).await })
}

fn start(
    shared: &Arc<Shared>,
    running: &mut JoinSet<()>,
    jobs: Vec<Claimed>,
    now: Timestamp,
    asked: Duration,
) {
    let at = executor::ClaimedAt {
        store: now,
        asked,
        answered: shared.store.env.clock.monotonic(),
    };
    for claimed in jobs {
        running.spawn(executor::execute(Arc::clone(shared), claimed, at));
    }
}

fn request(shared: &Shared, queues: Vec<String>, slots: usize) -> Claim {
    Claim {
        queues,
        limit: slots,
        visibility_timeout: shared.visibility_timeout,
        worker: shared.worker.clone(),
        nonce: shared.random(),
        now: shared.store.env.clock.imposed(),
    }
}

/// Until the next job is due, and at most one poll interval, spread so that a fleet does not
/// look in step.
fn idle_time(shared: &Shared, found: &Found) -> Duration {
    let poll = jitter(shared, shared.poll_interval);
    let due = found
        .next_visible_at
        .map(|at| Duration::from(at.since(found.now)));
    due.map_or(poll, |due| due.min(poll))
        .max(Duration::from_millis(1))
}

fn jitter(shared: &Shared, span: Duration) -> Duration {
    let half = span / 2;
    let millis = u64::try_from(half.as_millis()).unwrap_or(u64::MAX);
    half + Duration::from_millis(shared.random() % millis.saturating_add(1))
}

/// Until there may be work. `held` says that a limit holds some back.
async fn ready_hint(hints: &mut crate::contract::WakeUps, held: bool) {
    loop {
        match hints.recv().await {
            Ok(WakeUp::Ready | WakeUp::Inbox) | Err(RecvError::Lagged(_)) => return,
            Ok(WakeUp::Freed) if held => return,
            Ok(WakeUp::Ended | WakeUp::Freed) => {}
            // Without hints the poll interval remains.
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}
