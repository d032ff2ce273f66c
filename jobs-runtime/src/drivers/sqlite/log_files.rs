//! Reads the two files beside a store without disturbing whoever has them open.
//!
//! The system drops all locks that a process holds on a file when the process closes any of its
//! handles. SQLite's locks are on the index; so a handle of one, once opened here, stays open.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Logs up to this size are read when the store is opened, in bytes: as much as SQLite is told to
/// keep of one.
const LOG_CHECK_LIMIT_BYTES: u64 = 64 * 1024 * 1024;

/// What of an index is read, in bytes: its header, twice, and how far the log was copied.
const INDEX_BYTES: usize = 136;

/// Indexes that a process keeps open; of further ones nothing is known.
const INDEX_LIMIT_FILES: usize = 64;

/// The log and the index of one store, read once and again.
pub(super) struct Looks {
    log: PathBuf,
    index: Option<Arc<File>>,
}

impl Looks {
    pub(super) fn at(path: &Path) -> Self {
        Looks {
            log: beside(path, "-wal"),
            index: open_for_good(&beside(path, "-shm")),
        }
    }

    /// The log as it is now, empty if it is not there, and what the index said before; `None` if
    /// the log is too long to be read.
    pub(super) fn next(&mut self) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
        // In this order: frames are written before the index counts them.
        let index = self.index.as_deref().and_then(start_of);
        let mut log = Vec::new();
        if let Ok(file) = File::open(&self.log) {
            if file.metadata().map_or(0, |file| file.len()) > LOG_CHECK_LIMIT_BYTES {
                return None;
            }
            // What cannot be read is told by SQLite, which reads it next.
            file.take(LOG_CHECK_LIMIT_BYTES)
                .read_to_end(&mut log)
                .ok()?;
        }
        Some((log, index))
    }
}

/// The path of a file that SQLite keeps beside another.
pub(super) fn beside(path: &Path, end: impl AsRef<OsStr>) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

#[cfg(unix)]
fn start_of(index: &File) -> Option<Vec<u8>> {
    let mut start = vec![0; INDEX_BYTES];
    std::os::unix::fs::FileExt::read_exact_at(index, &mut start, 0).ok()?;
    Some(start)
}

#[cfg(not(unix))]
fn start_of(_: &File) -> Option<Vec<u8>> {
    None
}

/// A handle that stays open for as long as the file has a name, one for each file.
#[cfg(unix)]
fn open_for_good(path: &Path) -> Option<Arc<File>> {
    use std::os::unix::fs::MetadataExt;
    type Known = ((u64, u64), Arc<File>);
    static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());
    let place = std::fs::metadata(path).ok()?;
    let place = (place.dev(), place.ino());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    // Nobody who comes later can find a file without a name, so its locks tell nobody anything.
    known.retain(|(_, file)| file.metadata().is_ok_and(|file| file.nlink() > 0));
    if let Some((_, file)) = known.iter().find(|(known, _)| *known == place) {
        return Some(file.clone());
    }
    if known.len() == INDEX_LIMIT_FILES {
        return None;
    }
    let file = Arc::new(File::open(path).ok()?);
    known.push((place, file.clone()));
    Some(file)
}

#[cfg(not(unix))]
fn open_for_good(_: &Path) -> Option<Arc<File>> {
    None
}
