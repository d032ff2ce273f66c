//! The targets of the fuzzer on stable: each over its corpus, and then for a moment over inputs made
//! from it. The targets, and how to run them with cargo-fuzz, are in `jobs-runtime/fuzz`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, reason = "only its reading is fuzzed")]
#[path = "../../../jobs-macros/src/duration.rs"]
mod duration;
mod mutate;
mod place;
#[allow(
    unreachable_pub,
    reason = "the crate of the fuzzer shows them to its programs"
)]
#[path = "../../fuzz/src/targets.rs"]
mod targets;
#[allow(dead_code, reason = "only its reading is fuzzed")]
#[path = "../../../jobs-macros/src/template.rs"]
mod template;

use mutate::Mutator;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long each target is fed, unless `JOBS_FUZZ_MILLIS` says otherwise.
const MILLIS: u64 = 2_000;

fn corpora() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus")
}

/// The inputs of a corpus, in an order that stays the same.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(corpora().join(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect()
}

fn holds(name: &str) {
    let (_, target) = targets::ALL
        .iter()
        .find(|(known, _)| *known == name)
        .unwrap();
    let corpus = corpus(name);
    assert!(
        corpus.len() >= 5,
        "the corpus of {name} has something to begin with"
    );
    let try_out = |data: &[u8]| {
        let outcome = std::panic::catch_unwind(|| target(data));
        assert!(
            outcome.is_ok(),
            "{name} breaks on {}: add it to the corpus",
            data.escape_ascii()
        );
    };
    corpus.iter().for_each(|data| try_out(data));
    let millis = std::env::var("JOBS_FUZZ_MILLIS").ok();
    let millis = millis.map_or(MILLIS, |millis| millis.parse().unwrap());
    let (start, mut mutator) = (Instant::now(), Mutator::new(&corpus));
    while start.elapsed() < Duration::from_millis(millis) {
        for _ in 0..64 {
            try_out(&mutator.next());
        }
    }
}

macro_rules! hold {
    ($($test:ident: $target:literal;)*) => {
        $(
            #[test]
            fn $test() {
                holds($target);
            }
        )*
        const TESTED: &[&str] = &[$($target),*];
    };
}

hold! {
    a_schedule_fires_at_the_first_time_that_fits_or_is_refused_in_words: "crons";
    a_cursor_reads_back_or_is_refused: "cursors";
    a_duration_reads_back_or_is_refused_in_words: "durations";
    no_two_lists_of_parts_give_one_key: "keys";
    a_stored_row_reads_back_or_is_refused: "rows";
    nothing_opens_that_was_not_sealed: "seals";
    a_template_is_whole_or_refused_in_words: "templates";
    a_url_names_a_file_or_is_refused_with_a_remedy: "urls";
}

#[test]
fn every_target_has_its_test_its_corpus_and_its_program() {
    let known: BTreeSet<&str> = targets::ALL.iter().map(|(name, _)| *name).collect();
    assert_eq!(TESTED.iter().copied().collect::<BTreeSet<_>>(), known);
    let names = |folder: PathBuf| -> BTreeSet<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().path());
        names
            .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
            .collect()
    };
    let expected: BTreeSet<String> = known.into_iter().map(str::to_owned).collect();
    assert_eq!(names(corpora()), expected);
    assert_eq!(names(corpora().join("../fuzz_targets")), expected);
}
