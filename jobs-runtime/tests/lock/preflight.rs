//! The preflight, on a SQLite file with an open run.

use crate::defs::{Parcel, send_parcel};
use jobs_runtime::lock::{Lock, Misfit, Preflight, preflight};
use jobs_runtime::prelude::*;
use jobs_runtime::{JobId, RunEvent};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::watch;

/// A store in which a run sleeps: its label, its layers are recorded.
pub(crate) async fn store_with_a_run(id: u64) -> (TempDir, String, JobId) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("jobs.db").display());
    let jobs = Jobs::connect(&url).await.unwrap();
    let parcel = Parcel { id, note: None };
    let handle = send_parcel(parcel).enqueue(&jobs).await.unwrap();
    let (asleep, mut sleeps) = watch::channel(false);
    jobs.worker()
        .poll_interval(Duration::from_millis(20))
        .observe(move |_, event| {
            if let RunEvent::Suspended {
                wake_at: Some(_), ..
            } = event
            {
                let _ = asleep.send(true);
            }
        })
        .run_until(async {
            let _ = sleeps.wait_for(|asleep| *asleep).await;
        })
        .await
        .unwrap();
    jobs.close().await;
    (folder, url, handle.id())
}

async fn found(url: &str, edit: impl Fn(String) -> String) -> Preflight {
    let lock = edit(Lock::of_program().unwrap().to_toml());
    let jobs = Jobs::connect(url).await.unwrap();
    let found = preflight(&Lock::read(&lock).unwrap(), &jobs, |_| {}).await;
    jobs.close().await;
    found.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_run_fits_its_own_program_and_not_one_that_lost_a_step() {
    let (_folder, url, id) = store_with_a_run(7).await;
    let fits = found(&url, |lock| lock).await;
    assert_eq!((fits.looked_at, fits.troubles.as_slice()), (1, &[][..]));

    let lost = found(&url, |lock| {
        lock.replace("\"packing/wrap:{layer}\"", "\"packing/fold:{layer}\"")
            .replace("boxing/wrap", "boxing/crease")
            .replace("packing/fold:{layer}\", ", "packing/crease:{layer}\", ")
    })
    .await;
    let names: Vec<&str> = lost
        .troubles
        .iter()
        .map(|trouble| match &trouble.misfit {
            Misfit::StepLost { step, .. } => step.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(names, ["packing/wrap:0", "packing/wrap:1"]);
    assert_eq!(lost.troubles[0].id, id);
    assert!(
        lost.troubles[0]
            .remedy()
            .contains("was = [\"packing/wrap:0\"]")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_former_name_and_a_removed_step_are_no_loss() {
    let (_folder, url, _) = store_with_a_run(8).await;
    let renamed = found(&url, |lock| {
        lock.replace(
            "steps.\"packing/wrap:{layer}\" =",
            "steps.\"packing/roll:{layer}\" =",
        )
        .replace("\"packing/fold:{layer}\", ", "\"packing/wrap:{layer}\", ")
    })
    .await;
    assert!(renamed.troubles.is_empty(), "{renamed:#?}");
    let given_up = found(&url, |lock| {
        lock.lines()
            .filter(|line| !line.starts_with("steps.\"packing/"))
            .map(|line| line.replace("\"insure\"", "\"packing/wrap:{n}\""))
            .collect::<Vec<_>>()
            .join("\n")
    })
    .await;
    assert!(given_up.troubles.is_empty(), "{given_up:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_kind_and_a_job_without_a_handler_are_told() {
    let (_folder, url, _) = store_with_a_run(9).await;
    let kind = found(&url, |lock| {
        lock.replace(
            "steps.label = { kind = \"child\"",
            "steps.label = { kind = \"step\"",
        )
    })
    .await;
    assert!(
        matches!(&kind.troubles[0].misfit, Misfit::KindChanged { step, .. } if step == "label")
    );
    let gone = found(&url, |lock| {
        lock.replace("[job.send_parcel]", "[job.other]")
    })
    .await;
    assert_eq!(gone.troubles[0].misfit, Misfit::NoHandler);
}
