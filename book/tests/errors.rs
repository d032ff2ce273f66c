//! The page on errors and the library agree: the same codes, the same meanings, each with a cause
//! and a fix.

use std::collections::BTreeMap;

const PAGE: &str = include_str!("../src/errors.md");

/// The sections of the page by code, each without its heading.
fn sections() -> BTreeMap<&'static str, &'static str> {
    PAGE.split("\n## ")
        .skip(1)
        .filter_map(|section| section.split_once('\n'))
        .collect()
}

fn sentence(title: &str) -> String {
    let mut letters = title.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// The paragraph of a section that opens with this word.
fn paragraph<'a>(section: &'a str, word: &str) -> Option<&'a str> {
    let opening = format!("**{word}.** ");
    section.lines().find_map(|line| line.strip_prefix(&opening))
}

#[test]
fn the_page_explains_exactly_the_codes_of_the_library() {
    let codes: Vec<&str> = jobs_runtime::codes().iter().map(|code| code.name).collect();
    let explained: Vec<&str> = sections().into_keys().collect();
    assert_eq!(
        explained, codes,
        "left: sections of book/src/errors.md; right: codes of jobs-runtime/src/error/codes.rs"
    );
}

#[test]
fn the_sections_come_sorted_and_each_once() {
    let headings: Vec<&str> = PAGE
        .lines()
        .filter(|line| line.starts_with("## "))
        .collect();
    assert!(headings.is_sorted_by(|a, b| a < b), "{headings:?}");
}

#[test]
fn a_section_opens_with_the_meaning_that_the_code_has_in_the_library() {
    let sections = sections();
    for code in jobs_runtime::codes() {
        let meaning = sections[code.name].trim_start().lines().next();
        assert_eq!(meaning, Some(&*sentence(code.title)), "{}", code.name);
    }
}

#[test]
fn every_code_has_a_cause_and_a_fix() {
    for (code, section) in sections() {
        for word in ["Cause", "Fix"] {
            let text = paragraph(section, word).unwrap_or_default();
            assert!(
                text.ends_with('.') && text.len() > 20,
                "{code}: write a paragraph that opens with **{word}.**"
            );
        }
    }
}
