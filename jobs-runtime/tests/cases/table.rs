//! Holds the page "Cases" of the book to the tests: each number once, each test there, none left
//! out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const PAGE: &str = include_str!("../../../book/src/cases.md");

/// The numbers of the reports, by the letter of their list. They have gaps: what could not be said
/// of this library was left out when the lists were made.
const NUMBERS: [(char, &[u32]); 3] = [
    (
        'b',
        &[
            2, 3, 5, 6, 7, 11, 14, 15, 16, 17, 19, 20, 21, 25, 29, 30, 32, 33, 35, 36, 37, 38, 41,
            46, 47, 48, 50, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 67, 68, 69, 71,
            72, 73, 76, 77, 78, 80, 81, 83, 84, 85, 86, 87, 88, 89, 90, 91,
        ],
    ),
    (
        'd',
        &[
            1, 4, 8, 9, 10, 11, 12, 14, 15, 16, 18, 19, 20, 22, 23, 24, 25, 27, 29, 30, 31, 32, 34,
            35, 36, 37, 40,
        ],
    ),
    (
        'q',
        &[
            2, 3, 5, 8, 10, 12, 13, 15, 17, 18, 19, 21, 24, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,
            36, 37, 39, 40, 42, 44, 45, 46,
        ],
    ),
];

/// What the table says of one report.
struct Row<'p> {
    number: &'p str,
    sentence: &'p str,
    tests: Vec<&'p str>,
    waits: bool,
}

fn rows() -> Vec<Row<'static>> {
    let is_row =
        |line: &&str| line.starts_with("| B") || line.starts_with("| D") || line.starts_with("| Q");
    let rows = PAGE.lines().filter(is_row).map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [number, sentence, shown] = cells[..] else {
            panic!("a row has a number, a sentence and a test: {line}");
        };
        Row {
            number,
            sentence,
            tests: shown.split('`').skip(1).step_by(2).collect(),
            waits: shown.starts_with("waits for "),
        }
    });
    rows.collect()
}

/// All sources of tests below a folder of the repository, joined.
fn sources(folder: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(folder);
    let mut folders = vec![root];
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                text.push_str(&std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    text
}

/// The functions of a text whose name is one of a report: a letter, a number and a sentence.
fn cases(text: &str) -> BTreeSet<&str> {
    let names = text.split("fn ").skip(1).chain(text.split("mod ").skip(1));
    let names = names.filter_map(|rest| rest.split(['(', ' ', '<']).next());
    names
        .filter(|name| {
            let digits = name.get(1..3).unwrap_or_default();
            name.starts_with(['b', 'd', 'q'])
                && digits.chars().all(|c| c.is_ascii_digit())
                && name.get(3..4) == Some("_")
        })
        .collect()
}

#[test]
fn every_report_has_one_row_and_a_test_or_what_it_waits_for() {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows() {
        *seen.entry(row.number.to_lowercase()).or_default() += 1;
        assert!(
            row.sentence.len() > 20,
            "{}: say what it is about",
            row.number
        );
        assert!(
            row.waits == row.tests.is_empty(),
            "{}: either tests, or \"waits for …\"",
            row.number
        );
    }
    let mut expected = BTreeMap::new();
    for (letter, numbers) in NUMBERS {
        for number in numbers {
            expected.insert(format!("{letter}{number:02}"), 1);
        }
    }
    assert_eq!(seen, expected);
}

#[test]
fn every_test_that_the_table_names_exists() {
    let text = sources("jobs-runtime/tests") + &sources("jobs-runtime/src");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui-tests/cases/fail");
    for row in rows() {
        for test in row.tests {
            let is_function =
                text.contains(&format!("fn {test}(")) || text.contains(&format!("mod {test} "));
            let is_refusal = root.join(test).with_extension("rs").exists();
            assert!(
                is_function || is_refusal,
                "{}: there is no test `{test}`",
                row.number
            );
        }
    }
}

#[test]
fn every_case_that_is_played_stands_in_the_table() {
    let text = sources("jobs-runtime/tests/cases") + &sources("jobs-runtime/tests/schedules");
    let listed: BTreeSet<&str> = rows().iter().flat_map(|row| row.tests.clone()).collect();
    for case in cases(&text) {
        // The play of a case whose tests are written out.
        if !case.ends_with("_play") {
            assert!(
                listed.contains(case),
                "`{case}` is not in book/src/cases.md"
            );
        }
    }
}
