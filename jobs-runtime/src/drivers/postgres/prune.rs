//! Retention: what may go, oldest first, in bounded batches.

use super::columns::Columns;
use super::fault::Fault;
use super::work::Tx;
use crate::contract::{PruneBounds, Pruned, rules_of};
use crate::core::{State, Timestamp};

/// Names of ended jobs that rules are looked up for.
const NAME_LIMIT: i64 = 10_000;

pub(super) async fn prune(tx: &mut Tx<'_>, bounds: &PruneBounds) -> Result<Pruned, Fault> {
    let limit = i64::try_from(bounds.limit).unwrap_or(i64::MAX);
    let jobs = remove(tx, Kind::Ended, bounds.ended_before, limit).await?;
    let ruled_out = ruled_out(tx, bounds, limit).await?;
    let events = remove(tx, Kind::Events, bounds.events_expired_before, limit).await?;
    let dead_letters = match bounds.dead_before {
        Some(before) => remove(tx, Kind::Dead, before, limit).await?,
        None => 0,
    };
    remove(tx, Kind::Keys, tx.now, limit).await?;
    remove(tx, Kind::Replaced, tx.now, limit).await?;
    tx.run(sqlx::query(&tx.sql.mark_prune).bind(limit)).await?;
    // A pace in the past says what none says, whatever its rate.
    let micros = Timestamp(tx.now.0.saturating_mul(1000));
    remove(tx, Kind::Paces, micros, limit).await?;
    Ok(Pruned {
        jobs: jobs + ruled_out,
        events,
        dead_letters,
        freed_bytes: 0,
    })
}

#[derive(Clone, Copy)]
enum Kind {
    Dead,
    Ended,
    Events,
    Keys,
    Paces,
    Replaced,
}

async fn remove(tx: &mut Tx<'_>, kind: Kind, before: Timestamp, limit: i64) -> Result<u64, Fault> {
    let sql = match kind {
        Kind::Dead => &tx.sql.dead_prune,
        Kind::Ended => &tx.sql.ended_prune,
        Kind::Events => &tx.sql.event_prune,
        Kind::Keys => &tx.sql.key_prune,
        Kind::Paces => &tx.sql.pace_prune,
        Kind::Replaced => &tx.sql.replaced_prune,
    };
    tx.count(sqlx::query(sql).bind(before.0).bind(limit)).await
}

/// Removes what the rules let go, so many for each of them and each name.
async fn ruled_out(tx: &mut Tx<'_>, bounds: &PruneBounds, limit: i64) -> Result<u64, Fault> {
    if bounds.rules.is_empty() {
        return Ok(0);
    }
    let rows = tx
        .all(sqlx::query(&tx.sql.ended_names).bind(NAME_LIMIT))
        .await?;
    let spared = bounds.not_spared(tx.now);
    let mut removed = 0;
    for row in &rows {
        let stored: String = Columns::of(row).take()?;
        let name = super::text::read(stored.clone());
        for state in [State::Done, State::Failed, State::Cancelled] {
            for rule in rules_of(&bounds.rules, &name, state) {
                if let Some(before) = rule.before {
                    let query = sqlx::query(&tx.sql.ended_prune_age)
                        .bind(stored.clone())
                        .bind(state.as_str())
                        .bind(before.min(spared).0)
                        .bind(limit);
                    removed += tx.count(query).await?;
                }
                if let Some(keep) = rule.keep {
                    let query = sqlx::query(&tx.sql.ended_prune_count)
                        .bind(stored.clone())
                        .bind(state.as_str())
                        .bind(i64::try_from(keep).unwrap_or(i64::MAX))
                        .bind(limit)
                        .bind(spared.0);
                    removed += tx.count(query).await?;
                }
            }
        }
    }
    Ok(removed)
}
