//! Texts and bytes as a history has them: bounded, and still different where they were.

/// Texts up to this many bytes stand in a history as they are.
pub const CLIP_BYTES: usize = 96;

/// How much is left of a longer one, before its hash.
const KEPT_BYTES: usize = 64;

/// A text that is short enough for a line: two that differ still do.
#[must_use]
pub fn clip(text: &str) -> String {
    if text.len() <= CLIP_BYTES {
        return text.to_owned();
    }
    let mut end = KEPT_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…{:016x}", &text[..end], hash(text.as_bytes()))
}

/// A hash that is the same in every build: FNV-1a of 64 bits.
#[must_use]
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_stands_as_it_is() {
        assert_eq!(clip("charge/42"), "charge/42");
    }

    #[test]
    fn long_texts_that_differ_at_their_end_still_differ() {
        let one = clip(&format!("{}1", "é".repeat(500)));
        let two = clip(&format!("{}2", "é".repeat(500)));
        assert_ne!(one, two);
        assert!(one.len() <= CLIP_BYTES, "{one}");
    }
}
