//! A bench that writes down what its jobs did.

use jobs_runtime::core::State as JobState;
use jobs_runtime::prelude::*;
use jobs_runtime::testing::Bench;
use jobs_runtime::{JobId, RunEvent, StoreHook, Verb};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) const HOUR: Duration = Duration::from_secs(3600);

/// What happened, in order, from all threads of one test.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, line: &str) -> usize {
        self.lines().iter().filter(|other| *other == line).count()
    }
}

/// A bench whose jobs get `State<Log>`; the starts of step bodies are logged as `start NAME`.
pub(crate) fn bench() -> (Bench, Log) {
    let log = Log::default();
    let state = log.clone();
    let bench = Bench::new().worker(move |worker| {
        let log = state.clone();
        worker.state(state.clone()).observe(move |_, event| {
            if let RunEvent::StepStarted { step } = event {
                log.add(format!("start {step}"));
            }
        })
    });
    (bench, log)
}

pub(crate) async fn state_of(bench: &Bench, id: JobId) -> JobState {
    bench
        .jobs()
        .admin()
        .show(id)
        .await
        .unwrap()
        .unwrap()
        .job
        .head
        .state
}

pub(crate) async fn error_code(bench: &Bench, id: JobId) -> Option<String> {
    let view = bench.jobs().admin().show(id).await.unwrap().unwrap();
    view.job.notes.error.and_then(|error| error.code)
}

/// The delivered steps of a job, in order.
pub(crate) async fn journal(bench: &Bench, id: JobId) -> Vec<String> {
    let view = bench.jobs().admin().show(id).await.unwrap().unwrap();
    let mut delivered: Vec<_> = view
        .journal
        .into_iter()
        .filter(|record| record.position.is_some())
        .collect();
    delivered.sort_by_key(|record| record.position);
    delivered.into_iter().map(|record| record.name).collect()
}

/// A body that is pending `polls` times before it answers.
pub(crate) async fn after_polls<T>(polls: u32, value: T) -> Result<T> {
    let mut left = polls;
    std::future::poll_fn(|cx| {
        if left == 0 {
            return std::task::Poll::Ready(());
        }
        left -= 1;
        cx.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
    Ok(value)
}

/// Counts the calls of one verb that reach the store.
#[derive(Clone)]
pub(crate) struct Calls {
    verb: Verb,
    count: Arc<AtomicUsize>,
}

impl Calls {
    pub(crate) fn of(verb: Verb) -> Self {
        let count = Arc::default();
        Calls { verb, count }
    }

    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }
}

impl StoreHook for Calls {
    fn before(&self, verb: Verb) -> Result<(), Error> {
        if verb == self.verb {
            self.count.fetch_add(1, Ordering::SeqCst);
        }
        Ok(())
    }
}

/// Runs jobs until the log has this line, then lets the worker die where it stands.
pub(crate) async fn crash_at(bench: &Bench, log: &Log, line: &str) {
    let seen = async {
        while log.count(line) == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        ended = bench.drain() => panic!("nothing was left to do: {ended:?}"),
        () = seen => {}
    }
}
