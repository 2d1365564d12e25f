//! What no filter can beat.

/// log2(e) = 1.4427: how many times the bits of the lower bound a Bloom filter needs at its best.
pub const BLOOM_FACTOR: f64 = std::f64::consts::LOG2_E;

/// n·log2(1/ε): no filter for arbitrary sets of n items at false-positive rate ε takes fewer bits.
pub fn lower_bound_bits(n: u64, fpr: f64) -> f64 {
    n as f64 * -fpr.log2()
}

/// How much more than the bound a filter takes: 0.44 for a Bloom filter at its best.
pub fn overhead(bits: u64, n: u64, fpr: f64) -> f64 {
    bits as f64 / lower_bound_bits(n, fpr) - 1.0
}

/// n·2⁻⁶⁴: the false-positive rate of any filter on 64-bit hashes, since an absent key may have the
/// same hash as a present one.
pub fn hash_floor(n: u64) -> f64 {
    n as f64 * 2f64.powi(-64)
}
