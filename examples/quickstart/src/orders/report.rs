//! What is wrong with a file of orders, as a report that shows the place.

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use std::error::Error;
use std::fmt::{self, Display};
use std::io;

/// A file of orders that was not taken.
#[derive(Debug)]
pub(crate) struct BadOrders {
    message: String,
    help: String,
    source: Option<NamedSource<String>>,
    labels: Vec<LabeledSpan>,
}

impl BadOrders {
    pub(super) fn unreadable(name: &str, why: &io::Error) -> Self {
        let message = format!("the orders of {name} cannot be read: {why}");
        let help = "give the path of a JSON file, or leave out `--orders`";
        BadOrders::without_place(message, help)
    }

    pub(super) fn too_large(name: &str, limit_bytes: u64) -> Self {
        let message = format!("the file {name} is larger than {limit_bytes} bytes");
        BadOrders::without_place(message, "put the orders into several files")
    }

    /// Not JSON, or not the form of an order.
    pub(super) fn malformed(name: &str, text: &str, why: &serde_json::Error) -> Self {
        let (line, column) = (why.line(), why.column());
        // serde_json writes the place behind its words; the report shows it by itself.
        let words = why.to_string();
        let place = format!(" at line {line} column {column}");
        let words = words.strip_suffix(&place).unwrap_or(&words).to_owned();
        BadOrders {
            message: format!("the orders of {name} are malformed at line {line}, column {column}"),
            help: "mend this place; no order of the file was enqueued".into(),
            source: Some(source(name, text)),
            labels: vec![label(text, token_at(text, line, column), words)],
        }
    }

    pub(super) fn count(name: &str, text: &str, count: usize, limit: usize) -> Self {
        let start = text.len() - text.trim_start().len();
        let list = (start, text.trim().len().min(1));
        BadOrders {
            message: format!("a file holds 1 to {limit} orders, and {name} holds {count}"),
            help: "add an order, or split the file; no order of it was enqueued".into(),
            source: Some(source(name, text)),
            labels: vec![label(text, list, format!("a list of {count}"))],
        }
    }

    /// Two orders of one number would be one job.
    pub(super) fn twice(name: &str, text: &str, id: &str) -> Self {
        let words = ["first here", "and again here"];
        let quoted = format!("\"{id}\"");
        let places = text.match_indices(&quoted);
        let places = places.filter(|(at, _)| is_value_of_id(&text[..*at]));
        let labels = places.zip(words);
        BadOrders {
            message: format!("two orders of {name} have the number {id}"),
            help: "give each order a number of its own: it is the key by which a job is done once"
                .into(),
            source: Some(source(name, text)),
            labels: labels
                .map(|((at, found), words)| label(text, (at, found.len()), words.into()))
                .collect(),
        }
    }

    fn without_place(message: String, help: &str) -> Self {
        BadOrders {
            message,
            help: help.into(),
            source: None,
            labels: Vec::new(),
        }
    }
}

impl Display for BadOrders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for BadOrders {}

impl Diagnostic for BadOrders {
    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(&self.help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}

fn source(name: &str, text: &str) -> NamedSource<String> {
    NamedSource::new(name, text.to_owned())
}

/// A label is drawn at whole characters, whatever bytes the place was found by.
fn label(text: &str, (at, len): (usize, usize), words: String) -> LabeledSpan {
    let start = text.floor_char_boundary(at);
    let end = text.ceil_char_boundary(at + len);
    LabeledSpan::new(Some(words), start, end - start)
}

fn is_value_of_id(before: &str) -> bool {
    let field = before.trim_end().strip_suffix(':');
    field.is_some_and(|field| field.trim_end().ends_with("\"id\""))
}

/// The number, word, text or sign at whose end serde_json stopped. Its columns count bytes, and
/// column 0 is the end of the line before.
fn token_at(text: &str, line: usize, column: usize) -> (usize, usize) {
    let before = text.split_inclusive('\n').take(line.saturating_sub(1));
    let start: usize = before.map(str::len).sum();
    let end = (start + column).min(text.len());
    let stopped = text.as_bytes()[..end].trim_ascii_end();
    let len = match stopped.last() {
        Some(b'"') => quoted_len(stopped),
        _ => {
            let word = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-._".contains(*byte);
            stopped.iter().rev().take_while(word).count()
        }
    };
    let len = len.max(1).min(stopped.len());
    (stopped.len() - len, len)
}

/// The length of the text that ends with the last quote.
fn quoted_len(bytes: &[u8]) -> usize {
    let inside = bytes.iter().rev().skip(1);
    inside.take_while(|byte| **byte != b'"').count() + 2
}
