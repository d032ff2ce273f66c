//! Two crates that claim one durable name do not link, and the linker says where both claims are.
//! This cannot be a trybuild case, which never links: the fixture is built by cargo, offline, with
//! the versions of our own lock file, in a copy below the target directory.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/dup-names");
const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const CRATES: [(&str, &str); 3] = [("app", "main.rs"), ("one", "lib.rs"), ("two", "lib.rs")];

#[test]
fn two_crates_with_jobs_of_one_name_do_not_link() {
    let fixture = Fixture::copied_as("taken");
    let built = fixture.cargo(&["build"]);
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(!built.status.success(), "it was linked:\n{said}");
    for part in [
        "job name already taken: welcome",
        "[job defined in crate one 0.1.0 at one/src/lib.rs:5]",
        "[job defined in crate two 0.1.0 at two/src/lib.rs:6]",
    ] {
        assert!(said.contains(part), "{part:?} is not in:\n{said}");
    }
}

#[test]
fn two_crates_with_jobs_of_two_names_link() {
    let fixture = Fixture::copied_as("apart");
    let run = fixture.cargo(&["run", "--features", "apart"]);
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}");
    assert_eq!(String::from_utf8_lossy(&run.stdout), "welcome greet\n");
}

struct Fixture {
    folder: PathBuf,
}

impl Fixture {
    fn copied_as(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("dup-names")
            .join(name);
        for (krate, source) in CRATES {
            fs::create_dir_all(folder.join(krate).join("src")).unwrap();
            for file in ["Cargo.toml".to_owned(), format!("src/{source}")] {
                let file = Path::new(krate).join(file);
                fs::copy(Path::new(FIXTURE).join(&file), folder.join(&file)).unwrap();
            }
        }
        let workspace = fs::canonicalize(WORKSPACE).unwrap();
        let manifest = fs::read_to_string(Path::new(FIXTURE).join("Cargo.toml")).unwrap();
        let runtime = workspace.join("jobs-runtime");
        let manifest = manifest.replace("../../../jobs-runtime", &runtime.to_string_lossy());
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        fs::copy(workspace.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        Fixture { folder }
    }

    /// Both fixtures share one target directory, so that the runtime is built once.
    fn cargo(&self, arguments: &[&str]) -> Output {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("dup-names")
            .join("target");
        Command::new(env!("CARGO"))
            .args(arguments)
            .args(["--offline", "--quiet"])
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", target)
            // What the outer build was told is not meant for this one.
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .output()
            .unwrap()
    }
}
