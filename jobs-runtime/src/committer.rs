//! Gathers the commits of all runs into batches: the next batch leaves when the last returned, so
//! that one durable write serves whatever has come together meanwhile.

use crate::Error;
use crate::core::{Commit, CommitAnswer};
use crate::store::Store;
use crate::torture::crash_point;
use tokio::sync::{mpsc, oneshot};

/// Commits in one batch.
const MAX_BATCH_COMMITS: usize = 512;
/// Bytes in one batch; a single larger commit goes alone.
const MAX_BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Commits that wait for a batch before runs are held back.
const MAX_WAITING_COMMITS: usize = 4096;

type Reply = oneshot::Sender<Result<CommitAnswer, Error>>;

/// The runs' end of it.
#[derive(Clone)]
pub(crate) enum Committer {
    /// Many runs share a write.
    Batching(mpsc::Sender<(Commit, Reply)>),
    /// Each commit goes by itself: for tests that follow one thing at a time.
    Direct(Store),
}

impl Committer {
    /// Starts the task that sends batches; it ends when the last handle is gone.
    pub(crate) fn start(store: Store) -> Self {
        let (queue, waiting) = mpsc::channel(MAX_WAITING_COMMITS);
        tokio::spawn(send_batches(store, waiting));
        Committer::Batching(queue)
    }

    /// Sends one commit and waits until its batch is durable.
    pub(crate) async fn commit(&self, commit: Commit) -> Result<CommitAnswer, Error> {
        let queue = match self {
            Committer::Batching(queue) => queue,
            Committer::Direct(store) => return commit_alone(store, commit).await,
        };
        let (reply, answer) = oneshot::channel();
        let gone = || {
            Error::driver_unavailable(
                "job",
                "its committer has stopped",
                "the worker is shutting down; start it again",
            )
        };
        crash_point!("committer.queue.before");
        queue.send((commit, reply)).await.map_err(|_| gone())?;
        crash_point!("committer.queue.after");
        let answer = answer.await.map_err(|_| gone())?;
        crash_point!("committer.answered");
        answer
    }
}

async fn commit_alone(store: &Store, commit: Commit) -> Result<CommitAnswer, Error> {
    let answers = store.commit(&[commit]).await?;
    let none = || Error::store_corrupt("a commit that was answered with nothing");
    answers.into_iter().next().ok_or_else(none)
}

async fn send_batches(store: Store, mut waiting: mpsc::Receiver<(Commit, Reply)>) {
    let mut left_over = None;
    loop {
        let first = match left_over.take() {
            Some(first) => Some(first),
            None => waiting.recv().await,
        };
        let Some((commit, reply)) = first else { return };
        let mut bytes = commit.size();
        let (mut commits, mut replies) = (vec![commit], vec![reply]);
        while commits.len() < MAX_BATCH_COMMITS {
            let Ok((commit, reply)) = waiting.try_recv() else {
                break;
            };
            bytes = bytes.saturating_add(commit.size());
            if bytes > MAX_BATCH_BYTES {
                left_over = Some((commit, reply));
                break;
            }
            commits.push(commit);
            replies.push(reply);
        }
        crash_point!("committer.batch.gathered");
        let stored = store.commit(&commits).await;
        crash_point!("committer.batch.stored");
        answer(stored, replies);
    }
}

fn answer(result: Result<Vec<CommitAnswer>, Error>, replies: Vec<Reply>) {
    // A run that has ended meanwhile no longer listens.
    match result {
        Ok(answers) => {
            for (reply, answer) in replies.into_iter().zip(answers) {
                drop(reply.send(Ok(answer)));
            }
        }
        Err(error) => {
            for reply in replies {
                drop(reply.send(Err(error.clone())));
            }
        }
    }
}
