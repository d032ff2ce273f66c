//! Durable workflows as plain async Rust.
