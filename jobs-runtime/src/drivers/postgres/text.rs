//! Texts as the database can hold them: it knows no character zero, and names, keys and tenants may
//! have any.

use std::borrow::Cow;

/// The text to store: `\` is doubled, and a zero becomes `\0`. Most texts have neither.
pub(super) fn stored(text: &str) -> Cow<'_, str> {
    if text.contains(['\\', '\0']) {
        return Cow::Owned(text.replace('\\', "\\\\").replace('\0', "\\0"));
    }
    Cow::Borrowed(text)
}

pub(super) fn stored_owned(text: &str) -> String {
    stored(text).into_owned()
}

pub(super) fn maybe(text: Option<&str>) -> Option<String> {
    text.map(stored_owned)
}

/// The text that was stored.
pub(super) fn read(text: String) -> String {
    if !text.contains('\\') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        out.push(match next {
            '\\' if rest.next() == Some('0') => '\0',
            other => other,
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back_as_it_went_in() {
        for text in [
            "",
            "plain",
            "\0",
            "\\0",
            "\\",
            "a\\\\0b\0\0c",
            "\u{1F600}\\",
        ] {
            let kept = stored(text);
            assert!(!kept.contains('\0'));
            assert_eq!(read(kept.into_owned()), text);
        }
    }
}
