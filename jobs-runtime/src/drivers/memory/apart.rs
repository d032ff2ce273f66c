//! Two planted bugs: what belongs together is stored in two transactions, between which a worker
//! can die. Never reached unless one of them is planted.

use super::Memory;
use crate::Error;
use crate::core::{Applied, Commit, CommitAnswer, Timestamp};
use crate::torture::seeded;

impl Memory {
    pub(super) async fn commit_apart(
        &self,
        commits: &[Commit],
        now: Option<Timestamp>,
    ) -> Result<Vec<CommitAnswer>, Error> {
        let mut answers = Vec::with_capacity(commits.len());
        for commit in commits {
            answers.push(match seeded::leaves_between(commit) {
                true => self.leave_and_come_back(commit, now).await?,
                false => self.record_first(commit, now).await?,
            });
        }
        Ok(answers)
    }

    async fn leave_and_come_back(
        &self,
        commit: &Commit,
        now: Option<Timestamp>,
    ) -> Result<CommitAnswer, Error> {
        let row = self.within(now, |store, _| store.take(commit.job))?;
        tokio::task::yield_now().await;
        self.within(now, |store, now| {
            if let Some(row) = row {
                store.put(row);
            }
            store.commit(commit, &self.capabilities, now)
        })
    }

    async fn record_first(
        &self,
        commit: &Commit,
        now: Option<Timestamp>,
    ) -> Result<CommitAnswer, Error> {
        let first = seeded::without_afterthought(commit);
        let answer = self.within(now, |store, now| {
            store.commit(&first, &self.capabilities, now)
        })?;
        tokio::task::yield_now().await;
        let CommitAnswer::Applied(Applied { nudge, .. }) = answer else {
            return Ok(answer);
        };
        self.within(now, |store, now| {
            let (children, news) = store.consequences(commit, &self.capabilities, now);
            CommitAnswer::Applied(Applied {
                children,
                nudge: news.or(nudge),
            })
        })
    }
}
