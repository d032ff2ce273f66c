//! Two planted bugs: what belongs together is stored in two transactions, between which a worker
//! can die. Never reached unless one of them is planted.

use super::commit::{self, applied, consequences};
use super::commit_points;
use super::sql;
use super::whole::Whole;
use super::writer::{Load, Writer};
use crate::Error;
use crate::core::{Commit, CommitAnswer, Timestamp};
use crate::torture::seeded;

pub(super) async fn commit(
    writer: &Writer,
    commits: &[Commit],
    now: Option<Timestamp>,
) -> Result<Vec<CommitAnswer>, Error> {
    let mut answers = Vec::with_capacity(commits.len());
    for commit in commits {
        answers.push(match seeded::leaves_between(commit) {
            true => leave_and_come_back(writer, commit, now).await?,
            false => record_first(writer, commit, now).await?,
        });
    }
    Ok(answers)
}

async fn leave_and_come_back(
    writer: &Writer,
    commit: &Commit,
    now: Option<Timestamp>,
) -> Result<CommitAnswer, Error> {
    let id = commit.job;
    let whole = writer
        .write(load(), now, move |tx| {
            let whole = Whole::live(**tx, id)?;
            tx.run(sql::JOB_DELETE, [id.as_bytes()])?;
            Ok(whole)
        })
        .await?;
    let again = [commit.clone()];
    let answers = writer.write(load(), now, move |tx| {
        if let Some(whole) = &whole {
            whole.revive(**tx)?;
        }
        commit::commit(tx, &again)
    });
    first(answers.await?)
}

async fn record_first(
    writer: &Writer,
    commit: &Commit,
    now: Option<Timestamp>,
) -> Result<CommitAnswer, Error> {
    let record = [seeded::without_afterthought(commit)];
    let answers = writer.write(load(), now, move |tx| commit::commit(tx, &record));
    let answer = first(answers.await?)?;
    if !matches!(answer, CommitAnswer::Applied(_)) {
        return Ok(answer);
    }
    let rest = commit.clone();
    writer
        .write(load(), now, move |tx| {
            let children = consequences(tx, &rest)?;
            applied(tx, &rest, children)
        })
        .await
}

fn load() -> Load {
    Load {
        items: 1,
        bytes: 0,
        points: commit_points(),
    }
}

fn first(answers: Vec<CommitAnswer>) -> Result<CommitAnswer, Error> {
    let none = || Error::store_corrupt("a commit that was answered with nothing");
    answers.into_iter().next().ok_or_else(none)
}
