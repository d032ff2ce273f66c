//! How errors read: each text by the rules of the house, and a whole report as a person sees it.

use super::Error;
use crate::core::{JobId, StoredError, Timestamp};
use miette::{NarratableReportHandler, ReportHandler};
use std::fmt;

#[derive(Debug)]
struct Cause(&'static str);

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Cause {}

fn job() -> JobId {
    JobId::new(Timestamp(0), 7)
}

/// One of each constructor whose words are chosen here and not by its caller.
fn one_of_each() -> Vec<Error> {
    let stored = StoredError::new("X_JOB_TIMEOUT", "the bank did not answer");
    vec![
        Error::cancelled(job(), "welcome"),
        Error::codec_unknown(300),
        Error::code_taken("X_QUOTA", "driver-a", "driver-b"),
        Error::conflict(job()),
        Error::idempotency_required("welcome"),
        Error::job_failed(job(), "welcome", &stored),
        Error::job_not_ended(job(), "welcome", "it begins in 3d"),
        Error::job_unknown(job()),
        Error::drained_too_long(10_000, "welcome", job(), 9_999),
        Error::key_taken("welcome", "welcome:7", job()),
        Error::lease_lost(job()),
        Error::max_attempts(job(), "welcome", 5, &stored),
        Error::name_taken("welcome", "a 0.1.0 (src/a.rs:3)", "b 0.2.0 (src/b.rs:9)"),
        Error::outcome_unknown("SQLite", "the disk went away"),
        Error::payload_too_large("the input of job \"welcome\"", 2_000_000, 1_048_576),
        Error::schema_newer(3, 1),
        Error::setting_conflict("queue/mail"),
        Error::jobs_unset(),
        Error::seal_broken("a sealed value is cut off"),
        Error::seal_key_unknown(2),
        Error::state_missing("welcome", "Mailer"),
        Error::step_unknown("chrage", None),
        Error::step_unknown("chrage", Some("charge")),
        Error::store_corrupt("row 3 of the journal is cut off"),
        Error::timeout("job \"welcome\"", 600_000),
        Error::undecodable(
            "the input of job \"welcome\"",
            Cause("missing field `email`"),
        ),
        Error::unencodable(
            "the result of step \"rates\"",
            Cause("key must be a string"),
        ),
    ]
}

fn report(error: &Error) -> String {
    struct Report<'a>(&'a Error);
    impl fmt::Debug for Report<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            NarratableReportHandler::new().debug(self.0, f)
        }
    }
    format!("{:?}", Report(error))
}

#[test]
fn a_report_shows_the_message_the_cause_the_fix_the_code_and_the_link() {
    let error = Error::undecodable(
        "the input of job \"welcome\"",
        Cause("missing field `email`"),
    );
    let expected = format!(
        "the input of job \"welcome\" cannot be read back\n    \
         Diagnostic severity: error\n    \
         Caused by: missing field `email`\n\
         diagnostic help: accept the stored form too, for example with `#[serde(default)]` on a new \
         field\n\
         diagnostic code: X_INPUT_UNDECODABLE\n\
         For more details, see:\n{}\n",
        error.docs()
    );
    assert_eq!(report(&error), expected);
}

#[test]
fn an_unwrapped_error_shows_its_fix_and_its_causes_on_lines_of_their_own() {
    let error = Error::unencodable(
        "the result of step \"rates\"",
        Cause("key must be a string"),
    );
    let lines: Vec<String> = format!("{error:?}").lines().map(str::to_owned).collect();
    assert_eq!(
        lines[0],
        "X_OUTPUT_UNENCODABLE: the result of step \"rates\" cannot be stored"
    );
    assert!(lines[1].starts_with("  fix: "));
    assert!(lines[2].starts_with("  docs: https://"));
    assert_eq!(lines[3], "  because: key must be a string");
}

#[test]
fn a_message_and_a_fix_are_one_line_without_a_full_stop() {
    for error in one_of_each() {
        for text in [error.to_string(), error.fix().to_owned()] {
            assert!(!text.contains('\n'), "{text}");
            assert!(!text.ends_with('.'), "{text}");
            assert!(!text.contains("  "), "{text}");
            assert!(!text.trim().is_empty(), "{error:?}");
        }
    }
}

#[test]
fn a_message_starts_in_lower_case_so_that_it_reads_on_after_a_colon() {
    for error in one_of_each() {
        for text in [error.to_string(), error.fix().to_owned()] {
            assert!(text.starts_with(|c: char| !c.is_uppercase()), "{text}");
        }
    }
}

#[test]
fn a_message_does_not_repeat_its_cause() {
    for error in one_of_each() {
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            assert!(!error.to_string().contains(&cause.to_string()), "{error}");
            source = cause.source();
        }
    }
}

#[test]
fn a_time_limit_is_told_in_the_notation_of_the_option() {
    let error = Error::timeout("step \"charge\"", 600_000);
    assert_eq!(error.to_string(), "step \"charge\" took longer than 10m");
}

#[test]
fn used_up_attempts_are_counted_in_words_that_fit_one() {
    let stored = StoredError::new("X_JOB_PANIC", "index out of bounds");
    let told = |attempts| Error::max_attempts(job(), "welcome", attempts, &stored).to_string();
    assert!(told(1).contains("failed in its only attempt, and is a dead letter"));
    assert!(told(5).contains("failed in all 5 attempts, and is a dead letter"));
}

#[test]
fn only_what_may_work_later_unchanged_is_transient() {
    let away = Error::driver_unavailable("SQLite", "the disk is full", "free some space");
    assert!(away.is_transient() && away.is_unavailable());
    let unknown = Error::outcome_unknown("SQLite", "the disk went away");
    assert!(unknown.is_transient() && unknown.is_outcome_unknown());
    assert!(!Error::conflict(job()).is_transient());
}

#[test]
fn a_taken_key_and_a_taken_name_are_both_duplicates() {
    assert!(Error::key_taken("welcome", "welcome:7", job()).is_duplicate());
    assert!(Error::name_taken("welcome", "src/a.rs:3", "src/b.rs:9").is_duplicate());
    assert!(!Error::conflict(job()).is_duplicate());
}

#[test]
fn what_a_message_quotes_steers_no_terminal_and_has_an_end() {
    let hostile = "\u{1b}[2J\u{202e}gpj.exe\r\u{7}";
    let error = Error::payload_too_large(format_args!("the input of job \"{hostile}\""), 2, 1);
    let text = error.to_string();
    assert!(
        !text.chars().any(|c| c.is_control() || c == '\u{202e}'),
        "{text:?}"
    );
    assert!(text.contains("\\u{1b}[2J\\u{202e}gpj.exe"), "{text:?}");
    let long = Error::name_invalid("é".repeat(1_000_000), "shorten it");
    assert!(long.to_string().len() <= super::MAX_TEXT_BYTES + 3);
}
