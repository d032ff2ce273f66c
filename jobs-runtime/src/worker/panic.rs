//! A panic in a body is a failed attempt with its message and where it came from.

use crate::core::{BACKTRACE_LIMIT_BYTES, StoredError};
use std::any::Any;
use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::sync::Once;

thread_local! {
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Remembers where a thread last panicked. The hook that was there still runs.
pub(super) fn remember_places() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            let mut text = format!("at {place}\n{}", Backtrace::capture());
            // More than is stored, so that the stored form says what was cut.
            let end = text.floor_char_boundary((2 * BACKTRACE_LIMIT_BYTES).min(text.len()));
            text.truncate(end);
            LAST.with(|last| *last.borrow_mut() = Some(text));
            before(info);
        }));
    });
}

/// The stored form of a panic that was caught on this thread.
pub(super) fn stored(payload: &(dyn Any + Send)) -> StoredError {
    let words = payload
        .downcast_ref::<&str>()
        .map(|words| (*words).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "something that is no text".into());
    StoredError {
        backtrace: LAST.with(|last| last.borrow_mut().take()),
        ..StoredError::new("X_JOB_PANIC", format!("the body panicked: {words}"))
    }
    .limited()
}
