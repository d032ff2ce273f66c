//! The life cycle, written once more and apart from the code under test: which call may take a
//! job from one state to another.

use crate::ops::{End, Op};
use jobs_runtime::core::State::{self, Cancelled, Dead, Done, Failed, Pending, Running, Suspended};

/// Whether a job may be found in the second state after this call, where it was in the first.
pub(crate) fn may(op: &Op, before: State, after: State) -> bool {
    if before == after {
        return true;
    }
    match op {
        Op::Claim { .. } => matches!(
            (before, after),
            (Pending | Suspended, Running) | (Running, Dead) | (Pending, Failed)
        ),
        Op::Commit(_, carried) => match carried.end {
            End::Ack | End::Continue => (before, after) == (Running, Done),
            End::Defer | End::HandBack => (before, after) == (Running, Pending),
            End::Fail => (before, after) == (Running, Failed),
            End::GoOn => false,
            End::Hold | End::Suspend(_) => (before, after) == (Running, Suspended),
            End::Retry(_) => matches!((before, after), (Running, Pending | Dead)),
        },
        // A parent takes its children along.
        Op::Cancel(..) => matches!((before, after), (Pending | Running | Suspended, Cancelled)),
        Op::Requeue { .. } => {
            matches!(
                (before, after),
                (Suspended | Done | Failed | Dead | Cancelled, Pending)
            )
        }
        Op::Beat(..)
        | Op::CommitAgain(_)
        | Op::Enqueue(_)
        | Op::EnqueueAgain(_)
        | Op::Fork(..)
        | Op::Pass(_)
        | Op::Pause(..)
        | Op::Prune { .. }
        | Op::Publish { .. }
        | Op::PublishAgain(_)
        | Op::Schedule { .. } => false,
    }
}
