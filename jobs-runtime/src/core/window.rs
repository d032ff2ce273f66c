//! Windows: enqueues of one key that come close together become few runs. What becomes of each is
//! decided in [`super::meet`]; this is the arithmetic.

use super::{Millis, Timestamp};
use ::core::fmt;

/// How enqueues of one key that come close together become few runs.
///
/// ```
/// use jobs_runtime::core::{Edge, Millis, Window};
///
/// // Ten seconds after the last of them, and at most a minute after the first.
/// let quiet = Window::debounce(Millis::secs(10)).at_most(Millis::secs(60));
/// assert_eq!(quiet.edge, Edge::Trailing);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// What ends it.
    pub kind: WindowKind,
    /// How long it is.
    pub span: Millis,
    /// Which of its enqueues run.
    pub edge: Edge,
    /// The longest that one which waits for quiet is put off, from its own enqueue on.
    pub at_most: Option<Millis>,
}

/// What ends a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowKind {
    /// So much time without an enqueue of the key.
    Debounce,
    /// So much time since the run that began it: two runs never start closer together.
    Throttle,
}

/// Which enqueues of a window run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The first one, at once. The others answer with its job, and their inputs are dropped.
    Leading,
    /// The last one, when the window ends.
    Trailing,
    /// The first one, at once, and if there are others the last of them when the window ends.
    Both,
}

impl Window {
    /// Runs the last input, once there was no other for so long.
    #[must_use]
    pub const fn debounce(span: Millis) -> Window {
        Window {
            kind: WindowKind::Debounce,
            span,
            edge: Edge::Trailing,
            at_most: None,
        }
    }

    /// Runs the first input at once, and then at most one in each span: the last there was.
    #[must_use]
    pub const fn throttle(span: Millis) -> Window {
        Window {
            kind: WindowKind::Throttle,
            span,
            edge: Edge::Both,
            at_most: None,
        }
    }

    /// Another choice of which enqueues run.
    #[must_use]
    pub const fn edge(self, edge: Edge) -> Window {
        Window { edge, ..self }
    }

    /// The longest that a debounced input is put off.
    #[must_use]
    pub const fn at_most(self, span: Millis) -> Window {
        Window {
            at_most: Some(span),
            ..self
        }
    }

    /// For how long each run keeps the key from its start on, if two never start closer together.
    #[must_use]
    pub fn pace(self) -> Option<Millis> {
        (self.kind == WindowKind::Throttle).then_some(self.span)
    }

    /// When a job runs that finds its key free at `now`, and would run at `visible_at` without a
    /// window.
    pub(super) fn first(self, visible_at: Timestamp, now: Timestamp) -> Timestamp {
        match self.edge {
            Edge::Trailing => visible_at.max(now.after(self.span)),
            Edge::Leading | Edge::Both => visible_at,
        }
    }

    /// Until when the key is kept, with an enqueue at `now` whose job runs at `start`.
    pub(super) fn until(self, start: Timestamp, now: Timestamp) -> Timestamp {
        match self.kind {
            WindowKind::Debounce => now.after(self.span),
            WindowKind::Throttle => start.after(self.span),
        }
    }

    /// When a job runs that comes after one which has begun. `until` is the end of that one's
    /// window.
    pub(super) fn after(self, until: Option<Timestamp>, now: Timestamp) -> Timestamp {
        let quiet = now.after(self.span);
        let open = until.unwrap_or(now).max(now);
        match (self.kind, self.edge) {
            (WindowKind::Debounce, _) => self.put_off(now, now),
            (WindowKind::Throttle, Edge::Trailing) => open.max(quiet),
            (WindowKind::Throttle, _) => open,
        }
    }

    /// The instant to which an enqueue at `now` puts off a job that waits for quiet since `since`.
    pub(super) fn put_off(self, since: Timestamp, now: Timestamp) -> Timestamp {
        let quiet = now.after(self.span);
        let last = self.at_most.map(|span| since.after(span));
        last.map_or(quiet, |last| quiet.min(last))
    }
}

impl fmt::Display for Window {
    /// Its parts, as the attribute says them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.span)?;
        match self.edge {
            Edge::Leading => f.write_str(", edge = leading")?,
            Edge::Trailing => f.write_str(", edge = trailing")?,
            Edge::Both => f.write_str(", edge = both")?,
        }
        match self.at_most {
            Some(span) => write!(f, ", at_most = {span}"),
            None => Ok(()),
        }
    }
}
