//! Histories and their checker: that it finds what is wrong, and says nothing where nothing is.

// Helpers of tests are tests, which the lint cannot see.
#![allow(clippy::unwrap_used, clippy::panic)]

mod clean;
mod mutations;
mod recorder;
mod story;
mod violations;
