//! The page for those who come from the ancestor is whole: each of its exports has a row, each row
//! names a test, and each test is there.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const PAGE: &str = include_str!("../src/from-the-ancestor.md");

/// What the ancestor's steps, driver, errors and events export.
const EXPORTS: [&str; 58] = [
    "ClaimOptions",
    "ClaimedJob",
    "ConflictPolicy",
    "DEFAULT_QUEUE",
    "DEFAULT_VISIBILITY_TIMEOUT_MS",
    "DriverUnavailableError",
    "EnqueueRequest",
    "EnqueueResult",
    "EventBus",
    "EventLookup",
    "IdempotencyRequiredError",
    "JOB_BORROWED_ERROR_CODES",
    "JOB_ERROR_CODES",
    "JOB_ERROR_TITLES",
    "JOB_OWNED_ERROR_CODES",
    "JobDriver",
    "JobDuplicateError",
    "JobErrorCode",
    "JobEvent",
    "JobFilter",
    "JobIntrospection",
    "JobMaxAttemptsError",
    "JobNameTakenError",
    "JobOwnedErrorCode",
    "JobRecord",
    "JobState",
    "JobTimeoutError",
    "JobsNotImplementedError",
    "MemoryEventBusOptions",
    "NackOptions",
    "OutboxNoTxError",
    "PublishOptions",
    "QueueStats",
    "StepApi",
    "StepDuplicateError",
    "StepRecord",
    "StepRunner",
    "StepRunnerOptions",
    "StepStatus",
    "StepStore",
    "StepSuspension",
    "WaitForEventOptions",
    "createMemoryEventBus",
    "createMemoryStepStore",
    "createStepRunner",
    "eventBus",
    "isStepSuspension",
    "jobDriver",
    "publishEvent",
    "resetJobDriver",
    "setEventBus",
    "setJobDriver",
    "StepApi.run",
    "StepApi.sleep",
    "StepApi.waitForEvent",
    "StepRunner.usedNames",
    "StepRunner.replayedNames",
    "JobIntrospection.requeue",
];

/// The codes of the ancestor.
const CODES: [&str; 8] = [
    "X_DRIVER_UNAVAILABLE",
    "X_IDEMPOTENCY_REQUIRED",
    "X_JOB_DUPLICATE",
    "X_JOB_MAX_ATTEMPTS",
    "X_JOB_TIMEOUT",
    "X_NOT_IMPLEMENTED",
    "X_OUTBOX_NO_TX",
    "X_STEP_DUPLICATE",
];

/// The rows of all tables, as their three cells.
fn rows() -> Vec<Vec<&'static str>> {
    let lines = PAGE.lines().filter(|line| line.starts_with("| `"));
    lines
        .map(|line| line.trim_matches('|').split(" | ").collect())
        .collect()
}

/// What stands in code quotes.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            sources(&path, found);
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

/// The functions of all tests and conformance cases, and the cases of the compile-time refusals.
fn tests() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    sources(root, &mut files);
    let mut tests = BTreeSet::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        if file.parent().unwrap().ends_with("cases/fail") {
            tests.insert(file.file_stem().unwrap().to_str().unwrap().to_owned());
        }
        let mut before = "";
        for line in text.lines() {
            let line = line.trim();
            // An attribute or a case stands on the line above.
            let is_test = before.ends_with("test]") || before.starts_with("case!(");
            let function = line.trim_start_matches("async ").strip_prefix("fn ");
            if is_test && let Some((name, _)) = function.and_then(|rest| rest.split_once('(')) {
                tests.insert(name.to_owned());
            }
            before = line;
        }
    }
    tests
}

#[test]
fn every_export_of_the_ancestor_has_a_row() {
    let rows = rows();
    let mut listed: BTreeSet<&str> = rows.iter().flat_map(|row| quoted(row[0])).collect();
    // A row on a part of something is a row on it.
    let wholes = listed.iter().filter_map(|name| name.split_once('.'));
    let wholes: Vec<&str> = wholes.map(|(whole, _)| whole).collect();
    listed.extend(wholes);
    for export in EXPORTS {
        assert!(listed.contains(export), "{export} has no row");
    }
}

#[test]
fn every_row_names_a_test_that_is_there() {
    let tests = tests();
    for row in rows() {
        assert_eq!(row.len(), 3, "{row:?}");
        let mut named = quoted(row[2]).peekable();
        assert!(named.peek().is_some(), "{}: no test shows it", row[0]);
        for test in named {
            assert!(tests.contains(test), "{}: there is no test {test}", row[0]);
        }
    }
}

#[test]
fn the_codes_of_the_ancestor_are_all_here() {
    let codes: BTreeSet<&str> = jobs_runtime::codes().iter().map(|code| code.name).collect();
    for code in CODES {
        assert!(codes.contains(code), "{code}");
    }
}
