//! The program from outside: killed at every step and started again, it charges and refunds once.
//!
//! Each case is two processes, the second of which mostly waits for the lease of the first, so all
//! cases of a test run at once. Nothing here waits for anything but the end of a process.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};

/// What is done for a trip, in order: its steps, and what each leaves in the ledger.
const BOOKED: (&str, &[(&str, &str)]) = (
    "T-1",
    &[
        ("book:flight", "charged"),
        ("book:hotel", "charged"),
        ("book:car", "charged"),
        ("confirm", "have a good trip"),
    ],
);
const REFUSED: (&str, &[(&str, &str)]) = (
    "T-2",
    &[
        ("book:flight", "charged"),
        ("book:hotel", "charged"),
        ("book:car", "refused"),
        ("cancel:hotel", "refunded hotel-T-2"),
        ("cancel:flight", "refunded flight-T-2"),
        ("apologise", "we are sorry"),
    ],
);
const SIGKILL: i32 = 9;

fn saga(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_saga"))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The ledger's lines, each once.
fn once((trip, steps): (&str, &[(&str, &str)])) -> Vec<String> {
    let lines = steps.iter();
    lines
        .map(|(step, what)| format!("{trip} {step} {what}"))
        .collect()
}

/// The ledger of a trip whose process was killed at `step`, and which then ran to its end.
fn killed_and_started_again(trip: &str, flag: &str, step: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("trips.db");
    let common = ["--db", db.to_str().unwrap(), "--trip", trip];
    let killed = saga(&[&common[..], &[flag, step]].concat());
    assert_eq!(killed.status.signal(), Some(SIGKILL), "{step}: {killed:?}");
    let again = saga(&common);
    assert!(again.status.success(), "{step}: {again:?}");
    let ledger = std::fs::read_to_string(folder.path().join("trips.db.ledger"));
    ledger.unwrap().lines().map(str::to_owned).collect()
}

/// Kills at each step of a trip, all at once, and hands each ledger to `check`.
fn at_each_step(
    (trip, steps): (&str, &[(&str, &str)]),
    flag: &str,
    check: impl Fn(usize, Vec<String>) + Sync,
) {
    std::thread::scope(|cases| {
        for (at, (step, _)) in steps.iter().enumerate() {
            let check = &check;
            cases.spawn(move || check(at, killed_and_started_again(trip, flag, step)));
        }
    });
}

#[test]
fn killed_after_each_record_in_turn_a_trip_is_charged_and_refunded_exactly_once() {
    for trip in [BOOKED, REFUSED] {
        at_each_step(trip, "--crash-after", |_, ledger| {
            assert_eq!(ledger, once(trip));
        });
    }
}

#[test]
fn killed_inside_a_body_only_that_body_is_done_again() {
    for trip in [BOOKED, REFUSED] {
        at_each_step(trip, "--crash-inside", |at, ledger| {
            let mut expected = once(trip);
            expected.insert(at, expected[at].clone());
            assert_eq!(ledger, expected);
        });
    }
}

#[test]
fn without_arguments_both_trips_are_told() {
    let output = saga(&[]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("T-1 is booked"), "{told}");
    assert!(told.contains("T-2 is cancelled: there are no cars in Venice"));
}
