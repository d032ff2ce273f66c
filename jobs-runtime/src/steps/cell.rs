//! The run of one lease as its step futures share it, and the waker that tells the body's own
//! wake-ups from all others.

use super::Transactions;
use super::name::{Helper, Helpers, StepName};
use crate::Error;
use crate::clock::Env;
use crate::codec::Codecs;
use crate::core::{Ask, Asked, JobId, JobSpec, Millis, Payload, Run, RunId, Timestamp};
use crate::worker::Observer;
use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};
use std::time::Duration;
use tokio::sync::{Notify, watch};

/// Values that jobs ask for by type.
pub(crate) type StateMap = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;

/// What does not change during a lease.
#[derive(Debug)]
pub(crate) struct JobInfo {
    pub(crate) id: JobId,
    pub(crate) run_id: RunId,
    pub(crate) name: String,
    pub(crate) queue: String,
    pub(crate) key: Option<String>,
    pub(crate) tenant: Option<String>,
    pub(crate) attempt: u32,
    pub(crate) attempts_max: u32,
    pub(crate) step_timeout: Option<Millis>,
    pub(crate) payload_limit: usize,
    /// The job as it was asked for, less its input.
    pub(crate) spec: JobSpec,
}

/// One lease of a run, shared by the executor and the futures of the body.
pub(crate) struct RunCell {
    pub(crate) info: JobInfo,
    pub(crate) env: Env,
    pub(crate) states: Arc<StateMap>,
    pub(crate) observer: Observer,
    pub(crate) tx: Transactions,
    codecs: Codecs,
    over: watch::Sender<bool>,
    claimed_at: Timestamp,
    claimed_mono: Duration,
    shell: Mutex<Shell>,
}

struct Shell {
    run: Run,
    wakers: BTreeMap<String, Waker>,
    helpers: Helpers,
}

impl RunCell {
    /// `claimed` is the store's time of the claim, and ours when its answer was there.
    pub(crate) fn new(
        info: JobInfo,
        run: Run,
        states: Arc<StateMap>,
        observer: Observer,
        tx: Transactions,
        (claimed_at, claimed_mono): (Timestamp, Duration),
    ) -> Self {
        let (env, codecs) = (tx.env(), tx.codecs());
        let shell = Mutex::new(Shell {
            run,
            wakers: BTreeMap::new(),
            helpers: Helpers::default(),
        });
        RunCell {
            info,
            env,
            states,
            observer,
            tx,
            codecs,
            over: watch::Sender::new(false),
            claimed_at,
            claimed_mono,
            shell,
        }
    }

    /// The store's time: that of the claim, and what has passed since (R14).
    pub(crate) fn now(&self) -> Timestamp {
        let elapsed = self.env.clock.monotonic().saturating_sub(self.claimed_mono);
        // Rounded down, so that a sleep never ends early by the store's clock.
        self.claimed_at.after(Millis(
            u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        ))
    }

    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut Run) -> T) -> T {
        act(&mut self.lock().run)
    }

    /// What is stored for a value, from its JSON.
    pub(crate) fn seal(&self, json: Vec<u8>) -> Result<Payload, Error> {
        self.codecs.encode(json, &self.env)
    }

    /// The JSON of a stored value.
    pub(crate) fn open<'p>(&self, payload: &'p Payload) -> Result<Cow<'p, [u8]>, Error> {
        self.codecs.decode(payload)
    }

    /// Says that the lease is over: whatever the body has set going shall stop.
    pub(crate) fn end(&self) {
        self.over.send_replace(true);
    }

    /// Becomes true when the lease is over.
    pub(super) fn over(&self) -> watch::Receiver<bool> {
        self.over.subscribe()
    }

    /// Fires the wakers of everything that was delivered. No lock is held meanwhile.
    pub(crate) fn fire(&self) {
        let mut shell = self.lock();
        let names = shell.run.take_woken();
        let wakers: Vec<Waker> = names
            .iter()
            .filter_map(|name| shell.wakers.remove(name))
            .collect();
        drop(shell);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Asks for a step, and keeps the waker unless there is an answer.
    pub(crate) fn ask(&self, name: &StepName, ask: &Ask, asked: &mut bool, waker: &Waker) -> Asked {
        let now = self.now();
        let mut shell = self.lock();
        if !*asked {
            shell.run.adopt(name.as_str(), name.formers());
        }
        let name = name.as_str();
        let answer = shell.run.ask(name, ask, !*asked, now);
        *asked = true;
        if answer == Asked::Later {
            match shell.wakers.get_mut(name) {
                Some(kept) => kept.clone_from(waker),
                None => drop(shell.wakers.insert(name.into(), waker.clone())),
            }
        }
        answer
    }

    /// Keeps the waker of a future that has nothing more to say for now.
    pub(crate) fn keep(&self, name: &str, waker: &Waker) {
        self.lock().wakers.insert(name.into(), waker.clone());
    }

    /// A future of this name was dropped.
    pub(crate) fn forget(&self, name: &str) {
        let mut shell = self.lock();
        shell.run.forget(name);
        shell.wakers.remove(name);
    }

    pub(super) fn with_helpers<T>(&self, act: impl FnOnce(&mut Helpers) -> T) -> T {
        act(&mut self.lock().helpers)
    }

    fn lock(&self) -> MutexGuard<'_, Shell> {
        // A panic under this lock is ours alone; the state is whole between two calls.
        self.shell.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The hidden handle by which a body reaches its run.
#[derive(Clone, Copy)]
pub struct JobCx<'a> {
    pub(crate) cell: &'a Arc<RunCell>,
    pub(super) helper: Helper,
}

/// Says no more than that it is one: macros that log the arguments of a function log this as well.
impl fmt::Debug for JobCx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("job")
    }
}

impl<'a> JobCx<'a> {
    /// The context of the body itself.
    pub(crate) fn new(cell: &'a Arc<RunCell>) -> Self {
        JobCx {
            cell,
            helper: Helper::default(),
        }
    }
}

impl JobCx<'_> {
    /// The value of a stored payload, or what keeps it from being read.
    pub(super) fn read<T>(
        self,
        payload: &Payload,
        decode: fn(&[u8]) -> Result<T, String>,
    ) -> Result<T, String> {
        let json = self.cell.open(payload).map_err(|error| error.to_string())?;
        decode(&json)
    }
}

thread_local! {
    /// The job that is being polled on this thread, and whether one of its bodies is.
    static POLLING: Cell<usize> = const { Cell::new(0) };
    static IN_BODY: Cell<bool> = const { Cell::new(false) };
    /// The step whose body is polled; of no meaning outside of one.
    static STEP: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The waker of a job's own future.
#[derive(Default)]
pub(crate) struct JobWaker {
    pub(crate) woken: Notify,
    own: AtomicBool,
}

impl JobWaker {
    /// Polls the job's future by `poll`; true beside its answer if the job woke itself: then it
    /// wants to be polled again before anything is delivered.
    pub(crate) fn polling<T>(self: &Arc<Self>, poll: impl FnOnce() -> T) -> (T, bool) {
        // Wake-ups so far are what this poll answers.
        std::pin::pin!(self.woken.notified()).enable();
        self.own.store(false, Ordering::Relaxed);
        let outer = POLLING.replace(Arc::as_ptr(self) as usize);
        let restore = Restore(&POLLING, outer);
        let answer = poll();
        drop(restore);
        (answer, self.own.load(Ordering::Relaxed))
    }
}

impl Wake for JobWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if POLLING.get() == Arc::as_ptr(self) as usize && !IN_BODY.get() {
            self.own.store(true, Ordering::Relaxed);
        }
        self.woken.notify_one();
    }
}

/// Runs `poll` as the poll of the body of `step`: what it wakes is not the job's own wake-up.
pub(super) fn in_body<T>(step: &str, poll: impl FnOnce() -> T) -> T {
    STEP.with_borrow_mut(|name| {
        name.clear();
        name.push_str(step);
    });
    let outer = IN_BODY.replace(true);
    let restore = Restore(&IN_BODY, outer);
    let answer = poll();
    drop(restore);
    answer
}

/// Gives the name of the step whose body is polled on this thread, if one is.
pub(super) fn with_step<T>(act: impl FnOnce(Option<&str>) -> T) -> T {
    if IN_BODY.get() {
        STEP.with_borrow(|name| act(Some(name)))
    } else {
        act(None)
    }
}

/// Puts a thread's flag back, also when a poll panics.
struct Restore<T: Copy + 'static>(&'static std::thread::LocalKey<Cell<T>>, T);

impl<T: Copy> Drop for Restore<T> {
    fn drop(&mut self) {
        self.0.set(self.1);
    }
}
