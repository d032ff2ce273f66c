//! Schedules: those of tasks, and those that are made at run time. [`calendar`] says which
//! instants a schedule names in its zone, `core` decides which of them are made, [`scheduler`]
//! makes them in the write that moves the timetable on, so that one tick is one job, however many
//! schedulers there are. [`keeper`] is what people change schedules by.

mod backfill;
mod calendar;
mod keeper;
mod row;
mod scheduler;
mod store_time;
mod stored;
mod template;
mod tick;
mod troubles;
mod view;
mod watch;
mod zones;

pub use backfill::{BACKFILL_LIMIT_TICKS, Backfilled};
pub(crate) use calendar::Calendar;
pub(crate) use keeper::Keeper;
pub(crate) use scheduler::Scheduler;
pub(crate) use store_time::StoreTime;
pub use stored::{SCHEDULE_INPUT_LIMIT_BYTES, SCHEDULE_LIMIT, SCHEDULE_NAME_LIMIT_BYTES};
pub use template::{JobTemplate, Schedulable, Wanted};
pub use tick::Tick;
pub use view::ScheduleView;
pub use watch::NOTICED_WITHIN;
pub(crate) use watch::watch;

#[cfg(test)]
mod tests;
