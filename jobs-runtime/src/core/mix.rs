//! Bits that follow from other bits, for values that must come out the same each time. No secret
//! and no protection lies in them.

/// Bits for these bytes, the same each time for one seed.
#[must_use]
pub fn derived(seed: u128, bytes: &[u8]) -> u128 {
    let length = bytes.len() as u128;
    bytes.chunks(8).fold(mix(seed ^ length), |state, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(state ^ u128::from(u64::from_le_bytes(word)))
    })
}

/// A fixed mixing of 128 bits (two rounds of the 64-bit finaliser of SplitMix64, crossed).
pub(crate) fn mix(value: u128) -> u128 {
    let half = |mut z: u64| {
        z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let (high, low) = ((value >> 64) as u64, value as u64);
    let low = half(low ^ high.rotate_left(32));
    let high = half(high ^ low);
    (u128::from(high) << 64) | u128::from(low)
}
