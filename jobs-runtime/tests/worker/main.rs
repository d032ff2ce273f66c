//! A worker and its store when things go wrong: lost replies, outages, lost leases, shutdown.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[cfg(feature = "sqlite")]
mod children;
mod clocks;
mod explaining;
mod faults;
mod late_answers;
mod leases;
mod limits;
mod support;
mod weights;
