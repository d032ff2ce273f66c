//! Everything this program logs, at every level, for cases about what is said and what is not.

use std::fmt::{Debug, Write};
use std::sync::{Mutex, Once};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps all log lines of this process from here on.
pub(crate) fn keep() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| tracing::subscriber::set_global_default(Keeper).unwrap());
}

/// The lines that say this.
pub(crate) fn with(text: &str) -> Vec<String> {
    let lines = LINES.lock().unwrap();
    lines
        .iter()
        .filter(|line| line.contains(text))
        .cloned()
        .collect()
}

/// How many lines there are.
pub(crate) fn count() -> usize {
    LINES.lock().unwrap().len()
}

struct Keeper;

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Keeper {
    fn add(metadata: &Metadata<'_>, record: impl FnOnce(&mut Line)) {
        let mut line = Line(format!("{} {}", metadata.level(), metadata.target()));
        record(&mut line);
        LINES.lock().unwrap().push(line.0);
    }
}

impl Subscriber for Keeper {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        Keeper::add(span.metadata(), |line| span.record(line));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        Keeper::add(event.metadata(), |line| event.record(line));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
