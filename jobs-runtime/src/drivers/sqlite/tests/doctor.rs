//! The doctor: a healthy store, and one finding for each thing that can be wrong with it.

use super::super::doctor::report;
use super::super::migrations;
use super::*;
use crate::contract::{Gravity, Report};

async fn examined(path: &Path) -> Report {
    let env = crate::clock::Env::system();
    report(path.to_owned(), SqliteOptions::default().env(env))
        .await
        .unwrap()
}

fn names(report: &Report) -> Vec<&str> {
    report
        .findings
        .iter()
        .map(|finding| finding.name.as_str())
        .collect()
}

/// A store with a live keyed job, and what a statement makes of it.
async fn after(statement: &str) -> Report {
    let (_folder, path) = place();
    let store = open(&path).await;
    let mut job = job("mail");
    job.spec.key = Some("k".into());
    enqueue(&store, &job).await;
    let connection = raw(&path);
    connection
        .execute_batch("PRAGMA foreign_keys = OFF")
        .unwrap();
    connection.execute_batch(statement).unwrap();
    let report = store.doctor().await.unwrap();
    store.close().await;
    report
}

#[tokio::test]
async fn a_store_that_works_is_healthy_and_says_how_it_is_set() {
    let report = after("SELECT 1").await;
    assert!(report.is_healthy(), "{report}");
    assert_eq!(report.fact("journal_mode"), Some("wal"));
    assert_eq!(report.fact("durability"), Some("machine"));
    let newest = migrations().len().to_string();
    assert_eq!(report.fact("schema_version"), Some(newest.as_str()));
    assert!(report.to_string().ends_with("nothing is wrong\n"));
}

#[tokio::test]
async fn rows_that_contradict_each_other_are_found_by_name() {
    let live = "SELECT id FROM jobs_job";
    for (name, statement) in [
        ("job_without_input", "DELETE FROM jobs_spec".to_owned()),
        ("job_without_its_key", "DELETE FROM jobs_key".to_owned()),
        ("key_of_nobody", "UPDATE jobs_key SET job = zeroblob(16)".to_owned()),
        (
            "job_twice",
            format!(
                "INSERT INTO jobs_ended SELECT id, run_id, name, queue, 'done', NULL, NULL, 1, '{{}}'
                 FROM jobs_job WHERE id IN ({live})"
            ),
        ),
        (
            "wait_missing",
            format!(
                "INSERT INTO jobs_step (job, name, kind, fingerprint, attempts, started_at, wait)
                 VALUES (({live}), 's', 'event', 0, 0, 0, '{{}}')"
            ),
        ),
        (
            "wait_over",
            format!(
                "INSERT INTO jobs_step (job, name, kind, position, outcome, fingerprint, attempts, started_at)
                 VALUES (({live}), 's', 'event', 0, 'timed_out', 0, 0, 0);
                 INSERT INTO jobs_wait (job, step, event, since) VALUES (({live}), 's', 'e', 0)"
            ),
        ),
        ("text_unreadable", "UPDATE jobs_spec SET labels = 'no json'".to_owned()),
        ("stored_in_the_future", "UPDATE jobs_job SET enqueued_at = 1 << 60".to_owned()),
        (
            "lease_too_long",
            "UPDATE jobs_job SET state = 'running', visible_at = 1 << 60".to_owned(),
        ),
        ("orphan_rows", "DELETE FROM jobs_job".to_owned()),
    ] {
        let report = after(&statement).await;
        assert!(names(&report).contains(&name), "{name}: {report}");
        assert!(report.findings.iter().all(|finding| !finding.remedy.is_empty()));
    }
}

#[tokio::test]
async fn a_file_that_is_not_there_is_told_and_not_created() {
    let (_folder, path) = place();
    assert_eq!(names(&examined(&path).await), ["no_file"]);
    assert!(!path.exists());
}

#[tokio::test]
async fn a_file_of_somebody_else_holds_no_store() {
    let (_folder, path) = place();
    raw(&path)
        .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE theirs (a INTEGER)")
        .unwrap();
    assert_eq!(names(&examined(&path).await), ["no_store"]);
}

#[tokio::test]
async fn what_keeps_a_store_from_opening_is_a_finding_with_its_remedy() {
    let (_folder, path) = place();
    std::fs::write(
        &path,
        "this is no database, though it is long enough to be one ".repeat(100),
    )
    .unwrap();
    let report = examined(&path).await;
    assert_eq!(names(&report), ["store_corrupt"]);
    assert_eq!(report.findings[0].gravity, Gravity::Damage);
}

#[tokio::test]
async fn a_newer_schema_and_weak_durability_are_told() {
    let (_folder, path) = place();
    open(&path).await.close().await;
    raw(&path)
        .execute("INSERT INTO jobs_migration VALUES (99, 'later')", [])
        .unwrap();
    let options = SqliteOptions::default().allow_weak_durability();
    let report = report(path, options).await.unwrap();
    assert_eq!(names(&report), ["schema_newer", "weak_durability"]);
}

/// A look must not make the damage invisible to the next one, or to the store.
#[tokio::test]
async fn a_log_that_was_cut_is_found_however_often_one_looks() {
    let (_folder, path) = place();
    let store = open(&path).await;
    enqueue(&store, &job("mail")).await;
    let copy = place();
    for end in ["", "-wal", "-shm"] {
        let (from, to) = (
            format!("{}{end}", path.display()),
            format!("{}{end}", copy.1.display()),
        );
        std::fs::copy(from, to).unwrap();
    }
    store.close().await;
    let log = format!("{}-wal", copy.1.display());
    let file = std::fs::OpenOptions::new().write(true).open(&log).unwrap();
    file.set_len(file.metadata().unwrap().len() - 10).unwrap();
    for _ in 0..2 {
        assert_eq!(names(&examined(&copy.1).await), ["store_corrupt"]);
    }
    let refused = Sqlite::open(&copy.1, SqliteOptions::default()).await;
    assert_eq!(
        refused.err().map(|error| error.code()),
        Some("X_STORE_CORRUPT")
    );
}
