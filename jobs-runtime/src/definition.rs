//! The traits that `#[job]` and `#[derive(Event)]` implement. What is done with a definition is
//! said in `registry`, `client` and `worker`.

use crate::core::Millis;
use crate::durable::{Durable, KeyPart};
use crate::registry::{EventDef, JobDef};

/// A job, as a type of the same name as its function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a job",
    label = "not made by `#[job]`",
    note = "a job is an `async fn` under `#[job(..)]`; its type has the function's name"
)]
pub trait Job: 'static {
    /// What it works on.
    type Input: Durable + Send + 'static;
    /// What it gives.
    type Output: Durable + Send + 'static;

    /// The registered definition.
    fn def() -> &'static JobDef;

    /// The idempotency key of this input; `None` for `idempotency = none`.
    fn key(input: &Self::Input) -> Option<String>;

    /// Whose job this input makes.
    fn tenant(input: &Self::Input) -> Option<String>;

    /// What it is counted under, if its definition has a limit; empty if all its jobs are counted
    /// together.
    fn limit_key(input: &Self::Input) -> Option<String> {
        let _ = input;
        None
    }
}

/// A job on a schedule, made by `#[task]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a task",
    label = "has no schedule",
    note = "a task is an `async fn` under `#[task(schedule = \"..\")]`; its type has the function's name"
)]
pub trait Task: Job {}

/// Something that happened, which runs can wait for.
///
/// ```
/// use jobs_runtime::Event;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, Event)]
/// #[event(key = u64)]
/// struct FeedbackSent {
///     stars: u8,
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event",
    label = "cannot be published or waited for",
    note = "add `#[derive(Event)]` and `#[event(key = ..)]` to `{Self}`"
)]
pub trait Event: Durable + Send + 'static {
    /// What an event and a wait must share to meet.
    type Key: KeyPart;
    /// The durable name.
    const NAME: &'static str;
    /// Former names; the last is the oldest.
    const WAS: &'static [&'static str];
    /// How long a published event can be taken; `None` is the default.
    const TTL: Option<Millis>;

    /// The registered definition.
    fn def() -> &'static EventDef;
}
