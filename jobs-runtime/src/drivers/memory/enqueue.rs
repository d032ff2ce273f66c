//! Enqueue: a new job, or the one that holds the key.

use super::row::Row;
use super::store::{Follower, Hint, KeyHold, Store};
use crate::contract::{Capabilities, Conflicted, EnqueueAnswer, Enqueued, check_job};
use crate::core::{self, Head, JobId, Meeting, NewJob, OnConflict, RunId, Timestamp};

impl Store {
    pub(super) fn enqueue(
        &mut self,
        job: &NewJob,
        capabilities: &Capabilities,
        now: Timestamp,
    ) -> EnqueueAnswer {
        check_job(job, capabilities).map_err(Conflicted::Refused)?;
        self.insert(job, now)
    }

    /// Enqueues a job that was found good.
    pub(super) fn insert(&mut self, job: &NewJob, now: Timestamp) -> EnqueueAnswer {
        let spec = &job.spec;
        if let Some(row) = self.find(spec.id) {
            return Ok(Enqueued {
                id: spec.id,
                run_id: row.spec.run_id,
                deduped: false,
                input_differs: row.spec.input != spec.input,
            });
        }
        if job.on_conflict == OnConflict::Replace
            && let Some((id, run_id)) = self.replaced.by(spec.id, now)
        {
            return Ok(got_input_of_another(id, run_id));
        }
        let key = spec.key.as_deref();
        if let Some(hold) = key.and_then(|key| self.holder(&spec.scope, key, now)) {
            return self.meet(job, hold.clone(), now);
        }
        if let Some(key) = key {
            let hold = KeyHold {
                job: spec.id,
                run: spec.run_id,
                until: job.unique_for.map(|span| now.after(span)),
                next: None,
            };
            self.keys.insert((spec.scope.clone(), key.to_owned()), hold);
        }
        Ok(self.add(job, Head::new(job, now)))
    }

    /// A new job meets the holder of its key.
    fn meet(&mut self, job: &NewJob, hold: KeyHold, now: Timestamp) -> EnqueueAnswer {
        let holder = self.find(hold.job).map(|row| &row.head);
        match core::meet(job.on_conflict, holder) {
            Meeting::Answer => Ok(Enqueued {
                id: hold.job,
                run_id: hold.run,
                deduped: true,
                // A job that retention has removed can no longer be compared.
                input_differs: self
                    .find(hold.job)
                    .is_some_and(|row| row.spec.input != job.spec.input),
            }),
            Meeting::Refuse => Err(Conflicted::KeyTaken(hold.job)),
            Meeting::Replace => Ok(self.replace(hold.job, hold.run, job, now)),
            Meeting::Follow => Ok(self.follow(job, &hold, now)),
        }
    }

    fn follow(&mut self, job: &NewJob, hold: &KeyHold, now: Timestamp) -> Enqueued {
        if let Some(next) = hold.next {
            return self.replace(next.job, next.run, job, now);
        }
        let spec = &job.spec;
        let (head, from) = core::follower(job, now);
        let entry = (spec.scope.clone(), spec.key.clone().unwrap_or_default());
        if let Some(hold) = self.keys.get_mut(&entry) {
            hold.next = Some(Follower {
                job: spec.id,
                run: spec.run_id,
                from,
            });
            hold.until = hold.until.max(job.unique_for.map(|span| now.after(span)));
        }
        self.add(job, head)
    }

    /// Gives a job that has not begun the input and the expiry of another.
    fn replace(&mut self, id: JobId, run_id: RunId, by: &NewJob, now: Timestamp) -> Enqueued {
        if let Some(mut row) = self.take(id) {
            row.spec.input = by.spec.input.clone();
            row.spec.expires_at = by.spec.expires_at;
            row.head.revision += 1;
            self.put(row);
        }
        self.replaced.remember(by.spec.id, (id, run_id), now);
        got_input_of_another(id, run_id)
    }

    fn add(&mut self, job: &NewJob, head: Head) -> Enqueued {
        let spec = &job.spec;
        self.runs.insert(spec.run_id, spec.id);
        let mut row = Box::new(Row::new(spec.clone(), head));
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

fn got_input_of_another(id: JobId, run_id: RunId) -> Enqueued {
    Enqueued {
        id,
        run_id,
        deduped: true,
        input_differs: false,
    }
}
