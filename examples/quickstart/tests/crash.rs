//! The program from outside: killed at every step and started again, it does everything once.
//!
//! Each case is two processes that sleep most of the time, so all cases run at once. Nothing here
//! waits for anything but the end of a process.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// All steps of the job, and whether each has a body.
const STEPS: [(&str, bool); 7] = [
    ("reserve", true),
    ("charge", true),
    ("payment", false),
    ("release", true),
    ("ship", true),
    ("pause", false),
    ("thank", true),
];
/// What is done for the orders that come with the program, by step and order.
const EFFECTS: [(&str, &str); 11] = [
    ("charge", "A-1001"),
    ("charge", "A-1002"),
    ("charge", "A-1003"),
    ("release", "A-1003"),
    ("reserve", "A-1001"),
    ("reserve", "A-1002"),
    ("reserve", "A-1003"),
    ("ship", "A-1001"),
    ("ship", "A-1002"),
    ("thank", "A-1001"),
    ("thank", "A-1002"),
];
const SIGKILL: i32 = 9;

/// A folder with the files of one case.
struct Case {
    folder: TempDir,
}

impl Case {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Case { folder }
    }

    fn db(&self) -> PathBuf {
        self.folder.path().join("orders.db")
    }

    /// Starts the program on this case's store and waits for its end.
    fn start(&self, args: &[&str]) -> Output {
        let db = self.db();
        quickstart(&[&["--db", db.to_str().unwrap()], args].concat())
    }

    fn write(&self, orders: &str) -> PathBuf {
        let file = self.folder.path().join("orders.json");
        std::fs::write(&file, orders).unwrap();
        file
    }

    /// How often each effect was done for each order.
    fn effects(&self) -> BTreeMap<(String, String), usize> {
        let file = self.folder.path().join("orders.db.effects");
        let lines = std::fs::read_to_string(file).unwrap_or_default();
        let mut effects = BTreeMap::new();
        for line in lines.lines() {
            let mut words = line.split(' ').map(str::to_owned);
            let effect = (words.next().unwrap(), words.next().unwrap());
            *effects.entry(effect).or_default() += 1;
        }
        effects
    }
}

fn quickstart(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quickstart"))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The lines of the output that speak of an order.
fn lines_of<'o>(output: &'o str, order: &str) -> Vec<&'o str> {
    output.lines().filter(|line| line.contains(order)).collect()
}

/// Every effect once.
fn once() -> BTreeMap<(String, String), usize> {
    let effects = EFFECTS.map(|(step, order)| ((step.to_owned(), order.to_owned()), 1));
    BTreeMap::from(effects)
}

/// The order in which the crash of this output happened.
fn crashed_order(output: &str) -> &str {
    let line = output
        .lines()
        .find(|line| line.contains("kill -9"))
        .unwrap();
    line.split_whitespace()
        .find(|word| word.starts_with("A-"))
        .unwrap()
}

/// Runs the cases at the same time.
fn all_at_once(steps: impl Iterator<Item = &'static str>, case: impl Fn(&'static str) + Sync) {
    std::thread::scope(|scope| {
        for step in steps {
            let case = &case;
            scope.spawn(move || case(step));
        }
    });
}

#[test]
fn without_arguments_all_orders_are_sold_and_one_is_released() {
    let output = quickstart(&[]);
    assert!(output.status.success(), "{output:?}");
    let told = stdout(&output);
    assert!(told.contains("2 shipped, 1 released"), "{told}");
    for (step, order) in EFFECTS {
        let durable =
            |line: &&str| line.contains(&format!("  {step} ")) && line.contains("durable");
        assert_eq!(
            lines_of(&told, order).iter().filter(|l| durable(l)).count(),
            1,
            "{told}"
        );
    }
    for order in ["A-1001", "A-1002", "A-1003"] {
        assert!(
            lines_of(&told, order).join("\n").contains("parked"),
            "{told}"
        );
    }
    assert!(
        !told.contains('\x1b'),
        "colours are for terminals: {told:?}"
    );
}

#[test]
fn an_order_killed_after_any_step_goes_on_and_repeats_nothing() {
    all_at_once(STEPS.iter().map(|(step, _)| *step), |step| {
        let case = Case::new();
        let crashed = case.start(&["--crash-after", step]);
        assert_eq!(
            crashed.status.signal(),
            Some(SIGKILL),
            "{step}: {crashed:?}"
        );

        let resumed = case.start(&[]);
        assert!(resumed.status.success(), "{step}: {resumed:?}");
        let told = stdout(&resumed);
        assert!(told.contains("2 shipped, 1 released"), "{step}: {told}");
        assert_eq!(case.effects(), once(), "{step}: {told}");

        let crashed = stdout(&crashed);
        let order = crashed_order(&crashed);
        let lines = lines_of(&told, order).join("\n");
        match step {
            // The last step of an order shares its write with the end of the job.
            "thank" | "release" => {
                assert!(lines.contains("done before this start"), "{step}: {told}");
                assert!(!lines.contains("replays"), "{step}: {told}");
            }
            _ => {
                let replays = lines.lines().find(|line| line.contains("replays")).unwrap();
                assert!(replays.contains(step), "{step}: {told}");
            }
        }
        // These do not share their write with the parking of the run, so its worker held it.
        if ["reserve", "payment", "pause"].contains(&step) {
            assert!(
                lines.contains("for the lease of the dead"),
                "{step}: {told}"
            );
        }
    });
}

#[test]
fn an_order_killed_inside_any_body_repeats_that_body_alone() {
    let bodies = STEPS.iter().filter(|(_, body)| *body);
    all_at_once(bodies.map(|(step, _)| *step), |step| {
        let case = Case::new();
        let crashed = case.start(&["--crash-inside", step]);
        assert_eq!(
            crashed.status.signal(),
            Some(SIGKILL),
            "{step}: {crashed:?}"
        );

        let resumed = case.start(&[]);
        assert!(resumed.status.success(), "{step}: {resumed:?}");
        let told = stdout(&resumed);
        assert!(told.contains("for the lease of the dead"), "{step}: {told}");
        assert!(told.contains("2 shipped, 1 released"), "{step}: {told}");

        let mut expected = once();
        let order = crashed_order(&stdout(&crashed)).to_owned();
        expected.insert((step.into(), order), 2);
        assert_eq!(case.effects(), expected, "{step}: {told}");
    });
}

#[test]
fn orders_that_are_done_are_not_sold_again() {
    let case = Case::new();
    assert!(case.start(&[]).status.success());
    let again = case.start(&["--crash-after", "charge"]);
    assert!(again.status.success(), "{again:?}");
    let told = stdout(&again);
    assert!(
        told.contains("all jobs were done before this start"),
        "{told}"
    );
    assert_eq!(case.effects(), once());
}

#[test]
fn malformed_orders_are_reported_with_the_place_and_nothing_is_written() {
    let case = Case::new();
    let orders = case.write(
        "[\n  { \"id\": \"A-1\", \"customer\": \"Ada\",\n    \"items\": [{ \"sku\": \"tea\", \"quantity\": 0, \"cents\": 1 }] }\n]\n",
    );
    let refused = case.start(&["--orders", orders.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let report = stderr(&refused);
    let (place, rule) = ("orders.json:3:", "expected a quantity from 1 to 1000");
    assert!(report.contains(place) && report.contains(rule), "{report}");
    assert!(
        report.contains("\"quantity\": 0"),
        "the line is shown: {report}"
    );
    assert_eq!(files(case.folder.path()), ["orders.json"]);
}

#[test]
fn an_unknown_step_is_refused_with_those_there_are_and_the_nearest() {
    let case = Case::new();
    let refused = case.start(&["--crash-after", "chrage"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    let report = stderr(&refused);
    let steps = STEPS.map(|(step, _)| step).join(", ");
    assert!(
        report.contains(&steps),
        "every step is tested above: {report}"
    );
    assert!(
        report.contains("a similar value exists: 'charge'"),
        "{report}"
    );
    assert!(files(case.folder.path()).is_empty());
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}
