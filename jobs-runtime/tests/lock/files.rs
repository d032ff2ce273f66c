//! What is written: the lock file and the pictures, as files that a person can read. `BLESS=1`
//! writes them anew.

use crate::defs::send_parcel;
use jobs_runtime::Job;
use jobs_runtime::graph::{Format, graph};
use jobs_runtime::lock::Lock;
use std::path::Path;

#[track_caller]
fn is_as_in(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/lock")
        .join(file);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, golden, "{file} differs; run with BLESS=1 and review");
}

#[test]
fn the_lock_of_a_program_reads_as_it_should() {
    let mut lock = Lock::of_program().unwrap();
    // The runtime under test brings jobs of its own, and so do the tests beside this one.
    lock.jobs
        .retain(|name, _| name == "label.print" || name == "send_parcel");
    lock.events.retain(|name, _| name == "parcel-scanned");
    let mut known = lock.to_toml();
    known.truncate(known.find("\n[types]").unwrap());
    lock.types
        .retain(|name, _| known.contains(&format!("\"{name}\"")));
    is_as_in("golden.lock", &lock.to_toml());
}

#[test]
fn the_lock_of_a_program_reads_back() {
    let lock = Lock::of_program().unwrap();
    let again = Lock::read(&lock.to_toml()).unwrap();
    assert_eq!(again.to_toml(), lock.to_toml());
    assert!(
        jobs_runtime::lock::compare(&again, &lock)
            .findings
            .is_empty()
    );
}

#[test]
fn the_picture_of_a_job_is_mermaid_or_dot() {
    is_as_in("golden.mmd", &graph(send_parcel::def(), Format::Mermaid));
    is_as_in("golden.dot", &graph(send_parcel::def(), Format::Dot));
}

#[test]
fn a_definition_tells_what_it_needs_of_a_store() {
    assert!(send_parcel::def().capabilities().is_empty());
}
