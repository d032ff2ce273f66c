//! Where the file lies, looked at before it is opened: its folder, its file system, and what a
//! crash or a careless copy may have left beside it.
//!
//! Nothing here opens the file itself: closing any handle of it would drop the locks that this
//! process holds on it through SQLite.

use crate::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// File systems whose locks or shared memory do not reach across hosts, as Linux names them.
const NETWORK_FILE_SYSTEMS: [&str; 16] = [
    "9p",
    "afs",
    "beegfs",
    "ceph",
    "cifs",
    "coda",
    "davfs",
    "fuse.glusterfs",
    "fuse.s3fs",
    "fuse.sshfs",
    "gfs2",
    "glusterfs",
    "lustre",
    "nfs",
    "nfs4",
    "smb3",
];

/// Refuses a place where SQLite cannot keep its promises.
pub(super) fn check(path: &Path) -> Result<(), Error> {
    let folder = folder(path);
    let Ok(folder_is) = fs::metadata(&folder) else {
        return Err(Error::store_settings(
            format_args!(
                "the folder {} of the store does not exist",
                folder.display()
            ),
            "create the folder first; the file itself is created when it is opened",
        ));
    };
    if !folder_is.is_dir() || folder_is.permissions().readonly() {
        return Err(Error::store_settings(
            format_args!(
                "{} is not a folder that can be written to",
                folder.display()
            ),
            "let this user write to the folder: SQLite keeps two more files beside the store",
        ));
    }
    check_remains(path)?;
    // Only Linux tells it so; elsewhere the documentation has to do.
    let mounts = fs::read("/proc/self/mountinfo").unwrap_or_default();
    let mounts = String::from_utf8_lossy(&mounts);
    let folder = folder.canonicalize().unwrap_or(folder);
    match file_system(&mounts, &folder) {
        Some(kind) if NETWORK_FILE_SYSTEMS.contains(&kind.as_str()) => Err(Error::store_settings(
            format_args!(
                "{} lies on a network file system ({kind}), where SQLite's locks do not hold",
                path.display()
            ),
            "put the file on a disk of this host, or use a store that serves several hosts",
        )),
        _ => Ok(()),
    }
}

/// The log of changes without the file they belong to: SQLite would delete it, and what was
/// acknowledged would be gone.
fn check_remains(path: &Path) -> Result<(), Error> {
    let length = |path: &Path| fs::metadata(path).map(|file| file.len()).unwrap_or(0);
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let log = PathBuf::from(log);
    if length(path) > 0 || length(&log) == 0 {
        return Ok(());
    }
    Err(Error::store_corrupt(format_args!(
        "{} is missing or empty, but {} still holds changes of it",
        path.display(),
        log.display()
    )))
}

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The file system of the mount that `folder` lies on, as `/proc/self/mountinfo` tells it.
fn file_system(mountinfo: &str, folder: &Path) -> Option<String> {
    mountinfo
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ');
            let mount = PathBuf::from(unescape(fields.nth(4)?));
            let kind = fields.skip_while(|field| *field != "-").nth(1)?;
            folder.starts_with(&mount).then(|| (mount, kind.to_owned()))
        })
        // The deepest mount wins, and of two at one place the later one hides the other.
        .max_by_key(|(mount, _)| mount.components().count())
        .map(|(_, kind)| kind)
}

/// Undoes the four octal escapes that the kernel writes.
fn unescape(field: &str) -> String {
    field
        .replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\012", "\n")
        .replace("\\134", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "22 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw
31 22 0:27 / /srv/share rw shared:5 master:1 - nfs4 host:/export rw
32 31 0:28 / /srv/share/local rw - xfs /dev/vdb rw
33 22 0:29 / /srv/two\\040words rw - cifs //host/x rw
";

    #[test]
    fn the_deepest_mount_tells_the_file_system() {
        let kind = |folder: &str| file_system(MOUNTS, Path::new(folder));
        assert_eq!(kind("/var/lib").as_deref(), Some("ext4"));
        assert_eq!(kind("/srv/share/a").as_deref(), Some("nfs4"));
        assert_eq!(kind("/srv/share/local/a").as_deref(), Some("xfs"));
        assert_eq!(kind("/srv/shared").as_deref(), Some("ext4"));
        assert_eq!(kind("/srv/two words/a").as_deref(), Some("cifs"));
    }

    #[test]
    fn a_table_of_mounts_that_cannot_be_read_tells_nothing() {
        assert_eq!(file_system("", Path::new("/")), None);
        assert_eq!(file_system("\\\\ - 1 2 3\\4", Path::new("/")), None);
    }

    #[test]
    fn a_missing_folder_is_refused_by_name() {
        let error = check(Path::new("/no/such/folder/jobs.db")).unwrap_err();
        assert_eq!(error.code(), "X_STORE_SETTINGS");
        assert!(error.to_string().contains("/no/such/folder"));
    }
}
