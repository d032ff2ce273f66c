//! Durable workflows as plain async Rust.

extern crate alloc;
// Generated code names the crate by this name, also inside of it.
extern crate self as jobs_runtime;

mod admin;
mod ambient;
#[cfg(feature = "bench")]
mod bench;
#[cfg(all(feature = "cli", not(feature = "bench")))]
#[path = "no_bench.rs"]
mod bench;
#[cfg(feature = "cli")]
pub mod cli;
mod client;
pub mod clock;
pub mod codec;
mod committer;
#[cfg(feature = "conformance")]
pub mod conformance;
mod connect;
pub mod contract;
pub mod core;
mod definition;
pub mod doctor;
pub mod drivers;
mod durable;
mod error;
pub mod errors;
mod failure;
pub mod graph;
#[cfg(feature = "lock")]
pub mod lock;
mod macros;
mod outbox;
pub mod prelude;
#[doc(hidden)]
pub mod private;
pub mod registry;
mod request;
mod retention;
mod schedule;
#[cfg(feature = "schema")]
mod schema;
#[cfg(not(feature = "schema"))]
#[path = "no_schema.rs"]
mod schema;
mod steps;
mod store;
mod storing;
pub mod testing;
#[cfg(feature = "torture")]
pub mod torture;
#[cfg(not(feature = "torture"))]
#[path = "no_torture.rs"]
mod torture;
mod worker;

pub use crate::core::{
    Edge, JobId, Limit, Missed, OnConflict, Overlap, Rate, RunId, Timestamp, Window,
};
pub use admin::{Admin, Explanation, NewSchedule, Reason};
pub use ambient::{jobs, reset_jobs, set_jobs};
pub use client::{ENQUEUE_LIMIT_JOBS, Jobs};
pub use connect::{Connecting, Examining, Pool, Scheme};
pub use definition::{Event, Job, Task};
#[cfg(feature = "postgres")]
pub use drivers::postgres::PostgresTx;
#[cfg(feature = "sqlx-sqlite")]
pub use drivers::sqlite::SqliteTx;
pub use durable::{Durable, EventKey, KeyPart};
pub use error::{Code, Error, codes};
pub use failure::{Failure, FatalExt, Result};
/// Makes an event of a type: something that is published once and wakes the runs waiting for it.
///
/// ```
/// use jobs_runtime::Event;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Event)]
/// #[event(name = "invoice-paid", key = u64, ttl = "30d")]
/// struct InvoicePaid {
///     cents: u64,
/// }
/// ```
///
/// | option | says |
/// |---|---|
/// | `key = TYPE` or `none` | what an event and a wait must share to meet; required |
/// | `name = "…"` | the durable name; the type's name without it |
/// | `was = ["…"]` | former names, the newest first |
/// | `ttl = "7d"` | how long a published event can be taken |
/// | `crate = path` | where this crate is, if it has another name |
pub use jobs_macros::Event;
/// Makes a durable job of an `async fn`.
///
/// The function becomes one that gives a [`Request`], to be enqueued; beside it stands a type of
/// the same name that implements [`Job`]. The body runs on a worker, and every [`step!`] in it is
/// done once.
///
/// ```standalone_crate
/// use jobs_runtime::{Result, State, job, step};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// struct Reminder {
///     user_id: u64,
///     text: String,
/// }
///
/// struct Mailer;
///
/// impl Mailer {
///     async fn send(&self, text: &str) -> Result<()> {
///         println!("{text}");
///         Ok(())
///     }
/// }
///
/// #[job(idempotency = "reminder:{input.user_id}", attempts = 5, timeout = "10m")]
/// async fn remind_in_a_week(input: Reminder, mailer: State<Mailer>) -> Result<()> {
///     step!("wait", sleep = "7d").await;
///     step!("send", mailer.send(&input.text)).await?;
///     Ok(())
/// }
///
/// let request = remind_in_a_week(Reminder { user_id: 7, text: "tea".into() });
/// # let _ = request;
/// ```
///
/// The first parameter is the input; those after it are [`State`] and [`JobContext`], in any
/// order. The options, each at most once:
///
/// | option | says |
/// |---|---|
/// | `idempotency = "…{input.field}…"` | the key under which at most one job is live; a closure over the input also gives one, and `none` says that running twice is harmless; required |
/// | `name = "…"`, `was = ["…"]` | the durable name (the function's name without it); former names, the newest first |
/// | `queue = "…"`, `priority = 0..9` | where it waits; 0 is served first |
/// | `tenant = "{input.field}"` | whose job it is |
/// | `attempts = 5`, `backoff = "1s..1h"` | how often it is tried, and the delay between two tries |
/// | `on_conflict = dedupe`, `error` or `replace` | what an enqueue does when a live job holds the key: give that job (the default), refuse, or see to it that the newest input runs |
/// | `unique_for = "24h"` | how long the key is kept, also when the job has ended before |
/// | `debounce = "10s"` | it runs with the last input once its key was not enqueued for so long; `(span = "10s", edge = leading, at_most = "1m")` says more: see [`Window`] |
/// | `throttle = "1m"` | it runs at once, and then at most once in so much time, with the last input |
/// | `expires = "1h"` | it fails if it was not started within so much time |
/// | `on_cancel = path` | another job, which gets the same input when this one is cancelled |
/// | `timeout = "10m"`, `visibility_timeout = "30s"` | how long one lease may run, and how long it hides the job without a heartbeat |
/// | `step_timeout = "1m"` | how long a step may take that does not say |
/// | `outbox = required` | it is enqueued inside a transaction, by [`Request::enqueue_in`], or not at all |
/// | `removed = ["…"]` | steps that were given up, and may still be recorded; `"charge:{id}"` with any value, `"billing/charge"` in a helper |
/// | `limit = (key = "{input.field}", concurrency = 5, rate = "100/min")` | how many jobs with one key may run at once, and how many may start in a span, on all workers together; without `key` all jobs of the definition |
/// | `allow = (raw_await, unstable_values)` | refusals that are judgements, and do not hold here; they stand in the definition. `raw_await`: futures that are no steps are awaited, or started beside the run. `unstable_values`: clocks, random numbers and the environment are read outside of steps |
/// | `crate = path` | where this crate is, if it has another name |
pub use jobs_macros::job;
/// Makes a helper of an `async fn`: steps that several jobs share, or that make one job shorter.
///
/// A job, or another helper, calls it as a step. The names of its steps then follow the name of
/// that step and a `/`, so a helper may be called twice under two names.
///
/// ```
/// use jobs_runtime::{Result, job, step, steps};
///
/// #[steps]
/// async fn bill_customer(order: u64, note: &str) -> Result<u64> {
///     let cents = step!("price", price(order)).await?; // recorded as "billing/price"
///     step!("charge", charge(order, cents, note)).await?; // recorded as "billing/charge"
///     Ok(cents)
/// }
///
/// #[job(idempotency = "helped-order:{order}")]
/// async fn helped_order(order: u64) -> Result<()> {
///     let cents = step!("billing", steps = bill_customer(order, "thanks")).await?;
///     step!("report", report(cents)).await?;
///     Ok(())
/// }
/// # async fn price(order: u64) -> Result<u64> { Ok(order) }
/// # async fn charge(order: u64, cents: u64, note: &str) -> Result<()> { Ok(()) }
/// # async fn report(cents: u64) -> Result<()> { Ok(()) }
/// ```
///
/// What it takes and gives is not stored, because it is no step itself: references are welcome,
/// and what it computes between its steps is computed again by a replay. It is a free function and
/// not generic.
///
/// | option | says |
/// |---|---|
/// | `allow = (raw_await, unstable_values)` | refusals that are judgements, and do not hold here; they stand in the definition. `raw_await`: futures that are no steps are awaited, or started beside the run. `unstable_values`: clocks, random numbers and the environment are read outside of steps |
/// | `crate = path` | where this crate is, if it has another name |
pub use jobs_macros::steps;
/// Makes a durable job of an `async fn` that a schedule enqueues.
///
/// ```standalone_crate
/// use jobs_runtime::prelude::*;
///
/// #[task(schedule = "0 3 * * *", tz = "Europe/Paris", attempts = 3)]
/// async fn nightly_totals(tick: Tick) -> Result<()> {
///     let night = tick.local()?.date();
///     step!("count", count_orders(night)).await?;
///     Ok(())
/// }
/// # async fn count_orders(night: jiff::civil::Date) -> Result<u64> { Ok(0) }
/// ```
///
/// Each worker of the program makes the ticks, and a tick is one job however many workers there
/// are: it is stored in the very write that moves the task's timetable on. A worker that is down
/// at a tick makes it when it is back, as `missed` says. The job is one like any other: it has
/// steps, attempts and a journal, and it becomes a dead letter when its attempts are used up.
///
/// The first parameter is the [`Tick`]; those after it are [`State`] and [`JobContext`], in any
/// order. Beside the options of [`macro@job`], less those about keys, transactions and tenants:
///
/// | option | says |
/// |---|---|
/// | `schedule = "0 3 * * *"` | when: minute, hour, day of the month, month, day of the week; with a sixth field in front, the second. `*`, `1-5`, `1,15`, `*/10`, `mon-fri`, `jan`; `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. If a day of the month and one of the week are both given, either is enough |
/// | `tz = "Europe/Paris"` | whose clock that is, by its IANA name; `UTC` without it |
/// | `every = "15m"` | instead of a schedule: each so much time, counted from 1970, from a second to a year |
/// | `missed = last`, `skip` or `all` | what becomes of ticks that fell due while no worker ran: the newest is made (the default), none is, or each is, the last 1,000 at most. For `skip` a tick is missed a minute after its time |
/// | `overlap = run` or `skip` | what becomes of a tick that falls due while the job of the one before is live: it is made all the same (the default), or passed over |
///
/// Where the clock is put forward, a time of the day that it jumps over fires once, at the instant
/// of the jump; where it is put back, a time that it shows twice fires the first time. A schedule
/// with a `*` in its second, minute or hour follows elapsed time: it fires in both passes of the
/// hour that happens twice, and not in the one that does not happen.
///
/// What is wrong with a schedule or a zone, or would never fire, does not compile:
///
/// ```compile_fail
/// # use jobs_runtime::prelude::*;
/// #[task(schedule = "0 0 30 2 *")] // February never has a day 30
/// async fn never(tick: Tick) -> Result<()> { Ok(()) }
/// ```
pub use jobs_macros::task;
pub use outbox::{Alone, Anywhere, InTransaction};
pub use request::{Handle, Request};
pub use retention::{Keep, Retention};
pub use schedule::{
    BACKFILL_LIMIT_TICKS, Backfilled, JobTemplate, NOTICED_WITHIN, SCHEDULE_INPUT_LIMIT_BYTES,
    SCHEDULE_LIMIT, SCHEDULE_NAME_LIMIT_BYTES, Schedulable, ScheduleView, Tick,
};
pub use steps::{JobContext, Leaving, State, StepError};
pub use store::{StoreHook, Verb};
pub use storing::{Enqueuing, Publishing, Storing};
pub use worker::{DEFAULT_VISIBILITY_TIMEOUT, RunEvent, RunRef, Worker};
