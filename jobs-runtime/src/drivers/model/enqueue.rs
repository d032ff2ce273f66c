//! Enqueue: a new job, or the one that holds the key.

use super::lacks::{Need, Part};
use super::row::Row;
use super::store::{Follower, Hint, KeyHold, Store};
use crate::contract::{Capabilities, Conflicted, EnqueueAnswer, Enqueued, check_job};
use crate::core::{self, Head, JobId, Meeting, NewJob, RunId, Timestamp, Window};

impl Store {
    pub(crate) fn enqueue(
        &mut self,
        job: &NewJob,
        capabilities: &Capabilities,
        now: Timestamp,
    ) -> EnqueueAnswer {
        check_job(job, capabilities).map_err(Conflicted::Refused)?;
        self.insert(job, now)
    }

    /// Enqueues a job that was found good.
    pub(crate) fn insert(&mut self, job: &NewJob, now: Timestamp) -> EnqueueAnswer {
        let spec = &job.spec;
        if let Some(row) = self.find(spec.id) {
            self.needs_part(spec.id, Part::Spec);
            return Ok(Enqueued {
                id: spec.id,
                run_id: row.spec.run_id,
                deduped: false,
                input_differs: row.spec.input != spec.input,
            });
        }
        if job.may_follow() {
            self.needs(|| Need::Replaced(spec.id));
        }
        if job.may_follow()
            && let Some((id, run_id)) = self.replaced.by(spec.id, now)
        {
            return Ok(Enqueued::replacing(id, run_id));
        }
        let key = spec.key.as_deref();
        if let Some(hold) = key.and_then(|key| self.holder(&spec.scope, key, now)) {
            return self.meet(job, hold.clone(), now);
        }
        let (head, until) = core::opened(job, now);
        self.take_key(job, until);
        Ok(self.add(job, head, now))
    }

    fn take_key(&mut self, job: &NewJob, until: Option<Timestamp>) {
        let spec = &job.spec;
        if let Some(key) = &spec.key {
            let hold = KeyHold {
                job: spec.id,
                run: spec.run_id,
                until,
                span: job.window.and_then(Window::pace),
                next: None,
            };
            self.keys.insert((spec.scope.clone(), key.clone()), hold);
        }
    }

    /// A new job meets the holder of its key.
    fn meet(&mut self, job: &NewJob, hold: KeyHold, now: Timestamp) -> EnqueueAnswer {
        let holder = self.find(hold.job).map(|row| &row.head);
        match core::meet(job, holder, hold.until, now) {
            Meeting::Answer { until } => {
                self.keep_key(job, until);
                if self.find(hold.job).is_some() {
                    self.needs_part(hold.job, Part::Spec);
                }
                Ok(Enqueued {
                    id: hold.job,
                    run_id: hold.run,
                    deduped: true,
                    // A job that retention has removed can no longer be compared.
                    input_differs: self
                        .find(hold.job)
                        .is_some_and(|row| row.spec.input != job.spec.input),
                })
            }
            Meeting::Refuse => Err(Conflicted::KeyTaken(hold.job)),
            Meeting::Replace { visible_at, until } => {
                self.keep_key(job, until);
                Ok(self.replace(hold.job, hold.run, job, visible_at, now))
            }
            Meeting::Follow { from, until } => {
                self.keep_key(job, until);
                Ok(self.follow(job, &hold, from, now))
            }
            Meeting::Succeed { head, until } => {
                self.take_key(job, Some(until));
                Ok(self.add(job, head, now))
            }
        }
    }

    /// Keeps a key until an instant at least, whatever becomes of its holder.
    fn keep_key(&mut self, job: &NewJob, until: Option<Timestamp>) {
        let key = job.spec.key.clone().unwrap_or_default();
        if let Some(hold) = self.keys.get_mut(&(job.spec.scope.clone(), key)) {
            hold.until = hold.until.max(until);
        }
    }

    fn follow(
        &mut self,
        job: &NewJob,
        hold: &KeyHold,
        from: Timestamp,
        now: Timestamp,
    ) -> Enqueued {
        let spec = &job.spec;
        let next = match hold.next {
            Some(next) => Follower {
                from: self.find(next.job).map_or(next.from, |row| {
                    core::put_off(job, &row.head, next.from, now)
                }),
                ..next
            },
            None => Follower {
                job: spec.id,
                run: spec.run_id,
                from,
            },
        };
        let entry = (spec.scope.clone(), spec.key.clone().unwrap_or_default());
        if let Some(hold) = self.keys.get_mut(&entry) {
            hold.next = Some(next);
            hold.span = job.window.and_then(Window::pace).or(hold.span);
        }
        match hold.next {
            Some(_) => self.replace(next.job, next.run, job, None, now),
            None => self.add(job, core::follower(job, now), now),
        }
    }

    /// Gives a job that has not begun the input and the expiry of another.
    fn replace(
        &mut self,
        id: JobId,
        run_id: RunId,
        by: &NewJob,
        visible_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Enqueued {
        if let Some(mut row) = self.take(id) {
            row.spec.input = by.spec.input.clone();
            row.spec.expires_at = by.expires_at(now);
            row.head.visible_at = visible_at.or(row.head.visible_at);
            row.head.revision += 1;
            self.put(row);
        }
        self.replaced.remember(by.spec.id, (id, run_id), now);
        Enqueued::replacing(id, run_id)
    }

    fn add(&mut self, job: &NewJob, head: Head, now: Timestamp) -> Enqueued {
        let spec = &job.spec;
        self.runs.insert(spec.run_id, spec.id);
        let mut row = Box::new(Row::new(job.stored_spec(now), head));
        for record in &job.prefix {
            row.journal.insert(record.clone());
        }
        self.put(row);
        self.hint(Hint::Ready);
        Enqueued {
            id: spec.id,
            run_id: spec.run_id,
            deduped: false,
            input_differs: false,
        }
    }
}
