//! Time and randomness, given from outside everywhere, so that a test owns both.

use crate::core::{Millis, Timestamp};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A future that ends when its time has come.
pub type Sleeping = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Where the time comes from.
pub trait Clock: Send + Sync + 'static {
    /// The wall clock.
    fn now(&self) -> Timestamp;

    /// Time since some fixed instant; never goes back.
    fn monotonic(&self) -> Duration;

    /// Waits so long.
    fn sleep(&self, span: Duration) -> Sleeping;

    /// Waits until [`Clock::monotonic`] shows this. A clock that others move answers it itself: what
    /// passes between the reading and the wait would be waited for once more.
    fn sleep_until(&self, at: Duration) -> Sleeping {
        self.sleep(at.saturating_sub(self.monotonic()))
    }

    /// The time that stores shall use instead of their own; `None` in production.
    fn imposed(&self) -> Option<Timestamp> {
        None
    }
}

/// Where random bits come from.
pub trait Entropy: Send + Sync + 'static {
    /// 128 bits that nobody can guess, or that a test has chosen.
    fn bits(&self) -> u128;
}

/// Time and randomness together, as everything in this crate takes them.
#[derive(Clone)]
pub struct Env {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
}

impl Env {
    /// The real ones.
    #[must_use]
    pub fn system() -> Self {
        Env::new(SystemClock::default(), SystemEntropy)
    }

    /// Chosen ones.
    pub fn new(clock: impl Clock, entropy: impl Entropy) -> Self {
        Env {
            clock: Arc::new(clock),
            entropy: Arc::new(entropy),
        }
    }
}

/// The clocks of this machine.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        SystemClock {
            start: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }

    fn sleep(&self, span: Duration) -> Sleeping {
        Box::pin(tokio::time::sleep(span))
    }
}

/// The random bits of the operating system.
#[derive(Debug)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn bits(&self) -> u128 {
        let mut bytes = [0; 16];
        if getrandom::fill(&mut bytes).is_err() {
            // Early in a boot there may be none: time and an address still tell two calls apart.
            let nanos = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default()
                .as_nanos();
            return nanos ^ ((&raw const bytes as usize as u128) << 64);
        }
        u128::from_le_bytes(bytes)
    }
}

/// A clock that stands still until a test moves it. Clones share one time.
///
/// ```
/// use jobs_runtime::clock::{Clock, VirtualClock};
/// use std::time::Duration;
///
/// let clock = VirtualClock::default();
/// let before = clock.now();
/// clock.advance(Duration::from_secs(3 * 24 * 3600));
/// assert_eq!(clock.now().since(before).0, 3 * 24 * 3600 * 1000);
/// ```
#[derive(Clone, Debug, Default)]
pub struct VirtualClock {
    state: Arc<Mutex<VirtualState>>,
}

#[derive(Debug, Default)]
struct VirtualState {
    elapsed: Duration,
    next_sleeper: u64,
    sleepers: BTreeMap<(Duration, u64), Waker>,
}

impl VirtualClock {
    /// Where virtual time begins: 2026-01-01T00:00:00Z.
    pub const START: Timestamp = Timestamp(1_767_225_600_000);

    /// Moves time forward and wakes whoever has waited long enough.
    pub fn advance(&self, span: Duration) {
        let mut state = self.lock();
        state.elapsed += span;
        let now = state.elapsed;
        let mut woken = Vec::new();
        while let Some(first) = state.sleepers.first_entry() {
            if first.key().0 > now {
                break;
            }
            woken.push(first.remove());
        }
        drop(state);
        woken.into_iter().for_each(Waker::wake);
    }

    /// Moves time forward to an instant; does nothing if it has passed.
    pub fn advance_to(&self, at: Timestamp) {
        self.advance(at.since(self.now()).into());
    }

    /// How long until the next task that waits for time to pass; `None` if none does.
    #[must_use]
    pub fn next_sleeper(&self) -> Option<Duration> {
        let state = self.lock();
        let (at, _) = state
            .sleepers
            .keys()
            .next()
            .filter(|(at, _)| *at < Duration::MAX)?;
        Some(at.saturating_sub(state.elapsed))
    }

    fn lock(&self) -> MutexGuard<'_, VirtualState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        Self::START.after(Millis::from(self.lock().elapsed))
    }

    fn monotonic(&self) -> Duration {
        self.lock().elapsed
    }

    fn sleep(&self, span: Duration) -> Sleeping {
        self.sleep_until(self.monotonic().saturating_add(span))
    }

    fn sleep_until(&self, at: Duration) -> Sleeping {
        let mut state = self.lock();
        state.next_sleeper += 1;
        let key = (at, state.next_sleeper);
        drop(state);
        Box::pin(VirtualSleep {
            clock: self.clone(),
            key,
        })
    }

    fn imposed(&self) -> Option<Timestamp> {
        Some(self.now())
    }
}

struct VirtualSleep {
    clock: VirtualClock,
    key: (Duration, u64),
}

impl Future for VirtualSleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.clock.lock();
        if state.elapsed >= self.key.0 {
            return Poll::Ready(());
        }
        state.sleepers.insert(self.key, cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for VirtualSleep {
    fn drop(&mut self) {
        self.clock.lock().sleepers.remove(&self.key);
    }
}

/// Random bits that follow from a seed: one seed is one run.
#[derive(Debug)]
pub struct SeededEntropy {
    state: Mutex<u64>,
}

impl SeededEntropy {
    /// The bits of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        SeededEntropy {
            state: Mutex::new(seed),
        }
    }

    fn next(&self) -> u64 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

impl Entropy for SeededEntropy {
    fn bits(&self) -> u128 {
        (u128::from(self.next()) << 64) | u128::from(self.next())
    }
}
