//! How much a run does: a little by default, which takes seconds, and more by hand.

use std::str::FromStr;

/// The number that the environment gives under this name, else the default.
pub(crate) fn setting<T: FromStr>(name: &str, default: T) -> T {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {text}")),
        Err(_) => default,
    }
}

/// A folder that costs no disk, where there is one; it goes away with the test.
pub(crate) fn memory_folder() -> tempfile::TempDir {
    let shared = std::path::Path::new("/dev/shm");
    match tempfile::tempdir_in(shared) {
        Ok(folder) => folder,
        Err(_) => tempfile::tempdir().unwrap(),
    }
}
