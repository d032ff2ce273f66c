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
    alarm: Arc<Alarm>,
    /// It was stopped while something may have been able to go on.
    unfinished: AtomicBool,
}

/// Tells whoever runs the tasks that none of them can go on, or that a trap has closed.
#[derive(Default)]
pub(super) struct Alarm {
    idle: AtomicBool,
    set: AtomicBool,
    closed: AtomicBool,
    runner: Mutex<Option<Waker>>,
}

impl Alarm {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Waker>> {
        self.runner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        let runner = self.lock().take();
        if let Some(runner) = runner {
            runner.wake();
        }
    }

    /// The runtime is about to sleep.
    fn reach_idle(&self) {
        self.idle.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// The process does what a trap may be set for.
    pub(super) fn step_in(&self) {
        if self.set.swap(false, Ordering::Relaxed) {
            self.closed.store(true, Ordering::Relaxed);
            self.wake();
        }
    }
}

impl Tasks {
    /// No tasks yet.
    pub(super) fn new() -> io::Result<Self> {
        let alarm: Arc<Alarm> = Arc::default();
        let told = Arc::clone(&alarm);
        // Neither a timer nor a driver of input: time and the store are ours.
        let runtime = Builder::new_current_thread()
            // After each poll of a task it may be stopped.
            .event_interval(1)
            .on_thread_park(move || told.reach_idle())
            .build()?;
        Ok(Tasks {
            metrics: runtime.metrics(),
            runtime,
            alarm,
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

    pub(super) fn alarm(&self) -> Arc<Alarm> {
        Arc::clone(&self.alarm)
    }

    /// Runs everything until nothing can go on.
    pub(super) fn go_on(&self) {
        self.unfinished.store(false, Ordering::Relaxed);
        self.alarm.closed.store(false, Ordering::Relaxed);
        self.until_alarm();
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

    /// Runs until the process steps into a trap, and so many polls more; false if nothing can go
    /// on before it does.
    pub(super) fn go_on_into_trap(&self, polls: u32) -> bool {
        self.unfinished.store(false, Ordering::Relaxed);
        self.alarm.closed.store(false, Ordering::Relaxed);
        self.alarm.set.store(true, Ordering::Relaxed);
        self.until_alarm();
        self.alarm.set.store(false, Ordering::Relaxed);
        let is_closed = self.alarm.closed.load(Ordering::Relaxed);
        if is_closed {
            self.go_on_for(polls);
        }
        is_closed
    }

    fn until_alarm(&self) {
        let alarm = &self.alarm;
        alarm.idle.store(false, Ordering::Relaxed);
        self.runtime.block_on(std::future::poll_fn(|cx| {
            if alarm.idle.load(Ordering::Relaxed) || alarm.closed.load(Ordering::Relaxed) {
                return Poll::Ready(());
            }
            *alarm.lock() = Some(cx.waker().clone());
            Poll::Pending
        }));
    }
}
