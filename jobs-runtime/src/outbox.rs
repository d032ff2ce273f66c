//! Jobs and events that stand or fall with the caller's own transaction.
//!
//! What a store must be able to do for it is in [`crate::contract::Transactional`]; the steps that
//! write in a transaction of the worker's are in `steps::tx`.

use crate::Error;
use crate::client::{Jobs, stored, unanswered};
use crate::clock::Env;
use crate::codec::Codecs;
use crate::contract::{Driver, Enqueued, Transactional};
use crate::core::{NewJob, Timestamp};
use crate::definition::{Event, Job};
use crate::durable::EventKey;
use crate::request::{Handle, Request};
use crate::store::Store;
use crate::storing::{Enqueuing, Publishing};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The mark of a request that can be enqueued by itself.
#[derive(Debug)]
pub enum Anywhere {}

/// The mark of a request whose job says `outbox = required`.
#[derive(Debug)]
pub enum InTransaction {}

/// What a request may be to be enqueued by itself.
#[diagnostic::on_unimplemented(
    message = "this job says `outbox = required`, so it is enqueued only inside a transaction",
    label = "enqueued outside a transaction",
    note = "use `.enqueue_in(&mut tx).await`: the job and your own writes then stand or fall together",
    note = "if this one call may do without, say so before it: `.without_outbox().enqueue(&jobs).await`"
)]
pub trait Alone: sealed::Alone {}

impl sealed::Alone for Anywhere {}
impl Alone for Anywhere {}

impl<J: Job> Request<J> {
    /// A request for a job that says `outbox = required`.
    #[doc(hidden)]
    pub fn outbox_required(self) -> Request<J, InTransaction> {
        self.marked()
    }
}

impl<J: Job> Request<J, InTransaction> {
    /// Lets this one request be enqueued without a transaction, though its job says
    /// `outbox = required`: there is nothing of the caller's that it would have to fit.
    pub fn without_outbox(self) -> Request<J> {
        self.marked()
    }
}

impl<J: Job, O: 'static> Request<J, O> {
    /// Stores the job inside the caller's own transaction: it is there once that is committed, and
    /// never was if that is rolled back. Workers see it within the poll interval of the store.
    ///
    /// With SQLite the jobs live in the application's own file; see [`Jobs::from_pool`]. Begin the
    /// transaction with `BEGIN IMMEDIATE`: one that begins by reading cannot write if somebody else
    /// wrote in between. While it is open nobody else can write, so keep it shorter than a third
    /// of the shortest visibility timeout.
    ///
    #[cfg_attr(feature = "sqlx-sqlite", doc = "```")]
    #[cfg_attr(not(feature = "sqlx-sqlite"), doc = "```ignore")]
    /// use jobs_runtime::prelude::*;
    /// # use sqlx::SqlitePool;
    ///
    /// #[job(idempotency = "send-invoice:{order}", outbox = required)]
    /// async fn send_invoice(order: i64) -> Result<()> {
    ///     step!("mail", async { Ok::<_, Failure>(()) }).await?;
    ///     Ok(())
    /// }
    ///
    /// async fn place_order(pool: &SqlitePool) -> Result<()> {
    ///     let mut tx = pool.begin_with("BEGIN IMMEDIATE").await?;
    ///     let order = sqlx::query("INSERT INTO orders (item) VALUES ('tea')")
    ///         .execute(&mut *tx)
    ///         .await?
    ///         .last_insert_rowid();
    ///     send_invoice(order).enqueue_in(&mut tx).await?;
    ///     tx.commit().await?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// As [`Request::enqueue`]; `X_OUTBOX_NO_TX` if the connection is in no transaction, and
    /// `X_STORE_SETTINGS` if its database holds no jobs. After an error nothing of the job is in the
    /// transaction, which may go on.
    pub fn enqueue_in<T: Transactional + ?Sized>(self, tx: &mut T) -> Enqueuing<'_, J> {
        Enqueuing::new(async move {
            // Of the transaction nothing is known but where it leads to: the time is the store's.
            let now = tx.store_time().await?;
            let row = self.into_row(&Env::system(), now)?;
            let Some(store) = sealing(tx).await else {
                return Ok(Handle::new(store_here(tx, &row, None).await?));
            };
            let row = store.sealed(row)?;
            let enqueued = store_here(tx, &row, None).await?;
            Ok(Handle::new(Jobs::of(store).compared(&row, enqueued).await?))
        })
    }
}

impl Jobs {
    /// As [`Jobs::publish`], inside the caller's own transaction: runs that wait hear of the event
    /// once that is committed.
    ///
    /// # Errors
    /// As [`Jobs::publish`]; `X_OUTBOX_NO_TX` if the connection is in no transaction, and
    /// `X_STORE_SETTINGS` if it leads elsewhere than to these jobs.
    pub fn publish_in<'a, E: Event, T: Transactional + ?Sized>(
        &'a self,
        tx: &'a mut T,
        event: E,
        key: impl EventKey<E::Key>,
    ) -> Publishing<'a> {
        let event = self.event_row(event, key);
        Publishing::new(async move {
            let event = event?;
            tx.belongs_to(self.store().driver()).await?;
            let now = self.store().env.clock.imposed();
            tx.publish_here(std::slice::from_ref(&event), now).await?;
            Ok(event.id)
        })
    }

    /// As [`Jobs::enqueue_raw`], inside the caller's own transaction.
    ///
    /// # Errors
    /// As [`Request::enqueue_in`], and `X_STORE_SETTINGS` if the connection leads elsewhere than to
    /// these jobs.
    pub async fn enqueue_raw_in<T: Transactional + ?Sized>(
        &self,
        tx: &mut T,
        job: NewJob,
    ) -> Result<Enqueued, Error> {
        tx.belongs_to(self.store().driver()).await?;
        let now = self.store().env.clock.imposed();
        store_here(tx, &job, now).await
    }
}

async fn store_here<T: Transactional + ?Sized>(
    tx: &mut T,
    job: &NewJob,
    now: Option<Timestamp>,
) -> Result<Enqueued, Error> {
    let answers = tx.enqueue_here(std::slice::from_ref(job), now).await?;
    let answer = answers.into_iter().next().ok_or_else(unanswered)?;
    stored(job, answer)
}

/// The stores of this process whose clients have a codec: a transaction leads to the store and not
/// to its client, and what is enqueued in it must be sealed all the same.
static SEALING: Mutex<Vec<(Weak<dyn Driver>, Codecs)>> = Mutex::new(Vec::new());

/// Notes the codec that a client of this store was given last.
pub(crate) fn remember(store: &Store) {
    if store.driver().transactions().is_none() {
        return;
    }
    let mut known = SEALING.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|(driver, _)| driver.strong_count() > 0);
    known.push((store.weak_driver(), store.codecs.clone()));
}

/// The store that a transaction leads to, if what is stored there must be sealed.
async fn sealing<T: Transactional + ?Sized>(tx: &mut T) -> Option<Store> {
    let known: Vec<(Arc<dyn Driver>, Codecs)> = {
        let known = SEALING.lock().unwrap_or_else(PoisonError::into_inner);
        let live = known.iter().rev();
        live.filter_map(|(driver, codecs)| Some((driver.upgrade()?, codecs.clone())))
            .collect()
    };
    for (driver, codecs) in known {
        if tx.belongs_to(&*driver).await.is_ok() {
            return Some(Store::new(driver, Env::system()).with_codecs(codecs));
        }
    }
    None
}

#[allow(unnameable_types, reason = "sealed: implemented here and nowhere else")]
mod sealed {
    pub trait Alone {}
}
