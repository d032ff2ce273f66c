//! Tasks: jobs on a schedule. [`calendar`] says which instants a schedule names in its zone,
//! `core` decides which of them are made, [`scheduler`] makes them in the write that moves the
//! timetable on, so that one tick is one job, however many schedulers there are.

mod calendar;
mod row;
mod scheduler;
mod store_time;
mod tick;
mod watch;
mod zones;

pub(crate) use calendar::Calendar;
pub(crate) use row::tick_row;
pub(crate) use scheduler::{
    Scheduler, key_of as timetable_key, read as read_timetable, written as written_timetable,
};
pub(crate) use store_time::StoreTime;
pub use tick::Tick;
pub(crate) use watch::watch;

#[cfg(test)]
mod tests;
