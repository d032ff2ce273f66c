//! What a body does to the world, written down where it does it.

use crate::JobContext;
use crate::torture::history::{Effect, What};
use crate::torture::log::{Log, clip, hash};
use std::future::Future;

/// Runs the side effect of a step, and writes down its begin and its end. If the future is
/// dropped half way, or its process killed, there is no end.
///
/// `log` is best a file of its own, the world outside: what it says does not depend on the store.
/// `step` is the name under which the step is recorded, `bytes` say what is done. An error says
/// that it was not, and that the body may be run again.
///
/// # Errors
/// Those of `work`.
pub async fn effect<T, E>(
    log: &Log,
    cx: &JobContext,
    step: &str,
    bytes: &[u8],
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let mut effect = effect_of(cx, step, bytes);
    log.write(What::EffectBegin(effect.clone()));
    let done = work.await;
    effect.failed = done.is_err();
    log.write(What::EffectEnd(effect));
    done
}

/// What is written down of an effect; `bytes` say what is done.
#[must_use]
pub fn effect_of(cx: &JobContext, step: &str, bytes: &[u8]) -> Effect {
    Effect {
        run: cx.run_id(),
        step: clip(step),
        attempt: cx.attempt(),
        epoch: None,
        hash: hash(bytes),
        failed: false,
    }
}
