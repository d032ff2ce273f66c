//! Timetables as settings of the store: their keys, and their form.

use crate::Error;
use crate::contract::Setting;
use crate::core::{Plan, Timetable};
use crate::registry::{JobDef, TaskDef};

/// The longest name of a schedule that is made at run time, in bytes.
pub const SCHEDULE_NAME_LIMIT_BYTES: usize = 200;
/// The largest input of a schedule that is made at run time, in bytes as it is stored: each
/// scheduler reads all of them at each look.
pub const SCHEDULE_INPUT_LIMIT_BYTES: usize = 16 * 1024;
/// Schedules that are made at run time in one store.
pub const SCHEDULE_LIMIT: usize = 10_000;

impl TaskDef {
    pub(crate) fn plan(&self) -> Plan {
        Plan {
            schedule: self.schedule.into(),
            zone: self.zone.into(),
            missed: self.missed,
            overlap: self.overlap,
        }
    }
}

/// The key of the timetable of a schedule.
pub(crate) fn key(name: &str) -> String {
    format!("{}{name}", Timetable::PREFIX)
}

/// The key of a task's timetable. A task that was renamed keeps it.
pub(crate) fn key_of(def: &JobDef) -> String {
    key(def.scope())
}

/// The schedule whose timetable this is.
pub(crate) fn name_in(setting: &Setting) -> &str {
    setting
        .key
        .strip_prefix(Timetable::PREFIX)
        .unwrap_or(&setting.key)
}

/// Reads a stored timetable.
pub(crate) fn read(setting: &Setting) -> Result<Timetable, Error> {
    serde_json::from_slice(&setting.value)
        .map_err(|error| Error::store_corrupt(format_args!("the setting {}: {error}", setting.key)))
}

/// A timetable as it is stored.
pub(crate) fn written(table: &Timetable) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(table).map_err(|error| Error::unencodable("Timetable", error))
}
