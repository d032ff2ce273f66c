//! Without the feature `schema` no type has a schema: see `schema`.

use serde_json::Value;
use std::marker::PhantomData;

/// Finds nothing.
#[derive(Debug)]
pub struct Probe<T>(PhantomData<fn() -> T>);

/// What is found.
pub trait NotKnown {
    /// Nothing.
    const SCHEMA: Option<fn() -> Value> = None;
}

impl<T> NotKnown for Probe<T> {}
