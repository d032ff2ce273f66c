//! What stands between the JSON of a value and the bytes in the store.
//!
//! Inputs, results of steps, outputs and events go through a codec; names, keys, labels, errors and
//! log lines do not. Drivers keep what a codec wrote, and look at nothing but its size.

#[cfg(feature = "encrypt")]
mod sealed;

#[cfg(feature = "encrypt")]
pub use sealed::{KeyRing, Sealed};

use crate::Error;
use crate::clock::{Entropy, Env};
use crate::core::Payload;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The ids of codecs up to this one belong to this crate.
pub const LAST_RESERVED_CODEC: u16 = 255;

/// Turns the JSON of a value into what is stored, and back: to encrypt it, to compress it.
///
/// Each stored value carries the id of the codec that wrote it, and is read by the codec of that
/// id. So a codec that changes its form takes a new id, and stays able to read the old one.
///
/// ```
/// use jobs_runtime::clock::Entropy;
/// use jobs_runtime::codec::Codec;
/// use jobs_runtime::Error;
///
/// /// Turns every byte over: a codec in shape, no protection.
/// struct Mirror;
///
/// impl Codec for Mirror {
///     fn id(&self) -> u16 {
///         300
///     }
///     fn encode(&self, json: Vec<u8>, _: &dyn Entropy) -> Result<Vec<u8>, Error> {
///         Ok(json.into_iter().map(|byte| !byte).collect())
///     }
///     fn decode(&self, stored: &[u8]) -> Result<Vec<u8>, Error> {
///         Ok(stored.iter().map(|byte| !byte).collect())
///     }
/// }
///
/// # async fn connect() -> jobs_runtime::Result<()> {
/// let jobs = jobs_runtime::Jobs::connect("memory://").await?.with_codec(Mirror);
/// # Ok(()) }
/// ```
pub trait Codec: Send + Sync + 'static {
    /// The number that is stored beside what this codec wrote: above [`LAST_RESERVED_CODEC`], and
    /// the same for ever.
    fn id(&self) -> u16;

    /// What is stored for a value. Limits on sizes are checked on this.
    ///
    /// # Errors
    /// Whatever keeps it from being written: the enqueue, the publish or the step fails with it.
    fn encode(&self, json: Vec<u8>, random: &dyn Entropy) -> Result<Vec<u8>, Error>;

    /// The JSON of what was stored. The bytes may be anything: whoever can write to the store has
    /// chosen them.
    ///
    /// # Errors
    /// If they were not written by this codec, or it lacks the key.
    fn decode(&self, stored: &[u8]) -> Result<Vec<u8>, Error>;
}

/// The codec that writes, and those that read. JSON as it is can always be read, so that a codec
/// can be introduced while jobs are under way.
#[derive(Clone, Default)]
pub(crate) struct Codecs {
    /// The last one writes.
    known: Vec<Arc<dyn Codec>>,
}

impl Codecs {
    pub(crate) fn with(mut self, codec: Arc<dyn Codec>) -> Self {
        self.known.push(codec);
        self
    }

    pub(crate) fn encode(&self, json: Vec<u8>, env: &Env) -> Result<Payload, Error> {
        let Some(codec) = self.known.last() else {
            return Ok(Payload::json(json));
        };
        Ok(Payload {
            codec: codec.id(),
            bytes: codec.encode(json, &*env.entropy)?,
        })
    }

    pub(crate) fn decode<'p>(&self, payload: &'p Payload) -> Result<Cow<'p, [u8]>, Error> {
        let codec = self.known.iter().rev();
        match codec.clone().find(|codec| codec.id() == payload.codec) {
            Some(codec) => codec.decode(&payload.bytes).map(Cow::Owned),
            None if payload.codec == Payload::JSON => Ok(Cow::Borrowed(&payload.bytes)),
            None => Err(Error::codec_unknown(payload.codec)),
        }
    }

    /// Whether one value is always stored as the same bytes.
    pub(crate) fn is_plain(&self) -> bool {
        self.known.is_empty()
    }
}

impl fmt::Debug for Codecs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids = self.known.iter().map(|codec| codec.id());
        f.debug_list().entries(ids).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{SeededEntropy, VirtualClock};
    use crate::durable::Durable;

    struct Turned;

    impl Codec for Turned {
        fn id(&self) -> u16 {
            300
        }
        fn encode(&self, json: Vec<u8>, _: &dyn Entropy) -> Result<Vec<u8>, Error> {
            Ok(json.into_iter().rev().collect())
        }
        fn decode(&self, stored: &[u8]) -> Result<Vec<u8>, Error> {
            Ok(stored.iter().rev().copied().collect())
        }
    }

    fn env() -> Env {
        Env::new(VirtualClock::default(), SeededEntropy::new(1))
    }

    #[test]
    fn without_a_codec_a_value_is_stored_as_its_json() {
        let codecs = Codecs::default();
        let payload = codecs.encode(b"[1]".to_vec(), &env()).unwrap();
        assert_eq!(payload, Payload::json(*b"[1]"));
        assert_eq!(&*codecs.decode(&payload).unwrap(), b"[1]");
    }

    #[test]
    fn what_was_stored_before_a_codec_came_is_still_read() {
        let codecs = Codecs::default().with(Arc::new(Turned));
        assert_eq!(&*codecs.decode(&Payload::json(*b"[1]")).unwrap(), b"[1]");
        let written = codecs.encode(b"[12]".to_vec(), &env()).unwrap();
        assert_eq!((written.codec, &*written.bytes), (300, &b"]21["[..]));
        assert_eq!(&*codecs.decode(&written).unwrap(), b"[12]");
    }

    #[test]
    fn what_no_codec_here_wrote_is_an_error_by_name() {
        let foreign = Payload {
            codec: 300,
            bytes: vec![1],
        };
        let error = Codecs::default().decode(&foreign).unwrap_err();
        assert_eq!(error.code(), "X_CODEC_UNKNOWN");
        assert!(error.to_string().contains("300"), "{error}");
    }

    #[test]
    fn q36_numbers_come_back_as_they_were() {
        fn comes_back<T: Durable + PartialEq + std::fmt::Debug>(value: T) {
            let bytes = value.encode().unwrap();
            assert_eq!(T::decode(&bytes).unwrap(), value);
        }
        comes_back(9_007_199_254_740_993_u64);
        comes_back((u64::MAX, i64::MIN, i128::MIN, u128::MAX));
        comes_back(vec![0.1 + 0.2, f64::MAX, f64::MIN_POSITIVE, 5e-324]);
        // Seventeen digits, each of which counts.
        comes_back(2.225_073_858_507_201e-308_f64);
    }
}
