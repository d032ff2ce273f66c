//! Durable workflows as plain async Rust.

extern crate alloc;

pub mod clock;
pub mod contract;
pub mod core;
pub mod drivers;
mod error;
pub mod errors;

pub use error::{Code, Error, check_codes, codes};
