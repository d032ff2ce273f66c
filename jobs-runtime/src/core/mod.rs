//! The pure half: every decision about a job, as functions from values to values.
//!
//! Nothing in here reads a clock, draws a random number, does I/O or awaits: the time and the
//! random bits are arguments. It builds as `no_std` + `alloc`, and a test holds it to that.
//! Storing what was decided is the business of `drivers`; acting on it, of `worker`.

mod backoff;
mod chain;
mod child;
mod commit;
mod decide;
mod error;
mod event;
mod id;
mod job;
mod journal;
mod key;
mod limits;
mod meet;
mod mix;
mod notes;
mod payload;
mod run;
mod schedule;
mod shares;
mod time;
mod transition;
mod turns;
mod window;

pub use backoff::Backoff;
pub use chain::{Chain, MarkKey, goes_along, marks, unconsumed};
pub use child::{cancelled_with_parent, child_cycle, child_gone, child_outcome};
pub use commit::{Commit, CommitGuard, CommitNumber, LogLine, Progress, Settle, Trace};
pub use decide::{
    Applied, ClaimVerdict, CommitAnswer, Decision, claim, claim_order, decide, heartbeat, nudged,
};
pub use error::{
    BACKTRACE_LIMIT_BYTES, ERROR_CAUSE_LIMIT_BYTES, ERROR_LIMIT_CAUSES, ERROR_MESSAGE_LIMIT_BYTES,
    StoredError,
};
pub use event::{InboxContent, InboxItem, NewEvent, Nudge, WaitSpec, unserved};
pub use id::{EventId, JobId, RunId, Token};
pub use job::{
    CleanUp, Head, Job, JobNotes, JobSpec, NewJob, OnConflict, Parent, Priority, TickRef, Visible,
};
pub use journal::{Mismatch, Position, RecordKind, StepOutcome, StepRecord};
pub use key::{MAX_KEY_BYTES, MAX_STEP_NAME_BYTES, escape_into, key_part};
pub use limits::{Blocked, Group, Limit, Pace, RATE_LIMIT_STARTS, Rate, Room, UnknownRate};
pub use meet::{
    Meeting, NEVER, REPLACED_FORGOTTEN, REPLACED_KEPT, clean_up, follower, meet, opened,
    passed_until, put_off, released,
};
pub use mix::derived;
pub use notes::{
    LOG_LIMIT_LINES, LOG_LINE_LIMIT_BYTES, LOG_WAITING_LIMIT_LINES, NOTES_EVERY,
    PROGRESS_MESSAGE_LIMIT_BYTES,
};
pub use payload::Payload;
pub use run::{Ask, Asked, Ended, Leave, Next, Replay, Run, RunFault, Undone, template_gives};
pub use schedule::{
    MISSED_AFTER, MISSED_LIMIT_TICKS, Made, Missed, NextTick, Overlap, PLAN_STANDS, Plan,
    SKIPPED_LIMIT, Skipped, TICK_LIMIT_BATCH, Template, TickToMake, Timetable, Why,
};
pub use shares::Shares;
pub use time::{Millis, Timestamp};
pub use transition::{Change, IllegalTransition, State, UnknownState, View, next};
pub use turns::{Contender, LANE_LIMIT, Lane, Turn, Turns, VisibleJob};
pub use window::{Edge, Window, WindowKind};
