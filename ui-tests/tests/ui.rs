//! Each file in `cases/fail` holds one mistake, named for it, and the words the compiler answers
//! with; each in `cases/pass` holds one setting in which the macros must work. The words are
//! those of the pinned toolchain. `TRYBUILD=overwrite` writes them anew; then they are reviewed
//! as prose.

#[test]
fn the_compiler_refuses_each_mistake_with_one_clear_error() {
    trybuild::TestCases::new().compile_fail("cases/fail/*.rs");
}

#[test]
fn the_macros_work_in_hostile_settings() {
    trybuild::TestCases::new().pass("cases/pass/*.rs");
}
