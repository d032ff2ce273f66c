//! Names for things: UUIDv7 ids made from a given time and given random bits, and lease tokens.

use super::Timestamp;
use ::core::{fmt, str::FromStr};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Makes an id that sorts by `at`; the low 74 bits of `random` make it unique.
            #[must_use]
            pub fn new(at: Timestamp, random: u128) -> Self {
                let millis = u64::try_from(at.0).unwrap_or(0);
                // Version and variant overwrite six of the eighty bits: shift around them.
                let bits = (random >> 62 & 0xFFF) << 64 | random & ((1 << 62) - 1);
                let mut bytes = [0; 10];
                bytes.copy_from_slice(&bits.to_be_bytes()[6..]);
                Self(uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid())
            }

            /// The sixteen bytes, as a store keeps them.
            #[must_use]
            pub fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }

            /// Reads back what [`Self::as_bytes`] gave.
            #[must_use]
            pub fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    )*};
}

ids! {
    /// One published event.
    EventId
    /// One row of a job. Made by the client, so that a retried enqueue is recognised.
    JobId
    /// One durable execution, the owner of its steps. Stable over retries, suspensions and requeues.
    RunId
}

/// What a lease holder must show to write: the count of leases, and bits that keep two holders of
/// one count apart after a crash of the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Token {
    /// How many leases this job has had, this one included.
    pub epoch: u64,
    /// Random bits, drawn anew for each lease.
    pub nonce: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_the_time_they_were_made() {
        let early = JobId::new(Timestamp(1_000), u128::MAX);
        let late = JobId::new(Timestamp(1_001), 0);
        assert!(early < late);
    }

    #[test]
    fn ids_of_one_instant_differ_in_each_of_their_74_bits() {
        let at = Timestamp(1_700_000_000_000);
        let none = JobId::new(at, 0);
        for bit in 0..74 {
            let one = JobId::new(at, 1 << bit);
            assert!(none < one, "bit {bit}");
        }
    }

    #[test]
    fn an_id_reads_back_from_its_bytes_and_its_text() {
        let id = RunId::new(Timestamp(1_700_000_000_000), 7);
        assert_eq!(RunId::from_bytes(*id.as_bytes()), id);
        assert_eq!(
            alloc::string::ToString::to_string(&id).parse::<RunId>(),
            Ok(id)
        );
    }
}
