//! What a process did to the files of its store, seen by strace: each write with its bytes, each
//! sync, and the facts it told in between, in the order of the kernel.
//!
//! Not seen: what is written through memory that is mapped. SQLite does so with its `-shm` file
//! only, whose content counts for nothing once nobody has it open.

use crate::process::{Fact, describe};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes of one write that are logged; SQLite writes a page at a time.
const STRING_LIMIT_BYTES: usize = 1 << 17;

/// One thing that happened.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// A file was created in the folder, or emptied.
    Create(PathBuf),
    /// A file was taken out of the folder.
    Remove(PathBuf),
    /// Bytes were given to the kernel.
    Write(PathBuf, u64, Vec<u8>),
    /// A file was cut or stretched.
    Resize(PathBuf, u64),
    /// A sync of a file, or of the folder, was asked for.
    SyncBegun(PathBuf),
    /// It was answered.
    SyncDone(PathBuf),
    /// The process promised something.
    Told(Fact),
}

/// Runs a program of this binary on a store under strace, and gives all that happened.
pub(crate) fn traced(program: &str, store: &Path) -> Vec<Event> {
    let folder = store.parent().unwrap();
    let elsewhere = crate::settings::memory_folder();
    let (log, facts) = (elsewhere.path().join("log"), elsewhere.path().join("facts"));
    let calls = "trace=openat,write,pwrite64,lseek,fsync,fdatasync,ftruncate,unlink";
    let limit = STRING_LIMIT_BYTES.to_string();
    let mut command = Command::new("strace");
    command
        .args([
            "-f",
            "-qq",
            "-y",
            "-xx",
            "-e",
            "signal=none",
            "-e",
            calls,
            "-s",
            &limit,
            "-o",
        ])
        .arg(&log)
        .arg(std::env::current_exe().unwrap());
    describe(&mut command, program, store, &facts);
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{program}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let mut reader = Reader {
        folder: folder.to_owned(),
        facts,
        begun: BTreeMap::new(),
        places: BTreeMap::new(),
        events: Vec::new(),
    };
    for line in std::fs::read_to_string(&log).unwrap().lines() {
        reader.line(line);
    }
    reader.events
}

/// Reads the log line by line.
struct Reader {
    folder: PathBuf,
    facts: PathBuf,
    /// The calls that threads have begun and that others have interrupted in the log.
    begun: BTreeMap<String, String>,
    /// Where the next plain write of a descriptor goes.
    places: BTreeMap<String, u64>,
    events: Vec<Event>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let (thread, call) = line.split_once(' ').unwrap();
        let call = call.trim_start();
        if let Some(begin) = call.strip_suffix(" <unfinished ...>") {
            self.enter(begin);
            self.begun.insert(thread.to_owned(), begin.to_owned());
        } else if call.starts_with("<... ") {
            let end = call.split_once(" resumed>").unwrap().1;
            let begin = self.begun.remove(thread).unwrap();
            self.leave(&format!("{begin}{end}"));
        } else {
            self.enter(call);
            self.leave(call);
        }
    }

    /// What counts from the moment it is asked for.
    fn enter(&mut self, call: &str) {
        let Some((name, arguments)) = call.split_once('(') else {
            return;
        };
        match name {
            "fsync" | "fdatasync" => {
                if let Some((_, path)) = self.descriptor(arguments) {
                    self.events.push(Event::SyncBegun(path));
                }
            }
            "write" | "pwrite64" => self.write(name, arguments),
            _ => {}
        }
    }

    fn write(&mut self, name: &str, arguments: &str) {
        let Some((number, path)) = self.descriptor(arguments) else {
            return;
        };
        let mut parts = arguments.split('"');
        let bytes = unescape(parts.nth(1).unwrap());
        if path == self.facts {
            let line = String::from_utf8(bytes).unwrap();
            self.events.push(Event::Told(Fact::read(&line).unwrap()));
            return;
        }
        let numbers: Vec<u64> = parts
            .next()
            .unwrap()
            .split([',', ')', '=', ' '])
            .filter_map(|word| word.parse().ok())
            .collect();
        assert_eq!(bytes.len() as u64, numbers[0], "the log holds whole writes");
        let at = match name {
            "pwrite64" => numbers[1],
            _ => {
                let place = self.places.entry(number).or_default();
                let at = *place;
                *place += bytes.len() as u64;
                at
            }
        };
        self.events.push(Event::Write(path, at, bytes));
    }

    /// What counts once it is answered, and only if it worked.
    fn leave(&mut self, call: &str) {
        let (Some((name, arguments)), Some((_, answer))) =
            (call.split_once('('), call.rsplit_once(" = "))
        else {
            return;
        };
        if answer.starts_with('-') {
            return;
        }
        match name {
            "fsync" | "fdatasync" => {
                if let Some((_, path)) = self.descriptor(arguments) {
                    self.events.push(Event::SyncDone(path));
                }
            }
            "lseek" => {
                if let Some((number, _)) = self.descriptor(arguments) {
                    self.places.insert(number, answer.trim().parse().unwrap());
                }
            }
            "ftruncate" => {
                if let Some((_, path)) = self.descriptor(arguments) {
                    let length = arguments.split([',', ')']).nth(1).unwrap();
                    let length = length.trim().parse().unwrap();
                    self.events.push(Event::Resize(path, length));
                }
            }
            "openat" if arguments.contains("O_CREAT") => {
                let (number, path) = answer.split_once('<').unwrap();
                let path = name_of(path);
                self.places.insert(number.to_owned(), 0);
                // Created or not: the first time that it is seen, it was not there.
                if self.is_ours(&path) {
                    self.events.push(Event::Create(path));
                }
            }
            "openat" => {
                if let Some((number, _)) = answer.split_once('<') {
                    self.places.insert(number.to_owned(), 0);
                }
            }
            "unlink" => {
                let path = unescape(arguments.split('"').nth(1).unwrap());
                let path = PathBuf::from(String::from_utf8(path).unwrap());
                if self.is_ours(&path) {
                    self.events.push(Event::Remove(path));
                }
            }
            _ => {}
        }
    }

    /// The first argument, if it is a file of the store or the file of facts.
    fn descriptor(&self, arguments: &str) -> Option<(String, PathBuf)> {
        let (number, rest) = arguments.split_once('<')?;
        let path = name_of(rest);
        let known = self.is_ours(&path) || path == self.facts || path == self.folder;
        known.then(|| (number.to_owned(), path))
    }

    fn is_ours(&self, path: &Path) -> bool {
        path.parent() == Some(&self.folder)
    }
}

/// The path in `…>` as strace writes it, also where it adds that the file is gone.
fn name_of(text: &str) -> PathBuf {
    let text = text.split('>').next().unwrap_or_default();
    let bytes = if text.contains("\\x") {
        unescape(text)
    } else {
        text.as_bytes().to_vec()
    };
    PathBuf::from(String::from_utf8_lossy(&bytes).into_owned())
}

/// `\x41\x42` as bytes.
fn unescape(text: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap() as u8;
    let digits = text.as_bytes().chunks(4);
    digits
        .map(|four| {
            assert_eq!(&four[..2], b"\\x", "{text}");
            digit(four[2]) * 16 + digit(four[3])
        })
        .collect()
}
