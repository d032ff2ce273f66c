//! The fuzz targets as a library, and the parsers of the macros, which no other crate can call.

#[allow(dead_code, reason = "only its reading is fuzzed")]
#[path = "../../../jobs-macros/src/duration.rs"]
mod duration;
#[path = "../../tests/hostile/place.rs"]
mod place;
pub mod targets;
#[allow(dead_code, reason = "only its reading is fuzzed")]
#[path = "../../../jobs-macros/src/template.rs"]
mod template;
