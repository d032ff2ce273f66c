//! URLs of stores as they may be shown: without what may be a password.
//!
//! Every error that names a URL goes through here; how a URL is read is the driver's.

/// The scheme of a URL, if it begins with one: letters, digits, `+`, `-` and `.`, and a colon.
pub(crate) fn scheme(url: &str) -> Option<&str> {
    let (scheme, _) = url.split_once(':')?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    (!scheme.is_empty() && scheme.chars().all(allowed)).then_some(scheme)
}

/// The URL without what stands before an `@` and without the values of its options.
pub(crate) fn redacted(url: &str) -> String {
    let (place, options) = match url.split_once('?') {
        Some((place, options)) => (place, Some(options)),
        None => (url, None),
    };
    let mut shown = match place.rsplit_once('@') {
        Some((_, rest)) => format!("{}…@{rest}", beginning(place)),
        None => place.to_owned(),
    };
    if let Some(options) = options {
        let names = options
            .split('&')
            .map(|option| match option.split_once('=') {
                Some((name, _)) => format!("{name}=…"),
                None => option.to_owned(),
            });
        shown.push('?');
        shown.push_str(&names.collect::<Vec<_>>().join("&"));
    }
    shown
}

/// The scheme and what belongs to it.
fn beginning(place: &str) -> String {
    match scheme(place) {
        Some(scheme) if place[scheme.len()..].starts_with("://") => format!("{scheme}://"),
        Some(scheme) => format!("{scheme}:"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b87_a_password_never_shows_wherever_it_stands() {
        for (url, shown) in [
            (
                "postgres://app:s3cret@db.example/jobs",
                "postgres://…@db.example/jobs",
            ),
            ("postgres:app:s3cret@db.example", "postgres:…@db.example"),
            ("redis://:s3@cret@cache", "redis://…@cache"),
            ("s3cret@db.example:5432", "…@db.example:5432"),
            (
                "nats://n.example?user=app&password=s3cret&tls",
                "nats://n.example?user=…&password=…&tls",
            ),
        ] {
            assert_eq!(redacted(url), shown);
        }
    }

    #[test]
    fn what_holds_no_secret_is_shown_as_it_is() {
        for url in [
            "sqlite://jobs.db",
            "memory:",
            "jobs.db",
            "sqlite:///var/lib/app/jobs.db",
        ] {
            assert_eq!(redacted(url), url);
        }
    }
}
