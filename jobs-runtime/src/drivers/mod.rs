//! The stores. Nobody but `connect` and tests names one.

pub mod memory;
#[cfg_attr(
    not(feature = "postgres"),
    allow(dead_code, unused_imports, reason = "working sets are for databases")
)]
mod model;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "sqlite")]
pub mod sqlite;
