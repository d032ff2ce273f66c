//! What the terminal shows: a line for each thing that happens, in columns, coloured if the
//! terminal wants it. Decides nothing.

use crate::files::Files;
use crate::order::{Order, Outcome, sell};
use crate::shop::money;
use anstyle::{AnsiColor, Style};
use jobs_runtime::contract::JobView;
use jobs_runtime::core::State;
use jobs_runtime::{Failure, Handle, RunEvent, RunRef, Timestamp};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, ThemeCharacters, ThemeStyles};
use std::collections::HashMap;
use std::fmt::Display;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const BAD: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const HEAD: Style = Style::new().bold();
const OUTSIDE: Style = AnsiColor::Cyan.on_default();
const PARKED: Style = AnsiColor::Yellow.on_default();
const REPLAY: Style = AnsiColor::Blue.on_default();

/// The lines of one start, and what they need to be drawn.
pub(crate) struct Show {
    start: Instant,
    /// The width of the column of order numbers.
    width: usize,
    /// Bodies that run now, by order and step. A crash or a lost lease leaves some behind; there
    /// are no more of them than steps.
    bodies: Mutex<HashMap<(String, String), Instant>>,
}

impl Show {
    pub(crate) fn new<'o>(orders: impl Iterator<Item = &'o Order>) -> Self {
        Show {
            start: Instant::now(),
            width: orders.map(|order| order.id.len()).max().unwrap_or(0),
            bodies: Mutex::default(),
        }
    }

    /// Where things are kept.
    pub(crate) fn place(&self, files: &Files) {
        let (store, effects) = (files.store.display(), files.effects.display());
        let note = match files.are_kept() {
            true => "",
            false => "  (gone at the end)",
        };
        write(format_args!(
            "{HEAD}store{HEAD:#}    {store}{DIM}{note}{DIM:#}"
        ));
        write(format_args!(
            "{HEAD}effects{HEAD:#}  {effects}{DIM}{note}{DIM:#}\n"
        ));
    }

    pub(crate) fn enqueued(&self, order: &Order) {
        let cents = money(order.cents);
        let text = format!("enqueued: {} for {}, {cents}", order.goods, order.customer);
        self.line(&order.id, "", Style::new(), text);
    }

    /// The order has a job from an earlier start.
    pub(crate) fn found(&self, order: &str, view: &JobView, handle: &Handle<sell>) {
        let head = &view.job.head;
        let (style, text) = match head.state {
            State::Running => {
                let holder = view.job.notes.worker.as_deref().unwrap_or("worker");
                // Its name without the random bits.
                let name = holder.rsplit_once('-').map_or(holder, |(name, _)| name);
                let ends = secs(until(head.visible_at));
                let text = format!("waits {ends} for the lease of the dead {name} to end");
                (PARKED, text)
            }
            State::Suspended => (
                DIM,
                "deduped: its job is there, parked, held by nobody".into(),
            ),
            state if state.is_live() => (DIM, "deduped: its job is there, and waits".into()),
            state => (GOOD, format!("its job was {state} before this start")),
        };
        self.line(order, "", style, text);
        if handle.input_differs() {
            let text = "that job keeps its order; what the file says now is another one";
            self.line(order, "", PARKED, text);
        }
    }

    pub(crate) fn confirmed(&self, order: &str) {
        let text = "the provider publishes PaymentConfirmed";
        self.line(order, "", OUTSIDE, text);
    }

    /// What a worker tells of a run.
    pub(crate) fn event(&self, run: RunRef<'_>, event: RunEvent<'_>) {
        let order = order_of(run);
        match event {
            RunEvent::Claimed { recorded: [] } => {}
            RunEvent::Claimed { recorded } => {
                let text = format!("taken up again, replays {}", recorded.join(", "));
                self.line(order, "", REPLAY, text);
            }
            RunEvent::StepStarted { step } => {
                self.bodies()
                    .insert((order.into(), step.into()), Instant::now());
            }
            RunEvent::StepStored { step, failed } => self.stored(order, step, failed),
            RunEvent::Suspended { wake_at, .. } => {
                let wakes = self.start.elapsed() + until(wake_at);
                let text = format!(
                    "parked: no worker holds it; wakes at {} or before",
                    secs(wakes)
                );
                self.line(order, "", PARKED, text);
            }
            RunEvent::Ended {
                state: State::Done,
                replayed,
                ..
            } => {
                let text = format!("done, with {} of its steps replayed", replayed.len());
                self.line(order, "", GOOD.bold(), text);
            }
            RunEvent::Ended { state, error, .. } => {
                let why = error.map_or("", |error| error.message.as_str());
                self.line(order, "", BAD, format!("{state}: {why}"));
            }
            RunEvent::LeaseLost => self.line(order, "", BAD, "the lease is lost"),
            _ => {}
        }
    }

    fn stored(&self, order: &str, step: &str, failed: bool) {
        let began = self.bodies().remove(&(order.into(), step.into()));
        let took = match began {
            Some(began) => format!(", its body took {} ms", began.elapsed().as_millis()),
            None => ", its wait is over".into(),
        };
        match failed {
            false => self.line(order, step, GOOD, format!("durable{took}")),
            true => self.line(order, step, BAD, format!("failed{took}")),
        }
    }

    pub(crate) fn crash(&self, order: &str, step: &str, place: &str) {
        let text = format!("kill -9 {place}: start again with the same --db");
        self.line(order, step, BAD, text);
    }

    /// The end of a start that had something to do.
    pub(crate) fn done(&self, outcomes: &[Outcome], files: &Files) {
        let (took, counts) = (secs(self.start.elapsed()), counts(outcomes));
        write(format_args!(
            "\n{HEAD}all orders are done after {took}: {counts}{HEAD:#}"
        ));
        if !files.are_kept() {
            let crash = "--db orders.db --crash-after payment";
            let text = format!("to see an order survive: {crash}; then: --db orders.db");
            write(format_args!("{DIM}{text}{DIM:#}"));
        }
    }

    /// The end of a start that found everything done.
    pub(crate) fn done_before(&self, outcomes: &[Outcome]) {
        let counts = counts(outcomes);
        write(format_args!(
            "\n{HEAD}all jobs were done before this start: {counts}{HEAD:#}"
        ));
    }

    fn line(&self, order: &str, step: &str, style: Style, text: impl Display) {
        let (at, width) = (secs(self.start.elapsed()), self.width);
        write(format_args!(
            "{DIM}{at:>8}{DIM:#}  {order:width$}  {step:7}  {style}{text}{style:#}"
        ));
    }

    fn bodies(&self) -> MutexGuard<'_, HashMap<(String, String), Instant>> {
        self.bodies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The order that a run sells: its key without what the job's template puts before it.
pub(crate) fn order_of(run: RunRef<'_>) -> &str {
    let key = run.key.unwrap_or_default();
    key.strip_prefix("order:").unwrap_or(key)
}

fn counts(outcomes: &[Outcome]) -> String {
    let shipped = outcomes.iter();
    let shipped = shipped.filter(|outcome| matches!(outcome, Outcome::Shipped { .. }));
    let shipped = shipped.count();
    format!("{shipped} shipped, {} released", outcomes.len() - shipped)
}

/// An error at the end of the program, with its place, its code and its fix where it has them.
pub(crate) fn report(failure: &Failure) {
    let bad_orders = failure.find::<crate::orders::BadOrders>();
    let diagnostic = bad_orders.map(|bad| bad as &dyn Diagnostic);
    let mut text = String::new();
    let drawn = match diagnostic.or_else(|| failure.diagnostic()) {
        Some(diagnostic) => GraphicalReportHandler::new_themed(theme())
            .with_links(false)
            .render_report(&mut text, diagnostic)
            .is_ok(),
        None => false,
    };
    if !drawn {
        text = format!("{failure:?}");
    }
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Always with colours: anstream takes them out where they are not wanted.
fn theme() -> GraphicalTheme {
    GraphicalTheme {
        characters: ThemeCharacters::unicode(),
        styles: ThemeStyles::ansi(),
    }
}

/// A closed pipe must not stop the orders, so a line that nobody reads is dropped.
fn write(line: impl Display) {
    let _ = writeln!(anstream::stdout().lock(), "{line}");
}

fn secs(span: Duration) -> String {
    format!("{:.2} s", span.as_secs_f64())
}

/// How long until an instant of the store, whose clock is this machine's.
fn until(at: Option<Timestamp>) -> Duration {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let at = at.map_or(0, |at| u64::try_from(at.0).unwrap_or(0));
    Duration::from_millis(at).saturating_sub(now)
}
