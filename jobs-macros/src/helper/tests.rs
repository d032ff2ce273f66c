//! Tests of `#[steps]`.
