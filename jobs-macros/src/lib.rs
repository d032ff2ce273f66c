//! The entry points of the macros, and nothing else.
