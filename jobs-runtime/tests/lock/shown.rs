//! The command line, called as a program calls it.

use crate::preflight::store_with_a_run;
use jobs_runtime::cli;
use serde_json::Value;
use std::fs;

/// The exit code, and what was written to both streams, without colours.
pub(crate) async fn jobs(args: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = args.iter().map(Into::into);
    let code = cli::run(args, &mut out, &mut err).await;
    let plain = |bytes: Vec<u8>| {
        anstream::adapter::strip_str(&String::from_utf8(bytes).unwrap()).to_string()
    };
    (code, plain(out), plain(err))
}

#[tokio::test]
async fn lock_writes_and_checks_and_does_not_write_over_what_is_risky() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jobs.lock");
    let name = file.to_str().unwrap();

    let (code, _, err) = jobs(&["lock", "--check", "--file", name]).await;
    assert_eq!(code, cli::FOUND);
    assert!(
        err.contains("X_LOCK_INVALID") && err.contains("jobs lock"),
        "{err}"
    );

    assert_eq!(jobs(&["lock", "--file", name]).await.0, cli::OK);
    assert_eq!(
        jobs(&["lock", "--check", "--strict", "--file", name])
            .await
            .0,
        cli::OK
    );
    let written = fs::read_to_string(&file).unwrap();

    // As if the program had renamed the step.
    let before = written.replace("steps.weigh =", "steps.measure =");
    fs::write(&file, &before).unwrap();
    let (code, out, _) = jobs(&["lock", "--check", "--file", name]).await;
    assert_eq!(code, cli::FOUND);
    assert!(
        out.contains("`was = [\"measure\"]`") && out.contains("defs.rs:"),
        "{out}"
    );
    assert_eq!(jobs(&["lock", "--file", name]).await.0, cli::FOUND);
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    assert_eq!(jobs(&["lock", "--accept", "--file", name]).await.0, cli::OK);
    assert_eq!(fs::read_to_string(&file).unwrap(), written);

    // As if the step were new: safe, and behind.
    fs::write(
        &file,
        written.replace("steps.rest = { kind = \"sleep\" }\n", ""),
    )
    .unwrap();
    let (code, out, _) = jobs(&["lock", "--check", "--json", "--file", name]).await;
    let said: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &said["risky"], &said["behind"]),
        (cli::OK, &0.into(), &true.into())
    );
    assert_eq!(said["findings"][0]["change"], "step_added");
    assert_eq!(
        jobs(&["lock", "--check", "--strict", "--file", name])
            .await
            .0,
        cli::FOUND
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_says_what_is_wrong_with_a_store_and_ends_with_1() {
    let (_folder, url, _) = store_with_a_run(11).await;
    let (code, out, err) = jobs(&["doctor", "--url", &url]).await;
    assert_eq!(code, cli::OK, "{out}{err}");
    assert!(
        out.contains("journal_mode: wal") && out.contains("nothing is wrong"),
        "{out}"
    );
    let (code, out, _) = jobs(&["doctor", "--json", "--url", &url]).await;
    let said: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &said["healthy"]), (cli::OK, &true.into()));
    assert_eq!(said["driver"], "sqlite");

    let file = url.trim_start_matches("sqlite://");
    let store = rusqlite::Connection::open(file).unwrap();
    store
        .execute("UPDATE jobs_key SET job = zeroblob(16)", [])
        .unwrap();
    drop(store);
    let (code, out, _) = jobs(&["doctor", "--url", &url]).await;
    assert_eq!(code, cli::FOUND);
    assert!(
        out.contains("key_of_nobody") && out.contains("help: "),
        "{out}"
    );
    let (code, out, _) = jobs(&["doctor", "--json", "--url", &url]).await;
    let said: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &said["healthy"]), (cli::FOUND, &false.into()));
    assert!(said["findings"][0]["remedy"].is_string(), "{said}");
}

#[tokio::test]
async fn doctor_looks_at_what_is_no_store_and_makes_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jobs.db");
    let url = format!("sqlite://{}", file.display());
    let (code, out, err) = jobs(&["doctor", "--url", &url]).await;
    assert_eq!(code, cli::FOUND, "{out}{err}");
    assert!(!file.exists(), "it was made: {out}");
}

#[tokio::test]
async fn a_command_that_cannot_be_understood_ends_with_2_and_help_with_0() {
    assert_eq!(jobs(&["lokc"]).await.0, cli::MISUSED);
    let (code, out, _) = jobs(&["--help"]).await;
    assert_eq!(code, cli::OK);
    assert!(out.contains("preflight"), "{out}");
}

#[tokio::test]
async fn a_job_that_is_not_there_is_told_with_the_nearest() {
    let (code, _, err) = jobs(&["graph", "send_parcels"]).await;
    assert_eq!(code, cli::FOUND);
    assert!(err.contains("did you mean \"send_parcel\"?"), "{err}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_verbs_show_and_change_what_is_in_a_store_with_every_digit() {
    let (_folder, url, id) = store_with_a_run(u64::MAX).await;
    let id = id.to_string();
    let (code, out, _) = jobs(&["preflight", "--url", &url]).await;
    assert_eq!(
        (code, out.trim()),
        (cli::OK, "1 open runs, all fit this program")
    );

    let (_, out, _) = jobs(&["show", "--json", "--url", &url, &id]).await;
    let shown: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(shown["input"]["id"].as_u64(), Some(u64::MAX));
    assert!(out.contains("18446744073709551615"), "{out}");

    let (_, out, _) = jobs(&["ls", "--url", &url, "--name", "send_parcel"]).await;
    assert!(out.contains(&id) && out.contains("suspended"), "{out}");
    let (_, out, _) = jobs(&["stats", "--url", &url]).await;
    assert!(
        out.contains("parcels: 0 ready, 0 delayed, 0 running, 1 suspended"),
        "{out}"
    );
    let (code, out, err) = jobs(&["cancel", "--url", &url, &id]).await;
    assert_eq!(code, cli::OK, "{err}");
    assert!(out.contains("cancelled"), "{out}");
    assert_eq!(jobs(&["retry", "--url", &url, &id]).await.0, cli::OK);
    let (code, _, err) = jobs(&["requeue", "--url", &url, &id, "--from-step", "lable"]).await;
    assert_eq!(code, cli::FOUND);
    assert!(err.contains("error["), "{err}");
}
