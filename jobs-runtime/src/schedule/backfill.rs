//! The ticks of a span of the past, made once more.

use super::keeper::calendar;
use super::stored::read;
use super::{Keeper, Tick};
use crate::Error;
use crate::client::stored;
use crate::core::{RunId, Timestamp};
use crate::private::IntoTick;

/// Ticks of one backfill at most.
pub const BACKFILL_LIMIT_TICKS: usize = 10_000;
/// Ticks of a backfill in one write.
const BATCH_TICKS: usize = 500;

/// What came of a backfill. Both lists are in the order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backfilled {
    /// The ticks that it made.
    pub made: Vec<Timestamp>,
    /// Those whose jobs were in the store already, live or ended.
    pub there: Vec<Timestamp>,
}

impl Keeper<'_> {
    pub(crate) async fn backfill(
        &self,
        name: &str,
        from: impl IntoTick,
        until: impl IntoTick,
    ) -> Result<Backfilled, Error> {
        let table = match self.stored(self.scope(name)).await? {
            Some(setting) => Some(read(&setting)?),
            None => None,
        };
        let plan = self.plan(name, table.as_ref()).await?;
        let series = self.series(name, table.as_ref()).await?;
        let calendar = calendar(&plan)?;
        let bound = |at: Option<Timestamp>| {
            at.ok_or_else(|| Error::span_invalid(name, "it reaches beyond the calendar"))
        };
        let from = bound(from.into_tick(calendar.zone()))?;
        let until = bound(until.into_tick(calendar.zone()))?;
        if until < from {
            return Err(Error::span_invalid(name, "it ends before it begins"));
        }
        // What is yet to come is made by the schedule, in its time.
        let until = until.min(self.now().await?);
        let ticks = calendar.within(from, until).take(BACKFILL_LIMIT_TICKS + 1);
        let ticks: Vec<Timestamp> = ticks.collect();
        if ticks.len() > BACKFILL_LIMIT_TICKS {
            let why = format_args!("it has more than {BACKFILL_LIMIT_TICKS} ticks");
            return Err(Error::span_invalid(name, why));
        }
        let mut filled = Backfilled::default();
        for batch in ticks.chunks(BATCH_TICKS) {
            let mut rows = Vec::with_capacity(batch.len());
            for at in batch {
                let mut row = series.tick_row(&Tick::new(*at, plan.zone.clone()))?;
                // By its run it is seen whose write made a job: that of a job which was there is
                // answered with its own.
                row.spec.run_id = RunId::new(*at, self.store.env.entropy.bits());
                rows.push(self.store.sealed(row)?);
            }
            let answers = self.store.enqueue(&rows).await?;
            for (row, answer) in rows.iter().zip(answers) {
                let tick = row.spec.tick.as_ref().map(|tick| tick.tick);
                let is_made = stored(row, answer)?.run_id == row.spec.run_id;
                let list = match is_made {
                    true => &mut filled.made,
                    false => &mut filled.there,
                };
                list.extend(tick);
            }
        }
        Ok(filled)
    }
}
