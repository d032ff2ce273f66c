//! The stores. Nobody but `connect` and tests names one.

pub mod memory;
#[cfg(feature = "sqlite")]
pub mod sqlite;
