//! A program against a store, before it is started there: which open runs would lose a completed
//! step under it. The lock tells what may be lost; this tells what will.

use super::{JobLock, Lock, StepLock};
use crate::Error;
use crate::client::Jobs;
use crate::contract::{JobFilter, JobView, PageCursor};
use crate::core::{JobId, RecordKind, State, StepRecord, template_gives};

/// Jobs that are read at once.
const PAGE_JOBS: usize = 100;
/// Most troubles that are kept; what is beyond is counted.
pub const MAX_TROUBLES: usize = 1_000;

/// Why an open run does not fit the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// No job of the program answers to its name: it waits for ever.
    NoHandler,
    /// A completed step that no step of the program answers to: the run is held when it ends.
    StepLost {
        /// The recorded name.
        step: String,
        /// What it was.
        kind: RecordKind,
    },
    /// A step of another kind answers to a record: the run is held when it asks.
    KindChanged {
        /// The recorded name.
        step: String,
        /// What it was.
        recorded: RecordKind,
        /// What it is in the program.
        asked: String,
    },
}

/// An open run that does not fit the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The job.
    pub id: JobId,
    /// Its durable name, as it is stored.
    pub name: String,
    /// Its key, if it has one.
    pub key: Option<String>,
    /// Where it stands.
    pub state: State,
    /// Why it does not fit.
    pub misfit: Misfit,
}

impl Trouble {
    /// What would happen, in a sentence.
    #[must_use]
    pub fn message(&self) -> String {
        let Trouble { name, .. } = self;
        match &self.misfit {
            Misfit::NoHandler => {
                format!("job \"{name}\" is not in this program, so the run waits for ever")
            }
            Misfit::StepLost { step, kind } => format!(
                "the {kind} \"{step}\" is recorded, and job \"{name}\" asks for none of that name: the run is held at its end"
            ),
            Misfit::KindChanged {
                step,
                recorded,
                asked,
            } => format!(
                "\"{step}\" is recorded as a {recorded}, and is of the kind {asked} in job \"{name}\": the run is held when it comes there"
            ),
        }
    }

    /// What to write instead.
    #[must_use]
    pub fn remedy(&self) -> String {
        let Trouble { name, .. } = self;
        match &self.misfit {
            Misfit::NoHandler => format!(
                "link the crate of that job (`jobs_runtime::link!`), or write `was = [{name:?}]` on the job that took its place"
            ),
            Misfit::StepLost { step, .. } => format!(
                "write `was = [{step:?}]` on the step that took its place, or `removed = [{step:?}]` on the job if it was given up"
            ),
            Misfit::KindChanged { step, .. } => format!(
                "give the new step another name, and write `removed = [{step:?}]` on the job"
            ),
        }
    }
}

/// How a preflight went.
#[derive(Clone, Debug, Default)]
pub struct Preflight {
    /// Open runs that were looked at.
    pub looked_at: u64,
    /// What does not fit, at most [`MAX_TROUBLES`].
    pub troubles: Vec<Trouble>,
    /// Troubles beyond those.
    pub not_listed: u64,
}

/// Compares a program with the open runs in a store. `progress` is told, page by page, how many
/// were looked at. Runs that begin or end meanwhile may or may not be among them.
///
/// ```
/// use jobs_runtime::Jobs;
/// use jobs_runtime::lock::{Lock, preflight};
/// # async fn look() -> jobs_runtime::Result<()> {
/// let jobs = Jobs::connect("sqlite://jobs.db").await?;
/// let found = preflight(&Lock::of_program()?, &jobs, |looked_at| println!("{looked_at} runs")).await?;
/// for trouble in &found.troubles {
///     println!("{}: {}", trouble.id, trouble.message());
/// }
/// # Ok(()) }
/// ```
///
/// # Errors
/// If the store cannot be read.
pub async fn preflight(
    lock: &Lock,
    jobs: &Jobs,
    mut progress: impl FnMut(u64),
) -> Result<Preflight, Error> {
    let mut found = Preflight::default();
    for state in [State::Suspended, State::Running, State::Pending] {
        let filter = JobFilter {
            state: Some(state),
            ..JobFilter::default()
        };
        let mut after: Option<PageCursor> = None;
        loop {
            let page = jobs.admin().list(&filter, after, PAGE_JOBS).await?;
            for job in &page.jobs {
                found.looked_at += 1;
                let Some(known) = lock.answering(&job.spec.name) else {
                    found.add(trouble(&job.spec.name, &job.spec, state, Misfit::NoHandler));
                    continue;
                };
                // One that never ran has no journal.
                if job.head.started_at.is_none() && job.spec.fork_of.is_none() {
                    continue;
                }
                if let Some(view) = jobs.admin().show(job.spec.id).await? {
                    found.look_at(known, &view);
                }
            }
            progress(found.looked_at);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
    }
    Ok(found)
}

impl Preflight {
    fn look_at(&mut self, known: &JobLock, view: &JobView) {
        let spec = &view.job.spec;
        for record in &view.journal {
            if let Some(misfit) = misfit(known, record) {
                self.add(trouble(&spec.name, spec, view.job.head.state, misfit));
            }
        }
    }

    fn add(&mut self, trouble: Trouble) {
        match self.troubles.len() < MAX_TROUBLES {
            true => self.troubles.push(trouble),
            false => self.not_listed += 1,
        }
    }
}

fn trouble(name: &str, spec: &crate::core::JobSpec, state: State, misfit: Misfit) -> Trouble {
    Trouble {
        id: spec.id,
        name: name.to_owned(),
        key: spec.key.clone(),
        state,
        misfit,
    }
}

fn misfit(known: &JobLock, record: &StepRecord) -> Option<Misfit> {
    let recorded = record.kind;
    match answering(known, &record.name) {
        Some(step) if step.kind == recorded.as_str() => None,
        Some(step) => Some(Misfit::KindChanged {
            step: record.name.clone(),
            recorded,
            asked: step.kind.clone(),
        }),
        None => {
            let is_excused = |removed: &String| template_gives(removed, &record.name);
            // One that was not delivered is let go of, unless it is a child that works on.
            let counts = record.position.is_some() || recorded == RecordKind::Child;
            (counts && !known.removed.iter().any(is_excused)).then(|| Misfit::StepLost {
                step: record.name.clone(),
                kind: recorded,
            })
        }
    }
}

/// The step that a record belongs to: of several whose templates can give the name, one whose
/// template has no placeholder.
fn answering<'l>(job: &'l JobLock, recorded: &str) -> Option<&'l StepLock> {
    if let Some(step) = job.steps.get(recorded) {
        return Some(step);
    }
    let gives = |template: &String| template_gives(template, recorded);
    let mut steps = job.steps.iter();
    let found = steps.find(|(name, step)| gives(name) || step.was.iter().any(gives));
    found.map(|(_, step)| step)
}
