//! The history of a run for people, and as one number for comparing two runs.

use crate::torture::history::Entry;
use crate::torture::log;
use std::fmt::Write;

/// One entry as a line.
pub(super) fn line(entry: &Entry) -> String {
    let Entry {
        process,
        incarnation,
        mono_ns,
        what,
        ..
    } = entry;
    let micros = mono_ns / 1_000;
    format!("{micros:>12} µs  {process}.{incarnation}  {what:?}")
}

/// A hash of everything in a history, in its order.
pub(super) fn hash(history: &[Entry]) -> u64 {
    let mut text = String::new();
    history.iter().fold(0, |sum: u64, entry| {
        text.clear();
        // Text takes all that it is given.
        let _ = write!(text, "{entry:?}");
        sum.rotate_left(5).wrapping_mul(0x0100_0000_01B3) ^ log::hash(text.as_bytes())
    })
}
