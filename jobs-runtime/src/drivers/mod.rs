//! The stores. Nobody but `connect` and tests names one.

pub mod memory;
mod model;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "sqlite")]
pub mod sqlite;
