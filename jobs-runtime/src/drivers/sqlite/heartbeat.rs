//! Heartbeat: leases made longer, on a connection that never waits for more than one transaction
//! of the writer.

use super::fault::Fault;
use super::group::Tx;
use super::{inbox, row, sql};
use crate::contract::{Beat, BeatAnswer};
use crate::core::{self, State};
use crate::torture::seeded;
use rusqlite::params;

/// Extends each lease that is still its holder's.
pub(super) fn heartbeat(tx: &Tx<'_>, beats: &[Beat]) -> Result<Vec<BeatAnswer>, Fault> {
    beats
        .iter()
        .map(|beat| match tx.item(|tx| extend(tx, beat)) {
            Err(fault) if fault.is_one_items() => {
                let error = fault.before_write(&tx.shared.path);
                tracing::error!(job = %beat.job, %error, "a lease cannot be extended");
                Ok(BeatAnswer::Lost)
            }
            answer => answer,
        })
        .collect()
}

fn extend(tx: &Tx<'_>, beat: &Beat) -> Result<BeatAnswer, Fault> {
    let id = beat.job;
    let Some(head) = tx.first(sql::HEAD_LOAD, [id.as_bytes()], row::read_head)? else {
        let state: Option<String> =
            tx.first(sql::ENDED_STATE, [id.as_bytes()], |columns| columns.take())?;
        let cancelled = state.as_deref() == Some(State::Cancelled.as_str());
        return Ok(if cancelled {
            BeatAnswer::Cancelled
        } else {
            BeatAnswer::Lost
        });
    };
    let Some(extended) = core::heartbeat(&head, beat.token, tx.now, beat.visibility_timeout) else {
        return Ok(BeatAnswer::Lost);
    };
    let until = extended.visible_at.unwrap_or(tx.now);
    let hidden = seeded::lease_end(tx.now, until);
    tx.run(sql::HEARTBEAT_EXTEND, params![id.as_bytes(), hidden.0])?;
    Ok(BeatAnswer::Held {
        until,
        nudge: inbox::nudge(**tx, id, head.nudge, beat.seen_nudge)?,
        cancel_requested: head.cancel_requested,
    })
}
