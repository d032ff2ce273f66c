//! The leases this worker holds, and the thread that keeps them alive.
//!
//! It has a thread, a runtime and (in a driver) a connection of its own: neither a body that
//! blocks its executor nor a starved pool may cost a lease.

use super::polling::Polling;
use crate::contract::{Beat, BeatAnswer, WakeUp, WakeUps};
use crate::core::{JobId, Millis, Nudge, Timestamp, Token};
use crate::store::Store;
use crate::torture::crash_point;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Notify, watch};

/// Heartbeats are at least so far apart, however many hints come.
const MIN_BEAT_GAP: Duration = Duration::from_millis(20);
/// Leases in one heartbeat.
const MAX_BEATS: usize = 1_000;

/// What the heartbeat tells a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signal {
    /// The lease is gone, or the job was cancelled.
    pub(crate) lost: bool,
    /// The worker wants the job back in the queue.
    pub(crate) hand_back: bool,
    /// The lease's end, by our monotonic clock, measured from before the request left.
    pub(crate) lease_end: Duration,
    /// The inbox, and the store's time at which it was complete.
    pub(crate) news: Option<(Option<Nudge>, Timestamp)>,
    /// The heartbeats that were answered, so that news are taken in once.
    pub(crate) beats: u64,
}

struct Entry {
    token: Token,
    name: String,
    timeout: Millis,
    /// When the lease was last asked for, by our monotonic clock.
    asked: Duration,
    seen_nudge: Arc<AtomicU64>,
    polling: Arc<Polling>,
    /// From then on a body that does not yield loses its lease.
    gives_up_at: Option<Duration>,
    signal: watch::Sender<Signal>,
}

/// All leases of one worker.
#[derive(Default)]
pub(crate) struct Leases {
    entries: Mutex<BTreeMap<JobId, Entry>>,
    changed: Notify,
    stopped: AtomicBool,
    /// The worker gives everything back, also what it takes hold of from here on.
    handing_back: AtomicBool,
    /// Virtual time: a lease ends when the store says so, never by our clock.
    endless: bool,
}

/// A run's share of its lease; dropping it stops the heartbeat of the job at once.
pub(crate) struct LeaseGuard {
    leases: Arc<Leases>,
    job: JobId,
    token: Token,
    pub(crate) seen_nudge: Arc<AtomicU64>,
    pub(crate) polling: Arc<Polling>,
    pub(crate) signal: watch::Receiver<Signal>,
}

impl Drop for LeaseGuard {
    fn drop(&mut self) {
        let mut entries = self.leases.lock();
        // A later lease of the same job on this worker is not ours to end.
        if entries
            .get(&self.job)
            .is_some_and(|entry| entry.token == self.token)
        {
            entries.remove(&self.job);
        }
    }
}

/// What a lease needs to be kept.
pub(crate) struct NewLease {
    pub(crate) job: JobId,
    pub(crate) token: Token,
    pub(crate) name: String,
    pub(crate) timeout: Millis,
    /// When the claim left, by our monotonic clock.
    pub(crate) asked: Duration,
    pub(crate) gives_up_at: Option<Duration>,
    pub(crate) seen_nudge: u64,
}

impl Leases {
    /// Leases that are kept by whoever moves the time.
    pub(crate) fn endless() -> Self {
        Leases {
            endless: true,
            ..Leases::default()
        }
    }

    pub(crate) fn hold(self: &Arc<Self>, lease: NewLease) -> LeaseGuard {
        let seen_nudge = Arc::new(AtomicU64::new(lease.seen_nudge));
        let start = Signal {
            lease_end: self.end_of(lease.asked + Duration::from(lease.timeout)),
            ..Signal::default()
        };
        let (sender, signal) = watch::channel(start);
        let polling: Arc<Polling> = Arc::default();
        let entry = Entry {
            token: lease.token,
            name: lease.name,
            timeout: lease.timeout,
            asked: lease.asked,
            seen_nudge: Arc::clone(&seen_nudge),
            polling: Arc::clone(&polling),
            gives_up_at: lease.gives_up_at,
            signal: sender,
        };
        let mut entries = self.lock();
        // Claimed by a request that was on its way when the worker was told to stop.
        if self.handing_back.load(Ordering::Acquire) {
            entry.signal.send_modify(|signal| signal.hand_back = true);
        }
        entries.insert(lease.job, entry);
        drop(entries);
        self.changed.notify_one();
        LeaseGuard {
            leases: Arc::clone(self),
            job: lease.job,
            token: lease.token,
            seen_nudge,
            polling,
            signal,
        }
    }

    /// Asks every run to give its job back.
    pub(crate) fn hand_back_all(&self) {
        let entries = self.lock();
        self.handing_back.store(true, Ordering::Release);
        for entry in entries.values() {
            entry.signal.send_modify(|signal| signal.hand_back = true);
        }
    }

    /// Ends the heartbeat thread.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        self.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<JobId, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end_of(&self, measured: Duration) -> Duration {
        if self.endless {
            Duration::MAX
        } else {
            measured
        }
    }

    pub(crate) fn shortest(&self) -> Option<Duration> {
        self.lock()
            .values()
            .map(|entry| Duration::from(entry.timeout))
            .min()
    }

    /// When the next heartbeat is due: a third of a lease leaves room for one that is late and one
    /// that is lost.
    fn next_beat(&self) -> Option<Duration> {
        let entries = self.lock();
        entries
            .values()
            .map(|entry| entry.asked + Duration::from(entry.timeout) / 3)
            .min()
    }

    /// The leases to extend now. Those whose body has blocked past its timeout are given up.
    fn beats(&self, mono: Duration) -> Vec<Beat> {
        let mut entries = self.lock();
        entries.retain(|job, entry| {
            let blocked = entry.gives_up_at.is_some_and(|at| at <= mono);
            if blocked {
                tracing::error!(%job, name = entry.name, "the body blocks its thread past the job's timeout: its lease is given up; use `tokio::task::spawn_blocking` for blocking work");
                entry.signal.send_modify(|signal| signal.lost = true);
            } else if let Some(span) = entry.polling.blocked(mono, entry.timeout.into()) {
                tracing::warn!(%job, name = entry.name, ?span, "the body blocks its thread, and nothing else can run there; its lease is kept meanwhile; use `tokio::task::spawn_blocking` for blocking work");
            }
            !blocked
        });
        let beat = |(job, entry): (&JobId, &Entry)| Beat {
            job: *job,
            token: entry.token,
            visibility_timeout: entry.timeout,
            seen_nudge: entry.seen_nudge.load(Ordering::Acquire),
        };
        entries.iter().map(beat).collect()
    }

    fn apply(&self, beats: &[Beat], answers: Vec<BeatAnswer>, sent: Duration) {
        let mut entries = self.lock();
        for (beat, answer) in beats.iter().zip(answers) {
            let Some(entry) = entries
                .get_mut(&beat.job)
                .filter(|entry| entry.token == beat.token)
            else {
                continue;
            };
            match answer {
                BeatAnswer::Held { until, nudge, .. } => {
                    entry.asked = sent;
                    entry.signal.send_modify(|signal| {
                        let end = sent + Duration::from(beat.visibility_timeout);
                        signal.beats += 1;
                        signal.lease_end = self.end_of(end);
                        signal.news = Some((nudge, until.before(beat.visibility_timeout)));
                    });
                }
                BeatAnswer::Cancelled | BeatAnswer::Lost => {
                    entry.signal.send_modify(|signal| signal.lost = true);
                    entries.remove(&beat.job);
                }
            }
        }
    }
}

/// Extends all leases until the worker stops.
pub(crate) async fn keep(leases: Arc<Leases>, store: Store) {
    let clock = Arc::clone(&store.env.clock);
    let mut hints = store.wake_ups();
    let mut not_before = Duration::ZERO;
    // A run with a body in flight shall hear of its event soon.
    let mut hinted = false;
    while !leases.stopped.load(Ordering::Acquire) {
        let Some(due) = leases.next_beat() else {
            leases.changed.notified().await;
            continue;
        };
        let due = if hinted { Duration::ZERO } else { due };
        let due = due.max(not_before);
        if due > clock.monotonic() {
            tokio::select! {
                biased;
                () = clock.sleep_until(due) => {}
                () = leases.changed.notified() => continue,
                () = inbox_hint(&mut hints), if !hinted => {
                    hinted = true;
                    continue;
                }
            }
        }
        hinted = false;
        crash_point!("leases.due");
        let sent = clock.monotonic();
        let gap = match beat_once(&leases, &store).await {
            true => MIN_BEAT_GAP,
            // Four more tries before the leases end.
            false => leases
                .shortest()
                .map_or(MIN_BEAT_GAP, |shortest| shortest / 6),
        };
        not_before = sent + gap.max(MIN_BEAT_GAP);
    }
}

async fn inbox_hint(hints: &mut WakeUps) {
    loop {
        match hints.recv().await {
            Ok(WakeUp::Inbox) | Err(RecvError::Lagged(_)) => return,
            Ok(_) => {}
            // Without hints the heartbeats remain.
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

pub(super) async fn beat_once(leases: &Leases, store: &Store) -> bool {
    let clock = &store.env.clock;
    let beats = leases.beats(clock.monotonic());
    for beats in beats.chunks(MAX_BEATS) {
        let sent = clock.monotonic();
        match store.heartbeat(beats).await {
            Ok(answers) => {
                crash_point!("leases.answered");
                leases.apply(beats, answers, sent);
            }
            Err(error) => {
                tracing::warn!(%error, "heartbeat failed; trying again before the leases end");
                return false;
            }
        }
    }
    true
}
