//! Injective keys: no two lists of parts render to one text.

use ::core::fmt::Write;
use alloc::{string::String, vec::Vec};

/// The longest idempotency key, in bytes after escaping.
pub const MAX_KEY_BYTES: usize = 16 * 1024;

/// The longest rendered step name, in bytes after escaping.
pub const MAX_STEP_NAME_BYTES: usize = 200;

/// Percent-encodes `part` outside `[A-Za-z0-9_.-]`, so that a separator written in a template can
/// never come out of a value.
#[must_use]
pub fn key_part(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    escape_into(&mut out, part);
    out
}

/// As [`key_part`], onto the end of `out`.
pub fn escape_into(out: &mut String, part: &str) {
    for byte in part.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b'-' => {
                out.push(char::from(byte))
            }
            // Writing to a String cannot fail.
            other => drop(write!(out, "%{other:02X}")),
        }
    }
}

/// The part that [`key_part`] made this text of; nothing if it made it of none.
pub(super) fn key_text(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let value = digit(rest.next()?)? * 16 + digit(rest.next()?)?;
                u8::try_from(value).ok()?
            }
            plain => plain,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn plain_text_stays_as_it_is() {
        assert_eq!(key_part("order-7_a.b"), "order-7_a.b");
    }

    #[test]
    fn separators_inside_a_part_are_escaped() {
        let one = format!("{}:{}", key_part("a:b"), key_part("c"));
        let other = format!("{}:{}", key_part("a"), key_part("b:c"));
        assert_ne!(one, other);
        assert_eq!(one, "a%3Ab:c");
    }

    #[test]
    fn hostile_text_survives_without_a_clash() {
        let parts = [
            "", "*", "%", "%2A", "/", "{}", "'", "\"", "\0", "é", "e\u{301}", "日本",
        ];
        for (i, a) in parts.iter().enumerate() {
            for b in &parts[i + 1..] {
                assert_ne!(key_part(a), key_part(b), "{a:?} {b:?}");
            }
            assert_eq!(key_text(&key_part(a)).as_deref(), Some(*a));
        }
    }
}
