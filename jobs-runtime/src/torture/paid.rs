//! The job whose effects are rows beside the jobs, where this program has it.

pub use crate::torture_paid::{IS_THERE, check, enqueue, record_with};
