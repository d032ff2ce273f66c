//! Tests of what only this driver does.
