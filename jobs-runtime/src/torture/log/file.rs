//! A history in a file that survives the killing of whoever writes it: lines of JSON, each written
//! by one call of the system, to the end of the file. A file has one writer at a time.
//!
//! A line has at most [`LINE_LIMIT_BYTES`]. The lists of an entry that would be longer go before
//! it, as lines of their own; a writer that is killed between them leaves parts without an entry,
//! which a reader drops.

use super::Sink;
use crate::core::EventId;
use crate::torture::history::{Call, Entry, Recorded, What};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// No line is longer.
pub const LINE_LIMIT_BYTES: usize = 4096;

/// Items of a list in a line of their own.
const PART_ITEMS: usize = 6;

/// What a line holds.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Line {
    Entry(Box<Entry>),
    Part(Part),
}

/// Some of what the lists of the entry with this number hold.
#[derive(Serialize, Deserialize)]
pub(super) struct Part {
    #[serde(rename = "p")]
    pub(super) process: u32,
    #[serde(rename = "i")]
    pub(super) incarnation: u32,
    #[serde(rename = "of")]
    pub(super) seq: u64,
    #[serde(flatten)]
    pub(super) lists: Lists,
}

/// The lists that can make an entry long.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Lists {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    records: Vec<Recorded>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removed: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inbox: Vec<EventId>,
}

impl Lists {
    fn take_from(what: &mut What) -> Self {
        let mut lists = Lists::default();
        lists.swap_with(what);
        lists
    }

    /// Gives an entry its lists back.
    pub(super) fn give_to(mut self, what: &mut What) {
        self.swap_with(what);
    }

    fn swap_with(&mut self, what: &mut What) {
        use std::mem::swap;
        match what {
            What::Invoke {
                call: Call::Commit(commit),
                ..
            } => {
                swap(&mut self.records, &mut commit.records);
                swap(&mut self.removed, &mut commit.removed);
            }
            What::Job(dumped) => swap(&mut self.records, &mut dumped.journal),
            What::Leased { lease, .. } => {
                swap(&mut self.records, &mut lease.journal);
                swap(&mut self.inbox, &mut lease.inbox);
            }
            _ => {}
        }
    }

    /// Adds what a further part holds.
    pub(super) fn append(&mut self, mut other: Lists) {
        self.records.append(&mut other.records);
        self.removed.append(&mut other.removed);
        self.inbox.append(&mut other.inbox);
    }

    /// The same in parts that are short enough.
    fn parts(&self) -> Vec<Lists> {
        let most = [self.records.len(), self.removed.len(), self.inbox.len()];
        let most = most.into_iter().max().unwrap_or(0);
        (0..most)
            .step_by(PART_ITEMS)
            .map(|from| Lists {
                records: part(&self.records, from),
                removed: part(&self.removed, from),
                inbox: part(&self.inbox, from),
            })
            .collect()
    }
}

fn part<T: Clone>(items: &[T], from: usize) -> Vec<T> {
    items.iter().skip(from).take(PART_ITEMS).cloned().collect()
}

/// The end of a file.
pub struct FileSink {
    file: File,
}

impl FileSink {
    /// Opens a file to add to it; makes it if it is not there.
    ///
    /// # Errors
    /// If the file cannot be opened or made.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)?;
        if is_torn(&mut file)? {
            // An empty line says that the one before it is torn.
            file.write_all(b"\n\n")?;
        }
        Ok(FileSink { file })
    }

    fn line(&self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.write(&text)
    }

    /// One call: what it leaves over says that the disk is full.
    fn write(&self, text: &[u8]) -> io::Result<()> {
        if text.len() > LINE_LIMIT_BYTES {
            return Err(io::Error::other("an entry is longer than a line may be"));
        }
        loop {
            match (&self.file).write(text) {
                Ok(written) if written == text.len() => return Ok(()),
                Ok(_) => return Err(io::ErrorKind::WriteZero.into()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Sink for FileSink {
    fn put(&self, entry: Entry) -> io::Result<()> {
        let mut text = serde_json::to_vec(&entry)?;
        text.push(b'\n');
        if text.len() <= LINE_LIMIT_BYTES {
            return self.write(&text);
        }
        let mut entry = entry;
        for lists in Lists::take_from(&mut entry.what).parts() {
            self.line(&Line::Part(Part {
                process: entry.process,
                incarnation: entry.incarnation,
                seq: entry.seq,
                lists,
            }))?;
        }
        self.line(&Line::Entry(Box::new(entry)))
    }
}

/// Whether the last writer was killed within a line.
fn is_torn(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}
