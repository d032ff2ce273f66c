//! Playing a script: the one helper that all jobs of the workload share. Each act is a form of
//! `step!`, and all of them write down what they do to the world where they do it.

#![allow(
    unsafe_code,
    reason = "what a definition leaves for the linker; in another crate the macro answers for it"
)]

use super::choices::mix;
use super::jobs::{torture_child, torture_plain};
use super::script::{Act, Script, next_key};
use super::world::World;
use crate::prelude::*;
use crate::{Event, step, steps};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long a step of the kind that is slow may take, in milliseconds; see the attribute there.
const SLOW_LIMIT: u64 = 1_000;

/// What jobs and clients tell each other.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, Event)]
#[event(name = "torture-note", key = u64, ttl = "20s")]
pub(crate) struct Note {
    pub(crate) text: u64,
}

/// Plays a script to its end; gives a digest of all that its steps gave.
#[steps]
pub(crate) async fn play(script: &Script, job: &JobContext) -> Result<u64> {
    let mut sum = script.seed;
    let acts = script.acts();
    for (i, act) in acts.iter().enumerate() {
        let seen = match *act {
            Act::Work(millis) => {
                let name = format!("play/work-{i}");
                step!("work-{i}", work(job, &name, millis, sum)).await?
            }
            Act::Flaky(until) => {
                let name = format!("play/flaky-{i}");
                step!("flaky-{i}", flaky(job, &name, until, sum)).await?
            }
            Act::Tries => {
                let name = format!("play/tries-{i}");
                step!(
                    "tries-{i}",
                    attempts = 3,
                    backoff = "50ms..3s",
                    luckless(job, &name, sum)
                )
                .await?
            }
            Act::Slow => {
                let name = format!("play/slow-{i}");
                let outcome = step!("slow-{i}", timeout = "1s", slow(job, &name, sum)).await;
                outcome.unwrap_or(1)
            }
            Act::Once => {
                let name = format!("play/once-{i}");
                let outcome =
                    step!("once-{i}", effect = at_most_once, work(job, &name, 20, sum)).await;
                outcome.unwrap_or(2)
            }
            Act::Nap(millis) => {
                step!("nap-{i}", sleep = Duration::from_millis(millis)).await;
                3
            }
            Act::Wait(key, millis) => {
                let within = Duration::from_millis(millis);
                let note = step!("wait-{i}", event = Note, key = key, timeout = within).await?;
                note.map_or(4, |note: Note| note.text)
            }
            Act::Two(key, millis) => {
                let (next, within) = (next_key(key), Duration::from_millis(millis));
                let (one, other) = tokio::join!(
                    step!("one-{i}", event = Note, key = key, timeout = within),
                    step!("other-{i}", event = Note, key = next, timeout = within)
                );
                let text = |note: Option<Note>| note.map_or(7, |note| note.text);
                text(one?) ^ text(other?).rotate_left(1)
            }
            Act::Need(key, millis) => {
                let within = Duration::from_millis(millis);
                step!(
                    "need-{i}",
                    event = Note,
                    key = key,
                    timeout = within,
                    required
                )
                .await?
                .text
            }
            Act::Both(millis) => {
                let (left, right) = (format!("play/left-{i}"), format!("play/right-{i}"));
                let (left, right) = tokio::join!(
                    step!("left-{i}", work(job, &left, millis, sum)),
                    step!("right-{i}", work(job, &right, millis / 2, sum))
                );
                left? ^ right?
            }
            Act::Race(work_millis, nap_millis) => {
                let name = format!("play/race-{i}");
                tokio::select! {
                    biased;
                    worked = step!("race-{i}", work(job, &name, work_millis, sum)) => worked?,
                    () = step!("late-{i}", sleep = Duration::from_millis(nap_millis)) => 5,
                }
            }
            Act::Child(seed, shared) => {
                let child = script.child(seed, shared);
                step!("child-{i}", job = torture_child(child)).await?
            }
            Act::Detach(seed) => {
                let child = script.child(seed, false);
                let handle = step!("detach-{i}", job = torture_plain(child), detached).await?;
                mix(u64::from(handle.deduped()))
            }
            Act::Note => {
                job.progress(i as u64, acts.len() as u64, "at it");
                job.log("a line");
                6
            }
            Act::Snooze => {
                let name = format!("play/snooze-{i}");
                step!("snooze-{i}", snooze(job, &name, sum)).await?
            }
            Act::Tell(key) => {
                let name = format!("play/tell-{i}");
                step!("tell-{i}", tell(job, &name, key, sum)).await?
            }
            Act::Fail => return Err(Failure::msg("the script says so").fatal()),
        };
        sum = mix(sum ^ seen);
    }
    Ok(sum)
}

pub(super) async fn work(job: &JobContext, name: &str, millis: u64, sum: u64) -> Result<u64> {
    let end = async { Ok(mix(sum)) };
    World::current()?.touch(job, name, millis, sum, end).await
}

async fn flaky(job: &JobContext, name: &str, until: u32, sum: u64) -> Result<u64> {
    let end = async {
        if job.attempt() <= until {
            return Err(Failure::msg("not yet"));
        }
        Ok(mix(sum))
    };
    World::current()?.touch(job, name, 10, sum, end).await
}

async fn luckless(job: &JobContext, name: &str, sum: u64) -> Result<u64> {
    let world = World::current()?;
    let end = async {
        if world.per_mille(500) {
            return Err(Failure::msg("bad luck"));
        }
        Ok(mix(sum))
    };
    world.touch(job, name, 10, sum, end).await
}

async fn slow(job: &JobContext, name: &str, sum: u64) -> Result<u64> {
    let world = World::current()?;
    let millis = if world.per_mille(500) {
        10
    } else {
        SLOW_LIMIT + 500
    };
    let end = async { Ok(mix(sum)) };
    world.touch(job, name, millis, sum, end).await
}

async fn snooze(job: &JobContext, name: &str, sum: u64) -> Result<u64> {
    let world = World::current()?;
    let end = async {
        if world.per_mille(500) {
            match job.snooze(Duration::from_millis(800)).await {}
        }
        Ok(mix(sum))
    };
    world.touch(job, name, 0, sum, end).await
}

async fn tell(job: &JobContext, name: &str, key: u64, sum: u64) -> Result<u64> {
    let world = World::current()?;
    let end = async {
        world.jobs().publish(Note { text: sum }, key).await?;
        Ok(mix(sum))
    };
    world.touch(job, name, 0, sum, end).await
}
