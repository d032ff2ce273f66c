//! The bugs that can be planted, by name. What each does stands where it is planted.

/// A bug that breaks one promise. None is there unless it was planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// A failed attempt leaves the store in one transaction and comes back in another.
    AckBeforeRetry,
    /// Parking a run costs it an attempt.
    AttemptOnSuspend,
    /// The store hides a leased job for half as long as its worker believes.
    HalfLease,
    /// A change that met another row than it expected, and changed nothing, is taken for done.
    IgnoredRows,
    /// A job that ends frees its key also where another job holds it now.
    KeyFreed,
    /// A worker's slot is not given back when a run parks or fails.
    LeakedSlot,
    /// A commit whose answer was lost is taken for one that failed, and its job is put back.
    NakUnknown,
    /// The token of a lease is not compared when a commit is applied.
    NoFence,
    /// A run is parked without a look at what was put into its inbox meanwhile.
    ParkUnchecked,
    /// What a step causes is stored in a transaction of its own, after the step's record.
    StepApart,
    /// One event in four cannot be stored, and is reported as published.
    SwallowedPublish,
    /// A schedule's next tick is reckoned from the time at which the last one was made.
    TickFromNow,
}
