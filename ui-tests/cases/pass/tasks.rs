//! Tasks under hostile settings: every option, names that shadow ours, inside a function, a raw
//! identifier, the tick by a pattern and by another name, and one that is configured away.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::pedantic)]

use jobs_runtime as durable;
use jobs_runtime::{JobContext, Result, State, Tick as Firing, step, task};

/// Shadows.
pub struct Option;
/// Shadows.
pub struct Overlap;

/// A state.
pub struct Mailer;

/// Fires each night.
///
/// # Errors
/// Never.
#[task(
    name = "ui-nightly",
    was = ["ui-midnight"],
    schedule = "0 3 * * mon-fri",
    tz = "Europe/Paris",
    missed = skip,
    overlap = skip,
    queue = "night",
    priority = 7,
    attempts = 3,
    backoff = "1m..1h",
    timeout = "30m",
    visibility_timeout = "30s",
    step_timeout = "1m",
    expires = "12h",
    removed = ["old"],
    crate = durable,
)]
pub async fn nightly(tick: Firing, mailer: State<Mailer>, job: JobContext) -> Result<u64> {
    let _ = (&mailer, &job);
    step!("look", async { Ok::<_, durable::Error>(tick.at) }).await?;
    step!("wait", sleep = "1h").await;
    Ok(tick.previous.map_or(0, |previous| tick.at.since(previous).0))
}

/// Fires each minute, in the second pass of an hour too.
///
/// # Errors
/// Never.
#[task(every = "1m", missed = all, overlap = run)]
pub async fn r#loop(Firing { at, .. }: Firing) -> Result<()> {
    let _ = at;
    Ok(())
}

/// Is not there.
#[cfg(any())]
#[task(schedule = "this is not read")]
pub async fn absent(tick: Firing) -> Result<()> {
    Ok(())
}

fn main() {
    #[task(schedule = "@hourly")]
    async fn inside(_: Firing) -> Result<()> {
        Ok(())
    }
    let tick = Firing::new(durable::Timestamp(0), "UTC");
    let _ = (nightly(tick.clone()), r#loop(tick.clone()), inside(tick));
    let _ = (Option, Overlap);
}
