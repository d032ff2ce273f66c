//! The pages of the book as documentation, so that `cargo test --doc` compiles and runs every code
//! block. Order and titles are those of `src/SUMMARY.md`; `tests/` holds the two lists together.

macro_rules! pages {
    ($($module:ident = $file:literal;)*) => {
        /// Every page: its file under `src/`, and its text.
        pub const PAGES: &[(&str, &str)] =
            &[$(($file, include_str!(concat!("src/", $file))),)*];

        $(
            #[doc = include_str!(concat!("src/", $file))]
            pub mod $module {}
        )*
    };
}

pages! {
    introduction = "introduction.md";
    steps_and_replay = "steps-and-replay.md";
    shaping_steps = "shaping-steps.md";
    child_jobs = "child-jobs.md";
    enqueuing = "enqueuing.md";
    tasks = "tasks.md";
    schedules = "schedules.md";
    limits = "limits.md";
    inside_a_job = "inside-a-job.md";
    long_runs = "long-runs.md";
    transactions = "transactions.md";
    jobs_lock = "jobs-lock.md";
    testing_jobs = "testing-jobs.md";
    encryption = "encryption.md";
    sqlite = "sqlite.md";
    postgres = "postgres.md";
    performance = "performance.md";
    build_cost = "build-cost.md";
    how_it_was_broken = "how-it-was-broken.md";
    seeded_bugs = "seeded-bugs.md";
    cases = "cases.md";
    errors = "errors.md";
    from_the_ancestor = "from-the-ancestor.md";
}
