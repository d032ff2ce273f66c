//! Histories read back from files, and put into one order.

use super::file::{Line, Lists};
use crate::torture::history::Entry;
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A history that cannot be read.
#[derive(Debug)]
pub enum ReadError {
    /// A line that no writer of this version wrote, and that is not a torn last one.
    Line {
        /// The file.
        file: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The file cannot be read.
    Store(PathBuf, io::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Line { file, line, reason } => {
                write!(f, "{}:{line} is no entry: {reason}", file.display())
            }
            ReadError::Store(file, error) => write!(f, "{}: {error}", file.display()),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads all files of a folder that end in `.jsonl`, as one history in the order of its clock.
///
/// # Errors
/// If the folder or a file cannot be read, or a line that is not the last of its file is broken.
pub fn read_folder(folder: &Path) -> Result<Vec<Entry>, ReadError> {
    let failed = |error| ReadError::Store(folder.to_owned(), error);
    let mut files = Vec::new();
    for file in std::fs::read_dir(folder).map_err(failed)? {
        let path = file.map_err(failed)?.path();
        if path.extension().is_some_and(|end| end == "jsonl") {
            files.push(path);
        }
    }
    files.sort();
    read_history(&files)
}

/// Reads files as one history, in the order of its clock; what one process wrote stays in the
/// order in which it did.
///
/// # Errors
/// If a file cannot be read, or a line that is not its last is broken.
pub fn read_history(files: &[PathBuf]) -> Result<Vec<Entry>, ReadError> {
    let mut entries = Vec::new();
    for file in files {
        read_file(file, &mut entries)?;
    }
    entries.sort_by_key(|entry| (entry.mono_ns, entry.process, entry.incarnation, entry.seq));
    Ok(entries)
}

fn read_file(file: &Path, into: &mut Vec<Entry>) -> Result<(), ReadError> {
    let bytes = std::fs::read(file).map_err(|error| ReadError::Store(file.to_owned(), error))?;
    let mut parts: HashMap<(u32, u32, u64), Lists> = HashMap::new();
    // What stands behind the last line feed is torn, and was never answered for.
    let Some(whole) = bytes.iter().rposition(|byte| *byte == b'\n') else {
        return Ok(());
    };
    let lines = bytes.get(..whole).unwrap_or_default();
    let mut lines = lines.split(|byte| *byte == b'\n').enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let line = match serde_json::from_slice(line) {
            Ok(line) => line,
            // So the next writer has marked a torn one.
            Err(_) if lines.next_if(|(_, next)| next.is_empty()).is_some() => continue,
            Err(error) => {
                return Err(ReadError::Line {
                    file: file.to_owned(),
                    line: index + 1,
                    reason: error.to_string(),
                });
            }
        };
        match line {
            Line::Part(part) => parts
                .entry((part.process, part.incarnation, part.seq))
                .or_default()
                .append(part.lists),
            Line::Entry(mut entry) => {
                let key = (entry.process, entry.incarnation, entry.seq);
                if let Some(lists) = parts.remove(&key) {
                    lists.give_to(&mut entry.what);
                }
                into.push(*entry);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{FileSink, LINE_LIMIT_BYTES, Log, MachineStamps};
    use super::*;
    use crate::core::{JobId, RecordKind, RunId, Timestamp, Token};
    use crate::torture::history::{Effect, Leased, Life, Op, Recorded, What};
    use std::io::Write;
    use std::sync::Arc;

    fn pen(file: &Path, incarnation: u32) -> Log {
        let life = Life {
            process: 3,
            incarnation,
        };
        let sink = FileSink::open(file).unwrap();
        Log::new(life, Arc::new(MachineStamps), Arc::new(sink))
    }

    fn effect(step: &str) -> What {
        What::EffectBegin(Effect {
            run: RunId::new(Timestamp(1), 1),
            step: step.into(),
            attempt: 1,
            epoch: None,
            hash: 0,
            failed: false,
        })
    }

    fn with_a_journal_of(records: usize) -> What {
        let record = |n: usize| Recorded {
            step: format!("step-{n}-{}", "x".repeat(80)),
            kind: RecordKind::Step,
            position: None,
            ended: None,
            hash: n as u64,
            attempts: 1,
            wake_at: None,
            wait: None,
            event: None,
            child: None,
        };
        What::Leased {
            op: Op(1),
            lease: Box::new(Leased {
                job: JobId::new(Timestamp(1), 1),
                run: RunId::new(Timestamp(1), 1),
                token: Token { epoch: 1, nonce: 2 },
                attempt: 1,
                attempts_max: 3,
                lease_losses: 0,
                from: Timestamp(1),
                until: Timestamp(2),
                tenant: None,
                limit_key: None,
                input: 0,
                journal: (0..records).map(record).collect(),
                inbox: Vec::new(),
            }),
        }
    }

    #[test]
    fn what_was_written_comes_back_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("worker.jsonl");
        let log = pen(&file, 1);
        log.write(effect("a"));
        log.write(effect("b"));
        let entries = read_folder(folder.path()).unwrap();
        let told: Vec<_> = entries
            .iter()
            .map(|entry| (entry.seq, &entry.what))
            .collect();
        assert_eq!(told, [(1, &effect("a")), (2, &effect("b"))]);
        assert_eq!(log.lost(), 0);
    }

    #[test]
    fn a_long_entry_is_written_in_short_lines_and_comes_back_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("worker.jsonl");
        let log = pen(&file, 1);
        log.write(with_a_journal_of(100));
        assert_eq!(log.lost(), 0);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.lines().all(|line| line.len() < LINE_LIMIT_BYTES));
        assert!(text.lines().count() > 1);
        let entries = read_history(&[file]).unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].what, with_a_journal_of(100));
    }

    #[test]
    fn a_torn_last_line_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("worker.jsonl");
        pen(&file, 1).write(effect("a"));
        tear(&file);
        let entries = read_history(std::slice::from_ref(&file)).unwrap();
        assert_eq!(entries.len(), 1);
    }

    #[test]
    fn a_process_that_was_killed_before_its_first_entry_leaves_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("worker.jsonl");
        drop(FileSink::open(&file).unwrap());
        assert!(read_history(&[file]).unwrap().is_empty());
    }

    #[test]
    fn the_next_life_writes_on_behind_a_torn_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("worker.jsonl");
        pen(&file, 1).write(effect("a"));
        tear(&file);
        pen(&file, 2).write(effect("b"));
        let entries = read_history(&[file]).unwrap();
        let told: Vec<_> = entries.iter().map(|entry| entry.incarnation).collect();
        assert_eq!(told, [1, 2]);
    }

    #[test]
    fn a_broken_line_in_the_middle_is_an_error_that_says_where() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("worker.jsonl");
        std::fs::write(&file, "{\"p\":1}\n{\"p\":2}\n").unwrap();
        let error = read_history(&[file]).unwrap_err();
        assert!(error.to_string().contains("worker.jsonl:1 is no entry"));
    }

    fn tear(file: &Path) {
        let mut file = std::fs::OpenOptions::new().append(true).open(file).unwrap();
        file.write_all(b"{\"p\":3,\"i\":1,\"s\":2,\"m\":").unwrap();
    }
}
