//! Kinds that keep fingerprints: a key is one of N that are equally likely.

use super::bound::hash_floor;

/// The rate with n items: 1-(1-1/N)^n, the share of fingerprints that are in, and the floor of
/// the hash. At N=2⁶⁴ a fingerprint is the hash and there is nothing but the floor.
pub fn rate(fingerprints: f64, n: u64) -> f64 {
    let floor = hash_floor(n).min(1.0);
    if fingerprints >= 2f64.powi(64) {
        return floor;
    }
    let rate = -(n as f64 * (-1.0 / fingerprints).ln_1p()).exp_m1();
    rate + (1.0 - rate) * floor
}
