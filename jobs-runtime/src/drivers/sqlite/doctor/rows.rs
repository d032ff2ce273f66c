//! Rows that contradict each other, which no version of this library writes: each check is a
//! statement that gives the rows which break its rule.

use super::super::db::Db;
use super::super::fault::Fault;
use crate::contract::{Gravity, Report};
use crate::core::Timestamp;
use rusqlite::params;

/// Rows of each check that are told by name.
const ROW_LIMIT: i64 = 10;

struct Check {
    name: &'static str,
    gravity: Gravity,
    sql: &'static str,
    /// After the number of rows.
    what: &'static str,
    remedy: &'static str,
}

macro_rules! check {
    ($name:literal, $gravity:ident, $what:literal, $remedy:literal) => {
        Check {
            name: $name,
            gravity: Gravity::$gravity,
            sql: include_str!(concat!("checks/", $name, ".sql")),
            what: $what,
            remedy: $remedy,
        }
    };
}

const CHECKS: &[Check] = &[
    check!(
        "job_without_input",
        Damage,
        "live jobs have no input",
        "cancel them by id and enqueue them again; a restored backup may still have the inputs"
    ),
    check!(
        "job_twice",
        Damage,
        "jobs are live and ended at once",
        "look at each with `jobs.admin().show(id)`: what is live is believed; cancel it if it is done"
    ),
    check!(
        "key_of_nobody",
        Damage,
        "keys are held by jobs that are not live, with no end",
        "remove the rows from `jobs_key`: nothing with such a key is enqueued until then"
    ),
    check!(
        "job_without_its_key",
        Damage,
        "live jobs do not hold the key they have",
        "a second job of the key can run beside each: cancel the one that is not wanted"
    ),
    check!(
        "wait_over",
        Damage,
        "waits are registered for steps that have their result",
        "requeue the jobs from the step: `jobs.admin().requeue_from(id, step)`"
    ),
    check!(
        "wait_missing",
        Damage,
        "steps wait for an event that cannot find them",
        "requeue the jobs from the step: `jobs.admin().requeue_from(id, step)`"
    ),
    check!(
        "text_unreadable",
        Damage,
        "stored texts are no JSON",
        "restore a backup, or purge the jobs by id once you have looked at the text"
    ),
    check!(
        "stored_in_the_future",
        Warning,
        "jobs were stored later than now",
        "set the clock of this machine right; until it has caught up, time goes on by the jobs' own"
    ),
    check!(
        "lease_too_long",
        Warning,
        "jobs are leased for more than a day from now",
        "if the clock was wrong when they were leased, requeue them: `jobs.admin().requeue(id)` after a cancel"
    ),
];

/// Runs every check on one snapshot.
pub(super) fn examine(report: &mut Report, db: Db<'_>, now: Timestamp) -> Result<(), Fault> {
    for check in CHECKS {
        let found: Vec<String> = db.all(check.sql, params![now.0, ROW_LIMIT + 1], |columns| {
            columns.take()
        })?;
        if found.is_empty() {
            continue;
        }
        let limit = usize::try_from(ROW_LIMIT).unwrap_or(usize::MAX);
        let more = if found.len() > limit {
            "more than "
        } else {
            ""
        };
        let shown = &found[..found.len().min(limit)];
        let what = format!("{more}{} {}: {}", shown.len(), check.what, shown.join(", "));
        report.find(check.gravity, check.name, what, check.remedy);
    }
    Ok(())
}
