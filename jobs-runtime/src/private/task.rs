//! What `#[task]` emits beside a job.

use crate::schedule::Tick;

/// What a task works on.
#[diagnostic::on_unimplemented(
    message = "a `#[task]` works on a tick, and `{Self}` is none",
    label = "expected `Tick`",
    note = "write `tick: Tick` as the first parameter; what else the body needs comes as `State<..>`"
)]
pub trait TaskInput {
    /// The key of its job.
    fn key(&self) -> String;
}

impl TaskInput for Tick {
    fn key(&self) -> String {
        Tick::key(self)
    }
}

/// The key of the job of a tick.
pub fn tick_key<T: TaskInput>(input: &T) -> String {
    input.key()
}
