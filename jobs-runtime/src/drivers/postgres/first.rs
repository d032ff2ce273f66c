//! What a verb looks at first: the rest it finds to be missing by itself.

use crate::core::{Commit, NewEvent, NewJob, Settle};
use crate::drivers::model::{Need, Part};

/// What a publication looks at first.
pub(super) fn of_event(event: &NewEvent) -> Vec<Need> {
    vec![Need::Event(event.id), Need::Numbers]
}

/// What an enqueue looks at first.
pub(super) fn of_job(job: &NewJob) -> Vec<Need> {
    let spec = &job.spec;
    let key = spec
        .key
        .clone()
        .map(|key| Need::Key(spec.scope.clone(), key));
    key.into_iter().chain([Need::Job(spec.id)]).collect()
}

/// What a commit looks at first: its row, and before it its key if the job may end.
pub(super) fn of_commit(commit: &Commit) -> Vec<Need> {
    let job = commit.job;
    let stays = match &commit.settle {
        None => true,
        Some(settle) => matches!(
            settle,
            Settle::Defer { .. } | Settle::HandBack | Settle::Hold { .. } | Settle::Suspend { .. }
        ),
    };
    match stays {
        true => vec![Need::Job(job)],
        false => vec![
            Need::OwnKey(job),
            Need::Job(job),
            Need::Part(job, Part::Told),
        ],
    }
}
