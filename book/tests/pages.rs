//! The book holds together: no page is left out of it, no code block escapes the compiler, and no
//! link leads nowhere. What the pages say of error codes is checked in `errors.rs`.

use book::PAGES;
use std::collections::BTreeSet;
use std::path::Path;

const SUMMARY: &str = include_str!("../src/SUMMARY.md");

/// What a code block may be. Rust is compiled and, but for `no_run`, run. A block that runs a worker
/// stands alone: merged with others into one program it would have to serve their jobs as well.
const COMPILED: [&str; 3] = ["rust", "rust,no_run", "rust,standalone_crate"];
/// Read by people only.
const READ: [&str; 6] = ["console", "json", "sh", "text", "toml", "yaml"];

/// The targets of the links in a text, outside its code blocks.
fn links(text: &str) -> Vec<String> {
    prose(text)
        .iter()
        .flat_map(|line| line.split("](").skip(1))
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.to_owned())
        .collect()
}

fn prose(text: &str) -> Vec<&str> {
    let mut in_code = false;
    text.lines()
        .filter(|line| {
            let fence = line.trim_start().starts_with("```");
            in_code ^= fence;
            !in_code && !fence
        })
        .collect()
}

/// What stands behind the opening fence of each code block.
fn code_blocks(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.trim_start().strip_prefix("```"))
        .step_by(2)
        .collect()
}

/// The anchors that mdBook and rustdoc both give to the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    prose(text)
        .iter()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim())
        .map(|heading| {
            heading
                .to_lowercase()
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        })
        .collect()
}

fn page(file: &str) -> Option<&'static str> {
    let (_, text) = PAGES.iter().find(|(name, _)| *name == file)?;
    Some(text)
}

#[test]
fn every_page_of_the_summary_is_compiled_in_its_order() {
    let compiled: Vec<&str> = PAGES.iter().map(|(file, _)| *file).collect();
    assert_eq!(links(SUMMARY), compiled, "list the page in `pages.rs` too");
}

#[test]
fn every_file_beside_the_summary_is_a_page_of_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let listed: BTreeSet<String> = links(SUMMARY).into_iter().collect();
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            file == "SUMMARY.md" || listed.contains(&file),
            "{file} is in no reader's way: link it from SUMMARY.md, or delete it"
        );
    }
}

#[test]
fn no_code_block_escapes_the_compiler() {
    for (file, text) in PAGES {
        for kind in code_blocks(text) {
            assert!(
                COMPILED.contains(&kind) || READ.contains(&kind),
                "{file}: a code block is one of {COMPILED:?}, or for people {READ:?}, not {kind:?}"
            );
        }
    }
}

#[test]
fn every_code_block_is_closed() {
    for (file, text) in PAGES {
        let fences = text
            .lines()
            .filter(|line| line.trim_start().starts_with("```"));
        assert_eq!(fences.count() % 2, 0, "{file}: a code block has no end");
    }
}

#[test]
fn no_page_takes_its_text_from_elsewhere() {
    // The compiler sees the page as it is written: what mdBook would put in later goes untested.
    for (file, text) in PAGES {
        assert!(!text.contains("{{#"), "{file}: write the text out");
    }
}

#[test]
fn every_link_to_another_page_arrives() {
    for (file, text) in PAGES {
        for link in links(text).iter().filter(|link| !link.contains("://")) {
            let (target, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if target.is_empty() { file } else { target };
            let Some(text) = page(target) else {
                panic!("{file}: there is no page {target}");
            };
            assert!(
                anchor.is_empty() || anchors(text).contains(anchor),
                "{file}: {target} has no heading #{anchor}"
            );
        }
    }
}

#[test]
fn a_page_opens_with_its_one_title() {
    for (file, text) in PAGES {
        assert!(text.starts_with("# "), "{file}");
        let titles = prose(text)
            .iter()
            .filter(|line| line.starts_with("# "))
            .count();
        assert_eq!(titles, 1, "{file}");
    }
}

/// The first block of Rust on a page, without the lines that mdBook hides.
fn first_block(page: &str) -> Vec<String> {
    page.lines()
        .skip_while(|line| !line.starts_with("```rust"))
        .skip(1)
        .take_while(|line| !line.starts_with("```"))
        .filter(|line| *line != "#" && !line.starts_with("# "))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_example_of_the_readme_is_the_one_that_the_book_compiles() {
    let readme = first_block(include_str!("../../README.md"));
    assert_eq!(readme, first_block(include_str!("../src/introduction.md")));
    assert!(readme.len() > 10);
}
