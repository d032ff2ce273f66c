//! Keys and step names from templates: the texts as they were written, the values escaped, so
//! that no two lists of values give one text.

use crate::definition::Event;
use crate::durable::{EventKey, KeyPart};

/// One value of a template.
pub fn key_part<T: KeyPart + ?Sized>(value: &T) -> String {
    crate::core::key_part(&value.text())
}

/// A template with its values: one text more than values.
pub fn rendered(texts: &[&str], values: &[String]) -> String {
    let mut values = values.iter();
    let mut out = String::new();
    for text in texts {
        out.push_str(text);
        if let Some(value) = values.next() {
            out.push_str(value);
        }
    }
    out
}

/// The whole key from a closure. It is one part, so nothing in it needs escaping.
pub fn key_of<I, R: KeyPart>(input: &I, key: impl FnOnce(&I) -> R) -> String {
    key(input).text().into_owned()
}

/// The correlation key of a publication.
pub fn event_key<E: Event, K: EventKey<E::Key> + ?Sized>(key: &K) -> String {
    key_part(&*key.key_text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_between_the_texts_and_are_escaped() {
        let values = [key_part("a:b"), key_part(&7_u64)];
        assert_eq!(rendered(&["x:", ":", "/y"], &values), "x:a%3Ab:7/y");
    }

    #[test]
    fn a_closure_gives_the_whole_key_as_it_is() {
        assert_eq!(key_of(&(1, 2), |(a, b)| format!("{a}:{b}")), "1:2");
    }
}
