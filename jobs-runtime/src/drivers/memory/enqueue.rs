//! Enqueue: a new job, or the one that holds the key.

use super::row::Row;
use super::store::{Hint, KeyHold, Store};
use crate::contract::{Capabilities, Conflicted, EnqueueAnswer, Enqueued, check_job};
use crate::core::{Head, NewJob, OnConflict, Timestamp};

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
        let key = spec.key.as_deref();
        if let Some(hold) = key.and_then(|key| self.holder(&spec.scope, key, now)) {
            if job.on_conflict == OnConflict::Error {
                return Err(Conflicted::KeyTaken(hold.job));
            }
            return Ok(Enqueued {
                id: hold.job,
                run_id: hold.run,
                deduped: true,
                // A job that retention has removed can no longer be compared.
                input_differs: self
                    .find(hold.job)
                    .is_some_and(|row| row.spec.input != spec.input),
            });
        }
        if let Some(key) = key {
            let hold = KeyHold {
                job: spec.id,
                run: spec.run_id,
                until: job.unique_for.map(|span| now.after(span)),
            };
            self.keys.insert((spec.scope.clone(), key.to_owned()), hold);
        }
        self.runs.insert(spec.run_id, spec.id);
        self.put(Row::new(spec.clone(), Head::new(job, now)));
        self.hint(Hint::Ready);
        Ok(Enqueued {
            id: spec.id,
            run_id: spec.run_id,
            deduped: false,
            input_differs: false,
        })
    }
}
