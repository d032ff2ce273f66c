//! Durable workflows as plain async Rust.

extern crate alloc;

pub mod contract;
pub mod core;
mod error;

pub use error::{Code, Error, codes};
