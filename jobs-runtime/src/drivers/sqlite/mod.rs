//! One SQLite file, any number of processes on one host.
