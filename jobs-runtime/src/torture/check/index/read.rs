//! How a history is read into an index, in one pass.

use super::{Held, Index, Line, Made, Map, NEVER, Outcome, life_of};
use crate::contract::QueueSetting;
use crate::core::{JobId, RunId};
use crate::torture::history::{Answer, Call, CommitCall, Entry, Life, Op, What};
use std::collections::HashMap;

/// What is only needed while a history is read.
#[derive(Default)]
pub(super) struct Reading {
    ops: Map<(Life, Op), usize>,
    ends: Map<Life, usize>,
    paused: Map<Life, usize>,
    faults: HashMap<String, usize>,
    /// Effects may be told before anything else is told of their run.
    effects: Vec<(usize, RunId)>,
}

impl<'h> Index<'h> {
    fn line(&mut self, job: JobId) -> &mut Line<'h> {
        let next = self.jobs.len();
        let at = *self.job_at.entry(job).or_insert(next);
        if at == next {
            self.jobs.push(Line {
                id: Some(job),
                ..Line::default()
            });
        }
        &mut self.jobs[at]
    }

    pub(super) fn read(&mut self, at: usize, entry: &'h Entry, reading: &mut Reading) {
        let life = life_of(entry);
        match &entry.what {
            What::EffectBegin(effect) => reading.effects.push((at, effect.run)),
            What::EffectEnd(_) => {}
            What::Fail { op, .. } => self.answer(life, *op, at, Outcome::Fail, reading),
            What::Unknown { op, .. } => self.answer(life, *op, at, Outcome::Open, reading),
            What::Ok { op, answer } => self.answer(life, *op, at, Outcome::Ok(answer), reading),
            What::FaultBegin(name) => {
                reading.faults.entry(name.clone()).or_insert(at);
            }
            What::FaultEnd(name) => {
                if let Some(begin) = reading.faults.remove(name) {
                    self.troubles.push((begin, at));
                    self.faults.push((begin, at));
                }
            }
            What::Healing => self.healing = Some(at),
            What::Quiet => self.quiet = Some(at),
            What::Invoke { op, call } => self.call(life, *op, at, call, reading),
            What::Leased { op, lease } => {
                let asked = reading.ops.get(&(life, *op));
                let asked = asked.map_or(at, |made| self.made[*made].begin);
                self.note_run(lease.job, lease.run);
                self.line(lease.job).leases.push(Held {
                    life,
                    lease,
                    told: at,
                    asked,
                    until: lease.until,
                    settles: Vec::new(),
                });
            }
            What::Job(dumped) => {
                self.note_run(dumped.job, dumped.run);
                self.line(dumped.job).dumped.push(at);
            }
            What::Killed(killed) => {
                reading.ends.entry(*killed).or_insert(at);
                self.troubles.push((at, at));
            }
            What::Paused(life) => {
                reading.paused.entry(*life).or_insert(at);
            }
            What::Resumed(life) => {
                if let Some(begin) = reading.paused.remove(life) {
                    self.troubles.push((begin, at));
                }
            }
            What::Started(life) => {
                let before = Life {
                    incarnation: life.incarnation.saturating_sub(1),
                    ..*life
                };
                reading.ends.entry(before).or_insert(at);
            }
        }
    }

    fn call(&mut self, life: Life, op: Op, at: usize, call: &'h Call, reading: &mut Reading) {
        let made = self.made.len();
        reading.ops.insert((life, op), made);
        match call {
            Call::Beat { job, .. } => self.line(*job).beats.push(made),
            Call::Claim { .. } | Call::Write { .. } => {}
            Call::Commit(commit) => {
                self.note_run(commit.job, commit.run);
                let line = self.line(commit.job);
                match commit.lease {
                    Some(_) => line.commits.push(made),
                    None => line.changes.push(made),
                }
            }
            Call::Enqueue(enqueue) => {
                self.note_run(enqueue.job, enqueue.run);
                self.line(enqueue.job).enqueues.push(made);
            }
            Call::Prune(_) => self.prunes.push(made),
            Call::Publish(_) => self.publishes.push(made),
        }
        self.made.push(Made {
            life,
            call,
            begin: at,
            end: NEVER,
            outcome: Outcome::Open,
        });
    }

    fn answer(&mut self, life: Life, op: Op, at: usize, outcome: Outcome<'h>, reading: &Reading) {
        if let Some(made) = reading.ops.get(&(life, op)) {
            self.made[*made].end = at;
            self.made[*made].outcome = outcome;
        }
    }

    fn note_run(&mut self, job: JobId, run: RunId) {
        self.line(job);
        self.run_at.insert(run, self.job_at[&job]);
    }

    pub(super) fn close(&mut self, reading: &Reading) {
        for made in self.made.iter_mut().filter(|made| made.end == NEVER) {
            made.end = reading.ends.get(&made.life).copied().unwrap_or(NEVER);
        }
        let open = reading.faults.values().chain(reading.paused.values());
        self.troubles.extend(open.map(|begin| (*begin, NEVER)));
        for (at, run) in &reading.effects {
            if let Some(line) = self.run_at.get(run) {
                self.jobs[*line].effects.push(*at);
            }
        }
    }

    /// A queue is paused by a setting, and resumed by removing it; each from when that may have been
    /// done, to when it certainly was.
    pub(super) fn read_pauses(&mut self) {
        let mut open: Map<&str, usize> = Map::default();
        let mut pauses = Vec::new();
        for made in self.made.iter().filter(|made| made.may_be_done()) {
            let Call::Write { key, value, .. } = made.call else {
                continue;
            };
            let Some(queue) = key.strip_prefix(QueueSetting::PREFIX) else {
                continue;
            };
            match value {
                Some(_) => drop(open.entry(queue).or_insert(made.begin)),
                None if made.answer().is_some() => {
                    if let Some(begin) = open.remove(queue) {
                        pauses.push((queue, begin, made.end));
                    }
                }
                // It may be paused still.
                None => {}
            }
        }
        pauses.extend(open.into_iter().map(|(queue, begin)| (queue, begin, NEVER)));
        self.pauses = pauses;
    }

    pub(super) fn sort_jobs(&mut self) {
        let made = &self.made;
        for line in &mut self.jobs {
            // As told where the epochs are equal.
            line.leases.sort_by_key(|held| held.lease.token.epoch);
            for at in &line.commits {
                let commit = made[*at].commit();
                let settles = made[*at].may_be_done() && made[*at].settle().is_some();
                if let (true, Some(token)) = (settles, commit.and_then(CommitCall::token))
                    && let Some(held) = line.leases.iter_mut().find(|h| h.lease.token == token)
                {
                    held.settles.push(*at);
                }
            }
            for at in &line.beats {
                if let (Call::Beat { token, .. }, Some(Answer::Held { until, .. })) =
                    (made[*at].call, made[*at].answer())
                    && let Some(held) = line.leases.iter_mut().find(|h| h.lease.token == *token)
                {
                    held.until = held.until.max(*until);
                }
            }
        }
    }
}
