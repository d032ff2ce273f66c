//! What is done with bytes that nobody has looked at: each target reads them in one way, and says
//! what must hold whatever they are. It panics where that does not hold.

use crate::duration;
use crate::template::{Role, Template};
use jobs_runtime::JobId;
use jobs_runtime::codec::{Codec, KeyRing, Sealed};
use jobs_runtime::contract::QueueSetting;
use jobs_runtime::core::{InboxContent, Job, Payload, StepRecord, StoredError, Trace, key_part};
use jobs_runtime::drivers::sqlite::SqliteOptions;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A target by its name.
pub type Target = (&'static str, fn(&[u8]));

/// Every target; the name is that of its corpus.
pub const ALL: &[Target] = &[
    ("cursors", cursors),
    ("durations", durations),
    ("keys", keys),
    ("rows", rows),
    ("seals", seals),
    ("templates", templates),
    ("urls", urls),
];

fn text(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

/// Where a page ends: an id, as bytes and as text.
pub fn cursors(data: &[u8]) {
    if let Some(bytes) = data.first_chunk::<16>() {
        let id = JobId::from_bytes(*bytes);
        assert_eq!(id.as_bytes(), bytes);
        assert_eq!(id.to_string().parse::<JobId>().ok(), Some(id));
    }
    if let Ok(id) = text(data).parse::<JobId>() {
        assert_eq!(id.to_string().parse::<JobId>().ok(), Some(id));
    }
}

/// A duration or a back-off in quotes.
pub fn durations(data: &[u8]) {
    let text = text(data);
    match duration::millis(&text) {
        Ok(millis) => {
            let told = jobs_runtime::core::Millis(millis).to_string();
            assert_eq!(
                duration::millis(&told),
                Ok(millis),
                "{text:?} is told as {told:?}"
            );
        }
        Err(words) => assert!(!words.is_empty()),
    }
    if let Err(words) = duration::backoff(&text) {
        assert!(!words.is_empty());
    }
}

/// Parts of a key: no two lists of parts give one text.
pub fn keys(data: &[u8]) {
    let parts: Vec<String> = data.split(|byte| *byte == 0).map(text).collect();
    let escaped: Vec<String> = parts.iter().map(|part| key_part(part)).collect();
    let texts = vec![":"; parts.len() + 1];
    let key = jobs_runtime::private::rendered(&texts, &escaped);
    let found: Vec<&str> = key.split(':').collect();
    let found = &found[1..=parts.len()];
    for (part, found) in parts.iter().zip(found) {
        assert_eq!(&unescaped(found), part, "a part is read back from its key");
    }
}

fn unescaped(part: &str) -> String {
    let (mut rest, mut out) = (part.as_bytes(), Vec::new());
    while let [first, after @ ..] = rest {
        let code = match (first, after) {
            (b'%', [high, low, ..]) => Some(digit(*high) * 16 + digit(*low)),
            _ => None,
        };
        out.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn digit(byte: u8) -> u8 {
    let value = char::from(byte).to_digit(16).unwrap_or_default();
    value as u8
}

/// What stands in rows as JSON: it is refused, or it reads back as itself.
pub fn rows(data: &[u8]) {
    reads_back::<Job>(data);
    reads_back::<StepRecord>(data);
    reads_back::<InboxContent>(data);
    reads_back::<StoredError>(data);
    reads_back::<Payload>(data);
    reads_back::<Trace>(data);
    let _ = QueueSetting::read(data);
}

fn reads_back<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(data: &[u8]) {
    if let Ok(value) = serde_json::from_slice::<T>(data) {
        let again = serde_json::to_vec(&value).map(|json| serde_json::from_slice::<T>(&json));
        assert_eq!(again.ok().and_then(Result::ok), Some(value));
    }
}

/// A sealed value: what was not sealed with the key does not open.
pub fn seals(data: &[u8]) {
    let sealed = Sealed::new(KeyRing::new(1, [7; 32]));
    assert!(
        sealed.decode(data).is_err(),
        "bytes that nobody sealed open"
    );
}

/// A template of a key: refused in words, or one text more than values.
pub fn templates(data: &[u8]) {
    let literal = syn::LitStr::new(&text(data), proc_macro2::Span::call_site());
    for role in [Role::Key, Role::StepName, Role::Tenant] {
        if let Ok(template) = Template::parse(&literal, role) {
            assert_eq!(template.texts.len(), template.holes.len() + 1);
            assert_eq!(template.is_constant(), template.holes.is_empty());
        }
    }
}

/// A URL of a store.
pub fn urls(data: &[u8]) {
    let url = text(data);
    match SqliteOptions::from_url(&url) {
        Ok((path, _)) => assert!(!path.as_os_str().is_empty(), "{url:?} names a file"),
        Err(error) => {
            assert_eq!(error.code(), "X_URL_INVALID");
            assert!(!error.fix().is_empty());
        }
    }
}
