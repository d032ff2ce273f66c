//! `jobs bench --quick`: every scenario gives a figure on every store, and what a store does for a
//! job or a step stays under a ceiling. Never a speed: that is for people, on a quiet machine.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::Value;
use std::ffi::OsString;

/// Most of something for each job or step.
struct Ceiling {
    scenario: &'static str,
    figure: &'static str,
    most: f64,
}

const fn ceiling(scenario: &'static str, figure: &'static str, most: f64) -> Ceiling {
    Ceiling {
        scenario,
        figure,
        most,
    }
}

/// Scenarios on every store; SQLite has one more.
const SCENARIOS: usize = 17;

/// Runs all scenarios of a store, and gives the figures of ours by their names.
async fn figures(store: &str) -> Vec<Value> {
    let args = ["bench", "--quick", "--json", "--store", store];
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = args.map(OsString::from);
    let code = jobs_runtime::cli::run(args, &mut out, &mut err).await;
    assert_eq!(code, 0, "{}", String::from_utf8_lossy(&err));
    let lines = String::from_utf8(out).unwrap();
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let ours: Vec<Value> = lines.filter(|line: &Value| line["who"] == "ours").collect();
    let given: std::collections::BTreeSet<&str> = ours
        .iter()
        .map(|it| it["scenario"].as_str().unwrap())
        .collect();
    assert_eq!(given.len(), SCENARIOS, "{given:?}");
    for line in &ours {
        assert!(line["value"].as_f64().unwrap() >= 0.0, "{line}");
    }
    ours
}

fn hold(ours: &[Value], ceilings: &[Ceiling]) {
    for ceiling in ceilings {
        let line = ours.iter().find(|it| it["scenario"] == ceiling.scenario);
        let line = line.unwrap_or_else(|| panic!("no figure for {}", ceiling.scenario));
        let figure = line[ceiling.figure].as_f64();
        let figure = figure.unwrap_or_else(|| panic!("no {}: {line}", ceiling.figure));
        assert!(
            figure <= ceiling.most,
            "{} of {} are {figure}, above {}",
            ceiling.figure,
            ceiling.scenario,
            ceiling.most
        );
    }
}

#[tokio::test]
async fn every_scenario_gives_a_figure_in_memory() {
    figures("memory://").await;
}

#[tokio::test]
async fn counts_stay_under_their_ceilings_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bench.db");
    let ours = figures(&format!("sqlite://{}", file.display())).await;
    hold(
        &ours,
        &[
            ceiling("drain", "commits_each", 0.2),
            ceiling("enqueue", "commits_each", 1.1),
            ceiling("enqueue-256", "commits_each", 0.5),
            ceiling("enqueue-1000", "commits_each", 0.01),
            ceiling("runs-10", "commits_each", 0.2),
            // Beside the steps, the claim, the end of the run and looks.
            ceiling("alone", "commits_each", 2.0),
        ],
    );
    assert!(!file.exists(), "the file of a measurement is removed");
}

#[tokio::test]
#[ignore = "needs a server: scripts/test postgres"]
async fn counts_stay_under_their_ceilings_on_postgres() {
    let url = std::env::var("JOBS_TEST_POSTGRES");
    let url = url.expect("JOBS_TEST_POSTGRES names no server: run `scripts/test postgres`");
    let ours = figures(&url).await;
    hold(
        &ours,
        &[
            ceiling("drain", "commits_each", 0.3),
            ceiling("drain", "statements_each", 2.0),
            // The second is the connection that listens: it reads each notice in a transaction.
            ceiling("enqueue", "commits_each", 2.5),
            ceiling("enqueue", "statements_each", 8.5),
            ceiling("enqueue-256", "statements_each", 4.0),
            ceiling("enqueue-1000", "commits_each", 0.01),
            ceiling("enqueue-1000", "statements_each", 0.03),
            ceiling("runs-10", "commits_each", 0.2),
            ceiling("alone", "commits_each", 3.0),
        ],
    );
}

#[tokio::test]
async fn a_place_that_is_not_empty_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.db");
    std::fs::write(&file, "mine").unwrap();
    let url = format!("sqlite://{}", file.display());
    let refused = refused(&url).await;
    assert!(refused.contains("mine.db is there"), "{refused}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
}

#[tokio::test]
async fn a_url_that_names_no_store_is_refused() {
    let refused = refused("redis://here").await;
    assert!(
        refused.contains("names no store that can be measured"),
        "{refused}"
    );
}

async fn refused(store: &str) -> String {
    let args = ["bench", "--quick", "--store", store].map(OsString::from);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = jobs_runtime::cli::run(args, &mut out, &mut err).await;
    assert_eq!(code, 1);
    String::from_utf8(err).unwrap()
}
