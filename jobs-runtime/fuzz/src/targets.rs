//! What is done with bytes that nobody has looked at: each target reads them in one way, and says
//! what must hold whatever they are. It panics where that does not hold.

use crate::duration;
use crate::template::{Role, Template};
use jobs_cron::{
    Civil, EVERY_MAX_MILLIS, EVERY_MIN_MILLIS, SCHEDULE_LIMIT_BYTES, Schedule, refuse_zone,
};
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
    ("crons", crons),
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

/// Seconds after an instant that are looked at one by one for a time that was passed over.
const LOOK_SECS: u32 = 300;
/// The longest sentence about a schedule or a zone, in bytes.
const SENTENCE_LIMIT_BYTES: usize = 1_024;

/// A schedule: refused in a sentence, or it fires, after any instant, at the first time that fits.
pub fn crons(data: &[u8]) {
    let text = text(data);
    let read = Schedule::parse(&text);
    // What is too long is told with its length.
    if text.len() <= SCHEDULE_LIMIT_BYTES {
        assert_eq!(Schedule::parse(text.trim()), read, "white space around it");
    }
    match read {
        Err(words) => is_sentence(&words),
        Ok(Schedule::Every(millis)) => {
            assert!((EVERY_MIN_MILLIS..=EVERY_MAX_MILLIS).contains(&millis));
        }
        Ok(Schedule::Cron(cron)) => {
            let _ = cron.is_interval();
            let mut at = some_instant(data);
            let next = cron
                .after(at)
                .unwrap_or_else(|| panic!("{text:?} never fires"));
            assert!(next > at && cron.fits(next), "{text:?} after {at:?}");
            for _ in 0..LOOK_SECS {
                let Some(then) = second_after(at) else { break };
                at = then;
                assert!(at >= next || !cron.fits(at), "{text:?} passes over {at:?}");
            }
        }
    }
    if let Some(words) = refuse_zone(&text, ["Europe/Paris", "UTC"].into_iter()) {
        is_sentence(&words);
    }
}

fn is_sentence(words: &str) {
    assert!(
        !words.is_empty() && words.len() <= SENTENCE_LIMIT_BYTES,
        "{words}"
    );
    assert!(
        !words.chars().any(char::is_control),
        "it steers a terminal: {words:?}"
    );
}

/// An instant that follows from the input.
fn some_instant(data: &[u8]) -> Civil {
    let mix = |sum: u32, byte: &u8| sum.rotate_left(5).wrapping_mul(31) ^ u32::from(*byte);
    let bits = data.iter().fold(1, mix);
    let part = |shift: u32, count: u32| u8::try_from((bits >> shift) % count).unwrap_or(0);
    Civil {
        year: 2020 + i32::from(part(0, 80)),
        month: 1 + part(7, 12),
        day: 1 + part(11, 28),
        hour: part(16, 24),
        minute: part(21, 60),
        second: part(26, 60),
    }
}

/// The next second of the same day.
fn second_after(at: Civil) -> Option<Civil> {
    let (second, carry) = ((at.second + 1) % 60, (at.second + 1) / 60);
    let (minute, carry) = ((at.minute + carry) % 60, (at.minute + carry) / 60);
    let hour = at.hour + carry;
    (hour < 24).then_some(Civil {
        hour,
        minute,
        second,
        ..at
    })
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
