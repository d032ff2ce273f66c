//! Both drivers, and what the players of a sequence know: whom they enqueued, what they hold.

mod commits;
mod sent;

use crate::life::may;
use crate::ops::{Asked, Carried, End, Op};
use crate::same::{self, Seen};
use crate::shape::{self, Ids};
use jobs_runtime::clock::{Env, SeededEntropy, VirtualClock};
use jobs_runtime::contract::{
    Beat, Claim, Claimed, Driver, JobFilter, PruneBounds, Pruned, QueueSetting, SettingWrite,
};
use jobs_runtime::core::{
    Commit, CommitAnswer, CommitNumber, InboxContent, Job, LogLine, Millis, NewEvent, NewJob,
    Parent, Payload, Position, Progress, RecordKind, Settle, State, StepRecord, StoredError,
    TickRef, Trace,
};
use jobs_runtime::drivers::memory::Memory;
use jobs_runtime::drivers::sqlite::{Sqlite, SqliteOptions};
use jobs_runtime::{Error, JobId, RunId, Timestamp};
use proptest::sample::Index;
use sent::Sent;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// All there is to see is compared after so many calls, and at the end.
const LOOK_EVERY_CALLS: usize = 10;

const LEASE: Millis = Millis::secs(30);

/// A lease as its holder knows it.
struct Holder {
    claimed: Claimed,
    number: u64,
    next: Position,
}

pub(crate) struct World {
    runtime: Runtime,
    memory: Memory,
    sqlite: Sqlite,
    _folder: TempDir,
    now: Timestamp,
    ids: Ids,
    asked: Vec<NewJob>,
    events: Vec<NewEvent>,
    holders: Vec<Holder>,
    sent: Vec<Sent>,
    seen: Vec<(JobId, State, u64)>,
    played: usize,
}

/// Asks both drivers, and gives what both have answered.
macro_rules! both {
    ($world:ident, $driver:ident => $call:expr, $told:expr) => {{
        let memory = {
            let $driver: &dyn Driver = &$world.memory;
            $world.runtime.block_on($call)
        };
        let sqlite = {
            let $driver: &dyn Driver = &$world.sqlite;
            $world.runtime.block_on($call)
        };
        let (memory, sqlite) = (memory.map($told), sqlite.map($told));
        agree(&memory, &sqlite);
        memory.unwrap()
    }};
}

#[track_caller]
fn agree(memory: &impl Debug, sqlite: &impl Debug) {
    let (memory, sqlite) = (format!("{memory:?}"), format!("{sqlite:?}"));
    assert_eq!(memory, sqlite, "memory (left) and SQLite (right) differ");
}

impl World {
    pub(crate) fn new() -> World {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        // Where memory serves as a disk: nothing here is about what survives.
        let folder = match Path::new("/dev/shm").is_dir() {
            true => tempfile::tempdir_in("/dev/shm").unwrap(),
            false => tempfile::tempdir().unwrap(),
        };
        let env = || Env::new(VirtualClock::default(), SeededEntropy::new(1));
        let options = SqliteOptions::default().env(env());
        let sqlite = runtime.block_on(Sqlite::open(&folder.path().join("jobs.db"), options));
        World {
            memory: Memory::new(env()),
            sqlite: sqlite.unwrap(),
            runtime,
            _folder: folder,
            now: VirtualClock::START,
            ids: Ids::default(),
            asked: Vec::new(),
            events: Vec::new(),
            holders: Vec::new(),
            sent: Vec::new(),
            seen: Vec::new(),
            played: 0,
        }
    }

    /// Makes a call on both, and compares what they answer and show: the rows after each call,
    /// all there is to see now and then.
    pub(crate) fn play(&mut self, op: &Op) {
        let amounts_to = self.amounts_to(op);
        self.call(op);
        self.played += 1;
        let rows = both!(self, driver => same::rows(driver), |rows| rows);
        self.lives_on(&amounts_to, &rows);
        self.forget(&rows);
        self.seen = rows
            .iter()
            .map(|job| (job.spec.id, job.head.state, job.head.token.epoch))
            .collect();
        if self.played.is_multiple_of(LOOK_EVERY_CALLS) {
            self.look();
        }
    }

    /// Compares all there is to see.
    pub(crate) fn look(&self) {
        let memory = self
            .runtime
            .block_on(Seen::of(&self.memory, self.now))
            .unwrap();
        let sqlite = self
            .runtime
            .block_on(Seen::of(&self.sqlite, self.now))
            .unwrap();
        assert!(
            memory == sqlite,
            "the drivers show other things\n{}",
            memory.apart(&sqlite)
        );
    }

    fn lives_on(&self, op: &Op, now: &[Job]) {
        let before: BTreeMap<JobId, (State, u64)> = self
            .seen
            .iter()
            .map(|(id, state, epoch)| (*id, (*state, *epoch)))
            .collect();
        for Job { spec, head, .. } in now {
            let (id, after) = (spec.id, head.state);
            let Some((was, had)) = before.get(&id) else {
                continue;
            };
            assert!(
                may(op, *was, after),
                "{id} went from {was} to {after} by {op:?}"
            );
            assert!(
                head.token.epoch >= *had,
                "{id} lost a lease of its count by {op:?}"
            );
        }
    }

    fn call(&mut self, op: &Op) {
        match op {
            Op::Beat(holder, secs) => self.beat(holder, *secs),
            Op::Cancel(job, stale) => self.change(job, *stale, Commit::cancel),
            Op::Claim { limit, queue } => self.claim(*limit, *queue),
            Op::Commit(holder, carried) => self.commit(holder, carried),
            Op::CommitAgain(which) => {
                if let Some(sent) = pick(&self.sent, which).cloned() {
                    let answer = self.send(&sent.commit);
                    self.keep(sent.commit, answer.as_ref());
                }
            }
            Op::Enqueue(asked) => {
                let jobs = self.jobs(asked);
                self.enqueue(&jobs);
            }
            Op::EnqueueAgain(which) => {
                if let Some(job) = pick(&self.asked, which).cloned() {
                    self.enqueue(&[job]);
                }
            }
            Op::Fork(job, key, from) => self.fork(job, *key, from),
            Op::Pass(millis) => self.now = self.now.after(Millis(*millis)),
            Op::Pause(queue, on) => {
                let key = QueueSetting::key(&shape::queue(*queue));
                let value = on.then(|| br#"{"paused":true}"#.to_vec());
                let expected = self.revision(&key);
                self.write(SettingWrite {
                    key,
                    value,
                    expected,
                    jobs: Vec::new(),
                });
            }
            Op::Prune { age_secs, dead } => self.prune(*age_secs, *dead),
            Op::Publish {
                name,
                key,
                tenant,
                ttl_secs,
            } => {
                let ids = &mut self.ids;
                let event = shape::event(*name, *key, *tenant, *ttl_secs, self.now, ids);
                self.publish(event);
            }
            Op::PublishAgain(which) => {
                if let Some(event) = pick(&self.events, which).cloned() {
                    self.publish(event);
                }
            }
            Op::Requeue { job, from, stale } => self.requeue(job, from.as_ref(), *stale),
            Op::Schedule { revision, jobs } => {
                let mut jobs = self.jobs(jobs);
                for job in &mut jobs {
                    let schedule = "hourly".into();
                    job.spec.tick = Some(TickRef {
                        schedule,
                        tick: self.now,
                    });
                }
                self.write(SettingWrite {
                    key: "schedule/hourly".into(),
                    value: Some(b"{}".to_vec()),
                    expected: *revision,
                    jobs,
                });
            }
        }
    }

    fn jobs(&mut self, asked: &[Asked]) -> Vec<NewJob> {
        let jobs = asked
            .iter()
            .map(|asked| shape::job(asked, self.now, &mut self.ids));
        let jobs: Vec<NewJob> = jobs.collect();
        self.asked.extend(jobs.iter().cloned());
        jobs
    }

    fn enqueue(&mut self, jobs: &[NewJob]) {
        both!(self, driver => driver.enqueue(jobs, Some(self.now)), |answers| answers);
    }

    fn claim(&mut self, limit: usize, queue: Option<u8>) {
        let claim = Claim {
            queues: queue.map(shape::queue).into_iter().collect(),
            limit,
            visibility_timeout: LEASE,
            worker: "model".into(),
            nonce: self.ids.bits() as u64,
            now: Some(self.now),
        };
        let claimed = match self.settles_something() {
            false => both!(self, driver => driver.claim(&claim), same::claims).jobs,
            true => both!(self, driver => all_there_is(driver, &claim), same::by_id),
        };
        self.holders
            .extend(claimed.into_iter().map(|claimed| Holder {
                number: 0,
                next: claimed.job.head.next_position,
                claimed,
            }));
    }

    /// Whether a claim ends jobs on its way. What becomes visible by that may come with this claim
    /// or with the next: which, is left to the driver.
    fn settles_something(&self) -> bool {
        let filter = JobFilter::default();
        let page = self
            .runtime
            .block_on(self.memory.inspect().list(&filter, None, 1_000));
        page.unwrap().jobs.iter().any(|job| {
            let head = &job.head;
            let is_due = head.visible_at.is_some_and(|at| at <= self.now);
            let is_late = job.spec.expires_at.is_some_and(|at| at <= self.now);
            is_due && (head.state == State::Running || head.started_at.is_none() && is_late)
        })
    }

    fn beat(&mut self, which: &Index, secs: u64) {
        let Some(holder) = pick(&self.holders, which) else {
            return;
        };
        let beats = [Beat {
            job: holder.claimed.job.spec.id,
            token: holder.claimed.job.head.token,
            visibility_timeout: Millis::secs(secs),
            seen_nudge: holder.claimed.nudge.count,
        }];
        // The answer's own inbox is compared through the views.
        let held = |answers: Vec<_>| {
            answers
                .iter()
                .map(std::mem::discriminant)
                .collect::<Vec<_>>()
        };
        both!(self, driver => driver.heartbeat(&beats, Some(self.now)), held);
    }

    fn publish(&mut self, event: NewEvent) {
        let events = [event];
        let told = |published: Vec<jobs_runtime::contract::Published>| {
            published
                .iter()
                .map(|one| (one.id, one.woken))
                .collect::<Vec<_>>()
        };
        both!(self, driver => driver.publish(&events, Some(self.now)), told);
        self.events.extend(events);
    }

    fn write(&mut self, write: SettingWrite) {
        both!(self, driver => driver.write_setting(&write, Some(self.now)), |written| written);
    }

    fn revision(&self, key: &str) -> u64 {
        let found = self.runtime.block_on(self.memory.settings(key)).unwrap();
        found
            .iter()
            .find(|s| s.key == key)
            .map_or(0, |setting| setting.revision)
    }

    fn prune(&mut self, age_secs: u64, dead: bool) {
        let before = self.now.before(Millis::secs(age_secs));
        let bounds = PruneBounds {
            ended_before: before,
            rules: Vec::new(),
            spared: Millis(0),
            events_expired_before: before,
            dead_before: dead.then_some(before),
            limit: 1_000,
        };
        // What a file gives back to the disk is its own.
        both!(self, driver => driver.prune(&bounds, Some(self.now)), |pruned| Pruned {
            freed_bytes: 0,
            ..pruned
        });
    }

    fn send(&mut self, commit: &Commit) -> Option<CommitAnswer> {
        let commits = std::slice::from_ref(commit);
        let told = |answers: Vec<CommitAnswer>| {
            answers
                .into_iter()
                .map(same::commit_answer)
                .collect::<Vec<_>>()
        };
        let mut answers = both!(self, driver => driver.commit(commits, Some(self.now)), told);
        answers.pop()
    }

    /// A person's change of a job, on the row as it stands or as it stood.
    fn change(&mut self, job: &Index, stale: bool, make: impl Fn(JobId, RunId, u64) -> Commit) {
        let Some(id) = pick(&self.seen, job).map(|(id, ..)| *id) else {
            return;
        };
        let row = self
            .runtime
            .block_on(self.memory.inspect().job(id))
            .unwrap()
            .unwrap();
        let revision = row.head.revision.saturating_sub(u64::from(stale));
        let change = self.ids.bits() as u64;
        let commit = make(id, row.spec.run_id, revision).with_id(change);
        let answer = self.send(&commit);
        self.keep(commit, answer.as_ref());
    }

    fn journal(&self, id: JobId) -> Vec<StepRecord> {
        let view = self
            .runtime
            .block_on(self.memory.inspect().view(id))
            .unwrap();
        view.map_or_else(Vec::new, |view| view.journal)
    }

    fn requeue(&mut self, job: &Index, from: Option<&Index>, stale: bool) {
        let Some(id) = pick(&self.seen, job).map(|(id, ..)| *id) else {
            return;
        };
        let journal = self.journal(id);
        let first = from
            .and_then(|from| pick(&journal, from))
            .map(|first| first.position);
        let goes = |record: &&StepRecord| match first {
            Some(first) => record.position.is_none() || first.is_some() && record.position >= first,
            None => false,
        };
        let removed: Vec<String> = journal
            .iter()
            .filter(goes)
            .map(|record| record.name.clone())
            .collect();
        self.change(job, stale, |id, run, revision| {
            Commit::requeue(id, run, revision, removed.clone())
        });
    }

    fn fork(&mut self, job: &Index, key: Option<u8>, from: &Index) {
        let Some(id) = pick(&self.seen, job).map(|(id, ..)| *id) else {
            return;
        };
        let row = self
            .runtime
            .block_on(self.memory.inspect().job(id))
            .unwrap()
            .unwrap();
        let mut prefix: Vec<StepRecord> = self
            .journal(id)
            .into_iter()
            .filter(|record| record.position.is_some())
            .collect();
        prefix.truncate(from.index(prefix.len() + 1));
        let mut spec = row.spec.clone();
        spec.id = JobId::new(self.now, self.ids.bits());
        spec.run_id = RunId::new(self.now, self.ids.bits());
        spec.key = key.map(|key| format!("key-{key}"));
        spec.fork_of = Some(row.spec.run_id);
        spec.parent = None;
        let fork = NewJob {
            spec,
            visible: jobs_runtime::core::Visible::Now,
            attempts_max: row.head.attempts_max,
            on_conflict: jobs_runtime::OnConflict::Error,
            unique_for: None,
            window: None,
            expires: None,
            prefix,
        };
        self.asked.push(fork.clone());
        self.enqueue(&[fork]);
    }
}

/// Claims until nothing is left.
async fn all_there_is(driver: &dyn Driver, claim: &Claim) -> Result<Vec<Claimed>, Error> {
    let claim = Claim {
        limit: 100,
        queues: Vec::new(),
        ..claim.clone()
    };
    let mut all = Vec::new();
    let mut empty = 0;
    while empty < 2 {
        let claims = driver.claim(&claim).await?;
        empty += u32::from(claims.jobs.is_empty());
        all.extend(claims.jobs);
    }
    Ok(all)
}

fn pick<'a, T>(items: &'a [T], which: &Index) -> Option<&'a T> {
    (!items.is_empty()).then(|| &items[which.index(items.len())])
}
