//! A request as what a schedule enqueues again and again.

use super::Request;
use crate::Error;
use crate::core::{Priority, Visible};
use crate::definition::Job;
use crate::durable::Durable;
use crate::schedule::JobTemplate;

impl<J: Job, O: 'static> Request<J, O> {
    /// # Errors
    /// `X_SCHEDULE_INVALID` for what makes sense for one enqueue only, so that nothing of it is
    /// dropped in silence; `X_OUTPUT_UNENCODABLE` for the input.
    pub(crate) fn into_template(self, schedule: &str) -> Result<JobTemplate, Error> {
        let once = [
            ("`delay` and `at`", self.visible != Visible::Now),
            ("`on_conflict`", self.on_conflict.is_some()),
            ("`unique_for`", self.unique_for.is_some()),
            ("`debounce` and `throttle`", self.window.is_some()),
            ("`run_id`", self.run_id.is_some()),
        ];
        if let Some((what, _)) = once.iter().find(|(_, is_said)| *is_said) {
            return Err(Error::schedule_refused(
                schedule,
                format_args!(
                    "{what} of a request mean one enqueue, and each tick is a job of its own"
                ),
                "leave it away; when jobs are made is said by the schedule, and `overlap` says what becomes of a tick that meets the job before",
            ));
        }
        let input = String::from_utf8(self.input.encode()?)
            .map_err(|why| Error::unencodable(std::any::type_name::<J::Input>(), why))?;
        let mut template = JobTemplate::new(J::def().name, input);
        template.queue = self.queue;
        template.tenant = self.tenant;
        template.priority = self.priority.map(Priority::level);
        template.attempts = self.attempts;
        template.expires = self.expires.map(Into::into);
        template.labels = self.labels;
        Ok(template)
    }
}
