//! The testing modes as a user's test meets them: what a bench runs and when, what it tells, and
//! the words of an assertion that does not hold.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod assertions;
mod drained;
mod inline;
mod outcome;
mod support;
