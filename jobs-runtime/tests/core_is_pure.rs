//! The core builds without std, and imports go one way: `core`, then `contract`, then `drivers`.
//!
//! The compiler keeps neither by itself: a `use` in the wrong direction compiles, and is found
//! only when the core can no longer be simulated or a driver no longer be exchanged.

// Helpers of tests are tests, which the lint cannot see.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the files under a folder of `src` may name of this crate.
const ALLOWED: &[(&str, &[&str])] = &[
    ("core", &["core"]),
    ("contract", &["Error", "contract", "core"]),
    (
        "drivers",
        // Crash points and planted bugs are nothing in a build without them.
        &[
            "Error", "clock", "contract", "core", "doctor", "drivers", "torture",
        ],
    ),
    (
        "conformance",
        &["Error", "clock", "conformance", "contract", "core"],
    ),
];

/// Who may name a driver, besides the drivers themselves and tests: `testing` gives users the
/// memory driver under virtual time, and a measurement is of one store and beside its own limit.
const NAMES_DRIVERS: &[&str] = &[
    "bench/place.rs",
    "connect.rs",
    "lib.rs",
    "testing/mod.rs",
    "torture/sim/engine.rs",
    "torture/sim/fleet.rs",
];

#[test]
fn the_core_builds_without_std() {
    let fixture = root().join("tests/fixtures/core-no-std");
    // The versions of the workspace, which are at hand without a network.
    fs::copy(root().join("../Cargo.lock"), fixture.join("Cargo.lock")).unwrap();
    let built = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet"])
        .current_dir(&fixture)
        .env("CARGO_TARGET_DIR", env!("CARGO_TARGET_TMPDIR"))
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{words}");
}

#[test]
fn imports_go_one_way() {
    for (folder, allowed) in ALLOWED {
        let mut seen = 0;
        for (file, text) in sources(&root().join("src").join(folder)) {
            seen += 1;
            for name in names_of_this_crate(&text) {
                assert!(
                    allowed.contains(&name.as_str()),
                    "{} names `crate::{name}`, and `{folder}` may only name {allowed:?}",
                    file.display()
                );
            }
        }
        assert!(seen > 0, "there is nothing in src/{folder}");
    }
}

#[test]
fn nobody_but_connect_names_a_driver() {
    let src = root().join("src");
    for (file, text) in sources(&src) {
        let path = file.strip_prefix(&src).unwrap();
        let exempt = path.starts_with("drivers")
            // Programs of their own.
            || path.starts_with("bin")
            || NAMES_DRIVERS.iter().any(|name| path == Path::new(name));
        let named = names_of_this_crate(&text).contains("drivers");
        assert!(
            exempt || !named,
            "{} names a driver; ask its capabilities instead",
            file.display()
        );
    }
}

#[test]
fn the_scan_sees_every_form_of_a_path() {
    let text = "
        use crate::core::{Job, JobId};
        use crate::{clock::Env, Error, contract::{Driver, Inspect}};
        // use crate::worker::Worker;
        fn f() { crate::drivers::memory::X } // crate::client
        pub(crate) struct Y(jobs_runtime::registry::Z);
        #[cfg(test)]
        mod tests { use crate::admin::Admin; }
    ";
    let expected = ["Error", "clock", "contract", "core", "drivers", "registry"];
    let names = names_of_this_crate(&without_tests(text));
    assert_eq!(names, expected.map(String::from).into());
}

/// The first name after each `crate::`, in code and not in comments.
fn names_of_this_crate(text: &str) -> BTreeSet<String> {
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    let mut names = BTreeSet::new();
    for root in ["crate::", "jobs_runtime::"] {
        for (at, _) in code.match_indices(root) {
            let rest = code[at + root.len()..].trim_start();
            match rest.strip_prefix('{') {
                Some(group) => names.extend(firsts_of_group(group)),
                None => names.extend([ident(rest)]),
            }
        }
    }
    names
}

/// The first name of each item of a braced group, whose inside begins the text.
fn firsts_of_group(group: &str) -> Vec<String> {
    let mut depth = 0;
    let mut items = vec![String::new()];
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => items.push(String::new()),
            _ => items.last_mut().unwrap().push(c),
        }
    }
    let names = items.iter().map(|item| ident(item.trim_start()));
    names.filter(|name| !name.is_empty()).collect()
}

fn ident(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

/// Every source file under a folder, less its tests.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") && name != "tests.rs" {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, without_tests(&text)));
        }
    }
    found
}

/// Tests stand at the bottom of a file, and may name anything.
fn without_tests(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines.windows(2).position(|pair| {
        pair[0].trim() == "#[cfg(test)]" && pair[1].trim_start().starts_with("mod tests")
    });
    lines[..tests.unwrap_or(lines.len())].join("\n")
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
