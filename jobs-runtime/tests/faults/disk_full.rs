//! F12: the disk is full. An enqueue is refused with an error that says so, running jobs are
//! neither acknowledged nor lost, and all goes on by itself once there is room.
//!
//! The disk is a small one in memory, which takes root to make.

use crate::process::Facts;
use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The size of the disk; a new store takes a tenth of it.
const DISK: &str = "size=4m";
/// What one input takes.
const LARGE_BYTES: usize = 64 * 1024;

/// A disk that is taken away with the test.
struct Disk(tempfile::TempDir);

impl Disk {
    fn small() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", DISK, "tmpfs"])
            .arg(folder.path())
            .status();
        assert!(
            mounted.unwrap().success(),
            "root can mount a disk in memory"
        );
        Disk(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("jobs.db")
    }

    /// Fills what is left.
    fn fill(&self) -> PathBuf {
        use std::io::Write;
        let path = self.0.path().join("filler");
        let mut filler = std::fs::File::create(&path).unwrap();
        while filler.write_all(&[1; 4_096]).is_ok() {}
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // In a test that failed the store may still be open; then it goes with the process.
        let _ = Command::new("umount")
            .arg("--lazy")
            .arg(self.0.path())
            .status();
    }
}

#[job(idempotency = "large:{input.number}", backoff = "10ms", attempts = 50)]
async fn large(input: Large, gate: State<Gate>) -> Result<usize> {
    let first = step!("first", gate.passed(&input.text)).await?;
    Ok(step!("second", gate.passed(&input.text)).await? + first)
}

#[derive(Clone, Serialize, Deserialize)]
struct Large {
    number: u64,
    text: String,
}

impl Large {
    fn new(number: u64) -> Self {
        let text = "x".repeat(LARGE_BYTES);
        Large { number, text }
    }
}

/// Bodies wait here until it is open.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<watch::Sender<bool>>);

impl Gate {
    async fn passed(&self, text: &str) -> Result<usize> {
        let _ = self.0.subscribe().wait_for(|open| *open).await;
        Ok(text.len())
    }
}

fn connect(path: &Path) -> impl Future<Output = Result<Jobs, Error>> {
    let url = format!("sqlite://{}", path.display());
    async move { Jobs::connect(&url).await }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs root for a small disk: `scripts/test faults` runs it"]
async fn f12_a_full_disk_refuses_loses_nothing_and_passes() {
    let disk = Disk::small();
    let jobs = connect(&disk.path()).await.unwrap();
    let gate = Gate::default();
    // A worker is given what any job of this program may ask for.
    let facts = Facts::to(&disk.0.path().join("facts"));
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let worker = jobs
        .worker()
        .state(gate.clone())
        .state(facts)
        .poll_interval(Duration::from_millis(20));
    let running = tokio::spawn(worker.run_until(async {
        let _ = stopped.await;
    }));
    let kept = large(Large::new(0)).enqueue(&jobs).await.unwrap();
    started(&jobs, kept.id()).await;

    let filler = disk.fill();
    let mut acknowledged = Vec::new();
    let refusal = loop {
        let number = acknowledged.len() as u64 + 1;
        match large(Large::new(number)).enqueue(&jobs).await {
            Ok(handle) => acknowledged.push(handle),
            Err(error) => break error,
        }
    };
    assert!(refusal.is_transient(), "{refusal:?}");
    assert!(
        refusal.to_string().contains("full") || refusal.is_outcome_unknown(),
        "{refusal:?}"
    );
    // The running one finishes its steps, and cannot store them.
    gate.0.send_replace(true);
    let error = large(Large::new(1_000)).enqueue(&jobs).await.unwrap_err();
    assert!(error.is_transient(), "{error:?}");

    std::fs::remove_file(filler).unwrap();
    acknowledged.push(kept);
    for handle in &acknowledged {
        let output = jobs.wait(handle).await.unwrap();
        assert_eq!(output, 2 * LARGE_BYTES);
    }
    let report = jobs.doctor().await.unwrap();
    assert!(report.is_healthy(), "{report}");
    drop(stop);
    running.await.unwrap().unwrap();
    jobs.close().await;
}

/// Waits until a worker has the job.
async fn started(jobs: &Jobs, id: jobs_runtime::JobId) {
    let mut looks = tokio::time::interval(Duration::from_millis(5));
    loop {
        looks.tick().await;
        let view = jobs.admin().show(id).await.unwrap().unwrap();
        if view.job.head.state == JobState::Running {
            return;
        }
    }
}

#[tokio::test]
#[ignore = "needs root for a small disk: `scripts/test faults` runs it"]
async fn f12_a_store_on_a_full_disk_is_not_opened_as_an_empty_one() {
    let disk = Disk::small();
    disk.fill();
    let error = connect(&disk.path()).await.err().unwrap();
    assert!(error.is_transient(), "{error:?}");
    assert!(error.to_string().contains(disk.path().to_str().unwrap()));
}

/// Root may write anywhere but on a disk that is mounted so.
#[tokio::test]
#[ignore = "needs root for a small disk: `scripts/test faults` runs it"]
async fn f15_a_read_only_disk_is_refused_with_the_path_and_what_to_do() {
    let disk = Disk::small();
    let jobs = connect(&disk.path()).await.unwrap();
    jobs.close().await;
    let remounted = Command::new("mount")
        .args(["-o", "remount,ro"])
        .arg(disk.0.path())
        .status();
    assert!(remounted.unwrap().success());
    let error = connect(&disk.path()).await.err().unwrap();
    assert!(
        error.to_string().contains(disk.path().to_str().unwrap()),
        "{error:?}"
    );
    assert!(error.fix().contains("write to"), "{error:?}");
}
