//! Maps by ids.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Maps of ids that are random already: no need to protect them against chosen keys.
pub(in crate::torture::check) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixing>>;

/// See [`Map`].
#[derive(Default)]
pub(in crate::torture::check) struct Mixing(u64);

impl Hasher for Mixing {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
}
