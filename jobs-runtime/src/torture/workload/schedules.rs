//! What a person does to a schedule that is made at run time: sets it, stops it, lets it go on,
//! removes it. Not every tick of it is made, then; none of them may be made twice.

use super::choices::Choices;
use super::ticks::torture_scheduled;
use crate::core::{Missed, Overlap};
use crate::{Error, Jobs};

/// The schedule.
const MADE: &str = "torture-made";
/// When it fires, in turn.
const WHEN: [&str; 3] = ["every 1s", "*/3 * * * * *", "every 7s"];

/// Does the next thing to it.
///
/// # Errors
/// What the store said, or that there is no such schedule just now.
pub(super) async fn act(choices: &mut Choices, jobs: &Jobs) -> Result<(), Error> {
    let admin = jobs.admin();
    let kind = choices.weighted(&[(4, 0), (2, 1), (2, 2), (1, 3), (1, 4)], 0);
    match kind {
        1 => admin.pause_schedule(MADE).await,
        2 => admin.resume_schedule(MADE).await,
        3 => admin.remove_schedule(MADE).await,
        4 => admin.run_schedule(MADE).await.map(drop),
        _ => {
            let when = WHEN[choices.below(WHEN.len() as u64) as usize];
            let missed = choices.weighted(&[(2, Missed::All), (1, Missed::Last)], Missed::Skip);
            let overlap = choices.weighted(&[(2, Overlap::Run), (1, Overlap::Skip)], Overlap::Run);
            let set = admin.schedule(MADE, when).missed(missed).overlap(overlap);
            set.set(torture_scheduled(choices.below(3))).await.map(drop)
        }
    }
}

/// Sees to it that it makes nothing any more.
///
/// # Errors
/// If the store could not be reached.
pub(super) async fn leave(jobs: &Jobs) -> Result<(), Error> {
    match jobs.admin().remove_schedule(MADE).await {
        Err(error) if error.code() == "X_SCHEDULE_UNKNOWN" => Ok(()),
        left => left,
    }
}
