//! Hashes that are as good as random, from fixed seeds.

/// 2⁶⁴ divided by the golden ratio: the step of SplitMix64 and the multiplier of the library.
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64: a counter and a finalizer.
pub struct Random(u64);

impl Random {
    /// Two seeds give two unrelated streams, for all that a rate can see.
    pub const fn new(seed: u64) -> Random {
        Random(mix(seed ^ 0xA076_1D64_78BD_642F))
    }

    /// The next 64 bits.
    #[inline]
    pub const fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }
}

/// The finalizer of SplitMix64: two multiplies, and every input bit reaches every output bit.
#[inline]
pub const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// floor(x · range / 2⁶⁴), the library's rule for an index.
#[inline]
pub const fn scale(x: u64, range: u64) -> u64 {
    ((x as u128 * range as u128) >> 64) as u64
}
