//! Rules R1 to R5 as a job's author meets them: jobs on the memory store under virtual time, each
//! run live and then replayed.

mod combinators;
mod failures;
mod support;
mod suspension;
