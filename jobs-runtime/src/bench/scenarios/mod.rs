//! Ours: each scenario as a program would do it, with a client and a worker that are set up as they
//! are without settings, unless its name says otherwise.

mod enqueue;
mod full;
mod memory;
mod pickup;
mod runs;
mod worker;

use super::args::Scenario;
use super::place::Place;
use super::sample::Sample;
use crate::Error;

/// Jobs of one call that stores many.
pub(super) const BULK_JOBS: usize = 1_000;

/// How much work a measurement has.
#[derive(Clone, Debug)]
pub(super) struct Size {
    /// Jobs that wait to be drained.
    pub(super) drain: usize,
    /// Jobs that are enqueued one by one.
    pub(super) enqueues: usize,
    /// Calls that enqueue [`BULK_JOBS`].
    pub(super) bulks: usize,
    /// Latencies that are taken.
    pub(super) latencies: usize,
    /// Steps that runs in flight make together, at least.
    pub(super) steps: usize,
    /// Runs in flight.
    pub(super) in_flight: usize,
    /// Steps of the run that is alone.
    pub(super) alone: usize,
    /// Recorded steps of the two runs that are resumed.
    pub(super) replays: (usize, usize),
    /// Jobs that wait while memory is looked at, and in a full store.
    pub(super) waiting: usize,
    /// Runs in flight while memory is looked at.
    pub(super) running: usize,
}

impl Size {
    /// For ratios: some seconds for each measurement.
    pub(super) const FULL: Size = Size {
        drain: 20_000,
        enqueues: 3_200,
        bulks: 10,
        latencies: 200,
        steps: 6_000,
        in_flight: 300,
        alone: 100,
        replays: (1_000, 10_000),
        waiting: 100_000,
        running: 10_000,
    };

    /// For counts: everything in some seconds.
    pub(super) const QUICK: Size = Size {
        drain: 500,
        enqueues: 64,
        bulks: 1,
        latencies: 5,
        steps: 500,
        in_flight: 50,
        alone: 10,
        replays: (10, 20),
        waiting: 1_000,
        running: 100,
    };

    /// Runs of so many steps: as many as are in flight, at least.
    pub(super) fn runs(&self, steps: usize) -> usize {
        (self.steps / steps).max(self.in_flight)
    }

    /// What they make together.
    pub(super) fn steps(&self, steps: usize) -> usize {
        self.runs(steps) * steps
    }
}

/// Measures ours.
pub(super) async fn measure(
    scenario: Scenario,
    place: &Place,
    size: &Size,
) -> Result<Option<Sample>, Error> {
    let measured = match scenario {
        Scenario::Fsync => return Ok(None),
        Scenario::Drain => runs::drain(place, size.drain).await,
        Scenario::Enqueue => enqueue::one_by_one(place, size.enqueues, 1).await,
        Scenario::Enqueue32 => enqueue::one_by_one(place, size.enqueues, 32).await,
        Scenario::Enqueue256 => enqueue::one_by_one(place, size.enqueues, 256).await,
        Scenario::Enqueue1000 => enqueue::bulk(place, size.bulks).await,
        Scenario::Pickup => pickup::latencies(place, size.latencies).await,
        Scenario::Runs1 => runs::steps(place, size, 1).await,
        Scenario::Runs5 => runs::steps(place, size, 5).await,
        Scenario::Runs10 => runs::steps(place, size, 10).await,
        Scenario::Runs100 => runs::steps(place, size, 100).await,
        Scenario::Alone => runs::alone(place, size.alone).await,
        Scenario::Replay1000 => pickup::replay(place, size.replays.0).await,
        Scenario::Replay10000 => pickup::replay(place, size.replays.1).await,
        Scenario::MemoryWaiting => memory::waiting(place, size.waiting).await,
        Scenario::MemoryRunning => memory::running(place, size.running).await,
        Scenario::Stats => full::stats(place, size.waiting, size.latencies).await,
        Scenario::List => full::list(place, size.waiting, size.latencies).await,
    };
    measured.map(Some)
}
