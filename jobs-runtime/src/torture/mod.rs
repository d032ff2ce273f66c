//! What proves the promises: histories of runs in which everything was made to fail, and the
//! checker that reads them. For tests only, behind the feature `torture`; nothing here is part of a
//! program that does work.
//!
//! A run of a torture test writes down every call to the store and every answer, every effect of
//! a body at the place where it happens, and what was done to its processes: a list of
//! [`history::Entry`]. How the run was made, by a simulator or by killing processes, is not known
//! here.

pub mod history;
pub mod log;
pub mod sim;
pub mod workload;
