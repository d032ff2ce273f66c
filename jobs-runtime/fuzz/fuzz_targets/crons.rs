//! The target `crons` for cargo-fuzz; what it does is in `src/targets.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| jobs_fuzz::targets::crons(data));
