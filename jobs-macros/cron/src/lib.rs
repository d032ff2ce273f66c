//! The schedules of `jobs`: one parser for the compiler and for the running program, so that what
//! compiles also fires.
//!
//! A [`Schedule`] is read from text, and what is wrong with the text is said in words for people.
//! It is walked on the calendar and the clock on the wall ([`Civil`]). Which instant a reading of
//! that clock is in a zone, and what summer time does to it, is `jobs-runtime`'s to know: this
//! crate has no zone data, so that the macros build fast.

mod civil;
mod cron;
mod field;
mod impossible;
mod parse;
mod words;
mod zone;

pub use civil::Civil;
pub use cron::Cron;
pub use parse::{EVERY_MAX_MILLIS, EVERY_MIN_MILLIS, SCHEDULE_LIMIT_BYTES, Schedule};
pub use zone::refuse_zone;
