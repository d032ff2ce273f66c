//! What must hold of the rows when everything is over.
//!
//! - A step that is recorded as done has its row: the one that it gave as its result.
//! - A step has one row at most, and one more for each time that a person let the job run again.

use super::job::{NAME, STEPS};
use jobs_runtime::core::RunId;
use jobs_runtime::torture::history::{Call, Dumped, Ended, Entry, Settled, What};
use jobs_runtime::torture::log::hash;
use rusqlite::{Connection, OpenFlags};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// The rows in this store against the history of its run; what is wrong, each in a sentence.
///
/// # Errors
/// If the store cannot be read.
pub(crate) fn check(store: &Path, history: &[Entry]) -> Result<Vec<String>, String> {
    let rows = Rows::read(store).map_err(|error| error.to_string())?;
    let mut wrong = Vec::new();
    let revivals = revivals(history);
    for ((run, step), count) in &rows.of_step {
        let most = 1 + revivals.get(run).copied().unwrap_or(0);
        if *count > most {
            wrong.push(format!(
                "step {step} of run {run} was committed {count} times, and {most} is the most"
            ));
        }
    }
    for job in paid_jobs(history) {
        for record in &job.journal {
            let is_done = record.ended == Some(Ended::Done) && record.position.is_some();
            let writes = STEPS.contains(&record.step.as_str());
            if is_done && writes && !rows.receipts.contains(&record.hash) {
                let (step, id) = (&record.step, job.job);
                wrong.push(format!(
                    "step {step} of job {id} is recorded without its row"
                ));
            }
        }
    }
    Ok(wrong)
}

fn paid_jobs(history: &[Entry]) -> impl Iterator<Item = &Dumped> {
    let dumped = history.iter().filter_map(|entry| match &entry.what {
        What::Job(dumped) => Some(&**dumped),
        _ => None,
    });
    dumped.filter(|dumped| dumped.name == NAME)
}

/// How often each run may have been revived by a person.
fn revivals(history: &[Entry]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for entry in history {
        if let What::Invoke {
            call: Call::Commit(commit),
            ..
        } = &entry.what
            && commit.settle == Some(Settled::Requeue)
        {
            *counts.entry(name_of(commit.run)).or_default() += 1;
        }
    }
    counts
}

fn name_of(run: RunId) -> String {
    run.to_string()
}

#[derive(Default)]
struct Rows {
    /// How many there are, by run and step.
    of_step: BTreeMap<(String, String), u64>,
    /// Hashes of what the steps gave.
    receipts: HashSet<u64>,
}

impl Rows {
    fn read(store: &Path) -> rusqlite::Result<Self> {
        const THERE: &str = "SELECT count(*) FROM sqlite_schema WHERE name = 'torture_paid'";
        let connection = Connection::open_with_flags(store, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let mut rows = Rows::default();
        let there: i64 = connection.query_row(THERE, [], |row| row.get(0))?;
        if there == 0 {
            return Ok(rows);
        }
        let mut query = connection.prepare("SELECT run, step, receipt FROM torture_paid")?;
        let mut found = query.query([])?;
        while let Some(row) = found.next()? {
            let (run, step, receipt): (String, String, i64) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            *rows.of_step.entry((run, step)).or_default() += 1;
            rows.receipts.insert(hash(receipt.to_string().as_bytes()));
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jobs_runtime::core::{
        JobId, Position, RecordKind, State, StepOutcome, StepRecord, Timestamp,
    };
    use jobs_runtime::torture::history::Recorded;

    fn run() -> RunId {
        RunId::new(Timestamp(1), 1)
    }

    /// A store with these receipts of the step "debit", and the history of a job that is recorded
    /// to have got the first one.
    fn found(receipts: &[i64]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("jobs.db");
        let store = Connection::open(&file).unwrap();
        store
            .execute(super::super::job::TABLE, [])
            .and_then(|_| {
                receipts.iter().try_fold(0, |_, receipt| {
                    let row = (run().to_string(), "debit", receipt);
                    store.execute("INSERT INTO torture_paid VALUES (?1, ?2, ?3)", row)
                })
            })
            .unwrap();
        let record = StepRecord {
            position: Some(Position(0)),
            outcome: Some(StepOutcome::Done(jobs_runtime::core::Payload::json(*b"7"))),
            ..StepRecord::pending("debit", RecordKind::Step, Timestamp(1))
        };
        let dumped = Dumped {
            job: JobId::new(Timestamp(1), 1),
            run: run(),
            name: NAME.into(),
            key: None,
            tenant: None,
            input: 0,
            state: State::Done,
            attempt: 1,
            attempts_max: 1,
            lease_losses: 0,
            epoch: 1,
            visible_at: None,
            ended_at: Some(Timestamp(2)),
            has_error: false,
            cleans_up: false,
            tick: None,
            journal: vec![Recorded::of(&record)],
        };
        let entry = Entry {
            process: 0,
            incarnation: 1,
            seq: 1,
            mono_ns: 1,
            at: Timestamp(1),
            what: What::Job(Box::new(dumped)),
        };
        check(&file, &[entry]).unwrap()
    }

    #[test]
    fn a_row_for_a_record_is_no_finding() {
        assert_eq!(found(&[7]), Vec::<String>::new());
    }

    #[test]
    fn a_record_without_its_row_is_found() {
        assert!(found(&[])[0].contains("recorded without its row"));
        assert!(found(&[8])[0].contains("recorded without its row"));
    }

    #[test]
    fn a_step_that_was_committed_twice_is_found() {
        assert!(found(&[7, 8])[0].contains("committed 2 times"));
    }
}
