//! Two crates that claim one durable name do not link, and the linker says where both claims are.
//! This cannot be a trybuild case, which never links: the fixture is built by cargo, offline, with
//! the versions of our own lock file, in a copy below the target directory.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/dup-names");
const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const CRATES: [(&str, &str); 5] = [
    ("app", "main.rs"),
    ("crowd", "lib.rs"),
    ("one", "lib.rs"),
    ("plugin", "lib.rs"),
    ("two", "lib.rs"),
];

/// The phrases for the job, for the name that it had before, and for the event.
const PHRASES: [&str; 7] = [
    "job name already taken: welcome",
    "job name already taken: hello",
    "event name already taken: paid",
    "[job defined in crate one 0.1.0 at one/src/lib.rs:5]",
    "[job defined in crate two 0.1.0 at two/src/lib.rs:9]",
    "[event defined in crate one 0.1.0 at one/src/lib.rs:10]",
    "[event defined in crate two 0.1.0 at two/src/lib.rs:38]",
];

#[test]
fn a_program_with_two_owners_of_a_name_does_not_link() {
    Fixture::copied_as("dev").refuses(&["build", "--package", "app"]);
}

#[test]
fn neither_does_its_test() {
    Fixture::copied_as("test").refuses(&["test", "--no-run", "--package", "app"]);
}

#[test]
fn neither_does_a_shared_library() {
    Fixture::copied_as("cdylib").refuses(&["build", "--package", "plugin"]);
}

#[test]
fn neither_does_a_program_after_thin_lto() {
    Fixture::copied_as("thin").refuses(&["build", "--package", "app", "--profile", "thin"]);
}

#[test]
fn two_crates_with_names_of_their_own_link() {
    let fixture = Fixture::copied_as("apart");
    let run = fixture.cargo(&["run", "--package", "app", "--features", "apart"]);
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}");
    assert_eq!(String::from_utf8_lossy(&run.stdout), "welcome greet\n");
    let built = fixture.cargo(&["build", "--package", "plugin", "--features", "apart"]);
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{said}");
}

#[test]
fn what_the_linker_cannot_see_is_refused_at_start() {
    let fixture = Fixture::copied_as("crowd");
    let tested = fixture.cargo(&["test", "--package", "crowd"]);
    let said = String::from_utf8_lossy(&tested.stderr);
    let printed = String::from_utf8_lossy(&tested.stdout);
    assert!(tested.status.success(), "{said}\n{printed}");
    assert!(printed.contains("1 passed"), "{printed}");
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

    #[track_caller]
    fn refuses(&self, arguments: &[&str]) {
        let built = self.cargo(arguments);
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(!built.status.success(), "it was linked:\n{said}");
        for part in PHRASES {
            assert!(said.contains(part), "{part:?} is not in:\n{said}");
        }
    }

    /// All fixtures share one target directory, so that the runtime is built once a profile.
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
