//! The lock file beside this example is the one of its jobs. The rules are tested in the runtime.

use std::process::Command;

#[test]
fn the_lock_file_is_up_to_date() {
    let output = Command::new(env!("CARGO_BIN_EXE_quickstart"))
        .args(["jobs", "lock", "--check", "--strict"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}{errors}");
    assert_eq!(said, "jobs.lock is up to date\n");
}
