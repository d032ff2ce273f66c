//! What programs do that enqueue and publish, made from a seed, one act at a time.

use super::body::Note;
use super::choices::Choices;
use super::jobs::{
    torture_cleaned, torture_crowded, torture_debounced, torture_kept, torture_keyed,
    torture_limited, torture_newest, torture_plain, torture_raw, torture_strict, torture_throttled,
    torture_timed,
};
use super::script::{CROWD_KEYS, JOB_KEYS, NOTE_KEYS, OWN_PAIRS, Script, next_key};
use crate::definition::Job;
use crate::outbox::Anywhere;
use crate::request::Request;
use crate::{Error, Jobs};
use std::time::Duration;

/// A program that enqueues and publishes.
#[derive(Debug)]
pub struct Client {
    choices: Choices,
}

impl Client {
    /// One that does what follows from these choices.
    #[must_use]
    pub fn new(choices: Choices) -> Self {
        Client { choices }
    }

    /// How long to wait before the next act, around `mean` milliseconds.
    pub fn pause(&mut self, mean: u64) -> Duration {
        Duration::from_millis(self.choices.around(mean))
    }

    /// Does the next thing.
    ///
    /// # Errors
    /// What the store said; a client goes on after it.
    pub async fn act(&mut self, jobs: &Jobs) -> Result<(), Error> {
        let script = self.script();
        let kind = self.choices.weighted(
            &[
                (24, 0),
                (10, 1),
                (5, 2),
                (9, 3),
                (5, 4),
                (5, 5),
                (6, 6),
                (4, 7),
                (26, 8),
                (6, 9),
                (8, 10),
                (7, 11),
                (4, 12),
                (4, 13),
            ],
            0,
        );
        match kind {
            1 => self.enqueue(torture_keyed(script), jobs).await,
            2 => self.enqueue(torture_strict(script), jobs).await,
            3 => self.enqueue(torture_newest(script), jobs).await,
            4 => self.enqueue(torture_kept(script), jobs).await,
            5 => self.enqueue(torture_cleaned(script), jobs).await,
            6 => self.enqueue(torture_timed(script), jobs).await,
            7 => self.enqueue(torture_raw(script), jobs).await,
            8 => {
                let (text, key) = (self.choices.bits(), self.choices.below(NOTE_KEYS));
                jobs.publish(Note { text }, key).await?;
                if self.choices.per_mille(500) {
                    return Ok(());
                }
                // The first one wakes a run, and the next comes while that is at work.
                let soon = Duration::from_millis(self.choices.below(500));
                jobs.store().env.clock.sleep(soon).await;
                let key = next_key(key);
                jobs.publish(Note { text }, key).await.map(drop)
            }
            9 => {
                let some = self.choices.between(2, 4);
                let requests: Vec<_> = (0..some).map(|_| torture_plain(self.script())).collect();
                jobs.enqueue_all(requests).await.map(drop)
            }
            10 => self.answer(jobs).await,
            11 => self.enqueue(torture_limited(script), jobs).await,
            12 => self.enqueue(torture_debounced(script), jobs).await,
            13 => self.enqueue(torture_throttled(script), jobs).await,
            _ => self.enqueue(torture_plain(script), jobs).await,
        }
    }

    /// Enqueues more jobs of a limited key than may run at once.
    ///
    /// # Errors
    /// What the store said; a client goes on after it.
    pub async fn crowd(&mut self, jobs: &Jobs) -> Result<(), Error> {
        let some = self.choices.between(4, 10);
        let requests: Vec<_> = (0..some)
            .map(|_| {
                let key = self.choices.below(CROWD_KEYS);
                torture_crowded(Script {
                    key,
                    ..self.script()
                })
            })
            .collect();
        jobs.enqueue_all(requests).await.map(drop)
    }

    /// Enqueues a job that begins with two long waits, and publishes their events: the first at about
    /// the instant at which the run parks, the second while it is at work on the first.
    async fn answer(&mut self, jobs: &Jobs) -> Result<(), Error> {
        let key = NOTE_KEYS + 2 * self.choices.below(OWN_PAIRS);
        let script = Script {
            awaits: Some(key),
            ..self.script()
        };
        torture_plain(script).enqueue(jobs).await?;
        for key in [key, next_key(key)] {
            let soon = Duration::from_micros(self.choices.around(1_000));
            jobs.store().env.clock.sleep(soon).await;
            let text = self.choices.bits();
            jobs.publish(Note { text }, key).await?;
        }
        Ok(())
    }

    fn script(&mut self) -> Script {
        Script {
            seed: self.choices.bits(),
            depth: 0,
            key: self.choices.below(JOB_KEYS),
            pages: self.choices.weighted(&[(7, 0), (2, 1), (1, 3)], 0),
            awaits: None,
        }
    }

    async fn enqueue<J: Job>(
        &mut self,
        mut request: Request<J, Anywhere>,
        jobs: &Jobs,
    ) -> Result<(), Error> {
        let choices = &mut self.choices;
        if choices.per_mille(250) {
            request = request.delay(Duration::from_millis(choices.below(6_000)));
        }
        if choices.per_mille(300) {
            request = request.priority(choices.below(10) as u8);
        }
        if choices.per_mille(300) {
            request = request.tenant(["red", "green", "blue"][choices.below(3) as usize]);
        }
        if choices.per_mille(200) {
            request = request.queue("side");
        }
        request.enqueue(jobs).await.map(drop)
    }
}
