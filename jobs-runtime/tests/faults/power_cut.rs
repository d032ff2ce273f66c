//! F14: the power goes at any moment of a run, and the disk holds any part of what was not synced.
//!
//! One run is traced; then images of the disk are made from its trace and opened. By hand:
//! `JOBS_FAULTS_IMAGES=5000 JOBS_FAULTS_LEDGER=yes`, and another `JOBS_FAULTS_SEED` for other
//! images.

use crate::disk::{Dice, Disk};
use crate::found::{broken, damage, found};
use crate::ledger;
use crate::process::Fact;
use crate::settings::{memory_folder, setting};
use crate::trace::{Event, traced};
use jobs_runtime::drivers::sqlite::SqliteOptions;

/// Images of one run, unless the environment says otherwise.
const IMAGES: u64 = 300;

/// Calls in which a store is made.
const BEGINNING: usize = 90;

struct Image {
    /// What had been told when the power went.
    facts: Vec<Fact>,
    folder: tempfile::TempDir,
    /// To find it again.
    name: String,
}

impl Image {
    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("jobs.db")
    }
}

/// Calls `look` with each image of a run of this program.
async fn images(program: &str, mut look: impl AsyncFnMut(&Image)) -> u64 {
    let place = memory_folder();
    let events = traced(program, &place.path().join("jobs.db"));
    let syncs = events
        .iter()
        .filter(|event| matches!(event, Event::SyncDone(_)));
    let told = events
        .iter()
        .filter(|event| matches!(event, Event::Told(_)));
    assert!(
        syncs.count() > 10 && told.count() > 20,
        "the trace shows the run"
    );
    let (count, seed) = (
        setting("JOBS_FAULTS_IMAGES", IMAGES),
        setting("JOBS_FAULTS_SEED", 1),
    );
    let mut dice = Dice::new(seed);
    let mut cut = |below: usize| dice.below(below.min(events.len()) as u64) as usize;
    // A fifth of them while the store is being made, which happens once and takes few calls.
    let mut cuts: Vec<usize> = (0..count)
        .map(|number| {
            cut(if number % 5 == 0 {
                BEGINNING
            } else {
                usize::MAX
            })
        })
        .collect();
    cuts.sort_unstable();
    let (mut disk, mut facts, mut at) = (Disk::new(place.path()), Vec::new(), 0);
    for (number, cut) in cuts.into_iter().enumerate() {
        for event in &events[at..cut] {
            disk.happen(event);
            if let Event::Told(fact) = event {
                facts.push(*fact);
            }
        }
        at = cut;
        let image = Image {
            facts: facts.clone(),
            folder: memory_folder(),
            name: format!(
                "image {number} of seed {seed}, cut after call {cut} of {}",
                events.len()
            ),
        };
        disk.image(&mut dice, image.folder.path());
        look(&image).await;
    }
    count
}

#[tokio::test]
#[ignore = "needs strace: `scripts/test faults` runs it"]
async fn f14_a_power_cut_takes_nothing_that_was_acknowledged() {
    let mut violations = Vec::new();
    let count = images("work", async |image| {
        match found(&image.path(), SqliteOptions::default()).await {
            Ok(jobs) => {
                let wrong = broken(&image.facts, &jobs)
                    .into_iter()
                    .chain(damage(&image.path()));
                violations.extend(wrong.map(|what| format!("{}: {what}", image.name)));
            }
            Err(error) => violations.push(format!("{}: not opened: {error:?}", image.name)),
        }
    })
    .await;
    ledger::record("power cut, synchronous = FULL", count, violations.len());
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

#[tokio::test]
#[ignore = "needs strace: `scripts/test faults` runs it"]
async fn f14_with_weak_durability_a_power_cut_leaves_what_came_first() {
    let mut violations = Vec::new();
    let mut lost = 0;
    let count = images("enqueue weakly", async |image| {
        let options = SqliteOptions::default().allow_weak_durability();
        match found(&image.path(), options).await {
            Ok(jobs) => {
                lost += broken(&image.facts, &jobs).len();
                let there = jobs.iter().take_while(|job| job.rows == 1).count();
                let more = jobs[there..].iter().filter(|job| job.rows > 0).count();
                if more > 0 {
                    violations.push(format!(
                        "{}: {there} jobs, then a gap, then {more}",
                        image.name
                    ));
                }
                let wrong = damage(&image.path()).into_iter();
                violations.extend(wrong.map(|what| format!("{}: {what}", image.name)));
            }
            Err(error) => violations.push(format!("{}: not opened: {error:?}", image.name)),
        }
    })
    .await;
    ledger::record("power cut, synchronous = NORMAL", count, violations.len());
    assert!(
        lost > 0,
        "the images lose what is not synced, or the other test says nothing"
    );
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}
