//! Rules R1 to R5 as a job's author meets them: jobs on the memory store under virtual time, each
//! run live and then replayed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod children;
mod client;
mod codec;
mod combinators;
mod context;
mod failures;
mod fork;
mod helpers;
mod leaving;
mod observing;
mod once;
mod renamed;
mod retries;
mod support;
mod suspension;
mod which_failures;
