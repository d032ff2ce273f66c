//! Durable workflows as plain async Rust.

extern crate alloc;

pub mod clock;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod contract;
pub mod core;
pub mod drivers;
mod error;

pub use error::{Code, Error, codes};
