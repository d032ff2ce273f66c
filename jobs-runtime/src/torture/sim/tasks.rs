//! The tasks of one process: a runtime of its own, which goes on only when it is told to, and only
//! until nothing of it can. So a process can be paused by not being run, and killed by being
//! dropped, and the real worker needs to know of neither.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use tokio::runtime::{Builder, Runtime, RuntimeMetrics};

/// The tasks of one life of a process.
pub(super) struct Tasks {
    runtime: Runtime,
    metrics: RuntimeMetrics,
    idle: Arc<Idle>,
    /// It was stopped while something may have been able to go on.
    unfinished: AtomicBool,
}

/// Tells whoever runs the tasks that none of them can go on.
#[derive(Default)]
struct Idle {
    reached: AtomicBool,
    runner: Mutex<Option<Waker>>,
}

impl Idle {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Waker>> {
        self.runner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The runtime is about to sleep.
    fn reach(&self) {
        self.reached.store(true, Ordering::Relaxed);
        let runner = self.lock().take();
        if let Some(runner) = runner {
            runner.wake();
        }
    }
}

impl Tasks {
    /// No tasks yet.
    pub(super) fn new() -> io::Result<Self> {
        let idle: Arc<Idle> = Arc::default();
        let told = Arc::clone(&idle);
        // Neither a timer nor a driver of input: time and the store are ours.
        let runtime = Builder::new_current_thread()
            // After each poll of a task it may be stopped.
            .event_interval(1)
            .on_thread_park(move || told.reach())
            .build()?;
        Ok(Tasks {
            metrics: runtime.metrics(),
            runtime,
            idle,
            unfinished: AtomicBool::new(false),
        })
    }

    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.runtime.spawn(task));
    }

    /// Whether something was woken since the last run.
    pub(super) fn can_go_on(&self) -> bool {
        self.unfinished.load(Ordering::Relaxed) || self.metrics.global_queue_depth() > 0
    }

    /// Runs everything until nothing can go on.
    pub(super) fn go_on(&self) {
        self.unfinished.store(false, Ordering::Relaxed);
        self.idle.reached.store(false, Ordering::Relaxed);
        self.runtime.block_on(std::future::poll_fn(|cx| {
            if self.idle.reached.load(Ordering::Relaxed) {
                return Poll::Ready(());
            }
            *self.idle.lock() = Some(cx.waker().clone());
            Poll::Pending
        }));
    }

    /// Runs no more than so many polls: whatever is under way then stands still between two of its
    /// awaits.
    pub(super) fn go_on_for(&self, polls: u32) {
        let left = AtomicU32::new(polls);
        self.unfinished.store(true, Ordering::Relaxed);
        self.runtime.block_on(std::future::poll_fn(|cx| {
            let polls = left.load(Ordering::Relaxed);
            if polls == 0 {
                return Poll::Ready(());
            }
            left.store(polls - 1, Ordering::Relaxed);
            cx.waker().wake_by_ref();
            Poll::Pending
        }));
    }
}
