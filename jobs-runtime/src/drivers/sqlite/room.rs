//! What a claim must know of limits: how each group stands, whose turn it is, and where both are
//! stored with the leases.

use super::db::Db;
use super::fault::Fault;
use super::group::Tx;
use super::sql;
use crate::contract::{Standing, TenantSetting, limit_of};
use crate::core::{Group, Lane, Pace, Room, Timestamp, Turn};
use rusqlite::params;

/// Sees to it that the room knows these groups. The writer's lock keeps their counts as they are.
pub(super) fn look_at(tx: &Tx<'_>, room: &mut Room, groups: &[Group]) -> Result<(), Fault> {
    for group in groups {
        if !room.knows(group) {
            let standing = standing(**tx, group, tx.now)?;
            room.add(standing.group, standing.limit, standing.live, standing.pace);
        }
    }
    Ok(())
}

/// How a group stands with its limit.
pub(super) fn standing(db: Db<'_>, group: &Group, now: Timestamp) -> Result<Standing, Fault> {
    let limit = limit_of(group, |key| setting(db, key))?;
    let live = match limit.concurrency {
        Some(most) => live(db, group, now, most)?,
        None => 0,
    };
    let pace = match limit.rate {
        Some(_) => pace(db, group)?,
        None => Pace::default(),
    };
    Ok(Standing {
        group: group.clone(),
        limit,
        live,
        pace,
    })
}

/// Stores how far the rates have moved.
pub(super) fn store_paces(tx: &Tx<'_>, room: &Room) -> Result<(), Fault> {
    for (group, pace) in room.paces() {
        tx.run(sql::PACE_STORE, params![group.text(), pace.0])?;
    }
    Ok(())
}

/// Whose turn it is.
pub(super) fn turn(db: Db<'_>, queue: &str, priority: i64) -> Result<Turn, Fault> {
    let turn = db.first(sql::TURN_LOAD, params![queue, priority], |columns| {
        let lane: String = columns.take()?;
        let served: i64 = columns.take()?;
        Ok(Turn {
            lane: Lane::read(&lane),
            served: u32::try_from(served).unwrap_or(0),
        })
    })?;
    Ok(turn.unwrap_or_default())
}

pub(super) fn store_turn(
    tx: &Tx<'_>,
    queue: &str,
    priority: i64,
    turn: &Turn,
) -> Result<(), Fault> {
    let lane = turn.lane.text();
    tx.run(sql::TURN_STORE, params![queue, priority, lane, turn.served])?;
    Ok(())
}

/// Jobs of one turn of a lane.
pub(super) fn weight(db: Db<'_>, lane: &Lane) -> Result<u32, Fault> {
    let Some(tenant) = &lane.tenant else {
        return Ok(1);
    };
    let value = setting(db, &TenantSetting::key(tenant))?.unwrap_or_default();
    Ok(TenantSetting::read(&value).weight.unwrap_or(1))
}

fn live(db: Db<'_>, group: &Group, now: Timestamp, most: u32) -> Result<u32, Fault> {
    let count = |sql, params: &[&dyn rusqlite::ToSql]| {
        db.first(sql, params, |columns| columns.take::<i64>())
    };
    let live = match group {
        Group::Key { scope, key } => count(sql::LIVE_KEY, params![scope, key, now.0, most])?,
        Group::Queue(queue) => count(sql::LIVE_QUEUE, params![queue, now.0, most])?,
        Group::Tenant { queue, tenant } => {
            count(sql::LIVE_TENANT, params![queue, tenant, now.0, most])?
        }
    };
    Ok(live.and_then(|live| u32::try_from(live).ok()).unwrap_or(0))
}

fn pace(db: Db<'_>, group: &Group) -> Result<Pace, Fault> {
    let pace = db.first(sql::PACE_LOAD, [group.text()], |columns| columns.take())?;
    Ok(pace.map(Pace).unwrap_or_default())
}

pub(super) fn setting(db: Db<'_>, key: &str) -> Result<Option<Vec<u8>>, Fault> {
    db.first(sql::SETTING_LOAD, [key], |columns| columns.take())
}
