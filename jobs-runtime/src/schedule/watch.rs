//! Looks through the schedules at each tick, for as long as a worker runs.

use super::{Scheduler, StoreTime, zones};
use crate::clock::Env;
use std::convert::Infallible;
use std::time::Duration;

/// The longest time between two looks of a worker at the schedules: how soon one that was made,
/// changed, paused or removed, or a jump of the store's clock, is noticed.
pub const NOTICED_WITHIN: Duration = Duration::from_secs(5);
/// The shortest, so that a tick which cannot be made does not keep a processor busy.
const SHORTEST_WAIT: Duration = Duration::from_millis(20);
/// The first pause after the store failed, doubling.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause after the store failed.
const LAST_PAUSE: Duration = Duration::from_secs(10);

/// Never ends. Dropped, it leaves at most a write under way, which is whole or nothing.
pub(crate) async fn watch(scheduler: Scheduler, env: Env, time: &StoreTime) -> Infallible {
    if scheduler.is_idle() {
        return std::future::pending().await;
    }
    tracing::info!(
        zone_data = zones::release(),
        "ticks are made by the bundled zone data"
    );
    let mut pause = FIRST_PAUSE;
    loop {
        let now = time.now(&*env.clock).await;
        let wait = match scheduler.look(now).await {
            Ok(looked) => {
                pause = FIRST_PAUSE;
                let due = looked.next.map(|next| Duration::from(next.since(now)));
                due.unwrap_or(NOTICED_WITHIN)
                    .clamp(SHORTEST_WAIT, NOTICED_WITHIN)
            }
            Err(error) => {
                tracing::warn!(%error, "the schedules could not be looked through; trying again");
                let wait = pause;
                pause = (pause * 2).min(LAST_PAUSE);
                wait
            }
        };
        env.clock.sleep(wait).await;
    }
}
