//! Real processes on one SQLite file, or on a Postgres server, killed and stopped: the slice of the crash harness that runs
//! with every test. Longer runs are made by hand, with the program that is started here.

// Helpers of tests are tests, which the lint cannot see.
#![allow(clippy::unwrap_used)]

use std::process::{Command, Stdio};

/// Trials at a time: they wait more than they compute.
const LANES: &str = "4";

fn harness(args: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_torture"))
        .args(args)
        .args(["--lanes", LANES, "--enough", "1"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}\n{why}");
}

#[test]
fn a_hundred_and_twenty_trials_break_no_promise() {
    harness(&["run", "--mode", "mixed", "--seeds", "0..120"]);
}

#[test]
fn i12_limits_hold_while_four_workers_are_killed_at_random() {
    // Slower than others: what it shows is contention, and a machine that has much to do must not be
    // what ends the leases.
    let slow = ["--speed", "10", "--heal-ms", "60000", "--chaos-ms", "1600"];
    harness(&[&["run", "--mode", "crowd", "--seeds", "0..8"][..], &slow].concat());
}

#[test]
fn a_process_can_be_killed_at_every_crash_point() {
    harness(&["sweep", "--mode", "point", "--hits", "1"]);
}

fn on_postgres(args: &[&str]) {
    let url = std::env::var("JOBS_TEST_POSTGRES").unwrap();
    // A server answers later than a file, and the machine is its too.
    let slow = ["--speed", "20", "--chaos-ms", "800", "--heal-ms", "30000"];
    harness(&[args, &["--server", &url], &slow].concat());
}

#[test]
#[ignore = "needs a server: scripts/test postgres"]
fn on_postgres_a_hundred_and_twenty_trials_break_no_promise() {
    on_postgres(&["run", "--mode", "mixed", "--seeds", "0..120"]);
}

#[test]
#[ignore = "needs a server: scripts/test postgres"]
fn on_postgres_a_process_can_be_killed_at_every_crash_point() {
    on_postgres(&["sweep", "--mode", "point", "--hits", "1"]);
}
