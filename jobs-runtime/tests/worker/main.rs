//! A worker and its store when things go wrong: lost replies, outages, lost leases, shutdown.

mod faults;
mod leases;
mod support;
