//! What a task is given: one firing of its schedule.

use super::zones::zone;
use crate::core::Timestamp;
use serde::{Deserialize, Serialize};

/// One firing of a task's schedule: what the body works on.
///
/// ```
/// use jobs_runtime::{Tick, Timestamp};
///
/// let tick = Tick::new(Timestamp(1_774_746_000_000), "Europe/Paris");
/// // The clock jumps from two to three that night.
/// assert_eq!(tick.local().unwrap().to_string(), "2026-03-29T03:00:00+02:00[Europe/Paris]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tick {
    /// The instant that the schedule names. The body runs at it or later.
    pub at: Timestamp,
    /// The tick that was made before this one; `None` for the first. What happened since then is
    /// what a task that looks back has to look at, also when ticks between were passed over.
    #[serde(default)]
    pub previous: Option<Timestamp>,
    /// The IANA name of the schedule's zone.
    pub zone: String,
}

impl Tick {
    /// A tick that no schedule made: for tests, and for running a task by hand.
    #[must_use]
    pub fn new(at: Timestamp, zone: impl Into<String>) -> Self {
        Tick {
            at,
            previous: None,
            zone: zone.into(),
        }
    }

    /// The instant as the clock of the schedule's zone shows it.
    ///
    /// # Errors
    /// `X_SCHEDULE_INVALID` if this program does not know the zone.
    pub fn local(&self) -> Result<jiff::Zoned, crate::Error> {
        let zone = zone(&self.zone).map_err(|why| crate::Error::zone_unknown(&self.zone, why))?;
        let at = jiff::Timestamp::from_millisecond(self.at.0)
            .map_err(|why| crate::Error::zone_unknown(&self.zone, why))?;
        Ok(at.to_zoned(zone))
    }

    /// The key of the job of this tick.
    pub(crate) fn key(&self) -> String {
        format!("tick:{}", self.at.0)
    }
}
