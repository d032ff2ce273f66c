//! What stands in the place of `torture` in a build without that feature: no crash point, no
//! planted bug, and nothing of it in the program.

#[path = "torture/bug.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "it is public, and planted, in the other build"
)]
mod bug;

pub(crate) use bug::Bug;
#[allow(
    unused_imports,
    reason = "a build may have no driver that writes in transactions"
)]
pub(crate) use points::{call_points, crash_point, write_points};

/// No points.
pub(crate) mod points {
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct CallPoints;

    impl CallPoints {
        #[inline]
        pub(crate) fn before(self) {}

        #[inline]
        pub(crate) fn after(self) {}
    }

    #[derive(Clone, Copy, Debug)]
    #[allow(dead_code, reason = "only drivers that write in transactions have any")]
    pub(crate) struct WritePoints;

    #[allow(dead_code, reason = "only drivers that write in transactions have any")]
    impl WritePoints {
        #[inline]
        pub(crate) fn begun(self) {}

        #[inline]
        pub(crate) fn written(self) {}

        #[inline]
        pub(crate) fn committed(self) {}

        #[inline]
        pub(crate) fn replying(self) {}
    }

    macro_rules! crash_point {
        ($name:literal) => {};
    }

    macro_rules! call_points {
        ($name:literal) => {
            $crate::torture::points::CallPoints
        };
    }

    #[allow(
        unused_macros,
        reason = "only drivers that write in transactions have any"
    )]
    macro_rules! write_points {
        ($name:literal) => {
            $crate::torture::points::WritePoints
        };
    }

    #[allow(
        unused_imports,
        reason = "only drivers that write in transactions have any"
    )]
    pub(crate) use {call_points, crash_point, write_points};
}

/// No bugs.
pub(crate) mod seeded {
    use super::Bug;
    pub(crate) use crate::core::decide;
    use crate::core::{Commit, EventId, JobId, NextTick, TickToMake, Timestamp, Timetable};

    #[inline]
    pub(crate) const fn seeded(_: Bug) -> bool {
        false
    }

    #[inline]
    pub(crate) const fn lease_end(_: Timestamp, end: Timestamp) -> Timestamp {
        end
    }

    #[inline]
    pub(crate) const fn takes_apart(_: &Commit) -> bool {
        false
    }

    #[inline]
    pub(crate) const fn leaves_between(_: &Commit) -> bool {
        false
    }

    pub(crate) fn nak(commit: &Commit) -> Commit {
        commit.clone()
    }

    #[inline]
    pub(crate) fn fire(
        table: &Timetable,
        now: Timestamp,
        is_busy: bool,
        next: NextTick<'_>,
        job: impl Fn(Timestamp) -> JobId,
    ) -> (Vec<TickToMake>, Timetable) {
        table.fire(now, is_busy, next, job)
    }

    #[inline]
    pub(crate) const fn swallows(_: EventId) -> bool {
        false
    }

    #[derive(Debug, Default)]
    pub(crate) struct Leaked(());

    impl Leaked {
        #[inline]
        pub(crate) fn leak(&self) {}

        #[inline]
        #[allow(clippy::unused_self, reason = "the other one counts")]
        pub(crate) const fn slots(&self) -> usize {
            0
        }
    }

    pub(crate) fn without_afterthought(commit: &Commit) -> Commit {
        commit.clone()
    }
}
