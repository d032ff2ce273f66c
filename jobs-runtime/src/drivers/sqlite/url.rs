//! A store from a URL: `sqlite://jobs.db`, `sqlite:///var/lib/app/jobs.db?busy_timeout_ms=9000`.

use super::{Sqlite, SqliteOptions, doctor};
use crate::Error;
use crate::clock::Env;
use crate::contract::Report;
use std::path::PathBuf;
use std::time::Duration;

/// The options that a URL can carry.
const OPTIONS: &str =
    "`allow_weak_durability=true`, `busy_timeout_ms`, `payload_limit_bytes`, `poll_ms`";

impl Sqlite {
    /// Opens the store that a URL names. What follows `sqlite:` or `sqlite://` is the path, with
    /// `%` escapes; a relative one counts from the working folder.
    ///
    /// # Errors
    /// `X_URL_INVALID` for a URL that cannot be read; else as [`Sqlite::open`].
    pub async fn from_url(url: &str, env: Env) -> Result<Sqlite, Error> {
        let (path, options) = parse(url, SqliteOptions::default().env(env))?;
        Sqlite::open(&path, options).await
    }

    pub(crate) async fn examine_url(url: &str, env: Env) -> Result<Report, Error> {
        let (path, options) = parse(url, SqliteOptions::default().env(env))?;
        doctor::report(path, options).await
    }
}

impl SqliteOptions {
    /// The path that a URL names, and the options it carries, without opening anything.
    ///
    /// ```
    /// use jobs_runtime::drivers::sqlite::SqliteOptions;
    ///
    /// let (path, _) = SqliteOptions::from_url("sqlite://jobs.db?poll_ms=20").unwrap();
    /// assert_eq!(path.to_str(), Some("jobs.db"));
    /// ```
    ///
    /// # Errors
    /// `X_URL_INVALID` for a URL that cannot be read.
    pub fn from_url(url: &str) -> Result<(PathBuf, SqliteOptions), Error> {
        parse(url, SqliteOptions::default())
    }
}

fn parse(url: &str, mut options: SqliteOptions) -> Result<(PathBuf, SqliteOptions), Error> {
    let rest = url.strip_prefix("sqlite:").unwrap_or(url);
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    if path.is_empty() || path == ":memory:" {
        return Err(Error::url_invalid(
            url,
            "it names no file",
            "write a path, as in \"sqlite://jobs.db\", or take \"memory:\" for a store without a file",
        ));
    }
    for option in query.split('&').filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        options = set(options, name, value).ok_or_else(|| {
            let fix = format!("the options are {OPTIONS}");
            Error::url_invalid(
                url,
                format_args!("the option \"{name}\" is not known, or has no such value"),
                fix,
            )
        })?;
    }
    let path = unescape(path).ok_or_else(|| {
        let fix = "escape the bytes of UTF-8, or open the file by its path";
        Error::url_invalid(url, "its path is not UTF-8", fix)
    })?;
    Ok((PathBuf::from(path), options))
}

fn set(options: SqliteOptions, name: &str, value: &str) -> Option<SqliteOptions> {
    let millis = || value.parse().ok().map(Duration::from_millis);
    match name {
        "allow_weak_durability" => match value {
            "true" => Some(options.allow_weak_durability()),
            "false" => Some(options),
            _ => None,
        },
        "busy_timeout_ms" => Some(options.busy_timeout(millis()?)),
        "payload_limit_bytes" => Some(options.payload_limit_bytes(value.parse().ok()?)),
        "poll_ms" => Some(options.poll(millis()?)),
        _ => None,
    }
}

/// Undoes `%3F` and the like, so that a path may hold a question mark. What is no escape stays.
fn unescape(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        let code = match (first, after) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)),
            _ => None,
        };
        bytes.push(code.map_or(*first, |(high, low)| high * 16 + low));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).ok()
}

fn hex(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(url: &str) -> PathBuf {
        parse(url, SqliteOptions::default()).unwrap().0
    }

    #[test]
    fn a_path_stands_after_the_scheme() {
        assert_eq!(path("sqlite:jobs.db"), PathBuf::from("jobs.db"));
        assert_eq!(path("sqlite://jobs.db"), PathBuf::from("jobs.db"));
        assert_eq!(path("sqlite:///var/jobs.db"), PathBuf::from("/var/jobs.db"));
        assert_eq!(path("sqlite://a%3Fb%25.db"), PathBuf::from("a?b%.db"));
        assert_eq!(path("sqlite://100%.db"), PathBuf::from("100%.db"));
    }

    #[test]
    fn options_follow_the_path() {
        let url = "sqlite://jobs.db?busy_timeout_ms=9000&allow_weak_durability=true&poll_ms=20";
        let options = parse(url, SqliteOptions::default()).unwrap().1;
        assert_eq!(options.busy_timeout, Duration::from_secs(9));
        assert_eq!(options.poll, Duration::from_millis(20));
        assert!(options.allow_weak_durability);
    }

    #[test]
    fn an_unknown_option_or_value_is_refused_with_the_list() {
        for url in [
            "sqlite://jobs.db?sync=off",
            "sqlite://jobs.db?busy_timeout_ms=long",
            "sqlite://jobs.db?allow_weak_durability",
        ] {
            let error = parse(url, SqliteOptions::default()).err().unwrap();
            assert_eq!(error.code(), "X_URL_INVALID");
            assert!(error.fix().contains("payload_limit_bytes"));
        }
    }

    #[test]
    fn a_url_without_a_file_is_refused() {
        for url in [
            "sqlite:",
            "sqlite://",
            "sqlite://:memory:",
            "sqlite://?poll_ms=1",
            "sqlite://%FF.db",
        ] {
            let error = parse(url, SqliteOptions::default()).err().unwrap();
            assert_eq!(error.code(), "X_URL_INVALID");
        }
    }
}
