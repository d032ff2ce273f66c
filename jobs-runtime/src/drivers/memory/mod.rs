//! The reference model: `core` and a mutex.
