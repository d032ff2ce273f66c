//! Heartbeat: leases made longer. A row that somebody else has locked is left alone: whoever holds
//! it is about to commit, and nobody can claim it meanwhile.

use super::fault::Fault;
use super::load::{Lock, load};
use super::save::save;
use super::work::{Tx, settle};
use crate::contract::{Beat, BeatAnswer};
use crate::core::Timestamp;
use crate::drivers::model::{Need, Store};

pub(super) async fn heartbeat(
    tx: &mut Tx<'_>,
    beats: &[Beat],
) -> Result<(Vec<BeatAnswer>, Store), Fault> {
    let mut set = Store::working_set();
    let rows = beats.iter().map(|beat| Need::Job(beat.job)).collect();
    load(tx, &mut set, rows, Lock::IfFree).await?;
    let verb = |set: &mut Store, now: Timestamp| {
        let answers: Vec<BeatAnswer> = beats.iter().map(|beat| set.heartbeat(beat, now)).collect();
        answers
    };
    let (mut answers, mut after) = settle(tx, &mut set, Lock::IfFree, verb).await?;
    for (beat, answer) in beats.iter().zip(&mut answers) {
        if !tx.busy.contains(&beat.job) {
            continue;
        }
        // Nothing is written, so the lease ends when it did before.
        let Some(row) = set.held(beat.job).cloned() else {
            continue;
        };
        if let BeatAnswer::Held { until, .. } = answer {
            *until = row.head.visible_at.unwrap_or(tx.now);
        }
        after.take(beat.job);
        after.put(Box::new(row));
    }
    save(tx, &set, &after).await?;
    Ok((answers, after))
}
