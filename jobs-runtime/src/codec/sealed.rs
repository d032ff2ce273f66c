//! Encryption at rest: XChaCha20-Poly1305 under a ring of keys.
//!
//! A sealed value says which key sealed it, so keys can be changed while jobs are under way. It is
//! not bound to its place: who can write to the store can put one sealed value where another was.
//! How large a value is, and everything that is no payload, stays readable.

use super::Codec;
use crate::Error;
use crate::clock::Entropy;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use std::collections::BTreeMap;
use std::fmt;

/// The first byte: the form of the rest.
const FORM: u8 = 1;
/// The form and the id of the key.
const HEADER_BYTES: usize = 5;
const NONCE_BYTES: usize = 24;

/// The keys of [`Sealed`]: one that writes, and all that read.
///
/// To change keys, give every program the new key to read with, then let it write, and take the
/// old one away when nothing sealed by it is kept any more:
///
/// ```
/// use jobs_runtime::codec::{KeyRing, Sealed};
///
/// # let (old, new) = ([1; 32], [2; 32]);
/// let first = Sealed::new(KeyRing::new(1, old).reading(2, new));
/// let then = Sealed::new(KeyRing::new(2, new).reading(1, old));
/// # let _ = (first, then);
/// ```
#[derive(Clone)]
pub struct KeyRing {
    writes: u32,
    keys: BTreeMap<u32, XChaCha20Poly1305>,
}

impl KeyRing {
    /// A ring that writes and reads with this key. The id is stored beside everything it seals,
    /// and must never be given to another key.
    #[must_use]
    pub fn new(id: u32, key: [u8; 32]) -> Self {
        let ring = KeyRing {
            writes: id,
            keys: BTreeMap::new(),
        };
        ring.reading(id, key)
    }

    /// The same ring, which can also read what this key has sealed.
    #[must_use]
    pub fn reading(mut self, id: u32, key: [u8; 32]) -> Self {
        self.keys
            .insert(id, XChaCha20Poly1305::new(&Key::from(key)));
        self
    }
}

impl fmt::Debug for KeyRing {
    /// The ids only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<&u32> = self.keys.keys().collect();
        f.debug_struct("KeyRing")
            .field("writes", &self.writes)
            .field("reads", &ids)
            .finish()
    }
}

/// A codec that encrypts what is stored, and refuses what was changed since.
///
/// ```
/// use jobs_runtime::Jobs;
/// use jobs_runtime::codec::{KeyRing, Sealed};
///
/// # async fn connect(key: [u8; 32]) -> jobs_runtime::Result<()> {
/// let jobs = Jobs::connect("memory://").await?.with_codec(Sealed::new(KeyRing::new(1, key)));
/// # Ok(()) }
/// ```
///
/// Give it keys from a secret store, 32 random bytes each; a password is none. Each value has a
/// nonce of 192 bits from [`crate::clock::Env`]: with random bits that a test has chosen, use the
/// keys of a test.
#[derive(Clone, Debug)]
pub struct Sealed {
    ring: KeyRing,
}

impl Sealed {
    /// The codec id of sealed values.
    pub const ID: u16 = 1;

    /// How many bytes a sealed value has more than its JSON.
    pub const OVERHEAD_BYTES: usize = HEADER_BYTES + NONCE_BYTES + 16;

    /// Seals and opens with these keys.
    #[must_use]
    pub fn new(ring: KeyRing) -> Self {
        Sealed { ring }
    }
}

impl Codec for Sealed {
    fn id(&self) -> u16 {
        Sealed::ID
    }

    fn encode(&self, json: Vec<u8>, random: &dyn Entropy) -> Result<Vec<u8>, Error> {
        let id = self.ring.writes;
        let cipher = self.ring.keys.get(&id);
        let cipher = cipher.ok_or_else(|| Error::seal_key_unknown(id))?;
        let mut header = [FORM; HEADER_BYTES];
        header[1..].copy_from_slice(&id.to_be_bytes());
        let nonce = nonce(random);
        let clear = Payload {
            msg: &json,
            aad: &header,
        };
        let sealed = cipher.encrypt(&XNonce::from(nonce), clear);
        let sealed = sealed.map_err(|_| Error::seal_broken("a value is too large to be sealed"))?;
        Ok([&header[..], &nonce, &sealed].concat())
    }

    fn decode(&self, stored: &[u8]) -> Result<Vec<u8>, Error> {
        let cut_off = || Error::seal_broken("a sealed value is cut off, or was never sealed");
        let (header, rest) = stored
            .split_first_chunk::<HEADER_BYTES>()
            .filter(|(header, _)| header[0] == FORM)
            .ok_or_else(cut_off)?;
        let (nonce, sealed) = rest
            .split_first_chunk::<NONCE_BYTES>()
            .ok_or_else(cut_off)?;
        let [_, id @ ..] = *header;
        let id = u32::from_be_bytes(id);
        let cipher = self.ring.keys.get(&id);
        let cipher = cipher.ok_or_else(|| Error::seal_key_unknown(id))?;
        let sealed = Payload {
            msg: sealed,
            aad: header,
        };
        cipher.decrypt(&XNonce::from(*nonce), sealed).map_err(|_| {
            Error::seal_broken(format_args!(
                "a value does not open with the key {id}: it was changed, or sealed by another key of that id"
            ))
        })
    }
}

fn nonce(random: &dyn Entropy) -> [u8; NONCE_BYTES] {
    let mut nonce = [0; NONCE_BYTES];
    nonce[..16].copy_from_slice(&random.bits().to_le_bytes());
    nonce[16..].copy_from_slice(&random.bits().to_le_bytes()[..8]);
    nonce
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SeededEntropy;

    const OLD: [u8; 32] = [1; 32];
    const NEW: [u8; 32] = [2; 32];

    fn seal(ring: KeyRing, json: &str) -> Vec<u8> {
        let random = SeededEntropy::new(7);
        Sealed::new(ring)
            .encode(json.as_bytes().to_vec(), &random)
            .unwrap()
    }

    #[test]
    fn a_sealed_value_comes_back_and_shows_nothing_of_itself() {
        let ring = KeyRing::new(1, OLD);
        for json in ["", "null", "{\"card\":\"4111 1111 1111 1111\"}"] {
            let sealed = seal(ring.clone(), json);
            assert_eq!(sealed.len(), json.len() + Sealed::OVERHEAD_BYTES);
            let opened = Sealed::new(ring.clone()).decode(&sealed).unwrap();
            assert_eq!(opened, json.as_bytes());
            assert!(!sealed.windows(4).any(|part| part == b"4111"));
        }
    }

    #[test]
    fn one_value_is_sealed_differently_each_time() {
        let (codec, random) = (Sealed::new(KeyRing::new(1, OLD)), SeededEntropy::new(7));
        let seal = || codec.encode(b"same".to_vec(), &random).unwrap();
        assert_ne!(seal(), seal());
    }

    #[test]
    fn a_ring_writes_with_its_own_key_and_reads_with_all() {
        let before = seal(KeyRing::new(1, OLD), "old");
        let ring = KeyRing::new(2, NEW).reading(1, OLD);
        let after = seal(ring.clone(), "new");
        assert_eq!((before[4], after[4]), (1, 2));
        let codec = Sealed::new(ring);
        assert_eq!(codec.decode(&before).unwrap(), b"old");
        assert_eq!(codec.decode(&after).unwrap(), b"new");
    }

    #[test]
    fn a_key_that_is_missing_is_named() {
        let sealed = seal(KeyRing::new(2, NEW), "x");
        let error = Sealed::new(KeyRing::new(1, OLD))
            .decode(&sealed)
            .unwrap_err();
        assert_eq!(error.code(), "X_SEAL_KEY_UNKNOWN");
        assert!(error.to_string().contains('2'), "{error}");
    }

    #[test]
    fn a_wrong_key_or_a_changed_byte_is_an_error_and_never_a_value() {
        let sealed = seal(KeyRing::new(1, OLD), "amount: 1");
        let wrong = Sealed::new(KeyRing::new(1, NEW));
        assert_eq!(wrong.decode(&sealed).unwrap_err().code(), "X_SEAL_BROKEN");
        let right = Sealed::new(KeyRing::new(1, OLD));
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(right.decode(&changed).is_err(), "byte {at}");
            assert!(right.decode(&sealed[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn keys_never_show() {
        let shown = format!("{:?}", Sealed::new(KeyRing::new(7, [171; 32])));
        assert!(
            !shown.contains("171") && !shown.to_lowercase().contains("ab"),
            "{shown}"
        );
        assert!(shown.contains('7'));
    }
}
