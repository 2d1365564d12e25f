//! Kinds that store fingerprints: a key is one of N that are equally likely.

use super::bound::hash_floor;

/// The false-positive rate with n items: 1-(1-1/N)^n, the share of fingerprints that are present,
/// and the floor of the hash. At N=2⁶⁴ the fingerprint is the hash, and only the floor remains.
pub fn rate(fingerprints: f64, n: u64) -> f64 {
    let floor = hash_floor(n).min(1.0);
    if fingerprints >= 2f64.powi(64) {
        return floor;
    }
    let rate = -(n as f64 * (-1.0 / fingerprints).ln_1p()).exp_m1();
    rate + (1.0 - rate) * floor
}
