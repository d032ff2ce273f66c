//! Compares an expansion with a file a person can read. `BLESS=1 cargo test -p jobs-macros`
//! writes the files anew; the difference is then reviewed like any other.

use proc_macro2::TokenStream;
use std::path::PathBuf;

pub(crate) fn check(name: &str, expansion: TokenStream) {
    let file: syn::File = syn::parse2(expansion).expect("an expansion is a list of items");
    let text = format!(
        "//! What the macro makes of the case `{name}`. Written by BLESS=1, read by people.\n\n{}",
        prettyplease::unparse(&file)
    );
    let path: PathBuf = [
        env!("CARGO_MANIFEST_DIR"),
        "snapshots",
        &format!("{name}.rs"),
    ]
    .iter()
    .collect();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).expect("the snapshot can be written");
        return;
    }
    let blessed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        blessed == text,
        "the expansion differs from {}; run with BLESS=1 and review\n{text}",
        path.display()
    );
}
