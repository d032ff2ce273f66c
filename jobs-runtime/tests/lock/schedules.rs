//! `jobs schedules`, called as a person does.

use crate::shown::jobs;
use jobs_runtime::cli;
use serde_json::Value;
use tempfile::TempDir;

/// A store that nobody has opened.
fn place() -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("jobs.db").display());
    (folder, url)
}

/// What `schedules` with these words and a store says.
async fn schedules(url: &str, args: &[&str]) -> (u8, String, String) {
    let mut all = vec!["schedules"];
    all.extend(args);
    all.extend(["--url", url]);
    jobs(&all).await
}

async fn json(url: &str, args: &[&str]) -> Value {
    let mut all = args.to_vec();
    all.push("--json");
    let (code, out, err) = schedules(url, &all).await;
    assert_eq!(code, cli::OK, "{err}");
    serde_json::from_str(&out).unwrap()
}

async fn set(url: &str) -> Value {
    let job = ["--job", "label.print", "--input", "7", "--queue", "slow"];
    let when = ["set", "labels", "0 6 * * mon-fri", "--zone", "Europe/Paris"];
    json(url, &[&when[..], &job[..]].concat()).await
}

#[tokio::test]
async fn a_schedule_is_set_shown_paused_resumed_and_removed() {
    let (_folder, url) = place();
    let (_, out, _) = schedules(&url, &["list"]).await;
    assert_eq!(out, "no schedules\n");
    let made = set(&url).await;
    assert_eq!(made["job"]["input"], 7);
    assert_eq!(made["next_ms"].as_array().unwrap().len(), 5);
    let (_, out, _) = schedules(&url, &["list"]).await;
    assert!(
        out.contains("labels  0 6 * * mon-fri in Europe/Paris\n"),
        "{out}"
    );
    let (_, out, _) = schedules(&url, &["show", "labels"]).await;
    assert!(out.contains("enqueues label.print 7"), "{out}");
    let (_, out, _) = schedules(&url, &["pause", "labels"]).await;
    assert_eq!(out, "paused labels\n");
    let shown = json(&url, &["show", "labels"]).await;
    assert_eq!(
        (&shown["paused"], &shown["trouble"]),
        (&true.into(), &Value::Null)
    );
    assert_eq!(json(&url, &["resume", "labels"]).await["done"], "resumed");
    assert_eq!(json(&url, &["show", "labels"]).await["paused"], false);
    assert_eq!(json(&url, &["remove", "labels"]).await["done"], "removed");
    assert_eq!(
        json(&url, &["list"]).await["schedules"],
        serde_json::json!([])
    );
}

#[tokio::test]
async fn a_span_is_filled_once_and_counted() {
    let (_folder, url) = place();
    set(&url).await;
    // A week, in the zone of the schedule.
    let span = [
        "backfill",
        "labels",
        "--from",
        "2026-03-02",
        "--until",
        "2026-03-09T00:00",
    ];
    let (code, out, err) = schedules(&url, &span).await;
    assert_eq!(code, cli::OK, "{err}");
    assert!(
        out.contains("2026-03-02 05:00:00") || out.contains("2026-03-02T05:00:00"),
        "{out}"
    );
    assert!(out.ends_with("5 ticks made, 0 were there\n"), "{out}");
    let again = json(&url, &span).await;
    assert_eq!(again["made_ms"].as_array().unwrap().len(), 0);
    assert_eq!(again["there_ms"].as_array().unwrap().len(), 5);
    let span = [
        "backfill",
        "labels",
        "--from",
        "march",
        "--until",
        "2026-03-09",
    ];
    let (code, _, err) = schedules(&url, &span).await;
    assert_eq!(code, cli::FOUND);
    assert!(err.contains("\"march\" is no time"), "{err}");
}

#[tokio::test]
async fn the_job_of_a_schedule_is_enqueued_by_hand() {
    let (_folder, url) = place();
    set(&url).await;
    let made = json(&url, &["run", "labels"]).await;
    let (_, out, _) = jobs(&["show", made["job"].as_str().unwrap(), "--url", &url]).await;
    assert!(out.contains("label.print"), "{out}");
}

#[tokio::test]
async fn what_cannot_be_scheduled_is_refused_with_a_remedy() {
    let (_folder, url) = place();
    let bad = [
        "set",
        "labels",
        "0 24 * * *",
        "--job",
        "label.print",
        "--input",
        "7",
    ];
    let (code, _, err) = schedules(&url, &bad).await;
    assert_eq!(code, cli::FOUND);
    assert!(
        err.contains("X_SCHEDULE_INVALID") && err.contains("midnight"),
        "{err}"
    );
    let bad = ["set", "labels", "@daily", "--job", "label.pritn"];
    let (_, _, err) = schedules(&url, &bad).await;
    assert!(err.contains("did you mean \"label.print\"?"), "{err}");
    let (code, _, err) = schedules(&url, &["show", "labels"]).await;
    assert_eq!(code, cli::FOUND);
    assert!(err.contains("X_SCHEDULE_UNKNOWN"), "{err}");
    let bad = [
        "set",
        "labels",
        "@daily",
        "--job",
        "label.print",
        "--missed",
        "some",
    ];
    let (code, _, _) = schedules(&url, &bad).await;
    assert_eq!(code, cli::MISUSED);
}
