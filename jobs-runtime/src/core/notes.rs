//! What a job writes about itself while it runs, and how much of it is kept.

use super::{LogLine, Millis, Progress, Timestamp};
use alloc::{collections::VecDeque, format, string::String, vec::Vec};

/// Lines that a store keeps of one job; older ones go.
pub const LOG_LIMIT_LINES: usize = 200;

/// The longest line, in bytes; what is longer is cut.
pub const LOG_LINE_LIMIT_BYTES: usize = 1024;

/// Lines of a run that wait for its next commit; older ones go, and are counted.
pub const LOG_WAITING_LIMIT_LINES: usize = 100;

/// The longest message of a progress, in bytes; what is longer is cut.
pub const PROGRESS_MESSAGE_LIMIT_BYTES: usize = 256;

/// Notes that no other commit carries are stored at most this often.
pub const NOTES_EVERY: Millis = Millis(1_000);

/// The notes of a run that are not stored yet.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    progress: Option<Progress>,
    log: VecDeque<LogLine>,
    dropped: u64,
    /// When notes were last sent by themselves.
    sent_at: Option<Timestamp>,
}

impl Notes {
    pub(crate) fn progress(&mut self, done: u64, total: u64, message: &str) {
        self.progress = Some(Progress {
            done,
            total,
            message: cut(message, PROGRESS_MESSAGE_LIMIT_BYTES),
        });
    }

    pub(crate) fn line(&mut self, text: &str, at: Timestamp) {
        if self.log.len() == LOG_WAITING_LIMIT_LINES {
            self.log.pop_front();
            self.dropped += 1;
        }
        self.log.push_back(LogLine {
            at,
            text: cut(text, LOG_LINE_LIMIT_BYTES),
        });
    }

    fn is_empty(&self) -> bool {
        self.progress.is_none() && self.log.is_empty()
    }

    /// When they may be sent by themselves; `None` if there are none.
    pub(crate) fn due_at(&self) -> Option<Timestamp> {
        if self.is_empty() {
            return None;
        }
        Some(
            self.sent_at
                .map_or(Timestamp(i64::MIN), |at| at.after(NOTES_EVERY)),
        )
    }

    /// Says that they are sent by themselves.
    pub(crate) fn note_sent(&mut self, now: Timestamp) {
        self.sent_at = Some(now);
    }

    pub(crate) fn take(&mut self) -> (Option<Progress>, Vec<LogLine>) {
        let dropped = ::core::mem::take(&mut self.dropped);
        let mut log: Vec<LogLine> = ::core::mem::take(&mut self.log).into();
        if dropped > 0
            && let Some(first) = log.first()
        {
            let text = format!("(and {dropped} lines before this one)");
            log.insert(0, LogLine { at: first.at, text });
        }
        (self.progress.take(), log)
    }

    /// Takes back what a refused commit carried.
    pub(crate) fn put_back(&mut self, progress: Option<Progress>, log: Vec<LogLine>) {
        if self.progress.is_none() {
            self.progress = progress;
        }
        for line in log.into_iter().rev() {
            self.log.push_front(line);
        }
    }
}

/// As much of a text as fits, with a sign that something is missing.
fn cut(text: &str, limit: usize) -> String {
    const MORE: &str = "…";
    if text.len() <= limit {
        return text.into();
    }
    let mut end = limit - MORE.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{MORE}", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_two_characters() {
        assert_eq!(cut("short", 10), "short");
        assert_eq!(cut("ééééé", 8), "éé…");
        assert!(cut(&"é".repeat(1000), 100).len() <= 100);
    }

    #[test]
    fn lines_beyond_the_limit_are_counted() {
        let mut notes = Notes::default();
        for _ in 0..LOG_WAITING_LIMIT_LINES + 3 {
            notes.line("x", Timestamp(7));
        }
        let (_, log) = notes.take();
        assert_eq!(log.len(), LOG_WAITING_LIMIT_LINES + 1);
        assert_eq!(log[0].text, "(and 3 lines before this one)");
    }

    #[test]
    fn notes_that_were_just_sent_wait_for_their_turn() {
        let mut notes = Notes::default();
        assert_eq!(notes.due_at(), None);
        notes.progress(1, 2, "");
        assert_eq!(notes.due_at(), Some(Timestamp(i64::MIN)));
        notes.note_sent(Timestamp(10));
        assert_eq!(notes.due_at(), Some(Timestamp(10).after(NOTES_EVERY)));
    }
}
