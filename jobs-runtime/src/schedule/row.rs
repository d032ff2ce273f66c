//! The job of a tick. Its ids follow from the schedule and the tick, so that whoever makes the
//! tick, and however often, makes the same job.

use super::Tick;
use crate::Error;
use crate::clock::Env;
use crate::core::{
    JobId, JobSpec, NewJob, OnConflict, Payload, RunId, Template, TickRef, Timestamp, Visible,
    derived,
};
use crate::durable::Durable;
use crate::registry::{JobDef, Registry, Said};
use crate::store::Store;
use std::collections::BTreeMap;

/// What the two ids of a job are derived with.
const JOB_SEED: u128 = 1;
const RUN_SEED: u128 = 2;

/// A schedule and what each of its ticks enqueues.
pub(crate) struct Series<'a> {
    /// The name of the schedule.
    pub(crate) name: &'a str,
    def: &'static JobDef,
    /// What a schedule that was made at run time gives its job; a task gives the tick.
    given: Option<Given<'a>>,
}

struct Given<'a> {
    template: &'a Template,
    /// The input as JSON.
    input: Vec<u8>,
    said: Said,
}

impl<'a> Series<'a> {
    pub(crate) fn of_task(def: &'static JobDef) -> Series<'static> {
        Series {
            name: def.scope(),
            def,
            given: None,
        }
    }

    /// That of a schedule which was made at run time.
    ///
    /// # Errors
    /// Why this program cannot make its ticks: it does not define the job, or the job does not
    /// take the input.
    pub(crate) fn of_template(
        name: &'a str,
        template: &'a Template,
        registry: &Registry,
        store: &Store,
    ) -> Result<Self, Error> {
        let job = &template.name;
        let Some(def) = registry.find(job) else {
            let near = crate::admin::nearest(job, registry.names());
            return Err(Error::scheduled_job_unknown(name, job, near));
        };
        if def.options.task.is_some() {
            return Err(Error::schedule_refused(
                name,
                format_args!("\"{job}\" is a task, which has a schedule of its own"),
                "make a `#[job]` of what both are to do, and put that one on the schedule",
            ));
        }
        let undecodable = |error: Error| Error::scheduled_input(name, job, error);
        let input = store.codecs.decode(&template.input).map_err(undecodable)?;
        let said = def.asked(&input).map_err(undecodable)?;
        let input = input.into_owned();
        Ok(Series {
            name,
            def,
            given: Some(Given {
                template,
                input,
                said,
            }),
        })
    }

    /// The id of the job of a tick.
    pub(crate) fn job_id(&self, tick: Timestamp) -> JobId {
        JobId::new(tick, self.bits(JOB_SEED, tick))
    }

    /// The job of a tick, its input still to be sealed.
    pub(crate) fn tick_row(&self, tick: &Tick) -> Result<NewJob, Error> {
        let mut row = self.row(tick)?;
        row.spec.id = self.job_id(tick.at);
        row.spec.run_id = RunId::new(tick.at, self.bits(RUN_SEED, tick.at));
        row.spec.tick = Some(TickRef {
            schedule: self.name.into(),
            tick: tick.at,
        });
        // The ids say it, for ended jobs as well. The key of a task shows what it stands for; that
        // of another job is a word of its own, which any enqueue of that job may hold.
        row.spec.key = self.given.is_none().then(|| tick.key());
        // A scheduler whose idea of the time is ahead makes the job early; it runs no earlier.
        row.visible = Visible::At(tick.at);
        Ok(row)
    }

    /// The job once more, outside of the timetable.
    pub(crate) fn row_by_hand(&self, tick: &Tick, env: &Env) -> Result<NewJob, Error> {
        let mut row = self.row(tick)?;
        row.spec.id = JobId::new(tick.at, env.entropy.bits());
        row.spec.run_id = RunId::new(tick.at, env.entropy.bits());
        Ok(row)
    }

    fn bits(&self, seed: u128, tick: Timestamp) -> u128 {
        derived(
            seed ^ u128::from(tick.0.cast_unsigned()) << 64,
            self.name.as_bytes(),
        )
    }

    /// What is said of the job, its ids still to be given.
    fn row(&self, tick: &Tick) -> Result<NewJob, Error> {
        let (def, options) = (self.def, &self.def.options);
        let given = self.given.as_ref();
        let template = given.map(|given| given.template);
        let expires = template.and_then(|it| it.expires).or(options.expires);
        let spec = JobSpec {
            id: JobId::new(tick.at, 0),
            run_id: RunId::new(tick.at, 0),
            name: def.name.into(),
            scope: def.scope().into(),
            queue: template
                .and_then(|it| it.queue.clone())
                .unwrap_or_else(|| options.queue.into()),
            key: None,
            input: Payload::json(match given {
                Some(given) => given.input.clone(),
                None => tick.encode()?,
            }),
            priority: template
                .and_then(|it| it.priority)
                .unwrap_or(options.priority),
            tenant: given.and_then(|given| {
                let own = given.template.tenant.as_ref();
                own.or(given.said.tenant.as_ref()).cloned()
            }),
            visibility_timeout: options.visibility_timeout,
            expires_at: expires.map(|span| tick.at.after(span)),
            limit_key: match given {
                Some(given) => given.said.limit_key.clone(),
                // A tick is nobody's: all of a task's are counted together.
                None => options.limit.map(|_| String::new()),
            },
            rate_key: None,
            parent: None,
            tick: None,
            trace_context: None,
            labels: template.map_or_else(BTreeMap::new, |it| it.labels.clone()),
            version: 0,
            fork_of: None,
            continued_from: None,
            chain: None,
            on_cancel: options.on_cancel.map(|job| job().clean_up()),
        };
        Ok(NewJob {
            spec,
            visible: Visible::Now,
            attempts_max: template
                .and_then(|it| it.attempts)
                .unwrap_or(options.attempts),
            on_conflict: OnConflict::Dedupe,
            unique_for: None,
            window: None,
            expires: None,
            prefix: Vec::new(),
        })
    }
}
