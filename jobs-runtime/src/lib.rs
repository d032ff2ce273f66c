//! Durable workflows as plain async Rust.

extern crate alloc;
// Generated code names the crate by this name, also inside of it.
extern crate self as jobs_runtime;

mod admin;
mod client;
pub mod clock;
mod committer;
#[cfg(feature = "conformance")]
pub mod conformance;
mod connect;
pub mod contract;
pub mod core;
mod definition;
pub mod drivers;
mod durable;
mod error;
mod failure;
mod macros;
pub mod prelude;
#[doc(hidden)]
pub mod private;
pub mod registry;
mod request;
mod steps;
mod store;
pub mod testing;
mod worker;

pub use crate::core::{JobId, OnConflict, RunId, Timestamp};
pub use admin::Admin;
pub use client::Jobs;
pub use connect::{Connecting, Scheme};
pub use definition::{Event, Job};
pub use durable::{Durable, EventKey, KeyPart};
pub use error::{Code, Error, codes};
pub use failure::{Failure, FatalExt, Result};
pub use jobs_macros::{Event, job};
pub use request::{Handle, Request};
pub use steps::{JobContext, State, StepError};
pub use store::{StoreHook, Verb};
pub use worker::{DEFAULT_VISIBILITY_TIMEOUT, RunEvent, RunRef, Worker};
