//! Where a start keeps its things: in a file that was named, or in a folder that is gone at the
//! end.

use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The files of one start.
pub(crate) struct Files {
    /// The SQLite file.
    pub(crate) store: PathBuf,
    /// What was done for the orders, a line for each effect.
    pub(crate) effects: PathBuf,
    /// Removed when it is dropped.
    temporary: Option<TempDir>,
}

impl Files {
    pub(crate) fn of(db: Option<&Path>) -> io::Result<Self> {
        let (store, temporary) = match db {
            Some(file) => (file.to_owned(), None),
            None => {
                let folder = tempfile::tempdir()?;
                (folder.path().join("orders.db"), Some(folder))
            }
        };
        let mut effects = store.clone().into_os_string();
        effects.push(".effects");
        Ok(Files {
            store,
            effects: effects.into(),
            temporary,
        })
    }

    /// The next start finds them again.
    pub(crate) fn are_kept(&self) -> bool {
        self.temporary.is_none()
    }

    /// The store's URL, in which `?` would begin the options.
    pub(crate) fn url(&self) -> String {
        let path = self.store.to_string_lossy();
        format!("sqlite://{}", path.replace('%', "%25").replace('?', "%3F"))
    }
}
