//! The transactions of `tx` steps: where they come from, how long they may be open, and where the
//! one waits that is to end with the record of its step in it.
//!
//! When it ends is decided by the run; that it ends is seen to by the executor.

use crate::clock::Env;
use crate::codec::Codecs;
use crate::contract::StepTransaction;
use crate::core::{Commit, CommitAnswer, Millis};
use crate::store::{Count, Store};
use crate::worker::Leases;
use crate::{Error, Failure};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The pause before a transaction is begun again that could not be begun, doubling.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// The longest such pause.
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// A transaction is open for this part of the shortest lease at most (R7): the heartbeat that it
/// keeps waiting is sent after a third of its lease, and a third is left for it to arrive.
const SHARE_OF_LEASE: u64 = 3;

type Answer = Pin<Box<dyn Future<Output = Result<CommitAnswer, Error>> + Send>>;

/// A transaction whose body has ended: given a commit, it stores that and ends.
pub(crate) type OpenTx = Box<dyn FnOnce(Commit) -> Answer + Send>;

/// What one lease of a run needs for its `tx` steps.
pub(crate) struct Transactions {
    store: Store,
    leases: Arc<Leases>,
    /// At most one: the run begins one `tx` step at a time.
    open: Mutex<Option<OpenTx>>,
}

/// A transaction whose body runs.
pub(crate) struct Begun<T> {
    pub(crate) tx: T,
    under_way: Count,
    _body: Count,
}

impl Transactions {
    pub(crate) fn new(store: Store, leases: Arc<Leases>) -> Self {
        Transactions {
            store,
            leases,
            open: Mutex::new(None),
        }
    }

    pub(super) fn env(&self) -> Env {
        self.store.env.clone()
    }

    pub(super) fn codecs(&self) -> Codecs {
        self.store.codecs.clone()
    }

    /// Begins one, and says how long it may be open. While the store cannot be had it is tried
    /// again: that is no failure of the body.
    pub(crate) async fn begin<T: StepTransaction>(&self) -> Result<(Begun<T>, Millis), Failure> {
        let under_way = Count::begin(&self.store.transacting.under_way);
        let clock = &self.store.env.clock;
        let mut pause = FIRST_PAUSE;
        loop {
            match self.try_begin::<T>().await {
                Ok((tx, limit)) => {
                    let begun = Begun {
                        tx,
                        under_way,
                        _body: Count::begin(&self.store.transacting.bodies),
                    };
                    return Ok((begun, limit));
                }
                Err(error) if error.is_transient() => {
                    tracing::warn!(%error, "the transaction of a step could not be begun; trying again until the lease ends");
                    clock.sleep(pause).await;
                    pause = (pause * 2).min(LAST_PAUSE);
                }
                // Another attempt would find the same store.
                Err(error) => return Err(Failure::from(error).fatal()),
            }
        }
    }

    async fn try_begin<T: StepTransaction>(&self) -> Result<(T, Millis), Error> {
        let now = self.store.env.clock.imposed();
        let begun = async {
            let mut tx = T::begin(self.store.driver()).await?;
            let asked = tx.shortest_lease(now).await?;
            Ok((tx, asked))
        };
        let (tx, asked) = self.store.transacting(begun).await?;
        let held = self.leases.shortest().map(Millis::from);
        let shortest = asked.into_iter().chain(held).min();
        let shortest = shortest.unwrap_or(crate::worker::DEFAULT_VISIBILITY_TIMEOUT.into());
        Ok((tx, Millis((shortest.0 / SHARE_OF_LEASE).max(1))))
    }

    /// Waits for a body, but no longer than its transaction may be open.
    pub(crate) async fn limited<F: Future>(
        &self,
        limit: Millis,
        body: F,
    ) -> Result<F::Output, Error> {
        let clock = &self.store.env.clock;
        tokio::select! {
            biased;
            done = pin!(body) => Ok(done),
            () = clock.sleep(limit.into()) => Err(Error::tx_too_long(limit)),
        }
    }

    /// Keeps a transaction whose body has ended well until its record is to be stored.
    pub(crate) fn hand_over<T: StepTransaction>(&self, begun: Begun<T>) {
        let store = self.store.clone();
        let Begun { tx, under_way, .. } = begun;
        let end: OpenTx = Box::new(move |commit| {
            Box::pin(async move {
                let _under_way = under_way;
                end(store, tx, commit).await
            })
        });
        *self.lock() = Some(end);
    }

    /// Rolls one back that was not taken.
    pub(super) fn forget(&self) {
        drop(self.lock().take());
    }

    /// Waits for the rollback, so that the lock is free when the failure is stored.
    pub(crate) async fn undo<T: StepTransaction>(&self, begun: Begun<T>) {
        let Begun { tx, under_way, .. } = begun;
        let _under_way = under_way;
        let undone = async {
            tx.undo().await;
            Ok(())
        };
        drop(self.store.transacting(undone).await);
    }

    /// The transaction that the next commit belongs into.
    pub(crate) fn take(&self) -> Option<OpenTx> {
        self.lock().take()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<OpenTx>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fences, stores the record, and only then COMMIT. Any answer but `Applied` rolls back.
async fn end<T: StepTransaction>(
    store: Store,
    mut tx: T,
    commit: Commit,
) -> Result<CommitAnswer, Error> {
    let now = store.env.clock.imposed();
    let mut committed = false;
    let ended = async {
        match tx.commit_here(&commit, now).await {
            Ok(CommitAnswer::Applied(applied)) => {
                tx.end().await?;
                committed = true;
                Ok(CommitAnswer::Applied(applied))
            }
            answer => {
                tx.undo().await;
                answer
            }
        }
    };
    match store.transacting(ended).await {
        // Its answer was lost on the way, and the body must not run again for that.
        Err(error) if committed => {
            let driver = store.capabilities().driver;
            Err(Error::outcome_unknown(driver, error))
        }
        answer => answer,
    }
}
