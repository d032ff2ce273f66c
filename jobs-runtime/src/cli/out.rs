//! What is said, and to whom: lines for people or one JSON value for programs. What came out of a
//! store is made harmless here.

use crate::Error;
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};
use std::fmt::Display;
use std::io::{IsTerminal, Write};

pub(super) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();

pub(super) struct Out<'a> {
    pub(super) json: bool,
    to: &'a mut dyn Write,
}

impl<'a> Out<'a> {
    pub(super) fn new(json: bool, to: &'a mut dyn Write) -> Self {
        Out { json, to }
    }

    /// A line for people. A closed pipe must not look like a fault, so it is not told.
    pub(super) fn line(&mut self, line: impl Display) {
        let _ = writeln!(self.to, "{line}");
    }

    /// The one value for programs. Integers of 64 bits stay exact.
    pub(super) fn value(&mut self, value: &Value) {
        let _ = writeln!(self.to, "{value:#}");
    }
}

/// A line on standard error that is written over again, if that is a terminal.
pub(super) struct Ticker {
    shows: bool,
}

impl Ticker {
    pub(super) fn new(json: bool) -> Self {
        Ticker {
            shows: !json && std::io::stderr().is_terminal(),
        }
    }

    pub(super) fn show(&mut self, text: impl Display) {
        self.write(format_args!("\r{text}\u{1b}[K"));
    }

    pub(super) fn clear(&mut self) {
        self.write("\r\u{1b}[K");
    }

    fn write(&mut self, text: impl Display) {
        if self.shows {
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "{text}").and_then(|()| err.flush());
        }
    }
}

/// An error, with its code and its fix.
pub(super) fn report(error: &Error, json: bool, to: &mut dyn Write) {
    if json {
        let value = json!({ "error": {
            "code": error.code(), "message": error.to_string(), "fix": error.fix(), "docs": error.docs(),
        } });
        let _ = writeln!(to, "{value:#}");
        return;
    }
    let (code, message, fix) = (error.code(), error.to_string(), error.fix());
    let _ = writeln!(to, "{BAD}error[{code}]{BAD:#}: {}", inert(&message));
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let _ = writeln!(to, "  because: {}", inert(&cause.to_string()));
        source = cause.source();
    }
    let _ = writeln!(to, "  help: {}", inert(fix));
    let _ = writeln!(to, "  {DIM}see {}{DIM:#}", error.docs());
}

/// Text of which a terminal makes nothing but letters: what steers it is written out. Line feeds
/// and tabs of messages stay.
pub(super) fn inert(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if (c.is_control() && c != '\n' && c != '\t') || turns {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        assert_eq!(inert("a\u{1b}[31mb\r"), "a\\u{1b}[31mb\\u{d}");
        assert_eq!(inert("\u{202e}evil"), "\\u{202e}evil");
        assert_eq!(inert("två\nlines"), "två\nlines");
    }
}
