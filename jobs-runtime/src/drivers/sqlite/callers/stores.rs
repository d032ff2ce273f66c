//! The stores that this process has open, by their files: a transaction of the caller's names only
//! a file, and what is stored in it shall follow the limits and the clock of the store there.

use super::super::{Shared, SqliteOptions};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

static OPEN: Mutex<Vec<(PathBuf, Weak<Shared>)>> = Mutex::new(Vec::new());

/// Notes a store whose file is there. It is forgotten when the store is dropped.
pub(in super::super) fn remember(shared: &Arc<Shared>) {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|(_, store)| store.strong_count() > 0);
    open.push((whole(&shared.path), Arc::downgrade(shared)));
}

/// The store in this file that was opened last; without one, what an open with the default options
/// would know.
pub(super) fn find(path: &Path) -> Found {
    let path = whole(path);
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = open.iter().rev().filter(|(place, _)| *place == path);
    let store = known.filter_map(|(_, store)| store.upgrade()).next();
    drop(open);
    match store {
        Some(store) => Found::Open(store),
        None => Found::Closed(Arc::new(Shared::new(&path, SqliteOptions::default()))),
    }
}

pub(super) enum Found {
    /// Nobody here has it open: whether its schema fits is not known.
    Closed(Arc<Shared>),
    Open(Arc<Shared>),
}

/// One spelling for one file.
pub(super) fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
