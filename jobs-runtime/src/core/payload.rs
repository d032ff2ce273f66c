//! What users hand over: bytes, and the codec that wrote them. Nothing in here looks inside.

use ::core::fmt::{self, Write};
use alloc::{string::String, vec::Vec};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes and the id of the codec that wrote them (0 is JSON).
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    /// Which codec wrote it.
    pub codec: u16,
    /// What it wrote. Opaque to drivers.
    pub bytes: Vec<u8>,
}

impl Payload {
    /// The codec id of JSON.
    pub const JSON: u16 = 0;

    /// Bytes of JSON.
    #[must_use]
    pub fn json(bytes: impl Into<Vec<u8>>) -> Self {
        Payload {
            codec: Payload::JSON,
            bytes: bytes.into(),
        }
    }
}

impl fmt::Debug for Payload {
    /// The size only: what a payload says is the user's, and may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Payload({} bytes, codec {})",
            self.bytes.len(),
            self.codec
        )
    }
}

/// A payload inside of a larger text, such as an archived job: as text where it is text, which
/// most are, else as hexadecimal digits. A list of numbers would be four times as long.
#[derive(Serialize, Deserialize)]
struct Written<T> {
    codec: u16,
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    text: Option<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
}

fn none<T>() -> Option<T> {
    None
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = str::from_utf8(&self.bytes).ok();
        let hex = match text {
            Some(_) => None,
            None => Some(hex(&self.bytes)),
        };
        let codec = self.codec;
        Written { codec, text, hex }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Written::<String>::deserialize(deserializer)?;
        let bytes = match (written.text, written.hex) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(hex)) => unhex(&hex).ok_or_else(|| D::Error::custom("not hexadecimal"))?,
            _ => return Err(D::Error::custom("a payload is either text or hex")),
        };
        Ok(Payload {
            codec: written.codec,
            bytes,
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = digits.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through_json(payload: &Payload) -> Payload {
        let text = serde_json::to_string(payload).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn text_is_written_as_text() {
        let payload = Payload::json(*b"{\"a\":1}");
        let text = serde_json::to_string(&payload).unwrap();
        assert_eq!(text, r#"{"codec":0,"text":"{\"a\":1}"}"#);
        assert_eq!(through_json(&payload), payload);
    }

    #[test]
    fn every_byte_comes_back() {
        for bytes in [vec![], vec![0], vec![0xFF, 0, 0x80], b"\0\"\\\n".to_vec()] {
            let payload = Payload { codec: 7, bytes };
            assert_eq!(through_json(&payload), payload);
        }
    }

    #[test]
    fn what_is_neither_text_nor_digits_is_refused() {
        for text in [
            r#"{"codec":0}"#,
            r#"{"codec":0,"hex":"abc"}"#,
            r#"{"codec":0,"hex":"zz"}"#,
            r#"{"codec":0,"text":"","hex":""}"#,
        ] {
            assert!(serde_json::from_str::<Payload>(text).is_err(), "{text}");
        }
    }
}
