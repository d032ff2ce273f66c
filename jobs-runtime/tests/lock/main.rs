//! The lock file, the preflight, the graph and the command line, over the jobs in `defs`. How two
//! locks differ is tested where they are compared, in `src/lock/compare/tests.rs`.

mod defs;
mod files;
mod preflight;
mod shown;
