//! Values that a body gets from its job, and that are the same on every replay (R14).

use super::JobContext;
use super::cell::with_step;
use crate::core::{Timestamp, derived};
use uuid::Uuid;

impl JobContext {
    /// The time of the last step, the same on every replay; the time of the enqueue before the
    /// first.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.cell.with(|run| run.recorded_now())
    }

    /// Random bits, the same on every replay. They follow from the run and are no secret.
    #[must_use]
    pub fn random(&self) -> u64 {
        self.bits() as u64
    }

    /// A random id, the same on every replay.
    ///
    /// ```
    /// use jobs_runtime::prelude::*;
    ///
    /// #[job(idempotency = "uuid-example:{input}")]
    /// async fn uuid_example(input: u64, job: JobContext) -> Result<String> {
    ///     let upload = job.uuid();
    ///     step!("upload", async { Ok::<_, Failure>(format!("{input}/{upload}")) }).await?;
    ///     // A replay comes to the same id here.
    ///     Ok(upload.to_string())
    /// }
    /// ```
    #[must_use]
    pub fn uuid(&self) -> Uuid {
        uuid::Builder::from_random_bytes(self.bits().to_be_bytes()).into_uuid()
    }

    /// A token for a service outside that does one thing once for each of them, as many payment
    /// services do. Inside of a step it is the step's own: the same at every try of that step in
    /// this run, also after a crash or a requeue, and another one in any other step, run or fork.
    /// Outside of a step it is the run's.
    ///
    /// One step that makes two such calls needs something of its own beside it to tell them
    /// apart. A task that the step spawns is outside of it: take the token before.
    ///
    /// ```
    /// use jobs_runtime::prelude::*;
    /// # async fn pay(cents: u64, idempotency_key: String) -> Result<u64> { let _ = idempotency_key; Ok(cents) }
    ///
    /// #[job(idempotency = "token-example:{input}")]
    /// async fn token_example(input: u64, job: JobContext) -> Result<u64> {
    ///     Ok(step!("pay", pay(input, job.idempotency_token().to_string())).await?)
    /// }
    /// ```
    #[must_use]
    pub fn idempotency_token(&self) -> Uuid {
        let run = u128::from_le_bytes(*self.run_id().as_bytes());
        let bits = with_step(|step| derived(run, step.unwrap_or_default().as_bytes()));
        uuid::Builder::from_random_bytes(bits.to_be_bytes()).into_uuid()
    }

    fn bits(&self) -> u128 {
        let in_body = with_step(|step| step.is_some());
        self.cell.with(|run| match in_body {
            true => run.body_random(),
            false => run.recorded_random(),
        })
    }
}
